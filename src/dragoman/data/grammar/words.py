"""Words in order, each with the tag of the tree node it came from.

Words of the two languages that carry the same tag are aligned. A tag is the base of a slot plus
the role of the word in it, so that a phrase need not know where in the sentence it stands.
"""

from collections import defaultdict

Words = list[tuple[str, int]]

NOWHERE = -1  # a word that answers to nothing in the other language

# Roles inside a noun phrase.
DETERMINER, ADJECTIVE, NOUN, POSTPOSITION, DEGREE = range(5)

# Slots of a clause, and the distance between two clauses.
SUBJECT, OBJECT, RECIPIENT, ADJUNCT, TIME, MANNER = 10, 20, 30, 40, 50, 51
VERB, AUXILIARY, NEGATION, MODAL, QUESTION, FREQUENCY = 60, 61, 62, 63, 64, 65
LINK, INNER_LINK, VOCATIVE, PLEASE = 70, 71, 72, 73

# The bases of clauses. A sentence has a main clause at 0, a second one at CLAUSE and, inside it, an
# arrival; where two clauses stand in the place of one, the second is COORDINATE further on, so
# that no two clauses of a sentence share their tags.
CLAUSE, COORDINATE, ARRIVAL = 100, 200, 1000
SENTENCE = 10_000  # the distance between two sentences that stand in the place of one


def spell(text: str, tag: int) -> Words:
    """Give every word of a text the same tag."""
    if " " not in text:
        return [(text, tag)] if text else []
    return [(word, tag) for word in text.split()]


def shift(words: Words, distance: int) -> Words:
    """Move the tags of words away from those of others."""
    return [(word, tag if tag == NOWHERE else tag + distance) for word, tag in words]


def comma(words: Words) -> Words:
    """Attach a comma to the last word."""
    *head, (word, tag) = words
    return [*head, (word + ",", tag)]


def sentence(words: Words, stop: str) -> str:
    """Join the words, capital first, stop last."""
    text = " ".join([word for word, _ in words])
    return text[0].upper() + text[1:] + stop


def align(source: Words, target: Words) -> tuple[tuple[int, int], ...]:
    """Pair the words that share a tag."""
    places = defaultdict(list)
    for position, (_, tag) in enumerate(target):
        places[tag].append(position)
    return tuple(
        (position, other)
        for position, (_, tag) in enumerate(source)
        if tag >= 0
        for other in places.get(tag, ())
    )
