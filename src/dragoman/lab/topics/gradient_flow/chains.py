"""Claims on chains of single neurons with ReLU: the problem in numbers instead of matrices."""

import torch
from pydantic import Field
from torch import Tensor

from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, at_least, at_most, equal, same
from dragoman.lab.sampling import NumberSampler
from dragoman.neural.layers.recurrent.cells import Rnn
from dragoman.plots.lab import Panel, curve

CHAINS = 200
SLOPES = (0.5, 1.0, 1.5)


class ReluNeuronSettings(Settings):
    """One neuron."""

    weight: float = Field(default=1.5, ge=-3, le=3)
    """Weight of the neuron."""
    state: float = Field(default=0.8, ge=-3, le=3)
    """State before the step."""


class ReluChainSettings(Settings):
    """A chain of neurons."""

    steps: int = Field(default=12, ge=1, le=60)
    """Neurons in the chain."""
    weight: float = Field(default=1.0, ge=0.2, le=2)
    """Mean of the weights."""
    start: float = Field(default=1.0, ge=0.01, le=10)
    """Input of the chain."""
    seed: int = Field(default=1, ge=0, le=9999)
    """Seed of the weights."""


def run_chains(weights: Tensor, start: Tensor) -> list[Tensor]:
    """Return the states of many independent chains, from the first to the last: each [c].

    A recurrent cell with a diagonal matrix is a set of independent neurons; weights: [steps c].
    """
    cell = Rnn(1, len(start), "relu")
    nothing = torch.zeros(1, len(start), dtype=torch.float64)
    states = [start]
    for each in weights:
        _, (after,) = cell.advance(nothing, (states[-1][None, :],), (torch.diag(each),))
        states.append(after[0])
    return states


def chain_slopes(weights: Tensor, start: Tensor) -> Tensor:
    """Return the derivative of each chain's last state with respect to its first: [c]."""
    first = start.clone().requires_grad_()
    (slopes,) = torch.autograd.grad(run_chains(weights, first)[-1].sum(), first)
    return slopes


def _weights(settings: ReluChainSettings, chains: int) -> Tensor:
    drawn = NumberSampler(settings.seed).uniform(settings.steps, chains, low=0.5, high=1.5)
    return settings.weight * drawn


def _start(settings: ReluChainSettings, chains: int) -> Tensor:
    return torch.full((chains,), settings.start, dtype=torch.float64)


@claim(
    "A1",
    "A ReLU neuron multiplies the gradient by its weight if its input is positive and blocks it "
    "if its input is negative. At exactly zero the derivative does not exist; by convention it "
    "is set to 0.",
    r"z_i = \mathrm{ReLU}(w_i z_{i-1}), \qquad \frac{\partial z_i}{\partial z_{i-1}} = "
    r"\begin{cases} w_i & w_i z_{i-1} > 0 \\ 0 & \text{else} \end{cases}",
)
def relu_neuron(settings: ReluNeuronSettings) -> Evidence:
    """Compare the two branches with the derivative of the cell, on a grid that contains zero."""
    axis = torch.arange(-10, 11, dtype=torch.float64) / 5
    w = torch.cat(
        [axis.repeat_interleave(21), torch.tensor([settings.weight], dtype=torch.float64)]
    )
    z = torch.cat([axis.repeat(21), torch.tensor([settings.state], dtype=torch.float64)])
    found = chain_slopes(w[None, :], z)
    branches = torch.where(w * z > 0, w, torch.zeros_like(w))
    shown = torch.linspace(-2, 2, 200, dtype=torch.float64)
    w_here = torch.full_like(shown, settings.weight)
    slopes = chain_slopes(w_here[None, :], shown)
    return Evidence(
        premises=[above("pairs with an input of exactly 0", (w * z == 0).sum(), 0)],
        stated=[same("the two branches against autograd", branches, found)],
        numbers={
            "zᵢ": float(torch.relu(w[-1] * z[-1])),
            "dzᵢ/dzᵢ₋₁": float(found[-1]),
        },
        plot=[
            Panel(
                "One ReLU neuron",
                [
                    curve("zᵢ", shown.tolist(), torch.relu(w_here * shown).tolist(), 0),
                    curve("its derivative", shown.tolist(), slopes.tolist(), 1),
                ],
                "zᵢ₋₁",
            )
        ],
    )


