"""A translator draws, weighs what it has drawn, and holds the terms that it is given."""

import math
from collections import Counter

import numpy as np
import pytest

from dragoman.config.sampling import SamplingSettings
from dragoman.config.tokenizer import (
    BpeTokenizerSettings,
    CharacterTokenizerSettings,
    WordTokenizerSettings,
)
from dragoman.core.errors import ConfigError, DataError
from dragoman.data.formats.pair import Pair
from dragoman.data.tokenizer.special_tokens import START
from dragoman.data.tokenizer.train import train_tokenizer_pair
from dragoman.engine.build import build_model
from dragoman.metrics.chrf import sentence_chrf
from dragoman.neural.decoding.sentence_ends import SentenceEnds
from dragoman.tasks.translation import term_constraints
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.long_texts import count_sentences
from dragoman.tasks.translation.minimum_bayes_risk import least_risk
from dragoman.tasks.translation.term_constraints import final_tokens, phrases_of
from dragoman.tasks.translation.translation import Translation

TEXTS = ["sun moon", "red blue cat dog", "", "sea"]


@pytest.fixture(scope="module")
def translator(tiny):
    loaded = BareTranslator.load(tiny.run)
    loaded.model.double()
    return loaded


def searching(translator, **changes):
    return translator.searching(translator.decoding.model_copy(update=changes))


def test_every_translation_holds_its_own_terms(translator):
    terms = [[["fish"], ["zebra", "blue song"]], [], [["never"]], [["sky sky"]]]
    free = translator.candidates(TEXTS, beam=4)
    found = translator.candidates(TEXTS, beam=4, terms=terms)
    first, second, empty, last = (each[0] for each in found)
    assert "fish" in first.text
    assert "zebra" in first.text or "blue song" in first.text
    assert second == free[1][0]
    assert empty.text == ""
    assert "sky sky" in last.text
    assert [each[0].unmet for each in found] == [0, 0, 0, 0]


def test_the_terms_of_others_change_nothing(translator):
    terms = [[["fish"]], [["sun", "moon"], ["sky"]], [], []]
    together = translator.candidates(TEXTS, beam=3, terms=terms)
    for text, own, found in zip(TEXTS, terms, together, strict=True):
        alone = translator.candidates([text], beam=3, terms=[own])[0]
        assert alone[0].text == found[0].text
        assert alone[0].log_probability == pytest.approx(found[0].log_probability, abs=1e-9)


def test_terms_belong_to_the_first_part_of_a_long_text_or_to_whom_they_are_found_for(translator):
    parts = ["sun moon sea.", "red blue cat dog.", "tree bird fish."]
    text = " ".join(parts * 2)
    (found,) = translator.candidates([text], terms=[[["zebra"]]])
    assert found[0].text.count("zebra") == 1
    asked = []

    def find(part):
        asked.append(part)
        return [["zebra"]] if "cat" in part else []

    (found,) = translator.candidates([text], terms=find)
    assert found[0].text.count("zebra") == 2
    assert sorted(asked) == sorted(parts * 2)


def test_a_beginning_and_terms_go_together(translator):
    (found,) = translator.candidates(["sun moon"], prefixes=["my cat"], terms=[[["fish"]]])
    assert found[0].text.startswith("my cat")
    assert "fish" in found[0].text


def test_a_term_is_not_appended_after_the_end_of_a_sentence(translator, monkeypatch):
    (plain,) = translator.candidates(["sun moon"], beam=4)[0]
    final = plain.tokens[-1]
    ends = SentenceEnds(finals=[final])
    monkeypatch.setattr(term_constraints, "final_tokens", lambda tokenizer: ends)
    term = translator.tokenizer.target.encode("fish")
    for beam in (1, 4):
        (found,) = translator.candidates(["sun moon"], beam=beam, terms=[[["fish"]]])[0]
        end = found.tokens.index(final) if final in found.tokens else len(found.tokens)
        assert found.unmet == ("fish" not in found.text)
        assert found.unmet or found.tokens.index(term[0]) < end


def test_full_stops_end_a_sentence_and_quotes_close_it():
    pairs = [Pair("x", "Who is it? «I am.» He said so! (no)")] * 50
    tokenizer = train_tokenizer_pair(CharacterTokenizerSettings(), pairs).target
    ends = final_tokens(tokenizer)
    assert {tokenizer.decode([token]) for token in ends.finals} >= {"?", ".", "!"}
    assert {tokenizer.decode([token]) for token in ends.closers} >= {"»", ")"}
    assert not {*ends.finals, *ends.closers} & {*tokenizer.encode("«(aW ")}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 1),
        ("sun", 1),
        ("Go on!", 1),
        ("He said: «Go on!» …", 1),
        ("One. Two?", 2),
        ("3.5 suns.", 2),
        ("सूरज। चाँद।", 2),
    ],
)
def test_sentences_are_counted_by_the_ends_that_something_follows(text, count):
    assert count_sentences(text) == count


def test_terms_that_do_not_fit_the_texts_are_told(translator):
    with pytest.raises(DataError, match=r"terms for 1 texts, but 2 texts"):
        translator.candidates(["sun", "moon"], terms=[[]])
    with pytest.raises(DataError, match=r"'fish' is one string. Give a list of its spellings"):
        translator.candidates(["sun"], terms=[["fish"]])
    with pytest.raises(DataError, match=r"the term '' cannot be written"):
        translator.candidates(["sun"], terms=[[[""]]])


PAIRS = [Pair("sun moon", text) for text in ("a big house.", "my house", "the houses", "art")] * 3


@pytest.mark.parametrize(
    "kind", [WordTokenizerSettings(), CharacterTokenizerSettings(), BpeTokenizerSettings()]
)
def test_a_term_is_cut_as_it_is_inside_a_sentence(kind):
    target = train_tokenizer_pair(kind, PAIRS).target
    ways = phrases_of(["house", "houses"], target)
    plain = target.encode("my house")
    assert any(plain[-len(way) :] == way for way in ways)
    for sentence in ("my house", "a big house.", "house", "the houses are"):
        ids = [START, *target.encode(sentence)]
        held = [w for w in ways if any(ids[at : at + len(w)] == w for at in range(len(ids)))]
        assert held, sentence
    for way in ways:
        written = target.decode([*target.encode("my"), *(i for i in way if i != START)])
        assert "house" in written


def test_a_word_of_letters_begins_where_a_word_begins():
    target = train_tokenizer_pair(CharacterTokenizerSettings(), PAIRS).target
    (ids,) = [[START, *target.encode("start")]]
    ways = phrases_of(["art"], target)
    assert not any(ids[at : at + len(w)] == w for w in ways for at in range(len(ids)))


def test_words_that_a_vocabulary_of_words_lacks_are_told():
    target = train_tokenizer_pair(WordTokenizerSettings(), PAIRS).target
    assert phrases_of(["zebra", "house"], target) == phrases_of(["house"], target)
    with pytest.raises(DataError, match=r"'zebra \| my zebra' cannot be written with the words"):
        phrases_of(["zebra", "my zebra"], target)


@pytest.mark.parametrize("kind", [WordTokenizerSettings(), CharacterTokenizerSettings()])
def test_terms_come_whatever_the_vocabulary(tiny, translator, kind):
    from dragoman.config.reading import read_recipe

    tokenizer = train_tokenizer_pair(kind, PAIRS)
    recipe = read_recipe(tiny.run / "recipe.toml")
    other = BareTranslator(
        build_model(recipe.model.model_copy(update={"tied": "target"}), tokenizer, 1).eval(),
        tokenizer,
        recipe.decoding,
        longest=20,
        device=translator.device,
    )
    for text in ("house", "big house"):
        assert text in other.candidates(["sun"], beam=3, terms=[[[text]]])[0][0].text


def test_draws_follow_from_the_seed_and_the_text_alone(translator):
    together = translator.sample(TEXTS, 4, seed=5)
    assert [len(each) for each in together] == [4, 4, 1, 4]
    for text, found in zip(TEXTS, together, strict=True):
        alone = translator.sample([text], 4, seed=5)[0]
        assert [one.text for one in alone] == [one.text for one in found]
    assert translator.sample(TEXTS[::-1], 4, seed=5) == together[::-1]
    small = searching(translator, batch_tokens=8)
    assert [[o.text for o in e] for e in small.sample(TEXTS, 4, seed=5)] == [
        [o.text for o in e] for e in together
    ]
    assert translator.sample(TEXTS, 4, seed=6) != together


def test_a_cold_draw_is_the_likeliest_and_a_hot_one_is_not(translator):
    cold = translator.sample(TEXTS, 2, SamplingSettings(temperature=0.0))
    greedy = searching(translator, loop_guard=0).candidates(TEXTS, beam=1)
    assert [each[0].text for each in cold] == [each[0].text for each in greedy]
    hot = translator.sample(["sun moon"], 8, SamplingSettings(temperature=2.0))[0]
    assert len({one.text for one in hot}) > 1


def test_the_draws_of_a_long_text_are_joined_each_with_its_own(translator):
    text = " ".join(["sun moon sea.", "red blue cat dog."] * 3)
    found = translator.sample([text], 3)[0]
    parts = [translator.sample([part], 3)[0] for part in ("sun moon sea.", "red blue cat dog.")]
    for number, one in enumerate(found):
        words = " ".join(" ".join(p[number].text for p in parts if p[number].text) for _ in "123")
        assert one.text.split() == words.split()


def test_the_least_risk_is_the_highest_mean_likeness():
    texts = ["the cat sat", "the cat sat", "a cat sat", "dogs", "the cat is sitting"]
    drawn = [Translation(text, -1.0, -float(n + 1)) for n, text in enumerate(texts)]
    found = least_risk(drawn)
    assert [one.text for one in found][0] == "the cat sat"
    assert Counter(one.text for one in found) == Counter(set(texts))
    for one in found:
        wanted = np.mean([sentence_chrf(one.text, other) for other in texts])
        assert one.score == pytest.approx(wanted)
    assert found[0].log_probability == -1.0  # of two draws of one text, the likelier
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)


def test_a_translator_weighs_what_it_has_drawn(translator):
    weighing = searching(translator, search="mbr", samples=12, seed=3)
    found = weighing.candidates(TEXTS, nbest=2)
    for text, best in zip(TEXTS, found, strict=True):
        if not text:
            assert best[0].text == ""
            continue
        drawn = translator.sample([text], 12, seed=3)[0]
        wanted = least_risk(drawn)[:2]
        assert [one.text for one in best] == [one.text for one in wanted]
        assert best[0].score == pytest.approx(wanted[0].score)
        assert best[0].log_probability < 0
        assert math.isfinite(best[0].log_probability)
    assert [each[0] for each in weighing.candidates(TEXTS)] == [each[0] for each in found]


def test_what_a_search_cannot_do_is_told(translator):
    for search in ("sample", "mbr"):
        drawing = searching(translator, search=search)
        with pytest.raises(ConfigError, match=rf"decoding\.search = '{search}' draws by chance"):
            drawing.candidates(["sun"], prefixes=["red"])
        with pytest.raises(ConfigError, match="Use the search 'beam'"):
            drawing.candidates(["sun"], terms=[[["red"]]])
    other = searching(translator, groups=2)
    other.engine = lambda sources, settings, nbest, prefixes: []
    with pytest.raises(ConfigError, match="this engine has a plain beam"):
        other.candidates(["sun"])


def test_groups_widen_the_beam_for_more_outputs(translator):
    grouped = searching(translator, beam=2, groups=2, diversity_penalty=2.0)
    found = grouped.candidates(["sun moon"], nbest=3)[0]
    assert 2 <= len(found) <= 3
    assert len({one.text for one in found}) == len(found)
