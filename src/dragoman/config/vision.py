"""The size and habits of networks that look at pictures."""

from dataclasses import dataclass
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from dragoman.config.settings import Settings

Width = Annotated[int, Field(ge=1, le=65_536)]


class CnnSettings(Settings):
    """A plain convolutional network: stages of filters that halve the picture, then a head."""

    kind: Literal["cnn"] = "cnn"

    channels: tuple[Width, ...] = Field((32, 64), min_length=1, max_length=16)
    """Filters of each stage; every stage halves height and width."""

    convolutions: int = Field(1, ge=1, le=100)
    """Convolutions of each stage, each with its activation."""

    kernel_size: int = Field(3, ge=1, le=31)
    """Height and width of a filter; an odd number."""

    pooling: Literal["max", "average", "stride"] = "max"
    """How a stage halves the picture: the largest or the mean of each 2×2 square, or by a
    convolution that takes every second place only."""

    order: Literal["convolution-first", "between", "pooling-first"] = "convolution-first"
    """Where a stage pools: after its convolutions and activations, right after its first
    convolution and before the activation (the same with max pooling, one convolution and no batch
    norm, but cheaper), or before everything, when only brightness is pooled."""

    batch_norm: bool = True
    """Normalize what each convolution finds over the batch."""

    activation: Literal["relu", "tanh", "sigmoid"] = "relu"

    first_filters: Literal["learned", "sobel", "random"] = "learned"
    """Whether the first filters are learned, or stay fixed: edges in eight directions (Sobel), or
    as they were drawn at random."""

    further_filters: Literal["learned", "random"] = "learned"
    """Whether all other filters are learned, or stay as they were drawn."""

    summary: Literal["flat", "average", "max"] = "flat"
    """What the head reads of the last maps: every place by itself, or each map's mean or largest
    value, wherever it stands."""

    hidden_width: int = Field(128, ge=0, le=65_536)
    """Width of the layer before the last; 0 for none."""

    dropout: float = Field(0.25, ge=0.0, lt=1.0)
    """Dropout on what the last layer reads."""

    @model_validator(mode="after")
    def _filters_have_a_middle(self) -> Self:
        if self.kernel_size % 2 == 0:
            raise ValueError(
                f"kernel {self.kernel_size} is even, so a filter has no middle. "
                f"Use {self.kernel_size - 1} or {self.kernel_size + 1}."
            )
        if self.first_filters == "sobel" and self.kernel_size == 1:
            raise ValueError("a filter of one pixel sees no edges. Set kernel to 3 or more.")
        return self

    @model_validator(mode="after")
    def _something_can_be_ordered(self) -> Self:
        if self.pooling == "stride" and self.order != "convolution-first":
            raise ValueError(
                f"order {self.order!r} needs something that pools, and a stride is part of the "
                "convolution. Set pooling to 'max' or 'average'."
            )
        return self


class AlexNetSettings(Settings):
    """AlexNet (Krizhevsky et al. 2012), for pictures of 227×227, in one tower or in two."""

    kind: Literal["alexnet"] = "alexnet"

    groups: Literal[1, 2] = 1
    """One tower, or two that meet only in the third convolution and in the head, as in the
    paper."""

    channels: tuple[Width, Width, Width, Width, Width] = (96, 256, 384, 384, 256)
    """Filters of the five convolutions."""

    hidden_width: int = Field(4096, ge=1, le=65_536)
    """Width of the two layers before the last."""

    dropout: float = Field(0.5, ge=0.0, lt=1.0)
    """Dropout before each of the two hidden layers."""

    @model_validator(mode="after")
    def _towers_share_evenly(self) -> Self:
        if any(width % self.groups for width in self.channels):
            raise ValueError(
                f"widths {list(self.channels)} do not split into {self.groups} towers. "
                "Use even numbers."
            )
        return self


class VggSettings(Settings):
    """VGG (Simonyan & Zisserman 2015): small filters only, and many layers of them."""

    kind: Literal["vgg"] = "vgg"

    depth: Literal[11, 13, 16, 19] = 16
    """Layers with weights."""

    width: int = Field(64, ge=1, le=8192)
    """Filters of the first stage; the next three have twice as many each, the fifth no more."""

    batch_norm: bool = False
    """Normalize what each convolution finds over the batch; the paper does not."""

    hidden_width: int = Field(4096, ge=1, le=65_536)
    """Width of the two layers before the last."""

    dropout: float = Field(0.5, ge=0.0, lt=1.0)
    """Dropout after each hidden layer."""


class GoogLeNetSettings(Settings):
    """GoogLeNet (Szegedy et al. 2015): filters of several sizes side by side."""

    kind: Literal["googlenet"] = "googlenet"

    bottleneck: bool = True
    """Whether 1×1 filters narrow the maps before the larger filters read them; without them the
    modules are the naive ones, and many times dearer."""

    auxiliary: bool = True
    """Whether two more heads in the middle of the network learn along."""

    stem: Literal["large", "small"] = "large"
    """What stands before the first module: layers that shrink the picture to an eighth (for
    224×224), or one convolution that leaves it as it is (for 32×32)."""

    width: int = Field(64, ge=8, le=8192, multiple_of=8)
    """Filters of the first convolution; all other widths grow and shrink with it."""

    batch_norm: bool = False
    """Normalize what each convolution finds over the batch; the paper does not."""

    dropout: float = Field(0.4, ge=0.0, lt=1.0)
    """Dropout on what the last layer reads."""

    auxiliary_dropout: float = Field(0.7, ge=0.0, lt=1.0)
    """The same in the auxiliary heads."""


