"""Perplexity: articles as numbers, and verdicts that fall every way."""

import json
import math
from random import Random

import pytest

from dragoman.core.errors import DataError
from dragoman.data.tokenizer.special_tokens import UNKNOWN
from dragoman.lab.experiments.perplexity import experiment as perplexity
from dragoman.lab.experiments.perplexity.data import (
    NEWLINE,
    Read,
    cut_articles,
    find_articles,
    number_words,
)
from dragoman.lab.experiments.perplexity.experiment import EXPERIMENT, Slice, gpt, lstm
from dragoman.lab.experiments.perplexity.verdicts import GPT, LSTM, PIECES, decide
from dragoman.lab.run import run_experiment

WORDS = ("the", "king", "sings", "a", "queen", "sees", "old", "cart", "and", "road")


def write_articles(folder, *, train=12):
    random = Random(1)
    folder.mkdir()
    for name, count in (("train", train), ("valid", 3), ("test", 3)):
        articles = (
            "\n".join(" ".join(random.choices(WORDS, k=8)) for _ in range(4)) for _ in range(count)
        )
        (folder / f"{name}.txt").write_text("\n\n".join(articles) + "\n", encoding="utf-8")
    return folder


def make_results(gap, *, seeds=3, took=100.0):
    """Make rows by hand: a GPT so many bits above the n-gram, after so many seconds."""
    noise = (0.0, 0.01, -0.01)[:seeds]
    results = [
        {"name": name, "seed": seed, "bits_per_byte": 1.5 + gap + wobble, "trained": took}
        for name in (GPT, LSTM)
        for seed, wobble in enumerate(noise, 1)
    ]
    return [*results, {"name": PIECES, "seed": 0, "bits_per_byte": 1.5, "trained": 5.0}]


@pytest.mark.parametrize(
    ("results", "verdict"),
    [
        (make_results(-0.2), "confirmed"),
        (make_results(0.2), "refuted"),
        (make_results(0.0), "undecided"),
        (make_results(-0.2, seeds=1), "undecided"),
        (make_results(-0.2, took=120.0), "undecided"),  # it won by training longer
        (make_results(0.2, took=120.0), "refuted"),
        (make_results(0.2, took=80.0), "undecided"),  # it lost for want of time
        (make_results(-0.2, took=80.0), "confirmed"),
    ],
)
def test_the_verdict_falls_with_the_rows(results, verdict):
    found = decide(results, 100.0)
    assert found.verdict == verdict
    assert f"{results[0]['trained']:.0f} of 100 seconds" in found.because


def test_rare_words_are_unknown_and_lines_are_kept_apart():
    read = Read(
        train=[["the king", "the king"], ["the queen"]], valid=[["king"]], test=[["the", "é queen"]]
    )
    numbered = number_words(read, least=2)
    (the, newline, *others), king = numbered.test[0], numbered.valid[0][0]
    assert newline == NEWLINE
    assert others == [UNKNOWN, UNKNOWN]
    assert numbered.train[0] == [the, king, NEWLINE, the, king]
    assert numbered.unknown == 2 / 5  # the end of the article is asked for as well
    assert read.test_words == 5  # three words, two ends of lines
    assert read.test_bytes == len("the\né queen".encode())


def test_a_slice_holds_the_first_articles(tmp_path):
    source = write_articles(tmp_path / "source")
    cut = cut_articles(source, Slice(train=2, valid=1), tmp_path / "cut")
    whole = (source / "train.txt").read_text("utf-8").split("\n\n")
    assert cut.train.read_text("utf-8").rstrip("\n").split("\n\n") == whole[:2]
    assert cut.test.read_text("utf-8") == (source / "test.txt").read_text("utf-8")


def test_missing_articles_are_said_in_a_line(tmp_path, monkeypatch):
    monkeypatch.setenv("DRAGOMAN_CACHE", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(DataError, match="dragoman data get wikitext-2"):
        find_articles(None)
    with pytest.raises(DataError, match=r"has no train\.txt"):
        find_articles(tmp_path)


@pytest.mark.slow
def test_the_whole_experiment_runs_on_a_few_articles(tmp_path, monkeypatch):
    source = write_articles(tmp_path / "source")
    for name, sizes in ((GPT, (gpt(8, 1), gpt(16, 1))), (LSTM, (lstm(8),))):
        monkeypatch.setitem(perplexity.SIZES[name], "quick", sizes)
    monkeypatch.setitem(perplexity.PACED, "quick", 4)
    options = {"texts": str(source), "seconds": "0.05"}
    result = run_experiment(EXPERIMENT, "quick", tmp_path / "lab", options=options)
    tried = result.summary["tried"]
    best = min((one for one in tried if one["name"] == GPT), key=lambda one: one["valid"])
    assert [one["name"] for one in tried] == [GPT, GPT, LSTM]
    assert result.measurements[0] == best
    pieces = {one["pieces"] for one in result.measurements if one["name"] in (GPT, LSTM, PIECES)}
    entries = {one["entries"] for one in result.measurements if one["name"] in (GPT, LSTM, PIECES)}
    assert len(pieces) == len(entries) == 1  # the same test, cut into the same pieces
    for one in result.measurements[:3]:
        bits = math.log2(one["per_piece"]) * one["pieces"]
        assert bits == pytest.approx(math.log2(one["per_word"]) * (3 * 4 * 9))
    assert all(total == pytest.approx(1) for one in result.measurements[2:] for total in one["sum"])
    assert (tmp_path / "lab" / "picture.png").stat().st_size > 1000
    assert "per word" in (tmp_path / "lab" / "table.md").read_text("utf-8")
    assert json.loads((tmp_path / "lab" / "result.json").read_text("utf-8"))["ledger"] == ["D42"]
