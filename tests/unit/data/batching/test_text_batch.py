import numpy as np
import pytest

from dragoman.data.batching.text_batch import TextRow, make_text_batch


def numbers(*values):
    return np.array(values, dtype=np.int64)


def test_rows_are_filled_up_to_the_longest():
    pair = TextRow(
        tokens=numbers(2, 7, 3, 8, 3),
        labels=numbers(0, 9, 0, 0, 0),
        segments=numbers(0, 0, 0, 1, 1),
    )
    packed = TextRow(tokens=numbers(2, 3, 2, 3), documents=numbers(1, 1, 2, 2))
    batch = make_text_batch([pair, packed, TextRow(numbers())], examples=[4, 9, 1])
    assert batch.tokens.tolist() == [[2, 7, 3, 8, 3], [2, 3, 2, 3, 0], [0] * 5]
    assert batch.labels.tolist() == [[0, 9, 0, 0, 0], [0] * 5, [0] * 5]
    assert batch.documents.tolist() == [[1] * 5, [1, 1, 2, 2, 0], [0] * 5]
    assert batch.segments.tolist() == [[0, 0, 0, 1, 1], [0] * 5, [0] * 5]
    assert batch.examples.tolist() == [4, 9, 1]
    assert batch.follows is None
    parts = (batch.tokens, batch.labels, batch.documents, batch.segments, batch.examples)
    assert {part.dtype for part in parts} == {np.dtype(np.int64)}


def test_another_vocabulary_has_another_padding():
    rows = [TextRow(numbers(5, 6)), TextRow(numbers(5))]
    batch = make_text_batch(rows, padding=1)
    assert batch.tokens.tolist() == [[5, 6], [5, 1]]
    assert (batch.labels == 1).all()
    assert batch.documents.tolist() == [[1, 1], [1, 0]]
    assert batch.examples.tolist() == [0, 1]


def test_a_batch_of_pairs_knows_which_ones_belong_together():
    rows = [TextRow(numbers(5), follows=answer) for answer in (1, 0, 1)]
    assert make_text_batch(rows).follows.tolist() == [1, 0, 1]
    with pytest.raises(ValueError, match="some rows of a batch are pairs, and some are not"):
        make_text_batch([*rows, TextRow(numbers(5))])


def test_no_rows_are_an_empty_batch():
    assert make_text_batch([]).tokens.shape == (0, 0)
