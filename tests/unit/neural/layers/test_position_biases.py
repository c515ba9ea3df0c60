"""Positions that attention knows by what its scores gain."""

import pytest
import torch
from hypothesis import given
from hypothesis import settings as cases
from hypothesis import strategies as st
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.t5.modeling_t5 import T5Attention

from dragoman.neural.layers.alibi import Alibi, alibi_slopes
from dragoman.neural.layers.attention import Attention
from dragoman.neural.layers.relative_position_bias import RelativePositionBias
from dragoman.neural.layers.shaw import ShawPositionBias
from dragoman.neural.layers.t5_bias import T5Bias

HEADS, WIDTH, REACH = 4, 16, 3
KINDS = {
    "offsets": lambda: RelativePositionBias(HEADS, REACH),
    "alibi": lambda: Alibi(HEADS),
    "t5": lambda: T5Bias(HEADS, 8, 12, causal=False),
    "t5 looking back": lambda: T5Bias(HEADS, 8, 12, causal=True),
    "shaw": lambda: ShawPositionBias(WIDTH // HEADS, REACH),
}
EVERY = pytest.mark.parametrize("kind", KINDS)


def drawn(kind):
    torch.manual_seed(2)
    gain = KINDS[kind]()
    for weight in gain.parameters():
        torch.nn.init.normal_(weight)
    return gain


def some(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def count(end, start=0):
    return torch.arange(start, end)[None]


@EVERY
@given(shift=st.integers(0, 200))
@cases(max_examples=10, deadline=None)
def test_the_gain_knows_only_the_distance(kind, shift):
    gain, q = drawn(kind), some(1, HEADS, 5, 4)
    here = gain(q, count(5), count(9))
    assert torch.equal(gain(q, count(5) + shift, count(9) + shift), here)


@EVERY
def test_each_row_may_stand_elsewhere(kind):
    gain, q = drawn(kind), some(2, HEADS, 1, 4)
    queries, keys = torch.tensor([[4], [7]]), torch.stack((torch.arange(9), torch.arange(3, 12)))
    both = gain(q, queries, keys)
    for row in range(2):
        alone = gain(q[row : row + 1], queries[row : row + 1], keys[row : row + 1])
        torch.testing.assert_close(both[row], alone[0])


@EVERY
@pytest.mark.parametrize("causal", [False, True])
def test_one_late_query_looks_as_among_all(kind, causal):
    attention = Attention(WIDTH, HEADS, position_bias=drawn(kind)).eval()
    x = some(2, 6, WIDTH)
    whole = attention(x, x, causal=causal)
    seen = x[:, :5] if causal else x
    alone = attention.attend_to(
        x[:, 4:5], attention.project_keys_values(seen), places=torch.tensor([[4]])
    )
    torch.testing.assert_close(alone, whole[:, 4:5])


@EVERY
def test_the_gradient_is_the_slope(kind):
    layer = Attention(4, 2, position_bias=None)
    gain = {"shaw": lambda: ShawPositionBias(2, 2), "offsets": lambda: RelativePositionBias(2, 2)}
    layer.offsets = gain.get(kind, lambda: T5Bias(2, 4, 3, causal=kind == "t5 looking back"))()
    layer = layer.double()
    x = some(2, 4, 4).double()
    weights = tuple(layer.parameters())
    assert torch.autograd.gradcheck(lambda *_: layer(x, x, causal=True), weights, fast_mode=True)


@pytest.mark.parametrize("heads", [1, 2, 3, 4, 6, 8, 12, 16, 20])
def test_bloom_has_the_same_slopes(heads):
    theirs = build_alibi_tensor(torch.ones(1, 2), heads, torch.float32)[:, 0, 1]
    torch.testing.assert_close(torch.tensor(alibi_slopes(heads)), theirs)


def test_alibi_has_nothing_to_learn_and_nothing_to_store():
    assert not Alibi(4).state_dict()


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("buckets", "reach"), [(32, 128), (8, 6), (16, 40), (4, 3)])
def test_t5_sorts_offsets_into_the_same_buckets(causal, buckets, reach):
    ours = T5Bias(1, buckets, reach, causal=causal)
    offset = torch.arange(-reach, reach + 1)
    theirs = T5Attention._relative_position_bucket(offset, not causal, buckets, reach)
    seen = offset <= 0 if causal else offset < reach + 1
    assert torch.tensor(ours.buckets)[seen].tolist() == theirs[seen].tolist()


def test_shaw_is_a_vector_added_to_each_key():
    gain, q, k = drawn("shaw"), some(2, HEADS, 5, 4), some(2, HEADS, 5, 4, seed=1)
    offset = (torch.arange(5)[None] - torch.arange(5)[:, None]).clamp(-REACH, REACH)
    keys = k[:, :, None] + gain.table[offset + REACH]  # b h t s k
    wanted = (q[:, :, :, None] * keys).sum(-1) / 2
    found = q @ k.transpose(-2, -1) / 2 + gain(q, count(5), count(5))
    torch.testing.assert_close(found, wanted)
