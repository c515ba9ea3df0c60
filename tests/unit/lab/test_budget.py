import pytest

from dragoman.config.reading import find_recipe, read_recipe
from dragoman.core.errors import ConfigError
from dragoman.lab.budget import Budget, steps_in_time, tokens_of
from dragoman.trials.length import LOOKS, with_steps


@pytest.fixture
def recipe():
    return read_recipe(find_recipe("english-hindi"))


@pytest.mark.parametrize(
    ("text", "number"),
    [("2M", 2_000_000), ("500k", 500_000), ("1.5m", 1_500_000), ("1_000", 1000), (" 3 k", 3000)],
)
def test_tokens_are_read_as_people_write_them(text, number):
    assert tokens_of(text) == number


@pytest.mark.parametrize("text", ["", "M", "-3", "2 M tokens", "0", "99999b"])
def test_what_is_no_number_of_tokens_is_refused(text):
    with pytest.raises(ConfigError, match="--tokens"):
        tokens_of(text)


@pytest.mark.parametrize(
    ("budget", "words"),
    [
        (Budget("time", 600), "10 min of steps"),
        (Budget("tokens", 2e6), "2,000,000 target tokens"),
        (Budget(), "each recipe's own steps"),
    ],
)
def test_a_budget_can_be_said(budget, words):
    assert str(budget) == words


@pytest.mark.parametrize("steps", [1, 7, 8, 450, 3600])
def test_the_warm_up_keeps_its_share_and_each_run_has_the_same_looks(recipe, steps):
    made = with_steps(recipe, steps)
    assert made.training.steps == steps
    share = recipe.schedule.warmup_steps / recipe.training.steps
    assert made.schedule.warmup_steps == max(1, round(share * steps))
    assert -(-steps // made.training.validate_every) <= LOOKS
    if steps >= LOOKS**2:
        assert -(-steps // made.training.validate_every) == LOOKS


def test_every_length_of_a_schedule_follows_the_steps():
    changes = ["schedule.kind=linear", "schedule.decay_steps=900", "training.patience=2"]
    changes += ["training.steps=1800"]
    made = with_steps(read_recipe(find_recipe("english-hindi"), changes), 180)
    assert (made.schedule.warmup_steps, made.schedule.decay_steps) == (20, 90)
    assert made.training.patience == 0


def test_no_warm_up_stays_none(recipe):
    none = recipe.model_copy(
        update={"schedule": recipe.schedule.model_copy(update={"warmup_steps": 0})}
    )
    assert with_steps(none, 50).schedule.warmup_steps == 0


def test_time_buys_steps_of_all_their_batches(recipe):
    assert steps_in_time(recipe, 60, 0.5) == 120
    four = recipe.training.model_copy(update={"accumulate": 4})
    assert steps_in_time(recipe.model_copy(update={"training": four}), 60, 0.5) == 30
    assert steps_in_time(recipe, 0.1, 0.5) == 1
