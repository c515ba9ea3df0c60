import threading
import time
from itertools import islice

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.config.batches import BatchSettings
from dragoman.config.tokenizer import BpeTokenizerSettings
from dragoman.core.errors import DataError
from dragoman.data.batching.dropout import bpe_dropout
from dragoman.data.batching.store import write_store
from dragoman.data.batching.stream import BatchStream, Position
from dragoman.data.formats.pair import Pair
from dragoman.data.tokenizer.train import train_tokenizer_pair

LIMITS = BatchSettings(max_tokens=40, window=16)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    random = np.random.default_rng(0)
    examples = [
        (
            random.integers(4, 90, random.integers(1, 9)),
            random.integers(4, 90, random.integers(1, 9)),
        )
        for _ in range(50)
    ]
    return write_store(tmp_path_factory.mktemp("store"), "train", examples)


def taken(stream, position, count):
    batches = stream.at(position)
    items = list(islice(batches, count))
    batches.close()
    return items


def same(one, other):
    return one[1] == other[1] and all(
        np.array_equal(getattr(one[0], key), getattr(other[0], key))
        for key in ("source", "target", "examples")
    )


def workers():
    return [thread for thread in threading.enumerate() if thread.name == "batches"]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 40))
def test_a_stream_goes_on_anywhere_as_if_it_had_never_stopped(store, stop):
    stream = BatchStream(store, LIMITS, seed=4)
    whole = taken(stream, Position(), stop + 5)
    position = whole[stop - 1][1] if stop else Position()
    rest = taken(BatchStream(store, LIMITS, seed=4), position, 5)
    assert all(same(a, b) for a, b in zip(whole[stop:], rest, strict=True))


def test_every_example_comes_exactly_once_per_epoch(store):
    stream = BatchStream(store, LIMITS, seed=1)
    sizes = [len(stream.plan(epoch)) for epoch in (0, 1)]
    items = taken(stream, Position(), sum(sizes))
    for epoch, part in enumerate((items[: sizes[0]], items[sizes[0] :])):
        assert sorted(i for batch, _ in part for i in batch.examples) == list(range(50))
        assert part[-1][1] == Position(epoch + 1, 0)
        assert part[0][1] == Position(epoch, 1)


def test_a_batch_holds_what_the_store_holds(store):
    batch, _ = taken(BatchStream(store, LIMITS, seed=1), Position(), 1)[0]
    for row, example in enumerate(batch.examples):
        source, target = store.example(int(example))
        assert batch.source[row][: len(source)].tolist() == source.tolist()
        assert batch.target[row][1 : len(target) + 1].tolist() == target.tolist()


def test_closing_the_iterator_ends_its_thread(store):
    batches = BatchStream(store, LIMITS, seed=1).at(Position())
    assert not workers()
    next(batches)
    assert len(workers()) == 1
    batches.close()
    assert not workers()


def test_an_error_in_the_thread_reaches_the_one_who_waits(store):
    def broken(source, target, epoch, example):
        raise RuntimeError(f"example {example}")

    with pytest.raises(RuntimeError, match="example"):
        next(BatchStream(store, LIMITS, seed=1, resegment=broken).at(Position()))
    assert not workers()
    nothing = BatchStream(store, BatchSettings(max_length=2, max_tokens=1), seed=1)
    nothing.settings = BatchSettings.model_construct(max_length=0, max_tokens=1, window=1)
    with pytest.raises(DataError, match="no example is left to train on: 50 are longer"):
        next(nothing.at(Position()))


def test_batches_are_prepared_while_the_network_computes(store):
    made = []

    def slow(source, target, epoch, example):
        made.append(example)
        return source, target

    batches = BatchStream(store, LIMITS, seed=1, resegment=slow).at(Position())
    batch, _ = next(batches)
    limit = time.monotonic() + 5
    while len(made) <= len(batch.examples) and time.monotonic() < limit:
        time.sleep(0.01)
    batches.close()
    assert len(made) > len(batch.examples)


def test_dropout_depends_on_seed_epoch_and_example_alone(tmp_path):
    pairs = [Pair(f"lower newest widest {n}", f"banana bananas {n}") for n in range(30)]
    tokenizer = train_tokenizer_pair(BpeTokenizerSettings(vocab_size=400), pairs)
    store = write_store(
        tmp_path,
        "train",
        ((tokenizer.source.encode(s), tokenizer.target.encode(t)) for s, t in pairs),
    )
    limits = BatchSettings(max_tokens=200)
    assert bpe_dropout(tokenizer, 0.0, seed=1) is None
    stream = BatchStream(store, limits, 1, bpe_dropout(tokenizer, 0.5, seed=1))
    count = len(stream.plan(0))
    whole = taken(stream, Position(), 2 * count)
    again = taken(stream, Position(0, 2), 2 * count - 2)
    assert all(same(a, b) for a, b in zip(whole[2:], again, strict=True))
    seen = set()
    for batch, _ in whole:
        for row, example in enumerate(batch.examples):
            assert tokenizer.source.decode(batch.source[row]) == pairs[example].source
            assert tokenizer.target.decode(batch.target[row]) == pairs[example].target
            if example == 7:
                seen.add(tuple(n for n in batch.source[row] if n))
    assert len(seen) == 2


def test_pieces_that_would_be_too_many_are_left_as_they_were(store):
    def longer(source, target, epoch, example):
        return [5] * 99, [5] * 99

    limits = BatchSettings(max_tokens=40, window=16, max_length=20)
    plain = taken(BatchStream(store, limits, seed=1), Position(), 3)
    guarded = taken(BatchStream(store, limits, seed=1, resegment=longer), Position(), 3)
    assert all(same(a, b) for a, b in zip(plain, guarded, strict=True))
