"""Determiners and numerals."""

from dragoman.data.corpus.generators.grammar.lexicon.entries import Determiner, rows
from dragoman.data.corpus.generators.grammar.lexicon.people import OWNERS

NUMERALS = """
two | दो
three | तीन
four | चार
five | पाँच
six | छह
seven | सात
eight | आठ
nine | नौ
ten | दस
eleven | ग्यारह
twelve | बारह
thirteen | तेरह
fourteen | चौदह
fifteen | पंद्रह
sixteen | सोलह
seventeen | सत्रह
eighteen | अठारह
nineteen | उन्नीस
twenty | बीस
thirty | तीस
forty | चालीस
fifty | पचास
sixty | साठ
seventy | सत्तर
eighty | अस्सी
ninety | नब्बे
"""

THE = Determiner("the", "", "spm")
A = Determiner("a", "एक", "s")
ONE = Determiner("one", "एक", "s")
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
OWNERS_POSSESSIVES = tuple(
    Determiner(english, hindi, "spm", owner=english) for english, hindi in rows(OWNERS)
)
QUANTIFIERS = (
    Determiner("many", "कई", "p"),
    Determiner("some", "कुछ", "p"),
    Determiner("some", "थोड़ा", "m"),
    Determiner("all the", "सभी", "p"),
    Determiner("every", "हर", "s"),
)
numerals = tuple(Determiner(english, hindi, "p") for english, hindi in rows(NUMERALS))

REFLEXIVE = "अपना"  # replaces a possessive that points back to the subject
DEMONSTRATIVE_WORDS = frozenset({"यह", "वह", "जो", "कोई"})
AGREEING_WORDS = frozenset(
    {REFLEXIVE, "थोड़ा", "कितना"} | {d.hindi for d in POSSESSIVES + OWNERS_POSSESSIVES}
)
