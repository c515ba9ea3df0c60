"""Other sizes of a model, and their speed between measured ones."""

from dataclasses import replace

import pytest
from tests.measured_speeds import FLOPS_PER_SECOND, MadeUpSample

from dragoman.config.reading import find_recipe, read_recipe
from dragoman.planner.budget.sizes import (
    has_sizes,
    interpolated,
    measure_size,
    measured_sizes,
    proposed_sizes,
)


def recipe_of(name, *changes):
    return read_recipe(find_recipe(name), changes)


@pytest.mark.parametrize("name", ["english-hindi", "grammar-gpt", "luong", "decoder-only"])
def test_sizes_are_different_models_around_the_recipes_own(name):
    recipe = recipe_of(name)
    sizes = proposed_sizes(recipe)
    assert sizes[0] == recipe
    assert len(sizes) >= 4
    widths = {one.model.width for one in sizes}
    assert min(widths) < recipe.model.width < max(widths)
    assert len({one.model.model_dump_json() for one in sizes}) == len(sizes)


def test_the_feed_forward_width_keeps_its_ratio():
    recipe = recipe_of("english-hindi")
    ratio = recipe.model.ffn_width / recipe.model.width
    assert {one.model.ffn_width / one.model.width for one in proposed_sizes(recipe)} == {ratio}


def test_only_models_that_write_text_have_other_sizes():
    assert has_sizes(recipe_of("english-hindi"))
    assert has_sizes(recipe_of("grammar-gpt"))
    assert not has_sizes(recipe_of("grammar-bert"))
    assert not has_sizes(recipe_of("mnist"))


def test_seconds_per_flop_are_linear_in_log_flops_between_measured_sizes():
    points = [(1e6, 4.0), (1e8, 2.0)]
    assert interpolated(points, 1e7) == pytest.approx(3.0)
    assert interpolated(points, 1e6) == 4.0
    assert interpolated(points, 1e8) == 2.0
    assert interpolated(points, 1e4) == 4.0
    assert interpolated(points, 1e9) == 2.0


def test_three_sizes_are_measured_and_the_others_lie_between_them():
    recipe, sample = recipe_of("english-hindi"), MadeUpSample()
    own = sample.measure(recipe, 1.0, whole=True)
    sizes = measured_sizes(sample, recipe, own, 1.0)
    assert len(sample.measured) == sum(one.measured for one in sizes) == 3
    assert [one.speed.flops for one in sizes] == sorted(one.speed.flops for one in sizes)
    for one in sizes:  # the made-up machine has one speed for all
        assert one.speed.seconds == pytest.approx(one.speed.flops / FLOPS_PER_SECOND)


def test_a_size_that_is_measured_moves_those_that_are_interpolated():
    recipe, sample = recipe_of("english-hindi"), MadeUpSample()
    sizes = measured_sizes(sample, recipe, sample.measure(recipe, 1.0, whole=True), 1.0)
    chosen = next(one for one in sizes if not one.measured)

    class SlowSample(MadeUpSample):
        def measure(self, recipe, seconds, *, whole=False):
            found = super().measure(recipe, seconds, whole=whole)
            slow = replace(found.speed, seconds=3 * found.speed.seconds)
            return replace(found, speed=slow)

    found = measure_size(SlowSample(), sizes, chosen, 1.0)
    place = sizes.index(chosen)
    assert found[place].measured
    assert found[place].speed.seconds == pytest.approx(3 * chosen.speed.seconds)
    for before, after in zip(sizes, found, strict=True):
        assert after.speed.seconds >= 0.999 * before.speed.seconds
        assert after.measured == (before.measured or before is chosen)
        if before.measured:
            assert after == before


def test_the_changes_of_a_size_make_its_model():
    recipe, sample = recipe_of("english-hindi"), MadeUpSample()
    own = sample.measure(recipe, 1.0, whole=True)
    for one in measured_sizes(sample, recipe, own, 1.0):
        assert recipe_of("english-hindi", *one.changes).model == one.recipe.model


def test_a_larger_size_takes_longer_to_validate_and_to_store():
    recipe, sample = recipe_of("luong"), MadeUpSample()
    own = sample.measure(recipe, 1.0, whole=True)
    sizes = measured_sizes(sample, recipe, own, 1.0)
    assert sizes[0].speed.validation < own.speed.validation < sizes[-1].speed.validation
    assert sizes[0].speed.checkpoint < own.speed.checkpoint < sizes[-1].speed.checkpoint
