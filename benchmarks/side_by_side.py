"""Training speeds side by side: rounds that alternate between contestants in one process.

Speeds swing on a shared machine, so a claim is a ratio that is taken round by round. A round counts
the processor seconds of everything a contestant does: making its batches, the step, the optimizer.
"""

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

Step = Callable[[Any], None]
"""One training step on a batch."""


@dataclass
class Contestant:
    """A model that trains on batches of its own, and what it has shown."""

    name: str
    step: Step
    batches: Iterator[Any]
    tokens: Callable[[Any], int]
    """How many real tokens of a batch count."""
    work: Callable[[Any], float]
    """How many floating-point operations its matrix products cost, real tokens only."""
    speeds: list[float] = field(default_factory=list)
    """Tokens per CPU-second, round by round."""
    shares: list[float] = field(default_factory=list)
    """Shares of the speed of a large matrix product in the same round."""

    def train(self, count: int, peak: float) -> tuple[float, float]:
        """Train on some batches; return the speed, and the share of the peak."""
        began, tokens, work = time.process_time(), 0, 0.0
        for _ in range(count):
            batch = next(self.batches)
            self.step(batch)
            tokens += self.tokens(batch)
            work += self.work(batch)
        seconds = time.process_time() - began
        return tokens / seconds, work / seconds / peak


def alternate(contestants: list[Contestant], rounds: int, batches: int) -> None:
    """Let all take turns; the first round warms up and does not count."""
    for number in range(rounds + 1):
        peak = ceiling()
        for one in contestants:
            speed, share = one.train(batches, peak)
            if number:
                one.speeds.append(speed)
                one.shares.append(share)


def ceiling(seconds: float = 1.0) -> float:
    """Return the floating-point operations per second of a large matrix product, right now."""
    a, b = torch.randn(2048, 256), torch.randn(256, 1024)
    done, began = 0, time.process_time()
    while time.process_time() - began < seconds:
        a @ b
        done += 1
    return done * 2 * 2048 * 256 * 1024 / (time.process_time() - began)


def report(contestants: list[Contestant], counted: str) -> None:
    """Print a row for each, with the ratio of the first to it."""
    first = contestants[0]
    wide = max(len(one.name) for one in contestants)
    print(f"{'':{wide}}  {counted + ' per CPU-second':34} {'ratio':24} of the GEMM ceiling")
    for one in contestants:
        ratios = [a / b for a, b in zip(first.speeds, one.speeds, strict=True)]
        print(
            f"{one.name:{wide}}  {middle_and_range(one.speeds, 0):34} "
            f"{'' if one is first else middle_and_range(ratios, 3):24} "
            f"{statistics.median(one.shares):.1%}"
        )


def middle_and_range(measured: list[float], digits: int) -> str:
    """Write the median with the lowest and the highest."""
    middle, low, high = statistics.median(measured), min(measured), max(measured)
    return f"{middle:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"
