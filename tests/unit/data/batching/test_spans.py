import math
from collections import Counter
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.config.batches import BatchSettings
from dragoman.config.task import SpansTaskSettings
from dragoman.data.batching.endless import Position
from dragoman.data.batching.spans import (
    SENTINELS,
    SpanCorruption,
    as_sources,
    corrupt,
    count_spans,
    longest_text,
    restore,
)
from dragoman.data.batching.store import write_store
from dragoman.data.batching.stream import BatchStream
from dragoman.data.batching.text_store import TextStore
from dragoman.data.tokenizer.special_tokens import (
    END,
    FIRST_BYTE,
    FIRST_PIECE,
    MASK,
    PAD,
    PLACEHOLDER_IDS,
    START,
)

T5 = SpansTaskSettings()
WORDS = st.integers(FIRST_BYTE, FIRST_PIECE + 20)
TASKS = st.builds(
    SpansTaskSettings, noise_density=st.floats(0.05, 0.95), mean_span_length=st.floats(1.0, 8.0)
)


def text(length, first=FIRST_PIECE):
    return np.arange(first, first + length)


def spans_of(target):
    """Return the sentinels of a target in order, and the tokens after each."""
    marks, spans = [], []
    for number in target.tolist()[:-1]:
        if number in SENTINELS:
            marks.append(number)
            spans.append([])
        else:
            spans[-1].append(number)
    return marks, spans


@settings(max_examples=100, deadline=None)
@given(st.lists(WORDS, max_size=80), TASKS, st.integers(0, 2**32 - 1))
def test_source_and_target_together_are_the_text(ids, task, seed):
    source, target = corrupt(np.array(ids, np.int64), task, np.random.default_rng(seed))
    assert restore(source, target) == ids
    assert source[-1] == target[-1] == END
    marks, spans = spans_of(target)
    assert marks == list(SENTINELS[: len(marks)])
    assert [n for n in source.tolist() if n in SENTINELS] == marks[:-1]
    assert all(spans[:-1])
    assert spans[-1] == []
    beside = [n in SENTINELS for n in source.tolist()]
    assert not any(one and other for one, other in zip(beside, beside[1:], strict=False))


@given(st.integers(2, 568))
def test_as_many_tokens_and_spans_are_cut_out_as_t5_cuts_out(length):
    noise = min(max(round(length * 0.15), 1), length - 1)
    spans = max(round(noise / 3.0), 1)
    source, target = corrupt(text(length), T5, np.random.default_rng(length))
    marks, found = spans_of(target)
    assert len(marks) - 1 == spans
    assert sum(map(len, found)) == noise
    counts = count_spans(length, T5, len(SENTINELS) - 1)
    assert (len(source), len(target)) == (counts.source, counts.target)


def test_a_source_of_512_is_made_of_568_tokens_as_with_t5():
    counts = count_spans(568, T5, len(SENTINELS) - 1)
    assert (counts.source, counts.target) == (512, 114 + 1)  # and our last sentinel
    assert longest_text(T5, 512) == 568
    assert counts.spans == len(SENTINELS) - 1


def test_the_example_of_the_paper_has_its_form():
    source, target = corrupt(
        text(10),
        SpansTaskSettings(noise_density=0.3, mean_span_length=1.5),
        np.random.default_rng(1),
    )
    x, y, z = SENTINELS[:3]
    assert [n for n in source if n in SENTINELS] == [x, y]
    assert [n for n in target if n in SENTINELS] == [x, y, z]
    assert len(source) + len(target) == 10 + 5 + 2


def test_every_token_may_be_cut_out_the_first_and_the_last_too():
    rows, times = 1500, Counter()
    for seed in range(rows):
        _, target = corrupt(
            text(8),
            SpansTaskSettings(noise_density=0.25, mean_span_length=1.0),
            np.random.default_rng(seed),
        )
        times.update(token for span in spans_of(target)[1] for token in span)
    # Of 28 pairs of places the 21 that do not touch are as likely: the ends are in 6, others in 5.
    for token in text(8).tolist():
        share = (6 if token in (text(8)[0], text(8)[-1]) else 5) / 21
        spread = 5.3 * math.sqrt(rows * share * (1 - share))
        assert abs(times[token] - rows * share) < spread


def test_all_ways_to_part_what_is_cut_out_are_as_likely():
    rows = 1500
    task = SpansTaskSettings(
        noise_density=0.5, mean_span_length=2.5
    )  # 5 tokens in 2 spans: 1+4, 2+3, 3+2, 4+1
    lengths = Counter(
        len(spans_of(corrupt(text(10), task, np.random.default_rng(seed))[1])[1][0])
        for seed in range(rows)
    )
    spread = 5.3 * math.sqrt(rows * 3 / 16)
    assert set(lengths) == {1, 2, 3, 4}
    assert all(abs(count - rows / 4) < spread for count in lengths.values())


