from itertools import groupby

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.config.batches import BatchSettings
from dragoman.config.task import MaskedTaskSettings
from dragoman.core.errors import ConfigError, DataError
from dragoman.data.batching.endless import Position
from dragoman.data.batching.masked_stream import masked_stream
from dragoman.data.batching.sentences import FullSentences, NextSentences, cut_lines, fit_segments
from dragoman.data.batching.text_store import TextStore
from dragoman.data.tokenizer.special_tokens import END, PAD, START, SpecialTokens
from dragoman.data.tokenizer.words import WordTokenizer

NEWLINE = 9
DOCUMENTS = st.lists(st.lists(st.integers(0, 9), max_size=6), max_size=6)


def store_of(sizes):
    """Return documents with lines of so many tokens, no two of which are equal, and the lines."""
    number, documents = 100, []
    for lines in sizes:
        document = []
        for size in lines:
            document.append(list(range(number, number + size)))
            number += size
        documents.append(document)
    return TextStore.of(documents, NEWLINE), documents


def parts(row):
    """Return the documents of a row, each without its marks."""
    found = []
    for _, group in groupby(
        zip(row.documents.tolist(), row.tokens.tolist(), strict=True), lambda p: p[0]
    ):
        tokens = [token for _, token in group]
        assert (tokens[0], tokens[-1]) == (START, END)
        found.append(tokens[1:-1])
    return found


@settings(max_examples=100, deadline=None)
@given(DOCUMENTS, st.integers(1, 12))
def test_lines_are_those_of_the_store_cut_where_they_are_too_long(sizes, longest):
    store, documents = store_of(sizes)
    pieces = cut_lines(store, longest)
    wanted = [
        (number, line[begin : begin + longest])
        for number, document in enumerate(documents)
        for line in document
        for begin in range(0, len(line), longest)
    ]
    found = zip(pieces.documents, pieces.begins, pieces.ends, strict=True)
    assert [(int(d), store.tokens[a:b].tolist()) for d, a, b in found] == wanted


@settings(max_examples=100, deadline=None)
@given(DOCUMENTS, st.integers(3, 24))
def test_every_sentence_stands_once_in_an_epoch_and_in_order(sizes, longest):
    store, documents = store_of(sizes)
    full = FullSentences(store, longest)
    rows = [full.row(0, example) for example in range(len(full))]
    assert [len(row) for row in rows] == full.lengths(0).tolist()
    assert all(len(row) <= longest for row in rows)
    found = [token for row in rows for part in parts(row) for token in part]
    assert found == [token for document in documents for line in document for token in line]


@settings(max_examples=100, deadline=None)
@given(DOCUMENTS)
def test_no_part_of_a_row_crosses_documents_and_lines_that_fit_stay_whole(sizes):
    store, documents = store_of(sizes)
    full = FullSentences(store, 14)
    of = {token: n for n, lines in enumerate(documents) for line in lines for token in line}
    lines = [tuple(line) for document in documents for line in document if line]
    for example in range(len(full)):
        row = full.row(0, example)
        assert row.documents[0] == 1
        assert set(np.diff(row.documents)) <= {0, 1}
        for part in parts(row):
            assert len({of[token] for token in part}) == 1
            begins = [n for n, line in enumerate(lines) if line[0] in part]
            assert part == [token for n in begins for token in lines[n]]


def test_rows_are_as_full_as_whole_sentences_let_them_be():
    store, _ = store_of([[3, 3, 3], [2], [4, 4]])
    assert FullSentences(store, 10).lengths(0).tolist() == [8, 9, 10]
    tokens = FullSentences(store, 10).row(0, 1).tokens.tolist()
    assert tokens == [START, 106, 107, 108, END, START, 109, 110, END]


def ruler(sizes, room):
    """Cut the longer one, token by token, as BERT does."""
    one, other = sizes
    while one + other > room:
        if one > other:
            one -= 1
        else:
            other -= 1
    return one, other


@given(st.tuples(st.integers(1, 60), st.integers(1, 60)), st.integers(2, 70))
def test_of_two_segments_the_longer_is_cut(sizes, room):
    assert fit_segments(*sizes, room) == ruler(sizes, room)


PARAGRAPHS = [[4, 3, 5, 2, 6], [7], [2, 2], [3, 4, 3, 1, 2, 5, 3, 4]]


def segments(row):
    """Return the two segments of a pair without their marks."""
    tokens, sides = row.tokens, row.segments
    one, other = tokens[sides == 0].tolist(), tokens[sides == 1].tolist()
    assert (one[0], one[-1], other[-1]) == (START, END, END)
    assert sides.tolist() == [0] * len(one) + [1] * len(other)
    return one[1:-1], other[:-1]


def test_a_pair_is_two_runs_of_lines_that_truly_follow_or_are_of_other_documents():
    store, documents = store_of(PARAGRAPHS)
    of = {token: n for n, lines in enumerate(documents) for line in lines for token in line}
    ends = {line[-1] for document in documents for line in document}
    starts = {line[0] for document in documents for line in document}
    pairs = NextSentences(store, 16, seed=1)
    for epoch in range(60):
        lengths = pairs.lengths(epoch)
        for example in range(len(pairs)):
            row = pairs.row(epoch, example)
            assert len(row) == lengths[example] <= 16
            one, other = segments(row)
            assert len({of[token] for token in one}) == len({of[token] for token in other}) == 1
            assert one == list(range(one[0], one[-1] + 1))
            assert other == list(range(other[0], other[-1] + 1))
            assert one[-1] in ends
            assert other[0] in starts
            assert row.follows == (other[0] == one[-1] + 1 and of[one[0]] == of[other[0]])
            assert row.follows or of[one[0]] != of[other[0]]


