"""Claims on the cross entropy, with the worked step of the notes."""

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
"""The worked step of the notes: seven words, of which the second is correct."""


class LogitSettings(Settings):
    """Random logits for a sequence."""

    words: int = Field(default=7, ge=2, le=300)
    """Size of the vocabulary."""
    positions: int = Field(default=5, ge=1, le=50)
    """Length of the sequence."""
    scale: float = Field(default=2.0, ge=0.1, le=20)
    """Standard deviation of the logits: the larger, the more confident the predictions."""
    seed: int = Field(default=1, ge=0, le=9999)
    """Seed of the logits and the correct words."""


class ProbabilitySettings(Settings):
    """The probability of the correct word."""

    probability: float = Field(default=0.1, ge=0.001, le=0.999)
    """Probability given to the correct word."""


def loss_of_logits(logits: Tensor, labels: Tensor) -> Loss:
    """Return the training loss of logits; it multiplies states by a matrix, here the identity."""
    identity = torch.eye(logits.shape[-1], dtype=torch.float64)
    return cross_entropy(logits[None], identity, labels[None], padding=PADDING)


def loss_of_probabilities(probabilities: Tensor, label: int) -> Loss:
    """Return the training loss of one distribution; its logits are the logarithms, maybe -∞."""
    state = torch.ones(1, 1, 1, dtype=torch.float64)
    with torch.no_grad():
        return cross_entropy(
            state, probabilities.log()[:, None], torch.tensor([[label]]), padding=PADDING
        )


@claim(
    "A38",
    "There should be no softmax before the cross-entropy loss, because the loss contains it. "
    "Given logits, the loss is the negative log-likelihood of their log-softmax. A second "
    "softmax flattens the probabilities, so that even a perfect prediction keeps a loss well "
    "above 0.",
    r"L = -\log \mathrm{softmax}(\mathbf{z})_y = \log \sum_j e^{z_j} - z_y",
)
def softmax_inside(settings: LogitSettings) -> Evidence:
    """Compare the training loss of logits with its parts, and with one softmax too many."""
    sampler = NumberSampler(settings.seed)
    logits = settings.scale * sampler.normal(settings.positions, settings.words)
    labels = sampler.integers(settings.words, settings.positions)
    found = loss_of_logits(logits, labels).nats
    written = (logits.exp().sum(1).log() - logits[range(settings.positions), labels]).sum()
    twice = loss_of_logits(logits.softmax(1), labels).nats
    sure = F.one_hot(labels, settings.words).double()  # the best output of a softmax
    least = settings.positions * math.log(1 + (settings.words - 1) / math.e)
    return Evidence(
        stated=[
            equal(
                "loss of logits against NLL of log-softmax",
                found,
                F.nll_loss(logits.log_softmax(1), labels, reduction="sum"),
            ),
            equal("loss of logits against the equation", found, written, 1e-9),
            differ("loss with a softmax before it, different from without", twice, found),
            equal(
                "loss of a perfect prediction with a softmax before it, against its closed form",
                loss_of_logits(sure, labels).nats,
                least,
            ),
        ],
        numbers={
            "loss per word, nats": float(found) / settings.positions,
            "loss per word with a softmax before it": float(twice) / settings.positions,
            "smallest possible loss with a softmax before it": least / settings.positions,
        },
    )


@claim(
    "B18",
    "The worked step: of seven words the second is correct, but the model gives the third the "
    "highest probability, so the most likely word is wrong. The loss does not depend on which "
    "word is most likely; it depends only on the 0.1 given to the correct word.",
    r"\mathbf{y} = (0, 1, 0, 0, 0, 0, 0), \quad "
    r"\hat{\mathbf{y}} = (0.2, 0.1, 0.3, 0.2, 0.1, 0.1, 0), \quad "
    r"\mathrm{argmax}_i \hat{y}_i = 3 \ne 2",
)
def worked_step(settings: NoParameters) -> Evidence:
    """Reproduce the step: the sum, the most likely word, whether it is correct, the loss."""
    true, predicted = (torch.tensor(one, dtype=torch.float64) for one in (TRUE, PREDICTED))
    likeliest, right = int(predicted.argmax()) + 1, int(true.argmax()) + 1
    scores = classification_scores([likeliest], [right])
    loss = loss_of_probabilities(predicted, right - 1)
    gradient = predicted - true
    names = [str(place) for place in range(1, 8)]
    return Evidence(
        stated=[
            equal("sum of the probabilities", predicted.sum(), 1.0),
            equal("position of the most likely word", likeliest, 3),
            equal("accuracy of this step", scores.accuracy, 0),
            equal("probability of the correct word, from the loss", (-loss.nats).exp(), 0.1),
        ],
        numbers={
            "words in the vocabulary": len(TRUE),
            "position of the correct word": right,
            "position of the most likely word": likeliest,
            "loss, nats": float(loss.nats),
            "gradient with respect to the logit of the correct word": float(gradient[right - 1]),
            "gradient with respect to the logit of the most likely word": float(
                gradient[likeliest - 1]
            ),
        },
        plot=[Bars("Predicted probability of each word", names, [[one] for one in PREDICTED])],
    )


