"""Hindi verb forms made from the stem: participles, future, infinitive, imperative, होना."""

from functools import cache

from dragoman.data.grammar.agreement import Agreement
from dragoman.data.grammar.hindi.nouns import ends_in_consonant

IRREGULAR_PERFECTIVE = {
    "जा": ("गया", "गए", "गई", "गईं"),
    "कर": ("किया", "किए", "की", "कीं"),
    "दे": ("दिया", "दिए", "दी", "दीं"),
    "ले": ("लिया", "लिए", "ली", "लीं"),
    "पी": ("पिया", "पिए", "पी", "पीं"),
    "सी": ("सिया", "सिए", "सी", "सीं"),
    "हो": ("हुआ", "हुए", "हुई", "हुईं"),
}
IRREGULAR_FUTURE = {  # the stem before गा for मैं, for the singular, the plural and तुम
    "दे": ("दूँ", "दे", "दें", "दो"),
    "ले": ("लूँ", "ले", "लें", "लो"),
    "हो": ("होऊँ", "हो", "हों", "हो"),
}
IRREGULAR_POLITE = {"कर": "कीजिए", "दे": "दीजिए", "ले": "लीजिए", "पी": "पीजिए", "सी": "सीजिए"}


def shorten(stem: str) -> str:
    """Shorten a final ी or ू before a vowel: पी gives पिए, छू gives छुए."""
    return {"ी": stem[:-1] + "ि", "ू": stem[:-1] + "ु"}.get(stem[-1], stem)


@cache
def perfective(stem: str, feminine: bool, plural: bool, nasal: bool) -> str:
    """Give the perfective participle; `nasal` marks a feminine plural that ends its clause."""
    index = 2 + (plural and nasal) if feminine else int(plural)
    if stem in IRREGULAR_PERFECTIVE:
        return IRREGULAR_PERFECTIVE[stem][index]
    if ends_in_consonant(stem):
        return stem + ("ा", "े", "ी", "ीं")[index]
    if stem[-1] == "ू":
        return shorten(stem) + ("आ", "ए", "ई", "ईं")[index]
    return stem + ("या", "ए", "ई", "ईं")[index]


@cache
def imperfective(stem: str, feminine: bool, plural: bool, nasal: bool) -> str:
    """Give the imperfective participle: खाता, खाते, खाती, and खातीं with no auxiliary."""
    index = 2 + (plural and nasal) if feminine else int(plural)
    return stem + ("ता", "ते", "ती", "तीं")[index]


@cache
def future(stem: str, agreement: Agreement) -> str:
    """Give the future, which agrees in person, number and gender."""
    feminine, plural, person = agreement
    column = {1: 2 if plural else 0, 2: 3}.get(person, 2 if plural else 1)
    masculine = "गे" if plural or person == 2 else "गा"
    ending = "गी" if feminine else masculine
    return subjunctive(stem, column) + ending


def subjunctive(stem: str, column: int) -> str:
    """Give the stem of the future: जाऊँ, जाए, जाएँ, जाओ."""
    if stem in IRREGULAR_FUTURE:
        return IRREGULAR_FUTURE[stem][column]
    if ends_in_consonant(stem):
        return stem + ("ूँ", "े", "ें", "ो")[column]
    return shorten(stem) + ("ऊँ", "ए", "एँ", "ओ")[column]


def infinitive(stem: str, feminine: bool = False, changed: bool = False) -> str:
    """Give the infinitive, which agrees like an adjective: करना, करने, करनी."""
    return stem + ("नी" if feminine else "ने" if changed else "ना")


@cache
def imperative(stem: str, address: str) -> str:
    """Give the command to a तू, a तुम or an आप."""
    if address == "तू":
        return stem
    if address == "तुम":
        return {"पी": "पियो", "सी": "सियो"}.get(stem) or subjunctive(stem, 3)
    if stem in IRREGULAR_POLITE:
        return IRREGULAR_POLITE[stem]
    return stem + "िए" if ends_in_consonant(stem) else shorten(stem) + "इए"


def present(agreement: Agreement) -> str:
    """Give the present of होना: हूँ, है, हो, हैं."""
    if agreement.person == 2:
        return "हो"
    if agreement.plural:
        return "हैं"
    return "हूँ" if agreement.person == 1 else "है"


def past(agreement: Agreement) -> str:
    """Give the past of होना: था, थे, थी, थीं."""
    if agreement.feminine:
        return "थीं" if agreement.plural else "थी"
    return "थे" if agreement.plural or agreement.person == 2 else "था"
