"""Determiners and numerals."""

from dragoman.data.grammar.lexicon.entries import Determiner
from dragoman.data.grammar.lexicon.tables import rows

THE = Determiner("the", "", "spm")
A = Determiner("a", "एक", "s")
BARE = Determiner("", "", "pm")  # names, too, stand bare
DEMONSTRATIVES = (
    Determiner("this", "यह", "sm"),
    Determiner("that", "वह", "sm"),
    Determiner("these", "यह", "p"),
    Determiner("those", "वह", "p"),
)
RELATIVE = Determiner("the", "जो", "sp")  # the head of a relative clause that Hindi puts first
CORRELATIVE = Determiner("the", "वह", "sp")  # the head of one that Hindi puts last
ANY = Determiner("a", "कोई", "s")  # what "a" is in Hindi under a negation
HOW_MANY = Determiner("how many", "कितना", "p")
POSSESSIVES = (
    Determiner("my", "मेरा", "spm", owner="I"),
    Determiner("our", "हमारा", "spm", owner="we"),
    Determiner("your", "आपका", "spm", owner="you"),
    Determiner("his", "उसका", "spm", owner="he"),
    Determiner("her", "उसका", "spm", owner="she"),
    Determiner("their", "उनका", "spm", owner="they"),
)
OWN = Determiner("own", "अपना", "spm")  # the subject's: English says his, her, my
OWNERS_POSSESSIVES = tuple(
    Determiner(row["english"], row["hindi"], "spm", owner=row["english"]) for row in rows("owners")
)
SOME = (
    Determiner("many", "कई", "p"),
    Determiner("some", "कुछ", "p"),
    Determiner("some", "थोड़ा", "m"),
)
ALL = Determiner("all the", "सभी", "p")
EVERY = Determiner("every", "हर", "s")
numerals = tuple(Determiner(row["english"], row["hindi"], "p") for row in rows("numerals"))

REFLEXIVE = "अपना"  # replaces a possessive that points back to the subject
DEMONSTRATIVE_WORDS = frozenset({"यह", "वह", "जो", "कोई"})
AGREEING_WORDS = frozenset(
    {REFLEXIVE, "थोड़ा", "कितना"} | {d.hindi for d in POSSESSIVES + OWNERS_POSSESSIVES}
)
