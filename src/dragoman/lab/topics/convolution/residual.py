"""Claims on depth and residual networks."""

import torch
from pydantic import Field
from torch import Tensor, nn

from dragoman.config.settings import Settings
from dragoman.config.vision import CnnSettings, ResNetSettings
from dragoman.lab.claims import NoParameters, claim, measured
from dragoman.lab.evidence import Evidence, above, apart, below, equal, same
from dragoman.lab.sampling import normal, seeded
from dragoman.neural.models.images.cnn import Cnn
from dragoman.neural.models.images.deepening import deepened_cnn, deepened_resnet
from dragoman.neural.models.images.resnet import ResNet, blocks_of
from dragoman.planner.count.families import count_network
from dragoman.planner.count.sizes import Sizes
from dragoman.plots.lab import Panel, curve

SIDE, CLASSES = 8, 10
NEAR = 1e-3
"""Loss at which the identity counts as learned."""
MOST_STEPS = 300

degradation = measured(
    "E73",
    "A plain network of 56 layers errs more than one of 20, on training images as well as on test "
    "images. So it is not overfitting: the deep network is not found by training.",
    r"E_{\mathrm{train}}(56) > E_{\mathrm{train}}(20)",
    experiment="depth",
)

first_weights = measured(
    "E74",
    "The degradation is a difficulty of optimization. With batch norms the signals are healthy in "
    "both directions from the first step on, and better first weights do not remove all of it.",
    r"E_{\mathrm{train}}(\mathrm{plain}\ 56) - E_{\mathrm{train}}(\mathrm{plain}\ 20) > 0",
    notes="the problem lies in the values that the weights are initialized with",
    experiment="depth",
)

deeper_is_better = measured(
    "E77",
    "With residual connections the deeper network is the better one, in training and in the test.",
    r"E(\mathrm{residual,\ deep}) < E(\mathrm{residual,\ shallow})",
    experiment="depth",
)


class DeepeningSettings(Settings):
    """Shallow networks with random weights, and how many layers are added to them."""

    more: int = Field(default=6, ge=1, le=12)
    """Residual blocks that are added to each of three stages; 6 make 56 layers of 20."""
    width: int = Field(default=2, ge=1, le=8)
    """Maps of the first stage."""
    seed: int = Field(default=1, ge=0)
    """Seed of weights and images."""


@claim(
    "E75",
    "If the 36 further layers of a 56-layer network were identities, it would say exactly what the "
    "network of 20 layers says. So a deep network can always do as well as a shallow one.",
    r"f_{36}(\cdots f_1(\mathbf{x})) = \mathbf{x} \quad \Rightarrow \quad "
    r"\mathrm{net}_{56}(I) = \mathrm{net}_{20}(I)",
)
@torch.no_grad()
def identity_layers(settings: DeepeningSettings) -> Evidence:
    """Extend a residual and a plain network by identities, and compare every score."""
    images = normal(settings.seed, 4, 3, SIDE, SIDE)
    with seeded(settings.seed):
        shallow = _stirred(ResNet(ResNetSettings(depth=20, width=settings.width), 3, SIDE, CLASSES))
        deep = deepened_resnet(shallow, settings.more).double().eval()
        random = _stirred(ResNet(deep.settings, 3, SIDE, CLASSES))
        shape = CnnSettings(channels=(4, 4), batch_norm=False, hidden_width=0, dropout=0.0)
        plain = Cnn(shape, 3, SIDE, CLASSES).double().eval()
        deep_plain = deepened_cnn(plain, settings.more).double().eval()
    layers = sum(isinstance(part, nn.Conv2d) for part in deep.modules()) + 1
    return Evidence(
        stated=[
            same("residual, difference of the scores", deep(images), shallow(images), 0.0),
            same("plain, difference of the scores", deep_plain(images), plain(images), 0.0),
            apart("further layers at random, difference", random(images), shallow(images), 1e-6),
            equal("layers of the deep network", layers, 20 + 6 * settings.more),
        ],
        numbers={"layers": layers},
    )


def _stirred(network: ResNet) -> ResNet:
    """Give the norms of a network gains, biases and statistics of their own, for use in tests."""
    for part in network.modules():
        if isinstance(part, nn.BatchNorm2d):
            for values in (part.weight, part.running_var):
                if values is not None:
                    values.uniform_(0.5, 1.5)
            part.bias.normal_(std=0.3)
    return network.double().eval()


class ResidualLearningSettings(Settings):
    """A chain of matrices that is to learn the identity by gradient descent."""

    layers: int = Field(default=4, ge=1, le=8)
    """Matrices one after the other."""
    width: int = Field(default=6, ge=1, le=16)
    """Rows and columns of each."""
    deviation: float = Field(default=0.1, ge=0.0, le=0.3)
    """Deviation of the first weights, the same for both chains."""
    rate: float = Field(default=0.05, ge=0.001, le=0.1)
    """Learning rate of both."""
    seed: int = Field(default=1, ge=0)
    """Seed of the first weights."""


