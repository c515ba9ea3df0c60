"""One row for each family of networks and each of its settings; the gauntlet runs them all."""

from types import SimpleNamespace

import pytest
import torch

from dragoman.config.cells import GruCell, LstmCell, RnnCell, SimpleGruCell
from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.model import TransformerSettings
from dragoman.config.recurrent import RecurrentSettings
from dragoman.engine.build import build_model

SOURCE_WORDS, TARGET_WORDS = 180, 200
SMALL = {
    "width": 16,
    "heads": 4,
    "ffn_width": 24,
    "max_positions": 32,
    "max_relative_position": 3,
    "dropout": 0.0,
}
LAYERS = {"encoder_layers": 2, "decoder_layers": 2}
MODERN = {
    "normalization": "rms",
    "activation": "swiglu",
    "key_value_heads": 2,
    "biases": False,
    "positions": "rotary",
}
OWN_WIDTHS = {"key_width": 6, "value_width": 3}
BARE = {
    "heads": 1,
    "activation": "single",
    "output_projection": False,
    "output_bias": True,
    "norm": "none",
}
TRANSFORMERS = {
    "sinusoidal": {},
    "norm after": {"norm": "post"},
    "norm none": {"norm": "none", "tied": "none"},
    "tied target": {"tied": "target"},
    "tied none": {"tied": "none", "output_bias": True},
    "sinusoidal-halves": {"positions": "sinusoidal-halves"},
    "sinusoidal-from-one": {"positions": "sinusoidal-from-one"},
    "learned": {"positions": "learned"},
    "no positions": {"positions": "none"},
    "rotary": {"positions": "rotary"},
    "alibi": {"positions": "alibi"},
    "relative": {"positions": "relative"},
    "relative, norm after, tied none": {"positions": "relative", "norm": "post", "tied": "none"},
    "t5": {"positions": "t5", "buckets": 8, "max_bucket_distance": 6},
    "shaw": {"positions": "shaw"},
    "modern": MODERN,
    "own widths": OWN_WIDTHS,
    "bare": {**BARE, "tied": "none"},
    "uneven": {
        "heads": 2,
        "decoder_heads": 4,
        "encoder_layers": 3,
        "decoder_layers": 1,
        "ffn_width": 20,
        "decoder_ffn_width": 28,
        "activation": "gelu",
        "initialization": "normal",
    },
}
DECODERS_ONLY = {
    "sinusoidal": {},
    "sinusoidal-halves, norm after": {"positions": "sinusoidal-halves", "norm": "post"},
    "sinusoidal-from-one, own widths": {"positions": "sinusoidal-from-one", **OWN_WIDTHS},
    "learned, both": {"positions": "learned", "loss_on": "both"},
    "no positions": {"positions": "none"},
    "rotary, modern, untied": {**MODERN, "tied": False},
    "alibi, three heads, both": {
        "positions": "alibi",
        "width": 18,
        "heads": 3,
        "loss_on": "both",
        "activation": "gelu-tanh",
    },
    "relative": {"positions": "relative", "output_bias": True},
    "t5": {"positions": "t5", "buckets": 8, "max_bucket_distance": 6},
    "shaw, multi-query": {"positions": "shaw", "key_value_heads": 1},
    "bare": {**BARE, "tied": False},
}
FAMILIES = [
    (f"transformer, {name}", TransformerSettings(**{**SMALL, **LAYERS, **changes}))
    for name, changes in TRANSFORMERS.items()
] + [
    (f"decoder-only, {name}", DecoderOnlySettings(**{**SMALL, "layers": 2, **changes}))
    for name, changes in DECODERS_ONLY.items()
]

FORGETFUL = LstmCell(forget_gate=False)
RECURRENT = {
    "plain, first": {"cell": RnnCell(), "context": "first", "bidirectional": False},
    "deep lstm, first, residual": {
        "context": "first",
        "encoder_layers": 2,
        "decoder_layers": 2,
        "bidirectional": False,
        "residual": True,
        "readout": "linear",
    },
    "lstm, first, reversed": {
        "context": "first",
        "bidirectional": False,
        "reverse_source": True,
        "readout": "linear",
        "tied": "none",
    },
    "gru, every, both ways": {"cell": GruCell(), "context": "every", "readout": "maxout"},
    "gru, additive, maxout": {
        "cell": GruCell(reset="before"),
        "context": "additive",
        "readout": "maxout",
        "tied": "none",
        "embedding_width": 12,
        "attention_width": 10,
        "readout_width": 8,
    },
    "lstm, additive, uneven": {
        "context": "additive",
        "encoder_layers": 3,
        "decoder_layers": 2,
        "bidirectional": True,
        "reverse_source": True,
    },
    "lstm, dot, fed": {
        "context": "dot",
        "bidirectional": False,
        "input_feeding": True,
        "decoder_layers": 2,
    },
    "lstm, general, fed": {
        "context": "general",
        "input_feeding": True,
        "embedding_width": 12,
        "residual": True,
        "decoder_layers": 2,
    },
    "lstm, general": {"context": "general", "tied": "target", "embedding_width": 12},
    "gru-update, dot": {"cell": SimpleGruCell(), "context": "dot", "bidirectional": False},
    "forgetful lstm, every": {"cell": FORGETFUL, "context": "every", "tied": "target"},
    "plain, first, both ways": {
        "cell": RnnCell(activation="relu"),
        "context": "first",
        "encoder_layers": 1,
        "decoder_layers": 2,
        "embedding_width": 12,
        "readout": "linear",
        "tied": "target",
    },
}
FAMILIES += [
    (f"recurrent, {name}", RecurrentSettings(width=16, dropout=0.0, **changes))
    for name, changes in RECURRENT.items()
]


class Family:
    """The settings of one row, and how to build a network from them."""

    def __init__(self, settings):
        self.settings = settings

    @property
    def sizes(self):
        """Words of the source and of the target; one vocabulary where all is tied or one text."""
        shared = self.settings.kind == "decoder-only" or self.settings.tied == "all"
        return (TARGET_WORDS, TARGET_WORDS) if shared else (SOURCE_WORDS, TARGET_WORDS)

    def build(self, seed=1, sizes=None, **changes):
        """Build a network, with those changes that its family knows."""
        known = {k: v for k, v in changes.items() if k in type(self.settings).model_fields}
        source, target = sizes or self.sizes
        words = SimpleNamespace(
            source=SimpleNamespace(size=source), target=SimpleNamespace(size=target)
        )
        return build_model(self.settings.model_copy(update=known), words, seed)


@pytest.fixture(params=[settings for _, settings in FAMILIES], ids=[name for name, _ in FAMILIES])
def family(request):
    return Family(request.param)


@pytest.fixture
def read():
    """Three padded sources."""
    tokens = torch.randint(4, SOURCE_WORDS, (3, 7), generator=torch.Generator().manual_seed(5))
    tokens[1, 5:] = tokens[2, 2:] = 0
    return tokens


@pytest.fixture
def written():
    """Three padded targets."""
    tokens = torch.randint(4, TARGET_WORDS, (3, 6), generator=torch.Generator().manual_seed(6))
    tokens[:, 0] = 2
    tokens[0, 4:] = 0
    return tokens
