import tomllib

import pytest

from dragoman.config.cells import GruCell, LstmCell
from dragoman.config.reading import read_recipe, recipe_from_tree
from dragoman.config.recurrent import RecurrentSettings
from dragoman.config.writing import recipe_to_toml
from dragoman.core.errors import ConfigError

BAHDANAU = 'model={kind="recurrent", cell={kind="gru", reset="before"}, readout="maxout"}'


@pytest.mark.parametrize("explained", [False, True])
def test_a_recurrent_recipe_reads_back_as_it_was_written(recipe, explained):
    whole = read_recipe(recipe, [BAHDANAU, "objective.teacher_forcing=0.5"])
    written = recipe_to_toml(whole, explained=explained)
    assert recipe_from_tree(tomllib.loads(written), "recipe.toml") == whole
    assert whole.model.cell == GruCell(reset="before")


def test_a_cell_may_be_named_alone(recipe):
    model = 'model={kind="recurrent", cell="lstm"}'
    assert read_recipe(recipe, [model]).model.cell == LstmCell()


def test_widths_follow_from_each_other():
    assert RecurrentSettings(width=64).output_width == 64
    assert RecurrentSettings(width=64, embedding_width=32).output_width == 32
    assert RecurrentSettings(width=64, embedding_width=32, tied="none").output_width == 64
    assert RecurrentSettings(width=64, bidirectional=True).memory_width == 128
    assert RecurrentSettings(width=64, bidirectional=False).memory_width == 64


def test_a_mistake_in_the_model_is_told_with_its_file_and_its_key(recipe):
    with pytest.raises(ConfigError) as error:
        read_recipe(recipe, ['model={kind="recurrent", context="dot"}'])
    assert str(error.value) == (
        f"{recipe}: model: context 'dot' needs encoder states as wide as the decoder's, and two "
        "directions are twice as wide. Set context = 'general' or bidirectional = false."
    )
