"""Hindi noun paradigms: direct and oblique, singular and plural.

Masculine in ा       लड़का  लड़के  लड़के      लड़कों
Masculine otherwise  घर     घर    घर        घरों      (आदमियों, भालुओं, राजाओं)
Feminine in ी, ि      लड़की  लड़की  लड़कियाँ   लड़कियों
Feminine in िया      चिड़िया चिड़िया चिड़ियाँ  चिड़ियों
Feminine otherwise   किताब  किताब  किताबें    किताबों   (कविताएँ, कविताओं)
"""

from functools import cache

VOWEL_SIGNS = "ािीुूृेैोौॉ"
VOWELS = "अआइईउऊएऐओऔ"
ENDINGS = (("आँ", "एँ"), ("िया", "िए"), ("इया", "इए"), ("ा", "े"), ("आ", "ए"))


def ends_in_consonant(word: str) -> bool:
    """Say whether a word ends in a consonant letter (the nukta belongs to it)."""
    return word[-1] not in VOWEL_SIGNS + VOWELS + "ँं"


@cache
def decline(word: str, feminine: bool, inflects: bool, plural: bool, oblique: bool) -> str:
    """Give one form of a noun from its citation form."""
    if not plural:
        return marked(word, oblique) if inflects and not feminine else word
    if oblique:
        return oblique_plural(word, inflects and not feminine)
    if feminine:
        return feminine_plural(word)
    return marked(word, True) if inflects else word


def marked(word: str, changed: bool) -> str:
    """Turn the final आ of a masculine noun into ए; leave every other ending alone."""
    if changed:
        for ending, replacement in ENDINGS:
            if word.endswith(ending):
                return word[: -len(ending)] + replacement
    return word


def feminine_plural(word: str) -> str:
    """Give the direct plural of a feminine noun."""
    if word.endswith("िया"):
        return word + "ँ"
    if word[-1] in "ीि":
        return word[:-1] + "ियाँ"
    if word[-1] == "ई":
        return word[:-1] + "इयाँ"
    if word[-1] == "ू":
        return word[:-1] + "ुएँ"
    if word[-1] == "ो":  # फ़ोटो does not change
        return word
    return word + ("ें" if ends_in_consonant(word) else "एँ")


def oblique_plural(word: str, inflects: bool) -> str:
    """Give the plural before a postposition, always in ओं."""
    if word.endswith("िया"):
        return word[:-1] + "ों"
    if word.endswith("आँ"):
        return word[:-2] + "ओं"
    if word[-1] in "ीि":
        return word[:-1] + "ियों"
    if word[-1] == "ई":
        return word[:-1] + "इयों"
    if word[-1] == "ू":
        return word[:-1] + "ुओं"
    return consonant_or_long(word, inflects)


def consonant_or_long(word: str, inflects: bool) -> str:
    """Give the oblique plural after a consonant or a final आ or ओ."""
    if word[-1] == "ो":  # रेडियो and other borrowings do not change
        return word
    if inflects and word[-1] == "ा":
        return word[:-1] + "ों"
    if inflects and word[-1] == "आ":
        return word[:-1] + "ओं"
    return word + ("ों" if ends_in_consonant(word) else "ओं")
