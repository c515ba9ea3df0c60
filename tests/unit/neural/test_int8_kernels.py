"""Where torch has no kernels of 8 bits, the network works in float32, and says so."""

from types import SimpleNamespace

import pytest
import torch
from torch import nn

from dragoman.neural.adapt import fast_inference
from dragoman.neural.adapt.fast_inference import quick
from dragoman.neural.layers.int8 import Int8Linear, has_int8_kernels


@pytest.fixture
def hidden_kernels(monkeypatch):
    monkeypatch.setattr(torch.ops, "quantized", SimpleNamespace())
    fast_inference._warn_of_float32.cache_clear()


def small() -> nn.Module:
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(8, 6), nn.Linear(6, 4))


def test_with_the_kernels_every_matrix_is_in_8_bits():
    assert has_int8_kernels()
    assert all(isinstance(part, Int8Linear) for part in quick(small(), "int8"))


@pytest.mark.usefixtures("hidden_kernels")
def test_without_the_kernels_int8_is_float32_and_that_is_said_once(capsys):
    assert not has_int8_kernels()
    x = torch.randn(3, 8)
    found = [quick(small(), "int8")(x) for _ in range(3)]
    assert all(torch.equal(one, small()(x)) for one in found)
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "float32" in said


def test_a_torch_that_has_no_engine_for_this_processor_has_no_kernels(monkeypatch):
    def fail(*_: object) -> None:
        raise RuntimeError("Didn't find engine for operation quantized::linear_prepack NoQEngine")

    monkeypatch.setattr(torch.ops, "quantized", SimpleNamespace(linear_prepack=fail))
    assert not has_int8_kernels()
