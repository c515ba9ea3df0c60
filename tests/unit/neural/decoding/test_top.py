"""The largest few of many numbers, found by blocks."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.neural.decoding.top import BLOCK, FEW, WORTH_IT, top


@settings(max_examples=50, deadline=None)
@given(
    rows=st.integers(1, 2 * FEW),
    width=st.integers(WORTH_IT - 2, WORTH_IT + 2 * BLOCK),
    count=st.integers(1, 12),
    seed=st.integers(0, 99),
)
def test_blocks_find_what_sorting_finds(rows, width, count, seed):
    scores = torch.randn(rows, width, generator=torch.Generator().manual_seed(seed))
    values, places = top(scores, count)
    wanted = scores.topk(count, dim=1)
    assert torch.equal(values, wanted.values)
    assert torch.equal(places, wanted.indices)


def test_the_best_may_all_stand_in_one_block():
    scores = torch.zeros(FEW, WORTH_IT)
    scores[:, BLOCK : BLOCK + 5] = torch.arange(5.0) + 1
    assert top(scores, 5)[1].tolist() == [[BLOCK + n for n in (4, 3, 2, 1, 0)]] * FEW


def test_a_row_that_is_forbidden_but_for_one_token_gives_that_one_first():
    scores = torch.full((FEW, WORTH_IT + 3), -torch.inf)
    scores[:, -1] = -2.0
    values, places = top(scores, 3)
    assert places[:, 0].tolist() == [WORTH_IT + 2] * FEW
    assert values[:, 1:].isneginf().all()


def test_what_is_no_number_is_found():
    scores = torch.zeros(FEW, WORTH_IT)
    scores[3, 77] = torch.nan
    assert top(scores, 2)[0][3].isnan().any()


@pytest.mark.parametrize("width", [1, 3])
def test_fewer_than_asked_for_are_all_there_are(width):
    assert top(torch.zeros(2, width), 5)[0].shape == (2, width)
