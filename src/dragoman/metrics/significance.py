"""Is one system better than another, or only luckier with these sentences?

The paired bootstrap (Koehn 2004) draws the test set anew many times, with replacement, scores both
systems on each draw and asks how often chance alone would give a difference as large as the real
one. sacrebleu does the drawing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from dragoman.core.errors import ConfigError, DataError
from dragoman.metrics.scores import SEED, build_metric, check_pairs, seed_sacrebleu

LEVEL = 0.05


@dataclass(frozen=True)
class SystemScore:
    """One system's score, and its mean and 95 % interval over the draws."""

    score: float
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Comparison:
    """Two systems side by side."""

    metric: str
    first: SystemScore
    second: SystemScore
    p_value: float
    significant: bool
    verdict: str
    signature: str


def compare(
    first: Sequence[str],
    second: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    metric: str = "bleu",
    draws: int = 1000,
    seed: int = SEED,
) -> Comparison:
    """Compare the outputs of two systems on the same sentences."""
    if len(first) != len(second):
        raise DataError(
            f"compare: the first system has {len(first)} outputs and the second {len(second)}; "
            "both must translate the same sentences."
        )
    check_pairs(first, references)
    if seed < 1 or draws < 2:
        raise ConfigError(
            f"compare: {draws} draws from seed {seed}; use at least 2 draws and a seed above 0."
        )
    judge = build_metric(metric)  # refuses an unknown name before sacrebleu's machinery starts
    from sacrebleu.significance import PairedTest

    systems = [("first", first), ("second", second)]
    with seed_sacrebleu(seed):
        test = PairedTest(systems, {metric: judge}, references, test_type="bs", n_samples=draws)
        signatures, table = test()
    (name, signature), *_ = signatures.items()
    baseline, other = table[name]
    one, two = _system(baseline), _system(other)
    # With no difference at all sacrebleu counts no draw above it and would give the smallest p.
    p_value = 1.0 if one.score == two.score else _number(other, "p_value")
    return Comparison(
        metric=name,
        first=one,
        second=two,
        p_value=p_value,
        significant=p_value < LEVEL,
        verdict=_verdict(name, one.score, two.score, p_value, lower_is_better=metric == "ter"),
        signature=str(signature),
    )


def _system(result: object) -> SystemScore:
    score, mean, half = (_number(result, name) for name in ("score", "mean", "ci"))
    return SystemScore(score, mean, mean - half, mean + half)


def _number(result: object, name: str) -> float:
    """Read a field that sacrebleu's types call optional, but which the bootstrap always sets."""
    return float(getattr(result, name))


def _verdict(
    name: str, first: float, second: float, p_value: float, *, lower_is_better: bool
) -> str:
    figures = f"{name} {first:.1f} and {second:.1f}, p = {p_value:.3f}"
    if p_value >= LEVEL:
        return f"The systems cannot be told apart ({figures})."
    better = "second" if (second > first) != lower_is_better else "first"
    return f"The {better} system is better ({figures})."
