"""The size that is proposed for a budget, and what speaks against a training."""

from dataclasses import replace

import pytest

from dragoman.config.reading import find_recipe, read_recipe
from dragoman.core.errors import ConfigError
from dragoman.planner.budget.budget import TrainingBudget
from dragoman.planner.budget.law import LossLaw
from dragoman.planner.budget.prediction import predict
from dragoman.planner.budget.proposal import propose, warnings, within_budget
from dragoman.planner.budget.sizes import ModelSize
from dragoman.planner.measure import PROGRAM, Speed

RECIPE = read_recipe(find_recipe("english-hindi"))
GIB = 2**30


def speed(parameters=1000, **changes):
    return replace(
        Speed(
            seconds=1e-3 * parameters / 1000, tokens=100, steps_per_epoch=1000,
            parameters=parameters, flops=1e5 * parameters, memory=parameters * 1000,
        ),
        **changes,
    )  # fmt: skip


def sizes(*parameters, recipe=RECIPE):
    return [ModelSize(recipe, speed(one), measured=True) for one in parameters]


@pytest.mark.parametrize(
    ("name", "wanted", "size"), [("english-hindi", 5, 30_000), ("grammar-gpt", 20, 10_000)]
)
def test_the_largest_size_with_tokens_enough_for_each_parameter_is_proposed(name, wanted, size):
    """A language model wants twenty, a translator five."""
    recipe = read_recipe(find_recipe(name))
    found = within_budget(
        sizes(1000, 10_000, 30_000, 100_000, recipe=recipe), TrainingBudget(seconds=60)
    )
    chosen = propose(found)
    assert chosen.size.speed.parameters == size
    assert chosen.tokens_per_parameter >= wanted
    assert found[-1].tokens_per_parameter < wanted


def test_a_budget_too_small_for_all_gets_the_smallest_size():
    found = within_budget(sizes(100_000, 1_000_000), TrainingBudget(seconds=60))
    assert propose(found).size.speed.parameters == 100_000


def test_by_a_law_the_size_of_the_lowest_loss_is_proposed():
    law = LossLaw(e=1.0, a=50.0, alpha=0.5, b=50.0, beta=0.3)
    found = within_budget(sizes(1000, 10_000, 100_000), TrainingBudget(seconds=60), law)
    losses = [one.loss for one in found]
    assert propose(found).loss == min(losses)
    chosen = propose(found)
    expected = law.loss(chosen.size.speed.parameters, chosen.prediction.tokens)
    assert chosen.loss == pytest.approx(expected)


def test_a_size_that_does_not_fit_the_memory_is_not_proposed():
    room = PROGRAM + 5_000_000
    found = within_budget(sizes(1000, 10_000), TrainingBudget(seconds=60, memory=room))
    assert [one.fits_memory for one in found] == [True, False]
    assert propose(found).size.speed.parameters == 1000


def test_where_no_size_fits_the_smallest_memory_is_named():
    found = within_budget(sizes(1000, 10_000), TrainingBudget(memory=2**20))
    with pytest.raises(ConfigError, match=r"no size of this model fits .* takes 301 MiB"):
        propose(found)


def told(found, budget=TrainingBudget(), planned=100, machine=64.0):  # noqa: B008 - it is frozen
    return warnings(predict(RECIPE, found, 100), budget, machine, planned)


def test_nothing_is_said_of_a_training_that_fits():
    assert told(speed()) == []


def test_a_model_with_more_parameters_than_the_corpus_has_tokens_is_too_big():
    (line,) = told(speed(parameters=200_000, steps_per_epoch=20, tokens=5000))
    assert "too big for the data: 200,000 parameters for 100,000 training tokens" in line


def test_few_passes_are_no_reason_to_call_a_model_too_big():
    assert told(speed(parameters=200_000, steps_per_epoch=50, tokens=2000)) == []


def test_many_passes_over_a_corpus_are_told():
    (line,) = told(speed(steps_per_epoch=1, tokens=10_000))
    assert "too small for the training: 100 passes" in line
    (line,) = told(speed(steps_per_epoch=1, tokens=10_000), TrainingBudget(seconds=60))
    assert "too small for the budget" in line


def test_too_little_memory_is_told_of_the_budget_and_of_the_machine():
    large = speed(memory=5 * GIB)
    assert "more than the 4.00 GiB of the budget" in told(large, TrainingBudget(memory=4 * GIB))[0]
    assert "more than the 2.0 GiB of this machine" in told(large, machine=2.0)[0]


def test_a_recipe_that_is_longer_than_the_budget_is_told_so():
    (line,) = told(speed(), TrainingBudget(seconds=60), planned=500)
    assert "100 of its 500 steps" in line
