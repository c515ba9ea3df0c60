"""How the weights follow the gradient; each method with the keys that it has, and no others."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from dragoman.config.settings import Settings


def _below_one(betas: tuple[float, float]) -> tuple[float, float]:
    if not all(0.0 <= beta < 1.0 for beta in betas):
        raise ValueError(f"betas {list(betas)} must each be at least 0 and below 1.")
    return betas


Betas = Annotated[tuple[float, float], AfterValidator(_below_one)]


class AdamW(Settings):
    """Adam with weight decay apart from the gradient (Loshchilov & Hutter 2019)."""

    kind: Literal["adamw"] = "adamw"

    learning_rate: float = Field(1e-3, gt=0.0)
    """The highest learning rate; the schedule scales it."""

    betas: Betas = (0.9, 0.98)
    """Shares that the running means of gradient and squared gradient keep at each step."""

    epsilon: float = Field(1e-9, gt=0.0)
    """Added to the root, so that nothing is divided by zero."""

    weight_decay: float = Field(0.01, ge=0.0)
    """Weight decay on matrices; vectors (norms, biases) and embeddings are left alone."""


class Adam(Settings):
    """A mean of gradients over the root of a mean of their squares (Kingma & Ba 2015)."""

    kind: Literal["adam"] = "adam"

    learning_rate: float = Field(1e-3, gt=0.0)
    """The highest learning rate; the schedule scales it."""

    betas: Betas = (0.9, 0.98)
    """Shares that the running means of gradient and squared gradient keep at each step."""

    epsilon: float = Field(1e-9, gt=0.0)
    """Added to the root, so that nothing is divided by zero."""

    weight_decay: float = Field(0.0, ge=0.0)
    """Times a matrix's weights, added to its gradient before all else."""


class RmsProp(Settings):
    """The gradient over the root of a running mean of its squares (Hinton 2012)."""

    kind: Literal["rmsprop"] = "rmsprop"

    learning_rate: float = Field(1e-3, gt=0.0)
    """The highest learning rate; the schedule scales it."""

    beta: float = Field(0.99, ge=0.0, lt=1.0)
    """Share that the running mean of squared gradients keeps at each step."""

    epsilon: float = Field(1e-8, gt=0.0)
    """Added to the root, so that nothing is divided by zero."""

    weight_decay: float = Field(0.0, ge=0.0)
    """Times a matrix's weights, added to its gradient before all else."""


class AdaGrad(Settings):
    """The gradient over the root of the sum of all its squares so far (Duchi et al. 2011)."""

    kind: Literal["adagrad"] = "adagrad"

    learning_rate: float = Field(0.05, gt=0.0)
    """The highest learning rate; the schedule scales it, and the sum makes it ever smaller."""

    epsilon: float = Field(1e-10, gt=0.0)
    """Added to the root, so that nothing is divided by zero."""

    weight_decay: float = Field(0.0, ge=0.0)
    """Times a matrix's weights, added to its gradient before all else."""


class Nesterov(Settings):
    """Momentum whose gradient is taken where the momentum leads (Nesterov 1983)."""

    kind: Literal["nesterov"] = "nesterov"

    learning_rate: float = Field(0.1, gt=0.0)
    """The highest learning rate; the schedule scales it."""

    momentum: float = Field(0.9, gt=0.0, lt=1.0)
    """Share of the last move that goes on in the next."""

    weight_decay: float = Field(0.0, ge=0.0)
    """Times a matrix's weights, added to its gradient before all else."""


class Momentum(Settings):
    """A step along a sum of gradients in which the older ones fade (Polyak 1964)."""

    kind: Literal["momentum"] = "momentum"

    learning_rate: float = Field(0.1, gt=0.0)
    """The highest learning rate; the schedule scales it."""

    momentum: float = Field(0.9, gt=0.0, lt=1.0)
    """Share of the last move that goes on in the next."""

    weight_decay: float = Field(0.0, ge=0.0)
    """Times a matrix's weights, added to its gradient before all else."""


class Sgd(Settings):
    """A step against the gradient of some sentences, and nothing more (Robbins & Monro 1951)."""

    kind: Literal["sgd"] = "sgd"

    learning_rate: float = Field(1.0, gt=0.0)
    """The highest learning rate; the schedule scales it."""

    weight_decay: float = Field(0.0, ge=0.0)
    """Times a matrix's weights, added to its gradient before all else."""


OptimizerSettings = Annotated[
    AdamW | Adam | RmsProp | AdaGrad | Nesterov | Momentum | Sgd, Field(discriminator="kind")
]
