"""Time steps of the picture recipes with the colours of a pixel side by side in memory, and apart.

The two forms take turns in one process, so that a busy moment of the machine strikes both.

    python benchmarks/channels_last.py
"""

import statistics
import time

import torch

from dragoman.config.reading import find_recipe, read_recipe
from dragoman.config.recipe import Recipe
from dragoman.config.task import ImageTaskSettings
from dragoman.engine.build import build_image_model

TURNS, STEPS = 7, 6
SHAPES = {"mnist": (1, 28), "cifar-10": (3, 32)}


def seconds(model: torch.nn.Module, images: torch.Tensor, labels: torch.Tensor) -> float:
    """Return the time of one step, forward and backward."""
    start = time.perf_counter()
    for _ in range(STEPS):
        torch.nn.functional.cross_entropy(model(images), labels).backward()
        model.zero_grad()
    return (time.perf_counter() - start) / STEPS


def measured(recipe: Recipe, channels: int, size: int) -> tuple[list[float], list[float]]:
    """Return the times of a step side by side and apart, turn by turn."""
    torch.manual_seed(1)
    model = build_image_model(recipe.model_for(ImageTaskSettings), channels, size, 10, 1)
    apart = torch.randn(recipe.images.batch_size, channels, size, size)
    together = apart.to(memory_format=torch.channels_last)
    labels = torch.randint(0, 10, (len(apart),))
    for images in (together, apart):
        seconds(model, images, labels)
    turns = [
        (seconds(model, together, labels), seconds(model, apart, labels)) for _ in range(TURNS)
    ]
    return [one for one, _ in turns], [other for _, other in turns]


def main() -> None:
    """Print one row a recipe."""
    print(f"{torch.get_num_threads()} threads, median of {TURNS} turns of {STEPS} steps")
    for name, (channels, size) in SHAPES.items():
        one, other = measured(read_recipe(find_recipe(name)), channels, size)
        ratios = [b / a for a, b in zip(one, other, strict=True)]
        print(
            f"{name}: side by side {statistics.median(one) * 1e3:.1f} ms, apart "
            f"{statistics.median(other) * 1e3:.1f} ms a step; side by side "
            f"{statistics.median(ratios):.2f} times as fast "
            f"({min(ratios):.2f} to {max(ratios):.2f})"
        )


if __name__ == "__main__":
    main()
