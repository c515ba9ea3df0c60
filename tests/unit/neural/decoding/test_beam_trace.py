"""What a beam held is told, and telling changes nothing."""

import math

import pytest
import torch
from decoding_tables import END, START, Chain, Table, sources
from hypothesis import given
from hypothesis import settings as cases
from hypothesis import strategies as st
from test_coverage import LookingTable, wide

from dragoman.config.training import DecodingSettings
from dragoman.neural.decoding.beam_trace import Trace
from dragoman.neural.decoding.search import search

WAYS = [
    {"beam": 1},
    {"beam": 3},
    {"beam": 4, "groups": 2, "diversity_penalty": 0.7},
    {"beam": 4, "no_repeat_ngram": 2},
    {"beam": 4, "length_penalty": 0.0},
]


def find(model, source, trace, *, nbest=1, prefixes=None, constraints=None, **changes):
    chosen = {"max_length_ratio": 0.5, "max_length_extra": 6, "loop_guard": 0, **changes}
    return search(
        model,
        source,
        [1] * len(source),
        DecodingSettings(**chosen),
        start=START,
        end=END,
        forbidden=(START,),
        nbest=nbest,
        prefixes=prefixes,
        constraints=constraints,
        trace=trace,
    )


def check_tree(traced, model, sentence, beam):
    """Say what holds of every tree."""
    first, *others = traced.candidates
    assert (first.parent, first.step, first.total) == (None, 0, 0.0)
    for number, one in enumerate(others, 1):
        parent = traced.candidates[one.parent]
        assert one.parent < number
        assert one.step == parent.step + 1
        assert parent.token != END or parent.parent is None
        forced = model.log_probability(sentence, tuple(traced.tokens(number)))
        assert one.total == pytest.approx(forced, abs=1e-5)
    for step in range(1, max(one.step for one in traced.candidates) + 1):
        assert 1 <= sum(one.step == step for one in traced.candidates) <= beam
    for number in range(len(traced.candidates)):
        twins = [
            other
            for other, one in enumerate(traced.candidates)
            if one.parent == traced.candidates[number].parent
            and one.token == traced.candidates[number].token
        ]
        assert len(twins) <= 2 if traced.candidates[number].parent == 0 else len(twins) == 1


def winner(traced, output):
    tokens = (*output.tokens, *([END] if output.finished else []))
    assert tuple(traced.tokens(traced.best)) == tokens
    assert traced.candidates[traced.best].total == output.log_probability
    assert traced.candidates[traced.best].output is output
    assert traced.path[0] == 0
    assert len(traced.path) == len(tokens) + 1


@cases(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(WAYS))
def test_outputs_are_the_same_bit_for_bit_and_the_tree_is_that_of_the_search(seed, way):
    model = Table.random(seed, sentences=3)
    trace = Trace()
    found = find(model, sources(0, 1, 2), trace, nbest=way["beam"], **way)
    assert found == find(model, sources(0, 1, 2), None, nbest=way["beam"], **way)
    assert len(trace.sentences) == 3
    for sentence, (traced, outputs) in enumerate(zip(trace.sentences, found, strict=True)):
        check_tree(traced, model, sentence, way["beam"])
        winner(traced, outputs[0])


@cases(max_examples=10, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.4]))
def test_phrases_beginnings_and_coverage_are_traced_too(seed, coverage):
    model = LookingTable.random(seed, sentences=2)
    given_ = {"prefixes": [[3], []], "constraints": [[[[2, 4]]], [[[4], [3]]]]}
    way = {"beam": 4, "coverage_penalty": coverage, **given_}
    trace = Trace()
    found = find(model, wide(0, 1), trace, **way)
    assert found == find(model, wide(0, 1), None, **way)
    for sentence, (traced, outputs) in enumerate(zip(trace.sentences, found, strict=True)):
        check_tree(traced, model, sentence, 4)
        winner(traced, outputs[0])
    begun = trace.sentences[0].candidates
    assert [one.token for one in begun if one.step == 1] == [3]


def test_a_tree_by_hand():
    model = Chain({START: {2: 0.6, 3: 0.4}, 2: {END: 0.5, 3: 0.5}, 3: {END: 1.0}}, 4)
    trace = Trace()
    find(model, sources(0), trace, beam=2, length_penalty=0.0)
    (traced,) = trace.sentences
    told = [(one.parent, one.step, one.token) for one in traced.candidates]
    assert told[:3] == [(None, 0, START), (0, 1, 2), (0, 1, 3)]
    assert sorted(told[3:5]) in ([(1, 2, END), (2, 2, END)], [(1, 2, 3), (2, 2, END)])
    totals = [round(math.exp(one.total), 6) for one in traced.candidates]
    assert totals[:3] == [1.0, 0.6, 0.4]
    assert traced.tokens(traced.best) == [3, END]


def test_greedy_search_gives_a_path():
    model = Table.random(5)
    trace = Trace()
    ((best,),) = find(model, sources(0), trace, beam=1)
    (traced,) = trace.sentences
    assert traced.path == [*range(len(traced.candidates))]
    assert traced.tokens(traced.best)[: len(best.tokens)] == [*best.tokens]


def test_a_model_that_allows_nothing_wins_with_nothing():
    class Mute(Table):
        def step(self, tokens, state):
            nexts, state = super().step(tokens, state)
            return torch.full_like(nexts, -torch.inf), state

    model = Mute(Table.random(1).log_probs)
    for beam in (1, 3):
        trace = Trace()
        found = find(model, sources(0), trace, beam=beam)
        assert found == find(model, sources(0), None, beam=beam)
        (traced,) = trace.sentences
        assert (traced.best, traced.path, len(traced.candidates)) == (0, [0], 1)
