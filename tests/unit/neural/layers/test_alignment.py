import math

import pytest
import torch

from dragoman.neural.layers.alignment import AdditiveAlignment, ProductAlignment

WIDTH, READ, HIDDEN = 5, 7, 6


def layers():
    torch.manual_seed(1)
    made = {
        "additive": AdditiveAlignment(WIDTH, READ, HIDDEN),
        "general": ProductAlignment(WIDTH, READ, matrix=True),
        "dot": ProductAlignment(READ, READ, matrix=False),
    }
    return {name: layer.double() for name, layer in made.items()}


KINDS = ["additive", "general", "dot"]


def batch(kind):
    torch.manual_seed(2)
    queries = torch.randn(3, 4, READ if kind == "dot" else WIDTH, dtype=torch.float64)
    memory = torch.randn(3, 6, READ, dtype=torch.float64)
    mask = torch.ones(3, 6, dtype=torch.bool)
    mask[1, 4:] = mask[2, 1:] = False
    return queries, memory, mask


def score(kind, layer, s, h):
    """One score, as the papers write it."""
    if kind == "additive":
        hidden = [
            math.tanh(w @ s + u @ h)
            for w, u in zip(layer.query.weight, layer.key.weight, strict=True)
        ]
        return sum(v * x for v, x in zip(layer.energy.weight[0].tolist(), hidden, strict=True))
    return float(s @ h) if kind == "dot" else float(s @ (layer.key.weight @ h))


@pytest.mark.parametrize("kind", KINDS)
@torch.no_grad()
def test_weights_and_context_are_the_equations_position_by_position(kind):
    layer, (queries, memory, mask) = layers()[kind], batch(kind)
    context, weights = layer(queries, layer.project_keys(memory), memory, mask)
    for row in range(3):
        seen = memory[row][mask[row]]
        for step in range(4):
            scores = [score(kind, layer, queries[row, step], h) for h in seen]
            total = sum(math.exp(each) for each in scores)
            wanted = torch.tensor([math.exp(each) / total for each in scores]).double()
            found = weights[row, step]
            torch.testing.assert_close(found[: len(seen)], wanted, atol=1e-6, rtol=1e-5)
            assert not found[len(seen) :].any()
            mixed = sum(w * h for w, h in zip(wanted, seen, strict=True))
            torch.testing.assert_close(context[row, step], mixed, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_what_stands_at_padding_changes_nothing(kind):
    layer, (queries, memory, mask) = layers()[kind], batch(kind)
    before, _ = layer(queries, layer.project_keys(memory), memory, mask)
    other = torch.where(mask.unsqueeze(2), memory, torch.full_like(memory, 9.0))
    after, _ = layer(queries, layer.project_keys(other), other, mask)
    assert torch.equal(before, after)


@pytest.mark.parametrize("kind", KINDS)
def test_many_queries_at_once_see_what_each_sees_alone(kind):
    layer, (queries, memory, mask) = layers()[kind], batch(kind)
    keys = layer.project_keys(memory)
    together, _ = layer(queries, keys, memory, mask)
    alone = [layer(one.unsqueeze(1), keys, memory, mask)[0] for one in queries.unbind(1)]
    torch.testing.assert_close(together, torch.cat(alone, dim=1))


def test_a_plain_product_needs_equal_widths():
    with pytest.raises(ValueError, match="needs equal widths, not 5 and 7"):
        ProductAlignment(WIDTH, READ, matrix=False)


def test_a_pass_is_told_once_and_without_a_gradient():
    layer, (queries, memory, mask) = layers()["general"], batch("general")
    _, weights = layer(queries, layer.project_keys(memory), memory, mask)
    layer.tell(weights)  # nobody looks
    told = []
    layer.watcher = told.append
    layer.tell(weights)
    assert [each.shape for each in told] == [(3, 1, 4, 6)]
    assert not told[0].requires_grad
