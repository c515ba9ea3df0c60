"""Gender, number and person, on which Hindi verbs and adjectives agree."""

from typing import NamedTuple

MASCULINE = False
FEMININE = True


class Agreement(NamedTuple):
    """Agreement features of a word; आप and honorific nouns count as third person plural."""

    feminine: bool = MASCULINE
    plural: bool = False
    person: int = 3


DEFAULT = Agreement()  # what a verb falls back on when it may agree with nothing
