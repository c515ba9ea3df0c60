"""Networks that are known by name, as settings: BERT, GPT, GPT-2, GPT-3 and T5.

A name gives the shape of the published network and the size of its vocabulary, so that its weights
can be counted to the last one. Papers round, and some of their tables err: see the tests.
"""

from dataclasses import dataclass

from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.encoder import EncoderSettings
from dragoman.config.transformer import TransformerSettings
from dragoman.core.errors import ConfigError, nearest

NamedSettings = EncoderSettings | DecoderOnlySettings | TransformerSettings


@dataclass(frozen=True)
class NamedNetwork:
    """A network that is known by name."""

    settings: NamedSettings
    vocab_size: int


def _bert(layers: int, width: int, heads: int) -> NamedNetwork:
    """BERT for English in lower case, with both heads it was pretrained with."""
    settings = EncoderSettings(
        width=width,
        layers=layers,
        heads=heads,
        ffn_width=4 * width,
        norm_epsilon=1e-12,
        segments=2,
        pooler=True,
        next_sentence_head=True,
        attention_dropout=0.1,
        initialization="normal",
    )
    return NamedNetwork(settings, 30_522)


def _gpt() -> NamedNetwork:
    """GPT of 2018: norms after the parts, as in the Transformer of 2017."""
    settings = DecoderOnlySettings(
        width=768,
        layers=12,
        heads=12,
        ffn_width=3072,
        activation="gelu-tanh",
        norm="post",
        positions="learned",
        max_positions=512,
        attention_dropout=0.1,
        initialization="normal",
    )
    return NamedNetwork(settings, 40_478)


def _gpt2(layers: int, width: int, heads: int, longest: int = 1024) -> NamedNetwork:
    settings = DecoderOnlySettings(
        width=width,
        layers=layers,
        heads=heads,
        ffn_width=4 * width,
        activation="gelu-tanh",
        positions="learned",
        max_positions=longest,
        attention_dropout=0.1,
        initialization="normal",
    )
    return NamedNetwork(settings, 50_257)


def _gpt3(layers: int, width: int, heads: int, head_width: int) -> NamedNetwork:
    """GPT-3 as its table has it; two rows have heads that do not fill the width."""
    named = _gpt2(layers, width, heads=1, longest=2048)
    heads_too = {"heads": heads, "key_width": head_width, "value_width": head_width}
    return NamedNetwork(named.settings.model_copy(update=heads_too), named.vocab_size)


def _t5(layers: int, width: int, ffn_width: int, heads: int, head_width: int = 64) -> NamedNetwork:
    settings = TransformerSettings(
        width=width,
        encoder_layers=layers,
        decoder_layers=layers,
        heads=heads,
        key_width=head_width,
        value_width=head_width,
        ffn_width=ffn_width,
        biases=False,
        normalization="rms",
        positions="t5",
        attention_dropout=0.1,
        ffn_dropout=0.1,
        initialization="normal",
    )
    return NamedNetwork(settings, 32_128)


NAMED: dict[str, NamedNetwork] = {
    "bert-base": _bert(12, 768, 12),
    "bert-large": _bert(24, 1024, 16),
    "gpt": _gpt(),
    "gpt2": _gpt2(12, 768, 12),
    "gpt2-medium": _gpt2(24, 1024, 16),
    "gpt2-large": _gpt2(36, 1280, 20),
    "gpt2-xl": _gpt2(48, 1600, 25),
    "gpt3-small": _gpt3(12, 768, 12, 64),
    "gpt3-medium": _gpt3(24, 1024, 16, 64),
    "gpt3-large": _gpt3(24, 1536, 16, 96),
    "gpt3-xl": _gpt3(24, 2048, 24, 128),
    "gpt3-2.7b": _gpt3(32, 2560, 32, 80),
    "gpt3-6.7b": _gpt3(32, 4096, 32, 128),
    "gpt3-13b": _gpt3(40, 5140, 40, 128),
    "gpt3": _gpt3(96, 12_288, 96, 128),
    "t5-small": _t5(6, 512, 2048, 8),
    "t5-base": _t5(12, 768, 3072, 12),
    "t5-large": _t5(24, 1024, 4096, 16),
    "t5-3b": _t5(24, 1024, 16_384, 32, 128),
    "t5-11b": _t5(24, 1024, 65_536, 128, 128),
}


def named(name: str) -> tuple[NamedSettings, int]:
    """Return the settings of a network that is known by name, and the size of its vocabulary."""
    if name not in NAMED:
        raise ConfigError(f"{name!r}: no network is known by this name. {nearest(name, NAMED)}")
    return NAMED[name].settings, NAMED[name].vocab_size
