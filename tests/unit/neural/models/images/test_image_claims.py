"""What is said of pictures, activations, shortcuts and norms, as small measurements."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from dragoman.config.vision import CnnSettings, ResNetSettings
from dragoman.data.corpus.generators.shapes import draw_shapes
from dragoman.neural.models.images.cnn import Cnn
from dragoman.neural.models.images.resnet import ResNet, blocks_of


@pytest.fixture(scope="module")
def pictures():
    """Give grey scenes with two shapes each, as far as they differ from their mean: n h w."""
    grey = draw_shapes(1500, 24, seed=5, pairs=1.0).images.mean(axis=3) / 255
    return grey - grey.mean(axis=(1, 2), keepdims=True)


def scrambled(pictures):
    """The same pixels of every picture, each picture in an order of its own."""
    drawn = np.random.default_rng(1)
    flat = pictures.reshape(len(pictures), -1)
    return drawn.permuted(flat, axis=1).reshape(pictures.shape)


def likeness(pictures, far):
    """Return how pixels that stand so far apart in a row correlate."""
    left, right = pictures[:, :, :-far].ravel(), pictures[:, :, far:].ravel()
    return np.corrcoef(left, right)[0, 1]


def test_pixels_are_the_more_alike_the_nearer_they_are(pictures):
    """E36, locality: what belongs together stands together, so that small filters see it."""
    near, farther, far = (likeness(pictures, places) for places in (1, 4, 10))
    assert near > 0.75
    assert near > farther + 0.2 > far + 0.2
    assert abs(likeness(scrambled(pictures), 1) - likeness(scrambled(pictures), 10)) < 0.03


def patches(pictures, row, column, side=5):
    return pictures[:, row : row + side, column : column + side].reshape(len(pictures), -1)


def test_a_few_patterns_make_up_most_patches(pictures):
    """E36: a patch has 25 pixels, but a quarter of as many filters tells most of what is in it."""

    def told(images):
        found = patches(images, 9, 9)
        values = np.linalg.svd(found - found.mean(axis=0), compute_uv=False) ** 2
        return values[:6].sum() / values.sum()

    assert told(pictures) > 0.8
    assert told(scrambled(pictures)) < 0.5


def test_patches_have_the_same_statistics_wherever_they_are_taken(pictures):
    """E36, stationarity: which is why one filter serves all places. Objects need not move."""
    places = [(row, column) for row in (4, 9, 14) for column in (4, 9, 14)]
    edges = [np.diff(patches(pictures, *place).reshape(-1, 5, 5), axis=2).std() for place in places]
    levels = [patches(pictures, *place).mean() for place in places]
    assert max(edges) < 1.3 * min(edges)
    assert np.ptp(levels) < 0.03
    marked = pictures.copy()
    marked[:, :12] = 0  # what is always dark above has not the same statistics there
    above, below = (patches(marked, row, 9).std() for row in (4, 14))
    assert above < 0.1 * below


def gradients(activation, depth, scale=1.0, seed=1):
    """Return the norm of the gradient at the first and the last filters of a plain network."""
    torch.manual_seed(seed)
    settings = CnnSettings(
        channels=(8,),
        convolutions=depth,
        activation=activation,
        batch_norm=False,
        hidden_width=0,
        dropout=0.0,
    )
    model = Cnn(settings, 3, 8, 4)
    drawn = torch.Generator().manual_seed(2)
    images = scale * torch.randn(16, 3, 8, 8, generator=drawn)
    F.cross_entropy(model(images), torch.arange(16) % 4).backward()
    found = [one.weight.grad.norm().item() for one in model.modules() if isinstance(one, nn.Conv2d)]
    return found[0], found[-1]


def test_gradients_vanish_with_depth_through_sigmoids_and_not_through_relu():
    """E47: a sigmoid is at most a quarter as steep as a line, in every layer again."""
    shrunk = {}
    for activation in ("relu", "sigmoid"):
        for depth in (2, 6, 12):
            first, last = gradients(activation, depth)
            shrunk[activation, depth] = first / last
    assert shrunk["sigmoid", 2] > 3 * shrunk["sigmoid", 6] > 9 * shrunk["sigmoid", 12]
    assert shrunk["sigmoid", 12] < 1e-3
    assert all(0.1 < shrunk["relu", depth] < 20 for depth in (2, 6, 12))


@pytest.mark.parametrize("activation", ["tanh", "sigmoid"])
def test_large_values_saturate_a_bounded_activation_and_not_relu(activation):
    """E47: where tanh and sigmoid are flat nothing is learned; ReLU is as steep as ever."""
    values = torch.tensor([0.5, 12.0], requires_grad=True)
    getattr(torch, activation)(values).sum().backward()
    assert values.grad[1] < 1e-4 < 0.1 < values.grad[0]
    small, large = (gradients(activation, 3, scale=scale)[0] for scale in (1.0, 1000.0))
    assert large / 1000 < 0.05 * small  # for the gradient of a filter has its input as a factor
    small, large = (gradients("relu", 3, scale=scale)[0] for scale in (1.0, 1000.0))
    assert large / 1000 > 0.3 * small


def test_a_residual_block_hands_the_gradient_on_and_a_plain_one_does_not():
    """D15: a branch that gives nothing stops all that is learned before it, but for a shortcut."""
    arrived = {}
    for residual in (True, False):
        torch.manual_seed(4)
        settings = ResNetSettings(stages=(6,), width=8, residual=residual)
        model = ResNet(settings, 3, 8, 4).eval()
        for block in blocks_of(model):
            nn.init.zeros_(block.last_norm.weight)
        x = model.stem(torch.randn(2, 3, 8, 8)).detach().requires_grad_()
        y = x
        for block in blocks_of(model):
            y = block(y)
        y.sum().backward()
        arrived[residual] = x.grad
    assert torch.equal(arrived[True], (x > 0).float())  # where ReLU lets it through
    assert not arrived[False].any()


def trained_loss(batch_norm, rate, seed, steps=30):
    torch.manual_seed(seed)
    settings = CnnSettings(
        channels=(8, 16), convolutions=3, hidden_width=0, dropout=0.0, batch_norm=batch_norm
    )
    drawn = draw_shapes(64, 12, seed)
    images = torch.from_numpy(drawn.images).permute(0, 3, 1, 2).float() / 255 - 0.5
    names = sorted(set(drawn.classes))
    classes = torch.tensor([names.index(one) for one in drawn.classes])
    model = Cnn(settings, 3, 12, len(names))
    optimizer = torch.optim.SGD(model.parameters(), lr=rate, momentum=0.9)
    for _ in range(steps):
        loss = F.cross_entropy(model(images), classes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return F.cross_entropy(model(images), classes).nan_to_num(nan=99.0).item()


def test_batch_norm_lets_the_same_network_learn_faster():
    """E32: no optimizer, but the same steps come farther with it, with either's best rate."""
    rates, seeds = (0.03, 0.1), (1, 2)
    best = {
        norm: [min(trained_loss(norm, rate, seed) for rate in rates) for seed in seeds]
        for norm in (True, False)
    }
    assert all(fast < 0.5 * slow for fast, slow in zip(best[True], best[False], strict=True))
