"""Outputs of sources drawn by chance, each by its own."""

import math
from collections import Counter

import pytest
import torch
from decoding_tables import END, START, Chain, Table, sources
from hypothesis import given
from hypothesis import settings as cases
from hypothesis import strategies as st

from dragoman.config.sampling import SamplingSettings
from dragoman.config.training import DecodingSettings
from dragoman.neural.decoding.output_sampling import random_numbers
from dragoman.neural.decoding.search import sample_batch, search


def drawn(model, *names, count=1, longest=6, seed=1, **sampling):
    chosen = DecodingSettings(
        max_length_ratio=0.5,
        max_length_extra=longest,
        loop_guard=0,
        seed=seed,
        sampling=SamplingSettings(**sampling),
    )
    names = names or (0,)
    return sample_batch(
        model,
        sources(*names),
        [1] * len(names),
        chosen,
        start=START,
        end=END,
        forbidden=(START,),
        count=count,
    )


@cases(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from([{}, {"temperature": 0.5}, {"top_k": 2}, {"top_p": 0.7, "min_tokens": 2}]),
)
def test_a_log_probability_is_the_models_own_whatever_the_filters(seed, sampling):
    model = Table.random(seed, sentences=2)
    for sentence, outputs in enumerate(drawn(model, 0, 1, count=3, seed=seed, **sampling)):
        assert len(outputs) == 3
        for each in outputs:
            tokens = (*each.tokens, END) if each.finished else each.tokens
            assert len(tokens) <= 6
            forced = model.log_probability(sentence, tokens)
            assert each.log_probability == pytest.approx(forced, abs=1e-9)
            assert each.score == pytest.approx(forced / len(tokens), abs=1e-9)


def test_outputs_come_as_often_as_they_are_likely():
    model, count = Chain({START: {2: 0.6, 3: 0.4}, 2: {END: 0.5, 3: 0.5}, 3: {END: 1.0}}, 4), 8000
    found = Counter(each.tokens for each in drawn(model, count=count)[0])
    for tokens, p in {(2,): 0.3, (2, 3): 0.3, (3,): 0.4}.items():
        assert abs(found[tokens] / count - p) <= 4.5 * math.sqrt(p * (1 - p) / count)


def test_neither_the_other_sources_nor_more_draws_change_a_draw():
    model = Table.random(7, sentences=6)
    alone = [drawn(model, name, count=5)[0] for name in range(6)]
    assert drawn(model, *range(6), count=5) == alone
    assert drawn(model, 4, 1, 4, count=5) == [alone[4], alone[1], alone[4]]
    fewer = drawn(model, *range(6), count=2)
    assert fewer == [each[:2] for each in alone]
    assert len({each.tokens for each in alone[0]}) > 1


def test_the_same_seed_draws_the_same_and_another_seed_another():
    model = Table.random(3)
    assert drawn(model, count=8) == drawn(model, count=8)
    assert drawn(model, count=8) != drawn(model, count=8, seed=2)


def test_the_numbers_of_a_step_do_not_depend_on_how_many_steps_there_are():
    few, many = (random_numbers([[5, 6]], seed=1, count=2, steps=n) for n in (3, 30))
    torch.testing.assert_close(few, many[..., :3], rtol=0, atol=0)
    assert 0 <= many.min() <= many.max() < 1


def test_temperature_nought_is_greedy_search():
    model = Table.random(5, sentences=4)
    chosen = DecodingSettings(beam=1, max_length_ratio=0.5, max_length_extra=6, loop_guard=0)
    greedy = search(model, sources(*range(4)), [1] * 4, chosen, start=START, end=END, forbidden=[0])
    assert drawn(model, *range(4), temperature=0.0) == greedy


def test_each_output_has_the_room_of_its_source():
    endless = Chain({START: {2: 1.0}, 2: {2: 1.0}}, vocabulary=4)
    endless.log_probs[..., END] = -torch.inf
    chosen = DecodingSettings(max_length_ratio=2.0, max_length_extra=1)
    found = sample_batch(endless, sources(0, 0), [1, 4], chosen, start=START, end=END, count=2)
    assert [[len(each.tokens) for each in outputs] for outputs in found] == [[3, 3], [9, 9]]
    assert not any(each.finished for outputs in found for each in outputs)


def test_an_output_with_no_way_on_is_kept_as_it_is():
    model = Chain({START: {2: 1.0}, 2: {3: 1.0}}, vocabulary=4)
    model.log_probs[..., 3, :] = -torch.inf
    (each,) = drawn(model, min_tokens=2, top_k=1)[0]
    assert each.tokens == (2, 3)
    assert not each.finished


def test_an_empty_batch_gives_an_empty_list():
    empty = torch.empty((0, 4), dtype=torch.long)
    assert sample_batch(Table.random(0), empty, [], DecodingSettings(), start=START, end=END) == []
