"""What every network must do, whatever it is made of; the rows are in `conftest.py`."""

import math

import pytest
import torch

from dragoman.data.tokenizer.special_tokens import PAD
from dragoman.engine.checkpoint.weights import load_weights, read_weights, weights_of, write_weights
from dragoman.neural.adapt.fast_inference import narrow_output, quick
from dragoman.neural.layers.watchable import Watchable
from dragoman.neural.objectives.cross_entropy import cross_entropy
from dragoman.tasks.translation.attention import attention_maps

ALL_DROPOUT = {"dropout": 0.3, "attention_dropout": 0.2, "ffn_dropout": 0.2, "word_dropout": 0.2}
TINY = {"width": 4, "heads": 2, "encoder_layers": 1, "decoder_layers": 1, "ffn_width": 4}


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
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(120):
        loss = loss_of(model, read, written)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss.item() < 0.05:
            break
    guessed = model(read, written[:, :-1]).argmax(-1)
    right = written[:, 1:]
    assert torch.equal(guessed[right.ne(PAD)], right[right.ne(PAD)])


def moves_nothing(name, settings):
    """A key's bias adds the same to all scores of a query, unless it turns with its place."""
    turns = getattr(settings, "positions", "") == "rotary" and "source_attention" not in name
    return name.endswith("key.bias") and not turns


def test_every_weight_gets_a_gradient(family, read, written):
    for name, gradient in gradients(family.build().double(), read, written).items():
        if moves_nothing(name, family.settings):
            assert gradient.abs().max() < 1e-12, name
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
    model = family.build().double()
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


def parameters_of_stack(chosen, heads, inner, layers, attentions):
    """Layers with one attention each (to their own kind) or two (to a source as well)."""
    width, biases = chosen.width, int(chosen.biases)
    keys, values = chosen.key_width or width // heads, chosen.value_width or width // heads
    groups = chosen.key_value_heads or heads
    attention = (width + biases) * (heads * keys + groups * (keys + values))
    if chosen.output_projection:
        attention += (heads * values + biases) * width
    matrices = {"swiglu": 2, "single": 0}.get(chosen.activation, 1)
    feed_forward = (
        matrices * (width + biases) * inner + ((inner if matrices else width) + biases) * width
    )
    offsets = 2 * chosen.max_relative_position + 1
    known = {"relative": attentions * heads * offsets, "shaw": keys * offsets}
    norms = (attentions + 1) * parameters_of_norm(chosen) if chosen.norm != "none" else 0
    layer = attentions * attention + feed_forward + norms + known.get(chosen.positions, 0)
    shared = heads * chosen.buckets if chosen.positions == "t5" else 0
    last_norm = parameters_of_norm(chosen) if chosen.norm == "pre" else 0
    return layers * layer + shared + last_norm


def parameters_of_norm(chosen):
    return chosen.width * (2 if chosen.normalization == "layer" else 1)


def parameters_of_transformer(chosen, source, target):
    decoder_heads = chosen.decoder_heads or chosen.heads
    decoder_inner = chosen.decoder_ffn_width or chosen.ffn_width
    words = {"all": target, "target": source + target, "none": source + 2 * target}[chosen.tied]
    places = 2 * chosen.max_positions if chosen.positions == "learned" else 0
    return (
        parameters_of_stack(chosen, chosen.heads, chosen.ffn_width, chosen.encoder_layers, 1)
        + parameters_of_stack(chosen, decoder_heads, decoder_inner, chosen.decoder_layers, 2)
        + (words + places) * chosen.width
        + chosen.output_bias * target
    )


def parameters_of_decoder_only(chosen, _, target):
    words = target if chosen.tied else 2 * target
    places = chosen.max_positions if chosen.positions == "learned" else 0
    return (
        parameters_of_stack(chosen, chosen.heads, chosen.ffn_width, chosen.layers, 1)
        + (words + places) * chosen.width
        + chosen.output_bias * target
    )


