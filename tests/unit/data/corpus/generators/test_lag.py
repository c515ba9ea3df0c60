"""Sequences to be remembered, and words that what follows explains."""

from collections import Counter

import pytest

from dragoman.core.errors import DataError
from dragoman.data.corpus.generators.lag import draw_lagged
from dragoman.data.corpus.generators.right_context import OF_PERSONS, OF_THINGS, draw_tagged


@pytest.mark.parametrize("lag", [0, 1, 7, 40])
@pytest.mark.parametrize("noise", [0, 5])
def test_the_class_is_the_symbol_so_many_steps_before_the_end(lag, noise):
    for one in draw_lagged(50, lag, seed=1, noise=noise, earlier=3):
        symbols = one.text.split()
        assert symbols[-1 - lag] == one.label
        assert lag + 1 <= len(symbols) <= lag + 4
        if noise:
            assert [symbol for symbol in symbols if symbol.isupper()] == [one.label]


def test_the_classes_come_equally_often_and_nothing_after_tells_them():
    drawn = draw_lagged(4000, 1, seed=1, classes=4, noise=2)
    after = Counter((one.label, one.text.split()[-1]) for one in drawn)
    assert len(after) == 8
    assert all(abs(count - 500) < 5 * 500**0.5 for count in after.values())


def test_sequences_follow_from_the_seed_and_differ_where_asked():
    assert draw_lagged(9, 3, seed=1) == draw_lagged(9, 3, seed=1)
    assert draw_lagged(9, 3, seed=1) != draw_lagged(9, 3, seed=2)
    assert len(set(draw_lagged(200, 4, seed=1, distinct=True))) == 200


@pytest.mark.parametrize(
    ("lag", "changes"),
    [(-1, {}), (3, {"classes": 1}), (3, {"classes": 27}), (3, {"noise": 27}), (3, {"earlier": -1})],
)
def test_what_cannot_be_is_one_line(lag, changes):
    with pytest.raises(DataError, match="0"):
        draw_lagged(1, lag, seed=1, **changes)


def test_the_last_words_decide_the_tag_of_the_first():
    for one in draw_tagged(400, seed=1):
        ending = one.text.removesuffix(" .").rpartition(" is ")[2]
        assert (one.tags[0] == "person") == (ending in OF_PERSONS)
        assert (one.tags[0] == "thing") == (ending in OF_THINGS)
        assert one.tags[1:] == ("other",) * (len(one.text.split()) - 1)
        assert one.text.count(" ,") == (one.asides + 1 if one.asides else 0)


def test_nothing_before_the_last_words_tells_the_tag():
    begun = Counter()
    for one in draw_tagged(600, seed=1, asides=0):
        begun[one.text.split()[0], one.tags[0]] += 1
    names = {name for name, _ in begun}
    assert all(begun[name, "person"] and begun[name, "thing"] for name in names)
    assert begun.total() == len(names) * 30  # the whole of the sentences without asides


def test_tagged_sentences_follow_from_the_seed():
    assert draw_tagged(9, seed=1) == draw_tagged(9, seed=1)
    assert draw_tagged(9, seed=1) != draw_tagged(9, seed=2)
    assert {one.asides for one in draw_tagged(9, seed=1, asides=3)} == {3}
    with pytest.raises(DataError, match="have 0 to 4"):
        draw_tagged(1, seed=1, asides=5)
    with pytest.raises(DataError, match="Ask for fewer"):
        draw_tagged(601, seed=1, asides=0)
