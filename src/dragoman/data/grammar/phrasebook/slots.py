"""The words that fill the slots of the phrasebook, in both languages, with their agreement."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from dragoman.data.grammar.hindi.nouns import decline
from dragoman.data.grammar.lexicon.entries import Noun
from dragoman.data.grammar.lexicon.lexicon import WHOLE

DAYS = {
    "Monday": "सोमवार",
    "Tuesday": "मंगलवार",
    "Wednesday": "बुधवार",
    "Thursday": "गुरुवार",
    "Friday": "शुक्रवार",
    "Saturday": "शनिवार",
    "Sunday": "रविवार",
}
MEALS = {
    "breakfast": ("नाश्ता", "नाश्ते"),
    "lunch": ("दोपहर का खाना", "दोपहर के खाने"),
    "dinner": ("रात का खाना", "रात के खाने"),
}
# What each slot takes: kinds of noun, or single nouns.
SLOTS = {
    "name": "name",
    "city": "city",
    "place": "=bank =station =hospital =market =school =office =library =temple =hotel =college",
    "thing": "=pen =book =bag =ticket =key =umbrella =pencil =newspaper =map =box =bottle =camera",
    "cloth": "=shirt =sari =coat =sweater =cap =dress =jacket",
    "gadget": "=phone =radio =computer =fan =television =camera =mobile =fridge",
    "fruit": "=apple =mango =banana =orange =guava =papaya =lemon",
    "food": "=rice =food =bread =curd =soup =fish =chicken =paneer =chocolate =cake",
    "drink": "drinkable",
    "vegetable": "=potato =onion =tomato =carrot =cauliflower",
    "kin": "kin",
    "animal": "pet farm =monkey =elephant =rabbit =bird",
    "pet": "=dog =cat =cow =parrot",
    "beast": "=dog =snake =monkey =buffalo",
    "garment": "=shirt =coat =sweater =cap =jacket",
    "counter": "=bank =library =market =school =office =shop =post",
    "appliance": "=radio =computer =fan =television",
    "language": "language",
    "sport": "sport",
    "subject": "subject",
}
NUMBERS = {"number": slice(None), "age": slice(8, None), "few": slice(0, 5)}
UNKIND = frozenset({"husband", "wife", "parents"})  # kin that few templates suit


@dataclass(frozen=True)
class Fill:
    """A word for a slot."""

    english: str
    hindi: str
    oblique: str
    agreement: int = 0  # masculine, feminine, then both with respect

    def form(self, oblique: bool) -> str:
        """Give the Hindi form."""
        return self.oblique if oblique else self.hindi


@cache
def fills(slot: str) -> tuple[Fill, ...]:
    """List the words of a slot."""
    if slot in NUMBERS:
        return tuple(Fill(n.english, n.hindi, n.hindi) for n in WHOLE.numerals[NUMBERS[slot]])
    if slot == "hour":
        hours = [("one", "एक"), *[(n.english, n.hindi) for n in WHOLE.numerals[:11]]]
        return tuple(Fill(english, hindi, hindi) for english, hindi in hours)
    if slot == "day":
        return tuple(Fill(english, hindi, hindi) for english, hindi in DAYS.items())
    if slot == "meal":
        return tuple(Fill(english, *forms) for english, forms in MEALS.items())
    if slot == "job":
        return tuple(_fill(noun) for noun in WHOLE.professions)
    return tuple(_fill(noun) for noun in _nouns(slot))


def _nouns(slot: str) -> Iterable[Noun]:
    wanted = frozenset(SLOTS[slot].split())
    everything = (
        *WHOLE.names,
        *WHOLE.kin,
        *WHOLE.animals,
        *WHOLE.things,
        *WHOLE.named,
        *WHOLE.places,
        *WHOLE.cities,
    )
    return [n for n in everything if n.sorts & wanted and n.english not in UNKIND]


def _fill(noun: Noun) -> Fill:
    oblique = decline(noun.hindi, noun.feminine, noun.inflects, False, True)
    return Fill(noun.english, noun.hindi, oblique, int(noun.feminine) + 2 * noun.honorific)
