"""Claims on VGG and GoogLeNet: small filters in many layers, and filters of several sizes."""

import torch
from pydantic import Field
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from dragoman.config.settings import Settings
from dragoman.config.vision import AlexNetSettings, GoogLeNetSettings, VggSettings
from dragoman.config.vision_shapes import InceptionWidths
from dragoman.lab.claims import NoParameters, claim
from dragoman.lab.evidence import Evidence, above, at_least, equal, same
from dragoman.lab.topics.convolution.fields import seen_by_gradient
from dragoman.neural.layers.images.geometry import Window, receptive_field
from dragoman.neural.layers.images.inception import Inception
from dragoman.neural.models.images.googlenet import GoogLeNet
from dragoman.neural.models.images.vgg import Vgg
from dragoman.planner.count.families import count_network
from dragoman.planner.count.sizes import Sizes
from dragoman.planner.count.tree import CountNode
from dragoman.plots.lab import Bars

NOTES_WIDTHS = InceptionWidths(
    one=128, narrow_three=64, three=192, narrow_five=64, five=96, pooled=64
)


def imagenet(settings: AlexNetSettings | VggSettings | GoogLeNetSettings, side: int) -> CountNode:
    """Count a network for images of a thousand classes."""
    sizes = Sizes(1, classes=1000, channels=3, image_size=side)
    return count_network(settings, sizes, training=False)


class StackedFiltersSettings(Settings):
    """A stack of small filters in place of one large filter."""

    layers: int = Field(default=3, ge=1, le=10)
    """Number of 3×3 convolutions."""
    channels: int = Field(default=64, ge=1, le=512)
    """Channels before and after each of them (C)."""


@claim(
    "E67",
    r"VGG stacks filters of $3 \times 3$. Three of them see as much as one of $7 \times 7$, "
    "apply three nonlinearities, and have $27 C^2$ weights instead of $49 C^2$. VGG-16 "
    "nevertheless has 138,357,544 parameters, but 123.6 million of them are in its three linear "
    "layers, so depth is not what makes it large.",
    r"3 \cdot 3^2 C^2 = 27 C^2 < 7^2 C^2 = 49 C^2",
)
def small_filters(settings: StackedFiltersSettings) -> Evidence:
    """Compare a stack with one large filter, and count VGG-16 in two ways."""
    stack = [Window(3)] * settings.layers
    large = Window(2 * settings.layers + 1)
    first, last = seen_by_gradient(stack, large.kernel, 0)
    with torch.device("meta"):
        few = [nn.Conv2d(settings.channels, settings.channels, 3, bias=False) for _ in stack]
        one = nn.Conv2d(settings.channels, settings.channels, large.kernel, bias=False)
        network = Vgg(VggSettings(depth=16), 3, 224, 1000)
    small_weights, large_weights = sum(c.weight.numel() for c in few), one.weight.numel()
    total = sum(weight.numel() for weight in network.parameters())
    linear = sum(
        weight.numel()
        for layer in network.modules()
        if isinstance(layer, nn.Linear)
        for weight in layer.parameters()
    )
    squared = settings.channels**2
    return Evidence(
        stated=[
            equal("receptive field of the stack", receptive_field(stack).size, large.kernel),
            equal("receptive field by its gradient", last - first + 1, large.kernel),
            equal("weights of the stack", small_weights, 9 * settings.layers * squared),
            equal("weights of one large filter", large_weights, large.kernel**2 * squared),
            at_least("weights of one large filter", large_weights, small_weights),
            equal("parameters of VGG-16", total, 138_357_544),
            equal(
                "parameters of VGG-16 by the planner",
                imagenet(VggSettings(depth=16), 224).total.parameters,
                total,
            ),
            equal("millions of them in linear layers", round(linear / 1e6, 1), 123.6),
        ],
        numbers={
            "weights of the stack": small_weights,
            "weights of one large filter": large_weights,
            "VGG-16, linear layers": linear,
            "VGG-16, convolutions": total - linear,
        },
    )


