"""Entities in BIO labels (Ramshaw & Marcus 1995), and how many of them are found exactly.

    The   old   king  of  two   lands
    B-P   I-P   I-P   O   B-L   I-L        (0, 3, P) and (4, 6, L)

An entity is found where beginning, end and type are all right. An I that does not go on with an
entity of its own type begins one, as the evaluation of CoNLL-2000 has it.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

PATTERN = re.compile(r"O|[BI]-.+")


class Entity(NamedTuple):
    """Words from `begin` up to and without `end`, and what they are."""

    begin: int
    end: int
    type: str


@dataclass(frozen=True)
class EntityScore:
    """How many entities were found; all shares are between 0 and 1, a share of nothing is 0."""

    precision: float
    recall: float
    f1: float
    true: int
    called: int
    right: int


def is_bio(labels: Iterable[str]) -> bool:
    """Whether labels mark entities: every one is O, B-TYPE or I-TYPE, and one is a B."""
    known = list(labels)
    return all(map(PATTERN.fullmatch, known)) and any(one.startswith("B-") for one in known)


def entities_of(labels: Sequence[str]) -> list[Entity]:
    """Return the entities of a sentence in their order."""
    found: list[Entity] = []
    for place, label in enumerate(labels):
        sign, _, kind = label.partition("-")
        if sign == "O":
            continue
        if sign == "I" and found and found[-1].end == place and found[-1].type == kind:
            found[-1] = found[-1]._replace(end=place + 1)
        else:
            found.append(Entity(place, place + 1, kind))
    return found


def score_entities(called: Sequence[Sequence[str]], true: Sequence[Sequence[str]]) -> EntityScore:
    """Compare the entities of sentences as they were called with those they have."""
    sides = [
        {(number, one) for number, labels in enumerate(side) for one in entities_of(labels)}
        for side in (called, true)
    ]
    right, said, are = len(sides[0] & sides[1]), len(sides[0]), len(sides[1])
    return EntityScore(
        precision=right / said if said else 0.0,
        recall=right / are if are else 0.0,
        f1=2 * right / (said + are) if said + are else 0.0,
        true=are,
        called=said,
        right=right,
    )
