import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.metrics.loops import cut, loop


@pytest.mark.parametrize(
    ("text", "phrase", "times"),
    [
        ("so so so so", "so", 4),
        ("I am very, very, Very, VERY tired", "very,", 4),
        ("we are in the house in the house in the house.", "in the house", 3),
        ("a b c d e f a b c d e f", "a b c d e f", 2),
        ("很好很好很好", "很好", 3),
        ("我我我我去", "我", 4),
        ("मैं घर मैं घर मैं घर जाता हूँ", "मैं घर", 3),
        ("what hahahaha that", "ha", 4),
        ("wait......", ".", 6),
        ("😂😂😂😂😂😂", "😂", 6),
        ("ไปไปไปไป", "ไป", 4),
    ],
)
def test_a_loop_is_found_with_its_phrase(text, phrase, times):
    found = loop(text)
    assert (found.phrase, found.times) == (phrase, times)
    assert text[found.start :].startswith(phrase)
    assert text[found.second :].lower().startswith(phrase.strip(","))
    assert text[found.start : found.end].lower().count(phrase.strip(",").lower()) == times


@pytest.mark.parametrize(
    "text",
    [
        "",
        "so so so",
        "no, no, no!",
        "in the house in the house",
        "Mississippi banana",
        "it cost 1000000000 or 0.00000001",
        "10 10 10",
        "wait...",
        "that that is is that that is not is not",
        "一个一个地",
        "– – – – –",
    ],
)
def test_what_people_write_is_no_loop(text):
    assert loop(text) is None


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("ha ha ha ha", "ja, ja, ja, ja"),
        ("Ha ha ha!", "¡Ja, ja, ja, ja!"),
        ("hahahaha", "ja ja ja ja"),
        ("no no no no no no no", "不不不不不不不"),
        ("stop!!!!!!!!", "halt!!!!!!!!"),
        ("we sing a song today here we sing a song today here", "a b c d e f a b c d e f"),
    ],
)
def test_what_the_source_repeats_may_be_repeated(source, target):
    assert loop(target) is not None
    assert loop(target, source) is None


def test_a_source_that_repeats_a_little_does_not_excuse_much():
    assert loop("ja " * 20, "ha ha ha ha") is not None
    assert loop("so so so so so so", "stop!!!") is not None


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("they say, they say, they say, they say.", "they say."),
        ("it is so so so so good!", "it is so!"),
        ("ha ha ha hahahahaha.", "ha."),
        ("很好很好很好。", "很好。"),
        ("all is well", "all is well"),
        ("------", "-"),
    ],
)
def test_a_loop_is_cut_where_it_repeats_itself(text, left):
    assert cut(text) == left


texts = st.one_of(
    st.text(max_size=40),
    st.lists(st.sampled_from(["a", "b", "ab", "aa", ".", "好", "a."]), max_size=30).map(" ".join),
    st.lists(st.sampled_from(["a", "b", " ", ".", "好", "à"]), max_size=60).map("".join),
)


@given(texts, texts)
def test_nothing_that_was_cut_loops(text, source):
    left = cut(text, source)
    assert loop(left, source) is None
    assert text.startswith(left) or text.startswith(left[:-1])
    assert bool(left.strip()) == bool(text.strip())
    if loop(text, source) is None:
        assert left == text


@given(st.lists(st.sampled_from("abc"), min_size=0, max_size=24))
def test_word_loops_are_those_that_a_plain_search_finds(words):
    limits = {size: 4 if size == 1 else 3 if size < 6 else 2 for size in range(1, 25)}
    plain = any(
        words[at : at + size] * times == words[at : at + size * times]
        for size, times in limits.items()
        for at in range(len(words) - size * times + 1)
    )
    assert (loop(" ".join(words)) is not None) == plain


@pytest.mark.parametrize(
    "pattern", ["a", "ab ", " ", "很好", "1", "aaaaab", "a b c ", "!?", "\ud800"]
)
def test_the_time_is_linear(pattern, takes_linear_time):
    takes_linear_time(
        lambda text: loop(text, text[::-1]),
        lambda length: (pattern * length)[:length],
        sizes=(1_000, 10_000, 100_000),
    )
