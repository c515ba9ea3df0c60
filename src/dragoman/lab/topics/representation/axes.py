"""Claims on principal components and on the autoencoder that finds them."""

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor

from dragoman.config.autoencoder import AutoencoderSettings
from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, at_most, below, equal, same
from dragoman.metrics.pca import Pca, fit_pca, subspace_angle
from dragoman.neural.models.autoencoder import Autoencoder
from dragoman.plots.lab import Panel, curve

Floats = NDArray[np.float64]
DEVIATIONS = (3.0, 2.5, 2.0, 1.5, 1.2, 0.4, 0.3, 0.2, 0.1)
"""Standard deviations along nine axes, one for each pixel of a 3×3 image."""


class LinearAutoencoderSettings(Settings):
    """Random images of nine pixels and a shorter code."""

    code: int = Field(default=3, ge=1, le=5)
    """Dimensions of the code (k)."""
    examples: int = Field(default=60, ge=30, le=500)
    """Number of images."""
    seed: int = Field(default=1, ge=0)
    """Seed of the images and of the initial weights."""

    def draw(self) -> Floats:
        """Return images that vary much more along some axes than along others: n 9."""
        random = np.random.default_rng(self.seed)
        axes = np.linalg.qr(random.normal(size=(9, 9)))[0]
        drawn = random.normal(size=(self.examples, 9)) * np.array(DEVIATIONS) @ axes
        return drawn + 0.5 * random.normal(size=9)


@claim(
    "E148",
    "An autoencoder encodes each example as a short code and is trained to reconstruct the "
    "example from it. If it is linear, the subspace it keeps is that of the leading principal "
    "components, and its error is the sum of the dropped variances. The code itself can be any "
    "invertible mixture of the components.",
    r"\min_{W, V} \frac{1}{n} \sum_i \lVert x_i - V W x_i \rVert^2 = \sum_{j > k} \lambda_j, "
    r"\qquad \mathrm{span}(V) = \mathrm{span}(u_1, \dots, u_k)",
)
def linear_autoencoder(settings: LinearAutoencoderSettings) -> Evidence:
    """Set the weights to a mixture of components; then train from random weights."""
    data = settings.draw()
    found = fit_pca(data, settings.code)
    images = torch.from_numpy(data).view(-1, 1, 3, 3)
    placed = _placed(settings, found)
    loss = _error(placed, images)
    slopes = torch.autograd.grad(loss, list(placed.parameters()))
    trained = _random_network(settings, tied=True)
    steepness = _train(trained, images)
    weights = trained.state_dict()
    down, up = weights["layers.0.weight"].numpy(), weights["mirrored_layers.0.weight"].numpy()
    lost = float(_error(trained, images).detach())
    sizes = range(1, 10)
    dropped = [float(fit_pca(data, size).lost) for size in sizes]
    return Evidence(
        premises=[at_most("largest gradient entry after training", steepness, 1e-4)],
        stated=[
            equal("error with a mixture of components against the dropped variances",
                  loss.detach(), found.lost),
            at_most("largest gradient entry at this solution",
                    max(float(one.abs().max()) for one in slopes), 1e-9),
            equal("error after training against the dropped variances", lost, found.lost, 1e-7),
            at_most("angle between the trained encoder's subspace and the components'",
                    subspace_angle(down, found.components), 1e-4),
            at_most("angle between the trained decoder's subspace and the components'",
                    subspace_angle(up, found.components), 1e-4),
        ],
        numbers={
            "error after training": lost,
            "dropped variances": found.lost,
            "fraction of the variance kept": float(found.explained.sum()),
        },
        plot=[
            Panel("Reconstruction error",
                  [curve("sum of the dropped variances", [*sizes], dropped),
                   curve("trained autoencoder",
                         [settings.code], [lost], 1)], "dimensions of the code")
        ],
    )  # fmt: skip


def _random_network(settings: LinearAutoencoderSettings, *, tied: bool) -> Autoencoder:
    """Return a linear autoencoder of nine pixels, its weights drawn by the seed."""
    chosen = AutoencoderSettings(form="linear", code=settings.code, tied=tied)
    network = Autoencoder(chosen, 1, 3).double()
    generator = torch.Generator().manual_seed(settings.seed)
    with torch.no_grad():
        for weight in network.parameters():
            drawn = torch.randn(weight.shape, generator=generator, dtype=torch.float64) / 3
            weight.copy_(drawn if weight.ndim > 1 else torch.zeros_like(weight))
    return network


def _placed(settings: LinearAutoencoderSettings, found: Pca) -> Autoencoder:
    """Return a network that encodes by a mixture M of the components and decodes by M⁻¹."""
    network = _random_network(settings, tied=False)
    components = torch.from_numpy(found.components)
    code = settings.code
    mixture = torch.eye(code, dtype=torch.float64) + 0.3 * torch.ones(code, code).triu().double()
    with torch.no_grad():
        mean = torch.from_numpy(found.mean)
        weights = dict(network.named_parameters())
        weights["layers.0.weight"].copy_(mixture @ components)
        weights["layers.0.bias"].copy_(-mixture @ components @ mean)
        weights["mirrored_layers.0.weight"].copy_(torch.linalg.inv(mixture).T @ components)
        weights["mirrored_layers.0.bias"].copy_(mean)
    return network


