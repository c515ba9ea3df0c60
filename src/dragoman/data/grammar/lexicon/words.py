"""Nouns, adjectives, verbs and the rest, made from the rows of the tables."""

from dragoman.data.grammar.agreement import FEMININE, MASCULINE
from dragoman.data.grammar.lexicon.entries import (
    Adjective,
    Adverb,
    Event,
    Feeling,
    Liking,
    Link,
    Noun,
    Verb,
    Vocative,
)
from dragoman.data.grammar.lexicon.tables import Row, ontology, rows, words


def gender(letter: str) -> bool:
    """Read the gender column of a table."""
    return {"m": MASCULINE, "f": FEMININE}[letter]


def nouns(table: str) -> tuple[Noun, ...]:
    """Read a table of nouns."""
    return tuple(noun(row) for row in rows(table))


def noun(row: Row) -> Noun:
    """Read a noun; `respect` asks for the plural of respect, `fixed` keeps its ending."""
    flags = row["flags"].split() if "flags" in row else []
    sorts = ontology()[row["kind"]] | {"=" + row["english"]}
    return Noun(
        row["english"],
        row["plural"],
        row["hindi"],
        gender(row["gender"]),
        row["kind"],
        sorts | {"@" + sort for sort in row.get("sorts", "").split()},
        float(row["weight"] or 1),
        honorific="respect" in flags,
        inflects="fixed" not in flags and row["kind"] != "city",
        many="many" in flags,
        plural_in_hindi="plural" in flags,
        unique="unique" in flags,
        elder="elder" in flags,
        preposition=(row.get("at", ""), row.get("being", "")),
        goal=row.get("going", ""),
    )


def name(english: str, hindi: str, feminine: bool, honorific: bool = False) -> Noun:
    """Make the name of a person."""
    sorts = ontology()["name"] | {"=" + english}
    return Noun(english, "", hindi, feminine, "name", sorts, honorific=honorific, inflects=False)


def names() -> tuple[Noun, ...]:
    """Read the names of people."""
    return tuple(name(row["english"], row["hindi"], gender(row["gender"])) for row in rows("names"))


def titled() -> tuple[Noun, ...]:
    """Make the titled people; a title always asks for respect."""
    people = []
    for row in rows("surnames"):
        english, hindi = row["english"], row["hindi"]
        people += [
            name(f"Mr. {english}", f"{hindi} जी", MASCULINE, honorific=True),
            name(f"Mrs. {english}", f"श्रीमती {hindi}", FEMININE, honorific=True),
            name(f"Dr. {english}", f"डॉक्टर {hindi}", MASCULINE, honorific=True),
        ]
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
            row["class"],
            words(row["suits"]),
            row["compared"],
            attributive=row["flags"] not in ("predicative", "compared"),
            predicative=row["flags"] not in ("attributive", "compared"),
        )
        for row in rows("adjectives")
    )


def verbs() -> tuple[Verb, ...]:
    """Read the verbs."""
    return tuple(
        Verb(
            row["english"],
            row["past"],
            row["participle"],
            row["hindi"],
            particle=row["particle"],
            nominal=row["nominal"],
            nominal_gender=gender(row["nominal_gender"]) if row["nominal_gender"] else None,
            vector=row["vector"],
            marker=row["marker"] or None,
            recipient=row["recipient"],
            subjects=words(row["subjects"]),
            objects=words(row["objects"]),
            looks=words(row["looks"]),
            places=words(row["places"]),
            adjuncts=words(row["adjuncts"]),
            flags=words(row["flags"]),
            weight=float(row["weight"] or 1),
        )
        for row in rows("verbs")
    )


def adverbs(table: str) -> tuple[Adverb, ...]:
    """Read a table of adverbs; "never" asks for नहीं beside it."""
    return tuple(
        Adverb(
            row["english"],
            row["hindi"],
            words(row["suits"]),
            negates=row["english"] == "never",
            long=row.get("flags") == "long",
            hour=row.get("flags") == "hour",
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
            words(row["objects"]),
            row["present"],
            row["perfective"],
        )
        for row in rows("likings")
    )


def feelings() -> tuple[Feeling, ...]:
    """Read the states one is in."""
    return tuple(
        Feeling(
            row["english"],
            row["verb"],
            row["hindi"],
            row["future"],
            gender(row["gender"]),
            row["marker"],
        )
        for row in rows("feelings")
    )


def vocatives() -> tuple[Vocative, ...]:
    """Read whom one speaks to."""
    return tuple(
        Vocative(row["english"], row["hindi"], row["address"], gender(row["gender"]))
        for row in rows("vocatives")
    )


def events() -> dict[str, Event]:
    """Read the events that the tables of causes and sequences name."""
    return {
        row["event"]: Event(
            row["event"],
            row["type"],
            row["word"],
            words(row["objects"]),
            tuple(row["place"].split()),
        )
        for row in rows("events")
    }


def links(table: str, first: str, second: str) -> tuple[Link, ...]:
    """Read which event brings about or precedes which; "!" denies one."""
    return tuple(
        Link(row[first].lstrip("!"), then.lstrip("!"), row[first][0] == "!", then[0] == "!")
        for row in rows(table)
        for then in row[second].split()
    )
