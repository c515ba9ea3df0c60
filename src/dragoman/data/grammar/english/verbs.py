"""English verb forms, the verb group of each tense, and do-support."""

from functools import cache

from dragoman.data.grammar.lexicon.entries import Verb
from dragoman.data.grammar.tenses import Tense

DOUBLING = frozenset(
    {"sit", "run", "swim", "cut", "stop", "get", "forget", "begin", "put", "win", "hug", "travel"}
)
BE_PRESENT = {"I": "am", "he": "is"}
BE_PAST = {"I": "was", "he": "was"}


def third(base: str) -> str:
    """Give the third person singular: goes, cries, washes, plays."""
    if base == "have":
        return "has"
    if base.endswith(("s", "sh", "ch", "x", "o")):
        return base + "es"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ies"
    return base + "s"


def gerund(base: str) -> str:
    """Give the form in -ing: sitting, lying, coming, seeing."""
    if base in DOUBLING:
        return base + base[-1] + "ing"
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith("ee"):
        return base[:-1] + "ing"
    return base + "ing"


def article(following: str) -> str:
    """Choose between "a" and "an" by the sound of the next word."""
    return "an" if following[0] in "aeiou" or following == "honest" else "a"


def be(person: str, past: bool = False) -> str:
    """Give the form of "be" for I, he (any singular) or they (any plural)."""
    return BE_PAST.get(person, "were") if past else BE_PRESENT.get(person, "are")


@cache
def group(verb: Verb, tense: Tense, person: str, support: bool) -> tuple[str, str, str]:
    """Give auxiliary, modal words and main verb; `support` asks for an auxiliary in any case."""
    have = "has" if person == "he" else "have"
    do = "does" if person == "he" else "do"
    base, participle, progressive = verb.english, verb.participle, gerund(verb.english)
    fixed = {
        Tense.USED_TO: ("", "used to", base),
        Tense.PROGRESSIVE: (be(person), "", progressive),
        Tense.PAST_PROGRESSIVE: (be(person, past=True), "", progressive),
        Tense.PERFECT: (have, "", participle),
        Tense.PLUPERFECT: ("had", "", participle),
        Tense.FUTURE: ("will", "", base),
        Tense.REPORTED_FUTURE: ("would", "", base),
        Tense.CAN: ("can", "", base),
        Tense.WAS_ABLE: (be(person, past=True), "able to", base),
        Tense.HAVE_TO: ("", f"{have} to", base),
        Tense.HAD_TO: ("", "had to", base),
        Tense.MUST: ("", "must", base),
        Tense.SHOULD: ("should", "", base),
        Tense.BEGAN: ("", "began to", base),
        Tense.ALREADY: (have, "already", participle),
        Tense.HAD_IF: ("had", "", participle),
        Tense.WOULD_HAVE: ("would", "have", participle),
    }
    if tense in fixed:
        return fixed[tense]
    if tense is Tense.PAST:
        return ("did", "", base) if support else ("", "", verb.past)
    if tense is Tense.WANT:
        return (do, "want to", base) if support else ("", f"{plain('want', person)} to", base)
    return (do, "", base) if support else ("", "", plain(base, person))


def plain(base: str, person: str) -> str:
    """Give the simple present."""
    return third(base) if person == "he" else base
