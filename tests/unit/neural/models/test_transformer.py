import math

import pytest
import torch
from tests.oracles import (
    copy,
    copy_decoder_layer,
    copy_encoder_layer,
    marian_with_weights_of,
    scramble,
    torch_layer,
)
from torch import nn

from dragoman.config.model import TransformerSettings
from dragoman.core.errors import ConfigError
from dragoman.neural.models.transformer import Transformer

PADDING = 0
SMALL = {"width": 16, "heads": 4, "ffn_width": 24, "encoder_layers": 2, "decoder_layers": 2}
ODD = {
    "heads": 2,
    "decoder_heads": 8,
    "encoder_layers": 3,
    "decoder_layers": 1,
    "ffn_width": 20,
    "decoder_ffn_width": 36,
}


def model(source=30, target=30, **changes):
    torch.manual_seed(3)
    settings = TransformerSettings(**{**SMALL, **changes})
    return scramble(Transformer(settings, source, target, padding=PADDING)).eval()


def batch(source=30, target=30):
    torch.manual_seed(4)
    read, written = torch.randint(4, source, (3, 7)), torch.randint(4, target, (3, 5))
    read[1, 5:] = read[2, 2:] = written[0, 3:] = PADDING
    return read, written


def marian_scores(theirs, read, written):
    seen = read.ne(PADDING).long()
    with torch.no_grad():
        return theirs(input_ids=read, attention_mask=seen, decoder_input_ids=written).logits


