import math

import pytest
import torch
from torch.nn import functional as F

from dragoman.neural.objectives.contrastive import contrastive, contrastive_written_out


def scores(pairs=7, *, dtype=torch.float64):
    drawn = torch.Generator().manual_seed(4)
    return torch.randn(pairs, pairs, generator=drawn, dtype=dtype).mul(3).requires_grad_()


def gradient(loss, at):
    return torch.autograd.grad(loss, at)[0]


def test_the_fused_loss_is_the_equation_with_its_gradient():
    z = scores()
    found, wanted = contrastive(z), contrastive_written_out(z)
    torch.testing.assert_close(found.smoothed, wanted)
    torch.testing.assert_close(found.nats, wanted.detach())
    torch.testing.assert_close(gradient(found.smoothed, z), gradient(wanted, z))
    assert found.positions == 7


def test_it_is_cross_entropy_both_ways():
    z, right = scores(), torch.arange(7)
    both = F.cross_entropy(z, right) + F.cross_entropy(z.T, right)
    torch.testing.assert_close(contrastive(z).smoothed / 7, both / 2)


def test_images_and_texts_may_change_places():
    z = scores()
    torch.testing.assert_close(contrastive(z).nats, contrastive(z.T).nats)


def test_the_order_of_the_pairs_does_not_matter():
    z, order = scores(), torch.randperm(7, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(contrastive(z[order][:, order]).nats, contrastive(z).nats)


def test_who_guesses_has_the_logarithm_of_the_batch():
    loss = contrastive(torch.zeros(9, 9))
    assert loss.nats.item() / loss.positions == pytest.approx(math.log(9))


def test_smoothing_changes_what_is_made_small_but_not_what_is_told():
    z = scores()
    smoothed = contrastive(z, 0.2)
    torch.testing.assert_close(smoothed.nats, contrastive(z).nats)
    right = torch.arange(7)
    ways = [F.cross_entropy(way, right, reduction="sum", label_smoothing=0.2) for way in (z, z.T)]
    torch.testing.assert_close(smoothed.smoothed, sum(ways) / 2)
