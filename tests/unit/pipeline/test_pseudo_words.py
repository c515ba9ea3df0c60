"""Pseudo-words: sentences that no training has shown."""

from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from dragoman.pipeline.pseudo_words import WORD, with_pseudo_words

SENTENCES = ["The farmers will give water to their children.", "He isn't here yet.", "Go!"]


def some(sentences, number):
    return list(islice(with_pseudo_words(sentences), number))


def test_some_word_of_each_sentence_is_of_no_language():
    known = {word.casefold() for one in SENTENCES for word in WORD.findall(one)}
    for made in some(SENTENCES, 40):
        assert {word.casefold() for word in WORD.findall(made)} - known


def test_what_is_not_replaced_stays_as_it_is():
    for made in some(SENTENCES[:1], 20):
        assert len(made.split()) == len(SENTENCES[0].split())
        assert made.endswith(".")
        assert made[0].isupper()


def test_they_come_the_same_every_time_and_differ_among_each_other():
    assert some(SENTENCES, 30) == some(SENTENCES, 30)
    assert len(set(some(SENTENCES, 30))) > 20


def test_marks_belong_to_their_word():
    assert WORD.findall("लड़कियों ने कल मीठे आम खाए।") == ["लड़कियों", "ने", "कल", "मीठे", "आम", "खाए"]


def test_where_nothing_can_be_cut_there_are_none():
    assert some(["Go!", "a b c", "42", "我住在东京附近", "東京へ行きます"], 5) == []


@given(st.lists(st.text(max_size=40), max_size=5))
def test_any_text_is_taken(sentences):
    assert len(some(sentences, 5)) in (0, 5)
