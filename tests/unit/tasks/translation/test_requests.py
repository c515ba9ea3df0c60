"""Coroutines that yield translation requests: executed alone and together, with one result."""

from copy import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.core.errors import DataError
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.requests import (
    TranslationRequest,
    execute,
    execute_batch,
    run_coroutine,
)
from dragoman.tasks.translation.translation import Translation

EMPTY = [Translation("", 0.0, 0.0)]


class Watched(BareTranslator):
    """Notes which texts each search is for."""

    searches: list[list[str]]

    @classmethod
    def of_translator(cls, translator):
        watched = copy(translator)
        watched.__class__ = cls
        watched.searches = []
        return watched

    def candidates(self, texts, **others):
        self.searches.append(list(texts))
        return super().candidates(texts, **others)


@pytest.fixture(scope="module")
def translator(tiny):
    loaded = BareTranslator.load(tiny.run)
    loaded.model.double()  # so that the company of others changes no digit that matters
    return loaded


@pytest.fixture
def watched(translator):
    return Watched.of_translator(translator)


def sea_or_nothing(text):
    return [["sea"]] if "sun" in text else []


def red_or_nothing(text):
    return [["red", "blue"]] if "sun" in text else []


def same(found, alone):
    assert [[one.text for one in each] for each in found] == [
        [one.text for one in each] for each in alone
    ]
    for mine, theirs in zip(sum(found, []), sum(alone, []), strict=True):
        assert mine.tokens == theirs.tokens
        assert mine.unmet == theirs.unmet
        assert mine.score == pytest.approx(theirs.score, abs=1e-6)
        assert mine.log_probability == pytest.approx(theirs.log_probability, abs=1e-5)


def test_every_request_is_executed_and_the_result_comes_back(watched):
    def work():
        first = yield TranslationRequest(texts=["sun moon", "sea"])
        second = yield TranslationRequest(texts=["red"], nbest=2)
        return first, second

    first, second = run_coroutine(watched, work())
    assert first == watched.candidates(["sun moon", "sea"])
    assert second == watched.candidates(["red"], nbest=2)
    assert watched.searches[:2] == [["sun moon", "sea"], ["red"]]
    assert len(second[0]) == 2


def test_a_coroutine_without_requests_is_done_at_once(watched):
    def work():
        return 7
        yield

    assert run_coroutine(watched, work()) == 7
    assert watched.searches == []


def test_only_the_texts_of_the_first_request_are_counted(translator):
    def work():
        yield TranslationRequest(texts=["sun", "moon", "", "sea " * 30])
        yield TranslationRequest(texts=["cat"])
        yield TranslationRequest(texts=["dog", "bird"])

    told = []
    assert run_coroutine(translator, work(), told.append) is None
    assert sum(told) == 3  # an empty text is in no batch, and a long one counts once


def test_what_is_wrong_with_the_work_passes_through(watched):
    def work():
        yield TranslationRequest(texts=["sun"])
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        run_coroutine(watched, work())
    assert watched.searches == [["sun"]]


def test_a_coroutine_learns_nothing_of_a_request_that_cannot_be_executed(translator):
    went_on = []

    def work():
        yield TranslationRequest(texts=["sun", "moon"], prefixes=["a"])
        went_on.append(True)

    with pytest.raises(DataError, match="1 prefixes for 2 texts"):
        run_coroutine(translator, work())
    assert not went_on


def test_a_request_that_forbids_repetition_changes_the_result_and_not_the_translator(translator):
    texts = ["sun moon", "red blue cat dog"]
    strict = execute(translator, TranslationRequest(texts=texts, no_repeat=3))
    for best, *_ in strict:
        triples = list(zip(best.tokens, best.tokens[1:], best.tokens[2:], strict=False))
        assert len(triples) == len(set(triples))
    assert execute(translator, TranslationRequest(texts=texts)) != strict
    assert translator.decoding.no_repeat_ngram == 0


