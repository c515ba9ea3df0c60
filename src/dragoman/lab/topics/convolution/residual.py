"""Claims on depth and residual networks."""

import torch
from pydantic import Field
from torch import Tensor, nn

from dragoman.config.settings import Settings
from dragoman.config.vision import CnnSettings, ResNetSettings
from dragoman.lab.claims import NoParameters, claim, measured
from dragoman.lab.evidence import Evidence, apart, below, equal, same
from dragoman.lab.sampling import normal, seeded
from dragoman.neural.models.images.cnn import Cnn
from dragoman.neural.models.images.deepening import deepened_cnn, deepened_resnet
from dragoman.neural.models.images.resnet import ResNet, blocks_of
from dragoman.planner.count.families import count_network
from dragoman.planner.count.sizes import Sizes
from dragoman.plots.lab import Panel, curve

SIDE, CLASSES = 8, 10
NEAR = 1e-3
"""Loss below which the identity counts as learned."""
MOST_STEPS = 300

degradation = measured(
    "E73",
    "A plain network of 56 layers has a higher error than one of 20 layers, on the training "
    "images as well as on the test images. So this is not overfitting: training does not find a "
    "good deep network.",
    r"E_{\mathrm{train}}(56) > E_{\mathrm{train}}(20)",
    experiment="depth",
)

first_weights = measured(
    "E74",
    "The degradation is a difficulty of optimization, and initialization alone does not explain "
    "it: even when the additional layers start as identities, the deep plain network ends with "
    "a higher training error than the shallow one.",
    r"E_{\mathrm{train}}(\mathrm{plain}\ 56) - E_{\mathrm{train}}(\mathrm{plain}\ 20) > 0",
    notes="the problem lies in the initial values of the weights.",
    experiment="depth",
)

deeper_is_better = measured(
    "E77",
    "With residual connections the deeper network is said to be the better one, in training and "
    "in testing.",
    r"E(\mathrm{residual,\ deep}) < E(\mathrm{residual,\ shallow})",
    experiment="depth",
)


class DeepeningSettings(Settings):
    """Shallow networks with random weights, and the number of layers added to them."""

    more: int = Field(default=6, ge=1, le=12)
    """Residual blocks added to each of three stages; 6 turn 20 layers into 56."""
    width: int = Field(default=2, ge=1, le=8)
    """Channels of the first stage."""
    seed: int = Field(default=1, ge=0)
    """Seed of weights and images."""


@claim(
    "E75",
    "If the 36 additional layers of a 56-layer network were identities, it would give exactly "
    "the same scores as the network of 20 layers. So a deep network can always represent what a "
    "shallow one can.",
    r"f_{36}(\cdots f_1(\mathbf{x})) = \mathbf{x} \quad \Rightarrow \quad "
    r"\mathrm{net}_{56}(I) = \mathrm{net}_{20}(I)",
)
@torch.no_grad()
def identity_layers(settings: DeepeningSettings) -> Evidence:
    """Extend a residual and a plain network by identities, and compare every score."""
    images = normal(settings.seed, 4, 3, SIDE, SIDE)
    with seeded(settings.seed):
        shallow = _randomized(
            ResNet(ResNetSettings(depth=20, width=settings.width), 3, SIDE, CLASSES)
        )
        deep = deepened_resnet(shallow, settings.more).double().eval()
        random = _randomized(ResNet(deep.settings, 3, SIDE, CLASSES))
        shape = CnnSettings(channels=(4, 4), batch_norm=False, hidden_width=0, dropout=0.0)
        plain = Cnn(shape, 3, SIDE, CLASSES).double().eval()
        deep_plain = deepened_cnn(plain, settings.more).double().eval()
    layers = sum(isinstance(part, nn.Conv2d) for part in deep.modules()) + 1
    return Evidence(
        stated=[
            same("residual: difference of the scores", deep(images), shallow(images), 0.0),
            same("plain: difference of the scores", deep_plain(images), plain(images), 0.0),
            apart(
                "difference with random additional layers", random(images), shallow(images), 1e-6
            ),
            equal("layers of the deep network", layers, 20 + 6 * settings.more),
        ],
        numbers={"layers": layers},
    )


def _randomized(network: ResNet) -> ResNet:
    """Give all batch normalizations random gains, biases and variances."""
    for part in network.modules():
        if isinstance(part, nn.BatchNorm2d):
            for values in (part.weight, part.running_var):
                if values is not None:
                    values.uniform_(0.5, 1.5)
            part.bias.normal_(std=0.3)
    return network.double().eval()


