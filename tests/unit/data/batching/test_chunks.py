"""Documents cut into chunks, and chunks packed into rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.config.batches import BatchSettings
from dragoman.core.errors import CheckpointError, DataError
from dragoman.data.batching.chunks import ChunkStream, cut
from dragoman.data.batching.endless import Position
from dragoman.data.batching.text_store import TextStore, write_texts
from dragoman.data.tokenizer.special_tokens import END, PAD, START

NEWLINE = 46
LINES = st.lists(st.lists(st.integers(50, 90), min_size=1, max_size=7), min_size=1, max_size=4)
DOCUMENTS = st.lists(LINES, min_size=1, max_size=6)


def whole(document):
    """Return the tokens of a document as a model reads it."""
    inside = [n for line in document for n in (*line, NEWLINE)][:-1]
    return [START, *inside, END]


def read_back(stream, epoch=0):
    """Return every chunk of an epoch as (read, asked), taken out of the packed rows."""
    plan = stream.plan(epoch)
    chunks = []
    for number in range(len(plan)):
        batch = stream.batch(plan, number, epoch)
        for tokens, labels, documents in zip(
            batch.tokens, batch.labels, batch.documents, strict=True
        ):
            for turn in range(1, documents.max() + 1):
                here = documents == turn
                chunks.append((tokens[here].tolist(), labels[here].tolist()))
            assert (tokens[documents == 0] == PAD).all()
            assert (labels[documents == 0] == PAD).all()
    return chunks


@settings(max_examples=60, deadline=None)
@given(DOCUMENTS, st.integers(2, 9), st.booleans())
def test_every_token_but_start_is_asked_for_exactly_once_after_the_one_before_it(
    documents, longest, packed
):
    store = TextStore.of(documents, NEWLINE)
    stream = ChunkStream(store, BatchSettings(max_tokens=20, max_length=longest), 1, packed=packed)
    asked = sorted(
        pair for read, label in read_back(stream) for pair in zip(read, label, strict=True)
    )
    expected = sorted(
        pair for d in documents for pair in zip(whole(d)[:-1], whole(d)[1:], strict=True)
    )
    assert asked == expected


@settings(max_examples=60, deadline=None)
@given(DOCUMENTS, st.integers(2, 9))
def test_packed_rows_are_never_longer_than_the_limit(documents, longest):
    stream = ChunkStream(
        TextStore.of(documents, NEWLINE),
        BatchSettings(max_tokens=20, max_length=longest),
        1,
        packed=True,
    )
    plan = stream.plan(3)
    for rows in plan.batches:
        assert len(rows) <= max(1, 20 // longest)
        assert all(stream.chunks.lengths[row].sum() <= longest for row in rows)


def test_short_chunks_share_rows_without_waste():
    store = TextStore.of([[[50] * 3]] * 40, NEWLINE)  # each is asked for four tokens
    stream = ChunkStream(store, BatchSettings(max_tokens=32, max_length=16), 1, packed=True)
    assert all(len(row) == 4 for rows in stream.plan(0).batches for row in rows)


def test_epochs_differ_and_the_same_epoch_repeats():
    documents = [[[50 + n] * (1 + n % 5)] for n in range(40)]
    store = TextStore.of(documents, NEWLINE)
    plans = [
        ChunkStream(store, BatchSettings(max_tokens=32, max_length=16), 1, packed=True)
        .plan(epoch)
        .batches
        for epoch in (0, 0, 1)
    ]
    assert plans[0] == plans[1] != plans[2]


def test_a_stream_begun_in_the_middle_goes_on_as_the_whole_one():
    store = TextStore.of([[[50 + n] * (1 + n % 5)] for n in range(40)], NEWLINE)
    stream = ChunkStream(store, BatchSettings(max_tokens=32, max_length=16), 1, packed=True)
    ends = len(stream.plan(0)) + 2
    whole_stream = stream.at(Position())
    all_of_it = [next(whole_stream) for _ in range(ends)]
    whole_stream.close()
    begun = stream.at(all_of_it[1][1])
    for batch, position in all_of_it[2:]:
        again, after = next(begun)
        assert after == position
        assert np.array_equal(again.tokens, batch.tokens)
    begun.close()


def test_nothing_to_train_on_is_said():
    stream = ChunkStream(TextStore.of([], NEWLINE), BatchSettings(), 1, packed=True)
    with pytest.raises(DataError, match="no text"):
        stream.plan(0)


@settings(max_examples=30, deadline=None)
@given(documents=DOCUMENTS)
def test_a_store_on_disk_holds_what_one_in_memory_does(tmp_path_factory, documents):
    folder = tmp_path_factory.mktemp("store")
    stored = write_texts(folder, "train", documents, newline=NEWLINE, vocab_size=100)
    kept = TextStore.of(documents, NEWLINE)
    assert len(stored) == len(kept) == len(documents)
    for number, document in enumerate(documents):
        assert stored.document(number).tolist() == whole(document)[1:-1]
        assert [line.tolist() for line in stored.sentences(number)] == document
        assert np.array_equal(stored.document(number), kept.document(number))


@pytest.mark.parametrize("part", ["tokens", "lines", "documents"])
def test_a_store_that_is_cut_off_is_refused(tmp_path, part):
    write_texts(tmp_path, "train", [[[50, 51]], [[52]]], newline=NEWLINE, vocab_size=70_000)
    path = tmp_path / f"train.{part}.bin"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(CheckpointError, match="cut off"):
        TextStore.open(tmp_path, "train")


def test_chunks_know_where_they_begin():
    chunks = cut(TextStore.of([[[50] * 5], [[51]]], NEWLINE), 4)
    assert chunks.documents.tolist() == [0, 0, 1]
    assert chunks.begins.tolist() == [0, 4, 0]
    assert chunks.lengths.tolist() == [4, 2, 2]
