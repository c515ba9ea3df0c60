import pytest
import torch
from tests.oracles import copy_decoder_layer, copy_encoder_layer, scramble, torch_layer
from torch import nn

from dragoman.neural.layers.attention import Attention
from dragoman.neural.layers.blocks import (
    CausalLayer,
    DecoderLayer,
    EncoderLayer,
    Positions,
    Residual,
)
from dragoman.neural.layers.feed_forward import FeedForward
from dragoman.neural.layers.kv_cache import KVCache

WIDTH, HEADS, INNER = 16, 4, 24
WAYS = pytest.mark.parametrize("place", ["pre", "post"])
ACTIVATIONS = pytest.mark.parametrize("activation", ["relu", "gelu"])


def encoder_layer(place, activation="relu"):
    torch.manual_seed(0)
    inner = FeedForward(WIDTH, INNER, activation=activation)
    return scramble(EncoderLayer(Attention(WIDTH, HEADS), inner, place, 0.0)).eval()


def decoder_layer(place, activation="relu"):
    torch.manual_seed(0)
    looks = Attention(WIDTH, HEADS), Attention(WIDTH, HEADS)
    inner = FeedForward(WIDTH, INNER, activation=activation)
    return scramble(DecoderLayer(*looks, inner, place, 0.0)).eval()


@pytest.fixture
def x():
    return torch.randn(3, 5, WIDTH, generator=torch.Generator().manual_seed(1))


@pytest.fixture
def memory():
    return torch.randn(3, 7, WIDTH, generator=torch.Generator().manual_seed(2))


@pytest.fixture
def mask():
    lengths = torch.tensor([7, 4, 1])
    return torch.arange(7).expand(3, 7).lt(lengths[:, None]).unsqueeze(1)


def test_a_residual_with_the_norm_before_adds_the_part_of_the_normed():
    residual = scramble(Residual(WIDTH, "pre", 0.0))
    x = torch.randn(2, 3, WIDTH)
    assert torch.equal(residual(x, torch.tanh), x + residual.norm(x).tanh())


def test_a_residual_with_the_norm_after_norms_the_sum():
    residual = scramble(Residual(WIDTH, "post", 0.0))
    x = torch.randn(2, 3, WIDTH)
    assert torch.equal(residual(x, torch.tanh), residual.norm(x + x.tanh()))


def test_a_residual_without_a_norm_only_adds():
    residual = Residual(WIDTH, "none", 0.0)
    x = torch.randn(2, 3, WIDTH)
    assert torch.equal(residual(x, torch.tanh), x + x.tanh())
    assert not [*residual.parameters()]


def test_dropout_touches_the_part_and_not_the_path_around_it():
    residual = Residual(WIDTH, "pre", 0.5).train()
    x = torch.randn(8, 9, WIDTH)
    added = residual(x, torch.ones_like) - x
    assert set(added.round(decimals=3).unique().tolist()) == {0.0, 2.0}


@WAYS
@ACTIVATIONS
def test_torch_reads_a_padded_source_as_our_encoder_does(place, activation, memory, mask):
    ours = encoder_layer(place, activation)
    theirs = torch_layer(
        nn.TransformerEncoderLayer, ours, activation=activation, norm_first=place == "pre"
    )
    copy_encoder_layer(ours, theirs)
    wanted = theirs(memory, src_key_padding_mask=~mask.squeeze(1))
    torch.testing.assert_close(ours(memory, mask), wanted, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(ours(memory, None), theirs(memory), atol=1e-5, rtol=1e-5)


@WAYS
@ACTIVATIONS
def test_torch_writes_a_target_as_our_decoder_does(place, activation, x, memory, mask):
    ours = decoder_layer(place, activation)
    theirs = torch_layer(
        nn.TransformerDecoderLayer, ours, activation=activation, norm_first=place == "pre"
    )
    copy_decoder_layer(ours, theirs)
    future = torch.ones(5, 5, dtype=torch.bool).triu(1)
    wanted = theirs(x, memory, tgt_mask=future, memory_key_padding_mask=~mask.squeeze(1))
    torch.testing.assert_close(ours(x, memory, mask), wanted, atol=1e-5, rtol=1e-5)


@WAYS
def test_step_by_step_equals_all_at_once(place, x, memory, mask):
    layer = decoder_layer(place)
    source, cache, written = layer.source_attention.project_keys_values(memory), None, []
    with torch.no_grad():
        for place_of_x in x.split(1, dim=1):
            y, cache = layer.step(place_of_x, cache, None, source, mask)
            written.append(y)
        torch.testing.assert_close(torch.cat(written, 1), layer(x, memory, mask))


def test_rows_that_share_a_source_are_as_rows_with_a_source_each(x, memory, mask):
    layer = decoder_layer("pre")
    with torch.no_grad():
        k, v = layer.source_attention.project_keys_values(memory[:1])
        shared, _ = layer.step(x[:, :1], None, None, (k, v), mask[:1])
        own = k.expand(3, -1, -1, -1), v.expand(3, -1, -1, -1)
        apart, _ = layer.step(x[:, :1], None, None, own, mask[:1].expand(3, -1, -1))
    torch.testing.assert_close(shared, apart)


def test_a_step_goes_on_from_the_rows_it_is_told(x, memory, mask):
    layer = decoder_layer("pre")
    rows = torch.tensor([2, 0, 0])
    source = layer.source_attention.project_keys_values(memory)
    with torch.no_grad():
        _, cache = layer.step(x[:, :1], None, None, source, mask)
        chosen = KVCache.of(tuple(part[rows] for part in cache.keys_values))
        wanted, wanted_past = layer.step(x[:, 1:2], chosen, None, source, mask)
        told, told_past = layer.step(x[:, 1:2], cache, rows, source, mask)
    assert torch.equal(told, wanted)
    for one, other in zip(told_past.keys_values, wanted_past.keys_values, strict=True):
        assert torch.equal(one, other)


def causal_layer(place):
    torch.manual_seed(0)
    inner = FeedForward(WIDTH, INNER)
    return scramble(CausalLayer(Attention(WIDTH, HEADS), inner, place, 0.0)).eval()


@WAYS
def test_torch_reads_a_text_as_our_causal_layer_does(place, x):
    ours = causal_layer(place)
    theirs = torch_layer(nn.TransformerEncoderLayer, ours, norm_first=place == "pre")
    copy_encoder_layer(ours, theirs)
    wanted = theirs(x, src_mask=torch.ones(5, 5, dtype=torch.bool).triu(1))
    torch.testing.assert_close(ours(x), wanted, atol=1e-5, rtol=1e-5)


def test_a_causal_layer_goes_on_after_padding_that_it_does_not_see(x):
    layer = causal_layer("pre")
    lengths = torch.tensor([[3], [1], [2]])
    read = torch.arange(3) < lengths
    mask = torch.cat((read, torch.ones(3, 1, dtype=torch.bool)), dim=1).unsqueeze(1)
    with torch.no_grad():
        _, cache = layer.read(x[:, :3])
        found, extended = layer.step(x[:, 4:], cache, None, Positions(mask=mask))
        for row, length in enumerate(lengths.flatten().tolist()):
            alone = torch.cat((x[row : row + 1, :length], x[row : row + 1, 4:]), dim=1)
            torch.testing.assert_close(found[row, 0], layer(alone)[0, -1])
    assert extended.keys_values[0].shape == (3, HEADS, 4, WIDTH // HEADS)
