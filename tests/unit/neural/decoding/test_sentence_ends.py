"""What must come is neither appended after the end of a sentence nor given a second one."""

import pytest
import torch
from decoding_tables import END, START, Chain, Table, looked_for
from hypothesis import given
from hypothesis import settings as cases
from hypothesis import strategies as st

from dragoman.neural.decoding.sentence_ends import SentenceEnds

WORD, OTHER, STOP, QUOTE, TERM = range(2, 7)
ONE = SentenceEnds(finals=[STOP], closers=[QUOTE], sentences=[1])
TWO = SentenceEnds(finals=[STOP], closers=[QUOTE], sentences=[2])


def find(rows, ends, *, phrase=(TERM,), **changes):
    """Search a chain in which nothing may come but what its rows say."""
    never = dict.fromkeys(range(7), 0.0)
    rows = {token: never | rows.get(token, {END: 1.0}) for token in range(7)}
    chosen = {"beam": 4, "length_penalty": 0.0} | changes
    constraints = [[[list(phrase)]]]
    model = Chain(rows, vocabulary=7)
    return looked_for(model, (), constraints=constraints, sentence_ends=ends, **chosen)[0][0]


APPENDED = {START: {WORD: 1.0}, WORD: {STOP: 1.0}, STOP: {END: 0.6, TERM: 0.4}, TERM: {END: 1.0}}


@pytest.mark.parametrize("beam", [1, 4])
def test_a_phrase_is_refused_rather_than_appended_after_the_end(beam):
    appended = find(APPENDED, None, beam=beam)
    assert appended.tokens == (WORD, STOP, TERM)
    refused = find(APPENDED, ONE, beam=beam)
    assert refused.tokens == (WORD, STOP)
    assert refused.finished
    assert refused.unmet == 1


def test_a_phrase_comes_before_the_end_at_a_higher_price():
    rows = APPENDED | {WORD: {STOP: 0.999, TERM: 0.001}, TERM: {STOP: 0.5, END: 0.5}}
    assert find(rows, None).tokens == (WORD, STOP, TERM)
    inside = find(rows, ONE)
    assert inside.tokens == (WORD, TERM)
    assert inside.unmet == 0
    assert inside.finished


SECOND = {
    START: {WORD: 1.0},
    WORD: {STOP: 1.0},
    STOP: {END: 0.4, OTHER: 0.6},
    OTHER: {TERM: 1.0},
    TERM: {STOP: 1.0},
}


def test_no_second_sentence_is_begun_to_hold_a_phrase():
    assert find(SECOND, None).tokens[:4] == (WORD, STOP, OTHER, TERM)
    refused = find(SECOND, ONE)
    assert refused.tokens == (WORD, STOP)
    assert refused.unmet == 1


def test_a_source_of_two_sentences_may_have_its_phrase_in_the_second():
    found = find(SECOND, TWO)
    assert found.tokens[:4] == (WORD, STOP, OTHER, TERM)
    assert found.unmet == 0


def test_where_the_model_would_rather_end_there_is_no_further_sentence():
    rows = SECOND | {STOP: {END: 0.6, OTHER: 0.4}}
    assert find(rows, TWO).tokens == (WORD, STOP)


def test_quotes_and_brackets_may_close_a_sentence_that_lacks_a_phrase():
    rows = APPENDED | {STOP: {QUOTE: 0.9, TERM: 0.05, END: 0.05}, QUOTE: {END: 0.5, TERM: 0.5}}
    found = find(rows, ONE)
    assert found.tokens == (WORD, STOP, QUOTE)
    assert found.unmet == 1


def test_a_phrase_with_a_full_stop_in_it_is_brought_to_its_end():
    rows = APPENDED | {STOP: {END: 0.9, OTHER: 0.1}, OTHER: {END: 1.0}}
    found = find(rows, ONE, phrase=(STOP, OTHER))
    assert found.tokens == (WORD, STOP, OTHER)
    assert found.unmet == 0


def test_an_output_that_owes_nothing_goes_on_as_the_model_has_it():
    rows = {START: {TERM: 1.0}, TERM: {STOP: 1.0}, STOP: {OTHER: 1.0}, OTHER: {END: 1.0}}
    assert find(rows, ONE).tokens == (TERM, STOP, OTHER)


@cases(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([1, 2, 5]), st.sampled_from([3, 4]))
def test_what_must_come_begins_before_the_end_or_nothing_follows_it(seed, beam, term):
    model = Table.random(seed, vocabulary=6)
    final, closer = 2, 5
    ends = SentenceEnds(finals=[final], closers=[closer], sentences=[1])
    found = looked_for(
        model, (), constraints=[[[[term]]]], sentence_ends=ends, beam=beam, nbest=beam
    )
    for each in found[0]:
        stop = each.tokens.index(final) if final in each.tokens else len(each.tokens)
        assert each.unmet == (term not in each.tokens)
        if each.unmet:
            assert set(each.tokens[stop:]) <= {final, closer}
        else:
            assert each.tokens.index(term) < stop


@pytest.mark.parametrize(
    ("tokens", "sentences", "ended"),
    [
        ([], 1, False),
        ([WORD], 1, False),
        ([WORD, STOP], 1, True),
        ([WORD, STOP, STOP, QUOTE], 1, True),
        ([WORD, STOP, WORD], 1, False),
        ([WORD, STOP], 2, False),
        ([WORD, STOP, QUOTE, WORD, STOP], 2, True),
        ([WORD, QUOTE], 1, False),
    ],
)
def test_a_prefix_has_ended_where_its_last_sentence_has(tokens, sentences, ended):
    ends = SentenceEnds(finals=[STOP], closers=[QUOTE], sentences=[sentences])
    prefix = torch.tensor([tokens], dtype=torch.long)
    first, no = torch.tensor([0]), torch.tensor([False])
    assert ends.ended(prefix, first, no).tolist() == [ended]
