"""Claims on the cost and the noise of batches; all batches are enumerated, not sampled."""

from itertools import combinations, product

import torch
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional as F

from dragoman.config.optimizer import Sgd
from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, below, equal, same
from dragoman.lab.experiments.scaling.flop_counter import count_flops
from dragoman.lab.topics.optimizers.paths import numbers
from dragoman.neural.optim.equations import no_memory, sgd
from dragoman.plots.lab import Panel, curve


class CostSettings(Settings):
    """Sizes of the data set and of a batch."""

    examples: int = Field(default=64, ge=8, le=4096)
    """Examples in the data set (N)."""
    batch: int = Field(default=8, ge=2, le=8)
    """Examples in a mini-batch (m)."""


def update_flops(examples: int) -> int:
    """Return the FLOPs of one gradient of a small network on a number of examples."""
    with torch.device("meta"):
        model = nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 3))
        x, y = torch.empty(examples, 6), torch.empty(examples, 3)
    return count_flops(lambda: F.mse_loss(model(x), y).backward())


@claim(
    "E11",
    "Each update of gradient descent needs the gradient of every example, so its cost grows "
    "with the size of the data. For the price of one such update, stochastic gradient descent "
    "makes $N$.",
    r"\mathrm{cost}\left(\nabla \frac{1}{N} \sum_{i=1}^{N} J_i\right) = N \cdot "
    r"\mathrm{cost}(\nabla J_i)",
)
def cost_of_an_update(settings: CostSettings) -> Evidence:
    """Count the FLOPs of updates with all examples, with a batch and with one example."""
    all_, some, one = (update_flops(n) for n in (settings.examples, settings.batch, 1))
    sizes = [4**power for power in range(7)]
    return Evidence(
        stated=[
            equal("FLOPs with all examples, over those with one", all_ / one, settings.examples),
            equal("FLOPs with a batch, over those with one", some / one, settings.batch),
        ],
        numbers={"FLOPs, all examples": all_, "FLOPs, a batch": some, "FLOPs, one example": one},
        plot=[
            Panel("FLOPs of an update", [curve("FLOPs", sizes, [update_flops(n) for n in sizes])],
                  "examples in the update", doubling=True, logarithmic=True)
        ],
    )  # fmt: skip


class MiniBatchSettings(Settings):
    """A small data set and the size of a batch."""

    examples: int = Field(default=7, ge=4, le=8)
    """Examples in the data set (N)."""
    batch: int = Field(default=3, ge=1, le=4)
    """Examples in a batch (m); all possible batches are enumerated."""
    seed: int = Field(default=1, ge=0)
    """Seed of the examples."""

    def gradients(self) -> Tensor:
        """Return the gradient of each example's loss, by autograd: N 2."""
        generator = torch.Generator().manual_seed(self.seed)
        x = torch.randn(self.examples, 2, generator=generator, dtype=torch.float64)
        y = torch.randn(self.examples, generator=generator, dtype=torch.float64)
        weights = numbers(0.5, -1.0)

        def loss(weights: Tensor, x: Tensor, y: Tensor) -> Tensor:
            return (x @ weights - y) ** 2

        return torch.func.vmap(torch.func.grad(loss), (None, 0, 0))(weights, x, y)


@claim(
    "E14",
    "A mini-batch uses the mean loss of $m$ randomly drawn examples. Its gradient is an "
    "unbiased estimate of the full gradient, and its variance is $1/m$ times that of a single "
    "example.",
    r"L = \frac{1}{m} \sum_{i=1}^{m} J(x^{(i)}), \qquad "
    r"\mathrm{Var}[\nabla L] = \frac{\sigma^2}{m}",
)
def mini_batch(settings: MiniBatchSettings) -> Evidence:
    """Average over all batches, drawn with and without replacement."""
    each, m, n = settings.gradients(), settings.batch, settings.examples
    again = _batches(each, [*product(range(n), repeat=m)])
    once = _batches(each, [*combinations(range(n), m)])
    variance = each.var(dim=0, unbiased=False)
    sizes = [float(size) for size in range(1, n + 1)]
    total = float(variance.sum())
    return Evidence(
        stated=[
            same("mean over all batches against the full gradient", again.mean(0), each.mean(0)),
            same("variance over all batches against σ²/m", again.var(0, unbiased=False),
                 variance / m),
            same("mean without replacement against the full gradient", once.mean(0), each.mean(0)),
            same("variance without replacement against σ²/m (N-m)/(N-1)",
                 once.var(0, unbiased=False),
                 variance / m * (n - m) / (n - 1)),
        ],
        numbers={"batches": len(again), "σ²": total, "σ²/m": total / m},
        plot=[
            Panel("Variance of the batch gradient",
                  [curve("with replacement", sizes, [total / size for size in sizes]),
                   curve("without replacement", sizes,
                         [total / size * (n - size) / (n - 1) for size in sizes], 1)],
                  "batch size")
        ],
    )  # fmt: skip


