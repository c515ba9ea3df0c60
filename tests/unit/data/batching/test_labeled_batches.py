import numpy as np
import pytest

from dragoman.config.batches import BatchSettings
from dragoman.core.errors import DataError
from dragoman.data.batching.endless import Position
from dragoman.data.batching.labeled import LabeledStream, gather, row_of
from dragoman.data.batching.store import write_store
from dragoman.data.tokenizer.special_tokens import END, PAD, START, SpecialTokens

SETTINGS = BatchSettings(max_tokens=40, max_length=8)
LENGTHS = [1, 2, 3, 5, 6, 7, 12, 30, 4, 4, 2, 1]


@pytest.fixture
def store(tmp_path):
    examples = [([100 + n] * length, [n % 3]) for n, length in enumerate(LENGTHS)]
    return write_store(tmp_path, "train", examples)


def epoch_of(stream, epoch):
    plan = stream.plan(epoch)
    return [stream.batch(plan, number, epoch) for number in range(len(plan))]


def test_a_row_is_the_text_between_two_marks():
    assert row_of([7, 8], 8).tolist() == [START, 7, 8, END]
    assert row_of([], 8).tolist() == [START, END]
    assert row_of([7, 8], 8, SpecialTokens(start=101, end=102)).tolist() == [101, 7, 8, 102]


def test_a_long_text_is_cut_and_still_has_its_end():
    assert row_of([*range(10, 30)], 5).tolist() == [START, 10, 11, 12, END]
    assert row_of([10, 11, 12], 5).tolist() == [START, 10, 11, 12, END]
    assert row_of([10], 2).tolist() == [START, END]


def test_every_text_comes_once_an_epoch_with_its_class(store):
    batches = epoch_of(LabeledStream(store, SETTINGS, 1), 0)
    seen = [example for batch in batches for example in batch.examples.tolist()]
    assert sorted(seen) == [*range(len(LENGTHS))]
    for batch in batches:
        for tokens, label, example in zip(batch.tokens, batch.classes, batch.examples, strict=True):
            inside = min(LENGTHS[example], SETTINGS.max_length - 2)
            rest = batch.tokens.shape[1] - inside - 2
            assert tokens.tolist() == [START, *[100 + example] * inside, END, *[PAD] * rest]
            assert label == example % 3


def test_batches_keep_to_the_budget_and_say_their_lengths(store):
    for batch in epoch_of(LabeledStream(store, SETTINGS, 1), 2):
        assert batch.tokens.size <= SETTINGS.max_tokens
        assert batch.lengths.tolist() == (batch.tokens != PAD).sum(1).tolist()


def test_the_stream_goes_on_anywhere_as_if_it_had_not_stopped(store):
    stream = LabeledStream(store, SETTINGS, 5)
    whole = stream.at(Position())
    taken = [next(whole) for _ in range(9)]
    whole.close()
    later = stream.at(taken[3][1])
    again = [next(later) for _ in range(5)]
    later.close()
    for (one, place), (other, same) in zip(taken[4:], again, strict=True):
        assert place == same
        assert np.array_equal(one.tokens, other.tokens)
        assert np.array_equal(one.classes, other.classes)


def test_gathered_rows_keep_their_number_and_class():
    rows = [row_of([9] * n, 8) for n in (1, 5, 2)]
    batches = gather(
        rows, [4, 5, 6], BatchSettings(max_tokens=8, max_length=8), SpecialTokens(padding=77)
    )
    found = {int(e): int(c) for b in batches for e, c in zip(b.examples, b.classes, strict=True)}
    assert found == {0: 4, 1: 5, 2: 6}
    assert gather([], [], SETTINGS) == []


def test_padding_is_that_of_the_vocabulary():
    rows = [row_of([9] * n, 8) for n in (1, 3)]
    (batch,) = gather(rows, [0, 1], SETTINGS, SpecialTokens(padding=77))
    assert sorted(batch.tokens[:, -1].tolist()) == [END, 77]


def test_nothing_to_train_on_is_said(tmp_path):
    with pytest.raises(DataError, match="no text to train on"):
        LabeledStream(write_store(tmp_path, "none", []), SETTINGS, 1).plan(0)
