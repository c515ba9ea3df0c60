"""Autoencoders: what a linear one learns is PCA; the others go down and back by mirrored layers."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from dragoman.config.autoencoder import AutoencoderSettings
from dragoman.core.errors import ConfigError
from dragoman.metrics.pca import fit_pca, subspace_angle
from dragoman.neural.models.autoencoder import Autoencoder, halved

FORMS = {
    "linear": {"form": "linear"},
    "deep": {"form": "deep", "widths": (10, 6)},
    "convolutional": {"form": "convolutional", "widths": (4, 6)},
}


def model(form, size=8, channels=1, **changes):
    torch.manual_seed(1)
    return Autoencoder(AutoencoderSettings(**FORMS[form], **{"code": 3, **changes}), channels, size)


def images(count=5, channels=1, size=8):
    torch.manual_seed(2)
    return torch.randn(count, channels, size, size)


def uneven(count=60, seed=3):
    """Return small images that vary much more along some axes than along others."""
    random = np.random.default_rng(seed)
    spread = np.array([3, 2.5, 2, 0.8, 0.6, 0.5, 0.4, 0.3, 0.2])
    axes = np.linalg.qr(random.normal(size=(9, 9)))[0]
    return random.normal(size=(count, 9)) * spread @ axes + 0.5 * random.normal(size=9)


def trained(network, data):
    """Make the mean squared error of an image as small as it will get."""
    shown = torch.from_numpy(data).view(-1, 1, 3, 3)
    optimizer = torch.optim.LBFGS(
        network.parameters(),
        max_iter=250,
        history_size=30,
        tolerance_grad=1e-10,
        tolerance_change=1e-15,
        line_search_fn="strong_wolfe",
    )

    def error():
        return (network(shown) - shown).square().flatten(1).sum(1).mean()

    def closure():
        optimizer.zero_grad()
        loss = error()
        loss.backward()
        return loss

    optimizer.step(closure)
    return error().item()


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("seed", [3, 4])
def test_a_linear_one_finds_the_space_of_the_principal_components(tied, seed):
    data = uneven(seed=seed)
    network = model("linear", size=3, tied=tied).double()
    error = trained(network, data)
    found = fit_pca(data, 3)
    down, up = network.layers[0].weight, network.mirrored_layers[0].weight
    assert error == pytest.approx(found.lost, rel=1e-6)
    for weight in (down, up):
        assert subspace_angle(weight.detach().numpy(), found.components) < 1e-3
    rebuilt = network(torch.from_numpy(data).view(-1, 1, 3, 3)).flatten(1).detach().numpy()
    np.testing.assert_allclose(rebuilt, found.reconstruct(found.transform(data)), atol=1e-3)


def test_tied_weights_become_axes_at_right_angles():
    network = model("linear", size=3, tied=True).double()
    trained(network, uneven())
    weight = network.layers[0].weight.detach().numpy()
    np.testing.assert_allclose(weight @ weight.T, np.eye(3), atol=1e-4)


def test_without_activation_more_layers_say_no_more_than_one():
    """A deep network whose units all stay on their straight part is a linear one."""
    network = model("deep", size=3, activation="relu").double()
    shown = torch.from_numpy(uneven()).view(-1, 1, 3, 3)
    network.activation = lambda x: x
    rebuilt = network(shown).flatten(1)
    zero = network(torch.zeros_like(shown)).flatten(1)
    twice = network(2 * shown).flatten(1)
    torch.testing.assert_close(twice - zero, 2 * (rebuilt - zero))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("channels", [1, 3])
def test_an_image_goes_through_its_code(form, tied, channels):
    network = model(form, channels=channels, tied=tied)
    shown = images(channels=channels)
    codes = network.encode(shown)
    assert codes.shape == (5, 3)
    torch.testing.assert_close(network(shown), network.decode(codes))
    assert network(shown).shape == shown.shape
    network(shown).square().sum().backward()
    assert all(weight.grad.abs().sum() > 0 for weight in network.parameters())


@given(st.integers(1, 40), st.integers(1, 3))
@settings(max_examples=30, deadline=None)
def test_the_way_back_ends_at_the_size_it_came_from(size, layers):
    if size <= 2 ** (layers - 1):
        with pytest.raises(ConfigError, match="can be halved only"):
            build_convolutional(size, layers)
        return
    assert build_convolutional(size, layers)(images(2, 1, size)).shape == (2, 1, size, size)


def build_convolutional(size, layers):
    chosen = AutoencoderSettings(form="convolutional", widths=(2,) * layers, code=2)
    return Autoencoder(chosen, 1, size)


@pytest.mark.parametrize("form", FORMS)
def test_tied_mirrors_are_the_adjoints_of_their_layers(form):
    """⟨Wx, y⟩ = ⟨x, Wᵀy⟩ for every layer, biases aside."""
    network = model(form, tied=True).double()
    with torch.no_grad():
        for name, weight in network.named_parameters():
            if name.endswith("bias"):
                weight.zero_()
    down = [*network.convolutions, *network.layers]
    up = [*network.mirrored_layers, *network.mirrored_convolutions][::-1]
    seen = images(2).double()
    for layer, mirror in zip(down, up, strict=True):
        if isinstance(layer, torch.nn.Linear):
            seen = seen.flatten(1)
        written = layer(seen)
        other = torch.randn_like(written)
        torch.testing.assert_close((written * other).sum(), (seen * mirror(other)).sum())
        seen = written


def by_formula(form, tied, channels=1, size=8, code=3):
    maps = [channels, 4, 6] if form == "convolutional" else [channels]
    side = halved(halved(size)) if form == "convolutional" else size
    inside = [10, 6] if form == "deep" else []
    widths = [maps[-1] * side**2, *inside, code]
    matrices = sum(a * b for a, b in zip(widths, widths[1:], strict=False))
    matrices += sum(9 * a * b for a, b in zip(maps, maps[1:], strict=False))
    down = sum(maps[1:]) + sum(widths[1:])
    up = sum(maps[:-1]) + sum(widths[:-1])
    return (1 if tied else 2) * matrices + down + up


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("tied", [False, True])
def test_the_parameters_are_as_many_as_the_formula_says(form, tied):
    with torch.device("meta"):
        network = model(form, tied=tied)
    assert sum(weight.numel() for weight in network.parameters()) == by_formula(form, tied)


@pytest.mark.parametrize(
    ("form", "activation"),
    [
        ("linear", "relu"),
        ("deep", "relu"),
        ("deep", "sigmoid"),
        ("convolutional", "gelu"),
        ("convolutional", "tanh"),
    ],
)
def test_it_learns_noise_by_heart(form, activation):
    network = model(form, activation=activation, code=8)
    shown = images(3)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.03)
    losses = []
    for _ in range(80):
        loss = (network(shown) - shown).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert min(losses) < 0.5 * losses[0]


@pytest.mark.parametrize("form", FORMS)
def test_other_images_of_a_batch_and_the_order_in_memory_change_nothing(form):
    network = model(form, channels=3)
    shown = images(channels=3)
    torch.testing.assert_close(network(shown[2:3]), network(shown)[2:3])
    laid_out = shown.to(memory_format=torch.channels_last)
    torch.testing.assert_close(network(laid_out), network(shown))


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"form": "linear", "widths": (4,)}, "Leave widths out"),
        ({"form": "deep"}, "needs widths"),
        ({"form": "convolutional"}, "needs widths"),
        ({"code": 0}, "greater than or equal to 1"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(changes, told):
    with pytest.raises(ValidationError, match=told):
        AutoencoderSettings(**changes)
