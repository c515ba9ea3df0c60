"""Prepositions and postpositions, and which kinds of noun each goes with."""

from dragoman.data.grammar.lexicon.entries import Adverb, Postposition

# Where a thing can be with respect to another.
NEAR = Postposition("near", "के पास")
UNDER = Postposition("under", "के नीचे")
BEHIND = Postposition("behind", "के पीछे")
BEFORE = Postposition("in front of", "के सामने")
ON = Postposition("on", "पर")
ABOVE = Postposition("above", "के ऊपर")
IN = Postposition("in", "में")
OUTSIDE = Postposition("outside", "के बाहर")

WITH = Postposition("with", "के साथ")
FOR = Postposition("for", "के लिए")
BY_MEANS_OF = Postposition("with", "से")
BY = Postposition("by", "से")
FROM = Postposition("from", "से")

# Which kinds of noun each spatial word goes with: for a thing, and for somebody.
SPATIAL = {
    NEAR: ("opening", "furnishing"),
    UNDER: ("seat", "=table", "=tree"),
    ON: ("seat", "=table", "=shelf"),
    IN: ("=box", "=cupboard", "=room", "=kitchen", "=car"),
}
PERSONAL = {
    NEAR: ("=tree", "opening", "building", "water", "landmark", "home"),
    UNDER: ("=tree",),
    BEHIND: ("=tree", "=wall", "building", "home"),
    BEFORE: ("building", "home"),
    OUTSIDE: ("building", "home", "=room"),
}

# Where one can be and go without a noun.
HERE = Adverb("here", "यहाँ", frozenset())
THERE = Adverb("there", "वहाँ", frozenset())
AT_HOME = Adverb("at home", "घर पर", frozenset())
IN_THE_SKY = Adverb("in the sky", "आसमान में", frozenset())
