import pytest
import torch
from hypothesis import given
from hypothesis import settings as cases
from hypothesis import strategies as st
from tests.oracles import copy_attention, scramble
from torch import nn

from dragoman.core.errors import ConfigError
from dragoman.neural.layers.attention import (
    Attention,
    HeadShape,
    attend_fast,
    attend_written_out,
    attention_weights,
)
from dragoman.neural.layers.rotary import Rotary

WIDTH, HEADS = 16, 4


@pytest.fixture
def attention():
    torch.manual_seed(1)
    return scramble(Attention(WIDTH, HEADS)).eval()


def some(*shape, seed=0, dtype=torch.float32, grad=False):
    drawn = torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)
    return drawn.requires_grad_(grad)


def visible(rows, queries, keys, seed=0):
    """A random mask in which every query sees at least the first key."""
    mask = some(rows, queries, keys, seed=seed) > 0
    mask[..., 0] = True
    return mask


@pytest.mark.parametrize("masked", ["nothing", "keys", "queries and keys"])
@pytest.mark.parametrize(
    ("queries", "keys", "causal"), [(5, 5, False), (5, 5, True), (3, 7, False), (1, 6, False)]
)
def test_the_fast_way_equals_the_written_out(masked, queries, keys, causal):
    mask = {
        "nothing": None,
        "keys": visible(2, 1, keys).unsqueeze(1),
        "queries and keys": visible(2, queries, keys).unsqueeze(1),
    }[masked]
    results = []
    for attend in (attend_fast, attend_written_out):
        q = some(2, HEADS, queries, 4, seed=1, grad=True)
        k, v = (some(2, HEADS, keys, 4, seed=seed, grad=True) for seed in (2, 3))
        mixed = attend(q, k, v, mask, None, causal, 0.0)
        (mixed * some(*mixed.shape, seed=4)).sum().backward()
        results.append((mixed, q.grad, k.grad, v.grad))
    for fast, written_out in zip(*results, strict=True):
        torch.testing.assert_close(fast, written_out)


@given(queries=st.integers(1, 6), keys=st.integers(1, 6), seed=st.integers(0, 99))
@cases(max_examples=25, deadline=None)
def test_every_row_of_the_weights_sums_to_one(queries, keys, seed):
    q, k = some(2, 3, queries, 4, seed=seed), some(2, 3, keys, 4, seed=seed + 1)
    weights = attention_weights(
        q, k, visible(2, queries, keys, seed).unsqueeze(1), None, causal=False
    )
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 3, queries))
    assert weights.ge(0).all()


def test_a_hidden_position_has_no_weight():
    mask = visible(2, 5, 5).unsqueeze(1)
    weights = attention_weights(some(2, 3, 5, 4), some(2, 3, 5, 4), mask, None, causal=True)
    future = torch.ones(5, 5, dtype=torch.bool).triu(1)
    assert not weights[(~mask | future).expand_as(weights)].any()


def test_a_hidden_position_has_no_influence(attention):
    x, memory = some(2, 3, WIDTH), some(2, 5, WIDTH, seed=1)
    mask = torch.tensor([True, True, True, True, False]).expand(2, 3, 5)
    before = attention(x, memory, mask)
    memory[:, -1] = 1e3
    torch.testing.assert_close(attention(x, memory, mask), before, rtol=0, atol=0)


def test_a_visible_position_has_influence(attention):
    x, memory = some(2, 3, WIDTH), some(2, 5, WIDTH, seed=1)
    before = attention(x, memory)
    memory[:, -1] += 1.0
    assert (attention(x, memory) - before).abs().amax(dim=(1, 2)).gt(1e-3).all()


def test_the_future_has_no_influence(attention):
    x = some(2, 5, WIDTH)
    before = attention(x, x, causal=True)
    changed = x.clone()
    changed[:, 3:] = 1e3
    after = attention(changed, changed, causal=True)
    torch.testing.assert_close(after[:, :3], before[:, :3], rtol=0, atol=0)


def test_the_order_of_the_memory_does_not_matter(attention):
    x, memory = some(2, 3, WIDTH), some(2, 5, WIDTH, seed=1)
    turned = memory[:, [4, 2, 0, 1, 3]]
    torch.testing.assert_close(attention(x, turned), attention(x, memory))