class ResidualLearningSettings(Settings):
    """A chain of matrices that learns the identity by gradient descent."""

    layers: int = Field(default=4, ge=1, le=8)
    """Number of matrices in the chain."""
    width: int = Field(default=6, ge=1, le=16)
    """Rows and columns of each."""
    deviation: float = Field(default=0.1, ge=0.0, le=0.3)
    """Standard deviation of the initial weights, the same for both chains."""
    rate: float = Field(default=0.05, ge=0.001, le=0.1)
    """Learning rate of both."""
    seed: int = Field(default=1, ge=0)
    """Seed of the initial weights."""


@claim(
    "E76",
    "It is easier to learn $F(x) = 0$ than $F(x) = x$. A residual block whose branch is zero "
    r"already is the identity, where a plain block would have to learn $\mathbf{W} = "
    r"\mathbf{I}$. Starting from the same small weights, the residual chain reaches the identity "
    "first.",
    r"\mathbf{x} + F(\mathbf{x}) = \mathbf{x} \; \Leftrightarrow \; F = 0, \qquad "
    r"\mathbf{W}\mathbf{x} = \mathbf{x} \; \Leftrightarrow \; \mathbf{W} = \mathbf{I}",
)
def residual_identity(settings: ResidualLearningSettings) -> Evidence:
    """Run a block whose branch is zero; then let two chains learn the identity."""
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
            same("difference of a residual block with zero branch from x", kept, x, 0.0),
            apart("difference of a plain block with the same weights from x", lost, x, 0.1),
            below(
                "distance of the initial weights from 0, and from the identity",
                weights.norm(),
                (weights - identity).norm(),
            ),
            below(
                "steps of the residual chain, and of the plain one",
                steps["residual"],
                steps["plain"],
            ),
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
    """Return a block whose last normalization has gain zero."""
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
    "On CIFAR-10, a residual network of 110 layers has 1.7 million parameters and one of 1202 "
    "layers has 19.4 million. He et al. report errors of 6.43 % and, due to overfitting, 7.93 % "
    "(cited, not measured here). The networks of 18 and 34 layers are a different family, made "
    "for ImageNet, with 11.7 and 21.8 million parameters.",
    r"2\,(16 + 224 n) + 9\,(512 n + 5120 (2n-1) + 48 + 512 + 2048) + 650, "
    r"\qquad n = \frac{L-2}{6}",
    notes="110 and 1202 layers continue the series of 18 and 34 layers, as if all were measured "
    "on one dataset.",
)
def residual_counts(settings: NoParameters) -> Evidence:
    """Count both networks with the planner and by a formula; compare with those for ImageNet."""
    counts = {depth: _planned(depth) for depth in (20, 56, 110, 1202)}
    with torch.device("meta"):
        network = ResNet(ResNetSettings(depth=110), 3, 32, 10)
    built = sum(weight.numel() for weight in network.parameters())
    imagenet = {depth: _planned(depth, classes=1000, side=224) for depth in (18, 34)}
    shared = [
        equal("110 layers, parameters by the formula", counts[110], _formula(110)),
        equal("110 layers, parameters of the network itself", counts[110], built),
        equal("110 layers, millions", round(counts[110] / 1e6, 1), 1.7),
        equal("1202 layers, parameters by the formula", counts[1202], _formula(1202)),
        equal("1202 layers, millions", round(counts[1202] / 1e6, 1), 19.4),
    ]
    return Evidence(
        stated=[
            *shared,
            below("34 layers, parameters beside 110 layers", imagenet[34], counts[110]),
        ],
        corrected=[
            *shared,
            equal("18 layers for ImageNet, parameters", imagenet[18], 11_689_512),
            equal("34 layers for ImageNet, parameters", imagenet[34], 21_797_672),
        ],
        numbers={
            **{f"{depth} layers for CIFAR-10": count for depth, count in counts.items()},
            **{f"{depth} layers for ImageNet": count for depth, count in imagenet.items()},
            "110 layers, published error": "6.43 %",
            "1202 layers, published error": "7.93 %",
        },
    )


def _planned(depth: int, classes: int = 10, side: int = 32) -> int:
    sizes = Sizes(1, classes=classes, channels=3, image_size=side)
    return count_network(ResNetSettings(depth=depth), sizes, training=False).total.parameters


def _formula(depth: int) -> int:
    """Add up the norms, the convolutions within stages and between them, and the last layer."""
    n = (depth - 2) // 6
    norms = 2 * (16 + 2 * n * (16 + 32 + 64))
    within = 2 * n * 16**2 + (2 * n - 1) * (32**2 + 64**2)
    between = 3 * 16 + 16 * 32 + 32 * 64
    return norms + 9 * (within + between) + 65 * 10
