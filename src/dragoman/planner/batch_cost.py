"""FLOPs and memory of real batches: the closed forms of `plan count` for the shapes they have."""

from collections import Counter
from dataclasses import replace
from typing import Any

from dragoman.config.recipe import Recipe
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.planner.count.count import ModelCount, count_subject
from dragoman.planner.count.sizes import Sizes
from dragoman.planner.count.subject import BatchShape, recipe_subject

COUNTED = 40
"""Shapes that are counted, spread over all that were met."""


class BatchCost:
    """The shapes of the batches of a training, and what they cost."""

    def __init__(self, recipe: Recipe, run: RunFolder, guesses: int) -> None:
        """Take sizes of the vocabulary from a prepared run, and classes from its task."""
        self.run, self.guesses = run, guesses
        classes = guesses if recipe.task.labels != "none" else None
        self.subject = recipe_subject(recipe, run, BatchShape(classes=classes))
        self.task = recipe.task
        self.shapes: Counter[Sizes] = Counter()

    def note(self, batch: Any, loss_tokens: int) -> None:
        """Remember the shape of a batch, and how many of its tokens the loss is over."""
        self.shapes[replace(self._sizes(batch), loss_tokens=loss_tokens)] += 1

    def resized(self, recipe: Recipe) -> "BatchCost":
        """Return the cost of the same batches for another network."""
        other = BatchCost(recipe, self.run, self.guesses)
        other.shapes = self.shapes
        return other

    @property
    def parameters(self) -> int:
        """Parameters of the network."""
        return self.count(next(iter(self.shapes))).total.parameters

    @property
    def flops(self) -> float:
        """FLOPs of a batch, forward and backward, on average."""
        found = sorted(self.shapes.elements(), key=_tokens)
        chosen = Counter(found[:: -(-len(found) // COUNTED)])
        costs = {one: self.count(one).total for one in chosen}
        total = sum(
            times * (costs[one].forward + costs[one].backward) for one, times in chosen.items()
        )
        return total / chosen.total()

    @property
    def memory(self) -> int:
        """Bytes of the training at its highest, for the largest batch."""
        return self.count(max(self.shapes, key=_tokens)).memory.peak

    def count(self, sizes: Sizes) -> ModelCount:
        """Count the network with batches of a shape."""
        return count_subject(replace(self.subject, sizes=sizes))

    def _sizes(self, batch: Any) -> Sizes:
        """Return the shape of any batch: pairs, texts, images, or images with captions."""
        sizes = self.subject.sizes
        if hasattr(batch, "source"):
            rows, source = batch.source.shape
            target = batch.target.shape[1] - 1  # START is read, not asked for
            return replace(sizes, batch=rows, source_length=source, target_length=target)
        if not hasattr(batch, "tokens"):
            return replace(sizes, batch=len(batch.images))
        rows, length = batch.tokens.shape
        if hasattr(batch, "images"):
            return replace(sizes, batch=rows, source_length=length)
        decoder = self.task.row_lengths(length)[1] > 0
        return replace(
            sizes,
            batch=rows,
            source_length=0 if decoder else length,
            target_length=length if decoder else 0,
        )


def _tokens(sizes: Sizes) -> int:
    return sizes.batch * max(1, sizes.source_length + sizes.target_length)
