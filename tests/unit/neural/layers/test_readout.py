import pytest
import torch

from dragoman.neural.layers.readout import Readout


def test_the_parts_are_mixed_by_matrices_of_their_own():
    torch.manual_seed(1)
    readout = Readout((3, 5), 4, "linear")
    first, second = torch.randn(2, 3), torch.randn(2, 5)
    u, c = readout.mix.weight.split((3, 5), dim=1)
    wanted = first @ u.T + second @ c.T + readout.mix.bias
    torch.testing.assert_close(readout(first, second), wanted)


@pytest.mark.parametrize("shape", [(2, 3), (2, 6, 3)])
def test_maxout_takes_the_larger_of_each_two_neighbors(shape):
    torch.manual_seed(1)
    readout, x = Readout((3,), 4, "maxout"), torch.randn(shape)
    mixed = readout.mix(x)
    assert mixed.shape[-1] == 8
    pairs = [mixed[..., 2 * j : 2 * j + 2].max(dim=-1).values for j in range(4)]
    assert torch.equal(readout(x), torch.stack(pairs, dim=-1))


def test_tanh_bends_the_mixture():
    torch.manual_seed(1)
    readout, x = Readout((3,), 4, "tanh"), torch.randn(2, 3)
    assert torch.equal(readout(x), readout.mix(x).tanh())
