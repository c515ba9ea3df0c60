"""Each way of knowing the source against plain loops over its equations, and its bounds."""

import math

import pytest
import torch

from dragoman.config.recurrent import RecurrentSettings
from dragoman.core.errors import ConfigError
from dragoman.neural.models.recurrent.late import Late
from dragoman.neural.models.recurrent.model import RecurrentTranslator, backwards

READ = torch.tensor([[4, 5, 6, 7, 3], [8, 4, 3, 0, 0], [3, 0, 0, 0, 0]])
WRITTEN = torch.tensor([[2, 4, 9, 10], [2, 5, 3, 0], [2, 8, 0, 0]])
D = 6


def model(**changes):
    torch.manual_seed(3)
    base = {"width": D, "tied": "none", "dropout": 0.0, "bidirectional": False}
    built = RecurrentTranslator(RecurrentSettings(**{**base, **changes}), 12, 12).double()
    with torch.no_grad():
        for weight in built.parameters():
            weight.add_(torch.randn_like(weight), alpha=0.2)
    return built


def words(built, tokens, side):
    return math.sqrt(D) * getattr(built, f"{side}_embedding").table.weight[tokens]


def run(cell, x, state):
    """One LSTM position of one row, by torch's own cell."""
    weights = (cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh)
    rows = [part.unsqueeze(0) for part in state]
    return [part.squeeze(0) for part in torch.lstm_cell(x.unsqueeze(0), rows, *weights)]


def zeros():
    return [torch.zeros(D, dtype=torch.float64)] * 2


def sentence(row):
    return READ[row][READ[row].ne(0)].tolist(), WRITTEN[row][WRITTEN[row].ne(0)].tolist()


@pytest.mark.parametrize("row", [0, 1, 2])
@pytest.mark.parametrize("reverse", [False, True])
def test_the_deep_decoder_begins_layer_by_layer_where_the_encoder_ended(row, reverse):
    built = model(
        context="first",
        encoder_layers=2,
        decoder_layers=2,
        readout="linear",
        reverse_source=reverse,
    )
    source, target = sentence(row)
    states = [zeros(), zeros()]
    for token in reversed(source) if reverse else source:
        x = words(built, token, "source")
        for layer, cell in enumerate(built.encoder.cells):
            states[layer] = run(cell, x, states[layer])
            x = states[layer][0]
    wanted = []
    for token in target:
        x = words(built, token, "target")
        for layer, cell in enumerate(built.decoder.layers.cells):
            states[layer] = run(cell, x, states[layer])
            x = states[layer][0]
        wanted.append(built.output.weight @ x)
    torch.testing.assert_close(built(READ, WRITTEN)[row, : len(target)], torch.stack(wanted))


@pytest.mark.parametrize("row", [0, 1, 2])
def test_the_summary_enters_every_step_and_the_readout(row):
    built = model(context="every", readout="maxout", cell="gru")
    source, target = sentence(row)
    decoder, cell = built.decoder, built.encoder.cells[0]
    h = torch.zeros(D, dtype=torch.float64)

    def gru(cell, x, h):
        weights = (cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh)
        return torch.gru_cell(x.unsqueeze(0), h.unsqueeze(0), *weights).squeeze(0)

    for token in source:
        h = gru(cell, words(built, token, "source"), h)
    c = torch.tanh(decoder.summary(h))
    s = torch.tanh(decoder.start.maps[0](c))
    wanted = []
    for token in target:
        y = words(built, token, "target")
        s = gru(decoder.layers.cells[0], torch.cat((y, c)), s)
        t = decoder.readout.mix(torch.cat((s, y, c)))
        wanted.append(built.output.weight @ torch.maximum(t[0::2], t[1::2]))
    torch.testing.assert_close(built(READ, WRITTEN)[row, : len(target)], torch.stack(wanted))


