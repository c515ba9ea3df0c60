"""The whole of Bahdanau et al. 2015 against loops over the paper's own equations."""

import pytest
import torch

from dragoman.config.recurrent import RecurrentSettings
from dragoman.lab.topics.translation.bahdanau_by_hand import write
from dragoman.neural.models.recurrent.model import RecurrentTranslator

WIDTH, WORD, HIDDEN, SPOKEN = 4, 3, 5, 6
SOURCE, TARGET = 9, 11


def model():
    torch.manual_seed(3)
    settings = RecurrentSettings(
        cell={"kind": "gru", "reset": "before"},
        width=WIDTH,
        embedding_width=WORD,
        attention_width=HIDDEN,
        readout_width=SPOKEN,
        readout="maxout",
        context="additive",
        tied="none",
        dropout=0.0,
    )
    built = RecurrentTranslator(settings, SOURCE, TARGET).double()
    with torch.no_grad():
        for weight in built.parameters():
            weight.add_(torch.randn_like(weight), alpha=0.3)
    return built


READ = torch.tensor([[4, 5, 6, 7, 3], [8, 4, 3, 0, 0], [3, 0, 0, 0, 0]])
WRITTEN = torch.tensor([[2, 4, 9, 10], [2, 5, 3, 0], [2, 8, 0, 0]])


def scores_of_one_sentence(built, source, target):
    """Return the scores of every step, for tokens without any padding."""
    return torch.stack([one.scores for one in write(built, source, target)])


@pytest.mark.parametrize("row", [0, 1, 2])
def test_padded_rows_have_the_scores_of_the_equations(row):
    built = model()
    source = READ[row][READ[row].ne(0)].tolist()
    target = WRITTEN[row][WRITTEN[row].ne(0)].tolist()
    found = built(READ, WRITTEN)[row, : len(target)]
    torch.testing.assert_close(found, scores_of_one_sentence(built, source, target))


def test_the_gradients_are_those_of_the_equations():
    built = model()
    torch.manual_seed(5)
    weights = torch.randn(3, 4, TARGET, dtype=torch.float64) * WRITTEN.ne(0).unsqueeze(2)
    (built(READ, WRITTEN) * weights).sum().backward()
    found = {name: weight.grad.clone() for name, weight in built.named_parameters()}

    built.zero_grad()
    total = 0.0
    for source, target, weight in zip(READ, WRITTEN, weights, strict=True):
        tokens = target[target.ne(0)].tolist()
        scores = scores_of_one_sentence(built, source[source.ne(0)].tolist(), tokens)
        total = total + (scores * weight[: len(tokens)]).sum()
    total.backward()
    for name, weight in built.named_parameters():
        torch.testing.assert_close(found[name], weight.grad, msg=name)


def test_the_source_part_of_the_score_is_computed_once():
    built, calls = model().eval(), []
    built.decoder.source_attention.key.register_forward_hook(lambda *_: calls.append(1))
    built(READ, WRITTEN)
    assert len(calls) == 1
    state = built.begin(READ)
    for tokens in WRITTEN.unbind(1):
        _, state = built.step(tokens, state)
    assert len(calls) == 2
