"""Tagged sentences from the grammar of agreement, so that no file is needed.

    The     old     man     who      pulled   the     carts    was      already  tired
    DET-SG  ADJ-SG  NOUN-SG PRON-SG  VERB-SG  DET-PL  NOUN-PL  VERB-SG  ADV      ADJ-SG
    B-SG    I-SG    I-SG    O        O        B-PL    I-PL     O        O        O

A label has the part of speech and, for all that belongs to a noun, the number of that noun. `the`,
`old` and `pulled` are spelled alike in both numbers: what tells their number is a word further on
(the noun of a determiner or an adjective) or further back (the subject of a verb). So neither a
dictionary nor a network that reads one way can be right everywhere.
"""

from collections.abc import Sequence

from dragoman.config.tagging import GeneratedTags
from dragoman.data.corpus.generators.agreement import (
    DEEDS,
    EVENTS,
    PEOPLE,
    PLACES,
    QUALITIES,
    THINGS,
    VERBS,
    AgreementSentence,
    draw_agreements,
)
from dragoman.tasks.tagging.sentences import TaggedSentence

ENDINGS = {
    **dict.fromkeys(("already tired", "very old", "quite ill", "often sad"), "ADV ADJ-*"),
    **dict.fromkeys(("very proud", "never late", "rather sad"), "ADV ADJ-*"),
    **dict.fromkeys(("late again", "well again"), "ADJ-* ADV"),
    **dict.fromkeys(("already eaten", "never lied"), "ADV VERB-*"),
    "still here": "ADV ADV",
    "gone home": "VERB-* ADV",
    "at home": "ADP NOUN-SG",
    "no money": "DET-SG NOUN-SG",
    "a cold": "DET-SG NOUN-SG",
    "two sisters": "NUM-PL NOUN-PL",
}
"""The labels of what comes after the verb; * is the number of the subject."""

NOUNS = {form: "SG" for form, _ in (*PEOPLE, *THINGS)} | {
    form: "PL" for _, form in (*PEOPLE, *THINGS)
}
ABOUT_THE_SUBJECT = {
    "who": "PRON",
    **{form: "VERB" for forms in VERBS for form in forms},
    **{event.split()[0]: "VERB" for event in (*DEEDS, *EVENTS)},
}
"""Words that have the number of a subject before them."""

ABOUT_THE_NEXT = {"the": "DET", **dict.fromkeys(filter(None, QUALITIES), "ADJ")}
"""Words that have the number of the noun after them."""

WITHOUT_NUMBER = {
    "when": "CONJ",
    **{word: "ADP" for place in PLACES for word in place.split()},
    **{word: "ADV" for event in EVENTS for word in event.split()[1:]},
}

WITHIN = ("DET", "NUM", "ADJ")
"""Parts of speech that a noun phrase has before its noun."""


def draw_tagged(settings: GeneratedTags, seed: int) -> list[list[TaggedSentence]]:
    """Draw what is trained on, validated on and tested on; no sentence stands in two of them."""
    sizes = (settings.sentences, settings.held_out, settings.held_out)
    drawn = [_tagged(one) for one in draw_agreements(sum(sizes), seed=seed)]
    if settings.labels == "phrases":
        drawn = [TaggedSentence(one.words, phrases(one.labels)) for one in drawn]
    rest = iter(drawn)
    return [[next(rest) for _ in range(size)] for size in sizes]


def phrases(labels: Sequence[str]) -> tuple[str, ...]:
    """Mark noun phrases by what their words are: a noun and what stands before it within them."""
    found = ["O"] * len(labels)
    for place, label in enumerate(labels):
        part, _, number = label.partition("-")
        if part != "NOUN":
            continue
        begin = place
        while begin and labels[begin - 1].partition("-")[0] in WITHIN:
            begin -= 1
        found[begin : place + 1] = [f"B-{number}"] + [f"I-{number}"] * (place - begin)
    return tuple(found)


def _tagged(one: AgreementSentence) -> TaggedSentence:
    """Label the words of a drawn sentence, without the full stop."""
    number = {"singular": "SG", "plural": "PL"}
    before, rest = f"{one.text} {one.right}".split(), one.rest.removesuffix(".")
    labels = [_label(before, place, number[one.label]) for place in range(len(before))]
    labels += ENDINGS[rest].replace("*", number[one.label]).split()
    return TaggedSentence((*before, *rest.split()), tuple(labels))


def _label(words: Sequence[str], place: int, head: str) -> str:
    """Label a word up to the verb, which has the number of the head."""
    word = words[place].lower()
    if word in WITHOUT_NUMBER:
        return WITHOUT_NUMBER[word]
    if word in NOUNS:
        return f"NOUN-{NOUNS[word]}"
    if word in ABOUT_THE_NEXT:
        following = next(NOUNS[one] for one in words[place:] if one in NOUNS)
        return f"{ABOUT_THE_NEXT[word]}-{following}"
    if "when" in words[:place] and place < len(words) - 1:  # the verb of a clause of time
        head = next(NOUNS[one] for one in reversed(words[:place]) if one in NOUNS)
    return f"{ABOUT_THE_SUBJECT[word]}-{head}"
