"""Keys and values before every text."""

import math

import pytest
import torch
from tests.adapted import (
    MODERN,
    POSITIONS,
    WORDS,
    changed,
    copies,
    decoder_only,
    encoder,
    loss,
    read,
    recurrent,
    scores,
    train,
    transformer,
    written,
)

from dragoman.config.start import PrefixStart
from dragoman.core.errors import ConfigError
from dragoman.neural.adapt.parts import trainable_count, trainable_parameters
from dragoman.neural.adapt.prefix import (
    LearnedPrefix,
    ReparametrisedPrefix,
    apply_prefix,
    attentions,
    prefixed_attentions,
    settle,
)
from dragoman.neural.layers.attention import attend_written_out

PREFIX = PrefixStart(run="base", length=3)
THROUGH = PREFIX.model_copy(update={"projection_width": 7})
MODELS = {
    "transformer": transformer,
    "decoder-only": decoder_only,
    "decoder-only, modern": lambda: decoder_only(**MODERN),
    "encoder": encoder,
}
EVERY = pytest.mark.parametrize("build", MODELS.values(), ids=MODELS.keys())
WAYS = pytest.mark.parametrize("changes", POSITIONS.values(), ids=POSITIONS.keys())
FEW = pytest.mark.parametrize("name", ["learned", "rotary, shared keys", "relative", "shaw"])
WRITERS = pytest.mark.parametrize("build", [transformer, decoder_only])


@torch.no_grad()
def learned(model, settings=PREFIX):
    """Put a prefix before a network that has its say, as after training."""
    torch.manual_seed(9)
    apply_prefix(model, settings)
    for attention in prefixed_attentions(model).values():
        for weight in attention.prefix.parameters():
            weight.normal_()
    return model


def by_hand(attention, x, mask):
    """Attend as the paper has it: [P_k; K] and [P_v; V], where P stands nowhere."""
    groups, count = attention.key_value_heads, x.shape[1]
    queries = attention.query(x).unflatten(2, (attention.heads, -1)).transpose(1, 2)
    keys = attention.key(x).unflatten(2, (groups, -1)).transpose(1, 2)
    values = attention.value(x).unflatten(2, (groups, -1)).transpose(1, 2)
    if attention.rotary is not None:
        queries, keys = attention.rotary(queries), attention.rotary(keys)
    place = torch.arange(count)[None]
    gains = attention.offsets(queries, place, place) if attention.offsets is not None else 0.0
    virtual_keys, virtual_values = attention.prefix()
    mixed = []
    for head in range(attention.heads):
        group = head * groups // attention.heads
        q, scale = queries[:, head], math.sqrt(queries.shape[-1])
        real = q @ keys[:, group].transpose(1, 2) / scale
        if attention.offsets is not None:
            real = real + gains[:, head]
        real = real.masked_fill(~mask, -math.inf)
        virtual = q @ virtual_keys[group].T / scale
        weights = torch.cat((virtual, real), -1).softmax(-1)
        before = virtual_values[group].expand(len(x), -1, -1)
        mixed.append(weights @ torch.cat((before, values[:, group]), 1))
    return attention.output(torch.cat(mixed, -1))


@WAYS
@torch.no_grad()
def test_the_equation_in_a_causal_layer(changes):
    attention = learned(decoder_only(**changes)).layers[0].attention
    x = torch.randn(2, 5, 12)
    past = torch.ones(5, 5, dtype=torch.bool).tril()
    torch.testing.assert_close(attention(x, x, causal=True), by_hand(attention, x, past))


@WAYS
@torch.no_grad()
def test_the_equation_with_padding(changes):
    attention = learned(transformer(**changes)).encoder[1].attention
    x = torch.randn(2, 5, 12)
    seen = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0]]).bool()[:, None]
    torch.testing.assert_close(attention(x, x, seen), by_hand(attention, x, seen))


@torch.no_grad()
def test_the_kernel_and_the_equation_agree_behind_a_prefix():
    attention = learned(decoder_only()).layers[0].attention
    x = torch.randn(2, 5, 12)
    mask = torch.ones(2, 1, 5, dtype=torch.bool)
    mask[0, :, 3:] = False
    for seen in (None, mask):
        fast = attention(x, x, seen, causal=True)
        attention.attend = attend_written_out
        torch.testing.assert_close(attention(x, x, seen, causal=True), fast)


