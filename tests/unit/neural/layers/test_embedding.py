import pytest
import torch
from torch import nn

from dragoman.neural.layers.embedding import TokenEmbedding
from dragoman.neural.layers.positions import SinusoidalPositions

WIDTH = 16


class NoPositions(nn.Module):
    def forward(self, x, places=None):
        return x


def embedding(positions=None, dropout=0.0, word_dropout=0.0):
    torch.manual_seed(0)
    table = nn.Embedding(50, WIDTH)
    chosen = positions or NoPositions()
    return TokenEmbedding(table, chosen, dropout=dropout, word_dropout=word_dropout)


def test_a_token_is_its_row_times_the_root_of_the_width():
    layer = embedding()
    tokens = torch.tensor([[3, 7], [7, 49]])
    torch.testing.assert_close(layer(tokens), layer.table.weight[tokens] * 4.0)


def test_positions_are_added_after_the_scale():
    positions = SinusoidalPositions(WIDTH, "interleaved")
    layer = embedding(positions)
    tokens = torch.randint(0, 50, (2, 5))
    places = torch.tensor([[3, 4, 5, 6, 7], [0, 1, 2, 3, 4]])
    wanted = positions(layer.table.weight[tokens] * 4.0, places)
    torch.testing.assert_close(layer(tokens, places), wanted)


def test_word_dropout_blanks_whole_tokens():
    layer = embedding(word_dropout=0.25)
    tokens = torch.randint(0, 50, (40, 50))
    ratio = layer(tokens) / (layer.table.weight[tokens] * 4.0)
    blank, kept = ratio.eq(0).all(-1), ratio.sub(1 / 0.75).abs().lt(1e-4).all(-1)
    assert (blank ^ kept).all()
    assert blank.float().mean().item() == pytest.approx(0.25, abs=0.04)


def test_a_blank_token_keeps_its_position():
    positions = SinusoidalPositions(WIDTH, "halves")
    layer = embedding(positions, word_dropout=0.5)
    torch.manual_seed(1)
    embedded = layer(torch.randint(0, 50, (20, 6)))
    place = positions(torch.zeros(1, 6, WIDTH)).expand_as(embedded)
    blank = embedded.eq(place).all(-1)
    assert blank.any()
    assert not blank.all()


def test_nothing_is_dropped_in_evaluation():
    layer = embedding(dropout=0.5, word_dropout=0.5).eval()
    tokens = torch.randint(0, 50, (4, 5))
    torch.testing.assert_close(layer(tokens), layer.table.weight[tokens] * 4.0)
