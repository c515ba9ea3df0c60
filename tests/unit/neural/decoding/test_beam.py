import math

import pytest
import torch
from decoding_tables import END, START, Chain, Table, sources
from hypothesis import given
from hypothesis import settings as cases
from hypothesis import strategies as st

from dragoman.config.training import DecodingSettings
from dragoman.neural.decoding.beam import beam_search
from dragoman.neural.decoding.greedy import greedy_search
from dragoman.neural.decoding.rules import Rules
from dragoman.neural.decoding.search import search

SPECIALS = (START,)


def plain(*, longest=6, **changes):
    """Settings that allow exactly `longest` steps for a source of length one."""
    chosen = {"max_length_ratio": 0.5, "max_length_extra": longest, "loop_guard": 0, **changes}
    return DecodingSettings(**chosen)


def find(model, settings, *names, nbest=1, forbidden=SPECIALS):
    names = names or (0,)
    return search(
        model,
        sources(*names),
        [1] * len(names),
        settings,
        start=START,
        end=END,
        forbidden=forbidden,
        nbest=nbest,
    )


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("no_repeat", [0, 2])
def test_a_beam_of_one_is_greedy(seed, no_repeat):
    rules = Rules(start=START, end=END, forbidden=SPECIALS, no_repeat=no_repeat, loop_guard=4)
    longest = torch.tensor([3, 6, 9])
    batch = sources(0, 1, 2)
    model = Table.random(seed, sentences=3)
    assert beam_search(model, batch, longest, rules) == greedy_search(model, batch, longest, rules)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("penalty", [0.0, 0.6, 1.0, 2.0])
def test_a_beam_wide_enough_finds_what_trying_every_string_finds(seed, penalty):
    model = Table.random(seed)
    ranked = sorted(
        ((total / (len(tokens) + 1) ** penalty, tokens) for tokens, total in model.endings(6)),
        reverse=True,
    )
    found = find(model, plain(beam=1024, length_penalty=penalty), nbest=20)[0]
    assert [each.tokens for each in found] == [tokens for _, tokens in ranked[:20]]
    assert [each.score for each in found] == pytest.approx([score for score, _ in ranked[:20]])
    assert all(each.finished for each in found)


def test_greedy_takes_the_bait_and_a_beam_of_two_does_not():
    # "2" looks better at first, but all that follows it is unlikely; "3" leads to a sure end.
    model = Chain(
        {START: {2: 0.6, 3: 0.4}, 2: {2: 0.3, 3: 0.3, END: 0.4}, 3: {END: 1.0}}, vocabulary=4
    )
    greedy = find(model, plain(beam=1, length_penalty=0.0))[0][0]
    beam = find(model, plain(beam=2, length_penalty=0.0))[0][0]
    assert greedy.tokens == (2,)
    assert math.exp(greedy.log_probability) == pytest.approx(0.24)
    assert beam.tokens == (3,)
    assert math.exp(beam.log_probability) == pytest.approx(0.40)


def test_the_length_penalty_chooses_between_the_short_and_the_long():
    # Short: 0.5 in two steps. Long: 0.4 in four, which is more per token.
    model = Chain(
        {START: {2: 0.5, 3: 0.4}, 2: {END: 1.0}, 3: {4: 1.0}, 4: {5: 1.0}, 5: {END: 1.0}},
        vocabulary=6,
    )
    assert find(model, plain(beam=3, length_penalty=0.0))[0][0].tokens == (2,)
    assert find(model, plain(beam=3, length_penalty=1.0))[0][0].tokens == (3, 4, 5)


