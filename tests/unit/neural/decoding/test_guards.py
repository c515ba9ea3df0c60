import pytest
import torch
from decoding_tables import END, START, Chain, sources
from hypothesis import given
from hypothesis import settings as cases
from hypothesis import strategies as st

from dragoman.config.training import DecodingSettings
from dragoman.neural.decoding.guards import LONGEST_PHRASE, apply_guards, loops, repeated_ngrams
from dragoman.neural.decoding.rules import Rules
from dragoman.neural.decoding.search import search

VOCABULARY = 5


def bans(found):
    return set(zip(*(side.tolist() for side in found), strict=True))


def ngrams(tokens, size):
    return [tuple(tokens[i : i + size]) for i in range(len(tokens) - size + 1)]


def ends_in_loop(tokens, times):
    """Whether some phrase stands `times` times in a row at the very end."""
    return any(
        len(tokens) >= period * times
        and all(tokens[-i] == tokens[-i - period] for i in range(1, period * (times - 1) + 1))
        for period in range(1, LONGEST_PHRASE + 1)
    )


prefixes = st.integers(0, 14).flatmap(
    lambda length: st.lists(
        st.lists(st.integers(2, 3), min_size=length, max_size=length), min_size=1, max_size=4
    )
)


@cases(deadline=None)
@given(prefixes, st.integers(1, 4))
def test_exactly_the_tokens_that_repeat_an_ngram_are_banned(rows, size):
    tensor = torch.tensor(rows, dtype=torch.long).view(len(rows), -1)
    expected = {
        (row, token)
        for row, tokens in enumerate(rows)
        for token in range(VOCABULARY)
        if len(tokens) >= size and ngrams([*tokens, token], size)[-1] in ngrams(tokens, size)
    }
    assert bans(repeated_ngrams(tensor, size)) == expected


@cases(deadline=None)
@given(prefixes, st.integers(1, 4))
def test_exactly_the_tokens_that_go_on_with_a_loop_are_banned(rows, times):
    tensor = torch.tensor(rows, dtype=torch.long).view(len(rows), -1)
    expected = {
        (row, tokens[-period])
        for row, tokens in enumerate(rows)
        for period in range(1, LONGEST_PHRASE + 1)
        if len(tokens) >= period * times
        and tokens[len(tokens) - period * times :] == tokens[len(tokens) - period :] * times
    }
    assert bans(loops(tensor, times)) == expected


@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("period", [1, 2, 5])
def test_a_loop_is_left_after_as_many_turns_as_are_allowed(beam, period):
    phrase = list(range(2, 2 + period))
    turns = dict(zip([START, *phrase], [*phrase, phrase[0]], strict=True))
    model = Chain({last: {after: 0.99, END: 0.01} for last, after in turns.items()}, period + 2)
    settings = DecodingSettings(beam=beam, max_length_extra=50, loop_guard=3)
    (found,) = search(model, sources(0), [10], settings, start=START, end=END, forbidden=[START])
    assert found[0].tokens == tuple(phrase * 3)
    assert found[0].finished


def test_repetition_up_to_the_count_passes():
    model = Chain({START: {2: 1.0}, 2: {2: 0.7, END: 0.3}}, vocabulary=3)
    settings = DecodingSettings(beam=1, max_length_extra=4, max_length_ratio=0.1, loop_guard=4)
    (found,) = search(model, sources(0), [1], settings, start=START, end=END)
    assert found[0].tokens == (2, 2, 2, 2)


@pytest.mark.parametrize("beam", [1, 4])
def test_the_search_never_repeats_an_ngram_when_told_so(beam):
    model = Chain({START: {2: 1.0}, 2: {3: 0.6, 2: 0.4}, 3: {2: 0.6, 3: 0.4}}, vocabulary=4)
    settings = DecodingSettings(beam=beam, max_length_extra=30, no_repeat_ngram=3, loop_guard=0)
    (found,) = search(model, sources(0), [5], settings, start=START, end=END, forbidden=[START])
    seen = ngrams(found[0].tokens, 3)
    assert len(seen) > 3
    assert len(seen) == len(set(seen))


def test_a_guard_never_takes_the_last_token():
    only = torch.full((2, VOCABULARY), -torch.inf)
    only[:, 2] = 0.0
    only[1, 3] = -1.0
    looping = torch.full((2, 9), 2)
    rules = Rules(start=START, end=END, loop_guard=4, no_repeat=2)
    left = apply_guards(only, looping, rules)
    assert left[0].tolist() == only[0].tolist()  # 2 was all there was
    assert left[1].isneginf().tolist() == [True, True, True, False, True]


def test_the_guards_are_off_at_nought():
    table = torch.zeros((1, VOCABULARY))
    left = apply_guards(table, torch.full((1, 30), 2), Rules(start=START, end=END))
    assert left.tolist() == table.tolist()
