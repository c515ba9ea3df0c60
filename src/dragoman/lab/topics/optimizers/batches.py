"""Claims on the cost and the noise of batches, which are enumerated and not sampled."""

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
    """How many examples there are, and how many go into a batch."""

    examples: int = Field(default=64, ge=8, le=4096)
    """Examples of the whole data."""
    batch: int = Field(default=8, ge=2, le=8)
    """Examples of a mini-batch."""


def update_flops(examples: int) -> int:
    """Return the FLOPs of the gradient of a small network for so many examples."""
    with torch.device("meta"):
        model = nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 3))
        x, y = torch.empty(examples, 6), torch.empty(examples, 3)
    return count_flops(lambda: F.mse_loss(model(x), y).backward())


@claim(
    "E11",
    "Each update of gradient descent needs the gradient of every example, so that its cost grows "
    "with the data: for the price of one update, stochastic descent takes $N$.",
    r"\mathrm{cost}\left(\nabla \frac{1}{N} \sum_{i=1}^{N} J_i\right) = N \cdot "
    r"\mathrm{cost}(\nabla J_i)",
)
def cost_of_an_update(settings: CostSettings) -> Evidence:
    """Count the FLOPs of updates with all examples, with a batch, and with one."""
    all_, some, one = (update_flops(n) for n in (settings.examples, settings.batch, 1))
    sizes = [2**power for power in range(13)]
    return Evidence(
        stated=[
            equal("FLOPs with all examples over those with one", all_ / one, settings.examples),
            equal("FLOPs with a batch over those with one", some / one, settings.batch),
        ],
        numbers={"FLOPs with all": all_, "with a batch": some, "with one": one},
        plot=[
            Panel("FLOPs of an update", [curve("FLOPs", sizes, [one * n for n in sizes])],
                  "examples", doubling=True, logarithmic=True)
        ],
    )  # fmt: skip


class MiniBatchSettings(Settings):
    """Examples with gradients of their own, and the size of a batch."""

    examples: int = Field(default=7, ge=4, le=8)
    """Examples of the whole data (N)."""
    batch: int = Field(default=3, ge=1, le=4)
    """Examples of a batch (m); all batches are looked at."""
    seed: int = Field(default=1, ge=0)
    """Seed of the examples."""

    def gradients(self) -> Tensor:
        """Return the gradient of each example's loss by autograd: N 2."""
        generator = torch.Generator().manual_seed(self.seed)
        x = torch.randn(self.examples, 2, generator=generator, dtype=torch.float64)
        y = torch.randn(self.examples, generator=generator, dtype=torch.float64)
        weights = numbers(0.5, -1.0)

        def loss(weights: Tensor, x: Tensor, y: Tensor) -> Tensor:
            return (x @ weights - y) ** 2

        return torch.func.vmap(torch.func.grad(loss), (None, 0, 0))(weights, x, y)


@claim(
    "E14",
    "A mini-batch takes the mean loss of $m$ examples that are drawn at random. Its gradient is on "
    "average that of all data, and its variance is an $m$-th of that of a single example.",
    r"L = \frac{1}{m} \sum_{i=1}^{m} J(x^{(i)}), \qquad "
    r"\mathrm{Var}[\nabla L] = \frac{\sigma^2}{m}",
)
def mini_batch(settings: MiniBatchSettings) -> Evidence:
    """Average over all batches, with each example drawn again and with none drawn twice."""
    each, m, n = settings.gradients(), settings.batch, settings.examples
    again = _batches(each, [*product(range(n), repeat=m)])
    once = _batches(each, [*combinations(range(n), m)])
    variance = each.var(dim=0, unbiased=False)
    sizes = [float(size) for size in range(1, n + 1)]
    total = float(variance.sum())
    return Evidence(
        stated=[
            same("mean over all batches against the whole gradient", again.mean(0), each.mean(0)),
            same("variance over all batches against σ²/m", again.var(0, unbiased=False),
                 variance / m),
            same("mean over batches without repetition", once.mean(0), each.mean(0)),
            same("their variance against σ²/m (N-m)/(N-1)", once.var(0, unbiased=False),
                 variance / m * (n - m) / (n - 1)),
        ],
        numbers={"batches": len(again), "σ²": total, "σ²/m": total / m},
        plot=[
            Panel("Variance of a batch's gradient",
                  [curve("examples drawn again", sizes, [total / size for size in sizes]),
                   curve("none drawn twice", sizes,
                         [total / size * (n - size) / (n - 1) for size in sizes], 1)],
                  "examples of a batch")
        ],
    )  # fmt: skip


def _batches(each: Tensor, chosen: list[tuple[int, ...]]) -> Tensor:
    """Return the mean gradient of every batch."""
    return each[torch.tensor(chosen)].mean(dim=1)


class CompromiseSettings(Settings):
    """Ten targets of a bowl, and batches of some of them."""

    batch: int = Field(default=4, ge=2, le=9)
    """Examples of a batch."""
    learning_rate: float = Field(default=0.5, ge=0.05, le=1.0)
    """Learning rate of the step."""
    away: float = Field(default=0.3, ge=0.05, le=0.45)
    """How far from the minimum the step is taken."""


@claim(
    "E35",
    "A mini-batch is a compromise: its update costs less than one with all data and comes nearer "
    "to the minimum, on average, than one with a single example. But a batch need not be like the "
    "data: there are batches whose step leads away.",
    r"1 < m < N: \qquad \frac{\sigma^2}{1} > \frac{\sigma^2}{m} \frac{N - m}{N - 1} > 0",
)
def compromise(settings: CompromiseSettings) -> Evidence:
    """Take a step with every batch of one, of some and of all examples."""
    targets = torch.arange(10, dtype=torch.float64) - 4.5
    place = torch.tensor(settings.away, dtype=torch.float64)
    sizes = range(1, 11)
    after = {size: _after(targets, place, size, settings.learning_rate) for size in sizes}
    spread = {size: float(one.square().mean()) for size, one in after.items()}
    wrong = {size: float((one > place).double().mean()) for size, one in after.items()}
    m = settings.batch
    flops = {size: update_flops(size) for size in (1, m, 10)}
    places = [float(size) for size in sizes]
    return Evidence(
        stated=[
            below("FLOPs with a batch, beside all data", flops[m], flops[10]),
            above("FLOPs with a batch, beside one example", flops[m], flops[1]),
            below("squared distance after, beside one example", spread[m], spread[1]),
            above("squared distance after, beside all data", spread[m], spread[10]),
            above("share of batches that lead away", wrong[m], 0.0),
            equal("that share with all data", wrong[10], 0.0),
        ],
        numbers={f"lead away, batches of {size}": wrong[size] for size in (1, m, 10)},
        plot=[
            Panel("Squared distance after a step, mean over batches",
                  [curve("distance", places, [*spread.values()])], "examples of a batch"),
            Panel("Share of batches that lead away",
                  [curve("share", places, [*wrong.values()], 1)], "examples of a batch"),
        ],
    )  # fmt: skip


def _after(targets: Tensor, place: Tensor, size: int, rate: float) -> Tensor:
    """Return where a step with each batch of a size leads from one place."""
    means = targets[torch.tensor([*combinations(range(len(targets)), size)])].mean(dim=1)
    here = place.expand(len(means))
    return sgd(here, here - means, no_memory(here), Sgd(), rate)[0]
