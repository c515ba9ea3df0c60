"""Synthetic scaling studies whose optimum is known."""

import numpy as np

from dragoman.planner.scaling.parametric import ParametricLaw
from dragoman.planner.scaling.points import ScalingPoint

CHINCHILLA = ParametricLaw(1.69, 406.4, 0.34, 410.7, 0.28)
ASYMMETRIC = ParametricLaw(1.0, 2000.0, 0.6, 60.0, 0.2)
SYMMETRIC = ParametricLaw(1.7, 400.0, 0.3, 400.0, 0.3)
BUDGETS = (1e18, 3e18, 1e19, 3e19, 1e20)
FACTORS = tuple(np.geomspace(1 / 4, 4, 7))


def true_optimum(law, flops):
    """N* where FLOPs are 6 N D (Hoffmann et al. 2022, equation 4)."""
    scale = (law.alpha * law.a / (law.beta * law.b)) ** (1 / (law.alpha + law.beta))
    return scale * (flops / 6) ** (law.beta / (law.alpha + law.beta))


def study(law, *, noise=0.0, draw=0, seeds=1, budgets=BUDGETS, factors=FACTORS, sizes=None):
    """Points of a law at sizes around its optimum, or at the same sizes for every budget."""
    random = np.random.default_rng(draw)
    points = []
    for flops in budgets:
        own = sizes or [true_optimum(law, flops) * factor for factor in factors]
        for size in map(round, own):
            tokens = flops / (6 * size)
            for seed in range(1, seeds + 1):
                loss = law.loss_at(size, tokens) + noise * random.standard_normal()
                points.append(ScalingPoint(size, tokens, flops, flops, float(loss), seed))
    return points


def quadratic_study(exponent, *, noise, draw, seeds=3, budgets=BUDGETS, runs=False):
    """Points that are parabolas in ln N to begin with: N* = 1e6 (C / 1e18)^exponent."""
    random = np.random.default_rng(draw)
    sizes = np.geomspace(1e5, 3e8, 8).round()
    shared = noise * random.standard_normal((len(sizes), seeds))
    points = []
    for flops in budgets:
        optimum = 1e6 * (flops / 1e18) ** exponent
        for place, size in enumerate(map(int, sizes)):
            for seed in range(1, seeds + 1):
                error = shared[place, seed - 1] if runs else noise * random.standard_normal()
                loss = 3.0 + 0.02 * np.log(size / optimum) ** 2 + error
                run = f"{size}/{seed}" if runs else ""
                point = ScalingPoint(size, flops / (6 * size), flops, flops, loss, seed, run)
                points.append(point)
    return points
