import pytest
import torch
from tests.oracles import scramble

from dragoman.config.encoder import EncoderSettings
from dragoman.core.errors import ConfigError, DataError
from dragoman.neural.layers.attention import Attention
from dragoman.neural.models.encoder import Encoder
from dragoman.neural.objectives.cross_entropy import cross_entropy

WORDS, PADDING = 23, 0
SMALL = {"width": 8, "heads": 2, "ffn_width": 12, "layers": 2, "max_positions": 10}
EVERYTHING = {"segments": 2, "pooler": True, "next_sentence_head": True, "classes": 3}
POSITIONS = ["none", "sinusoidal", "learned", "rotary", "alibi", "relative", "t5", "shaw"]
HABITS = {
    "as bert": {},
    "norm before": {"norm": "pre", "embedding_norm": False},
    "modern": {"norm": "pre", "normalization": "rms", "activation": "swiglu", "biases": False},
    "untied": {"tied": False, "output_bias": False, "scale_embeddings": True},
    **{kind: {"positions": kind} for kind in POSITIONS if kind != "learned"},
}


def encoder(**changes):
    torch.manual_seed(3)
    return scramble(Encoder(EncoderSettings(**{**SMALL, **changes}), WORDS)).eval()


def batch():
    torch.manual_seed(4)
    tokens = torch.randint(4, WORDS, (3, 7))
    tokens[1, 5:] = tokens[2, 2:] = PADDING
    return tokens


