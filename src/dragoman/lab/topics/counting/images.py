"""Claims on multiplications in image networks: VGG and an inception module."""

from typing import Literal

import torch
from pydantic import Field

from dragoman.config.settings import Settings
from dragoman.config.vision import AlexNetSettings, VggSettings
from dragoman.config.vision_shapes import InceptionWidths
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Criterion, Evidence, above, below, equal
from dragoman.lab.experiments.scaling.flop_counter import count_flops
from dragoman.neural.layers.images.inception import Inception
from dragoman.neural.models.images.alexnet import AlexNet
from dragoman.neural.models.images.vgg import Vgg
from dragoman.planner.count.families import count_network
from dragoman.planner.count.images import inception
from dragoman.planner.count.sizes import Sizes
from dragoman.planner.count.tape import Tape
from dragoman.planner.count.tree import CountNode
from dragoman.plots.lab import Bars


class VggDepth(Settings):
    """Depth of the VGG network."""

    depth: Literal[11, 13, 16, 19] = 16
    """Number of layers with weights."""


@claim(
    "E68",
    "The cost of a network can be counted in FLOPs, where a multiplication and an addition "
    "count as two. VGG-16 needs almost fourteen times the FLOPs of AlexNet. Almost all of them "
    "are in its convolutions, whereas most of its weights are in its linear layers.",
    r"C_{\mathrm{conv}} = H' W' \cdot F \cdot (K^2 C) \;\mathrm{multiplications}",
)
def vgg_is_costly(settings: VggDepth) -> Evidence:
    """Count both networks by closed forms and by torch."""
    large, small = VggSettings(depth=settings.depth), AlexNetSettings()
    with torch.device("meta"):
        vgg = Vgg(large, 3, 224, 1000).eval()
        alexnet = AlexNet(small, 3, 227, 1000).eval()
        wide, less = torch.empty(1, 3, 224, 224), torch.empty(1, 3, 227, 227)
    sizes = [Sizes(1, classes=1000, channels=3, image_size=size) for size in (224, 227)]
    ours = count_network(large, sizes[0], training=False)
    theirs = count_network(small, sizes[1], training=False)
    linear = [node.own for _, node in ours.leaves() if node.kind == "linear"]
    share = sum(one.forward for one in linear) / ours.total.forward
    weights = sum(one.parameters for one in linear) / ours.total.parameters
    costly, cheap = ours.total.multiplications, theirs.total.multiplications
    return Evidence(
        stated=[
            equal("FLOPs of VGG by torch against the counter", count_flops(lambda: vgg(wide)),
                  ours.total.forward),
            equal("FLOPs of AlexNet by torch against the counter",
                  count_flops(lambda: alexnet(less)), theirs.total.forward),
            above("multiplications of VGG over those of AlexNet", costly / cheap, 5.0),
            below("fraction of VGG's FLOPs in linear layers", share, 0.1),
            above("fraction of VGG's weights in linear layers", weights, 0.8),
        ],
        numbers={
            "multiplications of VGG": costly,
            "multiplications of AlexNet without groups": cheap,
            "VGG over AlexNet": costly / cheap,
        },
        plot=[
            Bars("Multiplications for one image, billions",
                 ["AlexNet", f"VGG-{settings.depth}"], [[cheap / 1e9], [costly / 1e9]])
        ],
    )  # fmt: skip


class InceptionSizes(Settings):
    """Input of an inception module."""

    side: int = Field(default=28, ge=1, le=112)
    """Height and width of the feature maps."""
    channels: int = Field(default=256, ge=1, le=1024)
    """Input channels."""
    narrow: int = Field(default=64, ge=1, le=256)
    """Output channels of each 1×1 bottleneck."""

    @property
    def widths(self) -> InceptionWidths:
        """Number of filters of each size."""
        return InceptionWidths(
            one=128, narrow_three=self.narrow, three=192, narrow_five=self.narrow, five=96,
            pooled=self.narrow,
        )  # fmt: skip

    def count(self, *, bottleneck: bool) -> CountNode:
        """Count a module by its closed forms."""
        tape = Tape("inception")
        maps = tape.signal(1, self.channels, self.side, self.side, slope=True)
        inception(tape, maps, self.widths, bottleneck=bottleneck)
        return tape.root

    def torch_multiplications(self, *, bottleneck: bool) -> int:
        """Build a module on the meta device and let torch count."""
        with torch.device("meta"):
            module = Inception(self.channels, self.widths, bottleneck=bottleneck)
            maps = torch.empty(1, self.channels, self.side, self.side)
        return count_flops(lambda: module(maps)) // 2

    def output_channels(self) -> int:
        """Return the channels of the output of the bottleneck module."""
        with torch.device("meta"):
            module = Inception(self.channels, self.widths, bottleneck=True)
            maps = torch.empty(1, self.channels, self.side, self.side)
        return int(module(maps).shape[1])