def _batches(each: Tensor, chosen: list[tuple[int, ...]]) -> Tensor:
    """Return the mean gradient of every batch."""
    return each[torch.tensor(chosen)].mean(dim=1)


class CompromiseSettings(Settings):
    """Ten targets on a line, and batches of some of them."""

    batch: int = Field(default=4, ge=2, le=9)
    """Examples in a batch (m)."""
    learning_rate: float = Field(default=0.5, ge=0.05, le=1.0)
    """Learning rate of the step."""
    away: float = Field(default=0.3, ge=0.05, le=0.45)
    """Distance from the minimum at which the step is taken."""


@claim(
    "E35",
    "A mini-batch is a compromise: an update costs less than one with all data and, on average, "
    "ends closer to the minimum than one with a single example. But a batch may not represent "
    "the data: some batches produce a step that leads away from the minimum.",
    r"1 < m < N: \qquad \frac{\sigma^2}{1} > \frac{\sigma^2}{m} \frac{N - m}{N - 1} > 0",
)
def compromise(settings: CompromiseSettings) -> Evidence:
    """Take one step with every possible batch of every size."""
    targets = torch.arange(10, dtype=torch.float64) - 4.5
    theta = torch.tensor(settings.away, dtype=torch.float64)
    sizes = range(1, 11)
    after = {size: _after(targets, theta, size, settings.learning_rate) for size in sizes}
    spread = {size: float(one.square().mean()) for size, one in after.items()}
    wrong = {size: float((one.abs() > theta).double().mean()) for size, one in after.items()}
    m, rate = settings.batch, settings.learning_rate
    variance = float(targets.var(unbiased=False))
    expected = [
        (1 - rate) ** 2 * settings.away**2 + rate**2 * variance / size * (10 - size) / (10 - 1)
        for size in sizes
    ]
    flops = {size: update_flops(size) for size in (1, m, 10)}
    places = [float(size) for size in sizes]
    return Evidence(
        stated=[
            below("FLOPs with a batch, below all data", flops[m], flops[10]),
            above("FLOPs with a batch, above one example", flops[m], flops[1]),
            below("mean squared distance after the step, below one example", spread[m], spread[1]),
            above("mean squared distance after the step, above all data", spread[m], spread[10]),
            same("mean squared distance against (1-ε)²d² + ε²σ²/m (N-m)/(N-1), every m",
                 numbers(*spread.values()), numbers(*expected)),
            above("fraction of batches that lead away", wrong[m], 0.0),
            equal("fraction that leads away with all data", wrong[10], 0.0),
        ],
        numbers={f"fraction leading away, batch size {size}": wrong[size] for size in (1, m, 10)},
        plot=[
            Panel("Mean squared distance from the minimum after one step",
                  [curve("squared distance", places, [*spread.values()])], "batch size"),
            Panel("Fraction of batches that lead away",
                  [curve("fraction", places, [*wrong.values()], 1)], "batch size"),
        ],
    )  # fmt: skip


def _after(targets: Tensor, theta: Tensor, size: int, rate: float) -> Tensor:
    """Return where one step leads with each possible batch of a size."""
    means = targets[torch.tensor([*combinations(range(len(targets)), size)])].mean(dim=1)
    here = theta.expand(len(means))
    return sgd(here, here - means, no_memory(here), Sgd(), rate)[0]
