"""What an output has not looked at costs it score."""

import math

import pytest
import torch
from decoding_tables import END, START, Chain, Table, sources
from hypothesis import given
from hypothesis import settings as cases
from hypothesis import strategies as st

from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.model import TransformerSettings
from dragoman.config.recurrent import RecurrentSettings
from dragoman.config.training import DecodingSettings
from dragoman.core.errors import ConfigError
from dragoman.neural.decoding.ensemble import Ensemble
from dragoman.neural.decoding.protocol import AttentionTracking
from dragoman.neural.decoding.search import search
from dragoman.neural.layers.watchable import watching
from dragoman.neural.models.decoder_only import DecoderOnly
from dragoman.neural.models.recurrent.model import RecurrentTranslator
from dragoman.neural.models.transformer import Transformer

SETTINGS = {"max_length_ratio": 0.5, "max_length_extra": 6, "loop_guard": 0}


class LookingTable(Table):
    """A table that looks at three source positions, as the position and the last token say."""

    looks = None

    @classmethod
    def random(cls, seed, **sizes):
        table = super().random(seed, **sizes)
        shape = (*table.log_probs.shape[:2], table.log_probs.shape[-1], 3)
        generator = torch.Generator().manual_seed(seed + 1)
        table.looks = (3 * torch.randn(shape, generator=generator, dtype=torch.float64)).softmax(-1)
        return table

    def track_attention(self, state):
        return state

    def last_attention(self, state):
        sentences, prefixes = state
        position = min(prefixes.shape[1] - 2, self.looks.shape[1] - 1)
        return self.looks[sentences, position, prefixes[:, -1]]

    def penalty(self, tokens, sentence=0):
        """The formula, one number after the other; the last token may be END."""
        last, sums = START, [0.0, 0.0, 0.0]
        for position, token in enumerate(tokens):
            at = min(position, self.looks.shape[1] - 1)
            for j in range(3):
                sums[j] += self.looks[sentence, at, last, j].item()
            last = token
        return sum(math.log(min(each, 1.0)) for each in sums)


def wide(*names):
    """Sources of three positions."""
    return sources(*names).expand(-1, 3)


def find(model, source, nbest=1, **changes):
    chosen = DecodingSettings(**{**SETTINGS, **changes})
    return search(
        model,
        source,
        [1] * len(source),
        chosen,
        start=START,
        end=END,
        forbidden=(START,),
        nbest=nbest,
    )


@cases(max_examples=12, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 1.0]), st.sampled_from([0.05, 0.5, 3.0]))
def test_a_beam_wide_enough_finds_what_trying_every_string_finds(seed, penalty, strength):
    model = LookingTable.random(seed)
    ranked = sorted(
        (
            (
                total / (len(tokens) + 1) ** penalty + strength * model.penalty((*tokens, END)),
                tokens,
            )
            for tokens, total in model.endings(6)
        ),
        reverse=True,
    )
    chosen = {"beam": 1024, "coverage_penalty": strength, "length_penalty": penalty}
    found = find(model, wide(0), nbest=10, **chosen)[0]
    assert [each.tokens for each in found] == [tokens for _, tokens in ranked[:10]]
    assert [each.score for each in found] == pytest.approx([score for score, _ in ranked[:10]])
    for each in found:
        forced = model.log_probability(0, (*each.tokens, END))
        assert each.log_probability == pytest.approx(forced)


def test_of_two_about_as_likely_the_one_wins_that_left_nothing_out():
    model = Chain({START: {2: 0.55, 3: 0.45}, 2: {END: 1.0}, 3: {4: 1.0}, 4: {END: 1.0}}, 5)
    chain = LookingTable.random(0, steps=1)
    chain.log_probs = model.log_probs
    everywhere = torch.tensor([0.4, 0.3, 0.3], dtype=torch.float64)
    chain.looks = everywhere.repeat(1, 1, 5, 1)
    chain.looks[..., 2, :] = torch.tensor([0.98, 0.01, 0.01])
    chosen = {"beam": 4, "length_penalty": 0.0}
    assert find(chain, wide(0), **chosen)[0][0].tokens == (2,)
    assert find(chain, wide(0), coverage_penalty=1.0, **chosen)[0][0].tokens == (3, 4)


