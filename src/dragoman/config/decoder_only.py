"""The size and habits of a decoder-only Transformer."""

from typing import Literal

from pydantic import Field

from dragoman.config.stack import StackSettings


class DecoderOnlySettings(StackSettings):
    """A decoder-only Transformer, which reads the source as the beginning of what it writes."""

    kind: Literal["decoder-only"] = "decoder-only"

    layers: int = Field(4, ge=1, le=200)

    norm_epsilon: float | None = Field(None, gt=0.0, lt=1.0)
    """What norms add to the variance; default: 1e-5 for layer norm, 1e-6 for RMS norm."""

    tied: bool = True
    """One matrix for the embeddings and the output, or two."""

    loss_on: Literal["target", "both"] = "target"
    """Which tokens training asks for: those of the target, or those of the source too."""

    initialization: Literal["xavier", "normal"] = "xavier"
    """Xavier-uniform matrices with embeddings of deviation 1/√width, or everything normal 0.02."""