def _error(network: Autoencoder, images: Tensor) -> Tensor:
    """Return the mean squared error per image."""
    return (network(images) - images).square().flatten(1).sum(1).mean()


def _train(network: Autoencoder, images: Tensor) -> float:
    """Minimize the error; return the largest gradient entry that is left."""
    optimizer = torch.optim.LBFGS(
        network.parameters(),
        max_iter=200,
        history_size=30,
        tolerance_grad=1e-8,
        tolerance_change=1e-14,
        line_search_fn="strong_wolfe",
    )

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = _error(network, images)
        loss.backward()
        return loss.detach()

    optimizer.step(closure)
    closure()
    grads = [weight.grad for weight in network.parameters() if weight.grad is not None]
    return max(float(one.abs().max()) for one in grads)


class QuietAxisSettings(Settings):
    """Two classes that differ along an axis of small variance only."""

    loudness: float = Field(default=10.0, ge=3.0, le=100.0)
    """Standard deviation along the uninformative axis; it is about 1 along the other."""
    noise: float = Field(default=0.1, ge=0.01, le=0.2)
    """Standard deviation within a class along the informative axis; the means are -1 and 1."""
    examples: int = Field(default=400, ge=100, le=2000)
    """Number of examples."""
    seed: int = Field(default=7, ge=0)
    """Seed of the examples."""

    def draw(self) -> tuple[Floats, NDArray[np.int64]]:
        """Return the examples, rotated by 30 degrees, and their classes."""
        random = np.random.default_rng(self.seed)
        classes = random.integers(2, size=self.examples)
        loud = self.loudness * random.normal(size=self.examples)
        quiet = 2.0 * classes - 1 + self.noise * random.normal(size=self.examples)
        turn = np.array([[np.cos(np.pi / 6), np.sin(np.pi / 6)],
                         [-np.sin(np.pi / 6), np.cos(np.pi / 6)]])  # fmt: skip
        return np.stack((loud, quiet), axis=1) @ turn, classes


@claim(
    "E149",
    "PCA rotates the axes so that the coordinates become uncorrelated, and drops the axes with "
    "the least variance. The rotation itself removes no variance, and a dropped axis is merely "
    "the one with the smallest variance, not the least relevant one: the class may depend on it "
    "alone.",
    r"\Sigma u_j = \lambda_j u_j, \qquad \mathrm{Cov}(u_i^\top x, u_j^\top x) = "
    r"\lambda_j [i = j], \qquad \mathrm{error} = \sum_{j > k} \lambda_j",
    notes="PCA makes the variance along some dimensions vanish and thereby eliminates what "
    "depends on them.",
)
def quiet_axes(settings: QuietAxisSettings) -> Evidence:
    """Compare with the eigenvalues of the covariance; classify by either axis."""
    data, classes = settings.draw()
    centered = data - data.mean(axis=0)
    covariance = centered.T @ centered / len(data)
    values = np.linalg.eigvalsh(covariance)[::-1]
    whole, kept = fit_pca(data, 2), fit_pca(data, 1)
    codes = whole.transform(data)
    rebuilt = kept.reconstruct(kept.transform(data))
    error = float(((data - rebuilt) ** 2).sum(axis=1).mean())
    loud, quiet = (_best_threshold(codes[:, axis], classes) for axis in (0, 1))
    scale = float(values[0])
    common = [
        same("variances against eigenvalues, relative to the largest",
             torch.from_numpy(whole.variances / scale), torch.from_numpy(values / scale)),
        same("covariance of the new coordinates against diag(λ), relative",
             torch.from_numpy(codes.T @ codes / len(data) / scale),
             torch.from_numpy(np.diag(values) / scale)),
        equal("error with one axis, over the dropped variance", error / values[1], 1.0, 1e-8),
    ]  # fmt: skip
    least = float(codes[:, 1].var() / covariance.trace())
    return Evidence(
        stated=[
            *common,
            equal("fraction of the variance along the last axis", least, 0.0),
            at_most("accuracy with the dropped axis, at most that with the kept one", quiet, loud),
        ],
        corrected=[
            *common,
            above("fraction of the variance along the last axis", least, 0.0),
            above("accuracy with the dropped axis, above that with the kept one", quiet, loud),
            below("fraction of the variance along the last axis", least, 0.2),
        ],
        numbers={
            "fraction of the variance kept": float(kept.explained[0]),
            "accuracy with the kept axis": loud,
            "accuracy with the dropped axis": quiet,
        },
        plot=[
            _distributions("Cumulative distribution along the kept axis", codes[:, 0], classes),
            _distributions("Cumulative distribution along the dropped axis", codes[:, 1], classes),
        ],
    )  # fmt: skip


def _distributions(title: str, values: Floats, classes: NDArray[np.int64]) -> Panel:
    """Draw the cumulative distribution of each class: apart where an axis separates them."""
    lines = []
    for number in (0, 1):
        ordered = np.sort(values[classes == number])
        heights = (np.arange(len(ordered)) + 1) / len(ordered)
        lines.append(curve(f"class {number}", ordered.tolist(), heights.tolist(), number))
    return Panel(title, lines, "coordinate", lowest=0.0)


def _best_threshold(values: Floats, classes: NDArray[np.int64]) -> float:
    """Return the best accuracy that one threshold reaches on two classes."""
    cuts = np.sort(values)[:, None]
    right = ((values > cuts) == classes).mean(axis=1)
    return float(np.maximum(right, 1 - right).max())
