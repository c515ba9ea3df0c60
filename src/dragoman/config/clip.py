"""The size and habits of a network that brings images and texts together."""

from typing import Annotated, Literal

from pydantic import Field

from dragoman.config.settings import Settings
from dragoman.config.stack import Positions, StackSettings
from dragoman.config.vision import PatchSettings, ResNetSettings, VitSettings


class PatchTowerSettings(PatchSettings):
    """The vision Transformer of CLIP itself: a norm before its layers, patches without a bias."""

    kind: Literal["patches"] = "patches"

    layers: int = Field(4, ge=1, le=200)

    ffn_width: int = Field(512, ge=1, le=1_000_000)
    """Size of the feed-forward's middle (f)."""

    activation: Literal["relu", "gelu", "gelu-tanh", "quick-gelu"] = "gelu"
    """What the feed-forward bends with; CLIP's own is x · sigmoid(1.702 x), "quick-gelu"."""

    attention_dropout: float = Field(0.0, ge=0.0, lt=1.0)
    """Dropout on attention weights; costs the fast attention kernel."""


ImageTowerSettings = Annotated[
    ResNetSettings | VitSettings | PatchTowerSettings, Field(discriminator="kind")
]


class TextTowerSettings(StackSettings):
    """The Transformer that reads captions."""

    kind: Literal["text"] = "text"

    width: int = Field(128, ge=2, le=65_536)
    """Size of every hidden state (d)."""

    ffn_width: int = Field(512, ge=1, le=1_000_000)
    """Size of the feed-forward's middle (f)."""

    layers: int = Field(3, ge=1, le=200)

    output_bias: Literal[False] = False
    """There is no output over words here, and so no bias of it."""

    causal: bool = True
    """Whether a token sees only those before it, as in CLIP, or the whole caption."""

    pooling: Literal["end", "mean"] = "end"
    """What stands for a caption: the state of its end mark, as in CLIP, or the mean of all."""

    scale_embeddings: bool = False
    """Multiply the tokens' vectors by √width, so that sinusoidal positions do not drown them."""

    norm_epsilon: float = Field(1e-5, gt=0.0, lt=1.0)
    """What norms add to the variance."""

    positions: Positions = "learned"
    """How a token is told where it stands: as in the other networks; default: a learned table."""

    max_positions: int = Field(256, ge=2, le=1_000_000)
    """Positions of a learned table; the other kinds have no limit."""

    initialization: Literal["xavier", "normal"] = "xavier"
    """Xavier-uniform matrices with embeddings of deviation 1/√width, or everything normal 0.02."""


class ClipSettings(Settings):
    """Two towers, one for images and one for texts, that meet (CLIP, Radford et al. 2021)."""

    kind: Literal["clip"] = "clip"

    image: ImageTowerSettings = ResNetSettings()
    """The network that looks at images, as a table of its own: `[model.image]`."""

    text: TextTowerSettings = TextTowerSettings()
    """The network that reads captions, as a table of its own: `[model.text]`."""

    width: int = Field(128, ge=2, le=65_536)
    """Numbers of the vector that stands for an image or a text."""

    temperature: float = Field(0.07, gt=0.0)
    """What likenesses are divided by at first; it is learned."""

    max_logit_scale: float = Field(100.0, ge=1.0)
    """What likenesses are multiplied by at most."""

    @property
    def max_positions(self) -> int:
        """Tokens of the longest text that can be read."""
        return self.text.max_positions
