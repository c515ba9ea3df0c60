"""API keys: made here, shown once, and stored as their SHA-256 alone.

A key is 256 random bits, so it cannot be guessed and its hash needs no salt. The file may change
while a server runs: a key that is removed is refused from then on.
"""

import hashlib
import hmac
import json
import logging
import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from dragoman.config.serving import ServingSettings
from dragoman.core.addresses import is_loopback
from dragoman.core.bounded_read import read_bounded
from dragoman.core.errors import ConfigError, DataError, nearest
from dragoman.core.files import explain_write_error, write_atomic
from dragoman.core.lock import in_turn

LOG = logging.getLogger("dragoman.server")
FORMAT, VERSION = "dragoman-keys", 1
PREFIX = "dgm_"
LARGEST_FILE = 1 << 20
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class ApiKeyRecord:
    """A stored API key: owner, hash and date, but not the key."""

    name: str
    sha256: str
    made: str


class KeyFile:
    """A file of API keys, which is read again when it changes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._entries = read_entries(path)
        self._seen = _stamp(path)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a file of keys; one without any would lock everyone out, and is refused."""
        keys = cls(path)
        if not keys._entries:
            raise DataError(f"{path}: holds no key. Add one with: dragoman key add {path} NAME")
        return keys

    def owner(self, key: bytes) -> str | None:
        """Return the owner of a key; None if it is unknown."""
        self._reload()
        digest = _digest(key)
        owner = None
        for entry in self._entries:  # all of them, so that the time tells nothing
            if hmac.compare_digest(entry.sha256, digest):
                owner = entry.name
        return owner

    def _reload(self) -> None:
        stamp = _stamp(self.path)
        if stamp == self._seen:
            return
        self._seen = stamp
        try:
            self._entries = read_entries(self.path)
        except DataError as error:
            LOG.error("No key is accepted any more. %s", error)
            self._entries = []


def load_keys(settings: ServingSettings) -> KeyFile | None:
    """Load the API keys of a server; without keys it may only listen on loopback."""
    if settings.keys is not None:
        return KeyFile.load(settings.keys)
    for name in (settings.host, *settings.hosts):
        if not is_loopback(name.strip("[]")):
            raise ConfigError(
                f"{name}: a server that others can reach needs keys. "
                "Make one with `dragoman key add FILE NAME`, then give --keys FILE."
            )
    return None


def add_key(path: Path, name: str) -> str:
    """Make a key, store its hash, and return it; it cannot be recovered later."""
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f"{name!r} is no name for a key. "
            "Take up to 64 letters, digits, dots, dashes, underscores and @."
        )
    key = PREFIX + secrets.token_urlsafe(32)

    def added(entries: list[ApiKeyRecord]) -> list[ApiKeyRecord]:
        if any(entry.name == name for entry in entries):
            raise ConfigError(
                f"{path}: {name!r} has a key already. Remove it first, or take another name."
            )
        made = datetime.now(UTC).isoformat(timespec="seconds")
        return [*entries, ApiKeyRecord(name, _digest(key.encode("ascii")), made)]

    _change(path, added)
    return key


def remove_key(path: Path, name: str) -> None:
    """Remove a key."""

    def removed(entries: list[ApiKeyRecord]) -> list[ApiKeyRecord]:
        names = [entry.name for entry in entries]
        if name not in names:
            hint = nearest(name, names) if names else "There are none."
            raise ConfigError(f"{path}: nobody of the name {name!r} has a key. {hint}")
        return [entry for entry in entries if entry.name != name]

    if not path.is_file():
        raise DataError(f"{path}: there is no such file of keys.")
    _change(path, removed)


def read_entries(path: Path) -> list[ApiKeyRecord]:
    """Read a file of keys, strictly."""
    try:
        if path.stat().st_mode & 0o022:
            raise DataError(f"{path}: others may write to it, and add keys. Run: chmod 600 {path}")
        data = read_bounded(path, LARGEST_FILE)
    except OSError as error:
        raise DataError(
            f"{path}: cannot be read ({error.strerror}). Make it with: dragoman key add {path} NAME"
        ) from None
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError):
        tree = None
    match tree:
        case {"format": "dragoman-keys", "version": 1, "keys": list(rows)}:
            return [_entry(path, number, row) for number, row in enumerate(rows, 1)]
    raise DataError(f"{path}: is no file of keys that this version reads.")


def _entry(path: Path, number: int, row: Any) -> ApiKeyRecord:
    match row:
        case {"name": str(name), "sha256": str(digest), "made": str(made)}:
            if _NAME.fullmatch(name) and _SHA256.fullmatch(digest):
                return ApiKeyRecord(name, digest, made)
    raise DataError(f"{path}: key {number} lacks a proper name, sha256 or made.")


def _change(path: Path, how: Callable[[list[ApiKeyRecord]], list[ApiKeyRecord]]) -> None:
    with explain_write_error(path), in_turn(path.parent):
        _write(path, how(read_entries(path) if path.exists() else []))


def _write(path: Path, entries: Sequence[ApiKeyRecord]) -> None:
    rows = [asdict(entry) for entry in entries]
    tree = {"format": FORMAT, "version": VERSION, "keys": rows}
    write_atomic(path, json.dumps(tree, indent=2) + "\n", private=True)


def _digest(key: bytes) -> str:
    return hashlib.sha256(key).hexdigest()


def _stamp(path: Path) -> tuple[int, ...]:
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_ino, found.st_mtime_ns, found.st_size, found.st_mode
