"""What is drawn: distinct, deterministic, unambiguous, of the right length, rightly held out."""

import os
import re
import subprocess
import sys
from random import Random
from unicodedata import is_normalized

import pytest

from dragoman.config.reading import read_recipe, shipped_recipes
from dragoman.core.errors import DataError
from dragoman.data.grammar.choices.mixture import CONSTRUCTIONS
from dragoman.data.grammar.combinations import held_out
from dragoman.data.grammar.lexicon.lexicon import WHOLE
from dragoman.data.grammar.phrasebook.book import lines
from dragoman.data.grammar.sample import DEFAULT_DIFFICULTY, draw_sets, realize, space


@pytest.fixture(scope="module")
def sets():
    return draw_sets(pairs=12_000, held_out=500, difficulty=DEFAULT_DIFFICULTY, seed=3)


def pairs_of(tree):
    found = []
    tree.pairs(found)
    return found


@pytest.mark.slow
def test_the_same_english_never_has_two_hindi_sentences():
    random, sentences = Random(11), space(DEFAULT_DIFFICULTY)
    known = {}
    for _ in range(200_000):
        example = realize(sentences.draw(random))
        assert known.setdefault(example.source, example.target) == example.target


def test_no_sentence_is_in_two_sets_and_none_twice_in_one(sets):
    everything = [*sets.train, *sets.valid, *sets.unseen, *sets.combinations]
    assert len({example.source for example in everything}) == len(everything) == 13_500


def test_the_default_difficulty_has_the_promised_lengths(sets):
    lengths = [len(example.source.split()) for example in sets.train]
    assert 6 <= sum(lengths) / len(lengths) <= 7.5
    assert 0.1 <= sum(length >= 10 for length in lengths) / len(lengths) <= 0.25


def test_the_default_difficulty_shows_every_construction(sets):
    assert {example.construction for example in sets.train} == {
        name for name, (enters, _) in CONSTRUCTIONS.items() if enters <= DEFAULT_DIFFICULTY
    }


def test_every_word_that_carries_hindi_grammar_occurs(sets):
    texts = [example.target for example in sets.train] + [phrase.hindi for phrase in lines()]
    words = {word.strip("।,?") for text in texts for word in text.split()}
    expected = (
        "ने को से में पर तक लिए साथ पास नीचे पीछे सामने ऊपर नहीं मत क्या कौन कहाँ कब क्यों किसने "
        "कितने जो वह जिसने जब तब अगर तो क्योंकि कि और या लेकिन सबसे अपनी मुझे उसे हमें चाहिए पसंद"
    )
    assert not set(expected.split()) - words


def test_text_is_normalized_and_punctuated(sets):
    for example in sets.train:
        assert is_normalized("NFC", example.target)
        assert example.source[0].isupper()
        assert (example.source[-1], example.target[-1]) in ((".", "।"), ("?", "?"))
        assert "  " not in example.source + example.target


def test_alignments_point_at_words(sets):
    for example in sets.train:
        source, target = example.source.split(), example.target.split()
        assert example.alignment
        assert all(i < len(source) and j < len(target) for i, j in example.alignment)


def test_most_hindi_words_are_aligned(sets):
    aligned = sum(len({j for _, j in example.alignment}) for example in sets.train)
    words = sum(len(example.target.split()) for example in sets.train)
    assert aligned / words > 0.9


def pairs_by_source(name, draws):
    """Draw again what a set was drawn from, to see the pairs inside its sentences."""
    random, sentences = Random(f"{name}/4/3"), space(4)
    trees = [sentences.draw(random) for _ in range(draws)]
    return {realize(tree).source: pairs_of(tree) for tree in trees}


def test_training_shows_no_held_out_pair_and_every_combination_has_one_of_known_parts():
    drawn = draw_sets(pairs=2000, held_out=100, difficulty=4, seed=3)
    shown = set()
    for name in ("train", "valid", "unseen"):
        pairs = pairs_by_source(name, 4000)
        for example in getattr(drawn, name):
            assert not any(held_out(*pair) for pair in pairs[example.source])
            if name == "train":
                shown.update(part for pair in pairs[example.source] for part in pair)
    pairs = pairs_by_source("combinations", 4000)
    for example in drawn.combinations:
        kept = [pair for pair in pairs[example.source] if held_out(*pair)]
        assert kept
        assert all(part in shown for pair in kept for part in pair)


def test_about_four_pairs_in_a_hundred_are_held_out():
    nouns = [noun.key for noun in WHOLE.things]
    pairs = [(adjective.key, noun) for adjective in WHOLE.adjectives for noun in nouns]
    assert 0.03 < sum(held_out(*pair) for pair in pairs) / len(pairs) < 0.05


@pytest.mark.slow
def test_every_lexeme_is_still_shown_when_the_demo_trains():
    settings = read_recipe(shipped_recipes()["english-hindi"]).corpus
    wanted = {"pairs": settings.pairs, "phrasebook": settings.phrasebook, "seed": 1}
    train = draw_sets(held_out=1, difficulty=settings.difficulty, **wanted).train
    text = " ".join(re.sub("[.,?]", "", example.source.lower()) + " " for example in train)
    nouns = (*WHOLE.things, *WHOLE.places, *WHOLE.men, *WHOLE.women, *WHOLE.animals)
    for lexeme in (*nouns, *WHOLE.adjectives, *WHOLE.numerals):
        forms = (lexeme.english.lower(), getattr(lexeme, "plural", "").lower())
        assert any(form and f" {form} " in text for form in forms), lexeme.english
    words = set(text.split())
    for verb in WHOLE.verbs:
        assert {verb.english, verb.past, verb.participle} & words, verb.english


@pytest.mark.slow
def test_the_same_seed_gives_the_same_sets_whatever_the_hash_seed():
    program = (
        "from dragoman.data.grammar.sample import draw_sets;"
        "s = draw_sets(pairs=50, held_out=5, difficulty=3, seed=9);"
        "print([e.source for e in s.train + s.combinations])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_the_unseen_sentences_stay_as_training_grows():
    small = draw_sets(pairs=100, held_out=20, difficulty=2, seed=5)
    large = draw_sets(pairs=300, held_out=20, difficulty=2, seed=5)
    assert small.unseen == large.unseen
    assert small.train == large.train[:100]


def test_asking_for_more_than_there_is_says_what_to_do():
    with pytest.raises(DataError, match="ask for fewer"):
        draw_sets(pairs=10**12, held_out=10, difficulty=1, seed=1)
    with pytest.raises(DataError, match="from 1 to 5"):
        draw_sets(pairs=1, held_out=1, difficulty=9, seed=1)
