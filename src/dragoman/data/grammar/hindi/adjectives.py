"""Hindi adjectives: those in ा agree (अच्छा, अच्छे, अच्छी), the others never change."""

from functools import cache

INVARIABLE = frozenset({"बढ़िया", "ज़्यादा", "पैदा", "युवा"})  # they end in ा but do not agree


@cache
def inflect(words: str, feminine: bool, changed: bool) -> str:
    """Agree word by word; `changed` is true in the masculine plural and oblique."""
    return " ".join(inflect_word(word, feminine, changed) for word in words.split())


def inflect_word(word: str, feminine: bool, changed: bool) -> str:
    """Agree one word: लाल stays, बड़ा becomes बड़े or बड़ी, नया becomes नए or नई."""
    if word in INVARIABLE or word[-1] not in "ाआ" or not (feminine or changed):
        return word
    if word.endswith("या"):
        return word[:-2] + ("ई" if feminine else "ए")
    if word.endswith("आ"):
        return word[:-1] + ("ई" if feminine else "ए")
    return word[:-1] + ("ी" if feminine else "े")
