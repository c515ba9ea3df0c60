"""Counts from settings are those of the built network: parameters, and torch's FLOPs both ways."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.planner.count.networks import build, torch_flops, weights

from dragoman.config.autoencoder import AutoencoderSettings
from dragoman.config.cells import GruCell, LstmCell, RnnCell, SimpleGruCell
from dragoman.config.clip import ClipSettings, PatchTowerSettings, TextTowerSettings
from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.encoder import EncoderSettings
from dragoman.config.recurrent import RecurrentSettings
from dragoman.config.recurrent_text import RecurrentClassifierSettings, RecurrentLanguageSettings
from dragoman.config.text_cnn import TextCnnSettings
from dragoman.config.transformer import TransformerSettings
from dragoman.config.vision import (
    AlexNetSettings,
    CnnSettings,
    GoogLeNetSettings,
    ResNetSettings,
    VggSettings,
    VitSettings,
)
from dragoman.planner.count.families import count_network
from dragoman.planner.count.sizes import Sizes

PAIRS = Sizes(batch=3, source_vocab=29, target_vocab=29, source_length=3, target_length=4)
TWO = Sizes(batch=3, source_vocab=29, target_vocab=23, source_length=3, target_length=4)
TEXT = Sizes(batch=3, source_vocab=29, target_vocab=29, target_length=4)
LABELED = Sizes(batch=3, source_vocab=29, source_length=4, classes=4)

POSITIONS = (
    "none",
    "sinusoidal",
    "sinusoidal-halves",
    "sinusoidal-from-one",
    "learned",
    "rotary",
    "alibi",
    "relative",
    "t5",
    "shaw",
)
SMALL = {"width": 12, "heads": 3, "ffn_width": 20, "key_width": 4, "value_width": 4}
WIDTHS = {**SMALL, "key_width": 6, "value_width": 5, "key_value_heads": 1}


def transformer(**changed):
    return TransformerSettings(
        **{**SMALL, "encoder_layers": 2, "decoder_layers": 2, "max_positions": 9, **changed}
    )


def decoder_only(**changed):
    return DecoderOnlySettings(**{**SMALL, "layers": 2, "max_positions": 15, **changed})


def encoder(**changed):
    return EncoderSettings(**{**SMALL, "layers": 2, "max_positions": 9, **changed})


def recurrent(**changed):
    sizes = {"width": 6, "embedding_width": 5, "encoder_layers": 2, "decoder_layers": 2}
    return RecurrentSettings(**{**sizes, **changed})


TRANSFORMERS = {
    **{f"transformer {place}": (transformer(positions=place), PAIRS) for place in POSITIONS},
    "transformer untied": (transformer(tied="none", output_bias=True), TWO),
    "transformer target tied": (transformer(tied="target", biases=False), TWO),
    "transformer post norm": (transformer(norm="post", normalization="rms"), PAIRS),
    "transformer no norm, single": (transformer(norm="none", activation="single"), PAIRS),
    "transformer swiglu": (transformer(activation="swiglu", attention_dropout=0.1), PAIRS),
    "transformer other decoder": (
        transformer(decoder_heads=2, decoder_ffn_width=8, ffn_dropout=0.2),
        PAIRS,
    ),
    "transformer grouped": (transformer(**WIDTHS, positions="rotary"), PAIRS),
    "transformer shaw grouped": (transformer(**WIDTHS, positions="shaw"), PAIRS),
}
DECODERS = {
    **{
        f"decoder-only {place}": (decoder_only(positions=place), PAIRS)
        for place in ("none", "learned", "rotary", "relative", "t5", "shaw")
    },
    "decoder-only text": (decoder_only(tied=False, output_bias=True), TEXT),
    "decoder-only both": (decoder_only(loss_on="both"), PAIRS),
    "decoder-only grouped": (decoder_only(**WIDTHS), TEXT),
    "decoder-only without output": (
        decoder_only(width=12, heads=3, output_projection=False, norm="none"),
        TEXT,
    ),
}
ENCODERS = {
    **{
        f"encoder {place}": (encoder(positions=place), LABELED)
        for place in ("none", "learned", "relative", "t5", "shaw")
    },
    "encoder bert": (
        encoder(segments=2, pooler=True, next_sentence_head=True, tied=False),
        LABELED,
    ),
    "encoder classes": (encoder(pooler=True, classes=4, lm_head="none"), LABELED),
    "encoder bare": (encoder(lm_head="none", embedding_norm=False, norm="pre"), LABELED),
}
CELLS = {
    "rnn": RnnCell(),
    "rnn before": RnnCell(state="before", activation="sigmoid"),
    "gru": GruCell(),
    "gru before": GruCell(reset="before"),
    "gru-update": SimpleGruCell(),
    "lstm": LstmCell(),
    "lstm 1997": LstmCell(forget_gate=False),
}
CONTEXTS = {
    "first": {"context": "first", "bidirectional": False, "readout": "linear"},
    "first both ways": {"context": "first", "readout": "tanh"},
    "every": {"context": "every", "readout": "maxout"},
    "additive": {"context": "additive", "attention_width": 7},
    "dot": {"context": "dot", "bidirectional": False},
    "general": {"context": "general", "residual": True},
    "feeding": {"context": "general", "input_feeding": True},
    "feeding dot": {"context": "dot", "input_feeding": True, "bidirectional": False},
}
RECURRENT = {
    **{
        f"recurrent {context}, {cell}": (recurrent(cell=CELLS[cell], **CONTEXTS[context]), PAIRS)
        for context in CONTEXTS
        for cell in (CELLS if context in ("first", "feeding") else ("gru", "gru before", "lstm"))
    },
    "recurrent untied": (recurrent(tied="none", readout_width=8), TWO),
    "recurrent target tied": (recurrent(tied="target", encoder_layers=1), TWO),
}
TEXTS = {
    **{
        f"language model, {cell}": (
            RecurrentLanguageSettings(
                cell=CELLS[cell], embedding_width=5, width=6, layers=2, tied=False, first_width=4
            ),
            TEXT,
        )
        for cell in ("rnn before", "gru", "lstm 1997")
    },
    "language model tied": (
        RecurrentLanguageSettings(embedding_width=6, width=6, residual=True, layers=3),
        TEXT,
    ),
    **{
        f"classifier, {cell}": (
            RecurrentClassifierSettings(cell=CELLS[cell], embedding_width=5, width=6, layers=2),
            LABELED,
        )
        for cell in ("rnn", "gru", "gru before")
    },
    "classifier one way": (
        RecurrentClassifierSettings(width=6, bidirectional=False, pooling="mean"),
        LABELED,
    ),
    "classifier of each": (RecurrentClassifierSettings(width=6, each=True), LABELED),
    "text-cnn": (TextCnnSettings(embedding_width=6, filters=5, kernel_sizes=(1, 3, 4)), LABELED),
}


def pictures(size, channels=3, classes=10, batch=2):
    return Sizes(batch=batch, channels=channels, image_size=size, classes=classes)


IMAGES = {
    "cnn": (CnnSettings(channels=(4, 6), convolutions=2), pictures(13, 1)),
    "cnn sobel": (CnnSettings(channels=(8, 6), first_filters="sobel"), pictures(12, 1)),
    "cnn random": (CnnSettings(channels=(4, 6), further_filters="random"), pictures(12)),
    "cnn strided": (
        CnnSettings(channels=(4, 6), pooling="stride", kernel_size=5, batch_norm=False),
        pictures(13),
    ),
    "cnn between": (
        CnnSettings(channels=(4,), order="between", summary="average", hidden_width=0),
        pictures(12),
    ),
    "cnn pooling first": (
        CnnSettings(channels=(4,), order="pooling-first", pooling="average", summary="max"),
        pictures(12),
    ),
    "alexnet": (AlexNetSettings(channels=(4, 6, 8, 8, 6), hidden_width=10), pictures(227, batch=1)),
    "vgg 11": (VggSettings(depth=11, width=4, hidden_width=9), pictures(64)),
    "vgg 16 normed": (VggSettings(width=2, hidden_width=9, batch_norm=True), pictures(32)),
    "googlenet": (GoogLeNetSettings(width=8), pictures(224, batch=1)),
    "googlenet naive": (
        GoogLeNetSettings(width=8, bottleneck=False, auxiliary=False, stem="small"),
        pictures(32),
    ),
    "googlenet normed": (GoogLeNetSettings(width=8, batch_norm=True, stem="small"), pictures(32)),
    "resnet 20": (ResNetSettings(width=4), pictures(32)),
    "resnet 18": (ResNetSettings(depth=18, width=4), pictures(65)),
    "resnet 50": (ResNetSettings(depth=50, width=4), pictures(64)),
    "resnet plain": (ResNetSettings(stages=(1, 2), residual=False, stem="pooled"), pictures(17)),
    "resnet projected": (ResNetSettings(width=4, shortcut="projection"), pictures(32)),
    "vit": (VitSettings(width=12, heads=3, ffn_width=20, layers=2), pictures(16)),
    "vit mean": (VitSettings(width=12, layers=2, summary="mean", patch=8), pictures(32, 1)),
    "autoencoder linear": (AutoencoderSettings(code=4), pictures(9, 1)),
    "autoencoder deep": (AutoencoderSettings(form="deep", widths=(20, 9), code=4), pictures(9)),
    "autoencoder tied": (
        AutoencoderSettings(form="deep", widths=(20,), code=4, tied=True),
        pictures(9),
    ),
    "autoencoder convolutional": (
        AutoencoderSettings(form="convolutional", widths=(4, 6, 8), code=4),
        pictures(13),
    ),
    "autoencoder convolutional tied": (
        AutoencoderSettings(form="convolutional", widths=(4, 6), code=4, tied=True),
        pictures(16),
    ),
}
CAPTIONED = Sizes(batch=4, source_vocab=29, source_length=6, channels=3, image_size=16, classes=0)
TOWER = TextTowerSettings(width=12, heads=3, ffn_width=20, layers=2, max_positions=9)
CLIPS = {
    "clip resnet": (ClipSettings(image=ResNetSettings(width=4), text=TOWER, width=8), CAPTIONED),
    "clip vit": (
        ClipSettings(
            image=VitSettings(width=12, layers=2, ffn_width=20),
            text=TOWER.model_copy(update={"causal": False, "pooling": "mean"}),
            width=8,
        ),
        CAPTIONED,
    ),
    "clip patches": (
        ClipSettings(
            image=PatchTowerSettings(width=12, layers=2, ffn_width=20),
            text=TOWER.model_copy(update={"positions": "relative"}),
            width=8,
        ),
        CAPTIONED,
    ),
}
FAMILIES = {
    **TRANSFORMERS, **DECODERS, **ENCODERS, **RECURRENT, **TEXTS, **IMAGES, **CLIPS
}  # fmt: skip


@pytest.mark.parametrize("name", FAMILIES)
def test_parameters_and_flops_are_those_of_the_built_network(name):
    chosen, sizes = FAMILIES[name]
    model, total = build(chosen, sizes), count_network(chosen, sizes).total
    assert total.parameters == total.trained == weights(model)
    assert (total.forward, total.backward) == torch_flops(model, sizes)
    assert total.multiplications * 2 == total.forward


@pytest.mark.parametrize("name", ["encoder none", "encoder relative", "classifier, gru"])
def test_a_tagger_is_counted_with_a_label_for_each_token(name):
    chosen, sizes = FAMILIES[name]
    model = build(chosen, sizes, tags=True)
    total = count_network(chosen, sizes, tags=True).total
    assert total.parameters == weights(model)
    assert (total.forward, total.backward) == torch_flops(model, sizes)


def test_torch_counts_the_weight_gradient_of_each_group_as_if_it_read_all_channels():
    """The one place where the counts differ: torch's counter does not divide it by the groups."""
    plain, grouped = (
        AlexNetSettings(channels=(4, 6, 8, 8, 6), hidden_width=10, groups=groups)
        for groups in (1, 2)
    )
    sizes = pictures(227, batch=1)
    network = count_network(grouped, sizes)
    forward, backward = torch_flops(build(grouped, sizes), sizes)
    assert (network.total.parameters, network.total.forward) == (
        weights(build(grouped, sizes)),
        forward,
    )
    halved = [network.find(f"body.{place}").total.forward for place in (4, 10, 12)]
    assert network.total.backward + sum(halved) == backward
    assert network.total.forward + sum(halved) == count_network(plain, sizes).total.forward


@given(
    heads=st.sampled_from([1, 2, 4]),
    groups=st.sampled_from([None, 1]),
    key_width=st.sampled_from([None, 2, 6]),
    layers=st.integers(1, 3),
    positions=st.sampled_from(POSITIONS),
    norm=st.sampled_from(["pre", "post", "none"]),
    normalization=st.sampled_from(["layer", "rms"]),
    activation=st.sampled_from(["relu", "swiglu", "single"]),
    biases=st.booleans(),
    tied=st.booleans(),
)
@settings(max_examples=25, deadline=None)
def test_any_settings_have_the_parameters_of_their_network(**chosen):
    chosen["key_value_heads"] = chosen.pop("groups")
    made = DecoderOnlySettings(width=8, ffn_width=12, max_positions=9, **chosen)
    assert count_network(made, TEXT).total.parameters == weights(build(made, TEXT))
