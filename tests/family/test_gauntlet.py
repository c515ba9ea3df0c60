"""What every network must do, whatever it is made of; the rows are in `conftest.py`."""

import math

import pytest
import torch

from dragoman.data.tokenizer.symbols import PAD
from dragoman.engine.checkpoint.weights import (
    load_weights,
    read_weights,
    weights_of,
    write_weights,
)
from dragoman.engine.inference.attention import attention_maps
from dragoman.neural.layers.watchable import Watchable
from dragoman.neural.objectives.cross_entropy import cross_entropy

ALL_DROPOUT = {"dropout": 0.3, "attention_dropout": 0.2, "inner_dropout": 0.2, "word_dropout": 0.2}
TINY = {"width": 4, "heads": 2, "encoder_layers": 1, "decoder_layers": 1, "inner_width": 4}


def loss_of(model, read, written):
    states, labels = model.scored(read, written)
    output = model.output
    loss = cross_entropy(states, output.weight, labels, padding=PAD, bias=output.bias)
    return loss.smoothed / loss.positions


def gradients(model, read, written):
    model.zero_grad()
    loss_of(model, read, written).backward()
    return {name: weight.grad.clone() for name, weight in model.named_parameters()}


def test_the_first_guesses_are_almost_even(family):
    words = 8000  # scores of deviation one add half a nat, which a large vocabulary forgives
    model = family.build(sizes=(words, words))
    torch.manual_seed(0)
    read, written = torch.randint(4, words, (8, 8)), torch.randint(4, words, (8, 9))
    with torch.no_grad():
        loss = loss_of(model, read, written).item()
    assert loss == pytest.approx(math.log(words), rel=0.1)


def test_it_learns_one_batch_by_heart(family, read, written):
    model = family.build()
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(120):
        loss = loss_of(model, read, written)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if loss.item() < 0.05:
            break
    guessed = model(read, written[:, :-1]).argmax(-1)
    right = written[:, 1:]
    assert torch.equal(guessed[right.ne(PAD)], right[right.ne(PAD)])


def test_every_weight_gets_a_gradient(family, read, written):
    for name, gradient in gradients(family.build(), read, written).items():
        if name.endswith("key.bias"):  # adds the same to all scores of a query, so it moves nothing
            assert gradient.abs().max() < 1e-6, name
        else:
            assert gradient.ne(0).any(), name


def test_the_source_matters(family, read, written):
    model = family.build().eval()
    before = model(read, written)
    other = read.clone()
    other[:, 0] = 17
    assert (model(other, written) - before).abs().amax(-1).gt(1e-6).all()


def test_the_future_of_the_target_changes_nothing(family, read, written):
    model = family.build().eval()
    before = model(read, written)
    other = written.clone()
    other[:, 3:] = 55
    after = model(read, other)
    torch.testing.assert_close(after[:, :3], before[:, :3])
    assert not torch.allclose(after[:, 3:], before[:, 3:])


def test_padding_of_the_source_changes_nothing(family, read, written):
    model = family.build().eval()
    longer = torch.cat((read, torch.full((3, 4), PAD)), dim=1)
    torch.testing.assert_close(model(longer, written), model(read, written))
    alone = model(read[2:, :2], written[2:])
    torch.testing.assert_close(alone, model(read, written)[2:])


def test_padding_of_the_target_changes_nothing(family, read, written):
    model = family.build()
    longer = torch.cat((written, torch.full((3, 3), PAD)), dim=1)
    torch.testing.assert_close(model(read, longer)[:, :6], model(read, written))
    torch.testing.assert_close(loss_of(model, read, longer), loss_of(model, read, written))
    wanted = gradients(model, read, written)
    torch.testing.assert_close(gradients(model, read, longer), wanted, atol=1e-6, rtol=1e-4)


def test_the_order_of_the_batch_changes_nothing(family, read, written):
    model = family.build().eval()
    order = [2, 0, 1]
    torch.testing.assert_close(model(read[order], written[order]), model(read, written)[order])


def steps(model, state, written):
    """Feed targets one token at a time; return the log-probabilities and the last state."""
    found = []
    for tokens in written.unbind(1):
        log_probabilities, state = model.step(tokens, state)
        found.append(log_probabilities)
    return torch.stack(found, 1), state


def test_step_by_step_equals_all_at_once(family, read, written):
    model = family.build().eval()
    found, _ = steps(model, model.begin(read), written)
    torch.testing.assert_close(found, model(read, written).log_softmax(-1), atol=1e-5, rtol=1e-5)


TURNS = {
    "other order": [[2, 0, 1]],
    "beams": [[0, 0, 1, 1, 2, 2], [1, 1, 4, 5], [3, 2, 0, 1]],
    "any rows": [[2, 2, 0], [0, 1, 2, 2], [3, 1, 0, 2]],
}