@EVERY
def test_without_its_prefix_the_network_is_what_it_was(build):
    model = build()
    before = scores(model)
    learned(model)
    assert (scores(model) - before).abs().max() > 1e-3
    for attention in prefixed_attentions(model).values():
        attention.prefix = None
    assert torch.equal(scores(model), before)


@EVERY
@pytest.mark.parametrize("settings", [PREFIX, THROUGH], ids=["plain", "through"])
def test_only_the_prefix_learns(build, settings):
    model = build()
    base = copies(model)
    apply_prefix(model, settings)
    before = copies(model)
    losses = train(model, steps=6, rate=0.1)
    assert min(losses) < losses[0]
    assert not changed(base, model)
    assert changed(before, model) == set(trainable_parameters(model))
    assert all(".prefix." in name for name in trainable_parameters(model))


def test_an_encoder_decoder_has_a_prefix_in_all_three_attentions():
    kinds = attentions(transformer())
    assert {kind: [*found] for kind, found in kinds.items()} == {
        "reading": ["encoder.0.attention", "encoder.1.attention"],
        "writing": ["decoder.0.attention", "decoder.1.attention"],
        "across": ["decoder.0.source_attention", "decoder.1.source_attention"],
    }
    model = learned(transformer())
    wanted = scores(model)
    for found in attentions(model).values():
        kept = {name: attention.prefix for name, attention in found.items()}
        for attention in found.values():
            attention.prefix = None
        assert (scores(model) - wanted).abs().max() > 1e-3
        for name, attention in found.items():
            attention.prefix = kept[name]
    assert torch.equal(scores(model), wanted)


def test_the_count():
    model = decoder_only(**MODERN)  # one head of keys, 4 wide
    apply_prefix(model, PREFIX)
    assert trainable_count(model) == 2 * 3 * (4 + 4)
    model = transformer()
    apply_prefix(model, PREFIX)
    assert trainable_count(model) == 6 * 3 * (12 + 12)
    model = transformer()
    apply_prefix(model, THROUGH)
    shared = 3 * 12 + (12 + 1) * 7  # P' and W₁, for reading, writing and across
    assert trainable_count(model) == 3 * shared + 6 * (7 + 1) * (12 + 12)


def steps(model, state, tokens):
    found = []
    for each in tokens.unbind(1):
        log_probabilities, state = model.step(each, state)
        found.append(log_probabilities)
    return torch.stack(found, 1), state


@WRITERS
@FEW
def test_step_by_step_equals_all_at_once(build, name):
    model = learned(build(**POSITIONS[name]))
    found, _ = steps(model, model.begin(read()), written())
    wanted = scores(model).log_softmax(-1)
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-4)


