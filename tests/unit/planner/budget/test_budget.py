"""Budgets as people write them, and the steps that fit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.config.training import TrainingSettings
from dragoman.core.errors import ConfigError
from dragoman.planner.budget.budget import (
    TrainingBudget,
    affordable_steps,
    checkpoints,
    read_budget,
    steps_within,
    validations,
    wall_clock,
)
from dragoman.planner.measure import Speed

SPEED = Speed(
    seconds=0.1, tokens=100, steps_per_epoch=50, parameters=1000, flops=1e9, memory=2**20,
    validation=3.0, checkpoint=0.5,
)  # fmt: skip
TRAINING = TrainingSettings(steps=1000, validate_every=100, checkpoint_every=300)


@pytest.mark.parametrize(
    ("text", "size"),
    [("4G", 4 * 2**30), ("800M", 800 * 2**20), ("1.5 GiB", 3 * 2**29), ("2kb", 2048), ("7", 7)],
)
def test_memory_is_read_in_binary_units(text, size):
    assert read_budget(None, None, text).memory == size


def test_time_and_flops_are_read():
    assert read_budget("30m", None, None).seconds == 1800
    assert read_budget(None, "1e15", None).flops == 1e15


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (("30x", None, None), "--time 30x: is not a time"),
        ((None, "many", None), "--flops many: is not a number of FLOPs"),
        ((None, "-1", None), "--flops -1"),
        ((None, "inf", None), "--flops inf"),
        ((None, None, "4Q"), "--memory 4Q: is not a size of memory"),
        ((None, None, "0G"), "--memory 0G"),
        (("30m", "1e15", None), "give one of them"),
    ],
)
def test_what_is_no_budget_is_refused(typed, told):
    with pytest.raises(ConfigError, match=told):
        read_budget(*typed)


def test_a_training_is_validated_and_stored_at_its_end_too():
    assert [validations(TRAINING, steps) for steps in (1, 100, 101)] == [1, 1, 2]
    assert [checkpoints(TRAINING, steps) for steps in (1, 300, 599)] == [1, 2, 2]


def test_wall_clock_is_steps_validations_and_checkpoints():
    assert wall_clock(SPEED, TRAINING, 1000) == pytest.approx(1000 * 0.1 + 10 * 3.0 + 4 * 0.5)


@given(seconds=st.floats(4, 1e5))
def test_the_steps_fill_the_time_and_one_more_does_not_fit(seconds):
    steps = steps_within(TrainingBudget(seconds=seconds), SPEED, TRAINING)
    assert wall_clock(SPEED, TRAINING, steps) <= seconds
    assert wall_clock(SPEED, TRAINING, steps + 1) > seconds


def test_flops_are_divided_by_those_of_a_step():
    assert affordable_steps(TrainingBudget(flops=7.9e9), SPEED, TRAINING) == 7


def test_without_time_and_flops_the_recipe_keeps_its_steps():
    assert affordable_steps(TrainingBudget(memory=1), SPEED, TRAINING) == 1000


def test_a_budget_that_is_too_small_for_one_step_is_refused():
    with pytest.raises(ConfigError, match="too small for one step: a step takes 1.00 GFLOP"):
        affordable_steps(TrainingBudget(flops=1e8), SPEED, TRAINING)
    with pytest.raises(ConfigError, match="too short for one step"):
        affordable_steps(TrainingBudget(seconds=1), SPEED, TRAINING)
