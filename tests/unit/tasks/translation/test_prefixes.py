"""A translation that must begin with given words begins with them."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.config.tokenizer import CharacterTokenizerSettings, WordTokenizerSettings
from dragoman.core.errors import DataError
from dragoman.data.formats.pair import Pair
from dragoman.data.tokenizer.train import train_tokenizer_pair
from dragoman.engine.build import build_model
from dragoman.tasks.translation.bare_translator import BareTranslator


@pytest.fixture(scope="module")
def translator(tiny):
    return BareTranslator.load(tiny.run)


@settings(max_examples=10, deadline=None)
@given(st.lists(st.text(max_size=8) | st.sampled_from(["sun", "Zürich", "e\u0301t"]), max_size=3))
def test_the_output_begins_with_any_words(translator, words):
    prefix = " ".join(words)
    wanted = " ".join(prefix.replace("\x00", "").split())
    for beam in (1, 3):
        found = translator.translate("sun moon sea", beam=beam, prefix=prefix)
        assert found.startswith(wanted)
        assert unicodedata.normalize("NFC", found).startswith(unicodedata.normalize("NFC", wanted))


def test_without_words_nothing_changes(translator):
    texts = ["sun moon", "red blue cat dog", "", "sea"]
    free = translator.candidates(texts, nbest=2)
    assert translator.candidates(texts, nbest=2, prefixes=["", " ", "cat", ""]) == free


@pytest.mark.parametrize("beam", [1, 3])
def test_the_prefixes_of_others_change_nothing(tiny, beam):
    translator = BareTranslator.load(tiny.run)
    translator.model.double()
    texts = ["sun moon", "red blue cat dog", "sea", "sun moon"]
    prefixes = ["", "dog cat", "my sea is", "moon"]
    together = translator.candidates(texts, beam=beam, prefixes=prefixes)
    alone = [
        translator.translate(text, beam=beam, prefix=prefix)
        for text, prefix in zip(texts, prefixes, strict=True)
    ]
    assert [best.text for (best, *_) in together] == alone


def test_the_words_belong_to_the_first_part_of_a_long_text(translator):
    text = " ".join(["sun moon sea."] * 6)
    found = translator.translate(text, beam=1, prefix="my cat")
    assert found.startswith("my cat")
    assert found.count("my cat") == 1
    alone = translator.translate("sun moon sea.", beam=1)
    assert found.endswith(alone)


@pytest.mark.parametrize("kind", [WordTokenizerSettings(), CharacterTokenizerSettings()])
def test_words_that_no_vocabulary_knows_come_out_as_they_were_told(translator, tiny, kind):
    from dragoman.config.reading import read_recipe

    tokenizer = train_tokenizer_pair(kind, [Pair("sun moon", "moon sun")] * 3)
    recipe = read_recipe(tiny.run / "recipe.toml")
    other = BareTranslator(
        build_model(recipe.model, tokenizer, 1).eval(),
        tokenizer,
        recipe.decoding,
        longest=20,
        device=translator.device,
    )
    assert other.translate("sun", prefix="Qué sun!").startswith("Qué sun!")


def test_each_text_needs_one(translator):
    with pytest.raises(DataError, match=r"1 prefixes for 2 texts. Give each text one"):
        translator.candidates(["sun", "moon"], prefixes=["a"])