@pytest.mark.parametrize("chosen", [{"beam": 4}, {"beam": 4, "groups": 2}, {"beam": 1}])
def test_it_goes_with_other_searches_and_company_changes_nothing(chosen):
    model = LookingTable.random(3, sentences=4)
    alone = [find(model, wide(name), coverage_penalty=0.4, **chosen)[0] for name in range(4)]
    assert find(model, wide(*range(4)), coverage_penalty=0.4, **chosen) == alone
    for name, outputs in enumerate(alone):
        tokens = (*outputs[0].tokens, *([END] if outputs[0].finished else []))
        wanted = outputs[0].log_probability / len(tokens) + 0.4 * model.penalty(tokens, name)
        assert outputs[0].score == pytest.approx(wanted)


def network(kind):
    torch.manual_seed(2)
    if kind == "transformer":
        small = {"width": 16, "heads": 2, "ffn_width": 16, "decoder_layers": 2}
        return Transformer(TransformerSettings(**small), 30, 30).eval()
    changes = {"additive": {}, "general": {"input_feeding": True}, "dot": {"bidirectional": False}}
    settings = RecurrentSettings(width=8, context=kind, **changes[kind])
    return RecurrentTranslator(settings, 30, 30).eval()


def seen_in_one_pass(model, source, tokens):
    """Return how much each position of the source was looked at by a pass over all tokens."""
    looks = []
    decoder = model.decoder
    layer = decoder[-1] if isinstance(model, Transformer) else decoder
    with watching(layer.source_attention, looks.append), torch.no_grad():
        model(source, torch.tensor([tokens]))
    return looks[-1].double().mean(1)[0]  # t s


READ = torch.tensor([[5, 6, 7, 8, 3], [9, 4, 3, 0, 0]])


@pytest.mark.parametrize("kind", ["transformer", "additive", "general", "dot"])
@pytest.mark.parametrize("padded", [True, False])
def test_a_network_tells_where_its_steps_have_looked(kind, padded):
    model = network(kind)
    source = READ if padded else READ[:1]
    assert isinstance(model, AttentionTracking)
    chosen = DecodingSettings(
        beam=4, coverage_penalty=0.7, max_length_extra=4, max_length_ratio=0.5
    )
    found = search(
        model, source, [5, 3][: len(source)], chosen, start=2, end=3, forbidden=(0, 2), nbest=4
    )
    for row, outputs in zip(source, found, strict=True):
        alone = row[row.ne(0)].unsqueeze(0)
        for each in outputs:
            steps = len(each.tokens) + each.finished
            looked = seen_in_one_pass(model, alone, [2, *each.tokens][:steps]).sum(0)
            wanted = each.log_probability / steps + 0.7 * looked.clamp(max=1).log().sum().item()
            assert each.score == pytest.approx(wanted, abs=1e-4)


def test_watching_changes_nothing_and_costs_nothing_when_it_is_off():
    model = network("transformer")
    tokens = torch.tensor([2, 2])
    plain, _ = model.step(tokens, model.begin(READ))
    watched, state = model.step(tokens, model.track_attention(model.begin(READ)))
    torch.testing.assert_close(watched, plain, rtol=0, atol=0)
    assert state.attention.shape == (2, 5)
    assert state.attention[1, 3:].tolist() == [1.0, 1.0]
    assert model.decoder[-1].source_attention.watcher is None
    with pytest.raises(ValueError, match="attention was not tracked"):
        model.last_attention(model.step(tokens, model.begin(READ))[1])


def test_an_ensemble_looks_where_its_members_look_on_the_whole():
    one, other = network("transformer"), network("additive")
    both = Ensemble([one, other])
    tokens = torch.tensor([2, 2])
    _, state = both.step(tokens, both.track_attention(both.begin(READ)))
    _, first = one.step(tokens, one.track_attention(one.begin(READ)))
    _, second = other.step(tokens, other.begin(READ))
    mean = (one.last_attention(first) + other.last_attention(second)) / 2
    torch.testing.assert_close(both.last_attention(state), mean)


def test_a_model_that_cannot_tell_is_refused():
    torch.manual_seed(1)
    blind = RecurrentTranslator(RecurrentSettings(width=8, context="first"), 30, 30).eval()
    one_text = DecoderOnlySettings(width=8, heads=2, ffn_width=8, layers=1)
    only = DecoderOnly(one_text, 30, 30, prompt_end=29).eval()
    chosen = DecodingSettings(beam=2, coverage_penalty=0.2)
    for model in (blind, only, Ensemble([network("dot"), blind]), Ensemble([only])):
        with pytest.raises(
            ConfigError, match=r"decoding\.coverage_penalty needs a model that tells"
        ):
            search(model, READ, [5, 3], chosen, start=2, end=3)
    with pytest.raises(ConfigError, match=r"decoding\.coverage"):
        find(Table.random(0), sources(0), coverage_penalty=0.2)
