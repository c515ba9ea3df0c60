"""Hindi pronouns by case, and the demonstratives that stand before a noun."""

from functools import cache

from dragoman.data.grammar.hindi.adjectives import inflect

# direct, before ने, for को, before other postpositions, genitive
PRONOUNS = {
    "मैं": ("मैं", "मैंने", "मुझे", "मुझ", "मेरा"),
    "तू": ("तू", "तूने", "तुझे", "तुझ", "तेरा"),
    "तुम": ("तुम", "तुमने", "तुम्हें", "तुम", "तुम्हारा"),
    "आप": ("आप", "आपने", "आपको", "आप", "आपका"),
    "हम": ("हम", "हमने", "हमें", "हम", "हमारा"),
    "वह": ("वह", "उसने", "उसे", "उस", "उसका"),
    "यह": ("यह", "इसने", "इसे", "इस", "इसका"),
    "ये": ("ये", "इन्होंने", "इन्हें", "इन", "इनका"),
    "वे": ("वे", "उन्होंने", "उन्हें", "उन", "उनका"),
    "कौन": ("कौन", "किसने", "किसे", "किस", "किसका"),
    "क्या": ("क्या", "किसने", "किसे", "किस", "किसका"),
    "जो": ("जो", "जिसने", "जिसे", "जिस", "जिसका"),
    "जो लोग": ("जो", "जिन्होंने", "जिन्हें", "जिन", "जिनका"),
}

# direct singular, direct plural, oblique singular, oblique plural
DEMONSTRATIVES = {
    "यह": ("यह", "ये", "इस", "इन"),
    "वह": ("वह", "वे", "उस", "उन"),
    "जो": ("जो", "जो", "जिस", "जिन"),
    "कोई": ("कोई", "कोई", "किसी", "किन्हीं"),
}


@cache
def pronoun(name: str, marker: str) -> tuple[str, ...]:
    """Give a pronoun with a postposition; the pronoun itself is always the first word."""
    direct, ergative, dative, oblique, genitive = PRONOUNS[name]
    plain = {"": direct, "ने": ergative, "को": dative}
    if marker in plain:
        return (plain[marker],)
    first, *rest = marker.split()
    if first in ("का", "के", "की"):
        return (inflect(genitive, first == "की", first == "के"), *rest)
    if first in ("पर", "तक"):
        return (oblique, *marker.split())
    return (oblique + first, *rest)


def demonstrative(name: str, plural: bool, oblique: bool) -> str:
    """Give यह, वह or जो as it stands before a noun."""
    return DEMONSTRATIVES[name][2 * oblique + plural]