def parameters_of_recurrent(chosen, source, target):
    d, m = chosen.width, chosen.embedding_width or chosen.width
    gates = {"rnn": 1, "gru": 3, "gru-update": 2, "lstm": 4}[chosen.cell.kind]
    gates -= chosen.cell.kind == "lstm" and not chosen.cell.forget_gate
    parts = 2 if chosen.cell.kind == "lstm" else 1
    ways = 2 if chosen.bidirectional else 1
    read, spoken = ways * d, chosen.readout_width or (d if chosen.tied == "none" else m)

    def stack(first, layers, directions):
        below = [first] + [directions * d] * (layers - 1)
        return directions * sum(gates * d * (each + d + 2) for each in below)

    def matrix(into, out):
        return into * out + out

    fed = {"every": d, "additive": read}.get(chosen.context, 0)
    fed = spoken if chosen.input_feeding else fed
    mixed = {"first": d, "every": d + m + d, "additive": d + m + read}.get(chosen.context, d + read)
    begun = {"every": d, "additive": d}.get(chosen.context, read if ways == 2 else None)
    count = stack(m, chosen.encoder_layers, ways) + stack(m + fed, chosen.decoder_layers, 1)
    if begun is not None:
        count += parts * chosen.decoder_layers * matrix(begun, d)
    if chosen.context != "first" or chosen.readout != "linear" or spoken != d:
        count += matrix(mixed, spoken * (2 if chosen.readout == "maxout" else 1))
    hidden = chosen.attention_width or d
    count += {
        "every": matrix(read, d),
        "additive": hidden * (d + read + 1),
        "general": d * read,
    }.get(chosen.context, 0)
    embedded = {"all": target, "target": source + target, "none": source + target}[chosen.tied] * m
    return count + embedded + (target * spoken if chosen.tied == "none" else 0)


FORMULAS = {
    "decoder-only": parameters_of_decoder_only,
    "recurrent": parameters_of_recurrent,
    "transformer": parameters_of_transformer,
}


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
    model = family.build(sizes=(36, 36), **TINY).double()
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


def written_out(model, read, written):
    """Return the log-probabilities of every step along a target."""
    with torch.no_grad():
        return steps(model, model.begin(read), written)[0]


def test_a_quick_copy_writes_the_same(family, read, written):
    model = family.build().eval()
    before = {name: weight.clone() for name, weight in weights_of(model).items()}
    copied = quick(model, "float32")
    torch.testing.assert_close(
        written_out(copied, read, written), written_out(model, read, written)
    )
    assert all(torch.equal(before[name], weight) for name, weight in weights_of(model).items())


def test_in_8_bits_it_writes_nearly_the_same(family, read, written):
    model = family.build().eval()
    exact, near = (written_out(each, read, written) for each in (model, quick(model, "int8")))
    assert (near - exact).abs().mean() < 0.05 * exact.std(-1).mean()
    assert not torch.equal(near, exact)


def test_a_narrowed_copy_scores_the_kept_entries_alone(family, read, written):
    model = family.build().eval()
    kept = torch.tensor([0, 1, 2, 3, *range(20, 200, 7)])
    few = written_out(narrow_output(model, kept), read, written)
    all_of_them = written_out(model, read, written)[..., kept]
    torch.testing.assert_close(few, all_of_them.log_softmax(-1))


def test_a_state_has_as_many_ways_on_as_one_wants(family, read, written):
    model = family.build().eval()
    _, state = model.step(written[:, 0], model.begin(read))
    _, state = model.step(written[:, 1], state)
    first, after = model.step(written[:, 2], state)
    model.step(written[:, 2].flip(0), state)  # another way from the same state
    again, _ = model.step(written[:, 2], state)
    on, _ = model.step(written[:, 3], after)
    torch.testing.assert_close(again, first)
    torch.testing.assert_close(on, written_out(model, read, written)[:, 3], atol=1e-5, rtol=1e-5)
