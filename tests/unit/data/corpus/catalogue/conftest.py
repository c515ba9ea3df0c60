"""Small packages made by hand, and clients that hand them out."""

import io
import json
import os
import struct
import sys
import tarfile
import zipfile
from hashlib import sha256

import pytest

CLIENT = """#!{python}
import json, pathlib, shutil, sys
here = pathlib.Path(__file__).parent
known = json.loads((here / "known.json").read_text())
arguments = sys.argv[1:]
names = [name for name in known if any(a.split("==")[0] == name for a in arguments)]
(here / "calls.txt").open("a").write(" ".join(arguments) + "\\n")
asked = [a for a in arguments if not a.startswith("-") and a != "download"]
unknown = [name for name in asked if name not in known] if "apt" in sys.argv[0] else not names
for name in names:
    file, size, checksum = known[name]
    if "--print-uris" in arguments:
        print(f"'http://archive.example/{{file}}' {{file}} {{size}} SHA256:{{checksum}}")
    else:
        folder = arguments[arguments.index("--dest") + 1] if "--dest" in arguments else "."
        shutil.copy(here / file, folder)
if unknown:
    print("Reading lists...")
    print("E: Unable to locate package " + arguments[-1], file=sys.stderr)
    sys.exit(100)
"""


def make_wheel(members):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as wheel:
        for name, content in members.items():
            wheel.writestr(name, content)
    return packed.getvalue()


def make_tar(members, packing=""):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=f"w:{packing}") as tar:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            if isinstance(content, str):
                member.type, member.linkname = tarfile.SYMTYPE, content
                tar.addfile(member)
            else:
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def make_deb(members, packing="xz"):
    parts = {
        "debian-binary": b"2.0\n",
        "control.tar.gz": make_tar({"./control": b"Package: made\n"}, "gz"),
        "data.tar" + (f".{packing}" if packing else ""): make_tar(members, packing),
    }
    packed = b"!<arch>\n"
    for name, content in parts.items():
        packed += f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n".encode()
        packed += content + b"\n" * (len(content) % 2)
    return packed


def make_mo(messages, order="<", encoding="utf-8"):
    header = f"Content-Type: text/plain; charset={encoding}\n"
    entries = [
        (m.encode(encoding), t.encode(encoding)) for m, t in {"": header, **messages}.items()
    ]
    start = 28 + 16 * len(entries)
    tables, texts = [b"", b""], b""
    for side in (0, 1):
        for entry in entries:
            tables[side] += struct.pack(f"{order}2I", len(entry[side]), start + len(texts))
            texts += entry[side] + b"\0"
    where = (28, 28 + 8 * len(entries))
    head = struct.pack(f"{order}7I", 0x950412DE, 0, len(entries), *where, 0, 0)
    return head + tables[0] + tables[1] + texts


@pytest.fixture
def wheel():
    return make_wheel


@pytest.fixture
def deb():
    return make_deb


@pytest.fixture
def tar():
    return make_tar


@pytest.fixture
def mo():
    return make_mo


class Shop:
    """A folder on the PATH with a pip and an apt-get that know only what is put on the shelf."""

    def __init__(self, folder):
        self.folder = folder
        self.known = {}
        folder.mkdir()
        for name in ("pip", "apt-get"):
            client = folder / name
            client.write_text(CLIENT.format(python=sys.executable), encoding="utf-8")
            client.chmod(0o755)

    def offer(self, package, file, content, checksum=None):
        (self.folder / file).write_bytes(content)
        self.known[package] = (file, len(content), checksum or sha256(content).hexdigest())
        (self.folder / "known.json").write_text(json.dumps(self.known))
        return sha256(content).hexdigest()

    def calls(self):
        file = self.folder / "calls.txt"
        return file.read_text().splitlines() if file.exists() else []


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """Give clients of ours in place of the real ones, and an empty cache."""
    if os.name == "nt":
        pytest.skip("the made clients are scripts that only POSIX can start")
    from dragoman.data.corpus.catalogue import clients

    made = Shop(tmp_path / "shop")
    monkeypatch.setattr(clients, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(made.folder))
    monkeypatch.setenv("DRAGOMAN_CACHE", str(tmp_path / "cache"))
    return made