@claim(
    "A2",
    "The derivative through a whole chain is the product of the derivatives of its steps.",
    r"\frac{\partial f}{\partial x} = \prod_{i=1}^{N} \frac{\partial z_i}{\partial z_{i-1}}, "
    r"\qquad z_0 = x, \; z_N = f",
)
def product_of_steps(settings: ReluChainSettings) -> Evidence:
    """Multiply the derivatives of single steps; compare with the derivative through all steps."""
    weights, start = _weights(settings, 1), _start(settings, 1)
    states = run_chains(weights, start)
    steps = [
        chain_slopes(one[None, :], state) for one, state in zip(weights, states[:-1], strict=True)
    ]
    whole, multiplied = chain_slopes(weights, start), torch.cat(steps).prod()
    return Evidence(
        premises=[above("derivative through the whole chain", whole, 0)],
        stated=[
            equal(
                "product of the steps' derivatives, over the whole derivative",
                multiplied / whole,
                1.0,
            )
        ],
        numbers={"df/dx": float(whole), "f": float(states[-1])},
    )


@claim(
    "A3",
    r"One inactive neuron is enough: if $w_i z_{i-1} \le 0$ for any single $i$, the derivative "
    "through the whole chain is exactly 0, whatever the other weights are. The path is dead.",
    r"\exists\, i: w_i z_{i-1} \le 0 \;\Rightarrow\; \frac{\partial f}{\partial x} = 0",
)
def dead_path(settings: ReluChainSettings) -> Evidence:
    """Flip the sign of one weight, at each position in turn."""
    weights, places = _weights(settings, 1), settings.steps
    turned = weights.expand(places, places).clone()  # a chain for each position
    turned.diagonal().neg_()
    alive = chain_slopes(weights, _start(settings, 1))
    dead = chain_slopes(turned, _start(settings, places))
    return Evidence(
        premises=[above("derivative of the unchanged chain", alive, 0)],
        stated=[equal("largest derivative with one sign flipped", dead.abs().max(), 0, 0)],
        numbers={"positions tried": places},
    )


@claim(
    "A4",
    "The absolute derivative through a chain lies between 0 and the product of the absolute "
    "weights, and it takes only these two values. Whether it vanishes or explodes depends on "
    "the number of steps and on the weights. After the first step, a path is active only if all "
    "weights are positive.",
    r"0 \le \left| \frac{\partial f}{\partial x} \right| \le \prod_{i=1}^{N} |w_i|",
)
def bound_of_a_chain(settings: ReluChainSettings) -> Evidence:
    """Compare many chains with the bound; half of them have weights of both signs."""
    weights, start = _weights(settings, CHAINS), _start(settings, CHAINS)
    signs = NumberSampler(settings.seed + 1).uniform(*weights.shape, low=-0.1, high=0.9).sign()
    weights[:, CHAINS // 2 :] *= signs[:, CHAINS // 2 :]
    ratio = chain_slopes(weights, start).abs() / weights.abs().prod(0)
    positive = (weights > 0).all(0)
    whole = torch.ones_like(ratio)
    constant = torch.tensor(SLOPES, dtype=torch.float64).expand(settings.steps, len(SLOPES))
    lengths = range(1, settings.steps + 1)
    ones = torch.ones(len(SLOPES), dtype=torch.float64)
    grown = torch.stack([chain_slopes(constant[:length], ones) for length in lengths])
    return Evidence(
        premises=[at_least("chains whose weights are all positive", positive.sum(), 1)],
        stated=[
            at_most("largest derivative over the bound", ratio.max(), 1 + 1e-12),
            at_most(
                "distance of that ratio from 0 or 1, whichever is nearer",
                torch.minimum(ratio, (ratio - whole).abs()).max(),
                1e-12,
            ),
            same("that ratio against 1 for all-positive weights, else 0", ratio, positive.double()),
            same(
                "growth with N, over powers of one weight, minus 1",
                grown / constant.cumprod(0),
                torch.ones_like(grown),
            ),
        ],
        numbers={"dead chains": int((ratio < 0.5).sum()), "chains": CHAINS},
        plot=[
            Panel(
                "Derivative through the chain",
                [
                    curve(f"all weights {one:g}", lengths, grown[:, place].tolist(), place)
                    for place, one in enumerate(SLOPES)
                ],
                "steps",
                logarithmic=True,
            )
        ],
    )
