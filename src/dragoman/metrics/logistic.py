"""Logistic regression, written out: the probability of a yes from a few numbers.

    p = 1 / (1 + e^-(b + w·z))        z: the numbers, each less its mean, in units of its deviation

w and b make the penalised loss  -Σ log p(answer) + ½ λ |w|²  least; b is not penalised, so that the
mean of p over the data is the share of yeses. The loss is convex, and Newton's steps find its one
minimum:

    step  =  (Zᵀ diag(p (1 - p)) Z + λ)⁻¹  (Zᵀ (p - y) + λ w)

A step that does not make the loss smaller is halved. λ is chosen by cross-validation: that which
lets the answers of each fold be told best from the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dragoman.core.errors import DataError

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

STRENGTHS = (0.1, 1.0, 10.0, 100.0, 1000.0)
"""λ that are tried."""

FOLDS = 5
STEPS, HALVINGS, CLOSE = 100, 40, 1e-10
FARTHEST = 8.0
"""Deviations from the mean that count: beyond, a number says no more than there."""


@dataclass(frozen=True)
class Logistic:
    """A fitted regression: plain numbers, one for each feature."""

    means: tuple[float, ...]
    deviations: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float
    strength: float
    """λ, as it was chosen."""

    def probabilities(self, features: Sequence[Sequence[float]] | Floats) -> Floats:
        """Return the probability of a yes for each row of features."""
        rows = np.asarray(features, dtype=np.float64).reshape(-1, len(self.means))
        scaled = _scaled(rows, np.array(self.means), np.array(self.deviations))
        return _squashed(scaled @ np.array(self.weights) + self.bias)


def fit_logistic(
    features: Sequence[Sequence[float]] | Floats, yes: Sequence[bool] | Bools, strength: float
) -> Logistic:
    """Fit a regression with the given λ."""
    rows, answers = _checked(features, yes)
    means, deviations = rows.mean(0), rows.std(0)
    deviations = np.where(deviations > 0, deviations, 1.0)  # what never changes says nothing
    scaled = _scaled(rows, means, deviations)
    found = _least(np.column_stack([scaled, np.ones(len(scaled))]), answers, strength)
    return Logistic(
        means=tuple(means.tolist()),
        deviations=tuple(deviations.tolist()),
        weights=tuple(found[:-1].tolist()),
        bias=float(found[-1]),
        strength=strength,
    )


def center_bias(
    model: Logistic, features: Sequence[Sequence[float]] | Floats, yes: Sequence[bool] | Bools
) -> Logistic:
    """Move the bias of a regression until its mean probability is the share of yeses."""
    rows, answers = _checked(features, yes)
    scaled = _scaled(rows, np.array(model.means), np.array(model.deviations))
    logits = scaled @ np.array(model.weights)
    share = min(max(answers.mean(), 0.5 / len(rows)), 1 - 0.5 / len(rows))
    low, high = -float(np.abs(logits).max()) - 50.0, float(np.abs(logits).max()) + 50.0
    for _ in range(200):  # the mean grows with the bias, so halving finds it
        middle = (low + high) / 2
        low, high = (middle, high) if _squashed(logits + middle).mean() < share else (low, middle)
    return replace(model, bias=(low + high) / 2)


def fit_by_folds(features: Sequence[Sequence[float]] | Floats, yes: Sequence[bool]) -> Logistic:
    """Fit with the λ that tells held-out answers best; of equals the strongest."""
    rows, answers = _checked(features, yes)
    losses = {strength: _held_out_loss(rows, answers, strength) for strength in STRENGTHS}
    best = min(losses.values())
    return fit_logistic(rows, answers > 0, max(s for s, loss in losses.items() if loss == best))


def _held_out_loss(rows: Floats, answers: Floats, strength: float) -> float:
    """Return the mean loss over folds that each left out every fifth row; no chance is in it."""
    fold = np.arange(len(rows)) % FOLDS
    total = 0.0
    for one in range(min(FOLDS, len(rows))):
        here = fold == one
        model = fit_logistic(rows[~here], answers[~here] > 0, strength * (~here).mean())
        likely = np.clip(model.probabilities(rows[here]), 1e-12, 1 - 1e-12)
        total -= float(np.sum(np.log(np.where(answers[here] > 0, likely, 1 - likely))))
    return total / len(rows)


def _least(rows: Floats, answers: Floats, strength: float) -> Floats:
    """Return the weights that make the loss least, the bias last."""
    penalty = np.full(rows.shape[1], strength)
    penalty[-1] = 1e-6  # next to nothing, so that there is a minimum where all answers are alike
    found = np.zeros(rows.shape[1])
    loss = _loss(found, rows, answers, penalty)
    for _ in range(STEPS):
        likely = _squashed(rows @ found)
        slope = rows.T @ (likely - answers) + penalty * found
        curve = (rows * (likely * (1 - likely))[:, None]).T @ rows + np.diag(penalty)
        step = np.linalg.solve(curve, slope)
        for halving in range(HALVINGS):
            tried = found - step * 0.5**halving
            new = _loss(tried, rows, answers, penalty)
            if new <= loss:
                break
        else:
            return found
        done = loss - new <= CLOSE * max(1.0, abs(loss))
        found, loss = tried, new
        if done:
            break
    return found


def _loss(weights: Floats, rows: Floats, answers: Floats, penalty: Floats) -> float:
    logits = rows @ weights
    return float(np.sum(np.logaddexp(0.0, logits) - answers * logits) + penalty @ weights**2 / 2)


def _squashed(logits: Floats) -> Floats:
    return np.exp(-np.logaddexp(0.0, -logits))


def _scaled(rows: Floats, means: Floats, deviations: Floats) -> Floats:
    return np.clip((rows - means) / deviations, -FARTHEST, FARTHEST)


def _checked(
    features: Sequence[Sequence[float]] | Floats, yes: Sequence[bool] | Bools
) -> tuple[Floats, Floats]:
    rows, answers = np.asarray(features, dtype=np.float64), np.asarray(yes, dtype=np.float64)
    if rows.ndim != 2 or len(rows) != len(answers) or len(rows) < 2:
        raise DataError(
            f"logistic regression: {len(rows)} rows for {len(answers)} answers; there must be one "
            "for each, and two at least."
        )
    if not np.isfinite(rows).all():
        raise DataError("logistic regression: a feature is not a finite number.")
    return rows, answers
