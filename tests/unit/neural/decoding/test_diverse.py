"""Groups of the beam that keep out of each other's way."""

import math

import pytest
from decoding_tables import END, START, Chain, Table, looked_for, sources
from hypothesis import given
from hypothesis import settings as cases
from hypothesis import strategies as st
from pydantic import ValidationError

from dragoman.config.training import DecodingSettings
from dragoman.core.errors import ConfigError
from dragoman.neural.decoding.search import search

LONGEST = 6


def find(model, *names, **changes):
    return looked_for(model, names, **{"max_length_extra": LONGEST, **changes})


def by_hand(model, sentence, groups, places, strength, penalty):
    """Return what each group finds, with lists and loops: (finished, score, tokens), best first."""
    words = range(1, model.log_probs.shape[-1])
    living = [[((), 0.0)] for _ in range(groups)]
    ended = [[] for _ in range(groups)]
    for step in range(1, LONGEST + 1):
        taken = []
        for group in range(groups):
            grown = [
                ((*tokens, word), model.log_probability(sentence, (*tokens, word)))
                for tokens, _ in living[group]
                for word in words
            ]
            grown.sort(key=lambda each: strength * taken.count(each[0][-1]) - each[1])
            kept = grown[:places]
            living[group] = [each for each in kept if each[0][-1] != END]
            ended[group] += [
                (True, total / step**penalty, tokens[:-1])
                for tokens, total in kept
                if tokens[-1] == END
            ]
            taken += [tokens[-1] for tokens, _ in kept]
    cut = [[(False, t / LONGEST**penalty, tokens) for tokens, t in one] for one in living]
    return [sorted(a + b, reverse=True) for a, b in zip(ended, cut, strict=True)]


@cases(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from([(2, 1), (2, 2), (3, 1), (3, 2)]),
    st.sampled_from([0.0, 0.3, 1.0, 5.0]),
    st.sampled_from([0.0, 1.0]),
)
def test_each_group_finds_what_lists_and_loops_find(seed, sizes, strength, penalty):
    groups, places = sizes
    model = Table.random(seed, sentences=2)
    found = find(
        model,
        0,
        1,
        beam=groups * places,
        groups=groups,
        diversity_penalty=strength,
        length_penalty=penalty,
    )
    for sentence, (best, *more) in enumerate(found):
        wanted = by_hand(model, sentence, groups, places, strength, penalty)
        assert not more
        finished, score, tokens = max(one[0] for one in wanted)
        assert (best.finished, best.tokens) == (finished, tokens)
        assert best.score == pytest.approx(score)


@pytest.mark.parametrize("seed", range(6))
def test_as_many_outputs_as_groups_are_the_best_of_each(seed):
    model = Table.random(seed)
    wanted = {one[0][2] for one in by_hand(model, 0, 3, 2, 5.0, 1.0)}
    found = find(model, beam=6, groups=3, diversity_penalty=5.0, nbest=3)[0]
    assert len(found) == 3
    assert wanted <= {each.tokens for each in found}
    ranks = [(each.finished, each.score) for each in found]
    assert ranks == sorted(ranks, reverse=True)


@pytest.mark.parametrize(("strength", "second"), [(0.0, 2), (0.5, 2), (0.52, 3), (5.0, 3)])
def test_a_token_that_was_taken_costs_its_price(strength, second):
    # log 0.5 - log 0.3 = 0.511: above that price the second group takes the other token.
    ends = {END: 1.0}
    model = Chain({START: {2: 0.5, 3: 0.3, 4: 0.2}, 2: ends, 3: ends, 4: ends}, vocabulary=5)
    found = find(model, beam=2, groups=2, diversity_penalty=strength, nbest=2, max_length_extra=2)[
        0
    ]
    assert {each.tokens for each in found if each.finished} == {(2,), (second,)}
    assert math.exp(found[0].log_probability) == pytest.approx(0.5)


@pytest.mark.parametrize("seed", range(4))
def test_without_a_price_all_groups_are_the_same_small_beam(seed):
    model = Table.random(seed, sentences=3)
    small = find(model, 0, 1, 2, beam=2, nbest=2)
    assert find(model, 0, 1, 2, beam=6, groups=3, diversity_penalty=0.0, nbest=6) == small


def test_outputs_differ_more():
    def unlike(**changes):
        total = 0
        for seed in range(20):
            found = find(Table.random(seed), beam=4, nbest=4, **changes)[0]
            texts = [each.tokens for each in found]
            assert len(set(texts)) == len(texts)
            total += len({text[:2] for text in texts})
        return total

    assert unlike(groups=4, diversity_penalty=3.0) > 1.2 * unlike()


@cases(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from([(2, 2), (4, 2), (6, 3), (6, 2)]),
    st.lists(st.lists(st.integers(2, 4), max_size=4), min_size=2, max_size=2),
)
def test_a_log_probability_is_the_models_own_and_beginnings_are_kept(seed, sizes, prefixes):
    beam, groups = sizes
    model = Table.random(seed, sentences=2)
    found = find(
        model, 0, 1, beam=beam, groups=groups, diversity_penalty=2.0, nbest=beam, prefixes=prefixes
    )
    for sentence, (prefix, outputs) in enumerate(zip(prefixes, found, strict=True)):
        assert outputs
        for each in outputs:
            assert each.tokens[: len(prefix)] == tuple(prefix)
            tokens = (*each.tokens, END) if each.finished else each.tokens
            forced = model.log_probability(sentence, tokens)
            assert each.log_probability == pytest.approx(forced, abs=1e-9)
            assert each.score == pytest.approx(forced / len(tokens), abs=1e-9)


def test_the_company_of_a_sentence_changes_nothing():
    model = Table.random(5, sentences=6)
    chosen = {"beam": 4, "groups": 2, "diversity_penalty": 1.0, "no_repeat_ngram": 3, "nbest": 3}
    alone = [find(model, name, **chosen)[0] for name in range(6)]
    assert find(model, *range(6), **chosen) == alone
    assert find(model, 3, 0, 3, **chosen) == [alone[3], alone[0], alone[3]]


def test_groups_that_do_not_part_the_beam_are_refused():
    with pytest.raises(ValidationError, match="a beam of 5 does not part into 2 equal groups"):
        DecodingSettings(beam=5, groups=2)
    wider = DecodingSettings(beam=4, groups=2).model_copy(update={"beam": 5})
    with pytest.raises(ConfigError, match=r"decoding\.groups: a beam of 5 .* a multiple of 2"):
        search(Table.random(0), sources(0), [1], wider, start=START, end=END)