@claim(
    "E69",
    "GoogLeNet was designed to need less computation for the same accuracy, and to look at "
    "several scales at once. It needs a tenth of the multiplications of VGG-16 and, without the "
    "auxiliary heads that are used only in training, a twentieth of its parameters. (Its "
    "accuracy is cited, not measured here: 6.7 % top-5 error, against 7.3 %.)",
    r"1.58 \cdot 10^9 \ll 15.5 \cdot 10^9",
)
def googlenet_saves_work(settings: NoParameters) -> Evidence:
    """Count the work of three networks with the planner, one of them with torch's counter too."""
    counts = {
        "GoogLeNet": imagenet(GoogLeNetSettings(auxiliary=False), 224).total,
        "VGG-16": imagenet(VggSettings(depth=16), 224).total,
        "AlexNet": imagenet(AlexNetSettings(), 227).total,
    }
    with torch.device("meta"):
        network = GoogLeNet(GoogLeNetSettings(auxiliary=False), 3, 224, 1000).eval()
        with FlopCounterMode(display=False) as counter:
            network(torch.empty(1, 3, 224, 224))
    built = sum(weight.numel() for weight in network.parameters())
    mine, vgg = counts["GoogLeNet"], counts["VGG-16"]
    with torch.device("meta"):
        module = Inception(256, NOTES_WIDTHS)
    filters = [c.kernel_size[0] for c in module.modules() if isinstance(c, nn.Conv2d)]
    return Evidence(
        stated=[
            equal("FLOPs by the planner and by torch", mine.forward, counter.get_total_flops()),
            equal(
                "multiplications / those of VGG-16",
                round(mine.multiplications / vgg.multiplications, 2),
                0.10,
            ),
            equal("parameters by the planner and by torch", mine.parameters, built),
            equal("parameters / those of VGG-16", round(mine.parameters / vgg.parameters, 2), 0.05),
            equal("filter sizes side by side", len(set(filters)), 3),
        ],
        numbers={
            **{
                f"{name}, millions of multiplications": round(one.multiplications / 1e6)
                for name, one in counts.items()
            },
            **{
                f"{name}, millions of parameters": round(one.parameters / 1e6, 1)
                for name, one in counts.items()
            },
        },
        plot=[
            Bars(
                "Multiplications for one image, billions",
                [*counts],
                [[one.multiplications / 1e9] for one in counts.values()],
            ),
            Bars(
                "Parameters, millions",
                [*counts],
                [[one.parameters / 1e6] for one in counts.values()],
            ),
        ],
    )


class InceptionSettings(Settings):
    """The input of an inception module."""

    channels: int = Field(default=256, ge=1, le=1024)
    """Input channels."""
    side: int = Field(default=28, ge=1, le=64)
    """Height and width of the maps."""


@claim(
    "E70",
    r"A naive inception module concatenates the maps of $1 \times 1$, $3 \times 3$ and $5 \times "
    r"5$ filters and of a pooling. On 256 maps of $28 \times 28$ it produces 672 maps, because "
    "the pooling alone passes on all 256.",
    r"128 + 192 + 96 + 256 = 672",
)
def naive_inception(settings: InceptionSettings) -> Evidence:
    """Run our module without data, and compare with the sum of its branches."""
    with torch.device("meta"):
        module = Inception(settings.channels, NOTES_WIDTHS, bottleneck=False)
        found = module(torch.empty(1, settings.channels, settings.side, settings.side))
    wanted = (128 + 192 + 96 + settings.channels, settings.side, settings.side)
    return Evidence(
        stated=[
            same(
                "difference of the output shape from the sum of the branches",
                torch.tensor(found.shape[1:]),
                torch.tensor(wanted),
            ),
            equal("output channels that the module reports", module.channels, found.shape[1]),
            above("output channels, and input channels", found.shape[1], settings.channels),
        ],
        numbers={"output channels": found.shape[1]},
    )
