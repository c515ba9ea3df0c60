"""D1: whatever the search, a hypothesis costs what one pass over its tokens says."""

import pytest
import torch
from hypothesis import given
from hypothesis import settings as cases
from hypothesis import strategies as st

from dragoman.config.model import TransformerSettings
from dragoman.config.recurrent import RecurrentSettings
from dragoman.config.sampling import SamplingSettings
from dragoman.config.training import DecodingSettings
from dragoman.neural.decoding.search import sample_batch, search
from dragoman.neural.models.recurrent.model import RecurrentTranslator
from dragoman.neural.models.transformer import Transformer

VOCABULARY = 12
PAD, START, END = 0, 2, 3
SEARCHES = {
    "greedy": {"beam": 1},
    "beam": {"beam": 3, "no_repeat_ngram": 2},
    "diverse": {"beam": 4, "groups": 2, "diversity_penalty": 1.0},
    "covered": {"beam": 3, "coverage_penalty": 0.3},
    "constrained": {"beam": 4},
    "drawn": {"sampling": SamplingSettings(temperature=1.5, top_k=8)},
}


def network(kind):
    torch.manual_seed(4)
    if kind == "transformer":
        small = {"width": 16, "heads": 2, "ffn_width": 16, "positions": "relative"}
        model = Transformer(TransformerSettings(**small), VOCABULARY, VOCABULARY)
    else:
        settings = RecurrentSettings(width=12, context="general", input_feeding=True)
        model = RecurrentTranslator(settings, VOCABULARY, VOCABULARY)
    with torch.no_grad():
        for weights in model.parameters():
            weights.mul_(1.5)  # opinions strong enough for an early end now and then
    return model.double().eval()  # so that only mistakes are left to be seen


NETWORKS = {kind: network(kind) for kind in ("transformer", "recurrent")}
TOKENS = st.lists(st.integers(4, VOCABULARY - 1), min_size=1, max_size=5)
PHRASES = st.lists(st.integers(4, VOCABULARY - 1), min_size=1, max_size=2)
WANTED = st.lists(st.lists(PHRASES, min_size=1, max_size=2), max_size=2)


def price(model, source, hypothesis):
    tokens = [START, *hypothesis.tokens, END]
    wanted = tokens[1:] if hypothesis.finished else tokens[1:-1]
    with torch.no_grad():
        scores = model(torch.tensor([source]), torch.tensor([tokens[: len(wanted)]]))
    log_p = scores.double().log_softmax(-1)[0]
    return log_p[torch.arange(len(wanted)), torch.tensor(wanted)].sum().item()


def spelled(tokens):
    return "".join(f"<{token}>" for token in tokens)


def check(kind, name, texts, wanted, seed):
    model = NETWORKS[kind]
    read = [[*text, END] for text in texts]
    source = torch.tensor([[*ids, *[PAD] * (6 - len(ids))] for ids in read])
    chosen = {"max_length_ratio": 1.0, "max_length_extra": 3, "seed": seed, **SEARCHES[name]}
    lengths = [len(ids) for ids in read]
    settings = DecodingSettings(**chosen)
    marks = {"start": START, "end": END, "forbidden": (PAD, START)}
    if name == "drawn":
        found = sample_batch(model, source, lengths, settings, **marks, count=2)
    else:
        constraints = [wanted] * len(texts) if name == "constrained" else None
        nbest = settings.beam
        found = search(
            model, source, lengths, settings, **marks, nbest=nbest, constraints=constraints
        )
    for ids, outputs in zip(read, found, strict=True):
        assert outputs
        for each in outputs:
            assert each.log_probability == pytest.approx(price(model, ids, each), abs=1e-5)
            if name == "constrained" and each.finished:
                text = spelled(each.tokens)
                assert all(any(spelled(phrase) in text for phrase in one) for one in wanted)


@pytest.mark.parametrize("kind", NETWORKS)
@pytest.mark.parametrize("name", SEARCHES)
@cases(max_examples=5, deadline=None)
@given(
    st.lists(TOKENS, min_size=1, max_size=2),
    WANTED,
    st.integers(0, 99),
)
def test_an_output_costs_what_one_pass_over_it_says(kind, name, texts, wanted, seed):
    check(kind, name, texts, wanted, seed)


@pytest.mark.slow
@pytest.mark.parametrize("kind", NETWORKS)
@pytest.mark.parametrize("name", SEARCHES)
@cases(max_examples=100, deadline=None)
@given(
    st.lists(TOKENS, min_size=1, max_size=3),
    WANTED,
    st.integers(0, 99),
)
def test_an_output_is_honest_in_many_more_cases(kind, name, texts, wanted, seed):
    check(kind, name, texts, wanted, seed)