def test_nothing_is_cut_out_of_less_than_two_tokens():
    for length in (0, 1):
        source, target = corrupt(text(length), T5, np.random.default_rng(0))
        assert source.tolist() == [*text(length), END]
        assert target.tolist() == [SENTINELS[0], END]


def test_a_sentinel_of_the_text_is_not_used():
    x, y, z = SENTINELS[:3]
    ids = np.array([x, *text(8), y])
    for seed in range(30):
        source, target = corrupt(ids, T5, np.random.default_rng(seed))
        both = Counter([*source.tolist(), *target.tolist()])
        assert (both[x], both[y]) == (1, 1)
        assert both[z] == 2
    crowded = np.array([*SENTINELS, *SENTINELS])
    source, target = corrupt(crowded, T5, np.random.default_rng(0))
    assert len(source) + len(target) > len(crowded)


def test_where_sentinels_are_few_spans_are_fewer_and_longer():
    marks = SENTINELS[:3]
    source, target = corrupt(text(100), T5, np.random.default_rng(0), marks)
    assert spans_of(target)[0] == list(marks)
    assert sum(map(len, spans_of(target)[1])) == 15
    assert restore(source, target, marks) == text(100).tolist()
    with pytest.raises(ValueError, match="at least two sentinels"):
        SpanCorruption(T5, 1, 1, sentinels=marks[:1])


def test_whatever_a_network_writes_gives_a_text():
    x, y = SENTINELS[:2]
    source = np.array([97, x, 98, y, 99, END, PAD])
    assert restore(source, np.array([95, y, 96, 96, x, END, y])) == [97, 98, 96, 96, 99]
    assert restore(source, np.array([END])) == [97, 98, 99]


def test_sentinels_are_the_placeholders_that_mark_nothing_else_from_the_last_down():
    numbers = [*range(31, 16, -1), *range(13, -1, -1)]
    assert list(SENTINELS) == [PLACEHOLDER_IDS[f"｟{number}｠"] for number in numbers]
    assert MASK not in SENTINELS


def same(one, other):
    return one.source.tolist() == other.source.tolist() and (
        one.target.tolist() == other.target.tolist()
    )


LIMITS = BatchSettings(max_tokens=60, max_length=20)


def taken(stream, position, count):
    batches = stream.at(position)
    items = list(islice(batches, count))
    batches.close()
    return items


def texts():
    sizes = [[30, 4], [1], [3, 3], [0], [57], [2], [20]]
    number, documents = FIRST_PIECE, []
    for lines in sizes:
        documents.append([])
        for size in lines:
            documents[-1].append(list(range(number, number + size)))
            number += size
    return TextStore.of(documents, FIRST_BYTE + 10)


def test_texts_are_shown_as_sources_that_fit_and_cover_every_document_evenly():
    store = texts()
    shown = as_sources(store, T5, LIMITS.max_length)
    assert longest_text(T5, LIMITS.max_length) == 21
    found = [shown.example(i) for i in range(len(shown))]
    assert all(len(target) == 0 for _, target in found)
    wanted = [store.document(n).tolist() for n in (0, 2, 4, 5, 6)]  # one token is left alone
    assert sum((source.tolist() for source, _ in found), []) == sum(wanted, [])
    assert [len(source) for source, _ in found] == [17, 18, 7, 19, 19, 19, 2, 20]


def test_a_stream_of_pairs_learns_spans_each_epoch_others():
    shown = as_sources(texts(), T5, LIMITS.max_length)
    corruption = SpanCorruption(T5, len(shown), seed=3)
    stream = BatchStream(shown, LIMITS, seed=3, changes=corruption)
    count = len(stream.plan(0))
    epochs = [taken(stream, Position(epoch), count) for epoch in (0, 1)]
    seen = []
    for epoch, items in enumerate(epochs):
        assert items[-1][1] == Position(epoch + 1)
        rows = {}
        for batch, _ in items:
            assert max(batch.source.size, batch.target[:, 1:].size) <= LIMITS.max_tokens
            assert (batch.target[:, 0] == START).all()
            for example, source, target in zip(
                batch.examples.tolist(), batch.source, batch.target, strict=True
            ):
                assert restore(source, target[1:]) == shown.example(example)[0].tolist()
                rows[example] = target.tolist()
        assert sorted(rows) == list(range(len(shown)))
        seen.append(rows)
    assert seen[0] != seen[1]
    again = BatchStream(shown, LIMITS, seed=3, changes=SpanCorruption(T5, len(shown), seed=3))
    resumed = taken(again, epochs[0][0][1], 1)[0][0]
    assert same(resumed, epochs[0][1][0])


def test_a_text_in_a_store_of_pairs_may_have_its_end(tmp_path):
    pairs = write_store(tmp_path, "train", [([*range(300, 312)], []), ([95, 96], [])])
    corruption = SpanCorruption(T5, len(pairs), seed=1)
    assert corruption.changed(0).tolist() == [0, 1]
    for index in (0, 1):
        source, target = pairs.example(index)
        read, written = corruption(source, target, 0, index)
        assert source[-1] == END
        assert restore(read, written) == source[:-1].tolist()
