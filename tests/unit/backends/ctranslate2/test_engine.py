"""Asked in our numbers, CTranslate2 answers as our searches do."""

import random

import pytest
import torch
from tests.unit.backends.ctranslate2.shapes import (
    decoding,
    draw,
    engine,
    log_probabilities,
    network,
    tokenizer,
)

from dragoman.backends.ctranslate2.engine import loops
from dragoman.backends.stutter_guard import make_guard
from dragoman.core.errors import ConfigError, DataError
from dragoman.data.batching.doubles import Doubles
from dragoman.data.tokenizer.special_tokens import END, FIRST_PIECE, PAD, START, UNKNOWN
from dragoman.neural.decoding.guards import loops as guarded
from dragoman.neural.decoding.search import search


def ours(model, sources, settings, nbest=1, prefixes=None):
    longest = max(map(len, sources)) + 1
    padded = torch.tensor([[*row, END, *[PAD] * (longest - 1 - len(row))] for row in sources])
    return search(
        model,
        padded,
        [len(row) + 1 for row in sources],
        settings,
        start=START,
        end=END,
        forbidden=(PAD, START, UNKNOWN),
        nbest=nbest,
        prefixes=prefixes,
    )


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    words = tokenizer()
    model = network(words, output_bias=True)
    with torch.no_grad():
        model.output.bias[[PAD, START, UNKNOWN]] -= 8.0  # as rare as training makes them
        model.output.bias[END] += 3.0
    return model, engine(model, words, tmp_path_factory.mktemp("engine") / "ct2")


def check_alike(found, wanted):
    for mine, theirs in zip(wanted, found, strict=True):
        assert [h.tokens for h in theirs] == [h.tokens for h in mine]
        assert [h.finished for h in theirs] == [h.finished for h in mine]
        for one, other in zip(mine, theirs, strict=True):
            assert other.score == pytest.approx(one.score, rel=1e-5, abs=1e-5)
            assert other.log_probability == pytest.approx(one.log_probability, rel=1e-5, abs=1e-4)


@pytest.mark.parametrize("penalty", [0.0, 0.6, 1.0])
def test_greedy_outputs_and_their_scores_are_the_same(both, penalty):
    model, theirs = both
    sources = draw(10, 317, seed=5)
    settings = decoding(beam=1, length_penalty=penalty)
    none = [[]] * len(sources)
    check_alike(theirs(sources, settings, 1, none), ours(model, sources, settings))


@pytest.mark.parametrize("penalty", [0.0, 1.0])
def test_a_patient_beam_finds_what_ours_finds(both, penalty, monkeypatch):
    model, theirs = both
    monkeypatch.setattr(theirs, "patience", 20.0)
    sources = draw(6, 317, seed=6)
    settings = decoding(beam=3, length_penalty=penalty)
    found = theirs(sources, settings, 2, [[]] * len(sources))
    wanted = ours(model, sources, settings, 2)
    same = sum(a[0].tokens == b[0].tokens for a, b in zip(found, wanted, strict=True))
    assert same >= len(sources) - 1
    for a, b in zip(found, wanted, strict=True):
        assert a[0].score >= b[0].score - 1e-2


def test_prefixes_stand_and_are_priced_as_ours_are(both):
    model, theirs = both
    sources = draw(5, 317, seed=7)
    prefixes = [[300, 301], [], [310], [299] * 3, []]
    settings = decoding(beam=1)
    check_alike(theirs(sources, settings, 1, prefixes), ours(model, sources, settings, 1, prefixes))


def test_no_phrase_comes_twice_where_that_is_asked(both):
    model, theirs = both
    sources = draw(5, 317, seed=8)
    settings = decoding(beam=1, no_repeat_ngram=2)
    none = [[]] * len(sources)
    check_alike(theirs(sources, settings, 1, none), ours(model, sources, settings))


def test_each_sentence_has_its_own_longest_length(tmp_path):
    """A short sentence beside a long one may not write longer than it could alone."""
    words = tokenizer()
    model = network(words, output_bias=True)
    with torch.no_grad():
        model.output.bias[[PAD, START, UNKNOWN, END]] -= 30.0  # nothing ever ends
    theirs = engine(model, words, tmp_path / "ct2")
    sources = [[300], list(range(295, 315))]
    settings = decoding(beam=1, max_length_ratio=1.0, max_length_extra=2)
    found = theirs(sources, settings, 1, [[], []])
    assert [len(one[0].tokens) for one in found] == [4, 23]
    check_alike(found, ours(model, sources, settings))


def test_what_may_not_come_out_does_not(tmp_path):
    words = tokenizer()
    model = network(words, output_bias=True)
    with torch.no_grad():
        model.output.bias[[PAD, START, UNKNOWN]] += 20.0
    theirs = engine(model, words, tmp_path / "ct2")
    sources = draw(4, 317, seed=9)
    settings = decoding(beam=1, max_length_extra=3)
    found = theirs(sources, settings, 1, [[]] * 4)
    wanted = ours(model, sources, settings)
    check_alike(found, wanted)
    assert not {PAD, START, UNKNOWN} & {n for one in found for n in one[0].tokens}
    assert found[0][0].log_probability < -15.0  # the forbidden keep what is theirs


