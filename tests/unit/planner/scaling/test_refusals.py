"""Every study that cannot be fitted is refused in one line that says why and what to do."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.unit.planner.scaling.synthetic import ASYMMETRIC, CHINCHILLA, study, true_optimum

from dragoman.core.errors import DataError
from dragoman.planner.scaling.isoflop import profiles_of
from dragoman.planner.scaling.laws import fit_scaling_laws
from dragoman.planner.scaling.points import ScalingFitError


def refusal(points):
    with pytest.raises(ScalingFitError) as error:
        fit_scaling_laws(points, law_replicates=2)
    assert "\n" not in str(error.value)
    assert isinstance(error.value, DataError)
    return str(error.value)


def test_no_points():
    assert refusal([]) == "scaling: there are no points to fit."


def test_an_unfinished_trial():
    points = study(CHINCHILLA)
    points[3] = replace(points[3], loss=None)
    told = refusal(points)
    assert f"{points[3].parameters:,} parameters at 1e+18 FLOPs, seed 1" in told
    assert "is not finished. Run the same command to resume it." in told


@pytest.mark.parametrize("loss", [math.nan, math.inf])
def test_a_trial_that_diverged(loss):
    points = study(CHINCHILLA)
    points[3] = replace(points[3], loss=loss)
    assert f"the loss is {loss}, so this trial diverged. Lower optimizer" in refusal(points)


@pytest.mark.parametrize("logarithm", [math.log, math.log10])
def test_points_given_as_logarithms(logarithm):
    points = [
        replace(one, parameters=logarithm(one.parameters), flops=logarithm(one.flops))
        for one in study(CHINCHILLA)
    ]
    assert "look like logarithms" in refusal(points)


def test_a_budget_given_as_a_logarithm():
    laws = fit_scaling_laws(study(CHINCHILLA), law_replicates=2)
    for typed in (15.0, math.log(1e15)):
        with pytest.raises(ScalingFitError, match="if that is a logarithm, write the FLOPs"):
            laws.at(typed)


def test_a_profile_of_too_few_sizes():
    points = study(CHINCHILLA, factors=(0.5, 1, 2))
    laws = fit_scaling_laws(points, law_replicates=2)
    assert laws.refusals[0] == (
        "profile at 1e+18 FLOPs: has too few points, 3 sizes; 4 are needed. Add sizes."
    )
    assert laws.parameters is None


def test_too_few_budgets():
    laws = fit_scaling_laws(study(CHINCHILLA, budgets=(1e18, 1e19)), law_replicates=2)
    assert "compute-optimal line: has too few points, 2 budgets" in laws.refusals[0]
    with pytest.raises(ScalingFitError, match="2 budgets with an interior minimum"):
        laws.at(1e20)


@pytest.mark.parametrize(
    ("factors", "side"), [((1.5, 2, 3, 4), "smaller"), ((0.1, 0.2, 0.3, 0.4), "larger")]
)
def test_no_interior_minimum(factors, side):
    laws = fit_scaling_laws(study(CHINCHILLA, factors=factors), law_replicates=2)
    assert laws.parameters is None
    assert (
        f"has no interior minimum, the loss still falls towards {side} models" in laws.refusals[0]
    )
    assert laws.refusals[0].endswith(f"Add {side} sizes.")


def test_a_profile_that_bends_downwards():
    points = [replace(one, loss=10 - one.loss) for one in study(CHINCHILLA)]
    laws = fit_scaling_laws(points, law_replicates=2)
    assert "has no interior minimum, the loss bends downwards" in laws.refusals[0]


def test_a_parabola_that_turns_where_the_losses_do_not():
    """Steep on one side, a quadratic has a minimum among sizes of which the largest is best."""
    points = study(ASYMMETRIC, factors=(0.01, 0.02, 0.05, 0.1, 0.3, 0.8))
    for own in profiles_of(points).values():
        x = np.log([one.parameters for one in own])
        squared, linear, _ = np.polyfit(x, [one.loss for one in own], 2)
        assert min(x) < -linear / (2 * squared) < max(x)
    laws = fit_scaling_laws(points, law_replicates=2)
    assert all("still falls towards larger models" in one.refusal for one in laws.profiles)


def test_a_flat_profile():
    points = [replace(one, loss=2.0) for one in study(CHINCHILLA)]
    laws = fit_scaling_laws(points, law_replicates=2)
    assert "profile at 1e+18 FLOPs: is flat, the loss differs by" in laws.refusals[0]
    assert laws.parametric is None


def test_a_profile_whose_noise_hides_its_minimum_is_flat():
    random = np.random.default_rng(0)
    points = [
        replace(one, loss=2.0 + 0.1 * random.standard_normal())
        for one in study(CHINCHILLA, seeds=3)
    ]
    laws = fit_scaling_laws(points, law_replicates=2)
    assert laws.parameters is None
    assert all("is flat" in one.refusal or "no interior" in one.refusal for one in laws.profiles)


def test_nothing_is_extrapolated_where_one_profile_has_no_interior_minimum():
    """Within the study the other profiles still hold a line; beyond it nothing is said."""
    small = true_optimum(CHINCHILLA, 1e18)
    sizes = (small * np.geomspace(0.05, 4.0, 8)).tolist()
    laws = fit_scaling_laws(study(CHINCHILLA, sizes=sizes), law_replicates=2)
    told = [one.budget for one in laws.profiles if one.refusal]
    assert told == [3e19, 1e20]
    assert laws.at(1e19).parameters > small
    with pytest.raises(ScalingFitError) as error:
        laws.at(1e23)
    assert "nothing is said about 1e+23 FLOPs, 3.0 orders of magnitude beyond" in str(error.value)
    assert "profile at 3e+19 FLOPs: has no interior minimum" in str(error.value)