@claim(
    "E76",
    "It is easier to learn $F(x) = 0$ than $F(x) = x$. A residual block whose branch is nought is "
    "the identity already, where a plain block of the same weights would have to become "
    "$\\mathbf{W} = \\mathbf{I}$; from small weights it is the residual chain that gets there "
    "first.",
    r"\mathbf{x} + F(\mathbf{x}) = \mathbf{x} \; \Leftrightarrow \; F = 0, \qquad "
    r"\mathbf{W}\mathbf{x} = \mathbf{x} \; \Leftrightarrow \; \mathbf{W} = \mathbf{I}",
)
def residual_identity(settings: ResidualLearningSettings) -> Evidence:
    """Look at a block whose branch is nought; then let two chains learn the identity."""
    residual, plain = (_silent_block(settings.seed, residual=one) for one in (True, False))
    x = normal(settings.seed, 2, 4, 5, 5).abs()
    with torch.no_grad():
        kept, lost = residual(x), plain(x)
    shape = (settings.layers, settings.width, settings.width)
    weights = settings.deviation * normal(settings.seed, *shape)
    identity = torch.eye(settings.width, dtype=torch.float64)
    curves = {
        name: _learned(weights, start, settings.rate)
        for name, start in (("residual", identity), ("plain", torch.zeros_like(identity)))
    }
    steps = {name: len(losses) for name, losses in curves.items()}
    return Evidence(
        premises=[below("last loss of the residual chain", curves["residual"][-1], NEAR)],
        stated=[
            same("residual block without a branch, difference from x", kept, x, 0.0),
            apart("plain block of the same weights, difference from x", lost, x, 0.1),
            below(
                "distance of the first weights from 0", weights.norm(), (weights - identity).norm()
            ),
            below("steps of the residual chain", steps["residual"], steps["plain"]),
        ],
        numbers={
            f"{name} chain, steps": str(count) if count < MOST_STEPS else f"more than {MOST_STEPS}"
            for name, count in steps.items()
        },
        plot=[
            Panel(
                "Squared distance from the identity",
                [
                    curve(name, range(len(losses)), [max(one, 1e-12) for one in losses], color)
                    for color, (name, losses) in enumerate(curves.items())
                ],
                "steps of gradient descent",
                logarithmic=True,
            )
        ],
    )


def _silent_block(seed: int, *, residual: bool) -> nn.Module:
    """Return a block whose last norm has gain nought, ready for use."""
    with seeded(seed):
        shape = ResNetSettings(
            stages=(1,), width=4, stem="small", residual=residual, zero_init_residual=residual
        )
        block = blocks_of(ResNet(shape, 3, 5, CLASSES).double().eval())[0]
    if not residual:
        nn.init.zeros_(block.last_norm.weight)
    return block


def _learned(first: Tensor, base: Tensor, rate: float) -> list[float]:
    """Let a chain of matrices, each added to a base, learn the identity; return its losses."""
    weights = first.clone().requires_grad_()
    identity = torch.eye(len(base), dtype=torch.float64)
    losses: list[float] = []
    while len(losses) < MOST_STEPS:
        chain = identity
        for weight in weights:
            chain = (base + weight) @ chain
        loss = (chain - identity).square().sum()
        losses.append(loss.item())
        if loss.item() < NEAR:
            break
        (slope,) = torch.autograd.grad(loss, weights)
        weights = (weights - rate * slope).detach().requires_grad_()
    return losses


@claim(
    "E78",
    "On CIFAR-10 a residual network of 110 layers has 1.7 million parameters and one of 1202 "
    "layers 19.4 million. That the first erred in 6.43 % of the cases and the second, which "
    "overfits, in 7.93 % is what He et al. published; it is cited here, not measured.",
    r"2\,(16 + 224 n) + 9\,(512 n + 5120 (2n-1) + 48 + 512 + 2048) + 650, "
    r"\qquad n = \frac{L-2}{6}",
    notes="these results stand beside those of 18 and 34 layers, as if all were of one dataset; "
    "those are of ImageNet",
)
def residual_counts(settings: NoParameters) -> Evidence:
    """Count both networks with the planner and by a formula, and the smaller by building it."""
    counts = {depth: _planned(depth) for depth in (20, 56, 110, 1202)}
    with torch.device("meta"):
        network = ResNet(ResNetSettings(depth=110), 3, 32, 10)
    built = sum(weight.numel() for weight in network.parameters())
    return Evidence(
        stated=[
            equal("110 layers, parameters by the formula", counts[110], _formula(110)),
            equal("110 layers, of the network itself", counts[110], built),
            equal("110 layers, millions", round(counts[110] / 1e6, 1), 1.7),
            equal("1202 layers, parameters by the formula", counts[1202], _formula(1202)),
            above("1202 layers, parameters / those of 110", counts[1202] / counts[110], 10),
        ],
        numbers={
            **{f"{depth} layers": count for depth, count in counts.items()},
            "110 layers, published error": "6.43 %",
            "1202 layers, published error": "7.93 %",
        },
    )


def _planned(depth: int) -> int:
    sizes = Sizes(1, classes=10, channels=3, image_size=32)
    return count_network(ResNetSettings(depth=depth), sizes, training=False).total.parameters


def _formula(depth: int) -> int:
    """Return the norms, the convolutions within stages and between them, and the last layer."""
    n = (depth - 2) // 6
    norms = 2 * (16 + 2 * n * (16 + 32 + 64))
    within = 2 * n * 16**2 + (2 * n - 1) * (32**2 + 64**2)
    between = 3 * 16 + 16 * 32 + 32 * 64
    return norms + 9 * (within + between) + 65 * 10
