"""Perplexity: articles as numbers, and verdicts that fall every way."""

import json
import math
from random import Random

import pytest

from dragoman.core.errors import DataError
from dragoman.data.corpus.generators.agreement import draw_agreements
from dragoman.data.tokenizer.special_tokens import UNKNOWN
from dragoman.lab.experiments.perplexity import experiment as perplexity
from dragoman.lab.experiments.perplexity.data import (
    NEWLINE,
    MadeSentences,
    Read,
    cut_articles,
    find_articles,
    number_words,
    write_sentences,
)
from dragoman.lab.experiments.perplexity.experiment import (
    EXPERIMENT,
    Slice,
    gpt,
    lstm,
    steps_to_read,
)
from dragoman.lab.experiments.perplexity.verdicts import (
    GPT,
    LSTM,
    PIECES,
    TEXTS,
    decide,
    of_text,
)
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


def make_results(articles, sentences, *, seeds=3):
    """Make rows by hand: a GPT so many bits above the n-gram, on either text."""
    noise = (0.0, 0.01, -0.01)[:seeds]
    return [
        {"name": name, "text": text, "seed": seed, "bits_per_byte": bits}
        for text, gap in zip(TEXTS, (articles, sentences), strict=True)
        for name, seed, bits in (
            *((GPT, seed, 1.5 + gap + wobble) for seed, wobble in enumerate(noise, 1)),
            *((LSTM, seed, 1.6 + wobble) for seed, wobble in enumerate(noise, 1)),
            (PIECES, 0, 1.5),
        )
    ]


@pytest.mark.parametrize(
    ("results", "verdict"),
    [
        (make_results(-0.2, -0.1), "confirmed"),
        (make_results(0.2, 0.1), "refuted"),
        (make_results(0.2, -0.1), "corrected"),
        (make_results(0.0, -0.1), "undecided"),
        (make_results(-0.2, 0.0), "undecided"),
        (make_results(-0.2, -0.2, seeds=1), "undecided"),
    ],
)
def test_the_verdict_falls_with_the_rows(results, verdict):
    found = decide(results)
    assert found.verdict == verdict
    assert "On articles: GPT 1." in found.because
    assert "On sentences: GPT 1." in found.because


def test_networks_read_as_many_tokens_as_are_counted():
    assert steps_to_read(100_000) == 98
    assert abs(98 * perplexity.TOKENS - 100_000) < perplexity.TOKENS / 2
    assert steps_to_read(3) == 1


def test_no_made_sentence_of_the_test_begins_like_one_that_is_learned_from(tmp_path):
    files = write_sentences(MadeSentences(train=300, valid=20, test=30), tmp_path)
    train, valid, test = (
        path.read_text("utf-8").rstrip("\n").split("\n\n")
        for path in (files.train, files.valid, files.test)
    )
    assert (len(train), len(valid), len(test)) == (300, 20, 30)
    known = {one.good: one.text for one in draw_agreements(700, seed=0)}
    begun = [{known[line] for line in part} for part in (train, valid, test)]
    assert not begun[0] & (begun[1] | begun[2])
    assert not begun[1] & begun[2]


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
    for text in TEXTS:
        monkeypatch.setitem(perplexity.SIZES[text], "quick", {GPT: gpt(8, 1), LSTM: lstm(8)})
    few = MadeSentences(train=60, valid=5, test=5)
    monkeypatch.setitem(perplexity.SENTENCES, "quick", few)
    options = {"texts": str(source)}
    result = run_experiment(EXPERIMENT, "quick", tmp_path / "lab", options=options, seeds=(1,))
    for text in TEXTS:
        mine = of_text(result.measurements, text)
        assert [one["name"] for one in mine] == [GPT, LSTM, PIECES, perplexity.WORDS]
        alike = mine[:3]
        assert len({one["pieces"] for one in alike}) == 1  # the same test, cut into the same pieces
        assert len({one["entries"] for one in alike}) == 1
        words = {math.log2(one["per_word"]) / math.log2(one["per_piece"]) for one in alike}
        assert max(words) == pytest.approx(min(words))
        assert all(total == pytest.approx(1) for one in mine[2:] for total in one["sum"])
        assert mine[0]["steps"] == steps_to_read(mine[2]["seen"])
    assert result.verdicts[0].verdict == "undecided"
    assert (tmp_path / "lab" / "picture.png").stat().st_size > 1000
    assert "per word" in (tmp_path / "lab" / "table.md").read_text("utf-8")
    assert json.loads((tmp_path / "lab" / "result.json").read_text("utf-8"))["ledger"] == ["D42"]
