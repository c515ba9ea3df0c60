"""Claims on learned and fixed positions: what a table can hold, and where it ends."""

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
    """A learned table of positions, compared with sinusoids."""

    width: int = Field(default=8, ge=2, le=64, multiple_of=2)
    """Entries of each position's vector."""
    limit: int = Field(default=12, ge=2, le=200)
    """Positions of the learned table."""
    words: int = Field(default=5, ge=1, le=200)
    """Words of the longest training sentence."""
    learning_rate: float = Field(default=0.1, ge=1e-4, le=10.0)
    """The size of a step of gradient descent."""
    seed: int = Field(default=1, ge=0)
    """Seed of the table and of the words."""


def _trained(table: LearnedPositions, x: Tensor, learning_rate: float) -> Tensor:
    """Take one step of gradient descent on a squared loss; return the gradient of the table."""
    loss = table(x).square().sum() / 2
    gradient = torch.autograd.grad(loss, table.table.weight)[0]
    with torch.no_grad():
        table.table.weight.sub_(learning_rate * gradient)
    return gradient


@claim(
    "B47",
    "Sinusoids have no parameters, so nothing about them can be learned: a training step "
    "changes a learned table and leaves the sinusoids as they are.",
    r"\tilde{x}_i = x_i + P_i, \qquad P_i \;\mathrm{constant}",
)
def waves_are_not_learned(settings: TableSettings) -> Evidence:
    """Count the parameters, and take a training step with each."""
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
            equal("parameters of the sinusoids", counts[0], 0),
            equal("tensors that a checkpoint stores for them", len(waves.state_dict()), 0),
            equal("parameters of the table", counts[1], settings.limit * width),
            same(
                "change of the sinusoids by a training step",
                waves(torch.zeros_like(x)),
                waves_before,
                0.0,
            ),
            same("difference of the words' gradient from x + P", slopes, (x + waves_before)),
            apart("change of the table by a training step", learned.table.weight, before, 1e-9),
        ]
    )


@claim(
    "D3",
    "The alternative is a learned table: the vector of each position gets its gradient from the "
    "words that stood there. Positions that training never reached keep their random initial "
    "values, and beyond the end of the table there is nothing.",
    r"\tilde{x}_i = x_i + P_i, \qquad P \in \mathbb{R}^{L \times d} \;\mathrm{learned}",
)
def a_learned_table(settings: TableSettings) -> Evidence:
    """Take a training step; check positions that were reached, the others, and those beyond."""
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
            same("change at positions that no word reached", after[words:], before[words:], 0.0),
            above(
                "change at positions that words reached",
                largest_difference(after[:words], before[:words]),
                0.0,
            ),
            equal(
                "positions with a vector, of twice the table's length",
                covered(learned, width, 2 * settings.limit),
                settings.limit,
            ),
        ]
    )


def covered(layer: LearnedPositions | SinusoidalPositions, width: int, length: int) -> int:
    """Return for how many positions of a long text the layer has a vector."""
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
    "Up to its length, a learned table is more powerful than fixed sinusoids: it can hold them "
    "bit for bit, and anything else as well. Beyond its length it is less powerful: it has no "
    "vector at all there, and rows that training did not reach carry no information, where "
    "sinusoids continue.",
    r"\{\mathrm{waves\ of\ } L \mathrm{\ places}\} \subset \mathbb{R}^{L \times d}, \qquad "
    r"P_p \mathrm{\ undefined\ for\ } p \ge L",
    notes="learned positions are more powerful than fixed ones, without naming a limit.",
)
def learned_against_fixed(settings: TableSettings) -> Evidence:
    """Store the sinusoids in a table, then any other table; then ask both for later positions."""
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
            "difference of a table of sinusoids from the sinusoids",
            largest_difference(as_waves, waves(x)),
            0.0,
            0.0,
        ),
        same("difference of the added vectors from any other table", as_other[0] - x[0], other),
        above("distance of the sinusoids from that table", largest_difference(fixed, other), 1e-3),
    ]
    length = 2 * limit
    by_table, by_waves = (covered(one, width, length) for one in (learned, waves))
    gradient = _trained(learned, x[:, : min(settings.words, limit)], settings.learning_rate)
    reached = int(gradient.norm(dim=1).count_nonzero())
    return Evidence(
        stated=[
            *within,
            at_least("positions with a vector, of twice the length: table", by_table, by_waves),
        ],
        corrected=[
            *within,
            equal("positions with a vector, of twice the length: table", by_table, limit),
            equal("positions with a vector, of twice the length: sinusoids", by_waves, length),
            equal(
                "rows that training on shorter sentences reaches",
                reached,
                min(settings.words, limit),
            ),
        ],
        numbers={"parameters of the table": limit * width, "parameters of the sinusoids": 0},
    )
