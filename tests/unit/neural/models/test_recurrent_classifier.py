"""A recurrent classifier of texts and of tokens."""

import pytest
import torch
from torch.nn import functional as F

from dragoman.config.cells import GruCell, LstmCell, RnnCell
from dragoman.config.recurrent_text import RecurrentClassifierSettings
from dragoman.neural.models.recurrent_classifier import RecurrentClassifier

PAD, WORDS, CLASSES = 0, 20, 3
SHAPES = [
    {"bidirectional": both, **judged}
    for both in (False, True)
    for judged in ({"pooling": "last"}, {"pooling": "mean"}, {"pooling": "max"}, {"each": True})
]
each_shape = pytest.mark.parametrize("shape", SHAPES, ids=str)


def model(words=WORDS, classes=CLASSES, **changes):
    torch.manual_seed(3)
    usual = {"embedding_width": 8, "width": 6, "layers": 2, "dropout": 0.0, "cell": GruCell()}
    settings = RecurrentClassifierSettings(**{**usual, **changes})
    return RecurrentClassifier(settings, words, classes)


def texts():
    torch.manual_seed(4)
    tokens = torch.randint(4, WORDS, (4, 6))
    tokens[1, 4:] = tokens[2, 1:] = PAD
    return tokens


def learn(network, tokens, labels, steps=150):
    optimizer = torch.optim.Adam(network.parameters(), lr=0.02)
    for _ in range(steps):
        loss = F.cross_entropy(network(tokens).flatten(0, -2), labels.flatten(), ignore_index=-1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


@each_shape
def test_padding_changes_nothing(shape):
    network, tokens = model(**shape), texts()
    longer = network(torch.cat((tokens, torch.full((4, 3), PAD)), dim=1))
    scores = network(tokens)
    torch.testing.assert_close(longer[:, :6] if network.settings.each else longer, scores)
    alone = network(tokens[1:2, :4])
    wanted = scores[1:2, :4] if network.settings.each else scores[1:2]
    torch.testing.assert_close(alone, wanted)


@each_shape
def test_every_token_of_a_text_matters(shape):
    network, tokens = model(**{**shape, "cell": LstmCell()}), texts()
    before = network(tokens)
    other = tokens.clone()
    other[:, 0] = 19
    after = network(other)
    gap = (after - before).abs().amax(-1)
    assert (gap.amax(1) if network.settings.each else gap).gt(1e-6).all()


@pytest.mark.parametrize("bidirectional", [False, True])
def test_a_tag_sees_what_follows_only_when_read_both_ways(bidirectional):
    network, tokens = model(each=True, bidirectional=bidirectional), texts()
    other = tokens.clone()
    other[0, 3:] = 19
    gap = (network(other) - network(tokens))[0, :3].abs().amax()
    assert (gap > 1e-6) == bidirectional
    assert (gap == 0) == (not bidirectional)


@each_shape
def test_every_weight_gets_a_gradient(shape):
    network, tokens = model(**shape), texts()
    network(tokens).sin().sum().backward()
    for name, weight in network.named_parameters():
        assert weight.grad.any(), name


@each_shape
@pytest.mark.parametrize("cell", [LstmCell(), RnnCell(state="before")], ids=["lstm", "rnn before"])
def test_it_learns_one_batch_by_heart(shape, cell):
    network, tokens = model(**{**shape, "cell": cell, "width": 16, "layers": 1}), texts()
    labels = torch.tensor([0, 1, 2, 0])
    if network.settings.each:
        labels = (tokens % CLASSES).where(tokens.ne(PAD), torch.tensor(-1))
    assert learn(network, tokens, labels, 80) < 0.1
    right = labels.ne(-1)
    assert torch.equal(network(tokens).argmax(-1)[right], labels[right])


TEDDY, ROOSEVELT, BEARS = 4, 5, 6
"""Teddy is a person's name before Roosevelt and no name before bears."""


def teddies(count, seed):
    torch.manual_seed(seed)
    tokens = torch.randint(7, WORDS, (count, 6))
    president = torch.randint(0, 2, (count,))
    tokens[:, 1] = TEDDY
    tokens[:, 2] = torch.where(president.bool(), ROOSEVELT, BEARS)
    labels = torch.zeros_like(tokens)
    labels[:, 1] = labels[:, 2] = president
    return tokens, labels


@pytest.mark.parametrize("bidirectional", [False, True])
def test_only_who_reads_both_ways_tells_teddy_bears_from_teddy_roosevelt(bidirectional):
    network = model(each=True, bidirectional=bidirectional, classes=2, layers=1, width=8)
    learn(network, *teddies(40, seed=1), steps=80)
    tokens, labels = teddies(200, seed=2)
    right = network(tokens).argmax(-1).eq(labels).float().mean(0)
    assert right[2] == 1.0  # the second word tells by itself
    if bidirectional:
        assert right[1] == 1.0
    else:
        assert 0.3 < right[1] < 0.7  # a guess


@each_shape
def test_it_runs_without_memory_on_the_meta_device(shape):
    with torch.device("meta"):
        scores = model(**shape)(torch.ones(2, 5, dtype=torch.long))
    assert scores.is_meta
    assert scores.shape == ((2, 5, CLASSES) if shape.get("each") else (2, CLASSES))
