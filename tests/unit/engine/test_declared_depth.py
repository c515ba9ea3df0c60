"""A recipe that declares more layers than its weights have tensors is refused at once."""

import shutil
from pathlib import Path

import pytest

from dragoman.core.errors import CheckpointError
from dragoman.tasks.open import kind_of_run

GOLDEN = Path(__file__).parents[2] / "golden/run-v2"


@pytest.mark.parametrize(
    ("run", "key"),
    [
        ("translation", "encoder_layers"),
        ("translation-recurrent", "decoder_layers"),
        ("language", "layers"),
        ("masked", "layers"),
    ],
)
def test_more_layers_than_tensors_are_refused_before_they_are_built(run, key, tmp_path):
    shutil.copytree(GOLDEN / run, tmp_path / "run")
    recipe = tmp_path / "run/recipe.toml"
    lines = recipe.read_text().splitlines()
    deep = [f"{key} = 200" if one.startswith(f"{key} = ") else one for one in lines]
    assert deep != lines
    recipe.write_text("\n".join(deep) + "\n")
    with pytest.raises(CheckpointError, match=rf"recipe\.toml: model\.{key} = 200, but .* tensors"):
        kind_of_run(tmp_path / "run").load(tmp_path / "run", device="cpu")