@pytest.mark.parametrize("shape", [{}, ODD], ids=["even", "odd"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("tied", ["all", "target"])
def test_marian_with_our_weights_gives_our_scores(shape, activation, tied):
    sizes = (30, 30) if tied == "all" else (30, 41)
    changes = {"norm": "post", "positions": "sinusoidal-halves", "activation": activation}
    ours = model(*sizes, tied=tied, **changes, **shape)
    theirs = marian_with_weights_of(ours)
    assert not theirs.final_logits_bias.any()
    read, written = batch(*sizes)
    real = written.ne(PADDING)
    wanted = marian_scores(theirs, read, written)
    torch.testing.assert_close(ours(read, written)[real], wanted[real], atol=1e-5, rtol=1e-5)


def test_marian_disagrees_where_a_single_weight_differs():
    ours = model(norm="post", positions="sinusoidal-halves")
    theirs = marian_with_weights_of(ours)
    with torch.no_grad():
        ours.decoder[0].around_source_attention.norm.bias[3] += 1.0
    read, written = batch()
    gap = (ours(read, written) - marian_scores(theirs, read, written)).abs().max()
    assert gap > 1e-3


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_torch_stacks_with_our_weights_give_our_scores(norm, activation):
    ours = model(norm=norm, activation=activation, tied="none")
    read, written = batch()
    hidden = read.eq(PADDING)
    first = norm == "pre"

    x = ours.source_embedding(read)
    for layer in ours.encoder:
        theirs = torch_layer(
            nn.TransformerEncoderLayer, layer, activation=activation, norm_first=first
        )
        copy_encoder_layer(layer, theirs)
        x = theirs(x, src_key_padding_mask=hidden)
    memory = last_norm(ours.encoder_norm, x, first)

    y = ours.target_embedding(written)
    future = torch.ones(5, 5, dtype=torch.bool).triu(1)
    for layer in ours.decoder:
        theirs = torch_layer(
            nn.TransformerDecoderLayer, layer, activation=activation, norm_first=first
        )
        copy_decoder_layer(layer, theirs)
        y = theirs(y, memory, tgt_mask=future, memory_key_padding_mask=hidden)
    wanted = last_norm(ours.decoder_norm, y, first) @ ours.output.weight.T
    torch.testing.assert_close(ours(read, written), wanted, atol=2e-5, rtol=1e-5)


def last_norm(ours, x, first):
    if not first:
        return x
    theirs = nn.LayerNorm(x.shape[-1])
    copy(ours, theirs)
    return theirs(x)


@pytest.mark.parametrize("tied", ["all", "target", "none"])
def test_matrices_are_tied_as_the_settings_say(tied):
    built = model(tied=tied)
    source, target = built.source_embedding.table.weight, built.target_embedding.table.weight
    assert (source is target) == (tied == "all")
    assert (built.output.weight is target) == (tied != "none")


def test_tying_all_needs_one_vocabulary():
    with pytest.raises(ConfigError) as error:
        Transformer(TransformerSettings(**SMALL, tied="all"), 30, 31)
    assert str(error.value) == (
        "model.tied = 'all' needs one shared vocabulary, but the source has 30 entries and the "
        "target 31. Set tokenizer.shared = true or model.tied = 'target'."
    )


def test_the_decoder_may_have_its_own_heads_and_inner_width():
    built = model(**ODD)
    assert {layer.attention.heads for layer in built.encoder} == {2}
    assert {layer.attention.heads for layer in built.decoder} == {8}
    assert {layer.source_attention.heads for layer in built.decoder} == {8}
    assert {layer.feed_forward.inner.out_features for layer in built.encoder} == {20}
    assert {layer.feed_forward.inner.out_features for layer in built.decoder} == {36}


@pytest.mark.parametrize(("initialization", "embeddings"), [("xavier", 64**-0.5), ("normal", 0.02)])
def test_the_first_weights_are_drawn_as_the_settings_say(initialization, embeddings):
    torch.manual_seed(0)
    settings = TransformerSettings(width=64, ffn_width=256, initialization=initialization)
    built = Transformer(settings, 2000, 2000)
    wide = built.encoder[0].feed_forward.inner
    matrices = 0.02 if initialization == "normal" else (2 / (64 + 256)) ** 0.5
    assert built.target_embedding.table.weight.std().item() == pytest.approx(embeddings, rel=0.02)
    assert wide.weight.std().item() == pytest.approx(matrices, rel=0.03)
    assert not wide.bias.any()
    assert built.encoder[0].around_attention.norm.weight.eq(1).all()


def test_the_first_guesses_of_the_default_size_are_almost_even():
    torch.manual_seed(0)
    built = Transformer(TransformerSettings(), 8000, 8000).eval()
    read, written = torch.randint(4, 8000, (4, 12)), torch.randint(4, 8000, (4, 13))
    with torch.no_grad():
        scores = built(read, written[:, :-1]).flatten(0, 1)
    loss = nn.functional.cross_entropy(scores, written[:, 1:].flatten()).item()
    assert loss == pytest.approx(math.log(8000), rel=0.1)


@pytest.mark.parametrize(
    "positions", ["none", "rotary", "alibi", "t5", "shaw", "relative", "learned"]
)
def test_only_relative_positions_tell_how_far_source_and_target_are_apart(positions):
    built = model(positions=positions)
    for layer in built.decoder:
        assert (layer.source_attention.offsets is None) == (positions != "relative")
        assert layer.source_attention.rotary is None


def test_without_positions_the_order_of_the_source_does_not_matter():
    read, written = batch()
    turned = read.clone()
    turned[0] = read[0, [3, 0, 6, 1, 5, 2, 4]]
    blind, seeing = model(positions="none"), model(positions="rotary")
    torch.testing.assert_close(blind(turned, written), blind(read, written), atol=1e-4, rtol=1e-4)
    assert not torch.allclose(seeing(turned, written), seeing(read, written), atol=1e-2)


@pytest.mark.parametrize("activation", ["relu", "swiglu", "single"])
def test_a_dictionary_to_begin_with_is_passed_on_whatever_the_feed_forward(activation):
    built = model(activation=activation, initialization="dictionary", tied="none")
    vectors = nn.functional.normalize(torch.randn(30, 16), dim=1)
    built.begin_with_dictionary(vectors, vectors)
    tables = built.source_embedding.table.weight, built.target_embedding.table.weight
    for table in tables:
        assert torch.cosine_similarity(table, vectors).min() > 0.9
    assert torch.equal(built.output.weight, tables[1])


@pytest.mark.parametrize(
    "changes", [{"value_width": 3}, {"key_value_heads": 2}, {"output_projection": False}]
)
def test_a_dictionary_that_cannot_be_passed_on_is_refused(changes):
    vectors = torch.randn(30, 16)
    with pytest.raises(ConfigError) as error:
        model(**changes).begin_with_dictionary(vectors, vectors)
    assert str(error.value) == (
        "model.initialization = 'dictionary' needs heads whose values fill the width and are mixed "
        "by an output projection. Set model.initialization = 'xavier'."
    )


@pytest.mark.parametrize(
    "positions",
    ["sinusoidal", "rotary", "alibi", "relative", "t5", "shaw"],
)
def test_fewer_digits_give_almost_the_same_scores(positions):
    built = Transformer(TransformerSettings(**SMALL, positions=positions), 30, 30).eval()
    read, written = batch()
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        rough = built(read, written)
    torch.testing.assert_close(rough.float(), built(read, written), atol=0.1, rtol=0.1)


def test_reordering_shares_a_source_between_the_rows_of_a_sentence():
    built = model()
    state = built.begin(batch()[0])
    repeated = built.reorder(state, torch.tensor([0, 0, 1, 1, 2, 2]))
    assert repeated.rows_per_source == 2
    assert repeated.source[0][0] is state.source[0][0]


def test_dropout_of_every_kind_acts_while_training_only():
    kinds = ("dropout", "attention_dropout", "ffn_dropout", "word_dropout")
    read, written = batch()
    for kind in kinds:
        built = model(**{**dict.fromkeys(kinds, 0.0), kind: 0.5})
        calm = built(read, written)
        torch.testing.assert_close(built(read, written), calm, rtol=0, atol=0)
        built.train()
        assert not torch.equal(built(read, written), calm), kind
