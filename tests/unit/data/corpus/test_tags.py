"""Tags: which language to write, said by one symbol before the source."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.config.corpus import FilesCorpus, GrammarCorpus, SeveralCorpus
from dragoman.config.tokenizer import (
    BpeTokenizerSettings,
    CharacterTokenizerSettings,
    WordPieceTokenizerSettings,
    WordTokenizerSettings,
)
from dragoman.core.errors import ConfigError
from dragoman.data.corpus.tags import (
    MARK,
    directions,
    in_words,
    set_names,
    tag,
    tagged,
    tagging,
    written_languages,
)
from dragoman.data.formats.pair import Pair
from dragoman.data.tokenizer.special_tokens import PLACEHOLDER_IDS, PLACEHOLDERS
from dragoman.data.tokenizer.train import train_tokenizer_pair


def part(source="en", target="es", **others):
    return FilesCorpus(train="x", source_language=source, target_language=target, **others)


BOTH = part(both_ways=True)
KINDS = (
    BpeTokenizerSettings,
    CharacterTokenizerSettings,
    WordTokenizerSettings,
    WordPieceTokenizerSettings,
)


def test_languages_are_numbered_from_the_last_placeholder_in_the_order_of_the_recipe():
    several = SeveralCorpus(parts=(part("en", "hi"), part("en", "es", both_ways=True)))
    assert written_languages(several) == ("en", "hi", "es")
    assert [tag(several, name) for name in ("en", "hi", "es")] == ["｟31｠", "｟30｠", "｟29｠"]
    assert directions(several) == [("en", "hi"), ("en", "es"), ("es", "en")]
    assert in_words(several) == "en to hi, en to es and es to en"


@pytest.mark.parametrize(
    "corpus",
    [part(), GrammarCorpus(), SeveralCorpus(parts=(part("es", "en"), part("fr", "en")))],
)
def test_where_one_language_is_written_there_are_no_tags(corpus):
    assert written_languages(corpus) == ()
    assert tag(corpus, "en") == tag(corpus, "es") == ""
    assert tagging(corpus, None)("｟31｠ Hello") == ("", "｟31｠ Hello")


def test_fifteen_languages_can_be_told_apart_and_no_more():
    parts = tuple(part("en", f"l{number}") for number in range(16))
    fifteen = SeveralCorpus(parts=parts[:15])
    tags = [tag(fifteen, f"l{number}") for number in range(15)]
    assert tags == [*reversed(PLACEHOLDERS[17:])]
    assert PLACEHOLDERS[15] == MARK
    with pytest.raises(ConfigError, match="writes 16 languages, and tags tell 15 apart"):
        written_languages(SeveralCorpus(parts=parts))


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: kind.__name__)
def tokenizer(request):
    pairs = [
        Pair("｟31｠ the lower the better", "mejor"),
        Pair("｟30｠ ｟15｠ mejor", "better"),
    ] * 5
    return train_tokenizer_pair(request.param(vocab_size=330), pairs)


@settings(max_examples=100, deadline=None)
@given(text=st.text(st.characters(codec="utf-8")))
def test_a_tag_costs_exactly_one_number_and_changes_no_other(tokenizer, text):
    alone = tokenizer.encode_source(text)
    for one in (*PLACEHOLDERS[16:], MARK):
        assert tokenizer.encode_source(tagged(text, one)) == [PLACEHOLDER_IDS[one], *alone]
    both = [PLACEHOLDER_IDS["｟31｠"], PLACEHOLDER_IDS[MARK], *alone]
    assert tokenizer.encode_source(tagged(text, "｟31｠", MARK)) == both


def test_symbols_elsewhere_are_text(tokenizer):
    for text in ("the ｟31｠ lower", "｟31｠the", "｟3｠ the", " ｟31｠ the"):
        assert tokenizer.encode_source(text) == tokenizer.source.encode(text)


def test_a_text_gets_the_tag_of_the_language_asked_for():
    find = tagging(BOTH, "es")
    assert find("Hello ｟31｠ there") == ("｟30｠ ", "Hello ｟31｠ there")
    assert find("｟31｠ Hello") == ("｟30｠ ", "｟31｠ Hello")
    assert find("｟30｠ Hello") == ("｟30｠ ", "Hello")


def test_a_text_with_a_known_tag_needs_no_telling():
    assert tagging(BOTH, None)("｟31｠ Hola") == ("｟31｠ ", "Hola")
    for text in ("Hola", "｟29｠ Hola", "｟31｠Hola", "Hola ｟31｠ ", "｟31｠"):
        with pytest.raises(ConfigError, match="this model writes en and es; say which with --to"):
            tagging(BOTH, None)(text)


def test_a_language_that_is_not_written_is_refused():
    with pytest.raises(ConfigError, match="does not write 'fr'; it writes en and es"):
        tagging(BOTH, "fr")
    with pytest.raises(ConfigError, match="does not write 'en'; it writes es"):
        tagging(part(), "en")
    assert tagging(part(), "es")("Hello") == ("", "Hello")
    with pytest.raises(ConfigError, match="made without languages"):
        tagging(None, "es")


def test_the_sets_of_directions_have_different_plain_names():
    names = set_names(
        SeveralCorpus(parts=(part("en-GB", "es"), part("en_GB", "es"), part("ไทย", "x" * 99)))
    )
    assert [*names.values()] == ["en_gb_es", "en_gb_es_2", "other_" + "x" * 24]