@WRITERS
@FEW
def test_beams_may_be_turned_repeated_and_dropped(build, name):
    model = learned(build(**POSITIONS[name]))
    _, state = steps(model, model.begin(read()), written()[:, :2])
    rows = torch.tensor([0, 0, 2, 2])
    more = torch.tensor([[11, 12], [13, 14], [15, 16], [17, 18]])
    found, state = steps(model, model.reorder(state, rows), more[:, :1])
    turn = torch.tensor([1, 0, 3, 2])
    then, _ = steps(model, model.reorder(state, turn), more[turn, 1:])
    prefix = torch.cat((written()[rows, :2], more), 1)
    wanted = model(read()[rows], prefix).log_softmax(-1)
    torch.testing.assert_close(found, wanted[:, 2:3], atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(then, wanted[turn, 3:4], atol=1e-5, rtol=1e-4)


@WRITERS
@FEW
def test_neither_padding_nor_the_future_nor_other_rows_are_seen(build, name):
    model = learned(build(**POSITIONS[name]))
    wanted = scores(model)
    padded = torch.cat((read(), torch.zeros(3, 3, dtype=torch.long)), 1)
    torch.testing.assert_close(model(padded, written()), wanted, atol=1e-5, rtol=1e-4)
    other = written()
    other[:, 3:] = 17
    torch.testing.assert_close(model(read(), other)[:, :3], wanted[:, :3], atol=1e-5, rtol=1e-4)
    alone = model(read()[2:, :2], written()[2:])
    torch.testing.assert_close(alone, wanted[2:], atol=1e-5, rtol=1e-4)


def test_learned_positions_have_as_much_room_as_before():
    model = learned(transformer(positions="learned", max_positions=6))
    assert model.room(read()).tolist() == [6, 6, 6]
    assert model(read(), torch.full((3, 6), 11)).shape == (3, 6, WORDS)


def test_documents_of_one_row_are_read_as_if_alone():
    model = learned(decoder_only())
    one, other = torch.tensor([[2, 11, 12, 3]]), torch.tensor([[2, 13, 14, 15, 3]])
    documents = torch.tensor([[1] * 4 + [2] * 5])
    packed = model.read(torch.cat((one, other), 1), documents)
    torch.testing.assert_close(packed[:, :4], model.read(one), atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(packed[:, 4:], model.read(other), atol=1e-5, rtol=1e-4)


def test_the_watcher_is_told_what_goes_to_real_positions():
    attention, told = learned(decoder_only()).layers[0].attention, []
    x = torch.randn(2, 4, 12)
    seen = attention(x, x, causal=True)
    attention.watcher = told.append
    assert torch.equal(attention(x, x, causal=True), seen)
    (weights,) = told
    assert weights.shape == (2, 2, 4, 4)
    assert weights.triu(1).eq(0).all()
    assert weights.sum(-1).lt(1).all()


def test_the_network_of_the_paper():
    model = learned(transformer(), THROUGH)
    attention = model.decoder[1].source_attention
    prefix = attention.prefix
    made = torch.tanh(prefix.source.table @ prefix.source.inner.weight.T + prefix.source.inner.bias)
    made = (made @ prefix.output.weight.T + prefix.output.bias).view(3, 2, 12)  # m heads k+k
    keys, values = prefix()
    torch.testing.assert_close(keys, made[..., :6].transpose(0, 1))
    torch.testing.assert_close(values, made[..., 6:].transpose(0, 1))
    sources = {id(layer.source_attention.prefix.source) for layer in model.decoder}
    others = {id(layer.attention.prefix.source) for layer in (*model.decoder, *model.encoder)}
    assert len(sources) == 1
    assert len(others) == 2
    assert not sources & others


@EVERY
def test_settled_it_is_the_same_without_the_network_that_made_it(build):
    model = learned(build(), THROUGH)
    wanted = scores(model)
    settle(model)
    assert torch.equal(scores(model), wanted)
    kinds = {type(attention.prefix) for attention in prefixed_attentions(model).values()}
    assert kinds == {LearnedPrefix}
    assert not any(isinstance(part, ReparametrisedPrefix) for part in model.modules())
    assert {name.rpartition(".")[2] for name in trainable_parameters(model)} == {"keys", "values"}


@pytest.mark.parametrize("settings", [PREFIX, THROUGH], ids=["plain", "through"])
def test_recomputed_layers_give_the_same_gradients(settings):
    model = learned(transformer(), settings).train()
    found = []
    for again in (False, True):
        model.checkpointing = again
        model.zero_grad()
        loss(model).backward()
        found.append({n: w.grad.clone() for n, w in trainable_parameters(model).items()})
    torch.testing.assert_close(found[0], found[1])
    assert all(gradient.any() for gradient in found[0].values())


def test_with_dropout_on_the_weights_it_can_still_be_trained():
    model = learned(decoder_only(attention_dropout=0.4))
    losses = train(model, steps=2)
    assert all(math.isfinite(each) for each in losses)


def test_fewer_digits_are_enough():
    model = learned(transformer())
    with torch.autocast("cpu", torch.bfloat16):
        found = scores(model)
    torch.testing.assert_close(found.float(), scores(model), atol=0.2, rtol=0.2)


def test_what_is_new_or_named_is_trained_too():
    model = encoder()
    apply_prefix(model, PREFIX.model_copy(update={"trainable": ("pooler",)}), new=["classes_head"])
    named = {name for name in trainable_parameters(model) if ".prefix." not in name}
    assert named == {"pooler.weight", "pooler.bias", "classes_head.weight", "classes_head.bias"}


def test_a_recurrent_network_is_refused():
    with pytest.raises(ConfigError) as error:
        apply_prefix(recurrent(), PREFIX)
    assert str(error.value) == (
        "start.method = 'prefix' is for the attention of Transformer layers, and this network has "
        "none. Use 'full' or 'frozen'."
    )


def test_a_second_prefix_is_refused():
    with pytest.raises(ConfigError, match="has a prefix already"):
        apply_prefix(learned(decoder_only()), PREFIX)