@claim(
    "B20",
    r"The cross entropy of one word is $-\log$ of the probability given to the correct word, "
    "with the natural logarithm: a probability of 0.1 costs 2.3026 nats, or 3.3219 bits. It is "
    "1 only with the logarithm to base 10.",
    r"L = -\sum_{i=1}^{n} y_i \ln \hat{y}_i, \qquad -\ln 0.1 = 2.3026",
    notes=r"$L_1 = -\log(0.1) = 1$, which mixes two bases: elsewhere they use the natural "
    "logarithm.",
)
def unit_of_the_loss(settings: ProbabilitySettings) -> Evidence:
    """Compare the training loss of the correct word with both logarithms."""
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
        stated=[equal("training loss against -log₁₀ ŷ", loss.nats, -math.log10(p))],
        corrected=[
            equal("training loss against -ln ŷ", loss.nats, -math.log(p)),
            equal("sum over the vocabulary against -ln ŷ", summed, -math.log(p)),
            equal("bits against -log₂ ŷ", units.bits_per_token, -math.log2(p)),
            equal("nats over ln 10 against -log₁₀ ŷ", loss.nats / math.log(10), -math.log10(p)),
        ],
        numbers={
            "nats": units.nats_per_token,
            "bits": units.bits_per_token,
            "base 10": -math.log10(p),
            "perplexity": units.perplexity,
        },
        plot=[
            Panel(
                "Loss of one word",
                [
                    curve("nats", places, [-math.log(one) for one in places], 0),
                    curve("bits", places, [-math.log2(one) for one in places], 1),
                    curve("base 10", places, [-math.log10(one) for one in places], 2),
                ],
                "probability of the correct word",
            )
        ],
    )


@claim(
    "B21",
    "The loss of a sequence is the sum of the losses of its positions. Training divides it by "
    "their number, not counting padding, so that the gradient does not grow with the size of "
    "the batch.",
    r"L = \sum_{t=1}^{T} L_t, \qquad \bar{L} = \frac{L}{T}",
)
def sum_over_positions(settings: LogitSettings) -> Evidence:
    """Sum the positions one by one, and compare with a sequence that ends in padding."""
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
            equal(
                "loss of the padded sequence against the sum", whole.nats, sum(map(float, single))
            ),
            equal("positions counted, without padding", whole.positions, settings.positions),
            equal(
                "loss per position against torch's mean",
                whole.nats / whole.positions,
                F.cross_entropy(logits, labels),
            ),
        ],
        numbers={"sum": float(whole.nats), "mean": float(whole.nats) / whole.positions},
        plot=[
            Bars(
                "Loss of each position",
                [str(place + 1) for place in range(len(single))],
                [[float(one)] for one in single],
            )
        ]
        if settings.positions <= 12
        else [],
    )


class BinarySettings(Settings):
    """A yes-or-no prediction."""

    predicted: float = Field(default=0.999, ge=0.001, le=0.999)
    """Predicted probability of “yes” (ŷ)."""


@claim(
    "E97",
    "In the binary cross entropy the minus sign applies to both terms. It is the cross entropy "
    "of two classes: never negative, and large whenever a confident prediction is wrong.",
    r"L = -\left[ y \log \hat{y} + (1 - y) \log (1 - \hat{y}) \right]",
    notes=r"$L = -y \log \hat{y} + (1 - y) \log (1 - \hat{y})$, where the second term has the "
    "wrong sign: the more confident a wrong “yes”, the lower the loss, without bound.",
)
def sign_of_the_binary_loss(settings: BinarySettings) -> Evidence:
    """Compare both forms with the training loss of two classes and with torch's binary loss."""
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
            same("the notes' form against the training loss", -yes + no, trained),
            at_least("smallest loss in the notes' form", (-yes + no).min(), 0),
        ],
        corrected=[
            same("corrected form against the training loss", -(yes + no), trained),
            same(
                "corrected form against torch's loss",
                -(yes + no),
                F.binary_cross_entropy(p, y, reduction="none"),
            ),
            above("smallest loss in the corrected form", -(yes + no).max(), 0),
        ],
        numbers={
            f"loss for y = 0, ŷ = {settings.predicted:g}": float(trained[0]),
            "the same in the notes' form": float((-yes + no)[0]),
        },
        plot=[
            Panel(
                "Loss for y = 0",
                [
                    curve("corrected", places, [-math.log(1 - one) for one in places], 0),
                    curve("as in the notes", places, [math.log(1 - one) for one in places], 1),
                ],
                "ŷ",
            )
        ],
    )
