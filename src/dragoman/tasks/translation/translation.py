"""One translation, and how the parts of a long text become one."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Translation:
    """One translation of one text."""

    text: str
    score: float
    """What the search ranks by: log-probability per token (to the power of the length penalty), or
    the mean chrF with all drawn translations."""
    log_probability: float
    """Of the whole translation, end mark included."""
    tokens: tuple[int, ...] = ()
    """The numbers it was made of; none where a text was cut and joined again."""
    unmet: int = 0
    """How many of its terms it lacks: refused after the end of its sentence, or cut off."""


def join_translations(
    parts: Sequence[list[Translation]], *, each: bool = False
) -> list[Translation]:
    """Join the best translations of a text's parts; with `each`, the first ones, the second ones …

    An empty text has an empty translation.
    """
    if not parts:
        return [Translation("", 0.0, 0.0)]
    if len(parts) == 1:
        return parts[0]
    rows = list(zip(*parts, strict=True)) if each else [tuple(found[0] for found in parts)]
    return [
        Translation(
            text=" ".join(t.text for t in row if t.text),
            score=sum(t.score for t in row) / len(row),
            log_probability=sum(t.log_probability for t in row),
            unmet=sum(t.unmet for t in row),
        )
        for row in rows
    ]
