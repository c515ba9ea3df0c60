"""The training budget of a comparison: equal time, equal tokens, or each recipe's own steps."""

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dragoman.config.recipe import Recipe
from dragoman.core.duration import written
from dragoman.core.errors import ConfigError
from dragoman.data.batching.augmentation import augmentation
from dragoman.data.batching.stream import BatchStream
from dragoman.tasks.translation.prepare import PreparedPairs

UNITS = {"": 1, "k": 1000, "m": 10**6, "g": 10**9, "b": 10**9}
WRITTEN = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgb]?)")
MOST = 10**12


@dataclass(frozen=True)
class Budget:
    """What every run of a comparison may use."""

    kind: Literal["time", "tokens", "own"] = "own"
    amount: float = 0.0
    """Seconds of steps on this machine, or target tokens; nothing where each has its own steps."""

    def __str__(self) -> str:
        match self.kind:
            case "time":
                return f"{written(self.amount)} of steps"
            case "tokens":
                return f"{self.amount:,.0f} target tokens"
            case "own":
                return "each recipe's own steps"


def tokens_of(text: str) -> int:
    """Return a number of tokens as people write it: 500k, 2M."""
    found = WRITTEN.fullmatch(text.strip().lower().replace("_", "").replace(",", ""))
    if not found:
        raise ConfigError(f"--tokens {text}: is not a number of tokens. Write it as 500k or 2M.")
    number = round(float(found[1]) * UNITS[found[2]])
    if not 1 <= number <= MOST:
        raise ConfigError(f"--tokens {text}: must be between 1 and {MOST:,}.")
    return number


def steps_in_time(recipe: Recipe, seconds: float, seconds_of_a_batch: float) -> int:
    """Return how many steps fit into a time, at least one."""
    return max(1, int(seconds / (seconds_of_a_batch * recipe.training.accumulate)))


def steps_to_tokens(recipe: Recipe, prepared: PreparedPairs, tokens: int) -> int:
    """Return the step that reaches so many target tokens, counted on the batches of this run."""
    lengths = prepared.store.target_lengths
    changes = augmentation(
        prepared.tokenizer, recipe.augmentation, recipe.seed, len(prepared.store)
    )
    stream = BatchStream(prepared.store, recipe.batches, recipe.seed, None, changes)
    batches, seen, epoch = 0, 0, 0
    while True:
        plan = stream.plan(epoch)
        sums = np.concatenate(([0], np.cumsum(lengths[plan.order], dtype=np.int64)))
        reached = seen + np.cumsum(sums[plan.ends] - sums[plan.starts])
        if reached[-1] >= tokens:
            batches += int(np.searchsorted(reached, tokens)) + 1
            return -(-batches // recipe.training.accumulate)
        batches, seen, epoch = batches + len(plan), int(reached[-1]), epoch + 1
