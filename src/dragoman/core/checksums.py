"""Checksums of what surrounds the weights: SHA-256 digests in checksums.json, compared on reading.

Each folder has its own, so that whoever reads a file finds its digest beside it:

    {"format": "dragoman-checksums", "version": 1,
     "sha256": {"recipe.toml": ["9f86…"], "tokenizer.json": ["60303a…"]}, "checksum": "…"}

While a file is replaced it has two digests: that of before and that of the new content, noted
before the file is written, so that a kill between the two leaves a file that fits either way.
Damage is found; somebody who rewrites the digests too is not.
"""

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from dragoman.core.bounded_read import read_bounded
from dragoman.core.errors import CheckpointError
from dragoman.core.files import TEMPORARY, sha256, write_atomic

CHECKSUMS = "checksums.json"
FORMAT, VERSION = "dragoman-checksums", 1
SEAL = "checksum"
"""The key of a record under which its own checksum stands."""

LARGEST = 1 << 28
"""Bytes of the largest file that is read whole."""

Digests = dict[str, list[str]]


def read_checked(path: Path, most: int = LARGEST) -> bytes:
    """Return the content of a regular file; one that does not fit its digest is refused."""
    content = read_bounded(path, most)
    _compare(path, hashlib.sha256(content).hexdigest())
    return content


def check_file(path: Path) -> None:
    """Compare a file that is not read whole with its digest; once, for as long as it stays."""
    if path.name in read_checksums(path.parent):
        _compare(path, _digest(path))


def write_checked(path: Path, content: str) -> None:
    """Replace a file in one step, and note its digest before."""
    new = hashlib.sha256(content.encode()).hexdigest()
    noted = read_checksums(path.parent)
    known = noted.get(path.name)
    now = _digest(path) if path.is_file() else ""
    if now == new and known == [new]:
        return
    before = [now] if now and now != new and (known is None or now in known) else []
    _write(path.parent, noted | {path.name: [*before, new]})
    write_atomic(path, content)
    if before:
        _write(path.parent, noted | {path.name: [new]})


def note_checksums(folder: Path, names: Mapping[str, str | None]) -> None:
    """Note the digests of files that are there, and of those whose content will be written."""
    found = {
        name: _digest(folder / name)
        if content is None
        else hashlib.sha256(content.encode()).hexdigest()
        for name, content in names.items()
    }
    _write(folder, read_checksums(folder) | {name: [digest] for name, digest in found.items()})


def files_of(folder: Path) -> list[str]:
    """Return the names of the files in a folder that can have a digest."""
    return sorted(
        one.name
        for one in folder.iterdir()
        if one.is_file() and one.name != CHECKSUMS and not one.name.endswith(TEMPORARY)
    )


def read_checksums(folder: Path) -> Digests:
    """Return the digests that a folder has noted; earlier versions noted none."""
    path = folder / CHECKSUMS
    try:
        record: Any = json.loads(read_bounded(path, LARGEST))
        check_seal(record)
        if (record["format"], record["version"], SEAL in record) != (FORMAT, VERSION, True):
            raise ValueError("not written by this version")
        return {str(name): [str(one) for one in known] for name, known in record["sha256"].items()}
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise CheckpointError(
            f"{path}: cannot be read ({error}). Use another copy; or remove it, and nobody will "
            "know whether the files beside it are damaged."
        ) from None


def seal(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a JSON record with a checksum of itself."""
    return {**record, SEAL: _checksum(record)}


def check_seal(record: Any) -> None:
    """Refuse a record that does not fit its checksum, with a ValueError; one without may pass."""
    if isinstance(record, dict) and SEAL in record:
        rest = {key: value for key, value in record.items() if key != SEAL}
        if record[SEAL] != _checksum(rest):
            raise ValueError("it does not fit its checksum: it is damaged, or was changed")


def _checksum(record: Mapping[str, Any]) -> str:
    plain = json.loads(json.dumps(record))  # so that keys are strings, and tuples lists
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def _compare(path: Path, digest: str) -> None:
    known = read_checksums(path.parent).get(path.name)
    if known is not None and digest not in known:
        raise CheckpointError(
            f"{path}: does not fit its SHA-256 in {CHECKSUMS}: it is damaged, or was changed. Use "
            f"another copy, or train again; if you changed it on purpose, remove that {CHECKSUMS}."
        )


def _write(folder: Path, digests: Digests) -> None:
    record = {"format": FORMAT, "version": VERSION, "sha256": dict(sorted(digests.items()))}
    write_atomic(folder / CHECKSUMS, json.dumps(seal(record), indent=1) + "\n")


def _digest(path: Path) -> str:
    status = path.stat()
    return _digest_of(path, status.st_ino, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=256)
def _digest_of(path: Path, inode: int, size: int, changed: int) -> str:
    """Return a file's digest, computed again when any of these has changed."""
    return sha256(path)
