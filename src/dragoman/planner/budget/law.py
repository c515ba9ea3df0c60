"""The fitted scaling law of a corpus, L(N, D) = E + A/N^α + B/D^β, as scaling studies store it."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dragoman.core.errors import ConfigError
from dragoman.planner.budget.prediction import read_json

FORMAT, VERSION = "dragoman-scaling", 1
KEYS = ("e", "a", "alpha", "b", "beta")


@dataclass(frozen=True)
class LossLaw:
    """A parametric scaling law, and the range of compute that it was fitted to."""

    e: float
    a: float
    alpha: float
    b: float
    beta: float
    largest_flops: float = math.inf

    def loss(self, parameters: float, tokens: float) -> float:
        """Return the validation loss of a size after so many tokens, in nats per token."""
        return self.e + self.a * parameters**-self.alpha + self.b * tokens**-self.beta

    def orders_beyond(self, flops: float) -> float:
        """Return by how many orders of magnitude a training lies beyond all that were fitted."""
        times = flops / self.largest_flops
        return math.log10(times) if times > 1 else 0.0


def read_law(path: Path) -> LossLaw:
    """Read the parametric law of a stored scaling study."""
    record = read_json(path, FORMAT, VERSION, "scaling.json of a scaling study")
    found = record.get("parametric")
    if not isinstance(found, dict):
        raise ConfigError(f"{path}: holds no parametric law; its study had too few trials.")
    values = [value for key in KEYS if (value := _number(found.get(key))) is not None]
    if len(values) < len(KEYS):
        raise ConfigError(f"{path}: its parametric law lacks one of {', '.join(KEYS)}.")
    e, a, alpha, b, beta = values
    return LossLaw(e, a, alpha, b, beta, _largest_flops(record.get("points")))


def _largest_flops(points: Any) -> float:
    rows = [one for one in points if isinstance(one, dict)] if isinstance(points, list) else []
    found = [_number(one.get("flops")) for one in rows]
    return max((value for value in found if value), default=math.inf)


def _number(value: Any) -> float | None:
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if plain and math.isfinite(value) else None
