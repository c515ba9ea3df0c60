"""What preparation says about a corpus."""

import json

import pytest

from dragoman.config.reading import read_recipe
from dragoman.config.tokenizer import WordTokenizerSettings
from dragoman.core.cache import cache_folder
from dragoman.core.errors import DataError
from dragoman.data.formats.pair import Pair
from dragoman.data.tokenizer.train import train_tokenizer_pair
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.tasks.translation.prepare import prepare, unknown_words


def test_unknown_words_are_counted_and_advice_given_where_they_are_many():
    seen = [Pair("sun moon", "moon sun")] * 30
    tokenizer = train_tokenizer_pair(WordTokenizerSettings(), seen)
    assert unknown_words(tokenizer, seen) == []
    few = unknown_words(tokenizer, [*seen, Pair("comet moon", "moon sun")])
    assert few == ["1.6% of the source tokens in the validation set are unknown"]
    many = unknown_words(tokenizer, [Pair("comet star", "moon sun")])
    assert "100.0% of the source tokens" in many[0]
    assert "tokenizer.kind = 'bpe'" in many[0]


@pytest.fixture
def prepared(recipe, tmp_path, monkeypatch):
    """Give a function that prepares the recipe in a new folder, with a cache of its own."""
    monkeypatch.setenv("DRAGOMAN_CACHE", str(tmp_path / "cache"))
    runs = iter(range(9))

    def run(*changes):
        folder = RunFolder(tmp_path / f"run-{next(runs)}")
        return prepare(folder, read_recipe(recipe, changes))

    return run


@pytest.fixture
def shifted(recipe):
    """Move the targets of the recipe's corpus one line up."""
    path = recipe.parent / "corpus.tsv"
    rows = [line.split("\t") for line in path.read_text().splitlines()]
    targets = [target for _, target in rows]
    pairs = zip((source for source, _ in rows), [*targets[1:], targets[0]], strict=True)
    path.write_text("".join(f"{source}\t{target}\n" for source, target in pairs))
    return path


def test_a_shifted_corpus_is_refused_before_anything_is_made_of_it(prepared, shifted, tmp_path):
    with pytest.raises(DataError, match=r"corpus\.tsv:1: one side is probably shifted") as refused:
        prepared()
    assert "corpus.examine=false" in str(refused.value)
    assert not [path for path in (tmp_path / "run-0").rglob("*") if path.is_file()]
    assert prepared("corpus.examine=false").store


def test_what_looks_odd_is_said_and_stays_with_the_run(prepared, capsys):
    findings = prepared().findings
    (copies,) = [line for line in findings if "a copy of the source" in line]
    assert copies.startswith("16 pairs kept in train: ")
    assert copies in capsys.readouterr().err
    assert not [line for line in prepared("corpus.examine=false").findings if "copy" in line]


def test_the_second_preparation_of_the_same_files_does_not_examine_them_again(prepared, recipe):
    prepared()
    (entry,) = (cache_folder() / "doctor").iterdir()
    record = json.loads(entry.read_text())
    record["report"]["findings"][0]["count"] = 7777
    entry.write_text(json.dumps(record))
    assert any(line.startswith("7,777 pairs kept") for line in prepared().findings)
    path = recipe.parent / "corpus.tsv"
    path.write_bytes(path.read_bytes().replace(b"sun", b"sum", 1))
    assert not any("7,777" in line for line in prepared().findings)


def test_what_a_reader_refuses_keeps_the_reader_s_words(prepared, recipe):
    with (recipe.parent / "corpus.tsv").open("a") as stream:
        stream.write("no tab\n")
    with pytest.raises(DataError, match=r"corpus\.tsv:301: "):
        prepared()
