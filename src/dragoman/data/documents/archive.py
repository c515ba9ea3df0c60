"""Zip archives from strangers: looked at before anything is unpacked, and written as they were."""

import copy
import io
import stat
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

from dragoman.core.errors import DataError

LARGEST_RATIO = 100
LARGEST_TOTAL = 512 * 1024**2
FREE = 1024**2
"""Bytes that may come out of an archive before the ratio is looked at."""
ENCRYPTED = 1
UNIX_MODE = 16
"""Bits of a member's attributes after which its mode follows."""


@dataclass(frozen=True)
class Archive:
    """The members of an archive, in their order."""

    data: bytes
    members: tuple[zipfile.ZipInfo, ...]
    contents: Mapping[str, bytes]

    def written(self, changed: Mapping[str, bytes]) -> bytes:
        """Return the archive with some members changed, or the same bytes if none is."""
        if all(self.contents[name] == content for name, content in changed.items()):
            return self.data
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for member in self.members:
                content = changed.get(member.filename, self.contents[member.filename])
                archive.writestr(copy.copy(member), content)
        return out.getvalue()


def read_archive(data: bytes, name: str) -> Archive:
    """Unpack an archive into memory, or say why that is not wise."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = tuple(archive.infolist())
            _check(members, len(data), name)
            contents = {member.filename: _content(archive, member) for member in members}
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise DataError(
            f"{name}: the archive is cut off or damaged ({reason}). Fetch or save it again."
        ) from error
    return Archive(data, members, contents)


def _content(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Unpack no more than was announced; the library checks the rest against its checksum."""
    with archive.open(member) as stream:
        return stream.read(member.file_size + 1)


def _check(members: tuple[zipfile.ZipInfo, ...], size: int, name: str) -> None:
    total = sum(member.file_size for member in members)
    if total > LARGEST_TOTAL or total > max(FREE, LARGEST_RATIO * size):
        raise DataError(
            f"{name}: {size:,} bytes unpack to {total:,}, as documents do not (the most is "
            f"{LARGEST_RATIO} to 1 and {LARGEST_TOTAL // 1024**2} MiB). Save the file again."
        )
    seen: set[str] = set()
    for member in members:
        path = member.filename
        if path in seen:
            raise DataError(f"{name}: has {path!r} twice. Save the file again.")
        seen.add(path)
        if path.startswith("/") or "\\" in path or ":" in path or ".." in path.split("/"):
            raise DataError(f"{name}: has {path!r} inside, which is no name in a document.")
        if stat.S_ISLNK(member.external_attr >> UNIX_MODE):
            raise DataError(f"{name}: has {path!r} inside, which is a link. Save the file again.")
        if member.flag_bits & ENCRYPTED:
            raise DataError(f"{name}: is protected by a password. Save it without one.")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise DataError(f"{name}: {path!r} is packed in an unusual way. Save the file again.")
