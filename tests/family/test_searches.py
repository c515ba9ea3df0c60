"""Every family is searched by the same code, and a hypothesis costs what its model says."""

import pytest
import torch

from dragoman.config.training import DecodingSettings
from dragoman.data.tokenizer.special_tokens import END, PAD, START
from dragoman.neural.decoding.ensemble import Ensemble
from dragoman.neural.decoding.search import search

PREFIXES = [[7, 9], [], [11]]


def found_by(model, read, beam, **more):
    lengths = read.ne(PAD).sum(1).tolist()
    settings = DecodingSettings(
        beam=beam, max_length_ratio=1.0, max_length_extra=3, length_penalty=1.0
    )
    return search(
        model, read, lengths, settings, start=START, end=END, forbidden=(PAD, START), **more
    )


def price(model, source, hypothesis):
    """Return the log-probability of an output by one pass over all of it."""
    tokens = [START, *hypothesis.tokens, END]
    wanted = tokens[1:] if hypothesis.finished else tokens[1:-1]
    source = source[source.ne(PAD)].unsqueeze(0)
    log_p = model(source, torch.tensor([tokens[: len(wanted)]])).log_softmax(-1)[0]
    return log_p[torch.arange(len(wanted)), torch.tensor(wanted)].sum().item()


@pytest.mark.parametrize("beam", [1, 3])
def test_a_search_says_what_its_outputs_cost(family, read, beam):
    model = family.build().eval()
    for source, outputs in zip(read, found_by(model, read, beam, nbest=beam), strict=True):
        assert len(outputs) == beam
        for hypothesis in outputs:
            wanted = price(model, source, hypothesis)
            assert hypothesis.log_probability == pytest.approx(wanted, abs=1e-4)


@pytest.mark.parametrize("beam", [1, 3])
def test_an_output_begins_as_it_is_told(family, read, beam):
    model = family.build().eval()
    found = found_by(model, read, beam, prefixes=PREFIXES)
    for source, prefix, outputs in zip(read, PREFIXES, found, strict=True):
        assert list(outputs[0].tokens[: len(prefix)]) == prefix
        wanted = price(model, source, outputs[0])
        assert outputs[0].log_probability == pytest.approx(wanted, abs=1e-4)


def test_a_model_agrees_with_itself_in_an_ensemble(family, read):
    model = family.build().eval()
    alone, together = found_by(model, read, 2), found_by(Ensemble([model, model]), read, 2)
    for one, other in zip(alone, together, strict=True):
        assert one[0].tokens == other[0].tokens
        assert one[0].log_probability == pytest.approx(other[0].log_probability, abs=1e-4)
