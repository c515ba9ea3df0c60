"""Predicted and measured memory of training: the peak of a few real steps beside `plan count`.

python benchmarks/training_memory.py [RECIPE ...] [--batch N] [--length N]

Each recipe is measured in a process of its own, on batches of random tokens or pixels of the shape
that is counted. Resident memory is compared with that after imports and one step of a network of
the same kind that is as small as can be, which brings the code of the kernels into memory.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from dragoman.config.recipe import Recipe
    from dragoman.planner.count.subject import CountSubject

RECIPES = (
    "english-hindi", "transformer-sinusoidal", "decoder-only", "bahdanau", "luong", "deep-lstm",
    "grammar-gpt", "grammar-bert", "arithmetic-encoder", "cifar-10", "mnist", "mnist-autoencoder",
    "emoji-clip",
)  # fmt: skip
STEPS = 6
SMALL = (
    "model.width=8", "model.heads=2", "model.ffn_width=8", "tokenizer.vocab_size=300",
    "model.embedding_width=8", "model.channels=[4]", "model.widths=[8]", "model.hidden_width=8",
)  # fmt: skip
"""Changes of the recipe that warms up, where it has these keys."""


def objective_of(recipe: "Recipe", subject: "CountSubject") -> Any:
    """Return the network and the loss of a recipe."""
    from dragoman.data.batching.pixels import Pixels
    from dragoman.engine import build
    from dragoman.tasks.autoencoding.objective import ReconstructionObjective
    from dragoman.tasks.common.teacher_forcing import SequenceToSequenceObjective
    from dragoman.tasks.image_classification.objective import ImageClassificationObjective
    from dragoman.tasks.image_text.objective import ContrastiveObjective
    from dragoman.tasks.language_model.objective import NextTokenObjective
    from dragoman.tasks.masked_lm.objective import MaskedObjective
    from dragoman.tasks.tagging.network import build_tagger
    from dragoman.tasks.tagging.objective import TaggingObjective
    from dragoman.tasks.text_classification.objective import ClassificationObjective

    sizes, model = subject.sizes, recipe.model
    words = SimpleNamespace(size=sizes.source_vocab, pad=0, start=2, end=3)
    pair = SimpleNamespace(source=words, target=SimpleNamespace(size=sizes.target_vocab))
    shape = sizes.channels, sizes.image_size
    pixels = Pixels(sizes.image_size, (0.5,) * sizes.channels, (0.5,) * sizes.channels)
    chosen = recipe.objective
    match recipe.task.kind:
        case "translation" | "span-corruption":
            return SequenceToSequenceObjective(build.build_model(model, pair, 1), chosen)
        case "language-model":
            plain = SimpleNamespace(size=sizes.source_vocab)
            return NextTokenObjective(build.build_language_model(model, plain, 1), chosen)
        case "masked-lm":
            return MaskedObjective(build.build_encoder(model, words, 1), chosen)
        case "text-classification":
            network = build.build_classifier(model, words, sizes.classes, 1)
            return ClassificationObjective(network, chosen)
        case "tagging":
            return TaggingObjective(build_tagger(model, words, sizes.classes, 1), chosen)
        case "image-classification":
            network = build.build_image_model(model, *shape, sizes.classes, 1)
            return ImageClassificationObjective(network, chosen, pixels)
        case "autoencoding":
            return ReconstructionObjective(
                build.build_autoencoder(model, *shape, 1), recipe.task, pixels
            )
        case _:
            network = build.build_clip(model, *shape, words, 1)
            return ContrastiveObjective(network, chosen, pixels)


def batch_of(recipe: "Recipe", subject: "CountSubject", random: np.random.Generator) -> Any:  # noqa: C901 - one case a task
    """Return a batch of random numbers of the shape that is counted."""
    from dragoman.data.batching.batch import Batch
    from dragoman.data.batching.captions import CaptionBatch
    from dragoman.data.batching.images import ImageBatch
    from dragoman.data.batching.labeled import LabeledBatch
    from dragoman.data.batching.text_batch import TextBatch
    from dragoman.tasks.tagging.batches import TagBatch

    sizes, rows = subject.sizes, subject.sizes.batch
    numbers = np.arange(rows)

    def tokens(length: int, words: int) -> NDArray[np.int64]:
        return random.integers(292, max(293, words), (rows, length))

    def images() -> NDArray[np.uint8]:
        shape = (rows, sizes.image_size, sizes.image_size, sizes.channels)
        return random.integers(0, 256, shape, dtype=np.uint8)

    match recipe.task.kind:
        case "translation" | "span-corruption":
            source = tokens(sizes.source_length, sizes.source_vocab)
            return Batch(source, tokens(sizes.target_length + 1, sizes.target_vocab), numbers)
        case "language-model" | "masked-lm":
            length = sizes.target_length or sizes.source_length
            read = tokens(length, sizes.source_vocab)
            labels = read.copy()
            if recipe.task.kind == "masked-lm":
                hidden = np.zeros(read.size, dtype=bool)
                hidden[random.choice(read.size, sizes.loss_tokens, replace=False)] = True
                labels[~hidden.reshape(read.shape)] = 0
            halves = np.repeat(np.array([[1] * (length // 2) + [2] * (length - length // 2)]),
                               rows, axis=0)  # fmt: skip
            return TextBatch(read, labels, halves, np.zeros_like(read), None, numbers)
        case "text-classification":
            classes = random.integers(0, sizes.classes, rows)
            read = tokens(sizes.source_length, sizes.source_vocab)
            return LabeledBatch(read, classes, numbers, np.full(rows, sizes.source_length))
        case "tagging":
            read = tokens(sizes.source_length, sizes.source_vocab)
            return TagBatch(read, random.integers(0, sizes.classes, read.shape), numbers)
        case "image-text":
            read = tokens(sizes.source_length, sizes.source_vocab)
            read[:, -1] = 3
            lengths = np.full(rows, sizes.source_length)
            return CaptionBatch(images(), read, numbers, lengths)
        case _:
            return ImageBatch(images(), random.integers(0, max(1, sizes.classes), rows), numbers)


def take_steps(recipe: "Recipe", subject: "CountSubject") -> None:
    """Take a few steps, as the training loop does."""
    import torch

    from dragoman.neural.optim.average import WeightAverage
    from dragoman.neural.optim.gradient_clipping import clip_gradients
    from dragoman.neural.optim.optimizer import build_optimizer

    objective = objective_of(recipe, subject)
    model, settings = objective.model.train(), recipe.training
    if hasattr(model, "checkpointing"):
        model.checkpointing = settings.gradient_checkpointing
    optimizer = build_optimizer(model, recipe.optimizer)
    average = WeightAverage(model, settings.ema_decay) if settings.ema_decay else None
    random = np.random.default_rng(1)
    for _ in range(STEPS):
        batch = batch_of(recipe, subject, random)
        loss = objective.loss(batch, torch.device("cpu"))
        (loss.smoothed / objective.denominator(batch)).backward()
        clip_gradients([*model.parameters()], settings.clip_norm, settings.clip_value)
        optimizer.step()
        if average:
            average.update(model)
        optimizer.zero_grad(set_to_none=True)


def resident(key: str) -> int:
    """Return a figure of /proc/self/status in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key):
            return 1024 * int(line.split()[1])
    raise KeyError(key)


