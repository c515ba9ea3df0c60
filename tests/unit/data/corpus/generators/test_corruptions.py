"""Wrong sentences made of right ones, and words that are missing."""

from collections import Counter
from itertools import pairwise
from random import Random

import pytest

from dragoman.data.corpus.generators.corruptions import (
    KINDS,
    OTHER_NUMBER,
    Corrupter,
    correct_and_corrupted,
    make_missing,
)
from dragoman.data.grammar.sample import draw_sets


@pytest.fixture(scope="module")
def sentences():
    drawn = draw_sets(pairs=310, held_out=0, difficulty=4, seed=1)
    return [e.source for e in drawn.train if len(e.source.split()) > 1][:300]  # no "Smile."


def bare(sentence):
    return sentence.lower().replace("mr.", "mr").replace("mrs.", "mrs").rstrip(".?!").split()


def test_every_right_sentence_is_followed_by_itself_made_wrong(sentences):
    rows = list(correct_and_corrupted(sentences, seed=1))
    assert [row.text for row in rows[::2]] == sentences
    assert {(row.label, row.kind) for row in rows[::2]} == {("right", None)}
    assert {row.label for row in rows[1::2]} == {"wrong"}
    assert {row.text for row in rows[1::2]}.isdisjoint(sentences)
    assert set(Counter(row.kind for row in rows[1::2])) == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_corruption_does_what_its_name_says(sentences, kind):
    corrupter = Corrupter(sentences)
    spoilt = [(s, corrupter.corrupt(s, Random(n), [kind])) for n, s in enumerate(sentences)]
    changed = [(bare(good), bare(bad.text), bad) for good, bad in spoilt if bad is not None]
    assert len(changed) > 60
    for good, bad, row in changed:
        assert row.kind == kind
        at = next(
            n for n, (a, b) in enumerate(zip([*good, ""], [*bad, ""], strict=False)) if a != b
        )
        match kind:
            case "swap":
                assert bad == [*good[:at], good[at + 1], good[at], *good[at + 2 :]]
            case "drop":
                assert bad == [*good[:at], *good[at + 1 :]]
            case "repeat":
                assert bad == [*good[:at], good[at - 1], *good[at:]]
            case "replace":
                assert bad == [*good[:at], bad[at], *good[at + 1 :]]
            case "agreement":
                assert bad == [*good[:at], OTHER_NUMBER[good[at]], *good[at + 1 :]]


def test_a_sure_corruption_puts_words_together_that_never_stand_so(sentences):
    known = {pair for s in sentences for pair in pairwise(("<", *bare(s), ">"))}
    for row in correct_and_corrupted(
        sentences, seed=1, kinds=("swap", "drop", "repeat", "replace")
    ):
        if row.label == "wrong":
            assert any(pair not in known for pair in pairwise(("<", *bare(row.text), ">")))


def test_an_unsure_one_is_changed_all_the_same(sentences):
    rows = list(correct_and_corrupted(sentences, seed=1, surely=False))
    assert all(right.text != wrong.text for right, wrong in zip(rows[::2], rows[1::2], strict=True))


def test_neither_a_capital_nor_a_stop_gives_a_wrong_sentence_away(sentences):
    rows = list(correct_and_corrupted(sentences, seed=1))
    for right, wrong in zip(rows[::2], rows[1::2], strict=True):
        assert wrong.text[0].isupper()
        assert wrong.text[-1] == right.text[-1]
        assert ".." not in wrong.text


def test_names_keep_their_capital_wherever_they_go():
    corrupter = Corrupter(["Ram saw the old man.", "The man saw Ram.", "Mr. Rao left."])
    swapped = {
        corrupter.corrupt("Ram saw the old man.", Random(n), ["swap"]).text for n in range(30)
    }
    assert "Saw Ram the old man." in swapped
    swapped = {corrupter.corrupt("The man saw Ram.", Random(n), ["swap"]).text for n in range(30)}
    assert "Man the saw Ram." in swapped
    assert corrupter.corrupt("Mr. Rao left.", Random(1), ["drop"]).text in (
        "Mr. Rao.",
        "Mr. left.",
    )


def test_what_cannot_be_spoilt_is_left_out():
    assert list(correct_and_corrupted(["Go.", "1 2 3."], seed=1, kinds=["swap", "agreement"])) == []
    assert list(make_missing(["Go.", "", "1 2."], seed=1)) == []


def test_rows_follow_from_the_seed_and_the_number_alone(sentences):
    assert list(correct_and_corrupted(sentences, seed=1)) == list(
        correct_and_corrupted(sentences, seed=1)
    )
    assert list(correct_and_corrupted(sentences, seed=1)) != list(
        correct_and_corrupted(sentences, seed=2)
    )
    assert list(make_missing(sentences, seed=1)) == list(make_missing(sentences, seed=1))


def test_a_missing_word_put_back_restores_the_sentence(sentences):
    rows = list(make_missing(sentences, seed=1))
    assert len(rows) == len(sentences)
    corrupter = Corrupter(sentences)
    for text, place, word, whole in rows:
        assert bare(text) == [w for n, w in enumerate(bare(whole)) if n != place]
        assert bare(whole)[place] == word.lower()
        assert corrupter.put_word(text, place, word) == whole
    assert {0, 1, 2} <= {row.place for row in rows}


def test_four_words_have_five_gaps():
    corrupter = Corrupter(["The man pulled the cart."])
    filled = [corrupter.put_word("The man the cart.", place, "pulled") for place in range(5)]
    assert filled == [
        "Pulled the man the cart.",
        "The pulled man the cart.",
        "The man pulled the cart.",
        "The man the pulled cart.",
        "The man the cart pulled.",
    ]
