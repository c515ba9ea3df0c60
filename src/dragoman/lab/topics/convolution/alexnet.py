"""Claims on AlexNet: its sizes and its weights, layer by layer."""

import torch
from pydantic import Field

from dragoman.config.settings import Settings
from dragoman.config.vision import AlexNetSettings
from dragoman.lab.claims import NoParameters, claim
from dragoman.lab.evidence import Criterion, Evidence, equal
from dragoman.lab.topics.convolution.traced_alexnet import (
    CLASSES,
    SIDE,
    of_kind,
    planned,
    shaped,
    trace,
    weighed,
)
from dragoman.neural.layers.images.geometry import Window
from dragoman.neural.models.images.alexnet import AlexNet


class AlexNetTraceSettings(Settings):
    """The input of AlexNet."""

    image_size: int = Field(default=227, ge=67, le=320)
    """Height and width of the images; with the printed 224 the first stride leaves a rest."""


@claim(
    "E56",
    r"AlexNet reads color images of $227 \times 227$ pixels. Its first 96 filters of $11 \times "
    r"11$ move with stride 4 and produce maps of $55 \times 55$, with 34,848 weights.",
    r"\frac{227 - 11}{4} + 1 = 55, \qquad 11 \cdot 11 \cdot 3 \cdot 96 = 34\,848",
)
def first_convolution(settings: AlexNetTraceSettings) -> Evidence:
    """Trace the network, and compare it with the formulas and the planner."""
    first = of_kind(trace(settings.image_size), "Conv2d")[0]
    over = (settings.image_size - 11) % 4
    return Evidence(
        stated=[
            *shaped("after the first convolution", first, (96, 55)),
            equal("pixels left over by the stride", over, 0),
            weighed("first convolution", first, 11, 11, 3, 96),
            equal("weights by the planner, without biases", planned()[0] - 96, 34_848),
        ],
        numbers={"weights": first.weights, "224 pixels: left over": (224 - 11) % 4},
    )


@claim(
    "E57",
    r"Max pooling over $3 \times 3$ windows with stride 2 leaves $27 \times 27$. The windows "
    "overlap, and there is nothing to learn.",
    r"\left\lfloor \frac{55 - 3}{2} \right\rfloor + 1 = 27",
)
def first_pooling(settings: NoParameters) -> Evidence:
    """Trace the network, and compare the first pooling with the formula."""
    first = of_kind(trace(SIDE), "MaxPool2d")[0]
    return Evidence(
        stated=[
            *shaped("after the first pooling", first, (96, 27)),
            equal("side by the formula", Window(3, 2).output(55), first.shape[1]),
            equal("weights", first.weights, 0),
        ]
    )


@claim(
    "E59",
    r"The second convolution has 256 filters of $5 \times 5$ and a padding of 2, which keeps the "
    r"maps at $27 \times 27$. It has 614,400 weights in one tower; in the two towers of the "
    "paper, each of which reads half of the maps, it has half as many.",
    r"\frac{27 + 2 \cdot 2 - 5}{1} + 1 = 27, \qquad 5 \cdot 5 \cdot 96 \cdot 256 = 614\,400",
    notes="the size is $(27-5+1)/1+1$, which is 24 and not the 27 printed next to it.",
)
def second_convolution(settings: NoParameters) -> Evidence:
    """Compare both formulas with the traced network, in one tower and in two."""
    second = of_kind(trace(SIDE), "Conv2d")[1]
    towers = of_kind(trace(SIDE, groups=2), "Conv2d")[1]
    return Evidence(
        premises=[
            *shaped("after the second convolution", second, (256, 27)),
            weighed("second convolution", second, 5, 5, 96, 256),
            equal("by the planner, without biases", planned()[1] - 256, 614_400),
        ],
        stated=[equal("(27 − 5 + 1)/1 + 1", (27 - 5 + 1) / 1 + 1, second.shape[1])],
        corrected=[equal("(27 + 4 − 5)/1 + 1", (27 + 4 - 5) / 1 + 1, second.shape[1])],
        numbers={"weights in one tower": second.weights, "weights in two towers": towers.weights},
    )


@claim(
    "E60",
    "The second pooling leaves 256 maps of $13 \\times 13$.",
    r"\left\lfloor \frac{27 - 3}{2} \right\rfloor + 1 = 13",
)
def second_pooling(settings: NoParameters) -> Evidence:
    """Trace the network, and compare the second pooling with the formula."""
    second = of_kind(trace(SIDE), "MaxPool2d")[1]
    return Evidence(
        stated=[
            *shaped("after the second pooling", second, (256, 13)),
            equal("side by the formula", Window(3, 2).output(27), second.shape[1]),
        ]
    )


