"""One row for each family of networks and each of its settings; the gauntlet runs them all."""

from itertools import product
from types import SimpleNamespace

import pytest
import torch

from dragoman.config.model import TransformerSettings
from dragoman.engine.build import build_model

SOURCE_WORDS, TARGET_WORDS = 180, 200
SMALL = {"width": 16, "heads": 4, "encoder_layers": 2, "decoder_layers": 2, "inner_width": 24}

FAMILIES = [
    (
        f"transformer, norm {norm}, tied {tied}, {positions}",
        TransformerSettings(
            **SMALL, norm=norm, tied=tied, positions=positions, longest=12, reach=3, dropout=0.0
        ),
    )
    for norm, tied, positions in product(
        ["before", "after"],
        ["all", "target", "none"],
        ["sinusoidal", "sinusoidal-halves", "learned", "relative"],
    )
] + [
    (
        "transformer, uneven",
        TransformerSettings(
            width=16,
            heads=2,
            decoder_heads=4,
            encoder_layers=3,
            decoder_layers=1,
            inner_width=20,
            decoder_inner_width=28,
            activation="gelu",
            initialisation="normal",
            dropout=0.0,
        ),
    )
]


class Family:
    """The settings of one row, and how to build a network from them."""

    def __init__(self, settings):
        self.settings = settings

    @property
    def sizes(self):
        """Words of the source and of the target; one vocabulary where all is tied."""
        shared = getattr(self.settings, "tied", "none") == "all"
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