def measure(name: str, changes: list[str], batch: int | None, length: int | None) -> dict[str, Any]:
    """Return what is predicted and what a few steps really take, in bytes."""
    from dragoman.config.reading import find_recipe, read_recipe
    from dragoman.engine.runtime import start
    from dragoman.planner.count.count import count_subject
    from dragoman.planner.count.subject import BatchShape, recipe_subject

    path = find_recipe(name)
    recipe = read_recipe(path, changes)
    start(recipe.training)
    tree = recipe.model_dump()
    keys = {f"{section}.{key}" for section in ("model", "tokenizer") for key in tree[section]}
    small = [one for one in SMALL if one.split("=")[0] in keys]
    if recipe.model.kind == "clip":
        small = ["model.width=8", "model.text.width=8", "model.text.heads=2", "model.image.width=4"]
    imported = resident("VmRSS")
    little = read_recipe(path, [*changes, *small])
    take_steps(little, recipe_subject(little, None, BatchShape(2, 4 if length else None)))
    warm = resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    subject = recipe_subject(recipe, None, BatchShape(batch, length))
    counted = count_subject(subject)
    take_steps(recipe, subject)
    peak = resident("VmHWM")
    return {
        "recipe": name,
        "predicted": counted.memory.peak,
        "activations": counted.memory.activations,
        "measured": peak - warm,
        "with kernels": peak - imported,
    }


def main() -> None:
    """Measure each recipe in its own process and print the table."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("recipes", nargs="*", default=RECIPES)
    asked.add_argument("--batch", type=int)
    asked.add_argument("--length", type=int)
    asked.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = asked.parse_args()
    changes = [one for one in given.recipes if "=" in one]
    names = [one for one in given.recipes if "=" not in one] or RECIPES
    if given.here:
        print(json.dumps(measure(names[0], changes, given.batch, given.length)))
        return
    print(f"{'recipe':24} {'predicted':>10} {'measured':>10} {'ratio':>6} {'with kernels':>13}")
    for name in names:
        command = [sys.executable, __file__, name, *changes, "--here"]
        for key in ("batch", "length"):
            if getattr(given, key):
                command += [f"--{key}", str(getattr(given, key))]
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
        if answer.returncode:
            print(f"{name:24} {answer.stderr.strip().splitlines()[-1]}")
            continue
        found = json.loads(answer.stdout.splitlines()[-1])
        predicted, measured = (found[key] / 2**20 for key in ("predicted", "measured"))
        print(
            f"{name:24} {predicted:6.0f} MiB {measured:6.0f} MiB {predicted / measured:6.2f}"
            f" {found['with kernels'] / 2**20:9.0f} MiB"
        )


if __name__ == "__main__":
    main()
