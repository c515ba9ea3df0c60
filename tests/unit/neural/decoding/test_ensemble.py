import math

import pytest
import torch
from decoding_tables import END, START, Chain, Table, sources

from dragoman.config.model import TransformerSettings
from dragoman.config.training import DecodingSettings
from dragoman.neural.decoding.ensemble import Ensemble
from dragoman.neural.decoding.protocol import NextToken
from dragoman.neural.decoding.search import search
from dragoman.neural.models.transformer import Transformer


def find(model, *names, beam=3, nbest=1, prefixes=None):
    settings = DecodingSettings(
        beam=beam, max_length_extra=6, max_length_ratio=0.5, length_penalty=0.0
    )
    return search(
        model,
        sources(*names),
        [1] * len(names),
        settings,
        start=START,
        end=END,
        forbidden=(START,),
        nbest=nbest,
        prefixes=prefixes,
    )


@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("prefixes", [None, [[2, 3], [], [4]]])
def test_a_model_with_itself_is_the_model(beam, prefixes):
    model = Table.random(4, sentences=3)
    alone = find(model, 0, 1, 2, beam=beam, nbest=beam, prefixes=prefixes)
    twice = find(Ensemble([model, model]), 0, 1, 2, beam=beam, nbest=beam, prefixes=prefixes)
    for one, other in zip(alone, twice, strict=True):
        assert [each.tokens for each in one] == [each.tokens for each in other]
        assert [e.score for e in one] == pytest.approx([e.score for e in other], abs=1e-9)


def test_probabilities_are_averaged_and_not_their_logarithms():
    first = Chain({START: {2: 0.90, 3: 0.10}, 2: {END: 1.0}, 3: {END: 1.0}}, vocabulary=4)
    second = Chain({START: {2: 0.20, 3: 0.80}, 2: {END: 0.5, 3: 0.5}, 3: {END: 1.0}}, vocabulary=4)
    both = Ensemble([first, second])
    step, _ = both.step(torch.tensor([START]), both.begin(sources(0)))
    assert step.exp()[0, 2:].tolist() == pytest.approx([0.55, 0.45])
    found = find(both, 0, nbest=3)[0]
    assert [each.tokens for each in found] == [(3,), (2,), (2, 3)]
    likely = [math.exp(each.log_probability) for each in found]
    assert likely == pytest.approx([0.45, 0.55 * 0.75, 0.55 * 0.25])


def test_an_ensemble_is_a_model_to_the_search_and_its_probabilities_add_up_to_one():
    members = [Table.random(seed, sentences=2) for seed in (1, 2, 3)]
    ensemble = Ensemble(members)
    assert isinstance(ensemble, NextToken)
    state = ensemble.reorder(ensemble.begin(sources(0, 1)), torch.tensor([1, 1, 0]))
    step, _ = ensemble.step(torch.tensor([START] * 3), state)
    torch.testing.assert_close(step.exp().sum(1), torch.ones(3, dtype=torch.float64))
    torch.testing.assert_close(step[0], step[1])


def test_members_may_be_of_different_kinds():
    torch.manual_seed(1)
    settings = TransformerSettings(width=8, heads=2, encoder_layers=1, decoder_layers=1)
    network = Transformer(settings, 5, 5).eval()
    table = Table.random(7, sentences=5)
    found = find(Ensemble([network, table]), 2, 3, 4)
    assert all(best.finished for (best,) in found)
    for sentence, (best,) in zip((2, 3, 4), found, strict=True):
        written = [START, *best.tokens]
        scores = network(torch.tensor([[sentence]]), torch.tensor([written]))[0].log_softmax(-1)
        total = 0.0
        for place, token in enumerate([*best.tokens, END]):
            history = [0, START, *best.tokens][place : place + 2]
            other = table.log_probs[sentence, min(place, 5), history[0], history[1], token]
            total += math.log((scores[place, token].exp().item() + other.exp().item()) / 2)
        assert best.log_probability == pytest.approx(total, abs=1e-4)


def test_an_ensemble_of_nobody_is_refused():
    with pytest.raises(ValueError, match="at least one member"):
        Ensemble([])
