"""Claims on classifying a text: the head on the first state, and the sums of the notes."""

import numpy as np
import torch
from pydantic import Field
from torch.nn import functional as F

from dragoman.config.settings import Settings
from dragoman.config.training import ObjectiveSettings
from dragoman.data.batching.labeled import make_labeled_batch
from dragoman.data.corpus.generators.arithmetic import NUMBERS, Arithmetic, make_grid, split_grid
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Criterion, Evidence, above, equal, same
from dragoman.lab.topics.adaptation.tiny_network import (
    CLASSES,
    TinyAdaptationSettings,
    pretrained,
    texts,
)
from dragoman.plots.lab import Bars
from dragoman.tasks.text_classification.objective import ClassificationObjective

SINGLE = 1e-6
"""How far apart losses are that were taken in single precision, as those of classes are."""


@claim(
    "A37",
    "BERT classifies a text by the state of its first token: a pooler (a linear layer and tanh) "
    "and another linear layer give a score for each class. Given the labels it also returns the "
    "cross entropy, whose gradient reaches every part of the network.",
    r"s = W_c \tanh(W_p h_{\mathrm{[CLS]}} + b_p) + b_c \in \mathbb{R}^{3}, \qquad "
    r"L = -\log \mathrm{softmax}(s)_y",
)
def class_of_the_first_state(settings: TinyAdaptationSettings) -> Evidence:
    """Write the head and the loss out, and look where the gradient arrives."""
    model = pretrained(settings).train()
    tokens, classes = texts(settings)
    if model.pooler is None or model.classes_head is None:
        raise TypeError("this network has no head for classes.")
    scores = model.classify(tokens)
    first = model.states(tokens)[:, 0]
    pooled = (first @ model.pooler.weight.T + model.pooler.bias).tanh()
    by_hand = pooled @ model.classes_head.weight.T + model.classes_head.bias
    rows = [row.numpy() for row in tokens]
    batch = make_labeled_batch(rows, classes.tolist(), np.arange(len(rows)))
    loss = ClassificationObjective(model, ObjectiveSettings(label_smoothing=0.0)).loss(
        batch, torch.device("cpu")
    )
    torch.autograd.backward(loss.smoothed)
    slopes = {name: weight.grad for name, weight in model.named_parameters()}
    still = [name for name, slope in slopes.items() if slope is None or not slope.any()]
    wanted = F.cross_entropy(by_hand, classes).item()
    return Evidence(
        stated=[
            same("scores minus the equation", scores.detach(), by_hand.detach()),
            equal("classes that are scored", scores.shape[1], CLASSES),
            equal("cross entropy of a text", loss.nats.item() / len(rows), wanted, SINGLE),
            equal("weight tensors with zero gradient", len(still), 0),
            above("weight tensors", len(slopes), 10),
        ],
        numbers={"scores": str(tuple(scores.shape)), "loss, nats per text": wanted},
    )


class ArithmeticSplitSettings(Settings):
    """The sums and differences of the notes, split."""

    seed: int = Field(default=1, ge=0, le=1_000_000)
    """Seed of the split: which rows fall where, not how many."""


@claim(
    "A42",
    "The dataset of the notes has all sums and differences of two numbers from zero to nineteen, "
    "with the sign of the result as the class: 800 rows, of which 190 are negative, 21 zero and "
    "589 positive. Always answering “positive” is right for 74.5 % of the 192 held-out rows.",
    r"20 \cdot 2 \cdot 20 = 800 = 190 + 21 + 589, \qquad \frac{143}{192} = 74.5\,\%",
)
def verbal_arithmetic(settings: ArithmeticSplitSettings) -> Evidence:
    """Make the grid, recompute each label, and count the classes of each split."""
    grid = make_grid()
    wrong = sum(row.label != _sign_of(row.text) for row in grid)
    train, valid, test = split_grid(settings.seed)
    every = {row.text for part in (train, valid, test) for row in part}
    return Evidence(
        stated=[
            equal("rows", len({row.text for row in grid}), 20 * 2 * 20),
            equal("labels that are not the sign of the result", wrong, 0),
            *_counts("all", grid, (190, 21, 589)),
            *_counts("to learn from", [*train, *valid], (143, 19, 478)),
            *_counts("held out for validation", valid, (43, 6, 143)),
            *_counts("test", test, (47, 2, 111)),
            equal("rows of the parts", len(every), len(train) + len(valid) + len(test)),
        ],
        numbers={
            "five minus twelve": _sign_of("five minus twelve"),
            "always positive, % of 192": 100 * _labels(valid)[2] / len(valid),
        },
        plot=[
            Bars(
                "rows by class",
                ["negative", "zero", "positive"],
                [[float(count)] for count in _labels(grid)],
            )
        ],
    )


def _labels(rows: list[Arithmetic]) -> tuple[int, int, int]:
    labels = [row.label for row in rows]
    return labels.count("negative"), labels.count("zero"), labels.count("positive")


def _counts(name: str, rows: list[Arithmetic], wanted: tuple[int, int, int]) -> list[Criterion]:
    kinds = zip(("negative", "zero", "positive"), _labels(rows), wanted, strict=True)
    return [equal(f"{name}: {kind}", count, expected) for kind, count, expected in kinds]


def _sign_of(text: str) -> str:
    """Return the class of a row, computed from its words."""
    first, operation, second = text.split()
    a, b = NUMBERS.index(first), NUMBERS.index(second)
    result = a + b if operation == "plus" else a - b
    return "zero" if result == 0 else "positive" if result > 0 else "negative"
