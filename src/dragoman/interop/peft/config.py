"""The adapter_config.json of a peft LoRA, as far as it matters for the numbers."""

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dragoman.core.errors import CheckpointError


class AdapterConfig(BaseModel):
    """Keys of adapter_config.json; the others are about how it was trained."""

    model_config = ConfigDict(allow_inf_nan=False)

    peft_type: str
    lora_alpha: float = 8.0
    alpha_pattern: dict[str, float] | None = None
    lora_dropout: float = Field(0.0, ge=0.0, lt=1.0)
    use_rslora: bool = False
    bias: str = "none"
    init_lora_weights: bool | str | None = True
    use_dora: bool = False
    use_qalora: bool = False
    lora_bias: bool = False
    layer_replication: list[Any] | None = None
    alora_invocation_tokens: list[int] | None = None

    def check(self, where: Path) -> None:
        """Refuse what changes more than A and B say."""
        if self.peft_type != "LORA":
            raise CheckpointError(f"{where}: is no LoRA, but {self.peft_type!r}.")
        plain = {
            "bias": self.bias == "none",
            "init_lora_weights": self.init_lora_weights in (True, False, None, "gaussian", "eva"),
            "use_dora": not self.use_dora,
            "use_qalora": not self.use_qalora,
            "lora_bias": not self.lora_bias,
            "layer_replication": not self.layer_replication,
            "alora_invocation_tokens": not self.alora_invocation_tokens,
        }
        beyond = ", ".join(key for key, is_plain in plain.items() if not is_plain)
        if beyond:
            raise CheckpointError(
                f"{where}: goes beyond A and B ({beyond}), which is not known here. Let peft merge "
                "it (merge_and_unload), and import the merged network."
            )

    def scale(self, module: str, rank: int) -> float:
        """Return what B A is multiplied by in a module, which may have a number of its own."""
        alpha = self.lora_alpha
        for pattern, own in (self.alpha_pattern or {}).items():
            plain = pattern.removeprefix("^").replace("\\.", ".")
            if not re.fullmatch(r"[\w.]+", plain):  # a stranger's pattern may take forever
                raise CheckpointError(f"alpha_pattern: {pattern!r} is no plain name of a module.")
            if f".{module}".endswith(f".{plain}"):
                alpha = own
                break
        return alpha / (math.sqrt(rank) if self.use_rslora else rank)


def read_config(config: Mapping[str, Any], where: Path) -> AdapterConfig:
    """Check what a LoRA says, and refuse one that is more than A and B."""
    try:
        told = AdapterConfig.model_validate(config)
    except ValidationError as error:
        wrong = error.errors()[0]
        key = ".".join(map(str, wrong["loc"]))
        raise CheckpointError(f"{where}: {key}: {wrong['msg']} (got {wrong['input']!r}).") from None
    told.check(where)
    return told
