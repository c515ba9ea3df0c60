import json
import subprocess
import sys
from functools import partial

import pytest

from dragoman.cli import data_make
from dragoman.cli.data_make import MAKERS
from dragoman.data.corpus.catalogue import entries, store
from dragoman.data.corpus.catalogue.entries import ENTRIES, CatalogueEntry
from dragoman.data.corpus.catalogue.readers import Folder
from dragoman.data.formats.labeled import LabelColumns, RowFindings, read_labeled


@pytest.fixture
def dragoman(dragoman, monkeypatch, tmp_path):
    """Give the command's data as a function, with a cache of its own."""
    monkeypatch.setenv("DRAGOMAN_CACHE", str(tmp_path / "cache"))
    return partial(dragoman, "data")


@pytest.fixture
def _fetched(monkeypatch):
    """Offer three corpora whose packages are there without a download."""

    def pairs(files, language, dropped):
        dropped["too odd"] += 2
        yield from [("one", f"{language}-1"), ("two", f"{language}-2")]

    def words(files, language, dropped):
        yield from [("the",), ("cat",), ("queen",)]

    def files(packages):
        yield from [("train.txt", b"text"), ("test.txt", b"more")]

    made = (
        CatalogueEntry("pairs", "a few pairs", "2 pairs", "free as air", (), pairs, "hi"),
        CatalogueEntry("common-words", "words", "3 words", "free", (), words),
        CatalogueEntry("text", "a text", "2 files", "free", (), Folder(files)),
    )
    monkeypatch.setattr(entries, "ENTRIES", made)
    monkeypatch.setattr(store, "fetch", lambda entry: [])


def test_the_list_names_every_corpus_with_its_license(dragoman):
    code, out, _ = dragoman("list")
    assert code == 0
    for entry in ENTRIES:
        (line,) = (line for line in out.splitlines() if line.startswith(entry.name))
        assert entry.license in line
        assert entry.size in line
        assert "  no  " in line


@pytest.mark.usefixtures("_fetched")
def test_the_list_says_what_is_here(dragoman):
    dragoman("get", "pairs")
    dragoman("get", "pairs", "--language", "mr")
    assert "hi 2, mr 2  free as air" in dragoman("list")[1]


@pytest.mark.usefixtures("_fetched")
def test_get_prints_the_file_and_says_the_license(dragoman, tmp_path):
    code, out, err = dragoman("get", "pairs")
    file = tmp_path / "cache/pairs/pairs-hi.tsv"
    assert (code, out) == (0, f"{file}\n")
    assert file.read_text() == "one\thi-1\ntwo\thi-2\n"
    assert "license: free as air" in err
    assert "left out 2: too odd" in err


@pytest.mark.usefixtures("_fetched")
def test_get_writes_where_it_is_told(dragoman, tmp_path):
    file = tmp_path / "mine.tsv"
    code, out, _ = dragoman("get", "pairs", "--language", "mr", "--output", file)
    assert (code, out) == (0, f"{file}\n")
    assert file.read_text() == "one\tmr-1\ntwo\tmr-2\n"


@pytest.mark.usefixtures("_fetched")
def test_get_gives_a_folder_where_there_are_several_files(dragoman, tmp_path):
    code, out, err = dragoman("get", "text")
    folder = tmp_path / "cache/text/text"
    assert (code, out) == (0, f"{folder}\n")
    assert (folder / "train.txt").read_bytes() == b"text"
    assert "a text: 2 files" in err
    assert "2 files  free" in dragoman("list")[1]
    mine = tmp_path / "mine"
    assert dragoman("get", "text", "--output", mine)[:2] == (0, f"{mine}\n")
    assert (mine / "test.txt").read_bytes() == b"more"
    code, _, err = dragoman("get", "text", "--output", mine)
    assert code == 2
    assert "mine: cannot be written" in err.splitlines()[-1]


def test_a_wrong_name_is_one_line(dragoman):
    code, out, err = dragoman("get", "tatoeba-english-spanis")
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert "Did you mean 'tatoeba-english-spanish'?" in err


def test_the_grammar_goes_to_stdout_or_to_a_file(dragoman, tmp_path):
    code, out, _ = dragoman("make", "grammar", "--pairs", 20, "--seed", 5)
    assert code == 0
    assert len(out.splitlines()) == 20
    assert all(line.count("\t") == 1 for line in out.splitlines())
    file = tmp_path / "grammar.tsv"
    assert dragoman("make", "grammar", "--pairs", 20, "--seed", 5, "--output", file)[1] == ""
    assert file.read_text(encoding="utf-8") == out
    assert dragoman("make", "grammar", "--pairs", 20, "--seed", 6)[1] != out


def test_alignments_fit_the_words_of_each_line(dragoman, tmp_path):
    pairs, links = tmp_path / "a.tsv", tmp_path / "a.align"
    dragoman("make", "grammar", "--pairs", 30, "--output", pairs, "--alignments", links)
    lines = pairs.read_text(encoding="utf-8").splitlines()
    found = links.read_text().splitlines()
    assert len(found) == len(lines) == 30
    for line, said in zip(lines, found, strict=True):
        source, target = (side.split() for side in line.split("\t"))
        numbers = [tuple(map(int, link.split("-"))) for link in said.split()]
        assert numbers
        assert all(s < len(source) and t < len(target) for s, t in numbers)


