"""Devanagari in Latin letters, after ISO 15919, for pictures on machines without a font for it.

A consonant carries the vowel a until a vowel sign or the virama takes it away: क is ka, कि is ki,
क् is k. A piece of a word that begins with a vowel sign gives the vowel alone.
"""

from unicodedata import normalize

VIRAMA, NUKTA = "\u094d", "\u093c"

_CONSONANTS = {
    "क": "k", "ख": "kh", "ग": "g", "घ": "gh", "ङ": "ṅ",
    "च": "c", "छ": "ch", "ज": "j", "झ": "jh", "ञ": "ñ",
    "ट": "ṭ", "ठ": "ṭh", "ड": "ḍ", "ढ": "ḍh", "ण": "ṇ",
    "त": "t", "थ": "th", "द": "d", "ध": "dh", "न": "n",
    "प": "p", "फ": "ph", "ब": "b", "भ": "bh", "म": "m",
    "य": "y", "र": "r", "ल": "l", "व": "v",
    "श": "ś", "ष": "ṣ", "स": "s", "ह": "h", "ळ": "ḷ",
}  # fmt: skip
_WITH_NUKTA = {"क": "q", "ख": "k͟h", "ग": "ġ", "ज": "z", "ड": "ṛ", "ढ": "ṛh", "फ": "f", "य": "ẏ"}
_LETTERS = {
    "अ": "a", "आ": "ā", "इ": "i", "ई": "ī", "उ": "u", "ऊ": "ū", "ऋ": "r̥",
    "ऍ": "ê", "ए": "ē", "ऐ": "ai", "ऑ": "ô", "ओ": "ō", "औ": "au", "ॠ": "r̥̄",
}  # fmt: skip
_SIGNS = {
    "ा": "ā", "ि": "i", "ी": "ī", "ु": "u", "ू": "ū", "ृ": "r̥", "ॅ": "ê",
    "े": "ē", "ै": "ai", "ॉ": "ô", "ो": "ō", "ौ": "au", "ॄ": "r̥̄",
}  # fmt: skip
_OTHERS = {
    "ं": "ṁ", "ँ": "m̐", "ः": "ḥ", "ऽ": "’", "ॐ": "ōṁ", "।": ".", "॥": "..", "॰": ".",
    **{chr(0x966 + digit): str(digit) for digit in range(10)},
}  # fmt: skip


def is_devanagari(character: str) -> bool:
    """Whether a character belongs to the script's block."""
    return "\u0900" <= character <= "\u097f"


def transliterate(text: str) -> str:
    """Write the Devanagari of a text in Latin letters and leave all else as it is."""
    letters = normalize("NFD", text)  # one way to write क़ instead of two
    written: list[str] = []
    carries = False  # whether the last consonant still has its own vowel
    for position, letter in enumerate(letters):
        if letter in _CONSONANTS:
            following = letters[position + 1 : position + 2]
            dotted = _WITH_NUKTA.get(letter) if following == NUKTA else None
            written.append(("a" if carries else "") + (dotted or _CONSONANTS[letter]))
            carries = True
        elif letter == NUKTA:
            continue
        elif letter in _SIGNS or letter == VIRAMA:
            written.append(_SIGNS.get(letter, ""))
            carries = False
        else:
            other = _LETTERS.get(letter, _OTHERS.get(letter, letter))
            written.append(("a" if carries else "") + other)
            carries = False
    return normalize("NFC", "".join(written) + ("a" if carries else ""))
