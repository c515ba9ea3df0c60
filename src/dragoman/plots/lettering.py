"""Labels that can be read: in a font that has their letters, or else written another way.

Matplotlib brings DejaVu Sans, which has no Devanagari. Where another installed font has what is
missing, it stands in; where none has, Devanagari is written in Latin letters and any other missing
character as □, and a note says so. From 3.11 Matplotlib joins letters properly (libraqm); before
that Devanagari would come out as loose pieces, so it is written in Latin letters there too.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from unicodedata import category

from dragoman.plots.transliterate import is_devanagari, transliterate

BASE = "DejaVu Sans"
STAND_INS = (
    "Noto Sans Devanagari", "Noto Serif Devanagari", "Lohit Devanagari", "Kohinoor Devanagari",
    "Nirmala UI", "Mangal", "Mukta", "Hind", "Poppins", "FreeSans", "Noto Sans",
    "Noto Sans CJK SC", "Noto Sans CJK JP", "Microsoft YaHei", "PingFang SC", "Noto Sans Arabic",
    "Noto Emoji", "Segoe UI Symbol", "Arial Unicode MS", "Unifont",
)  # fmt: skip
MISSING = "□"
LONGEST = 20

_VISIBLE = str.maketrans({"\n": "⏎", "\t": "⇥", "\r": "⏎", " ": "␣", "\u00a0": "␣"})


@dataclass(frozen=True, slots=True)
class Lettering:
    """Labels ready to be drawn, the fonts to draw them in and what must be said about them."""

    labels: tuple[str, ...]
    families: tuple[str, ...]
    note: str


def letter(labels: Sequence[str]) -> Lettering:
    """Find fonts for some labels, and rewrite what no font has."""
    needed = {character for label in labels for character in label}
    families, missing = _fonts_for(needed)
    written = tuple(_written(label, missing) for label in labels)
    lost = {character for character in missing if not _unseen(character)}
    notes = []
    if any(is_devanagari(character) for character in lost):
        notes.append("Devanagari is written in Latin letters (ISO 15919)")
    if any(MISSING in new and MISSING not in old for new, old in zip(written, labels, strict=True)):
        notes.append(f"{MISSING} is a character without a font")
    return Lettering(written, families, "; ".join(notes))


def visible(token: str) -> str:
    """Make a token fit for a label: blanks shown, a long one cut."""
    shown = token.translate(_VISIBLE)
    return shown if len(shown) <= LONGEST else shown[: LONGEST - 1] + "…"


def _fonts_for(needed: set[str]) -> tuple[tuple[str, ...], set[str]]:
    """Return the base font and its stand-ins, and the characters that none of them has."""
    families = [BASE]
    missing = {character for character in needed if ord(character) not in _characters(BASE)}
    out_of_reach = set() if _joins_letters() else set(filter(is_devanagari, missing))
    missing -= out_of_reach
    for family in STAND_INS:
        if not missing:
            break
        has = _characters(family)
        found = {character for character in missing if ord(character) in has}
        if found:
            families.append(family)
            missing -= found
    return tuple(families), missing | out_of_reach


def _written(label: str, missing: Iterable[str]) -> str:
    lost = set(label) & set(missing)
    if any(is_devanagari(character) for character in lost):
        label = transliterate(label)
    have = _characters(BASE)
    return "".join(
        each if each not in missing or ord(each) in have else "" if _unseen(each) else MISSING
        for each in label
    )


def _unseen(character: str) -> bool:
    """Whether a character has no shape of its own: joiners, selectors, controls."""
    return category(character) in {"Cf", "Cc", "Mn"} and not is_devanagari(character)


def _joins_letters() -> bool:
    from matplotlib import ft2font

    return hasattr(ft2font, "__libraqm_version__")


@lru_cache(maxsize=64)
def _characters(family: str) -> frozenset[int]:
    """Return the characters an installed font has, none if it is not installed."""
    from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font

    if family not in {entry.name for entry in fontManager.ttflist}:
        return frozenset()
    return frozenset(get_font(findfont(FontProperties(family=family))).get_charmap())