LARGE_RESNETS: dict[int, tuple[int, ...]] = {
    18: (2, 2, 2, 2),
    34: (3, 4, 6, 3),
    50: (3, 4, 6, 3),
    101: (3, 4, 23, 3),
    152: (3, 8, 36, 3),
}
"""Blocks of each stage of the networks for ImageNet, by depth; from 50 on they are bottlenecks."""


@dataclass(frozen=True, slots=True)
class ResNetForm:
    """What the settings of a residual network come to, with nothing left open."""

    stages: tuple[int, ...]
    width: int
    block: Literal["basic", "bottleneck"]
    stem: Literal["small", "pooled", "large"]
    shortcut: Literal["padding", "projection"]


class ResNetSettings(Settings):
    """A residual network (He et al. 2016), in the small form for CIFAR or the large for ImageNet,
    or its plain counterpart without skips."""

    kind: Literal["resnet"] = "resnet"

    depth: int = Field(20, ge=8, le=2000)
    """Layers with weights: 18, 34, 50, 101 or 152 for the large form, and for the small one any
    other number that is two more than a multiple of six (20, 32, 44, 56, 110, 1202)."""

    stages: tuple[Annotated[int, Field(ge=1, le=1000)], ...] | None = Field(
        None, min_length=1, max_length=8
    )
    """Blocks of each stage, for a form of its own; the depth is then not asked."""

    width: int | None = Field(None, ge=1, le=8192)
    """Channels of the first stage, twice as many in each that follows; default: 64 in the large
    form, 16 in all others."""

    block: Literal["basic", "bottleneck"] | None = None
    """Blocks of two 3×3 convolutions, or of a 3×3 one between two of 1×1, four times as wide
    outside as inside. Default: bottlenecks from depth 50 on in the large form, basic ones in all
    others."""

    stem: Literal["small", "pooled", "large"] | None = None
    """What stands before the first stage: a 3×3 convolution; the same and a pooling that halves
    the image; or a 7×7 convolution and a pooling that quarter it. Default: large in the large
    form, small in all others."""

    shortcut: Literal["padding", "projection"] | None = None
    """How a skip meets more channels: with zeros in the new ones, which adds no weights (default
    in the small form of the paper), or by a 1×1 convolution (default in all others)."""

    residual: bool = True
    """Whether there are skips; without them the network is plain."""

    zero_init_residual: bool = False
    """Start with every block as the identity: the last norm of each branch begins with gain 0."""

    dropout: float = Field(0.0, ge=0.0, lt=1.0)
    """Dropout on what the last layer reads."""

    @property
    def form(self) -> ResNetForm:
        """Return the form of the network with every default filled in."""
        large = self.stages is None and self.depth in LARGE_RESNETS
        if self.stages is not None:
            stages = self.stages
        else:
            stages = LARGE_RESNETS.get(self.depth, ((self.depth - 2) // 6,) * 3)
        small_form = self.stages is None and not large
        return ResNetForm(
            stages,
            self.width or (64 if large else 16),
            self.block or ("bottleneck" if large and self.depth >= 50 else "basic"),
            self.stem or ("large" if large else "small"),
            self.shortcut or ("padding" if small_form else "projection"),
        )

    @model_validator(mode="after")
    def _depth_is_one_of_them(self) -> Self:
        if self.stages is None and self.depth not in LARGE_RESNETS and (self.depth - 2) % 6:
            below = (self.depth - 2) // 6 * 6 + 2
            raise ValueError(
                f"there is no residual network of depth {self.depth}. Use {below} or {below + 6}, "
                f"one of {', '.join(map(str, LARGE_RESNETS))}, or set stages."
            )
        return self

    @model_validator(mode="after")
    def _something_stays_alive(self) -> Self:
        if self.zero_init_residual and not self.residual:
            raise ValueError(
                "zero_init_residual silences every block, and without skips nothing would come "
                "through. Set residual = true or zero_init_residual = false."
            )
        return self


class PatchSettings(Settings):
    """What all Transformers have in common that read a picture as patches."""

    patch: int = Field(4, ge=1, le=1024)
    """Height and width of a patch; must divide those of the pictures."""

    width: int = Field(128, ge=1, le=65_536)
    """Size of every hidden state (d)."""

    layers: int = Field(6, ge=1, le=200)

    heads: int = Field(4, ge=1, le=4096)
    """Attention heads (h); must divide the width."""

    ffn_width: int = Field(256, ge=1, le=1_000_000)
    """Size of the feed-forward's middle (f)."""

    norm_epsilon: float = Field(1e-5, gt=0.0, lt=1.0)
    """What norms add to the variance; 1e-12 in the networks of the ViT paper."""

    dropout: float = Field(0.0, ge=0.0, lt=1.0)
    """Dropout on each sub-layer's output, and on the embeddings of `vit`."""

    @model_validator(mode="after")
    def _heads_split_the_width(self) -> Self:
        if self.width % self.heads:
            raise ValueError(
                f"width {self.width} does not split into {self.heads} equal heads. "
                f"Nearest width that does: {max(1, round(self.width / self.heads)) * self.heads}."
            )
        return self


class VitSettings(PatchSettings):
    """A vision Transformer (Dosovitskiy et al. 2021): patches of a picture as its words."""

    kind: Literal["vit"] = "vit"

    activation: Literal["relu", "gelu", "gelu-tanh"] = "gelu"
    """What the feed-forward bends with."""

    summary: Literal["token", "mean"] = "token"
    """What the last layer reads: the state of a token of its own before the patches, or the mean
    of the states of the patches."""


ImageModelSettings = Annotated[
    CnnSettings | AlexNetSettings | VggSettings | GoogLeNetSettings | ResNetSettings | VitSettings,
    Field(discriminator="kind"),
]
"""Networks that say what a picture shows."""
