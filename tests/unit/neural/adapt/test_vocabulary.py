"""New entries at the end of a vocabulary."""

import pytest
import torch
from tests.adapted import (
    WORDS,
    copies,
    decoder_only,
    encoder,
    read,
    recurrent,
    scores,
    train,
    transformer,
    written,
)

from dragoman.config.recurrent_text import RecurrentLanguageSettings
from dragoman.core.errors import ShapeError
from dragoman.neural.adapt.vocabulary import grow_vocabulary
from dragoman.neural.models.recurrent_language_model import RecurrentLanguageModel

MORE = WORDS + 7
MODELS = {
    "transformer, tied": transformer,
    "transformer, target tied": lambda: transformer(tied="target", output_bias=True),
    "transformer, untied": lambda: transformer(tied="none", output_bias=True),
    "decoder-only": lambda: decoder_only(positions="learned"),
    "decoder-only, untied": lambda: decoder_only(tied=False),
    "recurrent": recurrent,
    "recurrent, untied": lambda: recurrent(tied="none", embedding_width=10),
    "encoder": lambda: encoder(tied=True),
}
EVERY = pytest.mark.parametrize("build", MODELS.values(), ids=MODELS.keys())


def grown(build):
    model = build()
    torch.manual_seed(7)
    grow_vocabulary(model, MORE, MORE)
    return model


@EVERY
def test_old_rows_stay_and_nothing_else_changes(build):
    before, after = copies(build()), copies(grown(build))
    assert before.keys() == after.keys()
    longer = set()
    for name, old in before.items():
        assert torch.equal(after[name][: len(old)], old), name
        if len(after[name]) > len(old):
            assert after[name].shape == (MORE, *old.shape[1:])
            longer.add(name)
    assert longer == {name for name, old in before.items() if len(old) == WORDS}


@EVERY
def test_new_rows_are_the_mean_of_the_old_with_a_little_noise(build):
    before, after = copies(build()), copies(grown(build))
    for name, old in before.items():
        new = after[name][WORDS:]
        if len(old) != WORDS:
            continue
        away = (new - old.mean(0)) / old.std(0, unbiased=False)
        assert 0.005 < away.std() < 0.015
        assert away.abs().max() < 0.05
        assert len(new.unique(dim=0)) == 7


@EVERY
def test_old_words_are_scored_as_before(build):
    old, new = build(), grown(build)
    if hasattr(old, "classes_head"):
        torch.testing.assert_close(scores(new), scores(old))
        torch.testing.assert_close(new(read())[..., :WORDS], old(read()))
    else:
        torch.testing.assert_close(scores(new)[..., :WORDS], scores(old))


@pytest.mark.parametrize("build", [transformer, decoder_only, recurrent])
def test_at_first_new_words_take_next_to_nothing(build):
    new = scores(grown(build)).softmax(-1)[..., WORDS:].sum(-1)
    assert new.max() < 7 / WORDS


def test_what_is_tied_stays_tied():
    model = grown(transformer)
    assert model.source_embedding.table is model.target_embedding.table
    assert model.output.weight is model.target_embedding.table.weight
    assert model.output.out_features == model.target_embedding.table.num_embeddings == MORE
    model = grown(MODELS["transformer, target tied"])
    assert model.output.weight is model.target_embedding.table.weight
    assert model.source_embedding.table.weight is not model.output.weight


@pytest.mark.parametrize("build", [transformer, decoder_only, recurrent])
def test_new_words_can_be_read_written_and_learned(build):
    model = grown(build)
    source, target = read(), written()
    source[0, 0] = target[0, 1] = MORE - 1
    assert model(source, target).shape == (3, 5, MORE)
    log_probabilities, _ = model.step(target[:, 1], model.begin(source))
    assert log_probabilities.shape == (3, MORE)
    losses = train(model)
    assert losses[-1] < losses[0]


def test_each_side_may_grow_by_itself():
    model = transformer(tied="none")
    grow_vocabulary(model, WORDS, MORE)
    assert model.source_embedding.table.num_embeddings == WORDS
    assert model.output.out_features == MORE


def test_a_language_model_has_one_side():
    settings = RecurrentLanguageSettings(embedding_width=8, width=8, dropout=0.0)
    model = RecurrentLanguageModel(settings, WORDS)
    wanted = model(written())
    grow_vocabulary(model, MORE, MORE)
    assert model.output.weight is model.embedding.weight
    torch.testing.assert_close(model(written())[..., :WORDS], wanted)


def test_two_sizes_for_one_matrix_are_refused():
    with pytest.raises(ShapeError, match="one matrix serves two sides, which cannot have 37 and 3"):
        grow_vocabulary(transformer(), MORE, MORE + 1)


def test_a_vocabulary_does_not_shrink():
    with pytest.raises(ShapeError, match="a vocabulary of 30 entries cannot shrink to 29"):
        grow_vocabulary(decoder_only(), 29, 29)
