from collections import Counter
from string import ascii_lowercase

import pytest

from dragoman.config.corpus import FilesCorpus, LabeledCorpus, TextCorpus
from dragoman.config.tagging import TaggedCorpus
from dragoman.data.corpus.corpus import open_corpus
from dragoman.data.corpus.labeled import open_labeled
from dragoman.data.corpus.random_order import in_random_order
from dragoman.data.corpus.text import open_texts
from dragoman.tasks.tagging.corpus import open_tagged

LETTERS = [f"{a} {b}" for a in ascii_lowercase for b in ascii_lowercase]
"""A sorted corpus: 676 lines."""

WRITTEN = {
    "pairs": ("tsv", lambda line: f"{line}\t{line.upper()}\n"),
    "texts": ("txt", lambda line: f"{line}\n"),
    "labeled": ("tsv", lambda line: f"{line}\t{'first' if line < 'n' else 'second'}\n"),
    "tagged": (
        "conll",
        lambda line: "".join(f"{word}\t{word < 'n'}\n" for word in line.split()) + "\n",
    ),
}


def valid_of(kind, path, seed, **more):
    """Return the texts of the validation set, in their order."""
    match kind:
        case "pairs":
            corpus = open_corpus(FilesCorpus(train=(path,), held_out=60, **more), seed)
            return [pair.source for pair in corpus.valid]
        case "texts":
            settings = TextCorpus(train=(path,), documents="lines", held_out=0.1, **more)
            return ["\n".join(document) for document in open_texts(settings, seed).valid]
        case "labeled":
            settings = LabeledCorpus(train=(path,), held_out=0.1, **more)
            return [row.text for row in open_labeled(settings, seed).valid]
        case _:
            settings = TaggedCorpus(train=(path,), held_out=0.1, **more)
            return [one.text for one in open_tagged(settings, seed).valid]


@pytest.mark.parametrize("kind", WRITTEN)
def test_the_first_held_out_rows_of_a_sorted_corpus_are_a_random_sample(kind, tmp_path):
    ending, write = WRITTEN[kind]
    path = tmp_path / f"sorted.{ending}"
    path.write_text("".join(map(write, LETTERS)))
    found = valid_of(kind, path, seed=1)
    assert 50 < len(found) < 80
    first = [LETTERS.index(text) for text in found[:20]]
    assert first != sorted(first)
    assert min(first) < 150  # by the order of the file they would all be below 300
    assert max(first) > 500
    assert valid_of(kind, path, seed=1) == found
    assert valid_of(kind, path, seed=2)[:20] != found[:20]


@pytest.mark.parametrize("kind", WRITTEN)
def test_so_are_those_of_a_file_that_is_given(kind, tmp_path):
    ending, write = WRITTEN[kind]
    train, given = tmp_path / f"train.{ending}", tmp_path / f"given.{ending}"
    train.write_text("".join(map(write, LETTERS)))
    lines = [f"{line} {line}" for line in LETTERS]
    given.write_text("".join(map(write, lines)))
    found = valid_of(kind, train, seed=1, valid=(given,))
    assert found != lines
    assert sorted(found) == lines


def test_the_order_follows_from_the_seed_and_the_texts_alone():
    one = in_random_order(LETTERS, 3, str)
    assert one == in_random_order(reversed(LETTERS), 3, str)
    assert one != in_random_order(LETTERS, 4, str)
    assert sorted(one) == LETTERS


def test_a_text_that_recurs_comes_again_only_after_all_others():
    rows = [(text, number) for number in range(3) for text in LETTERS[: 9 - 2 * number]]
    found = in_random_order(sorted(rows), 1, lambda row: row[0])
    assert Counter(found) == Counter(rows)
    for begin, end, distinct in ((0, 9, 9), (9, 16, 7), (16, 21, 5)):
        assert len({text for text, _ in found[begin:end]}) == distinct


def test_both_directions_are_among_the_first(tmp_path):
    path = tmp_path / "sorted.tsv"
    path.write_text("".join(map(WRITTEN["pairs"][1], LETTERS)))
    languages = {"source_language": "en", "target_language": "es", "both_ways": True}
    found = valid_of("pairs", path, seed=1, **languages)[:10]
    assert [text.split()[0] for text in found] == [found[0].split()[0], found[1].split()[0]] * 5
    assert found[0].split()[0] != found[1].split()[0]
