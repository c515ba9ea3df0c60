"""Every network that is let through is computed there as it is here."""

import pytest
import torch
from tests.unit.backends.ctranslate2.shapes import (
    draw,
    log_probabilities,
    network,
    opened,
    tokenizer,
    written,
)

from dragoman.backends.ctranslate2.spec import ACTIVATIONS, offset_table
from dragoman.data.tokenizer.special_tokens import END
from dragoman.neural.layers.alibi import Alibi
from dragoman.neural.layers.t5_bias import T5Bias

SHAPES = {
    "plain": {},
    "norm after": {"norm": "post"},
    "rms": {"normalization": "rms", "biases": False},
    "rms after": {"normalization": "rms", "norm": "post"},
    "output bias": {"output_bias": True},
    "halves": {"positions": "sinusoidal-halves"},
    "from one": {"positions": "sinusoidal-from-one"},
    "learned": {"positions": "learned", "max_positions": 32},
    "no positions": {"positions": "none"},
    "rotary": {"positions": "rotary", "rotary_base": 500.0},
    "alibi": {"positions": "alibi", "width": 18, "heads": 3},
    "t5": {"positions": "t5", "buckets": 8, "max_bucket_distance": 7},
    "t5 far": {"positions": "t5"},
    "shaw": {"positions": "shaw", "max_relative_position": 3},
    "other decoder": {"decoder_heads": 2, "decoder_ffn_width": 40},
    "alibi, other decoder": {"decoder_heads": 2, "positions": "alibi"},
    "not tied": {"tied": "none"},
    "multi-query": {"key_value_heads": 1, "positions": "rotary"},
    "grouped": {"key_value_heads": 2, "positions": "t5"},
    "grouped shaw": {"key_value_heads": 2, "positions": "shaw", "biases": False},
    **{name: {"activation": name} for name in ACTIVATIONS},
}


@pytest.mark.parametrize("changes", SHAPES.values(), ids=SHAPES)
def test_every_token_has_the_same_log_probability(changes, tmp_path):
    words = tokenizer(25, 25 if changes.get("tied") != "none" else 31)
    model = network(words, **changes)
    theirs = opened(written(model, words, tmp_path / "ct2"))
    sources = draw(8, words.source.size, seed=2)
    targets = draw(8, words.target.size, seed=3)
    found = theirs.score_batch(
        [[words.source.pieces[n] for n in row] for row in sources],
        [[words.target.pieces[n] for n in row] for row in targets],
    )
    for source, target, row in zip(sources, targets, found, strict=True):
        wanted = log_probabilities(model, source, target, END)
        assert row.log_probs == pytest.approx(wanted, rel=1e-5, abs=2e-5)


@pytest.mark.parametrize("changes", SHAPES.values(), ids=SHAPES)
def test_step_by_step_the_same_tokens_are_written(changes, tmp_path):
    """The cache and the counting of positions while writing are code of their own there."""
    words = tokenizer(25, 25 if changes.get("tied") != "none" else 31)
    model = network(words, **changes)
    theirs = opened(written(model, words, tmp_path / "ct2"))
    sources = draw(4, words.source.size, seed=4)
    found = theirs.translate_batch(
        [[words.source.pieces[n] for n in row] for row in sources],
        beam_size=1,
        min_decoding_length=0,
        max_decoding_length=24,
        return_scores=True,
        return_end_token=True,
        length_penalty=0,
    )
    numbers = {piece: number for number, piece in enumerate(words.target.pieces)}
    for source, one in zip(sources, found, strict=True):
        tokens = [numbers[piece] for piece in one.hypotheses[0]]
        given = torch.tensor([[*source, END]]), torch.tensor([[2, *tokens[:-1]]])
        log_probs = model(*given)[0].log_softmax(dim=-1)
        best = log_probs.amax(dim=-1)
        chosen = log_probs.gather(1, torch.tensor(tokens)[:, None]).squeeze(1)
        torch.testing.assert_close(chosen, best, atol=2e-5, rtol=1e-5)
        assert one.scores[0] == pytest.approx(chosen.sum().item(), rel=1e-5, abs=1e-4)


def test_writing_a_network_leaves_its_weights_as_they_were(tmp_path):
    words = tokenizer()
    model = network(words)
    before = {name: weight.clone() for name, weight in model.named_parameters()}
    written(model, words, tmp_path / "ct2", "int8")
    assert all(weight.equal(before[name]) for name, weight in model.named_parameters())


def bucket_of_theirs(offset, buckets, *, causal):
    """T5's own rule for near offsets; the far ones have buckets that are all alike."""
    side = buckets if causal else buckets // 2
    first = side if offset > 0 and not causal else 0
    away = abs(offset)
    return first + (away if away < side // 2 else side - 1)


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("kind", ["t5", "alibi"])
def test_a_bucket_for_each_offset_says_the_same(kind, causal):
    gain = Alibi(3) if kind == "alibi" else T5Bias(3, 8, 11, causal=causal)
    if kind == "t5":
        torch.nn.init.normal_(gain.table)
    reach = 40 if kind == "alibi" else gain.reach
    table = offset_table(gain, 3, reach, causal=causal)
    places = torch.arange(30)[None]
    wanted = gain(torch.zeros(1, 3, 30, 4), places, places)[0]
    for query in range(30):
        for key in range(query + 1 if causal else 30):
            row = table[bucket_of_theirs(key - query, len(table), causal=causal)]
            assert row.equal(wanted[:, query, key])
