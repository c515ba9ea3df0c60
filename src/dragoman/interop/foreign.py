"""The settings file of another library, of which nothing is ignored.

Each family names the keys it understands, with the values it can build. A key that no family
needs to know (who saved the file, what to do when generating) is listed here; any other key, and
any value that our networks do not have, is refused by name.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from dragoman.config.settings import Settings
from dragoman.config.stack import StackSettings
from dragoman.core.bounded_read import read_bounded
from dragoman.core.errors import ConfigError

Values = Mapping[str, Any]
SETTINGS_FILE = "config.json"
LARGEST = 4 * 1024 * 1024

HARMLESS = frozenset(
    (
        "architectures",
        "model_type",
        "transformers_version",
        "torch_dtype",
        "dtype",
        "use_cache",
        "_name_or_path",
        "name_or_path",
        "initializer_range",
        "initializer_factor",
        "bos_token_id",
        "eos_token_id",
        "pad_token_id",
        "sep_token_id",
        "cls_token_id",
        "mask_token_id",
        "unk_token_id",
        "decoder_start_token_id",
        "task_specific_params",
        "output_attentions",
        "output_hidden_states",
        "output_past",
        "return_dict",
        "id2label",
        "label2id",
        "num_labels",
        "problem_type",
        "finetuning_task",
        "gradient_checkpointing",
        "summary_type",
        "summary_use_proj",
        "summary_activation",
        "summary_proj_to_labels",
        "summary_first_dropout",
        "n_ctx",
        "is_encoder_decoder",
        "directionality",
        "pooler_fc_size",
        "pooler_num_attention_heads",
        "pooler_num_fc_layers",
        "pooler_size_per_head",
        "pooler_type",
        "reorder_and_upcast_attn",
        "n_special",
        "predict_special_tokens",
        "classifier_dropout",
        "is_llama_config",
        "_attn_implementation",
        "_attn_implementation_autoset",
    )
)
"""Keys that say nothing about what a network computes from tokens to scores."""

BUILT_IN = {"norm_epsilon": {"layer": 1e-5, "rms": 1e-6}, "rotary_base": {"layer": 1e4, "rms": 1e4}}
"""What networks have that have no such key, by their kind of norm."""

Known = TypeVar("Known", bound="Foreign")
Ours = TypeVar("Ours", bound=Settings)


class Foreign(BaseModel):
    """The keys that a family understands of a settings file."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True, allow_inf_nan=False)


def read_settings(folder: Path) -> dict[str, Any]:
    """Read the settings file of a folder."""
    path = folder / SETTINGS_FILE
    if not path.exists():
        raise ConfigError(
            f"{path}: is not there, so the shape of the network is unknown. Fetch it as well."
        )
    return read_keys(path)


def read_keys(path: Path) -> dict[str, Any]:
    """Read a JSON file of keys and values that a stranger wrote."""
    try:
        values = json.loads(read_bounded(path, LARGEST))
        if not isinstance(values, dict):
            raise ValueError("it is no table of keys")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}).") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: cannot be read ({error}).") from None
    return values


def parse_settings(
    family: type[Known], values: Values, where: str, ignored: tuple[str, ...] = ()
) -> Known:
    """Return the settings as a family understands them, or name all that it does not."""
    kept = {key: value for key, value in values.items() if key not in ignored}
    problems: list[str] = []
    try:
        known = family.model_validate(kept)
        unknown = sorted((known.model_extra or {}).keys() - HARMLESS)
    except ValidationError as error:
        problems = [_told(one) for one in error.errors()]
        unknown = sorted(kept.keys() - family.model_fields.keys() - HARMLESS)
    problems += [f"{key} = {kept[key]!r}: unknown" for key in unknown]
    if problems:
        raise ConfigError(
            f"{where}: {'; '.join(problems)}. Such a network cannot be built here. A key that does "
            "not change it can be passed over by name: --ignore-setting KEY."
        )
    return known


def our_settings(kind: type[Ours], values: Values, where: str) -> Ours:
    """Return our settings; what our network has built in must be what the file asks for."""
    wanted = dict(values)
    for key, by_norm in BUILT_IN.items():
        if key not in wanted or key in kind.model_fields:
            continue
        built_in = by_norm[str(wanted.get("normalization", "layer"))]
        if (asked := wanted.pop(key)) != built_in:
            raise ConfigError(
                f"{where}: asks for {key} = {asked:g}, but a {kind.model_fields['kind'].default!r} "
                f"has {built_in:g} built in. Such a network cannot be built here."
            )
    try:
        return kind.model_validate(wanted)
    except ValidationError as error:
        told = "; ".join(_told(one) for one in error.errors())
        raise ConfigError(f"{where}: {told}. Such a network cannot be built here.") from None


def chosen_or_built_in(settings: StackSettings, key: str, norm: str | None = None) -> float:
    """Return a number that networks have, whether as a setting or built in with a kind of norm."""
    return settings.model_dump().get(key) or BUILT_IN[key][norm or settings.normalization]


def _told(error: ErrorDetails) -> str:
    key = ".".join(str(part) for part in error["loc"]) or "settings"
    match error["type"]:
        case "missing":
            return f"{key}: is missing"
        case "literal_error":
            return f"{key} = {error['input']!r}: only {error['ctx']['expected']} is supported"
        case "none_required":
            return f"{key} = {error['input']!r}: is not supported"
        case "value_error":
            return f"{key}: {str(error['ctx']['error']).rstrip('.')}"
        case _:
            return f"{key} = {error['input']!r}: {error['msg']}"