@claim(
    "E61",
    r"Three convolutions of $3 \times 3$ with a padding of 1 keep the $13 \times 13$ and produce "
    "384, 384 and 256 maps. In one tower they have 884,736, 1,327,104 and 884,736 weights.",
    r"\frac{13 + 2 - 3}{1} + 1 = 13, \qquad 9 \cdot 256 \cdot 384, \quad 9 \cdot 384 \cdot 384, "
    r"\quad 9 \cdot 384 \cdot 256",
)
def last_convolutions(settings: NoParameters) -> Evidence:
    """Trace the network, and compare the last three convolutions with products and the planner."""
    layers = of_kind(trace(SIDE), "Conv2d")[2:]
    ends = ((256, 384), (384, 384), (384, 256))
    stated: list[Criterion] = []
    for number, (layer, (before, after)) in enumerate(zip(layers, ends, strict=True), 3):
        name = f"convolution {number}"
        stated += [*shaped(name, layer, (after, 13)), weighed(name, layer, 9, before, after)]
        stated += [equal(f"{name} by the planner", planned()[number - 1] - after, layer.weights)]
    known = (884_736, 1_327_104, 884_736)
    stated += [
        equal(f"weights {number:,}", layer.weights, number)
        for layer, number in zip(layers, known, strict=True)
    ]
    return Evidence(stated=stated)


@claim(
    "E62",
    r"The last pooling leaves 256 maps of $6 \times 6$, which is 9,216 numbers.",
    r"\left\lfloor \frac{13 - 3}{2} \right\rfloor + 1 = 6, \qquad 6 \cdot 6 \cdot 256 = 9\,216",
)
def last_pooling(settings: NoParameters) -> Evidence:
    """Trace the network up to the input of its linear layers."""
    layers = trace(SIDE)
    last = of_kind(layers, "MaxPool2d")[2]
    return Evidence(
        stated=[
            *shaped("after the last pooling", last, (256, 6)),
            equal("side by the formula", Window(3, 2).output(13), last.shape[1]),
            equal(
                "inputs of the first linear layer",
                of_kind(layers, "Flatten")[0].shape[0],
                6 * 6 * 256,
            ),
        ]
    )


@claim(
    "E63",
    "The first linear layer reads all 9,216 numbers and has 37,748,736 weights, more than half "
    "of the network.",
    r"6 \cdot 6 \cdot 256 \cdot 4096 = 37\,748\,736",
    notes=r"the first linear layer has $4096 \times 4096$ weights.",
)
def first_linear(settings: NoParameters) -> Evidence:
    """Compare both products with the traced network and with the planner."""
    first = of_kind(trace(SIDE), "Linear")[0]
    return Evidence(
        stated=[weighed("first linear layer, 4096 · 4096", first, 4096, 4096)],
        corrected=[
            weighed("first linear layer, 6 · 6 · 256 · 4096", first, 6, 6, 256, 4096),
            equal("by the planner, without biases", planned()[5] - 4096, first.weights),
        ],
        numbers={"weights": first.weights},
    )


@claim(
    "E64",
    r"The second linear layer has $4096 \times 4096$ weights, and the last one, for 1000 "
    r"classes, $4096 \times 1000$.",
    r"4096 \cdot 4096 = 16\,777\,216, \qquad 4096 \cdot 1000 = 4\,096\,000",
)
def last_linear(settings: NoParameters) -> Evidence:
    """Compare the products with the traced network and with the planner."""
    _, second, third = of_kind(trace(SIDE), "Linear")
    return Evidence(
        stated=[
            weighed("second linear layer", second, 4096, 4096),
            weighed("last linear layer", third, 4096, 1000),
            equal("second, by the planner", planned()[6] - 4096, second.weights),
            equal("last, by the planner", planned()[7] - 1000, third.weights),
        ]
    )


@claim(
    "E65",
    "AlexNet has about 60 million parameters: 60,965,224 in the two towers of the paper, "
    r"62,378,344 in one tower. With $4096 \times 4096$ weights in the first linear layer it "
    "would have 41.4 million.",
    r"60\,965\,224 \approx 60 \cdot 10^6",
)
def alexnet_total(settings: NoParameters) -> Evidence:
    """Count the parameters of the network in both forms, and sum the planner's layers."""
    with torch.device("meta"):
        one, two = (AlexNet(AlexNetSettings(groups=groups), 3, SIDE, CLASSES) for groups in (1, 2))
    single, double = (sum(w.numel() for w in net.parameters()) for net in (one, two))
    mistaken = single - 9216 * 4096 + 4096 * 4096
    return Evidence(
        stated=[
            equal("parameters in two towers", double, 60_965_224),
            equal("parameters in one tower", single, 62_378_344),
            equal("millions in two towers, rounded down", double // 10**6, 60),
            equal("two towers by the planner", sum(planned(2)), double),
            equal("one tower by the planner", sum(planned(1)), single),
            equal("millions with the notes' first linear layer", round(mistaken / 1e6, 1), 41.4),
        ],
        numbers={
            "parameters in two towers": double,
            "parameters in one tower": single,
            "parameters with the notes' first linear layer": mistaken,
        },
    )