def test_repetition_is_forbidden_by_a_beam_where_a_translator_draws(translator):
    drawing = translator.searching(translator.decoding.model_copy(update={"search": "sample"}))
    request = TranslationRequest(texts=["sun moon"], no_repeat=3)
    assert execute(drawing, request) == execute(translator, request)


KINDS = [
    TranslationRequest(texts=["sun moon", "", "sea"]),
    TranslationRequest(texts=["red blue cat dog"]),
    TranslationRequest(texts=["sun"], beam=3),
    TranslationRequest(texts=["moon", "sun"], beam=3, prefixes=["my cat", ""]),
    TranslationRequest(texts=["tree bird"], beam=3, terms=[[["fish"]]]),
    TranslationRequest(texts=["sun sun sun"], beam=1),
    TranslationRequest(texts=["sun", "sky"], nbest=2),
    TranslationRequest(texts=["song"], nbest=2, prefixes=["sea"]),
    TranslationRequest(texts=["sun moon"], no_repeat=3),
    TranslationRequest(texts=["sea"], no_repeat=2),
    TranslationRequest(texts=["sun sea"], terms=[[["moon"], ["red", "blue"]]]),
    TranslationRequest(texts=["fish", "sun dog"], terms=sea_or_nothing),
    TranslationRequest(texts=["sun bird"], terms=sea_or_nothing, prefixes=["dog"]),
    TranslationRequest(texts=["sun bird"], terms=red_or_nothing),
    TranslationRequest(texts=[]),
    TranslationRequest(texts=[], beam=3, prefixes=[]),
    TranslationRequest(texts=["sun. moon sea. " * 5], beam=3),
]


@pytest.fixture(scope="module")
def answers(translator):
    return [execute(translator, request) for request in KINDS]


@given(st.permutations(range(len(KINDS))), st.integers(0, len(KINDS)))
@settings(max_examples=5, deadline=None)
def test_together_each_request_gets_what_it_gets_alone(translator, answers, order, count):
    chosen = order[:count]
    found = execute_batch(translator, [KINDS[place] for place in chosen])
    assert len(found) == count
    for mine, place in zip(found, chosen, strict=True):
        same(mine, answers[place])


def test_each_kind_is_looked_for_in_one_search(watched):
    execute_batch(watched, KINDS)
    of_a_kind = {}
    for request in KINDS:
        of_a_kind.setdefault(request.kind, []).extend(request.texts)
    assert watched.searches == list(of_a_kind.values())
    assert len(watched.searches) == 8


def test_who_finds_terms_is_never_mistaken_for_another(translator):
    requests = [
        TranslationRequest(texts=["sun bird"], terms=sea_or_nothing),
        TranslationRequest(texts=["sun bird"], terms=red_or_nothing),
        TranslationRequest(texts=["sun bird"]),
    ]
    sea, color, free = (each[0][0] for each in execute_batch(translator, requests))
    assert "sea" in sea.text
    assert "red" in color.text or "blue" in color.text
    assert free == translator.candidates(["sun bird"])[0][0]


def test_requests_without_texts_leave_those_with_texts_alone(translator):
    nothing = [
        TranslationRequest(texts=[]),
        TranslationRequest(texts=[], terms=[]),
        TranslationRequest(texts=[], prefixes=[]),
    ]
    for first in nothing:
        found = execute_batch(translator, [first, TranslationRequest(texts=["sun"]), *nothing])
        assert [found[0], *found[2:]] == [[], [], [], []]
        same(found[1], translator.candidates(["sun"]))


def test_empty_texts_have_empty_translations(watched):
    requests = [
        TranslationRequest(texts=["", " \x00 "]),
        TranslationRequest(texts=[""]),
        TranslationRequest(texts=["sea"]),
    ]
    found = execute_batch(watched, requests)
    assert found[:2] == [[EMPTY, EMPTY], [EMPTY]]
    same(found[2], watched.candidates(["sea"]))


def test_no_requests_have_no_results(watched):
    assert execute_batch(watched, []) == []
    assert watched.searches == []
