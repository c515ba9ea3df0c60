"""The file store: translated files for download, in a folder that all workers share."""

import re
import secrets
import time
from pathlib import Path

from dragoman.config.serving import ServingSettings
from dragoman.core.files import write_atomic

NAME = re.compile(r"[0-9a-f]{32}\.[A-Za-z0-9._-]{1,80}")
UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
MAX_NAME = 60
"""Characters of the client's file name that are kept."""


class FileStore:
    """A few files, each for a while, under names that cannot be guessed."""

    def __init__(self, folder: Path, settings: ServingSettings) -> None:
        self.folder, self.settings = folder, settings

    def put(self, name: str, data: bytes) -> str:
        """Store a file; return the name to download it by."""
        self._expire()
        safe = UNSAFE.sub("_", Path(name).name).lstrip(".")[-MAX_NAME:] or "file"
        stored = f"{secrets.token_hex(16)}.{safe}"
        write_atomic(self.folder / stored, data)
        return stored

    def get(self, name: str) -> bytes | None:
        """Return a stored file, unless it has expired."""
        self._expire()
        if not NAME.fullmatch(name):
            return None
        try:
            return (self.folder / name).read_bytes()
        except OSError:
            return None

    def _expire(self) -> None:
        """Delete files that are too old, and the oldest of too many."""
        found: list[tuple[float, Path]] = []
        for path in self.folder.iterdir():
            try:
                found.append((path.stat().st_mtime, path))
            except FileNotFoundError:  # deleted by another worker
                continue
        found.sort(reverse=True)
        oldest = time.time() - self.settings.seconds_kept
        for place, (modified, path) in enumerate(found):
            if modified < oldest or place >= self.settings.files_kept:
                path.unlink(missing_ok=True)
