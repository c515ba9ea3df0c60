import numpy as np
import pytest
from scipy.optimize import minimize

from dragoman.core.errors import DataError
from dragoman.metrics.logistic import STRENGTHS, center_bias, fit_by_folds, fit_logistic


def some_data(rows=200, seed=1):
    """Three numbers, of which the first says much, the second little and the third nothing."""
    random = np.random.default_rng(seed)
    features = random.normal(size=(rows, 3)) * [1, 10, 0.1] + [5, 0, -3]
    logits = 1.5 * (features[:, 0] - 5) - 0.05 * features[:, 1] + 0.3
    return features, random.random(rows) < 1 / (1 + np.exp(-logits))


@pytest.mark.parametrize("strength", [0.1, 1.0, 50.0])
def test_the_weights_are_those_that_a_general_minimiser_finds(strength):
    features, yes = some_data()
    scaled = (features - features.mean(0)) / features.std(0)

    def loss(weights):
        logits = scaled @ weights[:-1] + weights[-1]
        likely = 1 / (1 + np.exp(-np.where(yes, logits, -logits)))
        return -np.log(likely).sum() + strength / 2 * (weights[:-1] ** 2).sum()

    best = minimize(loss, np.zeros(4), tol=1e-12).x
    fitted = fit_logistic(features, yes, strength)
    assert fitted.weights == pytest.approx(best[:-1], abs=1e-4)
    assert fitted.bias == pytest.approx(best[-1], abs=1e-4)
    likely = fitted.probabilities(features)
    assert likely == pytest.approx(1 / (1 + np.exp(-(scaled @ best[:-1] + best[-1]))), abs=1e-4)
    assert likely.mean() == pytest.approx(yes.mean(), abs=1e-6)


def test_numbers_in_other_units_change_nothing():
    features, yes = some_data()
    one, other = fit_logistic(features, yes, 1.0), fit_logistic(features * 1000 + 7, yes, 1.0)
    assert other.probabilities(features * 1000 + 7) == pytest.approx(one.probabilities(features))


def test_what_can_be_parted_completely_has_finite_weights():
    features = [[float(number)] for number in range(20)]
    fitted = fit_logistic(features, [number >= 10 for number in range(20)], 0.1)
    likely = fitted.probabilities(features)
    assert np.isfinite(fitted.weights).all()
    assert (likely[:10] < 0.5).all()
    assert (likely[10:] > 0.5).all()


@pytest.mark.parametrize("answer", [True, False])
def test_answers_that_are_all_alike_are_expected_again(answer):
    fitted = fit_by_folds([[float(number)] for number in range(20)], [answer] * 20)
    assert np.abs(fitted.probabilities([[3.0]]) - answer).max() < 0.01


def test_a_number_that_never_changes_says_nothing():
    features, yes = some_data()
    more = np.column_stack([features, np.full(len(features), 4.0)])
    fitted = fit_logistic(more, yes, 1.0)
    assert fitted.weights[-1] == 0
    assert fitted.probabilities(more) == pytest.approx(
        fit_logistic(features, yes, 1.0).probabilities(features)
    )


def test_noise_is_held_down_more_than_what_says_something():
    random = np.random.default_rng(2)
    noise = random.normal(size=(60, 12))
    assert fit_by_folds(noise, random.random(60) < 0.5).strength >= 10
    strong, yes = some_data(rows=2000)
    assert fit_by_folds(strong, yes).strength <= 10
    assert fit_by_folds(strong, yes) == fit_by_folds(strong, yes)
    assert fit_by_folds(strong, yes).strength in STRENGTHS


@pytest.mark.parametrize(
    ("rows", "yes"), [([[1.0]], [True]), ([[1.0]] * 3, [True]), ([[1.0], [np.inf]], [True, False])]
)
def test_what_cannot_be_fitted_is_refused(rows, yes):
    with pytest.raises(DataError, match="logistic regression: "):
        fit_logistic(rows, yes, 1.0)


def test_a_centered_regression_says_yes_as_often_as_it_is_so_and_orders_all_as_before():
    features, yes = some_data()
    fitted = fit_logistic(features, yes, 1.0)
    others, so = some_data(seed=2)
    so[:80] = True
    moved = center_bias(fitted, others, so)
    assert moved.weights == fitted.weights
    assert moved.probabilities(others).mean() == pytest.approx(so.mean(), abs=1e-9)


@pytest.mark.parametrize("answer", [True, False])
def test_where_all_answers_are_alike_the_centre_is_as_far_as_so_many_can_tell(answer):
    features, yes = some_data()
    moved = center_bias(fit_logistic(features, yes, 1.0), features, [answer] * 200)
    expected = 1 - 0.5 / 200 if answer else 0.5 / 200
    assert moved.probabilities(features).mean() == pytest.approx(expected, abs=1e-9)
