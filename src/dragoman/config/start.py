"""What a run starts from, and how much of it is trained.

    full     every weight goes on learning
    frozen   only named parts learn
    lora     the matrices of attention learn a small difference each (Hu et al. 2021)
    prefix   attention learns what to see before every text (Li & Liang 2021)

In TOML the run is `from`, which Python keeps for itself: here it is `run`.
"""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from dragoman.config.settings import Settings

Matrix = Literal["query", "key", "value", "output", "inner", "gate", "outer"]


class _Start(Settings):
    """The run that another one starts from."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)

    run: Path = Field(alias="from")
    """The folder of the run whose weights and tokenizer are begun with."""

    new_tokens: int = Field(0, ge=0, le=1_000_000)
    """Entries that are learned from the new corpus and added to the vocabulary; for translators
    with a `bpe` tokenizer."""

    @model_validator(mode="after")
    def _new_tokens_can_learn(self) -> Self:
        trained = getattr(self, "trainable", None)
        if self.new_tokens and trained is not None and "embeddings" not in trained:
            raise ValueError(
                "new_tokens would never learn: the embeddings are frozen. "
                "Add 'embeddings' to trainable."
            )
        return self


class FullStart(_Start):
    """Train every weight further."""

    method: Literal["full"] = "full"


class FrozenStart(_Start):
    """Train some parts and leave all others as they are."""

    method: Literal["frozen"] = "frozen"

    trainable: tuple[str, ...] = ()
    """Parts that are trained besides those that are new: by their names in the network, as "output"
    or "decoder.2.attention", or all "embeddings", "norms" or "biases". Tied matrices are one."""

    last_layers: int = Field(0, ge=0, le=200)
    """Layers that are trained at the end of each stack: of an encoder, and of a decoder."""

    dropout: Literal["trained", "everywhere"] = "trained"
    """Where dropout acts: not in parts of which nothing is trained, so that what they make of a
    text is always the same; or wherever the model's settings have it."""


class LoraStart(_Start):
    """Learn a difference of low rank beside frozen matrices: W x + (alpha / rank) B A x."""

    method: Literal["lora"] = "lora"

    rank: int = Field(8, ge=1, le=65_536)
    """Rows of A and columns of B."""

    alpha: float = Field(16.0, gt=0.0)
    """What the difference is multiplied by, together with 1 / rank."""

    dropout: float = Field(0.0, ge=0.0, lt=1.0)
    """Dropout on what A reads; W reads all of it."""

    target_modules: tuple[Matrix, ...] = Field(("query", "value"), min_length=1)
    """The matrices that learn: "query", "key", "value" and "output" of every attention; "inner",
    "gate" and "outer" (the one that leads back to the width) of every feed-forward."""

    trainable: tuple[str, ...] = ()
    """Parts that are trained as a whole besides those that are new; named as for `frozen`."""


class PrefixStart(_Start):
    """Learn keys and values that every position sees before its own text, in every attention."""

    method: Literal["prefix"] = "prefix"

    length: int = Field(10, ge=1, le=65_536)
    """Virtual positions of each attention."""

    projection_width: int | None = Field(None, ge=1, le=65_536)
    """While training, make them by a network with a middle of this size, which is steadier with
    long prefixes; only what it makes is kept. Left out, they are learned as they are."""

    trainable: tuple[str, ...] = ()
    """Parts that are trained as a whole besides those that are new; named as for `frozen`."""


StartSettings = Annotated[
    FullStart | FrozenStart | LoraStart | PrefixStart, Field(discriminator="method")
]