def test_a_segment_from_elsewhere_is_as_long_as_the_true_one_where_it_can_be():
    store, _ = store_of([[5, 5, 5, 5]] * 4)
    pairs = NextSentences(store, 23, seed=2)
    assert len(pairs) == 4
    assert {int(n) for epoch in range(30) for n in pairs.lengths(epoch)} <= {13, 18, 23}
    full = [n for epoch in range(30) for n in pairs.lengths(epoch)]
    assert full.count(23) > len(full) / 2


def test_runs_fill_rows_have_two_lines_at_least_and_leave_nothing_out():
    store, _ = store_of([[3, 3, 3, 3, 3], [9, 9, 9], [1], [2, 2]])
    pairs = NextSentences(store, 11, seed=1)  # room for 8, so 9 is cut in two
    found = [[pairs.pieces.sizes[n] for n in range(*run)] for run in pairs.runs.tolist()]
    assert found == [[3, 3, 3], [3, 3], [8, 1], [8, 1], [8, 1], [2, 2]]


def test_a_single_line_left_over_goes_with_those_before_it():
    store, _ = store_of([[4, 4, 4], [1, 1]])
    assert NextSentences(store, 11, seed=1).runs.tolist() == [[0, 3], [3, 5]]


def test_pairs_depend_on_seed_epoch_and_example_and_can_be_fixed():
    store, _ = store_of(PARAGRAPHS)

    def seen(epoch, seed=3, every_epoch=True):
        pairs = NextSentences(store, 16, seed, every_epoch=every_epoch)
        return [pairs.row(epoch, example).tokens.tolist() for example in range(len(pairs))]

    assert seen(1) == seen(1)
    assert seen(1) != seen(2)
    assert seen(1) != seen(1, seed=4)
    assert seen(1, every_epoch=False) == seen(2, every_epoch=False) == seen(0)


@pytest.mark.parametrize("sizes", [[], [[4, 4]], [[4], [4], [4]]])
def test_without_several_documents_of_several_lines_nothing_follows(sizes):
    with pytest.raises(DataError, match=r"documents = 'paragraphs'.*next_sentence = false"):
        NextSentences(store_of(sizes)[0], 16, seed=1)


def test_a_row_must_have_room_for_words():
    store, _ = store_of(PARAGRAPHS)
    with pytest.raises(ConfigError, match="batches.max_length = 2 leaves no room .* Set it to 3"):
        FullSentences(store, 2)
    with pytest.raises(ConfigError, match="batches.max_length = 4 leaves no room .* Set it to 5"):
        NextSentences(store, 4, seed=1)


def test_marks_are_those_of_the_vocabulary():
    store, _ = store_of([[1, 1], [1, 1]])
    theirs = SpecialTokens(start=50, end=51)
    assert FullSentences(store, 5, special=theirs).row(0, 0).tokens.tolist() == [
        50,
        100,
        101,
        51,
    ]
    pair = NextSentences(store, 5, seed=1, special=theirs).row(0, 0).tokens.tolist()
    assert [pair[0], pair[2], pair[4]] == [50, 51, 51]


WORDS = WordTokenizer([f"w{number}" for number in range(60)])


def stream(**changes):
    rng = np.random.default_rng(1)
    sizes = [rng.integers(1, 6, rng.integers(1, 5)).tolist() for _ in range(12)]
    store = TextStore.of(
        [[rng.integers(292, WORDS.size, n).tolist() for n in lines] for lines in sizes], NEWLINE
    )
    limits = BatchSettings(max_tokens=40, max_length=12)
    return masked_stream(MaskedTaskSettings(**changes), store, WORDS, limits, seed=5)


@pytest.mark.parametrize("next_sentence", [True, False])
def test_a_stream_holds_every_row_once_per_epoch_and_can_begin_anywhere(next_sentence):
    one = stream(next_sentence=next_sentence)
    plan = one.plan(0)
    batches = one.at(Position())
    whole = [next(batches) for _ in range(len(plan) + 2)]
    batches.close()
    examples = [n for batch, _ in whole[: len(plan)] for n in batch.examples.tolist()]
    assert sorted(examples) == list(range(len(one.rows)))
    for batch, _ in whole:
        assert batch.tokens.size <= 40
        assert ((batch.documents == 0) == (batch.tokens == PAD)).all()
        assert (batch.labels != PAD).any(axis=1).all()
        assert (batch.follows is not None) == next_sentence
    again = stream(next_sentence=next_sentence).at(whole[1][1])
    resumed = next(again)[0]
    again.close()
    assert resumed.tokens.tolist() == whole[2][0].tokens.tolist()
    assert resumed.labels.tolist() == whole[2][0].labels.tolist()


def test_a_stream_without_text_is_refused():
    empty = masked_stream(
        MaskedTaskSettings(), TextStore.of([], NEWLINE), WORDS, BatchSettings(), seed=1
    )
    with pytest.raises(DataError, match="no text to train on"):
        empty.plan(0)
