"""Translated files that wait to be fetched, in a folder that all workers see."""

import re
import secrets
import time
from pathlib import Path

from dragoman.config.serving import ServingSettings
from dragoman.core.files import write_atomic

NAME = re.compile(r"[0-9a-f]{32}\.[A-Za-z0-9._-]{1,80}")
STRANGE = re.compile(r"[^A-Za-z0-9._-]+")
LONGEST = 60
"""Characters of the client's own name that are kept."""


class KeptFiles:
    """A few files, each for a while; nobody finds one who was not told its name."""

    def __init__(self, folder: Path, settings: ServingSettings) -> None:
        self.folder, self.settings = folder, settings

    def keep(self, name: str, data: bytes) -> str:
        """Put a file away; return the name to fetch it by."""
        self._forget()
        plain = STRANGE.sub("_", Path(name).name).lstrip(".")[-LONGEST:] or "file"
        kept = f"{secrets.token_hex(16)}.{plain}"
        write_atomic(self.folder / kept, data)
        return kept

    def find(self, name: str) -> bytes | None:
        """Return a file that was put away, unless it has been forgotten."""
        self._forget()
        if not NAME.fullmatch(name):
            return None
        try:
            return (self.folder / name).read_bytes()
        except OSError:
            return None

    def _forget(self) -> None:
        """Take away what is too old, and the oldest of what is too much."""
        found: list[tuple[float, Path]] = []
        for path in self.folder.iterdir():
            try:
                found.append((path.stat().st_mtime, path))
            except FileNotFoundError:  # another worker was quicker
                continue
        found.sort(reverse=True)
        oldest = time.time() - self.settings.file_lifetime
        for place, (made, path) in enumerate(found):
            if made < oldest or place >= self.settings.max_stored_files:
                path.unlink(missing_ok=True)
