"""Translation memories: TMX 1.4, and the earlier ones that look the same."""

from collections.abc import Iterator
from pathlib import Path

from dragoman.data.formats.languages import LanguagePair, choose, name_the_languages, plain
from dragoman.data.formats.markup import (
    LANGUAGE,
    Element,
    child,
    local_name,
    read_elements,
    text_of,
)
from dragoman.data.formats.pair import Numbered


def read_tmx(path: Path, *, wanted: LanguagePair) -> Iterator[Numbered]:
    """Yield the two wanted languages of each translation unit that has both, with its number.

    Where the recipe names no languages and the file has just two, the header's `srclang` is the
    source. Units in other languages are passed over; if no unit has both, the file is refused.
    """
    languages = wanted if wanted.told else _languages(path)
    found: set[str] = set()
    matched = False
    for number, unit in enumerate(_units(path), 1):
        variants = _variants(unit)
        found |= variants.keys()
        source, target = choose(languages.source, variants), choose(languages.target, variants)
        if source is None or target is None or source == target:
            continue
        matched = True
        yield number, _segment(variants[source]), _segment(variants[target])
    if not matched:
        raise name_the_languages(str(path), found)


def _units(path: Path) -> Iterator[Element]:
    return (e for e in read_elements(path, "tmx", ("tu",)) if local_name(e) == "tu")


def _variants(unit: Element) -> dict[str, Element]:
    variants: dict[str, Element] = {}
    for variant in unit.iterchildren("{*}tuv"):
        variants.setdefault(variant.get(LANGUAGE) or variant.get("lang") or "", variant)
    return variants


def _segment(variant: Element) -> str:
    return text_of(child(variant, "seg"))


def _languages(path: Path) -> LanguagePair:
    """Look through the file for its two languages."""
    first = ""
    found: dict[str, str] = {}
    for element in read_elements(path, "tmx", ("header", "tu")):
        match local_name(element):
            case "header":
                first = element.get("srclang") or ""
            case "tu":
                found |= {plain(code): code for code in _variants(element)}
    source = choose(first, found.values())
    others = [code for code in found.values() if code != source]
    if source is None or len(others) != 1:
        raise name_the_languages(str(path), found.values())
    return LanguagePair(source, others[0])
