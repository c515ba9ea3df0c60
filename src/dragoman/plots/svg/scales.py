"""Scales of plots: from values to pixels, and round ticks."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from dragoman.core.figures import number_text

DECADE = 10.0
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
MOST_DECADES = 7


@dataclass(frozen=True)
class PlotScale:
    """Values from `low` to `high` as pixels from `begin` to `end`."""

    low: float
    high: float
    begin: float
    end: float
    base: float | None = None
    """Of the logarithm; without one, the scale is linear."""

    def __call__(self, value: float) -> float:
        """Return the pixel of a value."""
        low, high = self._bent(self.low), self._bent(self.high)
        share = (self._bent(value) - low) / (high - low)
        return self.begin + share * (self.end - self.begin)

    def _bent(self, value: float) -> float:
        return value if self.base is None else math.log(value, self.base)

    def shows(self, value: float) -> bool:
        """Say whether a value has a pixel at all."""
        return math.isfinite(value) and (self.base is None or value > 0)


@dataclass(frozen=True)
class Ticks:
    """Where the ticks of an axis are, and what is written at them."""

    low: float
    high: float
    places: Sequence[float]
    base: float | None = None

    @property
    def texts(self) -> list[str]:
        """What is written at each tick."""
        smallest = (self.high - self.low) * 1e-9 if self.base is None else 0.0
        return [number_text(0.0 if abs(one) < smallest else one) for one in self.places]

    def scale(self, begin: float, end: float) -> PlotScale:
        """Return the scale between two pixels."""
        return PlotScale(self.low, self.high, begin, end, self.base)


def linear_ticks(
    values: Iterable[float], *, lowest: float | None = None, whole: bool = False, most: int = 6
) -> Ticks:
    """Return round ticks that surround values; with `whole`, integers only."""
    low, high = _bounds(values)
    low = low if lowest is None else lowest
    if high <= low:
        spread = abs(low) / 2 or 1.0
        low, high = (low if lowest is not None else low - spread), low + spread
    step = _step((high - low) / (most - 1))
    step = max(1.0, math.ceil(step)) if whole else step
    first = low if lowest is not None else math.floor(low / step + 1e-9) * step
    count = math.ceil((high - first) / step - 1e-9)
    places = [first + number * step for number in range(count + 1)]
    return Ticks(first, places[-1], places)


def place_ticks(values: Iterable[float], most: int = 9) -> Ticks:
    """Return round ticks within values, whose ends are the ends of the axis."""
    low, high = _bounds(values)
    if high <= low:
        return Ticks(low - 0.5, low + 0.5, [low])
    whole = all(value == int(value) for value in (low, high))
    step = _step((high - low) / (most - 1))
    step = max(1.0, math.ceil(step)) if whole else step
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return Ticks(low, high, [number * step for number in range(first, last + 1)])


def decade_ticks(values: Iterable[float], lowest: float | None = None) -> Ticks:
    """Return ticks at powers of ten; of little more than one, also at 2 and 5."""
    positive = [value for value in values if 0 < value < math.inf]
    if not positive:
        return linear_ticks([0.0, 1.0])
    low, high = _bounds(positive)
    low = lowest if lowest is not None and lowest > 0 else low
    first, last = math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9)
    last = max(last, first + 1)
    if last - first <= 1:
        places = [factor * DECADE**first for factor in (1, 2, 5, 10)]
        return Ticks(places[0], places[-1], places, DECADE)
    stride = -(-(last - first) // MOST_DECADES)
    places = [DECADE**power for power in range(first, last + 1, stride)]
    return Ticks(DECADE**first, DECADE**last, places, DECADE)


def doubling_ticks(values: Iterable[float], fits: Callable[[float], bool]) -> Ticks:
    """Return a tick at every place of a scale of doublings; as many as `fits` lets through."""
    places = sorted({value for value in values if 0 < value < math.inf})
    if not places:
        return place_ticks([0.0, 1.0])
    low, high = places[0], places[-1]
    if low == high:
        low, high = low / 2, high * 2
    scale = PlotScale(low, high, 0.0, 1.0, 2.0)
    shown = [place for place in places if fits(scale(place))]
    return Ticks(low, high, shown, 2.0)


def _bounds(values: Iterable[float]) -> tuple[float, float]:
    finite = [value for value in values if math.isfinite(value)]
    return (min(finite), max(finite)) if finite else (0.0, 1.0)


def _step(least: float) -> float:
    """Return the least round step that is large enough."""
    power = DECADE ** math.floor(math.log10(least))
    return next(factor * power for factor in STEPS if factor * power >= least * (1 - 1e-9))
