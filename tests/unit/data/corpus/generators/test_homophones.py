"""Sentences that differ in one word that sounds alike."""

from collections import Counter, defaultdict

from dragoman.data.corpus.generators.agreement import PEOPLE
from dragoman.data.corpus.generators.homophones import draw_homophones, frames


def test_two_sentences_differ_in_the_one_word():
    for good, bad, word, rival in draw_homophones(500, seed=1):
        differing = [
            (a.strip("."), b.strip("."))
            for a, b in zip(good.split(), bad.split(), strict=True)
            if a != b
        ]
        assert differing == [(word, rival)]


def test_the_course_s_own_pair_is_among_them():
    assert ("pulled", "pooled", "The {who} _ a cart {past}.") in frames()
    assert ("man", "men") in PEOPLE


def test_every_word_is_right_as_often_as_it_is_wrong():
    """So that neither the frequency of a word nor the sound of it gives the answer."""
    right, wrong = Counter(), Counter()
    rivals = defaultdict(set)
    for frame in frames():
        right[frame.word] += 1
        wrong[frame.rival] += 1
        rivals[frame.word].add(frame.rival)
        rivals[frame.rival].add(frame.word)
    assert right == wrong
    assert all(len(others) == 1 for others in rivals.values())


def test_every_frame_has_one_gap_and_no_word_of_the_pair_beside_it():
    for word, rival, text in frames():
        assert text.count("_") == 1
        assert not {word, rival} & set(text.rstrip(".").split())


def test_all_are_different_and_follow_from_the_seed():
    drawn = draw_homophones(500, seed=1)
    assert len(set(drawn)) == 500
    assert draw_homophones(500, seed=1) == drawn
    assert draw_homophones(500, seed=2) != drawn
    assert not any(mark in one.good for one in drawn for mark in "{}_|")
