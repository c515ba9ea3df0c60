"""Samples of a validation, for people to read: a few, and no text twice."""

from collections.abc import Iterable
from itertools import islice

SAMPLES = 3

Sample = dict[str, str]
"""What was given (`source`), what came out (`output`) and what was expected (`reference`)."""


def distinct_samples(samples: Iterable[Sample], by: str = "source") -> tuple[Sample, ...]:
    """Take the first samples of distinct texts; none is made that is not needed."""
    return tuple(islice(_distinct(samples, by), SAMPLES))


def _distinct(samples: Iterable[Sample], by: str) -> Iterable[Sample]:
    seen: set[str] = set()
    for one in samples:
        if one[by] not in seen:
            seen.add(one[by])
            yield one
