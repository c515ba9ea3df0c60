"""Counts from settings beside those of the built network and of torch's FLOP counter, as a table.

PYTHONPATH=. python benchmarks/counts.py

Every shipped recipe with the batch that is counted, and published networks with short rows, all on
the meta device, which holds no numbers. The words that a masked language model is asked for are
all of them here, as in the network's own forward pass.
"""

from dataclasses import replace

from tests.unit.planner.count.networks import build, torch_flops, weights

from dragoman.config.reading import shipped_recipes
from dragoman.config.vision import AlexNetSettings, GoogLeNetSettings, VggSettings, VitSettings
from dragoman.planner.count.count import count_subject
from dragoman.planner.count.report import aligned
from dragoman.planner.count.sizes import Sizes
from dragoman.planner.count.subject import BatchShape, CountSubject, find_subject

PUBLISHED = ("bert-base", "bert-large", "gpt", "gpt2", "t5-small", "t5-base")
SHORT = BatchShape(batch=2, length=16)
PICTURES = {
    "alexnet": (AlexNetSettings(), 227),
    "vgg-16": (VggSettings(), 224),
    "googlenet": (GoogLeNetSettings(), 224),
    "vit": (VitSettings(patch=16), 224),
}


def subjects() -> list[CountSubject]:
    """Return all that is counted."""
    found = [find_subject(name) for name in shipped_recipes()]
    found += [find_subject(name, (), SHORT) for name in PUBLISHED]
    return found + [
        CountSubject(name, "", settings, Sizes(2, classes=1000, image_size=size), ())
        for name, (settings, size) in PICTURES.items()
    ]


def row(subject: CountSubject) -> tuple[str, ...]:
    """Return one network's counts, and whether torch's are the same."""
    subject = replace(subject, sizes=replace(subject.sizes, loss_tokens=0))
    model, total = (
        build(subject.model, subject.sizes, tags=subject.tags),
        count_subject(subject).total,
    )
    counted = (total.parameters, total.forward, total.backward)
    torch = (weights(model), *torch_flops(model, subject.sizes))
    cells = []
    for ours, theirs in zip(counted, torch, strict=True):
        cells += [f"{ours:,}", "equal" if ours == theirs else f"{theirs:,}"]
    return subject.name, subject.model.kind, *cells


def main() -> None:
    """Print the table."""
    head = (
        "network", "kind", "parameters", "built", "forward FLOPs", "torch", "backward FLOPs",
        "torch",
    )  # fmt: skip
    print(aligned([head, *map(row, subjects())], left=2))


if __name__ == "__main__":
    main()
