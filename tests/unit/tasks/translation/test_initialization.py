"""A network that begins with a dictionary."""

from dataclasses import replace

import pytest
import torch

from dragoman.config.reading import read_recipe
from dragoman.core.errors import ConfigError
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.words import WordTokenizer
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.tasks.translation.initialization import begin_model
from dragoman.tasks.translation.prepare import prepare

DICTIONARY = ["model.initialization=dictionary", "model.positions=relative", "model.width=24"]
WORDS = {"sun": "sol", "moon": "luna", "sea": "mar", "sky": "cielo", "cat": "gato", "dog": "perro"}


@pytest.fixture
def translated(recipe):
    """The tiny corpus with words of another language on the target side."""
    pairs = [line.split("\t") for line in (recipe.parent / "corpus.tsv").read_text().splitlines()]
    lines = [
        f"{source}\t{' '.join(WORDS.get(word, word.upper()) for word in target.split())}\n"
        for source, target in pairs
    ]
    (recipe.parent / "corpus.tsv").write_text("".join(lines))
    return recipe


@pytest.mark.parametrize("tied", ["all", "target", "none"])
def test_a_word_and_its_translation_begin_alike(translated, tmp_path, tied):
    recipe = read_recipe(translated, [*DICTIONARY, f"model.tied={tied}", "tokenizer.kind=words"])
    recipe = recipe.model_copy(
        update={"tokenizer": recipe.tokenizer.model_copy(update={"shared": tied == "all"})}
    )
    prepared = prepare(RunFolder(tmp_path / "run"), recipe)
    model, words = begin_model(recipe, prepared), prepared.tokenizer
    source, target = model.source_embedding.table.weight, model.target_embedding.table.weight
    for english, spanish in WORDS.items():
        likeness = torch.cosine_similarity(
            source[words.source.ids[english]], target[[words.target.ids[w] for w in WORDS.values()]]
        )
        assert [*WORDS.values()][likeness.argmax()] == spanish


@pytest.mark.parametrize("model", ["transformer", "recurrent", "decoder-only"])
def test_two_vocabularies_of_one_size_are_not_taken_for_one(recipe, tmp_path, model):
    changes = [f"model={{kind = '{model}', width = 16}}"]
    words = "tokenizer={kind = 'words', shared = false}"
    chosen = read_recipe(recipe, [*changes, words])
    prepared = prepare(RunFolder(tmp_path / "run"), chosen)
    source = prepared.tokenizer.source
    turned = WordTokenizer(source.learned[::-1])
    assert source.size == turned.size
    prepared = replace(prepared, tokenizer=TokenizerPair(source, turned))
    with pytest.raises(ConfigError, match="one shared vocabulary, and here each side has its own"):
        begin_model(chosen, prepared)


def test_the_source_attention_begins_by_passing_on_what_it_sees(recipe, tmp_path):
    chosen = read_recipe(recipe, DICTIONARY)
    model = begin_model(chosen, prepare(RunFolder(tmp_path / "run"), chosen))
    attention = model.decoder[0].source_attention
    passed = attention.output.weight @ attention.value.weight
    diagonal = passed.diagonal().mean()
    assert diagonal > 3 * (passed - passed.diagonal().diag()).abs().mean()


def test_it_begins_the_same_every_time(recipe, tmp_path):
    chosen = read_recipe(recipe, DICTIONARY)
    prepared = prepare(RunFolder(tmp_path / "run"), chosen)
    first, second = (begin_model(chosen, prepared).state_dict() for _ in range(2))
    assert all(torch.equal(weight, second[name]) for name, weight in first.items())


def test_two_vocabularies_with_the_same_entries_may_share_a_matrix(recipe, tmp_path):
    chosen = read_recipe(recipe, ["tokenizer={kind = 'words', shared = false}"])
    prepared = prepare(RunFolder(tmp_path / "run"), chosen)
    source = prepared.tokenizer.source
    alike = TokenizerPair(source, WordTokenizer(source.learned))
    model = begin_model(chosen, replace(prepared, tokenizer=alike))
    assert model.source_embedding.table is model.target_embedding.table
