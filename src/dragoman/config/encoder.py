"""The size and habits of a bidirectional encoder."""

from typing import Literal, Self

from pydantic import Field, model_validator

from dragoman.config.stack import Positions, StackSettings


class EncoderSettings(StackSettings):
    """A Transformer that reads a text from both sides (BERT, Devlin et al. 2019; RoBERTa)."""

    kind: Literal["encoder"] = "encoder"

    layers: int = Field(4, ge=1, le=200)

    activation: Literal["relu", "gelu", "gelu-tanh", "swiglu", "single"] = "gelu"
    """What the feed-forward bends with: ReLU, GELU or its older approximation, a gate of its own
    (SwiGLU), or a single ReLU layer without a middle. The words head bends with the same, or with
    GELU where that is no plain function."""

    norm: Literal["pre", "post", "none"] = "post"
    """Normalize before each sub-layer, after it (as BERT does), or not at all."""

    norm_epsilon: float = Field(1e-5, gt=0.0, lt=1.0)
    """What norms add to the variance; 1e-12 in BERT, 1e-5 in RoBERTa."""

    positions: Positions = "learned"
    """How a token is told where it stands: as in the other networks; default: a learned table."""

    max_positions: int = Field(512, ge=2, le=1_000_000)
    """Positions of a learned table; the other kinds have no limit."""

    segments: int = Field(0, ge=0, le=1024)
    """Kinds of segment that have a learned vector each: 2 in BERT, where a row is a pair of texts;
    default: none."""

    scale_embeddings: bool = False
    """Multiply the tokens' vectors by √width, so that sinusoidal positions do not drown them."""

    embedding_norm: bool = True
    """Normalize the sum of the vectors of token, position and segment."""

    pooler: bool = False
    """Whether a text as a whole has a state: tanh of a matrix on the state of its first token."""

    lm_head: Literal["none", "bert"] = "bert"
    """What guesses hidden words: nothing, or a matrix, an activation and a norm before the
    output."""

    tied: bool = True
    """One matrix for the embeddings and the output, or two."""

    output_bias: bool = True
    """Whether each entry of the vocabulary has a bias of its own."""

    next_sentence_head: bool = False
    """Whether the network guesses if the second segment follows the first; needs the pooler."""

    classes: int = Field(0, ge=0, le=100_000)
    """Classes that a text can be given; needs the pooler."""

    initialization: Literal["xavier", "normal"] = "xavier"
    """Xavier-uniform matrices with embeddings of deviation 1/√width, or everything normal 0.02."""

    @model_validator(mode="after")
    def _heads_have_a_pooler(self) -> Self:
        for key, wanted in (
            ("next_sentence_head", self.next_sentence_head),
            ("classes", self.classes),
        ):
            if wanted and not self.pooler:
                raise ValueError(
                    f"{key} judges a text by its pooled state, and there is no pooler. "
                    "Set pooler = true."
                )
        return self