@pytest.mark.parametrize("beam", [1, 4])
def test_each_sentence_has_its_own_longest_length(beam):
    endless = Chain({START: {2: 1.0}, 2: {3: 1.0}, 3: {2: 1.0}}, vocabulary=4)
    endless.log_probs[..., END] = -torch.inf
    settings = plain(beam=beam, max_length_ratio=2.0, longest=1)
    found = search(
        endless, sources(0, 0, 0), torch.tensor([1, 4, 2]), settings, start=START, end=END
    )
    assert [len(each[0].tokens) for each in found] == [3, 9, 5]
    assert not any(each[0].finished for each in found)
    assert found[0][0].score == pytest.approx(found[0][0].log_probability / 3)


def test_unfinished_outputs_only_fill_up_for_missing_finished_ones():
    model = Chain({START: {2: 0.8, END: 0.2}, 2: {2: 0.9, 3: 0.1}, 3: {3: 1.0}}, vocabulary=4)
    found = find(model, plain(beam=3, longest=3), nbest=3)[0]
    assert [each.finished for each in found] == [True, False, False]
    assert [each.tokens for each in found] == [(), (2, 2, 2), (2, 3, 3)]


@pytest.mark.parametrize("beam", [1, 2, 5])
@pytest.mark.parametrize("penalty", [0.0, 1.0])
def test_the_company_of_a_sentence_changes_nothing(beam, penalty):
    model = Table.random(5, sentences=7)
    settings = plain(beam=beam, length_penalty=penalty, no_repeat_ngram=3, loop_guard=2)
    alone = [find(model, settings, name)[0] for name in range(7)]
    shuffled = [4, 0, 6, 2, 2, 5, 1, 3]
    assert find(model, settings, *range(7)) == alone
    assert find(model, settings, *shuffled) == [alone[name] for name in shuffled]


@pytest.mark.parametrize("seed", range(5))
def test_the_nbest_are_distinct_and_the_best_comes_first(seed):
    for found in find(Table.random(seed, sentences=3), plain(beam=8), 0, 1, 2, nbest=8):
        ranks = [(each.finished, each.score) for each in found]
        assert len(found) == 8
        assert len({each.tokens for each in found}) == 8
        assert ranks == sorted(ranks, reverse=True)


def test_fewer_outputs_asked_for_are_the_first_of_many():
    model = Table.random(3, sentences=4)
    many = find(model, plain(beam=6), *range(4), nbest=6)
    assert find(model, plain(beam=6), *range(4)) == [each[:1] for each in many]


def test_a_beam_wider_than_the_vocabulary_works():
    assert len(find(Table.random(0, vocabulary=3), plain(beam=50), nbest=6)[0]) == 6


def test_a_beam_wider_than_all_there_is_gives_all_there_is():
    found = find(Table.random(0, vocabulary=3), plain(beam=50, longest=3), nbest=50)[0]
    assert [each.tokens for each in found if each.finished] != []
    assert {each.tokens for each in found} == {(), (2,), (2, 2), (2, 2, 2)}


def score_is_honest(seed, beam, penalty):
    model = Table.random(seed, sentences=2, vocabulary=6)
    model.log_probs = model.log_probs.float()
    settings = plain(beam=beam, length_penalty=penalty, longest=12)
    for sentence, found in enumerate(find(model, settings, 0, 1, nbest=beam)):
        for each in found:
            tokens = (*each.tokens, END) if each.finished else each.tokens
            forced = model.log_probability(sentence, tokens)
            assert each.log_probability == pytest.approx(forced, abs=1e-5)
            assert each.score == pytest.approx(forced / len(tokens) ** penalty, abs=1e-5)


tables = (st.integers(0, 10**6), st.integers(1, 6), st.sampled_from([0.0, 0.5, 1.0, 1.5]))


@cases(max_examples=100, deadline=None)
@given(*tables)
def test_a_score_is_the_score_of_the_tokens_forced_through_the_model(seed, beam, penalty):
    score_is_honest(seed, beam, penalty)


@pytest.mark.slow
@cases(max_examples=500, deadline=None)
@given(*tables)
def test_a_score_is_honest_in_many_more_cases(seed, beam, penalty):
    score_is_honest(seed, beam, penalty)
