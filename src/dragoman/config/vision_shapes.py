"""Published shapes of image networks: the stages of VGG, the inception modules of GoogLeNet."""

from dataclasses import astuple, dataclass

VGG_STAGES: dict[int, tuple[int, ...]] = {
    11: (1, 1, 2, 2, 2),
    13: (2, 2, 2, 2, 2),
    16: (2, 2, 3, 3, 3),
    19: (2, 2, 4, 4, 4),
}
"""Convolutions of each stage, by depth."""
VGG_WIDER = (1, 2, 4, 8, 8)
"""How many times more filters than the first each stage has."""


@dataclass(frozen=True, slots=True)
class InceptionWidths:
    """Filters of each convolution; those that narrow the maps are only in bottleneck modules."""

    one: int
    narrow_three: int
    three: int
    narrow_five: int
    five: int
    pooled: int

    def times(self, part: int, whole: int) -> "InceptionWidths":
        """Return the widths multiplied by part / whole."""
        return InceptionWidths(*(width * part // whole for width in astuple(self)))


WIDTHS: dict[str, InceptionWidths] = {
    "3a": InceptionWidths(64, 96, 128, 16, 32, 32),
    "3b": InceptionWidths(128, 128, 192, 32, 96, 64),
    "4a": InceptionWidths(192, 96, 208, 16, 48, 64),
    "4b": InceptionWidths(160, 112, 224, 24, 64, 64),
    "4c": InceptionWidths(128, 128, 256, 24, 64, 64),
    "4d": InceptionWidths(112, 144, 288, 32, 64, 64),
    "4e": InceptionWidths(256, 160, 320, 32, 128, 128),
    "5a": InceptionWidths(256, 160, 320, 32, 128, 128),
    "5b": InceptionWidths(384, 192, 384, 48, 128, 128),
}
"""The modules of GoogLeNet."""
BASE = 64
"""Filters of the first convolution in the paper, to which all widths are in proportion."""
BEHIND = {"4a": 0, "4d": 1}
"""The modules that an auxiliary head reads."""
