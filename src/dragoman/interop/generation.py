"""Decoding settings of Hugging Face: generation_config.json, and keys of config.json.

transformers divides a score by the length to the same power, START not counted and END counted, as
we do. It keeps as many unfinished hypotheses as the beam is wide, where ours give up a place for
each that ends. Where it looks no further (`early_stopping = never`), the rule is our own.
"""

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from dragoman.config.training import DecodingSettings
from dragoman.core.errors import ConfigError
from dragoman.data.tokenizer.special_tokens import END, PAD, START, UNKNOWN
from dragoman.interop.foreign import Values, read_keys

GENERATION_FILE = "generation_config.json"
MARKS = ("decoder_start_token_id", "eos_token_id", "pad_token_id", "forced_bos_token_id")


def read_generation(folder: Path, values: Values) -> dict[str, Any]:
    """Return the settings of a folder with what its generation file says instead, if it is there.

    Of several marks that may end a text, the only one is taken; more cannot be told here.
    """
    path = folder / GENERATION_FILE
    told = read_keys(path) if path.exists() else {}
    merged = {**values, **{key: value for key, value in told.items() if value is not None}}
    ends = merged.get("eos_token_id")
    if isinstance(ends, list) and len(ends) == 1:
        merged["eos_token_id"] = ends[0]
    return merged


def with_special_tokens(values: Values, generation: Values) -> dict[str, Any]:
    """Return a settings file with the marks that the generation file names."""
    return {**values, **{key: generation[key] for key in MARKS if key in generation}}


def decoding_of(generation: Values, where: Path) -> DecodingSettings:
    """Return their way to search as ours; they have no guard against loops."""
    told = {
        "beam": generation.get("num_beams") or 1,
        "length_penalty": _number(generation.get("length_penalty"), 1.0),
        "no_repeat_ngram": generation.get("no_repeat_ngram_size") or 0,
        "loop_guard": 0,
    }
    try:
        return DecodingSettings.model_validate(told)
    except ValidationError as error:
        wrong = ", ".join(f"{one['loc'][0]} = {one['input']!r}" for one in error.errors())
        raise ConfigError(
            f"{where}: asks for a search that cannot be made here: {wrong}."
        ) from None


def generation_of(decoding: DecodingSettings, longest: int) -> dict[str, Any]:
    """Return the generation file of one of our translators."""
    told: dict[str, Any] = {
        "decoder_start_token_id": START,
        "bos_token_id": START,
        "eos_token_id": END,
        "pad_token_id": PAD,
        "suppress_tokens": [PAD, UNKNOWN, START],
        "max_length": longest,
        "num_beams": decoding.beam,
    }
    if decoding.beam > 1:
        told |= {"length_penalty": decoding.length_penalty, "early_stopping": "never"}
    if decoding.no_repeat_ngram:
        told["no_repeat_ngram_size"] = decoding.no_repeat_ngram
    return told


def _number(told: Any, usual: float) -> Any:
    return usual if told is None else told
