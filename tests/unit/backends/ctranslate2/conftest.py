"""A small run that has learned enough to translate sensibly."""

from types import SimpleNamespace

import pytest
from tests.conftest import write_recipe

CHANGES = [
    "training.steps=160",
    "training.validate_every=160",
    "training.checkpoint_every=160",
    "training.log_every=80",
    "batches.max_tokens=400",
    "model.width=32",
    "model.ffn_width=64",
    "model.dropout=0.0",
    "optimizer.learning_rate=0.01",
]


@pytest.fixture(scope="session")
def sensible(tmp_path_factory):
    """Train it once; do not change it."""
    from dragoman.trainer import train

    folder = tmp_path_factory.mktemp("sensible")
    train(write_recipe(folder), CHANGES, folder=folder / "run")
    return SimpleNamespace(run=folder / "run")
