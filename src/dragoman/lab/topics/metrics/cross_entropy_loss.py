"""Claims on the cross entropy, with its worked step."""

import math

import torch
from pydantic import Field
from torch import Tensor
from torch.nn import functional as F

from dragoman.config.settings import Settings
from dragoman.lab.claims import NoParameters, claim
from dragoman.lab.evidence import Evidence, above, at_least, differ, equal, same
from dragoman.lab.sampling import NumberSampler
from dragoman.metrics.classification import classification_scores
from dragoman.metrics.perplexity import perplexity
from dragoman.neural.objectives.cross_entropy import Loss, cross_entropy
from dragoman.plots.lab import Bars, Panel, curve

PADDING = -1
TRUE = (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
PREDICTED = (0.2, 0.1, 0.3, 0.2, 0.1, 0.1, 0.0)
"""The worked step of the notes: seven words, of which the second is right."""


class LogitSettings(Settings):
    """Logits of some positions."""

    words: int = Field(default=7, ge=2, le=300)
    """Words of the vocabulary."""
    positions: int = Field(default=5, ge=1, le=50)
    """Words that are predicted, one after the other."""
    scale: float = Field(default=2.0, ge=0.1, le=20)
    """Deviation of the logits: the larger, the surer the predictions."""
    seed: int = Field(default=1, ge=0, le=9999)
    """Seed of logits and right words."""


class ProbabilitySettings(Settings):
    """The probability of the right word."""

    probability: float = Field(default=0.1, ge=0.001, le=0.999)
    """What the model gave the right word."""


def loss_of_logits(logits: Tensor, labels: Tensor) -> Loss:
    """Return training's loss of logits, which it makes of states by a matrix: here the identity."""
    identity = torch.eye(logits.shape[-1], dtype=torch.float64)
    return cross_entropy(logits[None], identity, labels[None], padding=PADDING)


def loss_of_probabilities(probabilities: Tensor, label: int) -> Loss:
    """Return training's loss of one distribution; its logits are logarithms, which may be -∞."""
    state = torch.ones(1, 1, 1, dtype=torch.float64)
    with torch.no_grad():
        return cross_entropy(
            state, probabilities.log()[:, None], torch.tensor([[label]]), padding=PADDING
        )


@claim(
    "A38",
    "No softmax belongs before the cross-entropy loss: it is inside. Given logits, the loss is the "
    "negative log-likelihood of their log-softmax. A second softmax flattens the probabilities, "
    "and even a perfect answer keeps a loss well above 0.",
    r"L = -\log \mathrm{softmax}(\mathbf{z})_y = \log \sum_j e^{z_j} - z_y",
)
def softmax_inside(settings: LogitSettings) -> Evidence:
    """Compare training's loss of logits with its parts, and with a softmax too many."""
    sampler = NumberSampler(settings.seed)
    logits = settings.scale * sampler.normal(settings.positions, settings.words)
    labels = sampler.integers(settings.words, settings.positions)
    found = loss_of_logits(logits, labels).nats
    written = (logits.exp().sum(1).log() - logits[range(settings.positions), labels]).sum()
    twice = loss_of_logits(logits.softmax(1), labels).nats
    sure = F.one_hot(labels, settings.words).double()  # what a softmax gives at best
    least = settings.positions * math.log(1 + (settings.words - 1) / math.e)
    return Evidence(
        stated=[
            equal(
                "loss of logits against the parts",
                found,
                F.nll_loss(logits.log_softmax(1), labels, reduction="sum"),
            ),
            equal("loss of logits against the equation", found, written, 1e-9),
            differ("loss with a softmax before it", twice, found),
            equal("loss of a perfect answer with a softmax before", *_both(sure, labels, least)),
        ],
        numbers={
            "loss, nats a word": float(found) / settings.positions,
            "with a softmax before it": float(twice) / settings.positions,
            "least possible with a softmax before it": least / settings.positions,
        },
    )


def _both(sure: Tensor, labels: Tensor, least: float) -> tuple[Tensor, float]:
    return loss_of_logits(sure, labels).nats, least


@claim(
    "B18",
    "The worked step: of seven words the second is right, but the model gives most to the third, "
    "so the likeliest word is wrong. The loss does not ask which word is likeliest; it reads the "
    "0.1 of the right one.",
    r"\mathbf{y} = (0, 1, 0, 0, 0, 0, 0), \quad "
    r"\hat{\mathbf{y}} = (0.2, 0.1, 0.3, 0.2, 0.1, 0.1, 0), \quad "
    r"\mathrm{argmax}_i \hat{y}_i = 3 \ne 2",
)
def worked_step(settings: NoParameters) -> Evidence:
    """Go through the step: the sum, the likeliest word, whether it is right, the loss."""
    true, predicted = (torch.tensor(one, dtype=torch.float64) for one in (TRUE, PREDICTED))
    likeliest, right = int(predicted.argmax()) + 1, int(true.argmax()) + 1
    scores = classification_scores([likeliest], [right])
    loss = loss_of_probabilities(predicted, right - 1)
    gradient = predicted - true
    names = [str(place) for place in range(1, 8)]
    return Evidence(
        stated=[
            equal("sum of the probabilities", predicted.sum(), 1.0),
            equal("place of the likeliest word", likeliest, 3),
            equal("accuracy of this step", scores.accuracy, 0),
            equal("probability of the right word, from the loss", (-loss.nats).exp(), 0.1),
        ],
        numbers={
            "words": len(TRUE),
            "right word": right,
            "likeliest word": likeliest,
            "loss, nats": float(loss.nats),
            "gradient by the logit of the right word": float(gradient[right - 1]),
            "gradient by the logit of the likeliest": float(gradient[likeliest - 1]),
        },
        plot=[Bars("what the model gives each word", names, [[one] for one in PREDICTED])],
    )


@claim(
    "B20",
    "The cross entropy of one word is $-\\log$ of the probability that the right one was given, "
    "with the natural logarithm: 0.1 costs 2.3026 nats, or 3.3219 bits. Only in units of the "
    "logarithm to base 10 is it 1.",
    r"L = -\sum_{i=1}^{n} y_i \ln \hat{y}_i, \qquad -\ln 0.1 = 2.3026",
    notes="$L_1 = -\\log(0.1) = 1$, which mixes two bases: elsewhere their logarithm is natural",
)
def unit_of_the_loss(settings: ProbabilitySettings) -> Evidence:
    """Compare training's loss of the right word with both logarithms."""
    p = settings.probability
    rest = torch.tensor([0.2, 0.3, 0.2, 0.1, 0.1, 0.0], dtype=torch.float64)
    predicted = torch.cat([torch.tensor([p], dtype=torch.float64), (1 - p) * rest / rest.sum()])
    loss = loss_of_probabilities(predicted, 0)
    one_hot = torch.zeros(len(predicted), dtype=torch.float64)
    one_hot[0] = 1.0
    summed = -torch.xlogy(one_hot, predicted).sum()
    units = perplexity(float(loss.nats), loss.positions)
    places = [step / 100 for step in range(1, 101)]
    return Evidence(
        stated=[equal("training's loss against -log₁₀", loss.nats, -math.log10(p))],
        corrected=[
            equal("training's loss against -ln", loss.nats, -math.log(p)),
            equal("the sum over the vocabulary against -ln", summed, -math.log(p)),
            equal("bits against -log₂", units.bits_per_token, -math.log2(p)),
            equal(
                "nats in units of base 10 against -log₁₀", loss.nats / math.log(10), -math.log10(p)
            ),
        ],
        numbers={
            "nats": units.nats_per_token,
            "bits": units.bits_per_token,
            "base 10": -math.log10(p),
            "perplexity": units.perplexity,
        },
        plot=[
            Panel(
                "loss of one word",
                [
                    curve("nats", places, [-math.log(one) for one in places], 0),
                    curve("bits", places, [-math.log2(one) for one in places], 1),
                    curve("base 10", places, [-math.log10(one) for one in places], 2),
                ],
                "probability of the right word",
            )
        ],
    )


@claim(
    "B21",
    "The loss of a sequence is the sum of the losses of its positions. Training divides it by "
    "their number, padding not counted, so that long and short batches weigh alike.",
    r"L = \sum_{t=1}^{T} L_t, \qquad \bar{L} = \frac{L}{T}",
)
def sum_over_positions(settings: LogitSettings) -> Evidence:
    """Add up the positions one by one, with padding behind them."""
    sampler = NumberSampler(settings.seed)
    logits = settings.scale * sampler.normal(settings.positions, settings.words)
    labels = sampler.integers(settings.words, settings.positions)
    single = [
        loss_of_logits(one[None], label[None]).nats
        for one, label in zip(logits, labels, strict=True)
    ]
    padded = torch.cat([labels, torch.full((3,), PADDING)])
    behind = torch.cat([logits, sampler.normal(3, settings.words)])
    whole = loss_of_logits(behind, padded)
    return Evidence(
        stated=[
            equal("loss of the sequence against the sum", whole.nats, sum(map(float, single))),
            equal("positions that were counted", whole.positions, settings.positions),
            equal(
                "loss a position against torch's mean",
                whole.nats / whole.positions,
                F.cross_entropy(logits, labels),
            ),
        ],
        numbers={"sum": float(whole.nats), "mean": float(whole.nats) / whole.positions},
        plot=[
            Bars(
                "loss of each position",
                [str(place + 1) for place in range(len(single))],
                [[float(one)] for one in single],
            )
        ]
        if settings.positions <= 12
        else [],
    )


class BinarySettings(Settings):
    """An answer to a question of yes or no."""

    predicted: float = Field(default=0.999, ge=0.001, le=0.999)
    """Probability that the model gives a yes."""


@claim(
    "E97",
    "The binary cross entropy has its minus sign before both terms. It is the cross entropy of two "
    "classes, never negative, and large whenever a sure answer is wrong.",
    r"L = -\left[ y \log \hat{y} + (1 - y) \log (1 - \hat{y}) \right]",
    notes=r"$L = -y \log \hat{y} + (1 - y) \log (1 - \hat{y})$, with the sign of the second term "
    "turned: the surer a wrong yes, the lower the loss, without a bound",
)
def sign_of_the_binary_loss(settings: BinarySettings) -> Evidence:
    """Compare both signs with training's loss of two classes and with torch's binary loss."""
    p = torch.tensor([settings.predicted, 0.3, 0.8], dtype=torch.float64).repeat(2)
    y = torch.tensor([0.0] * 3 + [1.0] * 3, dtype=torch.float64)
    logits = torch.stack([torch.zeros_like(p), p.logit()], dim=1)  # no, yes
    trained = torch.stack(
        [
            loss_of_logits(one[None], label[None]).nats
            for one, label in zip(logits, y.long(), strict=True)
        ]
    )
    yes, no = y * p.log(), (1 - y) * (1 - p).log()
    places = [step / 50 for step in range(1, 50)]
    return Evidence(
        stated=[
            same("the sign of the notes against training's loss", -yes + no, trained),
            at_least("lowest loss with it", (-yes + no).min(), 0),
        ],
        corrected=[
            same("both signs minus against training's loss", -(yes + no), trained),
            same(
                "both signs minus against torch's loss",
                -(yes + no),
                F.binary_cross_entropy(p, y, reduction="none"),
            ),
            above("lowest loss with them", -(yes + no).max(), 0),
        ],
        numbers={
            f"loss of a no, ŷ = {settings.predicted:g}": float(trained[0]),
            "with the sign of the notes": float((-yes + no)[0]),
        },
        plot=[
            Panel(
                "loss of a no (y = 0)",
                [
                    curve("both signs minus", places, [-math.log(1 - one) for one in places], 0),
                    curve("the notes", places, [math.log(1 - one) for one in places], 1),
                ],
                "probability of a yes",
            )
        ],
    )