@pytest.mark.usefixtures("_fetched")
def test_pig_latin_is_made_of_the_most_frequent_words(dragoman):
    assert dragoman("make", "pig-latin", "--words", 2)[1] == "the\tethay\ncat\tatcay\n"
    code, _, err = dragoman("make", "pig-latin")
    assert code == 2
    assert "has only 3 words, not 3,198" in err


def test_pig_latin_is_made_of_one_s_own_words(dragoman, tmp_path):
    (tmp_path / "mine.txt").write_text("Apple\npear\n")
    file = tmp_path / "pig.tsv"
    assert dragoman("make", "pig-latin", "--list", tmp_path / "mine.txt", "--output", file)[0] == 0
    assert file.read_text() == "apple\tappleway\npear\tearpay\n"


LABELED = {
    "arithmetic": {"negative", "zero", "positive"},
    "agreement": {"singular", "plural"},
    "lag": set("ABCD"),
    "right-context": {"person", "thing"},
    "corruptions": {"right", "wrong"},
}
PLAIN = ("in-context", "addition", "addition-steps")
OBJECTS = {
    "agreement-pairs": {"good", "bad", "text", "label", "right", "wrong", "rest"},
    "homophones": {"good", "bad", "word", "rival"},
    "missing-words": {"text", "place", "word", "whole"},
    "in-context-questions": {"text", "answer", "task", "shots"},
}


def test_every_maker_of_the_table_is_tried():
    assert {maker.name for maker in MAKERS} == {*LABELED, *PLAIN, *OBJECTS}


@pytest.mark.parametrize("name", [maker.name for maker in MAKERS])
def test_a_maker_writes_what_it_is_asked_for(dragoman, name, tmp_path, monkeypatch):
    monkeypatch.setattr(data_make, "SOME", 80)
    file = tmp_path / "made"
    assert dragoman("make", name, "--number", 61, "--output", file)[:2] == (0, "")
    made = file.read_text(encoding="utf-8")
    lines = made.splitlines()
    assert len(lines) == len(set(lines)) == 61
    assert dragoman("make", name, "--number", 61)[1] == made
    assert dragoman("make", name, "--number", 61, "--seed", 2)[1] != made
    if name in LABELED:
        columns = LabelColumns()
        rows = [row for _, row in _rows_of(file.rename(tmp_path / "made.tsv"), columns)]
        assert len(rows) == 61
        assert {row.label for row in rows} == LABELED[name]
    elif name in OBJECTS:
        assert all(set(json.loads(line)) >= OBJECTS[name] for line in lines)
    else:
        assert not any("\t" in line for line in lines)


def _rows_of(path, columns):
    return read_labeled(path, columns, repair=False, findings=RowFindings())


def test_a_file_is_written_over_only_when_told(dragoman, tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text("precious")
    for name in ("addition", "agreement", "grammar"):
        code, out, err = dragoman("make", name, "--output", file)
        assert (code, out) == (2, "")
        assert err == f"dragoman: {file}: exists already. Name another, or use --force.\n"
    assert file.read_text() == "precious"
    dragoman("make", "addition", "--number", 2, "--output", file, "--force")
    assert len(file.read_text().splitlines()) == 2


def test_a_maker_s_own_number_decides_how_hard_it_is(dragoman):
    assert len(dragoman("make", "lag", "--number", 1, "--lag", 300)[1]) > 600
    assert len(dragoman("make", "addition", "--number", 1, "--digits", 20)[1]) >= 63
    out = dragoman("make", "in-context-questions", "--number", 1, "--shots", 3)[1]
    assert out.count("->") == 4
    one = json.loads(dragoman("make", "agreement-pairs", "--number", 1, "--distractors", 4)[1])
    assert one["distractors"] == 4
    sentence, tag = dragoman("make", "right-context", "--number", 1, "--asides", 0)[1].split("\t")
    assert " , " not in sentence


def test_more_than_there_are_is_one_line(dragoman):
    code, out, err = dragoman("make", "arithmetic", "--number", 801)
    assert (code, out) == (2, "")
    assert err == "dragoman: the grid has only 800 rows, not 801. Ask for fewer.\n"
    code, _, err = dragoman("make", "lag", "--number", 90, "--lag", 0, "--seed", 3)
    assert code == 0
    code, _, err = dragoman("make", "addition", "--number", 101, "--digits", 1)
    assert (code, len(err.splitlines())) == (2, 1)
    assert "only 100 different" in err


def test_a_folder_that_is_not_there_is_one_line(dragoman, tmp_path):
    code, _, err = dragoman("make", "grammar", "--pairs", 2, "--output", tmp_path / "no" / "a.tsv")
    assert code == 2
    assert len(err.splitlines()) == 1


def test_the_help_loads_no_heavy_library():
    code = (
        "import json, sys; import dragoman.cli.main;"
        "print(json.dumps([m for m in ('torch', 'numpy', 'pydantic') if m in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []
