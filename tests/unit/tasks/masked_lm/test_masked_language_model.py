"""What a text with hidden words becomes, and what a masked language model says about it."""

import math

import pytest
import torch

from dragoman.config.encoder import EncoderSettings
from dragoman.config.tokenizer import (
    BpeTokenizerSettings,
    CharacterTokenizerSettings,
    WordPieceTokenizerSettings,
    WordTokenizerSettings,
)
from dragoman.core.errors import DataError
from dragoman.data.corpus.generators.corruptions import make_missing
from dragoman.data.grammar.sample import draw_sets
from dragoman.data.tokenizer.special_tokens import END, MASK, PLACEHOLDERS, START
from dragoman.data.tokenizer.train import train_tokenizer
from dragoman.engine.build import build_encoder
from dragoman.tasks.masked_lm import masked_language_model
from dragoman.tasks.masked_lm.masked_language_model import MaskedLanguageModel, MaskedWord
from dragoman.tasks.masked_lm.masking import mask_words, predictable_tokens, special_tokens_of
from dragoman.tasks.missing_word import gaps

SENTENCES = [one.source for one in draw_sets(pairs=300, held_out=0, difficulty=3, seed=1).train]
KINDS = {
    "bpe": BpeTokenizerSettings(vocab_size=600),
    "wordpiece": WordPieceTokenizerSettings(vocab_size=600),
    "words": WordTokenizerSettings(),
    "characters": CharacterTokenizerSettings(),
}


@pytest.fixture(scope="module")
def vocabularies():
    return {kind: train_tokenizer(settings, SENTENCES, []) for kind, settings in KINDS.items()}


@pytest.fixture(scope="module")
def filler(vocabularies):
    """Give a network that has learned nothing: what holds for it holds for all."""
    settings = EncoderSettings(
        width=8, heads=2, layers=1, ffn_width=16, max_positions=24, dropout=0.0
    )
    model = build_encoder(settings, vocabularies["bpe"], 3).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(3.0)  # so that it is sure of something
    return MaskedLanguageModel(model, vocabularies["bpe"], device=torch.device("cpu"))


def likely(filler, ids, place):
    """Return the log-probabilities at one place of one row, from the scores of all places."""
    with torch.inference_mode():
        return filler.model(torch.tensor([ids]))[0, place].log_softmax(dim=-1)


@pytest.mark.parametrize("kind", ["bpe", "wordpiece", "words"])
@pytest.mark.parametrize("mark", ["___", "[MASK]", PLACEHOLDERS[14]])
def test_a_hidden_word_of_one_token_leaves_all_others_as_they_are(vocabularies, kind, mark):
    vocabulary = vocabularies[kind]
    tried = 0
    for sentence in SENTENCES[:40]:
        words = sentence.split(" ")
        whole = vocabulary.encode(sentence)
        place = 1
        for number, word in enumerate(words):
            ids = vocabulary.encode(word)
            if len(ids) == 1:
                text = " ".join([*words[:number], mark, *words[number + 1 :]])
                found = mask_words(vocabulary, text, mark)
                assert found.ids == (START, *whole[: place - 1], MASK, *whole[place:], END)
                assert (found.places, found.begins) == ((place,), (True,))
                tried += 1
            place += len(ids)
    assert tried > 40


def test_a_mark_inside_a_word_hides_how_it_goes_on(vocabularies):
    vocabulary = vocabularies["bpe"]
    found = mask_words(vocabulary, "The m___ is ___.", "___")
    inside, after = vocabulary.encode("The m"), vocabulary.encode("The m is")[-1:]
    stop = vocabulary.encode(f"{PLACEHOLDERS[0]}.")[-1]
    assert found.ids == (START, *inside, MASK, *after, MASK, stop, END)
    assert found.begins == (False, True)


def test_of_single_characters_a_space_stays_a_token(vocabularies):
    vocabulary = vocabularies["characters"]
    found = mask_words(vocabulary, "the m___n", "___")
    assert found.ids == (START, *vocabulary.encode("the m"), MASK, *vocabulary.encode("n"), END)
    found = mask_words(vocabulary, "the ___an", "___")
    assert found.ids == (START, *vocabulary.encode("the "), MASK, *vocabulary.encode("an"), END)


def test_blanks_around_marks_do_not_matter(vocabularies):
    vocabulary = vocabularies["bpe"]
    assert mask_words(vocabulary, "  the   ___   is ", "___") == mask_words(
        vocabulary, "the ___ is", "___"
    )
    assert mask_words(vocabulary, "", "___").ids == (START, END)
    assert mask_words(vocabulary, "___ ___", "___").ids == (START, MASK, MASK, END)


@pytest.mark.parametrize("kind", KINDS)
def test_only_text_is_guessed(vocabularies, kind):
    vocabulary = vocabularies[kind]
    entries = predictable_tokens(vocabulary, special_tokens_of(vocabulary))
    either = entries.first | entries.further
    for number, piece in enumerate(vocabulary.pieces):
        assert not either[number] or vocabulary.decode([number]).strip()
        assert not either[number] or not piece.startswith(("<", "｟"))
    assert entries.first.any()
    if kind not in ("characters", "words"):
        assert not (entries.first & entries.further).any()
        assert entries.further.any()


def test_guesses_are_the_likeliest_entries_that_begin_a_word(filler):
    text = "The king ___ in the ___."
    hidden = filler.mask_words(text)
    entries = predictable_tokens(filler.tokenizer, filler.special_tokens)
    found = filler.fill(text, 4)
    assert len(found) == 2
    for guesses, place in zip(found, hidden.places, strict=True):
        right = likely(filler, hidden.ids, place).exp()
        right[~torch.from_numpy(entries.first)] = 0.0
        best = right.topk(4)
        assert [one.word for one in guesses] == [filler.tokenizer.decode([n]) for n in best.indices]
        assert [one.probability for one in guesses] == pytest.approx(best.values.tolist(), rel=1e-4)


def test_inside_a_word_only_what_goes_on_is_guessed(filler):
    entries = predictable_tokens(filler.tokenizer, filler.special_tokens)
    hidden = filler.mask_words("The k___ sleeps.")
    (answers,) = filler.predict([MaskedWord(hidden.ids, hidden.places[0], hidden.begins[0])], 8)
    assert all(entries.further[one.tokens[0]] for one in answers)


def test_of_several_pieces_each_is_the_likeliest_that_goes_on(filler):
    hidden = filler.mask_words("The ___ was here.")
    place, further = (
        hidden.places[0],
        predictable_tokens(filler.tokenizer, filler.special_tokens).further,
    )
    (found,) = filler.predict([MaskedWord(hidden.ids, place)], 15, max_subwords=3)
    assert len({len(one.tokens) for one in found}) > 1
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    for one in found:
        count = len(one.tokens)
        ids = [*hidden.ids[:place], *[MASK] * count, *hidden.ids[place + 1 :]]
        scores = []
        for offset, token in enumerate(one.tokens):
            right = likely(filler, ids, place + offset)
            if offset:
                right = right.masked_fill(~torch.from_numpy(further), -math.inf)
                assert token == int(right.argmax())
            scores.append(float(right[token]))
            ids[place + offset] = token
        assert one.score == pytest.approx(sum(scores) / count, rel=1e-4)


def test_one_piece_is_found_among_several_with_the_same_probability(filler):
    one = filler.fill("The ___ was here.", 3)[0]
    more = filler.fill("The ___ was here.", 500, max_subwords=2)[0]
    for predict in one:
        assert any(
            other.word == predict.word and other.probability == pytest.approx(predict.probability)
            for other in more
        )


def test_the_pseudo_log_likelihood_hides_each_token_alone(filler, monkeypatch):
    texts = ["The king sleeps.", "Is it?", "The old man has gone."]
    found = filler.score(texts)
    monkeypatch.setattr(masked_language_model, "TOGETHER", 16)
    for text, one, again in zip(texts, found, filler.score(texts), strict=True):
        ids = [START, *filler.tokenizer.encode(text), END]
        each = []
        for place in range(1, len(ids) - 1):
            row = [*ids[:place], MASK, *ids[place + 1 :]]
            each.append(float(likely(filler, row, place)[ids[place]]))
        assert one.log_probabilities == pytest.approx(each, rel=1e-4)
        assert again.log_probabilities == pytest.approx(each, rel=1e-4)
        assert one.total == pytest.approx(sum(each), rel=1e-4)
        assert one.pieces == tuple(filler.tokenizer.words(ids[1:-1]))


def test_a_text_beyond_the_table_of_positions_is_refused(filler):
    with pytest.raises(DataError, match="the model knows 24 positions"):
        filler.fill("the " * 22 + "___")


def test_nothing_hidden_nothing_guessed(filler):
    assert filler.fill("The king sleeps.") == []
    with pytest.raises(DataError, match="must not be blank"):
        filler.fill("The king sleeps.", mark=" ")


def test_a_sentence_of_four_words_has_five_gaps():
    found = gaps("The man the cart.")
    assert sorted({gap.place for gap in found}) == [0, 1, 2, 3, 4]
    assert found[3].with_word("pulled") == "The man pulled the cart."
    assert found[-1].with_word("away") == "The man the cart away."
    assert found[0].with_word("See") == "See the man the cart."
    assert found[1].with_word("Old") == "Old The man the cart."


@pytest.mark.parametrize(
    ("text", "word", "whole"),
    [
        ("वह घर ।", "गया", "वह घर गया ।"),
        ("no stop", "yet", "no stop yet"),
        ("Why?", "not", "Why not?"),
    ],
)
def test_the_last_gap_is_before_the_mark_that_ends_the_sentence(text, word, whole):
    assert gaps(text)[-1].with_word(word) == whole


def test_a_word_that_was_taken_out_can_always_be_put_back():
    examples = list(make_missing(SENTENCES, seed=1))
    assert len(examples) > 200
    for one in examples:
        assert any(
            gap.place == one.place and gap.with_word(word) == one.whole
            for gap in gaps(one.text)
            for word in (one.word, one.word[:1].upper() + one.word[1:])
        ), one
