"""Nouns, adjectives, verbs and the rest, made from the rows of the tables."""

from dragoman.data.corpus.generators.grammar.agreement import FEMININE, MASCULINE
from dragoman.data.corpus.generators.grammar.lexicon.entries import (
    Adjective,
    Adverb,
    Feeling,
    Liking,
    Noun,
    Verb,
    Vocative,
)
from dragoman.data.corpus.generators.grammar.lexicon.tables import Row, kinds, rows


def gender(letter: str) -> bool:
    """Read the gender column of a table."""
    return {"m": MASCULINE, "f": FEMININE}[letter]


def nouns(table: str) -> tuple[Noun, ...]:
    """Read a table of nouns."""
    return tuple(noun(row) for row in rows(table))


def noun(row: Row) -> Noun:
    """Read a noun; `respect` asks for the plural of respect, `fixed` keeps its ending."""
    flags = row["flags"].split()
    return Noun(
        row["english"],
        row["plural"],
        row["hindi"],
        gender(row["gender"]),
        row["kind"],
        honorific="respect" in flags,
        inflects="fixed" not in flags,
        preposition=(row.get("at", ""), row.get("being", "")),
        goal=row.get("going", ""),
    )


def names() -> tuple[Noun, ...]:
    """Read the names of people."""
    return tuple(
        Noun(row["english"], "", row["hindi"], gender(row["gender"]), "name", inflects=False)
        for row in rows("names")
    )


def titled() -> tuple[Noun, ...]:
    """Make the titled people; a title always asks for respect."""
    people = []
    for row in rows("surnames"):
        english, hindi = row["english"], row["hindi"]
        for title, words, feminine in (
            (f"Mr. {english}", f"{hindi} जी", MASCULINE),
            (f"Mrs. {english}", f"श्रीमती {hindi}", FEMININE),
            (f"Dr. {english}", f"डॉक्टर {hindi}", MASCULINE),
        ):
            people.append(Noun(title, "", words, feminine, "name", honorific=True, inflects=False))
    return tuple(people)


def professions() -> tuple[Noun, ...]:
    """Read what one can be or become: the word for a man, and for a woman where it differs."""
    return tuple(
        Noun(
            row["english"],
            row["plural"],
            row["hindi"],
            MASCULINE,
            "profession",
            counterpart=row["woman"],
        )
        for row in rows("professions")
    )


def adjectives() -> tuple[Adjective, ...]:
    """Read the adjectives."""
    return tuple(
        Adjective(
            row["english"],
            row["comparative"],
            row["superlative"],
            row["hindi"],
            frozenset(kinds(row["suits"])),
            predicative=row["flags"] != "attributive",
        )
        for row in rows("adjectives")
    )


def verbs() -> tuple[Verb, ...]:
    """Read the verbs."""
    return tuple(verb(row) for row in rows("verbs"))


def verb(row: Row) -> Verb:
    """Read a verb."""
    flags = row["flags"].split()
    return Verb(
        row["english"],
        row["past"],
        row["participle"],
        row["hindi"],
        particle=row["particle"],
        nominal=row["nominal"],
        nominal_gender=gender(row["nominal_gender"]) if row["nominal_gender"] else None,
        nominal_inflects="nominal-inflects" in flags,
        ergative="ergative" in flags,
        vector=row["vector"],
        marker=row["marker"] or None,
        objects=tuple(row["objects"].split()),
        recipient=row["recipient"],
        extras=frozenset(row["extras"].split()),
        subjects=tuple(row["subjects"].split()),
        stative="stative" in flags,
        punctual="punctual" in flags,
        once="once" in flags,
        posture="posture" in flags,
        settled="settled" in flags,
        unkind="unkind" in flags,
        commands="uncommanded" not in flags,
    )


def adverbs(table: str) -> tuple[Adverb, ...]:
    """Read a table of adverbs; "never" asks for नहीं beside it."""
    return tuple(
        Adverb(
            row["english"],
            row["hindi"],
            frozenset(row["suits"].split()),
            negates=row["english"] == "never",
        )
        for row in rows(table)
    )


def likings() -> tuple[Liking, ...]:
    """Read the verbs whose English subject is a Hindi dative."""
    return tuple(
        Liking(
            row["english"],
            row["past"],
            row["participle"],
            tuple(row["objects"].split()),
            row["present"],
            row["perfective"],
        )
        for row in rows("likings")
    )


def feelings() -> tuple[Feeling, ...]:
    """Read the states one is in."""
    return tuple(
        Feeling(row["english"], row["verb"], row["hindi"], gender(row["gender"]))
        for row in rows("feelings")
    )


def vocatives() -> tuple[Vocative, ...]:
    """Read whom one speaks to."""
    return tuple(
        Vocative(row["english"], row["hindi"], row["address"], gender(row["gender"]))
        for row in rows("vocatives")
    )
