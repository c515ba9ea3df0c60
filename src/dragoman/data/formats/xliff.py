"""Translation files of the trade: XLIFF 1.2 and 2.x."""

from collections.abc import Iterator
from pathlib import Path

from dragoman.data.formats.languages import LanguagePair, choose
from dragoman.data.formats.markup import Element, child, local_name, read_elements, text_of
from dragoman.data.formats.pair import Numbered

FILE = ("source-language", "target-language")
ROOT = ("srcLang", "trgLang")


def read_xliff(path: Path, *, wanted: LanguagePair) -> Iterator[Numbered]:
    """Yield source and target of each `trans-unit` (1.2) or `segment` (2.x), with its number.

    Inline tags become the text inside them; states and approvals are not looked at. Where the file
    translates in the other direction than the recipe, the sides change places.
    """
    reverse, number = False, 0
    for element in read_elements(path, "xliff", ("trans-unit", "segment")):
        name = local_name(element)
        if name == "xliff":
            reverse = _reversed(element, ROOT, wanted)
            continue
        if name == "trans-unit":
            reverse = _reversed(next(element.iterancestors("{*}file"), None), FILE, wanted)
        number += 1
        source, target = (text_of(child(element, side)) for side in ("source", "target"))
        yield (number, target, source) if reverse else (number, source, target)


def _reversed(holder: Element | None, keys: tuple[str, str], wanted: LanguagePair) -> bool:
    if holder is None or not wanted.told:
        return False
    source, target = ([holder.get(key) or ""] for key in keys)
    same = choose(wanted.source, source) and choose(wanted.target, target)
    return not same and bool(choose(wanted.source, target) and choose(wanted.target, source))
