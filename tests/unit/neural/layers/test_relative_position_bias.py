import math

import torch
from hypothesis import given
from hypothesis import strategies as st

from dragoman.neural.layers.attention import Attention, attention_weights
from dragoman.neural.layers.relative_position_bias import RelativePositionBias

HEADS, REACH, WIDTH = 4, 3, 16


def gains(bias, queries, keys, start=0):
    """What the scores gain, for queries at start, start+1, … and keys at 0, 1, …"""
    q = torch.zeros(1, HEADS, queries, 4)
    return bias(q, start + torch.arange(queries)[None], torch.arange(keys)[None])[0]


def drawn(reach=REACH):
    bias = RelativePositionBias(HEADS, reach)
    torch.nn.init.normal_(bias.table, generator=torch.Generator().manual_seed(3))
    return bias


@given(queries=st.integers(1, 9), keys=st.integers(1, 9), start=st.integers(0, 9))
def test_the_gain_depends_on_head_and_offset_only_up_to_the_reach(queries, keys, start):
    bias = drawn()
    gained = gains(bias, queries, keys, start)
    for i in range(queries):
        for j in range(keys):
            offset = max(-REACH, min(REACH, j - (start + i)))
            assert torch.equal(gained[:, i, j], bias.table[:, offset + REACH])


def test_scores_gain_it_before_the_softmax():
    q = k = torch.randn(2, HEADS, 5, 4, generator=torch.Generator().manual_seed(1))
    bias = gains(drawn(), 5, 5)[None]
    wanted = (q @ k.transpose(-2, -1) / math.sqrt(4) + bias).softmax(-1)
    torch.testing.assert_close(attention_weights(q, k, None, bias, causal=False), wanted)


def test_a_single_late_query_sees_what_it_sees_among_all():
    torch.manual_seed(2)
    attention = Attention(WIDTH, HEADS, position_bias=drawn()).eval()
    x = torch.randn(2, 6, WIDTH)
    whole = attention(x, x)
    alone = attention.attend_to(
        x[:, 4:5], attention.project_keys_values(x), places=torch.tensor([[4]])
    )
    torch.testing.assert_close(alone, whole[:, 4:5])


def test_heads_begin_by_looking_back_ahead_around_and_anywhere():
    bias = RelativePositionBias(HEADS, REACH)
    bias.initialize_bidirectional()
    middle = gains(bias, 7, 7).softmax(-1)[:, 3]  # where the fourth of seven looks
    assert middle[0].argmax() == 2
    assert middle[1].argmax() == 4
    assert middle[2].argmax() == 3
    torch.testing.assert_close(middle[3], torch.full((7,), 1 / 7))


def test_source_attention_begins_near_the_diagonal():
    bias = RelativePositionBias(HEADS, REACH)
    bias.initialize_cross()
    assert torch.equal(gains(bias, 7, 7).argmax(-1), torch.arange(7).expand(HEADS, 7))
    first, *_, last = gains(bias, 7, 7).softmax(-1)[:, 3].amax(-1)
    assert first > last


def test_a_sentence_means_the_same_wherever_it_begins():
    bias = drawn()
    assert torch.equal(gains(bias, 4, 9, 2)[:, :, 1:], gains(bias, 4, 8, 1))
