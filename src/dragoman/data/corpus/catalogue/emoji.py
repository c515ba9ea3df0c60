"""Emoji as images with captions: what Google drew, and what Unicode calls it in each language.

1f600.png …                64 × 64, named by its code points
en.tsv, hi.tsv             a row for each image without a skin tone: image, caption, keywords,
                           language, group
en-tones.tsv, hi-tones.tsv the same for those with a skin tone

Images that differ in skin tone, gender or direction only are of one group.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from dragoman.core.errors import DataError
from dragoman.data.corpus.catalogue.archives import read_member, read_members
from dragoman.data.formats.captioned import COLUMNS, join_keywords

LIST = "package/emoji.json"
PICTURES = "package/img/google/64/"
LANGUAGES = ("en", "hi")
NAMED = {
    "annotations": "package/annotations/{}/annotations.json",
    "annotationsDerived": "package/annotationsDerived/{}/annotations.json",
}
SELECTOR = "FE0F"
"""Asks for an image instead of a letter; the tables of names leave it out."""

PASSED_OVER = frozenset(
    (SELECTOR, "200D", "2640", "2642", "27A1", "2194", "2195")
    + ("1F3FB", "1F3FC", "1F3FD", "1F3FE", "1F3FF")
)
"""Joins, genders, directions and skin tones, which do not make another group."""

ALIKE = {
    **dict.fromkeys(("1F468", "1F469", "1F9D1"), "person"),
    **dict.fromkeys(("1F466", "1F467", "1F9D2"), "child"),
    **dict.fromkeys(("1F474", "1F475", "1F9D3"), "old person"),
    **dict.fromkeys(("1F478", "1F934", "1FAC5"), "crown"),
    **dict.fromkeys(("1F483", "1F57A"), "dancing"),
    **dict.fromkeys(("1F930", "1FAC3", "1FAC4"), "pregnant"),
}
"""Code points that are the man, the woman or the person of one image."""

SAME = {
    **dict.fromkeys(("1F385", "1F936", "person 1F384"), "Christmas"),
    **dict.fromkeys(("1F46B", "1F46C", "1F46D", "person 1F91D person"), "holding hands"),
    **dict.fromkeys(("1F48F", "person 2764 1F48B person"), "kiss"),
    **dict.fromkeys(("1F491", "person 2764 person"), "couple"),
    **dict.fromkeys(("1F931", "person 1F37C"), "feeding"),
    "1F46A": "family",
}
"""Whole sequences that are variants of one image."""


class Emoji(NamedTuple):
    """One image of the list."""

    unified: str
    """Its code points, as `1F44D-1F3FB`."""
    image: str
    group: str
    toned: bool


def read_emoji(files: Sequence[Path]) -> Iterator[tuple[str, bytes]]:
    """Read the images, and for each language the tables of their names and keywords."""
    drawn, *named = files
    wanted = dict(read_members(drawn, lambda name: name == LIST or name.startswith(PICTURES)))
    listed = list(_listed(json.loads(wanted.pop(LIST))))
    image_files = {PurePosixPath(name).name: content for name, content in wanted.items()}
    missing = [one.image for one in listed if one.image not in image_files]
    if missing:
        raise DataError(f"{drawn}: has no picture {missing[0]}. Remove it and fetch it again.")
    for one in listed:
        yield one.image, image_files[one.image]
    for language in LANGUAGES:
        names = _names(named, language)
        for ending, toned in (("", False), ("-tones", True)):
            rows = [_row(one, names, language) for one in listed if one.toned == toned]
            lines = ["\t".join(row) + "\n" for row in (COLUMNS, *filter(None, rows))]
            yield f"{language}{ending}.tsv", "".join(lines).encode()


def group_of(unified: str) -> str:
    """Return what all variants of an image share, made of the code points of one of them."""
    first, *further = unified.split("-")
    kept = (first, *(one for one in further if one not in PASSED_OVER))
    parts = [ALIKE.get(one, one) for one in kept]
    if len(parts) > 1 and set(parts) <= {"person", "child"}:
        return "family"
    whole = " ".join(parts)
    return SAME.get(whole, whole)


def _listed(records: Sequence[Mapping[str, Any]]) -> Iterator[Emoji]:
    for record in records:
        group = group_of(record["unified"])
        yield Emoji(record["unified"], record["image"], group, toned=False)
        for one in record.get("skin_variations", {}).values():
            yield Emoji(one["unified"], one["image"], group, toned=True)


def _names(files: Sequence[Path], language: str) -> dict[str, Any]:
    """Return what Unicode says of each character in a language; its own word comes first."""
    found: dict[str, Any] = {}
    for file, (key, place) in reversed([*zip(files, NAMED.items(), strict=True)]):
        found |= json.loads(read_member(file, place.format(language)))[key]["annotations"]
    return found


def _row(one: Emoji, names: Mapping[str, Any], language: str) -> tuple[str, ...] | None:
    points = [point for point in one.unified.split("-") if point != SELECTOR]
    said = names.get("".join(chr(int(point, 16)) for point in points))
    if said is None or not said.get("tts"):
        return None
    (name, *_) = said["tts"]
    keywords = [word for word in said.get("default", ()) if word != name]
    return one.image, name, join_keywords(keywords), language, one.group