@pytest.mark.parametrize("row", [0, 1, 2])
@pytest.mark.parametrize("feeding", [False, True])
@pytest.mark.parametrize("context", ["dot", "general"])
def test_the_attentional_vector_is_luong_s(row, feeding, context):
    built = model(context=context, input_feeding=feeding)
    source, target = sentence(row)
    decoder, state, states = built.decoder, zeros(), []
    for token in source:
        state = run(built.encoder.cells[0], words(built, token, "source"), state)
        states.append(state[0])
    cell = (decoder.layers.layers if feeding else decoder.layers).cells[0]
    said, wanted = torch.zeros(D, dtype=torch.float64), []
    for token in target:
        y = words(built, token, "target")
        state = run(cell, torch.cat((y, said)) if feeding else y, state)
        s = state[0]
        key = decoder.source_attention.key
        scores = torch.stack([s @ (h if key is None else key.weight @ h) for h in states])
        alpha = scores.exp() / scores.exp().sum()
        c = sum(a * h for a, h in zip(alpha, states, strict=True))
        said = torch.tanh(decoder.readout.mix(torch.cat((s, c))))
        wanted.append(built.output.weight @ said)
    torch.testing.assert_close(built(READ, WRITTEN)[row, : len(target)], torch.stack(wanted))


def test_rows_are_turned_around_and_their_padding_is_not():
    order = backwards(READ.ne(0).sum(1), READ.shape[1])
    assert READ.gather(1, order).tolist() == [[3, 7, 6, 5, 4], [3, 4, 8, 0, 0], [3, 0, 0, 0, 0]]


def test_attention_on_a_reversed_source_is_told_in_the_order_of_the_source():
    built, told = model(context="general", reverse_source=True).eval(), []
    built.decoder.source_attention.watcher = told.append
    built(READ, WRITTEN)
    assert not told[0][1, :, :, 3:].any()
    memory, tokens = built.encode(READ).outputs, built.encode(READ.flip(1)[:1]).outputs
    plain = model(context="general", reverse_source=False).eval()
    torch.testing.assert_close(memory[0], plain.encode(READ.flip(1)[:1]).outputs[0].flip(0))
    assert not torch.allclose(memory[0], tokens[0])


@pytest.mark.parametrize(("encoder", "decoder"), [(1, 3), (3, 1), (2, 2)])
@pytest.mark.parametrize("both", [False, True])
def test_the_top_layer_begins_from_the_top_layer(encoder, decoder, both):
    built = model(
        context="first", encoder_layers=encoder, decoder_layers=decoder, bidirectional=both
    )
    last = built.encode(READ).last
    first = built.decoder.start(last)
    assert first.hidden.shape == (decoder, 3, D)
    if not both:
        assert torch.equal(first.hidden[-1], last.hidden[-1])
        assert torch.equal(first.parts[1][0], last.parts[1][max(0, encoder - decoder)])


