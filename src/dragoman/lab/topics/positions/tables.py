"""Claims on learned positions beside fixed ones: what a table can hold, and where it ends."""

import torch
from pydantic import Field
from torch import Tensor

from dragoman.config.settings import Settings
from dragoman.core.errors import DataError
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, apart, at_least, equal, largest_difference, same
from dragoman.lab.sampling import normal, random_layer
from dragoman.neural.layers.positions import LearnedPositions, SinusoidalPositions, sinusoids


class TableSettings(Settings):
    """A learned table of positions beside the waves."""

    width: int = Field(default=8, ge=2, le=64, multiple_of=2)
    """Entries of each position's vector."""
    limit: int = Field(default=12, ge=2, le=200)
    """Positions of the learned table."""
    words: int = Field(default=5, ge=1, le=200)
    """Words of the longest sentence of the training."""
    learning_rate: float = Field(default=0.1, ge=1e-4, le=10.0)
    """The size of a step of gradient descent."""
    seed: int = Field(default=1, ge=0)
    """Seed of the table and of the words."""


def _trained(table: LearnedPositions, x: Tensor, learning_rate: float) -> Tensor:
    """Make one step down the gradient of a square; return that gradient of the table."""
    loss = table(x).square().sum() / 2
    gradient = torch.autograd.grad(loss, table.table.weight)[0]
    with torch.no_grad():
        table.table.weight.sub_(learning_rate * gradient)
    return gradient


@claim(
    "B47",
    "Sinusoids have no parameters, so nothing about them can be learned: a step of training moves "
    "a learned table, and leaves the waves as they are.",
    r"\tilde{x}_i = x_i + P_i, \qquad P_i \;\mathrm{constant}",
)
def waves_are_not_learned(settings: TableSettings) -> Evidence:
    """Count parameters, and make a step with either."""
    width, words = settings.width, min(settings.words, settings.limit)
    waves = SinusoidalPositions(width, "interleaved")
    learned = random_layer(lambda: LearnedPositions(width, settings.limit), settings.seed)
    x = normal(settings.seed + 1, 1, words, width)
    counts = [sum(one.numel() for one in layer.parameters()) for layer in (waves, learned)]
    before = learned.table.weight.detach().clone()
    waves_before = waves(torch.zeros_like(x))
    _trained(learned, x, settings.learning_rate)
    asked = x.clone().requires_grad_()
    slopes = torch.autograd.grad(waves(asked).square().sum() / 2, asked)[0]
    return Evidence(
        stated=[
            equal("parameters of the waves", counts[0], 0),
            equal("tensors that a checkpoint stores of them", len(waves.state_dict()), 0),
            equal("parameters of the table", counts[1], settings.limit * width),
            same("change of the waves by a step", waves(torch.zeros_like(x)), waves_before, 0.0),
            same("difference of the words' gradient", slopes, (x + waves_before)),
            apart("change of the table by a step", learned.table.weight, before, 1e-9),
        ]
    )


@claim(
    "D3",
    "The alternative is a table that is learned: the vector of each place gets the gradient of "
    "the words that stood there. Places that training never reached keep their first random "
    "values, and beyond the table there is nothing.",
    r"\tilde{x}_i = x_i + P_i, \qquad P \in \mathbb{R}^{L \times d} \;\mathrm{learned}",
)
def a_learned_table(settings: TableSettings) -> Evidence:
    """Make a step; look at the places that were reached, the others, and those beyond."""
    width, words = settings.width, min(settings.words, settings.limit)
    learned = random_layer(lambda: LearnedPositions(width, settings.limit), settings.seed)
    x = normal(settings.seed + 1, 1, words, width)
    before = learned.table.weight.detach().clone()
    gradient = _trained(learned, x, settings.learning_rate)
    wanted = torch.zeros_like(before)
    wanted[:words] = x[0] + before[:words]
    after = learned.table.weight.detach()
    return Evidence(
        stated=[
            same("difference of the gradient from x + P", gradient, wanted),
            same("change of places that no word reached", after[words:], before[words:], 0.0),
            above(
                "change of places that words reached",
                largest_difference(after[:words], before[:words]),
                0.0,
            ),
            equal(
                "places of twice the table that have a vector",
                covered(learned, width, 2 * settings.limit),
                settings.limit,
            ),
        ]
    )


def covered(layer: LearnedPositions | SinusoidalPositions, width: int, length: int) -> int:
    """Return how many places of a long text the layer has a vector for."""
    known = 0
    for place in range(length):
        try:
            layer(torch.zeros(1, 1, width, dtype=torch.float64), torch.tensor([[place]]))
        except DataError:
            continue
        known += 1
    return known


@claim(
    "C37",
    "Up to its length a learned table is more powerful than fixed waves: it can hold them bit for "
    "bit, and anything else too. Beyond its length it is less: it has no vector at all, and rows "
    "that training did not reach say nothing, where waves go on.",
    r"\{\mathrm{waves\ of\ } L \mathrm{\ places}\} \subset \mathbb{R}^{L \times d}, \qquad "
    r"P_p \mathrm{\ undefined\ for\ } p \ge L",
    notes="learned positions are more powerful than fixed ones, and name no limit",
)
def learned_against_fixed(settings: TableSettings) -> Evidence:
    """Put the waves into a table, and any other table; then ask both for later places."""
    width, limit = settings.width, settings.limit
    waves = SinusoidalPositions(width, "interleaved")
    learned = random_layer(lambda: LearnedPositions(width, limit), settings.seed)
    x = normal(settings.seed + 1, 1, limit, width)
    other = normal(settings.seed + 2, limit, width)
    fixed = sinusoids(limit, width, "interleaved")
    with torch.no_grad():
        learned.table.weight.copy_(fixed)
        as_waves = learned(x)
        learned.table.weight.copy_(other)
        as_other = learned(x)
    within = [
        equal(
            "difference of a table of waves from the waves",
            largest_difference(as_waves, waves(x)),
            0.0,
            0.0,
        ),
        same("difference of any other table from itself", as_other[0] - x[0], other),
        above("distance of the waves from that table", largest_difference(fixed, other), 1e-3),
    ]
    length = 2 * limit
    by_table, by_waves = (covered(one, width, length) for one in (learned, waves))
    gradient = _trained(learned, x[:, : min(settings.words, limit)], settings.learning_rate)
    reached = int(gradient.norm(dim=1).count_nonzero())
    return Evidence(
        stated=[
            *within,
            at_least("places of a text of twice the length: by table", by_table, by_waves),
        ],
        corrected=[
            *within,
            equal("places of a text of twice the length: by table", by_table, limit),
            equal("places of a text of twice the length: by waves", by_waves, length),
            equal(
                "rows that a training on shorter sentences reaches",
                reached,
                min(settings.words, limit),
            ),
        ],
        numbers={"parameters of the table": limit * width, "parameters of the waves": 0},
    )
