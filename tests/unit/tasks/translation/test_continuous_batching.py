"""Texts that come and go between the steps of one search: each as if it were alone."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.core.errors import ConfigError
from dragoman.data.tokenizer.special_tokens import END
from dragoman.tasks.translation.continuous_batching import ROOM, STEPS, TranslatorFlow
from dragoman.tasks.translation.requests import TranslationRequest, answer
from dragoman.tasks.translation.translation import Translation
from dragoman.tasks.translation.translator import Translator

TEXTS = ["sun moon", "sea", "red blue cat dog", "", "sky tree bird fish song", "cat sky", "moon"]
LONG = "sun moon sea. red blue cat? dog tree bird. fish song sky! sun red dog. blue moon."


@pytest.fixture(scope="module")
def plain(tiny):
    return Translator.load(tiny.run)


@pytest.fixture(scope="module")
def lively(tiny):
    """Give a translator whose outputs end at any length, the first token among them."""
    loaded = Translator.load(tiny.run)
    loaded.model.double()
    ending = torch.zeros(loaded.model.output.out_features, dtype=torch.double)
    ending[END] = 2.0
    loaded.model.output.bias = torch.nn.Parameter(ending)
    return loaded


def decoding(translator, **changes):
    return translator.searching(translator.decoding.model_copy(update=changes))


def until_all_are_answered(flow, asked, most=500):
    """Return the questions in the order in which they are answered."""
    order = []
    for _ in range(most):
        if not any(one.missing for one in asked):
            return order
        order += flow.go_on()
    pytest.fail(f"{sum(one.missing for one in asked)} pieces are still missing")


def asked_at(flow, questions, times):
    """Ask each question after so many goes; a question is answered exactly once."""
    asked, done = [], []
    for question, wait in zip(questions, times, strict=True):
        for _ in range(wait):
            done += flow.go_on()
        asked.append(flow.ask(question))
    done += until_all_are_answered(flow, asked)
    assert sorted(map(id, done)) == sorted(id(one) for one in asked if any(one.answers))
    assert flow.go_on() == []
    return [one.found for one in asked]


def same(found, alone):
    assert len(found) == len(alone)
    for (mine,), (theirs,) in zip(found, alone, strict=True):
        assert (mine.text, mine.tokens, mine.unmet) == (theirs.text, theirs.tokens, theirs.unmet)
        assert mine.score == pytest.approx(theirs.score, abs=1e-5)
        assert mine.log_probability == pytest.approx(theirs.log_probability, abs=1e-3)


def check(translator, questions, times, most):
    found = asked_at(TranslatorFlow.of(translator, most), questions, times)
    for mine, one in zip(found, questions, strict=True):
        same(mine, answer(translator, one))


ONE_BY_ONE = [TranslationRequest(texts=[text]) for text in TEXTS]


@pytest.mark.parametrize("times", [(0,) * 7, (0, 1, 0, 3, 0, 2, 1), (9, 1, 9, 1, 9, 1, 9)])
def test_questions_asked_at_any_time_get_what_they_get_alone(plain, lively, times):
    check(plain, ONE_BY_ONE, times, most=5)
    check(lively, ONE_BY_ONE, times, most=5)


QUESTIONS = st.builds(
    TranslationRequest,
    texts=st.lists(st.sampled_from([*TEXTS, LONG]), max_size=4),
    no_repeat=st.sampled_from([0, 0, 2, 3]),
)
ASKED = st.lists(st.tuples(QUESTIONS, st.integers(0, 4)), min_size=1, max_size=5)


@given(ASKED, st.sampled_from([1, 2, 5, 40]), st.sampled_from([1, 2, 5]))
@settings(max_examples=4, deadline=None)
def test_whatever_comes_whenever_gets_what_it_gets_alone(lively, asked, most, beam):
    check(decoding(lively, beam=beam), *zip(*asked, strict=True), most)


SEARCHES = [
    {"beam": 1},
    {"beam": 5, "length_penalty": 0.6},
    {"max_length_ratio": 0.01, "max_length_extra": 1},
    {"no_repeat_ngram": 1},
    {"no_repeat_ngram": 2},
    {"loop_guard": 0},
    {"loop_guard": 1},
    {"loop_guard": 2, "no_repeat_ngram": 4},
]


@pytest.mark.parametrize("changes", SEARCHES, ids=str)
def test_the_search_is_the_one_of_the_settings(plain, changes):
    check(decoding(plain, **changes), ONE_BY_ONE, (0, 1, 0, 3, 0, 2, 1), most=4)


def test_what_may_not_repeat_itself_stands_beside_what_may(plain):
    free = [TranslationRequest(texts=TEXTS[:3]), TranslationRequest(texts=["sun moon"])]
    strict = [TranslationRequest(texts=one.texts, no_repeat=3) for one in free]
    check(plain, [free[0], strict[0], strict[1], free[1]], (0, 1, 0, 2), most=6)
    assert answer(plain, free[0]) != answer(plain, strict[0])


def test_what_a_question_forbids_takes_the_place_of_what_the_settings_do(plain):
    own = decoding(plain, no_repeat_ngram=2)
    questions = [TranslationRequest(texts=TEXTS), TranslationRequest(texts=TEXTS, no_repeat=3)]
    taken = [one for one in questions if TranslatorFlow.of(own, 6).takes(one)]
    check(own, taken, [1] * len(taken), most=6)


def test_a_long_text_is_cut_and_joined_again(plain):
    assert len(plain.cut([LONG])[0]) > 2
    questions = [
        TranslationRequest(texts=["sea", LONG, "", LONG + " cat."]),
        TranslationRequest(texts=["sun"]),
    ]
    check(plain, questions, (0, 1), most=3)


def test_few_lines_are_enough_for_many_texts(lively):
    check(
        lively,
        [TranslationRequest(texts=TEXTS * 3), TranslationRequest(texts=["sea"])],
        (0, 1),
        most=2,
    )


@pytest.mark.parametrize("most", [1, 2])
def test_a_question_of_many_texts_does_not_keep_one_of_few_waiting(plain, most):
    flow = TranslatorFlow.of(plain, most)
    many = flow.ask(TranslationRequest(texts=["red blue cat dog"] * 20))
    flow.go_on()
    few = flow.ask(TranslationRequest(texts=["sea"]))
    assert until_all_are_answered(flow, [many, few]) == [few, many]


def test_nothing_is_answered_at_once(plain):
    flow = TranslatorFlow.of(plain, 2)
    for texts in ([], [""], ["", " \x00\n"]):
        asked = flow.ask(TranslationRequest(texts=texts))
        assert asked.missing == 0
        assert asked.found == [[Translation("", 0.0, 0.0)]] * len(texts)
    assert flow.go_on() == []


def test_what_cannot_be_read_is_refused_and_harms_nobody(plain):
    flow = TranslatorFlow.of(plain, 2)
    first = flow.ask(TranslationRequest(texts=["sea"]))
    with pytest.raises(ConfigError, match="does not write"):
        flow.ask(TranslationRequest(texts=["sun"], to="xx"))
    until_all_are_answered(flow, [first])
    same(first.found, answer(plain, TranslationRequest(texts=["sea"])))


@given(st.integers(0, 3), st.integers(0, 12), st.sampled_from([2, 4, 40]))
@settings(max_examples=4, deadline=None)
def test_what_is_dropped_changes_nothing_for_the_others(lively, place, when, most):
    flow = TranslatorFlow.of(lively, most)
    questions = [TranslationRequest(texts=[text, "cat sky", "sea"]) for text in TEXTS[:4]]
    asked = [flow.ask(question) for question in questions]
    done = [one for _ in range(when) for one in flow.go_on()]
    gone, missing = asked[place], asked[place].missing
    flow.drop([gone])
    del asked[place], questions[place]
    done += until_all_are_answered(flow, asked)
    assert gone.missing == missing
    assert (gone in done) == (missing == 0)
    for one, question in zip(asked, questions, strict=True):
        same(one.found, answer(lively, question))


def test_those_who_leave_make_room(plain):
    flow = TranslatorFlow.of(plain, 2)
    for _ in range(3):
        flow.drop([flow.ask(TranslationRequest(texts=["red blue cat dog"] * 9))])
        gone = [flow.ask(TranslationRequest(texts=["red blue cat dog"] * 9)) for _ in range(2)]
        flow.go_on()
        flow.drop(gone)
    last = flow.ask(TranslationRequest(texts=["sea", "sun"]))
    assert until_all_are_answered(flow, [last], most=60 // STEPS) == [last]
    same(last.found, answer(plain, TranslationRequest(texts=["sea", "sun"])))


BROKEN = [
    ("begin", 0),
    ("step", 0),
    ("step", 2),
    ("reorder", 0),
    ("reorder", 2),
    ("append_rows", 1),
]


@pytest.mark.parametrize(("part", "before"), BROKEN)
def test_a_search_that_failed_has_all_its_room_again(plain, part, before, monkeypatch):
    flow = TranslatorFlow.of(plain, 2)
    questions, failed = (
        [TranslationRequest(texts=["sea"], no_repeat=3), TranslationRequest(texts=["sun moon"])],
        [],
    )

    def fail(*_):
        raise RuntimeError("no memory left")

    for _ in range(3):
        asked = [flow.ask(question) for question in questions[:before]]
        flow.go_on()
        asked += [flow.ask(question) for question in questions[before:]]
        with monkeypatch.context() as broken:
            broken.setattr(type(plain.model), part, fail)
            try:
                flow.go_on()
            except RuntimeError as error:
                failed.append(error)
        flow.drop(asked)
    for one, other in zip(asked_at(flow, questions, (0, 0)), questions, strict=True):
        same(one, answer(plain, other))
    assert len(failed) == 3


def test_only_plain_questions_are_taken(plain):
    flow = TranslatorFlow.of(plain, 2)
    assert flow.takes(TranslationRequest(texts=["sun"]))
    assert flow.takes(TranslationRequest(texts=["sun"], no_repeat=3, beam=plain.decoding.beam))
    assert not flow.takes(TranslationRequest(texts=["sun"], beam=plain.decoding.beam + 1))
    assert not flow.takes(TranslationRequest(texts=["sun"], nbest=2))
    assert not flow.takes(TranslationRequest(texts=["sun"], prefixes=["moon"]))
    assert not flow.takes(TranslationRequest(texts=["sun"], terms=[[["moon"]]]))
    assert not flow.takes(TranslationRequest(texts=["sun"], terms=lambda text: []))


APART = [
    {"shortlist": 5},
    {"coverage_penalty": 0.2},
    {"groups": 2},
    {"search": "sample"},
    {"search": "mbr"},
]


@pytest.mark.parametrize("changes", APART, ids=str)
def test_only_a_plain_beam_flows(plain, changes):
    assert TranslatorFlow.of(decoding(plain, **changes), 2) is None


def test_several_runs_as_one_do_not_flow(tiny):
    assert TranslatorFlow.of(Translator.load(tiny.run, also=[tiny.run]), 2) is None


def test_no_more_is_under_way_than_memory_allows_but_one_long_text_always_is(plain):
    small = decoding(plain, batch_tokens=40, beam=3)
    flow, room = TranslatorFlow.of(small, 50), ROOM * 40
    texts = ["sun moon sea", "red", "cat dog " * 20, "sky song tree", "red blue"] * 3
    asked = [flow.ask(TranslationRequest(texts=[text])) for text in texts]
    most = []
    while any(one.missing for one in asked):
        flow.go_on()
        slots = [line.slots for line in flow.lines]
        assert sum(slots) <= room or len(slots) == 1
        most.append(len(slots))
    assert max(most) > 1
    for one, text in zip(asked, texts, strict=True):
        same(one.found, answer(small, TranslationRequest(texts=[text])))