def test_scores_are_those_of_the_network(both):
    model, theirs = both
    sources = draw(3, 317, seed=10)
    settings = decoding(beam=4, length_penalty=0.7)
    for source, found in zip(sources, theirs(sources, settings, 4, [[]] * 3), strict=True):
        for one in found:
            each = log_probabilities(model, source, list(one.tokens), END)
            total = sum(each if one.finished else each[:-1])
            length = len(one.tokens) + one.finished
            assert one.log_probability == pytest.approx(total, rel=1e-5, abs=1e-4)
            assert one.score == pytest.approx(total / length**0.7, rel=1e-5, abs=1e-4)


def test_a_loop_is_left(tmp_path):
    words = tokenizer()
    model = network(words, output_bias=True)
    with torch.no_grad():
        model.output.bias[[PAD, START, UNKNOWN, END]] -= 30.0
        model.output.bias[300] += 30.0
    theirs = engine(model, words, tmp_path / "ct2")
    (looping,) = theirs([[301, 302]], decoding(beam=1, loop_guard=0), 1, [[]])
    (guarded,) = theirs([[301, 302]], decoding(beam=1, loop_guard=3), 1, [[]])
    assert loops(looping[0].tokens, 3)
    assert not loops(guarded[0].tokens, 3)


def stuttering(tmp_path):
    """Give an engine that says w0 w0 w0 … to whatever it is asked, with a guard against it."""
    words = tokenizer()
    model = network(words, output_bias=True)
    with torch.no_grad():
        model.output.bias[[PAD, START, UNKNOWN, END]] -= 30.0
        model.output.bias[FIRST_PIECE] += 30.0
    theirs = engine(model, words, tmp_path / "ct2")
    guard = make_guard(words, Doubles({}, frozenset()))
    theirs.stutter_guard = lambda: guard
    return theirs, guard


def searched(monkeypatch, theirs):
    """Return the sentences of each call from now on."""
    counted, ask = [], theirs._ask
    monkeypatch.setattr(
        theirs,
        "_ask",
        lambda asked, *rest, **how: counted.append(len(asked)) or ask(asked, *rest, **how),
    )
    return counted


@pytest.mark.parametrize("beam", [1, 3])
def test_what_stutters_is_searched_again_once_and_all_together(tmp_path, monkeypatch, beam):
    theirs, guard = stuttering(tmp_path)
    counted = searched(monkeypatch, theirs)
    sources = [[301, 302], [303], [304, 305, 306], [307, 308]]
    settings = decoding(beam=beam, loop_guard=4, max_length_ratio=1.0, max_length_extra=9)
    before = theirs(sources, settings, 1, [[]] * 4)
    assert all(guard.stutters(one[0].tokens) for one in before)
    counted.clear()
    guarded = settings.model_copy(update={"stutter_guard": "always"})
    found = theirs(sources, guarded, 1, [[]] * 4)
    assert not any(guard.stutters(one[0].tokens) for one in found)
    assert all(len(one[0].tokens) <= len(s) + 10 for one, s in zip(found, sources, strict=True))
    assert counted == [4, 4]
    alone = [theirs([source], guarded, 1, [[]])[0][0].tokens for source in sources]
    assert [one[0].tokens for one in found] == alone


def test_what_the_source_doubles_is_not_searched_again(tmp_path, monkeypatch):
    theirs, guard = stuttering(tmp_path)
    counted = searched(monkeypatch, theirs)
    settings = decoding(beam=1, max_length_ratio=0.1, max_length_extra=2, stutter_guard="always")
    found = theirs([[301, 301], [301, 302]], settings, 1, [[], []])
    assert [guard.stutters(one[0].tokens) for one in found] == [True, False]
    assert counted == [2, 1]


@pytest.mark.parametrize("times", [1, 2, 3, 4])
def test_loops_are_what_our_guard_forbids(times):
    """The guard of our own search is asked at each token if it would have let it through."""
    chance = random.Random(times)
    seen = set()
    for _ in range(150):
        phrase = [chance.randrange(5) for _ in range(chance.randint(1, 9))]
        again = phrase * chance.randint(1, times + 1)
        tokens = [chance.randrange(5), *again, *phrase[: chance.randint(0, 1)]]
        banned = any(
            token in guarded(torch.tensor([tokens[:place]], dtype=torch.long), times)[1].tolist()
            for place, token in enumerate(tokens)
        )
        assert loops(tokens, times) is banned
        seen.add(banned)
    assert seen == {True, False}


def test_a_prefix_longer_than_the_positions_is_refused(both):
    with pytest.raises(DataError, match="a prefix of 128 tokens"):
        both[1]([[300]], decoding(), 1, [[301] * 128])


@pytest.mark.parametrize("other", [{"coverage_penalty": 0.2}, {"search": "mbr"}, {"groups": 3}])
def test_a_search_that_it_has_not_is_refused_by_name(both, other):
    with pytest.raises(ConfigError, match=f"decoding.{next(iter(other))}: CTranslate2 has no"):
        both[1]([[300]], decoding(**other), 1, [[]])


def test_no_sentences_have_no_translations(both):
    assert both[1]([], decoding(), 1, []) == []


def test_eight_bits_translate(tmp_path):
    words = tokenizer()
    small = engine(network(words), words, tmp_path / "ct2", "int8")
    found = small(draw(3, 317, seed=11), decoding(max_length_extra=5), 1, [[]] * 3)
    assert all(one[0].tokens or one[0].finished for one in found)


def test_torch_has_its_threads_back(both):
    before = torch.get_num_threads()
    both[1](draw(1, 317, seed=1), decoding(max_length_extra=2), 1, [[]])
    assert torch.get_num_threads() == before
