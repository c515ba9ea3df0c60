"""Power: how many seeds a verdict takes, and how wide an interval is that seeds agree on."""

import math
from dataclasses import replace

import pytest
from scipy import stats

from dragoman.config.settings import Settings
from dragoman.lab.catalogue import experiments
from dragoman.lab.experiment import Experiment, Result
from dragoman.lab.hypotheses import ClaimVerdict, ExperimentHypothesis
from dragoman.lab.power import LEAST, MOST, Power
from dragoman.lab.run import run_experiment
from dragoman.lab.spread import difference, spread
from dragoman.lab.student import t_800, t_950, t_975

NO_SEEDS = {"A36"}
"""Claims that an experiment computes exactly, with any seed."""


def exact_power(effect, deviation, seeds):
    """Return how often a 95 % interval over so many seeds lies on the right side of nought."""
    shift = effect / deviation * math.sqrt(seeds)
    return stats.nct.sf(stats.t.ppf(0.975, seeds - 1), seeds - 1, shift)


@pytest.mark.parametrize("freedom", [*range(1, 16), 20, 30, 60, 200])
def test_quantiles_are_those_of_students_distribution(freedom):
    assert t_975(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), abs=2e-3)
    assert t_950(freedom) == pytest.approx(stats.t.ppf(0.95, freedom), abs=2e-3)
    assert t_800(freedom) == pytest.approx(stats.t.ppf(0.8, freedom), abs=2e-3)


@pytest.mark.parametrize("effect", [20.0, 6.0, 3.0, 2.0, 1.5, 1.2, 1.0, 0.8, 0.5, 0.3, 0.1])
def test_so_many_seeds_see_the_effect_in_four_of_five_runs_and_fewer_do_not(effect):
    seeds = Power(effect, 1.0).seeds
    assert exact_power(effect, 1.0, seeds) >= 0.8
    if seeds > LEAST:
        assert exact_power(effect, 1.0, seeds - 1) < 0.8


def test_the_unit_does_not_matter_and_what_nobody_could_see_takes_the_most():
    assert Power(3.0, 2.0).seeds == Power(0.03, 0.02).seeds
    assert Power(1e9, 1.0).seeds == LEAST
    assert Power(1e-9, 1.0).seeds == MOST


def test_seeds_that_agree_have_the_width_of_a_test_item():
    alike = spread([100.0] * 3, resolution=0.5)
    assert (alike.mean, alike.deviation) == (100.0, 0.0)
    assert alike.margin == pytest.approx(4.303 * 0.5 / math.sqrt(3))
    assert alike.side_of(99.0) == "unclear"
    assert alike.side_of(98.0) == "above"
    assert difference([100.0] * 3, [100.0] * 3, 0.5).side_of(1.0) == "unclear"
    assert difference([100.0] * 3, [99.0] * 3, 0.5).side_of(0.0) == "unclear"


@pytest.mark.parametrize("seeds", [2, 3, 5, 10, 30])
@pytest.mark.parametrize("items", [20, 200, 5000])
def test_the_interval_of_seeds_without_an_error_covers_the_rule_of_three(seeds, items):
    upper = 1 - 0.05 ** (1 / (seeds * items))  # errors that all of them could have missed
    assert upper == pytest.approx(3 / (seeds * items), rel=0.1)
    assert spread([1.0] * seeds, resolution=1 / items).margin > upper


def test_without_a_resolution_seeds_that_agree_still_have_a_width():
    assert spread([100.0] * 3).margin == pytest.approx(4.303 * 0.1 / math.sqrt(3))
    assert difference([100.0] * 3, [100.0] * 3).side_of(0.2) == "unclear"
    assert spread([0.0] * 3).side_of(1.0) == "unclear"  # nothing says how fine the figure is
    assert spread([0.0] * 3, resolution=0.1).side_of(1.0) == "below"
    rounded = difference([0.3, 0.6, 0.9], [0.1 + 0.2, 0.6, 0.9])  # 4e-17 apart, which is rounding
    assert rounded.margin > 1e-4


def test_seeds_that_differ_by_more_than_an_item_keep_their_own_deviation():
    assert spread([1.0, 2.0, 3.0], resolution=0.1).margin == spread([1.0, 2.0, 3.0]).margin
    wide = spread([1.0, 1.001, 1.002], resolution=0.1)
    assert wide.margin == pytest.approx(4.303 * 0.1 / math.sqrt(3))
    assert wide.written() == "1.001 ± 0.001"  # what was seen is told as it was seen


def test_another_unit_has_the_same_width():
    share = spread([0.9] * 3, resolution=0.01)
    assert share.times(100).margin == pytest.approx(100 * share.margin)
    assert share.points() == spread([90.0] * 3, resolution=1.0).interval(1)


class NoChoice(Settings):
    """No options."""


def decided(verdict, power):
    """Return an experiment that always comes to a verdict, of a hypothesis with such a power."""
    hypothesis = ExperimentHypothesis(("Z1",), "it is so.", power=power)

    def measure(runner, options):
        found = ClaimVerdict(hypothesis, verdict, "It was seen.")
        return Result([], [found], [])

    return Experiment(
        "decided", "Decided", (hypothesis,), NoChoice, measure, lambda result, path: None
    )


@pytest.mark.parametrize("verdict", ["confirmed", "corrected", "refuted", "a convention"])
@pytest.mark.parametrize(
    ("seeds", "enough"), [((1,), False), (range(1, 6), False), (range(1, 7), True)]
)
def test_fewer_seeds_than_the_power_asks_for_decide_nothing(tmp_path, verdict, seeds, enough):
    power = Power(effect=15.0, deviation=10.0)
    assert power.seeds == 6
    result = run_experiment(decided(verdict, power), "full", tmp_path, seeds=tuple(seeds))
    (found,) = result.verdicts
    if enough:
        assert (found.verdict, found.because) == (verdict, "It was seen.")
    else:
        assert found.verdict == "undecided"
        assert (
            found.because == f"It was seen. That takes 6 seeds to decide; these are {len(seeds)}."
        )
    told = (tmp_path / "result.json").read_text("utf-8")
    assert f'"verdict": "{found.verdict}"' in told


def test_what_is_undecided_stays_so_and_without_an_estimate_any_number_may_decide(tmp_path):
    power = Power(effect=15.0, deviation=10.0)
    (open_,) = run_experiment(decided("undecided", power), "full", tmp_path / "a").verdicts
    assert (open_.verdict, open_.because) == ("undecided", "It was seen.")
    (found,) = run_experiment(decided("refuted", None), "full", tmp_path / "b", seeds=(1,)).verdicts
    assert found.verdict == "refuted"
    other = decided("refuted", power)
    fewer = replace(other, seeds=(1, 2))
    assert run_experiment(fewer, "full", tmp_path / "c").verdicts[0].verdict == "undecided"


@pytest.mark.parametrize("experiment", experiments().values(), ids=lambda one: one.name)
def test_every_hypothesis_that_seeds_decide_says_how_many_it_takes(experiment):
    for hypothesis in experiment.hypotheses:
        if not NO_SEEDS & set(hypothesis.ids):
            assert hypothesis.power is not None, hypothesis.ids


@pytest.mark.parametrize("experiment", experiments().values(), ids=lambda one: one.name)
def test_no_pilot_has_the_seeds_of_a_run(experiment):
    assert all(seed < 90 for seed in (*experiment.seeds, *experiment.quick_seeds))
    assert len(set(experiment.seeds)) == len(experiment.seeds)
