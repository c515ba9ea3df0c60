"""Places, with how each language says being there and going there."""

from dragoman.data.corpus.generators.grammar.lexicon.entries import (
    Noun,
    Postposition,
    gender,
    rows,
)

# English | plural | Hindi | gender | kind | being there (English, Hindi) | going there (Hindi)
PLACES = """
house | houses | घर | m | place | in | में |
room | rooms | कमरा | m | place | in | में | में
garden | gardens | बग़ीचा | m | place | in | में | में
school | schools | स्कूल | m | place | in | में |
market | markets | बाज़ार | m | area | in | में |
village | villages | गाँव | m | area | in | में |
city | cities | शहर | m | area | in | में |
temple | temples | मंदिर | m | place | in | में |
hospital | hospitals | अस्पताल | m | place | in | में |
forest | forests | जंगल | m | area | in | में | में
kitchen | kitchens | रसोई | f | place | in | में | में
field | fields | खेत | m | area | in | में | में
office | offices | दफ़्तर | m | place | in | में |
station | stations | स्टेशन | m | place | at | पर |
shop | shops | दुकान | f | place | at | पर | पर
library | libraries | पुस्तकालय | m | place | in | में |
palace | palaces | महल | m | place | in | में | में
factory | factories | कारख़ाना | m | place | in | में | में
river | rivers | नदी | f | water | in | में | पर
bridge | bridges | पुल | m | landmark | on | पर | पर
well | wells | कुआँ | m | landmark | at | पर | पर
"""

CITIES = """
Delhi | दिल्ली | f
Mumbai | मुंबई | f
Agra | आगरा | m
Jaipur | जयपुर | m
Kolkata | कोलकाता | m
"""

places = tuple(
    Noun(english, plural, hindi, gender(letter), kind, preposition=(at, being), goal=going)
    for english, plural, hindi, letter, kind, at, being, going in rows(PLACES)
)
cities = tuple(
    Noun(english, "", hindi, gender(letter), "city", inflects=False, preposition=("in", "में"))
    for english, hindi, letter in rows(CITIES)
)

# The places somebody can call his own.
OWNED = frozenset({"house", "room", "garden", "school", "village", "office", "shop", "field"})

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
