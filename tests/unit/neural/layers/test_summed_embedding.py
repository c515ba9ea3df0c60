import pytest
import torch
from torch import nn

from dragoman.neural.layers.positions import LearnedPositions
from dragoman.neural.layers.summed_embedding import SummedEmbedding

WIDTH = 4


def embedding(segments=2, norm=None, *, scaled=False, dropout=0.0, word_dropout=0.0):
    torch.manual_seed(0)
    return SummedEmbedding(
        nn.Embedding(20, WIDTH),
        LearnedPositions(WIDTH, 6),
        segments,
        norm or nn.Identity(),
        scaled=scaled,
        dropout=dropout,
        word_dropout=word_dropout,
    )


TOKENS = torch.tensor([[3, 7, 19], [7, 7, 0]])
SIDES = torch.tensor([[0, 0, 1], [1, 0, 1]])


@pytest.mark.parametrize("scaled", [True, False])
def test_three_vectors_are_added_then_brought_to_one_size(scaled):
    layer = embedding(norm=nn.LayerNorm(WIDTH), scaled=scaled)
    words = layer.table.weight[TOKENS] * (2.0 if scaled else 1.0)
    places = torch.tensor([[2, 3, 0], [5, 4, 3]])
    summed = words + layer.positions.table.weight[places] + layer.segments.weight[SIDES]
    torch.testing.assert_close(layer(TOKENS, places, SIDES), layer.norm(summed))


def test_all_tokens_are_of_the_first_segment_unless_said_otherwise():
    layer = embedding()
    assert torch.equal(layer(TOKENS), layer(TOKENS, segments=torch.zeros_like(SIDES)))
    assert not torch.equal(layer(TOKENS), layer(TOKENS, segments=SIDES))


def test_where_there_are_no_kinds_of_segment_they_are_not_looked_at():
    layer = embedding(segments=0)
    assert torch.equal(layer(TOKENS), layer(TOKENS, segments=SIDES))


def test_word_dropout_blanks_the_token_but_not_its_place():
    layer = embedding(word_dropout=0.5)
    tokens, sides = torch.randint(0, 20, (200, 6)), torch.randint(0, 2, (200, 6))
    beside = layer.positions.table.weight + layer.segments.weight[sides]
    words = layer(tokens, segments=sides) - beside
    blank = words.abs().amax(-1) < 1e-6
    kept = (words - 2 * layer.table.weight[tokens]).abs().amax(-1) < 1e-5
    assert (blank ^ kept).all()
    assert blank.float().mean().item() == pytest.approx(0.5, abs=0.08)


def test_dropout_comes_after_the_norm_and_in_training_only():
    layer = embedding(norm=nn.LayerNorm(WIDTH), dropout=0.5)
    dropped, whole = layer(TOKENS), layer.eval()(TOKENS)
    kept = dropped.ne(0)
    assert not kept.all()
    torch.testing.assert_close(dropped[kept], 2 * whole[kept])
