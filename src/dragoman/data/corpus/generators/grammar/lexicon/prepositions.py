"""Prepositions of place, and which kinds of noun each goes with."""

from dragoman.data.corpus.generators.grammar.lexicon.entries import Postposition

# Where a thing can be with respect to another.
NEAR = Postposition("near", "के पास")
UNDER = Postposition("under", "के नीचे")
BEHIND = Postposition("behind", "के पीछे")
BEFORE = Postposition("in front of", "के सामने")
ON = Postposition("on", "पर")
ABOVE = Postposition("above", "के ऊपर")
INSIDE = Postposition("inside", "के अंदर")
OUTSIDE = Postposition("outside", "के बाहर")

WITH = Postposition("with", "के साथ")
FOR = Postposition("for", "के लिए")
BY_MEANS_OF = Postposition("with", "से")
FROM = Postposition("from", "से")
AS_FAR_AS = Postposition("as far as", "तक")

# Which kinds of noun each spatial word goes with: for a thing, and for somebody.
SPATIAL = {
    NEAR: ("tree", "opening", "wall", "place", "area", "furniture", "seat", "water", "landmark"),
    UNDER: ("tree", "furniture", "seat"),
    BEHIND: ("tree", "wall", "place", "furniture", "seat"),
    BEFORE: ("place", "opening"),
    ON: ("furniture", "seat"),
    INSIDE: ("container",),
    OUTSIDE: ("place",),
}
PERSONAL = {
    NEAR: ("tree", "opening", "place", "area", "water", "landmark"),
    UNDER: ("tree",),
    BEHIND: ("tree", "wall", "place"),
    BEFORE: ("place",),
    ON: ("seat",),
    OUTSIDE: ("place",),
}