def test_looking_at_what_was_offered_is_attending(attention):
    x, memory = some(2, 3, WIDTH), some(2, 5, WIDTH, seed=1)
    assert torch.equal(
        attention.attend_to(x, attention.project_keys_values(memory)), attention(x, memory)
    )


@pytest.mark.parametrize(
    ("shape", "rotary"),
    [(HeadShape(), None), (HeadShape(biases=False), Rotary(4)), (HeadShape(1, 6, 2), Rotary(6))],
)
def test_one_product_for_queries_keys_and_values_is_three(shape, rotary):
    torch.manual_seed(1)
    attention = scramble(Attention(WIDTH, HEADS, shape, rotary=rotary)).double()
    seen = []
    for training in (True, False):
        x = some(2, 5, WIDTH, dtype=torch.float64, grad=True)
        attention.train(training).zero_grad(set_to_none=True)
        mixed, keys_values = attention.self_attention(x, None, True)
        mixed.square().sum().backward()
        slopes = [weight.grad for weight in attention.parameters()]
        seen.append((mixed, *keys_values, x.grad, *slopes))
    torch.testing.assert_close(*seen)


@pytest.mark.parametrize("way", ["self", "causal", "cross with padding"])
def test_torch_with_our_weights_gives_our_mixture(attention, way):
    theirs = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True).eval()
    copy_attention(attention, theirs)
    x = some(2, 5, WIDTH)
    if way == "cross with padding":
        memory, mask = some(2, 7, WIDTH, seed=1), visible(2, 1, 7)
        ours = attention(x, memory, mask)
        wanted, _ = theirs(x, memory, memory, key_padding_mask=~mask.squeeze(1))
    elif way == "causal":
        future = torch.ones(5, 5, dtype=torch.bool).triu(1)
        ours = attention(x, x, causal=True)
        wanted, _ = theirs(x, x, x, attn_mask=future)
    else:
        ours, (wanted, _) = attention(x, x), theirs(x, x, x)
    torch.testing.assert_close(ours, wanted)


def test_torch_sees_the_same_weights(attention):
    theirs = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True).eval()
    copy_attention(attention, theirs)
    x = some(2, 5, WIDTH)
    seen = []
    attention.watcher = seen.append
    attention(x, x)
    _, wanted = theirs(x, x, x, average_attn_weights=False)
    torch.testing.assert_close(seen[0], wanted)


def test_dropped_weights_keep_the_mixture_on_average(attention):
    attention.dropout = 0.3
    x = some(1, 4, WIDTH)
    calm = attention(x, x)
    attention.train()
    torch.manual_seed(5)
    mean = attention(x.expand(4000, 4, WIDTH), x.expand(4000, 4, WIDTH)).mean(0, keepdim=True)
    torch.testing.assert_close(mean, calm, atol=0.1, rtol=0)
    assert not torch.equal(attention(x, x), calm)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("attend", [attend_fast, attend_written_out])
def test_the_gradient_is_the_slope(attend, causal):
    layer = scramble(Attention(4, 2)).double()
    layer.attend = attend
    x = some(2, 3, 4, dtype=torch.float64, grad=True)
    mask = None if causal else visible(2, 1, 3)
    assert torch.autograd.gradcheck(lambda y: layer(y, y, mask, causal), (x,))


SHAPES = {
    "grouped": HeadShape(key_value_heads=2),
    "one for all": HeadShape(key_value_heads=1, biases=False),
    "own widths": HeadShape(key_width=6, value_width=3),
    "all at once": HeadShape(key_value_heads=2, key_width=2, value_width=5, biases=False),
    "no output": HeadShape(key_width=6, output=False),
}
EVERY_SHAPE = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())


def head_by_head(layer, x, memory, causal):
    """Attention written with loops: one head after another, each a small equation."""
    shared = layer.heads // layer.key_value_heads
    query, key, value = layer.query(x), layer.key(memory), layer.value(memory)
    key_width = query.shape[-1] // layer.heads
    value_width = value.shape[-1] // layer.key_value_heads
    mixed = []
    for head in range(layer.heads):
        group = head // shared
        q = query[..., head * key_width : (head + 1) * key_width]
        k = key[..., group * key_width : (group + 1) * key_width]
        v = value[..., group * value_width : (group + 1) * value_width]
        scores = q @ k.transpose(-2, -1) / key_width**0.5
        if causal:
            future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
            scores = scores.masked_fill(future, float("-inf"))
        mixed.append(scores.softmax(-1) @ v)
    return layer.output(torch.cat(mixed, dim=-1))