@claim(
    "E71",
    "On 256 feature maps of 28×28, parallel filters of size 1×1, 3×3 and 5×5 take 854 million "
    "multiplications: at every position, each filter multiplies as many numbers as it has "
    "weights.",
    r"28 \cdot 28 \cdot 256 \cdot (1 \cdot 128 + 9 \cdot 192 + 25 \cdot 96) = 854{,}196{,}224",
)
def naive_inception(settings: InceptionSizes) -> Evidence:
    """Compare the notes' sum with the counter and with torch."""
    places = settings.side**2 * settings.channels
    terms = {"1×1": places * 128, "3×3": places * 9 * 192, "5×5": places * 25 * 96}
    total = sum(terms.values())
    return Evidence(
        stated=[
            equal("counted multiplications against the sum",
                  settings.count(bottleneck=False).total.multiplications, total),
            equal("multiplications by torch against the sum",
                  settings.torch_multiplications(bottleneck=False), total),
        ],
        numbers={**terms, "total": total},
        plot=[
            Bars("Multiplications, millions", [*terms], [[one / 1e6] for one in terms.values()])
        ],
    )  # fmt: skip


@claim(
    "E72",
    "With 1×1 bottlenecks of 64 feature maps, the module has six convolutions and takes 271 "
    "million multiplications, less than a third. Its output is 28×28×480.",
    r"28^2 (256 \cdot 128 + 256 \cdot 64 + 9 \cdot 64 \cdot 192 + 256 \cdot 64 + "
    r"25 \cdot 64 \cdot 96 + 256 \cdot 64) = 271{,}351{,}808",
    notes="the six terms add up to 358 million, which is the result of counting the 3×3 filters "
    "twice.",
)
def bottleneck_inception(settings: InceptionSizes) -> Evidence:
    """Count each of the six convolutions; compare their sum with the notes' total."""
    area, c, narrow = settings.side**2, settings.channels, settings.narrow
    terms = {
        "branches.0": ("1×1, 128", area * c * 128),
        "branches.1.0": ("1×1 before 3×3", area * c * narrow),
        "branches.1.1": ("3×3, 192", area * 9 * narrow * 192),
        "branches.2.0": ("1×1 before 5×5", area * c * narrow),
        "branches.2.1": ("5×5, 96", area * 25 * narrow * 96),
        "branches.3.1": ("1×1 after pooling", area * c * narrow),
    }
    tree = settings.count(bottleneck=True)
    each: list[Criterion] = [
        equal(f"counted multiplications of {name}", _multiplications(tree, path), term)
        for path, (name, term) in terms.items()
    ]
    each.append(
        equal("output channels against 128 + 192 + 96 + bottleneck",
              settings.output_channels(), 128 + 192 + 96 + narrow)
    )  # fmt: skip
    total = sum(term for _, term in terms.values())
    twice = total + terms["branches.1.1"][1]
    counted = settings.torch_multiplications(bottleneck=True)
    return Evidence(
        stated=[*each, equal("multiplications by torch against the notes' total", counted, twice)],
        corrected=[
            *each,
            equal("multiplications by torch against the sum of the six terms", counted, total),
        ],
        numbers={**dict(terms.values()), "total": total, "total with the 3×3 filters twice": twice},
        plot=[
            Bars("Multiplications, millions", [name for name, _ in terms.values()],
                 [[term / 1e6] for _, term in terms.values()])
        ],
    )  # fmt: skip


def _multiplications(tree: CountNode, path: str) -> int:
    """Return the multiplications of all parts below a path."""
    return sum(
        node.own.multiplications
        for name, node in tree.leaves()
        if name == path or name.startswith(f"{path}.")
    )