@pytest.mark.parametrize("turns", TURNS.values(), ids=TURNS.keys())
def test_rows_may_be_turned_repeated_and_dropped(family, read, written, turns):
    model = family.build().eval()
    _, state = steps(model, model.begin(read), written[:, :2])
    prefix, source, kept = written[:, :2], read, state
    torch.manual_seed(8)
    for number, rows in enumerate(turns):
        state = model.reorder(state, torch.tensor(rows))
        prefix, source = prefix[rows], source[rows]
        if number != 1:  # two turns in a row must work too
            more = torch.randint(4, 50, (len(rows), 1))
            found, state = steps(model, state, more)
            prefix = torch.cat((prefix, more), dim=1)
    wanted = model(source, prefix).log_softmax(-1)
    torch.testing.assert_close(found[:, 0], wanted[:, -1], atol=1e-5, rtol=1e-5)

    again, _ = steps(model, kept, written[:, 2:3])  # a state that was turned is still itself
    wanted = model(read, written[:, :3]).log_softmax(-1)
    torch.testing.assert_close(again[:, 0], wanted[:, -1], atol=1e-5, rtol=1e-5)


def test_rows_may_be_turned_before_the_first_step(family, read, written):
    model = family.build().eval()
    rows = torch.tensor([0, 0, 2])
    state = model.reorder(model.begin(read), rows)
    found, _ = steps(model, state, written)
    wanted = model(read[rows], written).log_softmax(-1)
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)


def test_stored_weights_come_back_bit_for_bit(family, read, written, tmp_path):
    model, other = family.build(seed=1).eval(), family.build(seed=2).eval()
    assert not torch.equal(other(read, written), model(read, written))
    path = tmp_path / "weights.safetensors"
    write_weights(path, weights_of(model), {"step": "7"})
    stored = read_weights(path)
    load_weights(other, stored.tensors, path)
    assert stored.notes["step"] == "7"
    assert torch.equal(other(read, written), model(read, written))


def test_the_same_seed_draws_the_same_weights(family):
    first, second = weights_of(family.build(seed=3)), weights_of(family.build(seed=3))
    assert all(torch.equal(weight, second[name]) for name, weight in first.items())


def parameters_of_transformer(chosen, source, target):
    width, attention = chosen.width, 4 * chosen.width * (chosen.width + 1)
    norm = 2 * width

    def feed_forward(inner):
        return width * inner + inner + inner * width + width

    encoder = attention + feed_forward(chosen.inner_width) + 2 * norm
    decoder_inner = chosen.decoder_inner_width or chosen.inner_width
    decoder = 2 * attention + feed_forward(decoder_inner) + 3 * norm
    words = {"all": target, "target": source + target, "none": source + 2 * target}[chosen.tied]
    places = 2 * chosen.longest if chosen.positions == "learned" else 0
    last_norms = 2 * norm if chosen.norm == "before" else 0
    if chosen.positions == "relative":
        encoder += chosen.heads * (2 * chosen.reach + 1)
        decoder += 2 * (chosen.decoder_heads or chosen.heads) * (2 * chosen.reach + 1)
    layers = chosen.encoder_layers * encoder + chosen.decoder_layers * decoder
    return layers + (words + places) * width + last_norms


FORMULAS = {"transformer": parameters_of_transformer}


def test_the_number_of_weights_is_the_formula(family):
    counted = sum(weight.numel() for weight in family.build().parameters())
    assert counted == FORMULAS[family.settings.kind](family.settings, *family.sizes)


def test_it_runs_without_memory_on_the_meta_device(family):
    with torch.device("meta"):
        model = family.build()
        scores = model(torch.ones(2, 5, dtype=torch.long), torch.ones(2, 4, dtype=torch.long))
    assert scores.is_meta
    assert scores.shape == (2, 4, family.sizes[1])
    assert all(weight.is_meta for weight in model.parameters())


def test_the_gradient_is_the_slope(family):
    model = family.build(sizes=(9, 9), **TINY).double()
    read, written = torch.tensor([[4, 5, 6], [7, 8, 0]]), torch.tensor([[2, 4, 3], [2, 3, 0]])
    weights = tuple(model.parameters())
    assert torch.autograd.gradcheck(
        lambda *_: loss_of(model, read, written), weights, fast_mode=True
    )


def test_recomputing_the_layers_gives_the_same_gradients(family, read, written):
    model = family.build(**ALL_DROPOUT).train()
    torch.manual_seed(4)
    wanted = gradients(model, read, written)
    model.checkpointing = True
    torch.manual_seed(4)
    for name, gradient in gradients(model, read, written).items():
        assert torch.equal(gradient, wanted[name]), name


def test_chance_plays_a_part_in_training_only(family, read, written):
    model = family.build(**ALL_DROPOUT).eval()
    calm = model(read, written)
    assert torch.equal(model(read, written), calm)
    model.train()
    assert not torch.equal(model(read, written), model(read, written))
    model.eval()
    assert torch.equal(model(read, written), calm)


@pytest.mark.parametrize("training", [False, True])
def test_watching_attention_changes_nothing(family, read, written, training):
    model = family.build(**ALL_DROPOUT).train(training)
    layers = [layer for layer in model.modules() if isinstance(layer, Watchable)]
    torch.manual_seed(4)
    unseen = model(read, written)
    torch.manual_seed(4)
    with attention_maps(model) as maps:
        seen = model(read, written)
    assert torch.equal(seen, unseen)
    assert all(layer.watcher is None for layer in layers)
    assert len(maps) == len(layers)
    assert all(len(each) == 1 for each in maps.values())
    for weights in (weights for each in maps.values() for weights in each):
        torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]))