@EVERY_SHAPE
@pytest.mark.parametrize("attend", [attend_fast, attend_written_out])
@pytest.mark.parametrize("way", ["cross", "causal"])
def test_heads_of_any_shape_are_small_attentions_side_by_side(shape, attend, way):
    torch.manual_seed(1)
    layer = scramble(Attention(WIDTH, HEADS, shape)).double()
    layer.attend = attend
    x = some(2, 5, WIDTH, dtype=torch.float64, grad=True)
    memory = x if way == "causal" else some(2, 7, WIDTH, seed=1, dtype=torch.float64)
    results = []
    causal = way == "causal"
    for attention in (layer(x, memory, None, causal), head_by_head(layer, x, memory, causal)):
        slopes = torch.autograd.grad((attention * some(*attention.shape, seed=3)).sum(), x)
        results.append((attention, *slopes))
    for ours, wanted in zip(*results, strict=True):
        torch.testing.assert_close(ours, wanted)


@EVERY_SHAPE
def test_heads_of_any_shape_have_as_many_weights_as_the_sizes_say(shape):
    groups = shape.key_value_heads or HEADS
    keys, values = shape.key_width or 4, shape.value_width or 4
    bias = int(shape.biases)
    wanted = (WIDTH + bias) * (HEADS * keys + groups * (keys + values))
    wanted += (HEADS * values + bias) * WIDTH if shape.output else 0
    assert sum(weight.numel() for weight in Attention(WIDTH, HEADS, shape).parameters()) == wanted


def test_torch_with_a_memory_of_another_width_gives_our_mixture():
    """Torch projects memories of other widths; ours has one width, so the rest is zeros there."""
    theirs = nn.MultiheadAttention(WIDTH, HEADS, kdim=10, vdim=10, batch_first=True).eval()
    ours = scramble(Attention(WIDTH, HEADS)).eval()
    with torch.no_grad():
        theirs.q_proj_weight.copy_(ours.query.weight)
        theirs.k_proj_weight.copy_(ours.key.weight[:, :10])
        theirs.v_proj_weight.copy_(ours.value.weight[:, :10])
        parts = (ours.query.bias, ours.key.bias, ours.value.bias)
        theirs.in_proj_bias.copy_(torch.cat(parts))
        theirs.out_proj.weight.copy_(ours.output.weight)
        theirs.out_proj.bias.copy_(ours.output.bias)
    x, memory = some(2, 5, WIDTH), some(2, 7, 10, seed=1)
    wanted, _ = theirs(x, memory, memory)
    padded = torch.cat((memory, torch.zeros(2, 7, WIDTH - 10)), dim=-1)
    torch.testing.assert_close(ours(x, padded), wanted)


def test_keys_that_are_kept_may_stand_anywhere(attention):
    x = some(2, 5, WIDTH)
    k, v = attention.project_keys_values(x)
    order = [3, 0, 4, 1, 2]
    turned = attention.attend_to(x, (k[:, :, order], v[:, :, order]))
    torch.testing.assert_close(turned, attention(x, x))


REFUSED = {
    "attention: 4 heads do not share 3 heads of keys and values evenly. "
    "Use a number that divides 4.": HeadShape(key_value_heads=3),
    "attention: without an output projection, 4 heads of values must fill the width 16, but they "
    "have 12. Use a value width of 4.": HeadShape(value_width=3, output=False),
}


@pytest.mark.parametrize(("words", "shape"), REFUSED.items())
def test_shapes_that_do_not_fit_are_refused(words, shape):
    with pytest.raises(ConfigError) as error:
        Attention(WIDTH, HEADS, shape)
    assert str(error.value) == words


def test_heads_that_do_not_split_the_width_are_refused():
    with pytest.raises(ConfigError) as error:
        Attention(10, 4)
    assert str(error.value) == (
        "attention: width 10 does not split into 4 equal heads. "
        "Use a width that is a multiple of 4."
    )
