"""What is said of activations, shortcuts and norms, as small measurements."""

import torch
from torch import nn
from torch.nn import functional as F

from dragoman.config.vision import CnnSettings, ResNetSettings
from dragoman.data.corpus.generators.shapes import draw_shapes
from dragoman.neural.models.images.cnn import Cnn
from dragoman.neural.models.images.resnet import ResNet, blocks_of


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