def test_a_late_gradient_is_the_sum_of_those_of_all_positions():
    torch.manual_seed(1)
    inputs = torch.randn(4, 2, 3, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(3, 5, dtype=torch.float64, requires_grad=True)
    met = torch.randn(3, 2, 5, dtype=torch.float64, requires_grad=True)  # one position is not met

    def early(inputs, weight, met):
        return torch.stack([x + u @ weight.T for x, u in zip(inputs, met, strict=False)]).tanh()

    def late(inputs, weight, met):
        kept = Late(weight)
        prepared, found = kept.prepare(inputs), []
        for x, u in zip(prepared.unbind(), met.unbind(), strict=False):
            kept.meet(u)
            found.append(torch.addmm(x, u, kept.matrix))
        return torch.stack(found).tanh()

    leaves = (inputs, weight, met)
    torch.testing.assert_close(late(*leaves), early(*leaves))
    wanted = torch.autograd.grad(early(*leaves).square().sum(), leaves)
    torch.testing.assert_close(torch.autograd.grad(late(*leaves).square().sum(), leaves), wanted)


def test_a_late_matrix_may_add_to_the_first_gates_only():
    torch.manual_seed(1)
    inputs = torch.randn(3, 2, 6, dtype=torch.float64)
    weight = torch.randn(4, 5, dtype=torch.float64, requires_grad=True)
    met = torch.randn(3, 2, 5, dtype=torch.float64)
    late = Late(weight)
    found = 0.0
    for x, u in zip(late.prepare(inputs).unbind(), met, strict=True):
        late.meet(u)
        gates, other = x.split((4, 2), dim=1)
        found = found + torch.addmm(gates, u, late.matrix).square().sum() + other.sum()
    wanted = (inputs[..., :4] + met @ weight.T).square().sum()
    (expected,) = torch.autograd.grad(wanted, weight)
    torch.testing.assert_close(torch.autograd.grad(found, weight)[0], expected)


@pytest.mark.parametrize("cell", ["rnn", "gru", "gru-update", "lstm"])
@pytest.mark.parametrize("context", ["first", "additive", "general"])
def test_a_recipe_for_bfloat16_leaves_the_recurrence_its_precision(cell, context):
    built = model(cell=cell, context=context).float()
    wanted = built.states(READ, WRITTEN)
    with torch.autocast("cpu", torch.bfloat16):
        found = built.states(READ, WRITTEN)
    assert torch.equal(found, wanted)
    found.sum().backward()
    assert all(weight.grad.isfinite().all() for weight in built.encoder.parameters())


def test_rows_of_a_sentence_share_its_source_while_decoding():
    built = model(context="additive").eval()
    state = built.begin(READ)
    repeated = built.reorder(state, torch.tensor([0, 0, 1, 1, 2, 2]))
    assert repeated.rows_per_source == 2
    assert repeated.source is state.source
    apart = built.reorder(state, torch.tensor([0, 1, 1]))
    assert apart.rows_per_source == 1


REFUSED = {
    "dot needs one direction": (
        {"context": "dot", "bidirectional": True},
        "Set context = 'general' or bidirectional = false.",
    ),
    "feeding needs a product": (
        {"context": "additive", "input_feeding": True},
        "input_feeding is for context 'dot' or 'general', not 'additive'.",
    ),
    "a width of what is not there": (
        {"context": "general", "attention_width": 4},
        "attention_width is for context 'additive', and context is 'general'. Leave it out.",
    ),
    "tied but unequal": (
        {"tied": "target", "readout_width": 4},
        "Leave readout_width out or set tied = 'none'.",
    ),
}


@pytest.mark.parametrize(("changes", "said"), REFUSED.values(), ids=REFUSED.keys())
def test_settings_that_do_not_fit_are_refused_with_a_way_out(changes, said):
    with pytest.raises(ValueError, match="Value error") as error:
        RecurrentSettings(**changes)
    assert said in str(error.value)


def test_tying_all_needs_one_vocabulary():
    with pytest.raises(ConfigError, match="Set tokenizer.shared = true or model.tied = 'target'"):
        RecurrentTranslator(RecurrentSettings(width=8), 30, 31)


@pytest.mark.parametrize("tied", ["all", "target", "none"])
@pytest.mark.parametrize("embedding", [None, 4])
def test_matrices_are_tied_as_the_settings_say(tied, embedding):
    built = model(tied=tied, embedding_width=embedding)
    source, target = built.source_embedding.table.weight, built.target_embedding.table.weight
    assert (source is target) == (tied == "all")
    assert (built.output.weight is target) == (tied != "none")
    assert built.output.in_features == (D if tied == "none" else embedding or D)


def test_a_state_of_another_decoder_is_refused():
    state = model(context="first").begin(READ)
    for context in ("every", "additive", "general"):
        with pytest.raises(ValueError, match="begun by another decoder"):
            model(context=context).step(WRITTEN[:, 0], state)
