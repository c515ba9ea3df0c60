"""Texts that come and go between the steps of one search: each as if it were alone."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.core.errors import ConfigError
from dragoman.data.tokenizer.special_tokens import END
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.continuous_batching import (
    MAX_BATCHES,
    SEARCH_STEPS,
    TranslationBatch,
)
from dragoman.tasks.translation.requests import TranslationRequest, execute
from dragoman.tasks.translation.translation import Translation

TEXTS = ["sun moon", "sea", "red blue cat dog", "", "sky tree bird fish song", "cat sky", "moon"]
LONG = "sun moon sea. red blue cat? dog tree bird. fish song sky! sun red dog. blue moon."


@pytest.fixture(scope="module")
def plain(tiny):
    return BareTranslator.load(tiny.run)


@pytest.fixture(scope="module")
def lively(tiny):
    """Give a translator whose outputs end at any length, the first token among them."""
    loaded = BareTranslator.load(tiny.run)
    loaded.model.double()
    ending = torch.zeros(loaded.model.output.out_features, dtype=torch.double)
    ending[END] = 2.0
    loaded.model.output.bias = torch.nn.Parameter(ending)
    return loaded


def decoding(translator, **changes):
    return translator.searching(translator.decoding.model_copy(update=changes))


def until_all_are_finished(batch, added, most=500):
    """Return the requests in the order in which they are finished."""
    order = []
    for _ in range(most):
        if not any(one.missing for one in added):
            return order
        order += batch.step()
    pytest.fail(f"{sum(one.missing for one in added)} pieces are still missing")


def added_at(batch, requests, times):
    """Add each request after so many steps; each is finished exactly once."""
    added, done = [], []
    for request, wait in zip(requests, times, strict=True):
        for _ in range(wait):
            done += batch.step()
        added.append(batch.add(request))
    done += until_all_are_finished(batch, added)
    assert sorted(map(id, done)) == sorted(id(one) for one in added if any(one.results))
    assert batch.step() == []
    return [one.candidates for one in added]


def same(candidates, alone):
    assert len(candidates) == len(alone)
    for (mine,), (theirs,) in zip(candidates, alone, strict=True):
        assert (mine.text, mine.tokens, mine.unmet) == (theirs.text, theirs.tokens, theirs.unmet)
        assert mine.score == pytest.approx(theirs.score, abs=1e-5)
        assert mine.log_probability == pytest.approx(theirs.log_probability, abs=1e-3)


def check(translator, requests, times, max_rows):
    candidates = added_at(TranslationBatch.of(translator, max_rows), requests, times)
    for mine, one in zip(candidates, requests, strict=True):
        same(mine, execute(translator, one))


ONE_BY_ONE = [TranslationRequest(texts=[text]) for text in TEXTS]


@pytest.mark.parametrize(
    "times",
    [
        (0, 1, 0, 3, 0, 2, 1),
        pytest.param((0,) * 7, marks=pytest.mark.slow),
        pytest.param((9, 1, 9, 1, 9, 1, 9), marks=pytest.mark.slow),
    ],
)
def test_requests_added_at_any_time_get_what_they_get_alone(plain, lively, times):
    check(plain, ONE_BY_ONE, times, max_rows=5)
    check(lively, ONE_BY_ONE, times, max_rows=5)


REQUESTS = st.builds(
    TranslationRequest,
    texts=st.lists(st.sampled_from([*TEXTS, LONG]), max_size=4),
    no_repeat=st.sampled_from([0, 0, 2, 3]),
    may_stutter=st.booleans(),
)
ARRIVALS = st.lists(st.tuples(REQUESTS, st.integers(0, 4)), min_size=1, max_size=5)


@given(ARRIVALS, st.sampled_from([1, 2, 5, 40]), st.sampled_from([1, 2, 5]))
@settings(max_examples=4, deadline=None)
def test_whatever_comes_whenever_gets_what_it_gets_alone(lively, added, max_rows, beam):
    check(decoding(lively, beam=beam), *zip(*added, strict=True), max_rows)


SEARCHES = [
    {"beam": 1},
    {"beam": 5, "length_penalty": 0.6},
    {"max_length_ratio": 0.01, "max_length_extra": 1},
    {"no_repeat_ngram": 1},
    {"no_repeat_ngram": 2},
    {"loop_guard": 0},
    {"loop_guard": 1},
    {"loop_guard": 2, "no_repeat_ngram": 4},
    {"stutter_guard": "always"},
]


@pytest.mark.parametrize("changes", SEARCHES, ids=str)
def test_the_search_is_the_one_of_the_settings(plain, changes):
    check(decoding(plain, **changes), ONE_BY_ONE, (0, 1, 0, 3, 0, 2, 1), max_rows=4)


def test_what_may_not_repeat_itself_stands_beside_what_may(plain):
    free = [TranslationRequest(texts=TEXTS[:3]), TranslationRequest(texts=["sun moon"])]
    strict = [TranslationRequest(texts=one.texts, no_repeat=3) for one in free]
    check(plain, [free[0], strict[0], strict[1], free[1]], (0, 1, 0, 2), max_rows=6)
    assert execute(plain, free[0]) != execute(plain, strict[0])


def test_what_may_stutter_stands_beside_what_may_not(plain):
    free = TranslationRequest(texts=TEXTS)
    guarded = TranslationRequest(texts=TEXTS, may_stutter=False)
    check(plain, [free, guarded, free], (0, 1, 2), max_rows=9)
    off = decoding(plain, stutter_guard="off")
    check(off, [free, guarded], (0, 1), max_rows=9)
    assert execute(off, guarded) == execute(plain, free)
    always = decoding(plain, stutter_guard="always")
    assert execute(always, free) == execute(plain, guarded)
    assert execute(plain, free) != execute(plain, guarded)


def test_what_a_request_forbids_takes_the_place_of_what_the_settings_do(plain):
    own = decoding(plain, no_repeat_ngram=2)
    requests = [TranslationRequest(texts=TEXTS), TranslationRequest(texts=TEXTS, no_repeat=3)]
    taken = [one for one in requests if TranslationBatch.of(own, 6).accepts(one)]
    check(own, taken, [1] * len(taken), max_rows=6)


def test_a_long_text_is_cut_and_joined_again(plain):
    assert len(plain.cut([LONG])[0]) > 2
    requests = [
        TranslationRequest(texts=["sea", LONG, "", LONG + " cat."]),
        TranslationRequest(texts=["sun"]),
    ]
    check(plain, requests, (0, 1), max_rows=3)


def test_few_rows_are_enough_for_many_texts(lively):
    check(
        lively,
        [TranslationRequest(texts=TEXTS * 3), TranslationRequest(texts=["sea"])],
        (0, 1),
        max_rows=2,
    )


@pytest.mark.parametrize("max_rows", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_a_request_of_many_texts_does_not_keep_one_of_few_waiting(plain, max_rows):
    batch = TranslationBatch.of(plain, max_rows)
    many = batch.add(TranslationRequest(texts=["red blue cat dog"] * 20))
    batch.step()
    few = batch.add(TranslationRequest(texts=["sea"]))
    assert until_all_are_finished(batch, [many, few]) == [few, many]


def test_empty_texts_are_finished_at_once(plain):
    batch = TranslationBatch.of(plain, 2)
    for texts in ([], [""], ["", " \x00\n"]):
        added = batch.add(TranslationRequest(texts=texts))
        assert added.missing == 0
        assert added.candidates == [[Translation("", 0.0, 0.0)]] * len(texts)
    assert batch.step() == []


def test_what_cannot_be_read_is_refused_and_harms_nobody(plain):
    batch = TranslationBatch.of(plain, 2)
    first = batch.add(TranslationRequest(texts=["sea"]))
    with pytest.raises(ConfigError, match="does not write"):
        batch.add(TranslationRequest(texts=["sun"], to="xx"))
    until_all_are_finished(batch, [first])
    same(first.candidates, execute(plain, TranslationRequest(texts=["sea"])))


@pytest.mark.slow
@given(st.integers(0, 3), st.integers(0, 12), st.sampled_from([2, 4, 40]))
@settings(max_examples=4, deadline=None)
def test_what_is_removed_changes_nothing_for_the_others(lively, place, when, max_rows):
    batch = TranslationBatch.of(lively, max_rows)
    requests = [TranslationRequest(texts=[text, "cat sky", "sea"]) for text in TEXTS[:4]]
    added = [batch.add(request) for request in requests]
    done = [one for _ in range(when) for one in batch.step()]
    gone, missing = added[place], added[place].missing
    batch.remove([gone])
    del added[place], requests[place]
    done += until_all_are_finished(batch, added)
    assert gone.missing == missing
    assert (gone in done) == (missing == 0)
    for one, request in zip(added, requests, strict=True):
        same(one.candidates, execute(lively, request))


def test_those_who_leave_make_room(plain):
    batch = TranslationBatch.of(plain, 2)
    for _ in range(3):
        batch.remove([batch.add(TranslationRequest(texts=["red blue cat dog"] * 9))])
        gone = [batch.add(TranslationRequest(texts=["red blue cat dog"] * 9)) for _ in range(2)]
        batch.step()
        batch.remove(gone)
    last = batch.add(TranslationRequest(texts=["sea", "sun"]))
    assert until_all_are_finished(batch, [last], most=60 // SEARCH_STEPS) == [last]
    same(last.candidates, execute(plain, TranslationRequest(texts=["sea", "sun"])))


BROKEN = [("begin", 0), ("step", 0), ("step", 2), ("reorder", 0), ("reorder", 2), ("join", 1)]


@pytest.mark.parametrize(("part", "before"), BROKEN)
def test_a_search_that_failed_has_all_its_room_again(plain, part, before, monkeypatch):
    batch = TranslationBatch.of(plain, 2)
    requests, failed = (
        [TranslationRequest(texts=["sea"], no_repeat=3), TranslationRequest(texts=["sun moon"])],
        [],
    )

    def fail(*_):
        raise RuntimeError("no memory left")

    for _ in range(3):
        added = [batch.add(request) for request in requests[:before]]
        batch.step()
        added += [batch.add(request) for request in requests[before:]]
        with monkeypatch.context() as broken:
            broken.setattr(type(plain.model), part, fail)
            try:
                batch.step()
            except RuntimeError as error:
                failed.append(error)
        batch.remove(added)
    for one, other in zip(added_at(batch, requests, (0, 0)), requests, strict=True):
        same(one, execute(plain, other))
    assert len(failed) == 3


def test_only_plain_requests_are_accepted(plain):
    batch = TranslationBatch.of(plain, 2)
    assert batch.accepts(TranslationRequest(texts=["sun"]))
    assert batch.accepts(TranslationRequest(texts=["sun"], no_repeat=3, beam=plain.decoding.beam))
    assert not batch.accepts(TranslationRequest(texts=["sun"], beam=plain.decoding.beam + 1))
    assert not batch.accepts(TranslationRequest(texts=["sun"], nbest=2))
    assert not batch.accepts(TranslationRequest(texts=["sun"], prefixes=["moon"]))
    assert not batch.accepts(TranslationRequest(texts=["sun"], terms=[[["moon"]]]))
    assert not batch.accepts(TranslationRequest(texts=["sun"], terms=lambda text: []))


APART = [
    {"shortlist": 5},
    {"coverage_penalty": 0.2},
    {"groups": 2},
    {"search": "sample"},
    {"search": "mbr"},
]


@pytest.mark.parametrize("changes", APART, ids=str)
def test_only_a_plain_beam_has_continuous_batching(plain, changes):
    assert TranslationBatch.of(decoding(plain, **changes), 2) is None


def test_an_ensemble_has_no_continuous_batching(tiny):
    assert TranslationBatch.of(BareTranslator.load(tiny.run, also=[tiny.run]), 2) is None


@pytest.mark.slow
def test_no_more_is_under_way_than_memory_allows_but_one_long_text_always_is(plain):
    small = decoding(plain, batch_tokens=40, beam=3)
    batch, room = TranslationBatch.of(small, 50), MAX_BATCHES * 40
    texts = ["sun moon sea", "red", "cat dog " * 20, "sky song tree", "red blue"] * 3
    added = [batch.add(TranslationRequest(texts=[text])) for text in texts]
    most = []
    while any(one.missing for one in added):
        batch.step()
        tokens = [row.tokens for row in batch.rows]
        assert sum(tokens) <= room or len(tokens) == 1
        most.append(len(tokens))
    assert max(most) > 1
    for one, text in zip(added, texts, strict=True):
        same(one.candidates, execute(small, TranslationRequest(texts=[text])))
