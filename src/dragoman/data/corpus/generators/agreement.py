"""Subject and verb: the verb agrees with a noun far back, and other nouns stand in between.

    The man who pulled the carts when the kings arrived  was | were  already tired.
        ▲ head             ▲ distractors  ▲              right wrong

Each noun in between is singular or plural by chance; those whose number is not the head's draw the
verb to the wrong form. All other verbs are in the past, which says nothing of number.
"""

from random import Random
from typing import Literal, NamedTuple

from dragoman.core.errors import DataError
from dragoman.data.corpus.generators.sampling import draw_distinct

Number = Literal["singular", "plural"]

MOST_DISTRACTORS = 4

Noun = tuple[str, str]
"""Singular and plural."""

PEOPLE: tuple[Noun, ...] = (
    *(("man", "men"), ("woman", "women"), ("boy", "boys"), ("girl", "girls"), ("king", "kings")),
    *(("queen", "queens"), ("farmer", "farmers"), ("teacher", "teachers"), ("thief", "thieves")),
    *(("soldier", "soldiers"), ("child", "children"), ("nurse", "nurses"), ("guest", "guests")),
    *(("driver", "drivers"), ("tailor", "tailors"), ("poet", "poets"), ("lady", "ladies")),
    *(("doctor", "doctors"), ("merchant", "merchants"), ("student", "students")),
)
THINGS: tuple[Noun, ...] = (
    *(("cart", "carts"), ("box", "boxes"), ("chair", "chairs"), ("horse", "horses")),
    *(("boat", "boats"), ("bag", "bags"), ("table", "tables"), ("basket", "baskets")),
    *(("wagon", "wagons"), ("bench", "benches"), ("ladder", "ladders"), ("barrel", "barrels")),
)
QUALITIES = ("", "old", "young", "tall", "rich", "poor", "clever", "brave", "lazy", "famous")
DEEDS = ("pulled", "pushed", "saw", "bought", "sold", "painted", "lost", "found", "moved", "hid")
PLACES = ("near", "behind", "beside", "in front of", "close to", "not far from")
EVENTS = ("arrived", "left", "fell asleep", "sat down", "cried", "laughed", "came back", "sang")
VERBS = (("is", "are"), ("was", "were"), ("has", "have"))
"""Singular and plural."""

ENDINGS = {
    "is": ("already tired", "very old", "still here", "quite ill", "never late", "often sad"),
    "was": ("already tired", "very proud", "late again", "rather sad", "well again", "at home"),
    "has": ("no money", "two sisters", "already eaten", "gone home", "a cold", "never lied"),
}


class AgreementSentence(NamedTuple):
    """A sentence up to its verb, the right and the wrong form of the verb, and the rest."""

    text: str
    label: Number
    right: str
    wrong: str
    rest: str
    distractors: int
    """Nouns between the head and the verb …"""
    attractors: int
    """… and those among them whose number is not the head's."""

    @property
    def good(self) -> str:
        """The whole sentence as it should be."""
        return f"{self.text} {self.right} {self.rest}"

    @property
    def bad(self) -> str:
        """The whole sentence with the wrong form of the verb."""
        return f"{self.text} {self.wrong} {self.rest}"


def draw_agreements(
    count: int, *, seed: int, distractors: int | None = None, opposite: bool = False
) -> list[AgreementSentence]:
    """Draw distinct sentences with so many distractors; without a number, with 0 to 4 of them.

    With `opposite` every distractor has the other number than the head.
    """
    if distractors is not None and not 0 <= distractors <= MOST_DISTRACTORS:
        raise DataError(f"distractors {distractors}: have 0 to {MOST_DISTRACTORS} of them.")

    def make(random: Random) -> AgreementSentence:
        between = random.randint(0, MOST_DISTRACTORS) if distractors is None else distractors
        return _make(random, between, opposite)

    return draw_distinct(make, count, seed=f"agreement/{distractors}/{opposite}/{seed}")


def _make(random: Random, distractors: int, opposite: bool) -> AgreementSentence:
    plural = random.random() < 0.5
    others = [plural ^ (opposite or random.random() < 0.5) for _ in range(distractors)]
    head = f"{random.choice(QUALITIES)} {random.choice(PEOPLE)[plural]}".strip()
    verb = random.choice(VERBS)
    ending = random.choice(ENDINGS[verb[0]])
    return AgreementSentence(
        text=" ".join(["The", head, *_between(random, others)]),
        label="plural" if plural else "singular",
        right=verb[plural],
        wrong=verb[not plural],
        rest=f"{ending}.",
        distractors=distractors,
        attractors=sum(other != plural for other in others),
    )


def _between(random: Random, plurals: list[bool]) -> list[str]:
    """Say something between head and verb that has one noun for each number asked for."""
    said: list[str] = []
    places = random.sample(PLACES, len(plurals))
    for place, plural in enumerate(plurals):
        last = place == len(plurals) - 1
        if place == 0 and random.random() < 0.5:
            said += ["who", random.choice(DEEDS), "the", random.choice(THINGS)[plural]]
        elif last and said and random.random() < 0.5:
            person, event = random.choice(PEOPLE)[plural], random.choice(EVENTS)
            said += ["when", "the", person, event]
        else:
            said += [places[place], "the", random.choice((*PEOPLE, *THINGS))[plural]]
    return said
