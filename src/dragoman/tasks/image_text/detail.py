"""The gain from more detailed captions: the same images, asked for in two ways.

A caption is to bring its own image among the first, and no other will do, even one of which the
same is said: to tell these apart is what detail is for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman.metrics.paired import ShareDifference, paired_difference
from dragoman.metrics.retrieval import FIRST

LAST = FIRST[-1]
"""How many of the first candidates are looked at."""

Bits = NDArray[np.bool_]


@dataclass(frozen=True)
class Detail:
    """The difference in recall between two kinds of captions, image by image."""

    language: str
    way: str
    less: str
    more: str
    gain: ShareDifference
    """Of recall, over the images that have captions of both kinds."""


@dataclass(frozen=True)
class CaptionMatches:
    """Images that have a caption of a kind, and the hits in either direction."""

    said: Bits
    hits: dict[str, Bits]
    """By the way; as long as there are images that have one."""

    def of(self, images: Bits, way: str) -> list[bool]:
        """Return whether some of the images that have one were found."""
        hits: list[bool] = self.hits[way][images[self.said]].tolist()
        return hits


def compare_detail(
    language: str, asked: Mapping[str, CaptionMatches], steps: Sequence[tuple[str, str]]
) -> list[Detail]:
    """Compare kinds of captions in a language, two at a time, both ways."""
    found = []
    for less, more in steps:
        if less not in asked or more not in asked:
            continue
        one, other = asked[less], asked[more]
        both = one.said & other.said
        if not both.any():
            continue
        for way in one.hits:
            gain = paired_difference(one.of(both, way), other.of(both, way))
            found.append(Detail(language, way, less, more, gain))
    return found