@pytest.mark.parametrize("habit", HABITS)
@torch.no_grad()
def test_padding_changes_nothing(habit):
    model, tokens = encoder(**HABITS[habit]), batch()
    states = model.states(tokens)
    for row, length in enumerate((7, 5, 2)):
        alone = model.states(tokens[row : row + 1, :length])
        torch.testing.assert_close(states[row, :length], alone[0], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("positions", POSITIONS)
@torch.no_grad()
def test_documents_in_one_row_are_read_as_if_each_stood_alone(positions):
    model = encoder(positions=positions, **EVERYTHING)
    one, other, third = (torch.randint(4, WORDS, (1, length)) for length in (4, 1, 3))
    sides = torch.randint(2, (1, 8))
    packed = torch.cat((one, other, third, torch.zeros(1, 2, dtype=torch.int64)), dim=1)
    documents = torch.tensor([[1, 1, 1, 1, 2, 3, 3, 3, 0, 0]])
    padded_sides = torch.cat((sides, torch.zeros_like(sides[:, :2])), dim=1)
    together = model.states(packed, segments=padded_sides, documents=documents)
    assert together.isfinite().all()
    parts = zip((one, other, third), sides.split([4, 1, 3], 1), strict=True)
    apart = [model.states(part, segments=side) for part, side in parts]
    torch.testing.assert_close(together[:, :8], torch.cat(apart, dim=1), atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_one_document_is_no_document():
    model, tokens = encoder(), batch()
    real = tokens.ne(PADDING)
    torch.testing.assert_close(
        model.states(tokens, documents=real.long())[real], model.states(tokens)[real]
    )


@torch.no_grad()
def test_later_tokens_change_earlier_states_and_earlier_ones_later():
    model, tokens = encoder(), batch()[:1]
    before = model.states(tokens)
    for place in (0, 6):
        changed = tokens.clone()
        changed[0, place] = 4 if tokens[0, place] != 4 else 5
        moved = (model.states(changed) - before).abs().amax(dim=2)[0]
        assert (moved > 1e-4).all()


@torch.no_grad()
def test_segments_tell_two_texts_apart():
    model, tokens = encoder(segments=2), batch()[:1]
    second = torch.tensor([[0, 0, 0, 0, 1, 1, 1]])
    first = model.states(tokens, segments=torch.zeros_like(second))
    assert torch.equal(first, model.states(tokens))
    assert (model.states(tokens, segments=second) - first).abs().max() > 1e-2


@pytest.mark.parametrize("habit", HABITS)
def test_the_gradient_reaches_every_parameter(habit):
    changes = {**EVERYTHING, **HABITS[habit], "max_positions": 7, "max_relative_position": 2}
    model = encoder(**changes, buckets=4, max_bucket_distance=3).train()
    tokens, sides = batch(), torch.randint(2, (3, 7))
    states = model.states(tokens, segments=sides)
    scores = (model.words(states), model.follows(model.pooled(states)))
    chosen = (*scores, model.classify(tokens, segments=sides))
    sum((score**2).sum() for score in chosen).backward()
    assert [name for name, weight in model.named_parameters() if weight.grad is None] == []
    untouched = {name for name, weight in model.named_parameters() if not weight.grad.any()}
    # Softmax is blind to what is the same for all keys, so a bias of keys has no slope but noise.
    assert {name for name in untouched if "attention.key.bias" not in name} == set()


def test_recomputing_layers_changes_no_gradient():
    model, tokens = encoder(dropout=0.0).train(), batch()
    slopes = []
    for again in (False, True):
        model.checkpointing = again
        model.zero_grad()
        (model.states(tokens) ** 2).sum().backward()
        slopes.append([w.grad.clone() for w in model.layers.parameters()])
    for one, other in zip(*slopes, strict=True):
        torch.testing.assert_close(one, other)


def test_the_objective_of_translators_fits_hidden_words_too():
    model, tokens = encoder(), batch()
    labels = torch.where(torch.rand(tokens.shape).lt(0.4), tokens, PADDING)
    states = model.word_states(model.states(tokens))
    loss = cross_entropy(
        states, model.output.weight, labels, padding=PADDING, bias=model.output.bias
    )
    log_p = model(tokens).log_softmax(dim=-1)
    asked = labels.ne(PADDING)
    wanted = -log_p[asked].gather(1, labels[asked][:, None]).sum()
    torch.testing.assert_close(loss.nats, wanted.detach())
    assert loss.positions == asked.sum()


def test_one_matrix_reads_and_writes_words_unless_there_are_two():
    tied, untied = encoder(), encoder(tied=False)
    assert tied.output.weight is tied.embedding.table.weight
    assert untied.output.weight is not untied.embedding.table.weight


def test_every_attention_can_be_watched():
    model, tokens = encoder(), batch()
    seen = []
    layers = [module for module in model.modules() if isinstance(module, Attention)]
    before = model.states(tokens)
    for layer in layers:
        layer.watcher = seen.append
    assert torch.equal(model.states(tokens), before)
    assert [tuple(weights.shape) for weights in seen] == [(3, 2, 7, 7)] * len(layers)
    for weights in seen:
        torch.testing.assert_close(weights.sum(-1), torch.ones(3, 2, 7))
        assert not weights[2, :, :, 2:].any()


def test_shapes_are_known_without_weights():
    with torch.device("meta"):
        model = Encoder(EncoderSettings(**SMALL, **EVERYTHING), WORDS)
        tokens = torch.zeros(3, 7, dtype=torch.int64)
        assert model(tokens).shape == (3, 7, WORDS)
        assert model.classify(tokens).shape == (3, 3)


def test_every_norm_has_the_epsilon_of_the_settings():
    model = encoder(norm_epsilon=1e-12, norm="pre", pooler=True)
    norms = [module.eps for module in model.modules() if isinstance(module, torch.nn.LayerNorm)]
    assert norms == [1e-12] * 7


def test_dropout_falls_on_the_embeddings_and_the_pooled_state_in_training_only():
    model, tokens = encoder(dropout=0.5, pooler=True, classes=3), batch()
    assert torch.equal(model.classify(tokens), model.classify(tokens))
    model.train()
    assert model.embedding(tokens).eq(0).float().mean() > 0.3
    assert not torch.equal(model.classify(tokens), model.classify(tokens))


@pytest.mark.parametrize(
    ("missing", "ask", "key"),
    [
        ({"lm_head": "none"}, lambda model, states: model.words(states), "lm_head = 'bert'"),
        ({}, lambda model, states: model.pooled(states), "pooler = true"),
        ({}, lambda model, states: model.follows(states[:, 0]), "next_sentence_head = true"),
        ({}, lambda model, states: model.classify(batch()), "classes to their number"),
    ],
)
def test_what_an_encoder_was_made_without_is_named(missing, ask, key):
    model = encoder(**missing)
    with pytest.raises(ConfigError, match=rf"Set model\.{key}\."):
        ask(model, model.states(batch()))


@pytest.mark.parametrize("key", ["next_sentence_head", "classes"])
def test_judging_a_text_needs_the_pooler(key):
    with pytest.raises(ValueError, match=rf"{key} judges a text .* Set pooler = true"):
        EncoderSettings(**{key: 2 if key == "classes" else True})


def test_a_row_longer_than_the_learned_positions_is_refused():
    with pytest.raises(DataError, match="a sequence of 11 tokens is longer than the 10 positions"):
        encoder().states(torch.full((1, 11), 5))
