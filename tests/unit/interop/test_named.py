"""The named networks have the published sizes, to the last weight."""

import math

import pytest
import torch
from transformers import (
    BertConfig,
    BertForPreTraining,
    GPT2Config,
    GPT2LMHeadModel,
    OpenAIGPTConfig,
    OpenAIGPTLMHeadModel,
    T5Config,
    T5ForConditionalGeneration,
)

from dragoman.config.named import NAMED, named
from dragoman.core.errors import ConfigError
from dragoman.interop.network import shapes_of

COUNTS = {
    "bert-base": 110_106_428,  # with both heads; the paper says 110 M
    "bert-large": 336_226_108,  # the paper says 340 M
    "gpt": 116_534_784,  # usually told as 117 M
    "gpt2": 124_439_808,  # the paper says 117 M, and corrected it later
    "gpt2-medium": 354_823_168,  # 345 M
    "gpt2-large": 774_030_080,  # 762 M
    "gpt2-xl": 1_557_611_200,  # 1542 M
    "gpt3-small": 125_226_240,  # 125 M
    "gpt3-medium": 355_871_744,  # 350 M
    "gpt3-large": 760_300_032,  # 760 M
    "gpt3-xl": 1_517_123_584,  # 1.3 B: see below
    "gpt3-2.7b": 2_651_553_280,
    "gpt3-6.7b": 6_658_404_352,
    "gpt3-13b": 12_936_488_380,  # 13 B, with heads that do not fill the width (40 · 128 < 5140)
    "gpt3": 174_604_259_328,  # 175 B
    "t5-small": 60_506_624,  # 60 M
    "t5-base": 222_903_552,  # 220 M
    "t5-large": 737_668_096,  # the paper says 770 M
    "t5-3b": 2_851_598_336,  # 2.8 B
    "t5-11b": 11_307_321_344,
}
PUBLISHED = {
    "bert-base": 110e6,
    "bert-large": 340e6,
    "gpt": 117e6,
    "gpt3-small": 125e6,
    "gpt3-medium": 350e6,
    "gpt3-large": 760e6,
    "gpt3-2.7b": 2.7e9,
    "gpt3-6.7b": 6.7e9,
    "gpt3-13b": 13e9,
    "gpt3": 175e9,
    "t5-small": 60e6,
    "t5-base": 220e6,
    "t5-large": 770e6,
    "t5-3b": 2.8e9,
    "t5-11b": 11e9,
}


def count(settings, words):
    return sum(math.prod(shape) for shape in shapes_of(settings, words).values())


def count_by_layers(name):
    """Count with one layer and with two: every further one has as many weights as the second."""
    settings, words = named(name)
    keys = [key for key in ("layers", "encoder_layers", "decoder_layers") if hasattr(settings, key)]
    one, two = (
        count(settings.model_copy(update=dict.fromkeys(keys, layers)), words) for layers in (1, 2)
    )
    return one + (getattr(settings, keys[0]) - 1) * (two - one)


@pytest.mark.parametrize("name", NAMED)
def test_a_named_network_has_exactly_so_many_weights(name):
    assert count_by_layers(name) == COUNTS[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMED)
def test_counting_by_layers_is_counting_all(name):
    assert count(*named(name)) == COUNTS[name]


@pytest.mark.parametrize("name", PUBLISHED)
def test_papers_round_by_less_than_a_twentieth(name):
    assert abs(COUNTS[name] / PUBLISHED[name] - 1) < 0.05


def test_the_row_of_gpt3_xl_gives_its_published_size_only_with_sixteen_heads():
    settings, words = named("gpt3-xl")
    fitting = settings.model_copy(update={"heads": 16, "layers": 1})
    two = count(fitting.model_copy(update={"layers": 2}), words)
    whole = count(fitting, words) + 23 * (two - count(fitting, words))
    assert abs(whole / 1.3e9 - 1) < 0.02
    assert COUNTS["gpt3-xl"] / 1.3e9 > 1.15


@pytest.mark.parametrize("name", NAMED)
def test_settings_of_a_name_are_valid(name):
    settings, _ = named(name)
    assert type(settings).model_validate(settings.model_dump()) == settings


def t5(layers, width, inner, heads, size):
    shape = {"d_model": width, "d_ff": inner, "num_heads": heads, "d_kv": size}
    return T5ForConditionalGeneration, T5Config(vocab_size=32_128, num_layers=layers, **shape)


THEIRS = {
    "bert-base": lambda: (BertForPreTraining, BertConfig()),
    "gpt": lambda: (OpenAIGPTLMHeadModel, OpenAIGPTConfig()),
    "gpt2": lambda: (GPT2LMHeadModel, GPT2Config()),
    "t5-small": lambda: t5(6, 512, 2048, 8, 64),
}
MORE = {
    "bert-large": lambda: (
        BertForPreTraining,
        BertConfig(
            hidden_size=1024,
            num_hidden_layers=24,
            num_attention_heads=16,
            intermediate_size=4096,
        ),
    ),
    "gpt2-medium": lambda: (GPT2LMHeadModel, GPT2Config(n_embd=1024, n_layer=24, n_head=16)),
    "gpt2-large": lambda: (GPT2LMHeadModel, GPT2Config(n_embd=1280, n_layer=36, n_head=20)),
    "gpt2-xl": lambda: (GPT2LMHeadModel, GPT2Config(n_embd=1600, n_layer=48, n_head=25)),
    "t5-base": lambda: t5(12, 768, 3072, 12, 64),
    "t5-large": lambda: t5(24, 1024, 4096, 16, 64),
    "t5-3b": lambda: t5(24, 1024, 16_384, 32, 128),
    "t5-11b": lambda: t5(24, 1024, 65_536, 128, 128),
}
ALL = [
    *(pytest.param(name, make, id=name) for name, make in THEIRS.items()),
    *(pytest.param(name, make, id=name, marks=pytest.mark.slow) for name, make in MORE.items()),
]


@pytest.mark.parametrize(("name", "make"), ALL)
def test_transformers_counts_the_same(name, make):
    kind, config = make()
    with torch.device("meta"):
        theirs = kind(config)
    theirs.tie_weights()
    assert sum(weight.numel() for weight in theirs.parameters()) == COUNTS[name]


def test_a_name_that_nobody_has_is_told_with_the_nearest():
    with pytest.raises(ConfigError, match="Did you mean 'gpt2-large'"):
        named("gpt2-lage")
