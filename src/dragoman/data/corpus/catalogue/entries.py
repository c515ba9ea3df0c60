"""The catalogue of corpora and networks that can be fetched: the table entries.toml."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dragoman.core.errors import DataError, nearest
from dragoman.data.corpus.catalogue.clients import Package
from dragoman.data.corpus.catalogue.emoji import read_emoji
from dragoman.data.corpus.catalogue.image_readers import (
    CLOTHES,
    DIGITS,
    read_cifar,
    read_idx_images,
)
from dragoman.data.corpus.catalogue.readers import (
    Folder,
    Reader,
    read_common_words,
    read_gguf,
    read_minilm,
    read_reviews,
    read_software_strings,
    read_tatoeba,
    read_wikitext,
)


@dataclass(frozen=True)
class CatalogueEntry:
    """Something that can be fetched, and what becomes of it."""

    name: str
    what: str
    size: str
    license: str
    packages: tuple[Package, ...]
    read: Reader | Folder
    """Gives rows, which become a TSV, or files, which become a folder."""
    language: str = ""
    """The target language unless another is asked for; empty where there is no choice."""
    in_part: bool = False
    """Whether it is worth having without the packages that a client does not know."""


READERS: dict[str, Reader | Folder] = {
    "tatoeba-english-spanish": read_tatoeba,
    "software-strings": read_software_strings,
    "common-words": read_common_words,
    "wikitext-2": Folder(read_wikitext),
    "imdb-reviews": read_reviews("imdb"),
    "rotten-tomatoes": read_reviews("rotten_tomatoes"),
    "minilm": Folder(read_minilm),
    "emoji": Folder(read_emoji),
    "smollm2": Folder(read_gguf),
    "mnist": Folder(read_idx_images(DIGITS)),
    "fashion-mnist": Folder(read_idx_images(CLOTHES)),
    "cifar-10": Folder(read_cifar),
}


def _entry(fields: dict[str, Any]) -> CatalogueEntry:
    packages = tuple(Package(*package) for package in fields.pop("packages"))
    return CatalogueEntry(**fields, packages=packages, read=READERS[fields["name"]])


ENTRIES = tuple(
    _entry(fields)
    for fields in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["entry"]
)


def find_entry(name: str) -> CatalogueEntry:
    """Return the entry of a name, or say which comes closest."""
    known = {entry.name: entry for entry in ENTRIES}
    if name not in known:
        raise DataError(f"{name}: nothing of this name is in the catalogue. {nearest(name, known)}")
    return known[name]
