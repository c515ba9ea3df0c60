import shutil
import subprocess

import pytest

from dragoman.core.errors import DataError
from dragoman.data.corpus.catalogue import archives
from dragoman.data.corpus.catalogue.archives import read_member, read_members

ANY = "usr/share/a.txt"


def everything(name):
    return True


def test_a_member_of_a_wheel_is_found_by_its_name(tmp_path, wheel):
    path = tmp_path / "a-1-py3-none-any.whl"
    path.write_bytes(wheel({"a/b.txt": "text", "a/c.txt": "other"}))
    assert read_member(path, "a/b.txt") == b"text"
    with pytest.raises(DataError, match=r"there is no a/d\.txt in this package"):
        read_member(path, "a/d.txt")


@pytest.mark.parametrize("packing", ["", "gz", "xz"])
def test_a_debian_package_is_read_without_any_program(tmp_path, monkeypatch, deb, packing):
    monkeypatch.setenv("PATH", "")
    path = tmp_path / "a_1_all.deb"
    path.write_bytes(deb({f"./{ANY}": b"text", "./usr/odd": b"123"}, packing))
    assert read_member(path, ANY) == b"text"


def test_a_debian_package_packed_as_zstandard_needs_dpkg(tmp_path, monkeypatch, deb):
    monkeypatch.setenv("PATH", "")
    path = tmp_path / "a_1_all.deb"
    path.write_bytes(deb({ANY: b"text"}, "").replace(b"data.tar    ", b"data.tar.zst"))
    with pytest.raises(DataError, match="needs the program dpkg-deb"):
        read_member(path, ANY)


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="dpkg-deb is not installed")
@pytest.mark.parametrize("packing", ["xz", "zstd", "gzip", "none"])
def test_what_dpkg_builds_is_what_is_read(tmp_path, packing):
    tree = tmp_path / "tree"
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN/control").write_text(
        "Package: made\nVersion: 1\nArchitecture: all\nMaintainer: A <a@b.c>\nDescription: made\n"
    )
    (tree / "usr/share").mkdir(parents=True)
    (tree / ANY).write_text("from dpkg")
    path = tmp_path / "made_1_all.deb"
    built = subprocess.run(
        ["dpkg-deb", f"-Z{packing}", "--build", tree, path], capture_output=True, check=False
    )
    if packing == "zstd" and built.returncode:
        pytest.skip("this dpkg-deb cannot write zstd")
    assert built.returncode == 0, built.stderr
    assert read_member(path, ANY) == b"from dpkg"


def test_a_tgz_is_read_by_name(tmp_path, tar):
    path = tmp_path / "a-1.tgz"
    path.write_bytes(tar({"package/a.txt": b"text"}, "gz"))
    assert read_member(path, "package/a.txt") == b"text"


@pytest.mark.parametrize("name", ["../escaped.txt", "/tmp/escaped.txt", "a/../../escaped.txt"])
def test_a_name_that_points_outside_writes_nothing(tmp_path, wheel, tar, deb, name):
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "a.whl").write_bytes(wheel({name: b"bad"}))
    (inner / "a.tgz").write_bytes(tar({name: b"bad"}, "gz"))
    (inner / "a.deb").write_bytes(deb({name: b"bad"}))
    before = sorted(tmp_path.rglob("*"))
    for file in sorted(inner.iterdir()):
        assert [content for _, content in read_members(file, everything)] == [b"bad"]
    assert sorted(tmp_path.rglob("*")) == before


def test_links_are_not_followed(tmp_path, tar):
    path = tmp_path / "a.tgz"
    path.write_bytes(tar({"package/a.txt": "/etc/hostname"}, "gz"))
    assert list(read_members(path, everything)) == []


@pytest.mark.parametrize("kind", ["whl", "tgz", "deb"])
def test_a_member_that_swells_is_refused(tmp_path, monkeypatch, wheel, tar, deb, kind):
    monkeypatch.setattr(archives, "LARGEST_MEMBER", 1000)
    made = {"whl": wheel, "deb": deb, "tgz": lambda members: tar(members, "gz")}[kind]
    path = tmp_path / f"a.{kind}"
    path.write_bytes(made({"a.txt": bytes(1001)}))
    with pytest.raises(DataError, match=r"a\.txt in it is larger than"):
        list(read_members(path, everything))


def test_an_archive_that_swells_is_refused(tmp_path, monkeypatch, deb):
    monkeypatch.setattr(archives, "LARGEST_ARCHIVE", 1000)
    path = tmp_path / "a.deb"
    path.write_bytes(deb({"a": bytes(600), "b": bytes(600)}))
    with pytest.raises(DataError, match="unpacks to more than"):
        list(read_members(path, lambda name: False))


@pytest.mark.parametrize("kind", ["whl", "tgz", "deb"])
@pytest.mark.parametrize("keep", [0, 3, 8, 70, 200])
def test_a_damaged_package_is_one_line(tmp_path, wheel, tar, deb, kind, keep):
    made = {"whl": wheel, "deb": deb, "tgz": lambda members: tar(members, "gz")}[kind]
    path = tmp_path / f"a.{kind}"
    path.write_bytes(made({"a.txt": bytes(range(256)) * 40})[:keep])
    with pytest.raises(DataError, match=r"a\.\w+: .*"):
        list(read_members(path, everything))


def test_another_kind_of_file_is_refused(tmp_path):
    with pytest.raises(DataError, match="is no wheel"):
        list(read_members(tmp_path / "a.rar", everything))
