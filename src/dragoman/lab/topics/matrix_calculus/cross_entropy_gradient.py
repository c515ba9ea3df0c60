"""Claims on the gradient of the cross-entropy loss: for the logits, and for the hidden state."""

import torch
from pydantic import Field
from torch import Tensor

from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, at_most, same
from dragoman.lab.sampling import NumberSampler
from dragoman.lab.topics.matrix_calculus.layouts import derivative
from dragoman.neural.objectives.cross_entropy import cross_entropy
from dragoman.plots.lab import Bars

NO_PADDING = -1


class PredictionSettings(Settings):
    """A prediction among random words."""

    words: int = Field(default=7, ge=2, le=300)
    """Words of the vocabulary."""
    width: int = Field(default=4, ge=1, le=100)
    """Entries of the hidden state from which the word is predicted."""
    scale: float = Field(default=1.0, ge=0, le=10)
    """Factor on the logits: the larger, the more confident the prediction."""
    seed: int = Field(default=1, ge=0, le=9999)
    """Seed of the logits and of the correct word."""


def _loss(state: Tensor, weight: Tensor, label: Tensor) -> Tensor:
    """Return the loss of one position, as training computes it."""
    return cross_entropy(
        state[None, None, :], weight, label[None, None], padding=NO_PADDING
    ).smoothed


def _softmax(logits: Tensor) -> Tensor:
    powers = (logits - logits.max()).exp()
    return powers / powers.sum()


@claim(
    "B22",
    "The gradient of the cross-entropy loss with respect to the logits is the predicted "
    r"distribution minus the true one: $\hat{\mathbf{y}} - \mathbf{y}$. A descent step raises "
    "the logit of the correct word and lowers every other logit in proportion to its "
    "probability.",
    r"\frac{\partial L_t}{\partial \mathbf{z}_t} = \hat{\mathbf{y}}_t - \mathbf{y}_t, \qquad "
    r"\hat{\mathbf{y}}_t = \mathrm{softmax}(\mathbf{z}_t)",
)
def gradient_by_logits(settings: PredictionSettings) -> Evidence:
    """Compare softmax minus one-hot with the gradients of the training loss and of torch's loss."""
    sampler = NumberSampler(settings.seed)
    logits = settings.scale * sampler.normal(settings.words)
    label = sampler.integers(settings.words)
    one_hot = torch.zeros(settings.words, dtype=torch.float64)
    one_hot[label] = 1.0
    difference = _softmax(logits) - one_hot
    state = logits.clone().requires_grad_()
    identity = torch.eye(settings.words, dtype=torch.float64)
    (trained,) = torch.autograd.grad(_loss(state, identity, label), state)
    by_torch = derivative(
        lambda z: torch.nn.functional.cross_entropy(z, label), logits, "denominator"
    )
    return Evidence(
        stated=[
            same("ŷ - y against the gradient of the training loss", difference, trained),
            same("ŷ - y against the gradient of torch's loss", difference[:, None], by_torch),
            at_most("absolute sum of the entries", trained.sum().abs(), 1e-12),
        ],
        numbers={"entry of the correct word": float(difference[label])},
        plot=_bars(difference) if settings.words <= 12 else [],
    )


def _bars(gradient: Tensor) -> list[Bars]:
    names = [str(place + 1) for place in range(len(gradient))]
    return [
        Bars("gradient with respect to each logit", names, [[one] for one in gradient.tolist()])
    ]


@claim(
    "B23",
    r"The gradient with respect to the hidden state $\mathbf{h}$ below the output layer "
    r"$\mathbf{z} = W\mathbf{h}$ follows from the chain rule: the error $\hat{\mathbf{y}} - "
    r"\mathbf{y}$ is multiplied by the transpose of the output weights.",
    r"\frac{\partial L_t}{\partial \mathbf{h}_t} = \frac{\partial L_t}{\partial \mathbf{z}_t} "
    r"\frac{\partial \mathbf{z}_t}{\partial \mathbf{h}_t}, \qquad "
    r"\nabla_{\mathbf{h}} L_t = W^T (\hat{\mathbf{y}}_t - \mathbf{y}_t)",
)
def gradient_by_state(settings: PredictionSettings) -> Evidence:
    """Compare the chain rule with the gradients that the training loss computes in chunks."""
    sampler = NumberSampler(settings.seed)
    weight = settings.scale * sampler.normal(settings.words, settings.width)
    state, label = sampler.normal(settings.width), sampler.integers(settings.words)
    leaf, weights = state.clone().requires_grad_(), weight.clone().requires_grad_()
    of_state, of_weights = torch.autograd.grad(_loss(leaf, weights, label), (leaf, weights))
    logits = weight @ state
    row = derivative(lambda z: torch.nn.functional.cross_entropy(z, label), logits)
    chained = row @ derivative(lambda h: weight @ h, state)  # 1 d
    error = _softmax(logits)
    error[label] -= 1.0
    return Evidence(
        stated=[
            same("chain rule in numerator layout, against training", chained[0], of_state),
            same("Wᵀ(ŷ - y) against training", weight.T @ error, of_state),
            same(
                "(ŷ - y)hᵀ against training, for the weights", torch.outer(error, state), of_weights
            ),
        ]
    )
