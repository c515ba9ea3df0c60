"""Sentences that come and go while others are searched: each as if it were alone."""

import pytest
import torch
from decoding_tables import END, START, Table
from hypothesis import given
from hypothesis import settings as cases
from hypothesis import strategies as st

from dragoman.config.recurrent import RecurrentSettings
from dragoman.config.start import LoraStart, PrefixStart
from dragoman.config.training import DecodingSettings
from dragoman.config.transformer import TransformerSettings
from dragoman.neural.adapt.adapting import adapt
from dragoman.neural.adapt.fast_inference import quick
from dragoman.neural.adapt.lora import lora_matrices
from dragoman.neural.decoding.beam import beam_search
from dragoman.neural.decoding.continuous_batching import ContinuousBeamSearch
from dragoman.neural.decoding.echo import WordEchoes
from dragoman.neural.decoding.rules import Rules
from dragoman.neural.decoding.search import continuous_search
from dragoman.neural.decoding.stutter import Sounds, StutterGuard
from dragoman.neural.models.recurrent.model import RecurrentTranslator
from dragoman.neural.models.transformer import Transformer

WORDS = 19
CPU = torch.device("cpu")
POSITIONS = ["learned", "rotary", "alibi", "sinusoidal", "relative", "shaw", "t5", "none"]


def transformer(**changes):
    torch.manual_seed(5)
    usual = {"width": 16, "heads": 4, "ffn_width": 24, "dropout": 0.0, "max_positions": 64}
    usual |= {"encoder_layers": 1, "decoder_layers": 2, "initialization": "xavier"}
    network = Transformer(TransformerSettings(**usual | changes), WORDS, WORDS)
    with torch.no_grad():
        for weight in network.parameters():  # also those that begin with zeros
            weight.add_(torch.randn_like(weight) * 0.3)
    return network.double().eval()


def recurrent(**changes):
    torch.manual_seed(5)
    usual = {"width": 8, "dropout": 0.0}
    network = RecurrentTranslator(RecurrentSettings(**usual | changes), WORDS, WORDS)
    with torch.no_grad():
        for weight in network.parameters():
            weight.add_(torch.randn_like(weight) * 0.3)
    return network.double().eval()


def adapted(start):
    network = transformer(positions="rotary")
    adapt(network, start)
    for matrix in lora_matrices(network).values():
        torch.nn.init.normal_(matrix.up.weight)
    return network.double().eval()


NETWORKS = {name: (lambda name=name: transformer(positions=name)) for name in POSITIONS} | {
    "quick": lambda: quick(transformer(positions="relative"), "float32"),
    "quick, rotary": lambda: quick(transformer(positions="rotary"), "float32"),
    "lora": lambda: adapted(LoraStart(run="base", rank=2)),
    "prefix": lambda: adapted(PrefixStart(run="base", length=3)),
    "first": lambda: recurrent(context="first"),
    "every": lambda: recurrent(context="every"),
    "additive": lambda: recurrent(context="additive"),
    "dot": lambda: recurrent(context="dot", bidirectional=False),
    "fed": lambda: recurrent(context="general", input_feeding=True),
}
SENTENCES = [[5, 6, 7, END], [8, END], [9, 9, 10, 11, 12, END], [6, END], [13, 14, END]]
LONGEST = [9, 4, 14, 6, 11]


def rules(**changes):
    usual = {"start": START, "end": END, "forbidden": (0, START), "beam": 3, "loop_guard": 3}
    return Rules(**usual | changes)


def padded(some):
    width = max(map(len, some))
    return torch.tensor([[*one, *[0] * (width - len(one))] for one in some])


def alone(network, number, chosen):
    with torch.inference_mode():
        source, longest = torch.tensor([SENTENCES[number]]), torch.tensor([LONGEST[number]])
        return beam_search(network, source, longest, chosen)[0]


def through(network, chosen, when, max_rows=9):
    """Add each sentence before its own step; return what is found for it."""
    search = ContinuousBeamSearch(network, chosen, CPU, max_rows=max_rows)
    found, numbers, step = {}, {}, 0
    while len(found) < len(when):
        coming = [one for one, own in enumerate(when) if own == step]
        if coming:
            longest = torch.tensor([LONGEST[one] for one in coming])
            lines = search.add(padded([SENTENCES[one] for one in coming]), longest)
            numbers |= dict(zip(lines, coming, strict=True))
        found |= {numbers.pop(line): each for line, each in search.step().items()}
        step += 1
        assert step < 99
    assert search.free == max_rows
    return found


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize(
    "when", [(0, 1, 1, 4, 9), pytest.param((7, 3, 0, 0, 2), marks=pytest.mark.slow)], ids=str
)
def test_a_sentence_that_comes_later_is_searched_as_if_alone(name, when):
    network = NETWORKS[name]()
    found = through(network, rules(), when)
    for number in range(len(SENTENCES)):
        (mine,), (other,) = found[number], alone(network, number, rules())
        assert mine.tokens == other.tokens
        assert mine.score == pytest.approx(other.score, abs=1e-9)
        assert mine.finished == other.finished


@pytest.fixture(scope="module")
def network():
    return quick(transformer(positions="sinusoidal"), "float32")


@given(st.lists(st.integers(0, 12), min_size=5, max_size=5), st.integers(1, 5), st.integers(0, 3))
@cases(max_examples=8, deadline=None)
def test_whoever_comes_whenever_changes_nothing(network, when, beam, no_repeat):
    chosen = rules(beam=beam, no_repeat=no_repeat)
    found = through(network, chosen, when)
    for number in range(len(SENTENCES)):
        assert found[number][0].tokens == alone(network, number, chosen)[0].tokens


def test_a_sentence_may_be_stricter_than_the_others(network):
    search = ContinuousBeamSearch(network, rules(loop_guard=0), CPU, max_rows=5)
    longest = torch.tensor(LONGEST)
    lines = search.add(padded(SENTENCES), longest, [0, 0, 2, 0, 1])
    found: dict = {}
    while len(found) < 5:
        found |= search.step()
    for number, (line, size) in enumerate(zip(lines, [0, 0, 2, 0, 1], strict=True)):
        wanted = alone(network, number, rules(loop_guard=0, no_repeat=size))
        assert found[line][0].tokens == wanted[0].tokens
    assert (
        alone(network, 2, rules(loop_guard=0))[0]
        != alone(network, 2, rules(loop_guard=0, no_repeat=2))[0]
    )


def stutter_guard():
    """Give a guard for which every token from 2 on is a word of its own."""
    said = torch.arange(WORDS) - 2
    sounds = Sounds(said, said.where(said >= 0, -2), torch.zeros(WORDS - 2, dtype=torch.long))
    letters = ["", "", *(f"▁{number}" for number in range(2, WORDS))]
    return StutterGuard(sounds, sounds, WordEchoes(letters, letters, "▁", frozenset()), {(5,)})


@pytest.mark.parametrize("beam", [1, 3])
def test_the_stutter_guard_holds_for_each_sentence_as_if_alone(network, beam):
    """The third source doubles a word, and so may its output."""
    guard = stutter_guard()
    chosen = rules(beam=beam, loop_guard=0, stutter_guard=guard)
    found = through(network, chosen, (0, 1, 1, 4, 9))
    for number in range(len(SENTENCES)):
        assert found[number][0].tokens == alone(network, number, chosen)[0].tokens
    plain = [alone(network, one, rules(beam=beam, loop_guard=0))[0].tokens for one in range(5)]
    assert guard.excused(padded(SENTENCES)).tolist() == [False, False, True, False, False]
    assert found[2][0].tokens == plain[2]
    assert any(guard.stutters(tokens) for tokens in plain)
    assert not any(guard.stutters(found[one][0].tokens) for one in (0, 1, 3, 4))


def test_a_sentence_may_stutter_beside_others_that_may_not(network):
    guard = stutter_guard()
    search = ContinuousBeamSearch(
        network, rules(loop_guard=0, stutter_guard=guard), CPU, max_rows=5
    )
    free = [True, False, False, True, False]
    lines = search.add(padded(SENTENCES), torch.tensor(LONGEST), may_stutter=free)
    found: dict = {}
    while len(found) < 5:
        found |= search.step()
    for number, line in enumerate(lines):
        own = rules(loop_guard=0, stutter_guard=None if free[number] else guard)
        assert found[line][0].tokens == alone(network, number, own)[0].tokens


def test_a_sentence_that_leaves_makes_room_and_changes_nothing(network):
    search = ContinuousBeamSearch(network, rules(), CPU, max_rows=3)
    lines = search.add(padded(SENTENCES[:3]), torch.tensor(LONGEST[:3]))
    assert search.free == 0
    search.step()
    search.remove([lines[2], 99])
    assert search.free == 1
    (new,) = search.add(padded(SENTENCES[4:]), torch.tensor(LONGEST[4:]))
    found: dict = {}
    while search.free < 3:
        found |= search.step()
    assert found.keys() == {lines[0], lines[1], new}
    for line, number in ((lines[0], 0), (lines[1], 1), (new, 4)):
        assert found[line][0].tokens == alone(network, number, rules())[0].tokens


def test_all_may_leave(network):
    search = ContinuousBeamSearch(network, rules(), CPU, max_rows=2)
    search.remove(search.add(padded(SENTENCES[:2]), torch.tensor(LONGEST[:2])))
    assert search.free == 2
    assert search.step() == {}


def test_what_ends_with_its_first_token_is_told_with_the_next_step(network):
    search = ContinuousBeamSearch(network, rules(), CPU, max_rows=2)
    (line,) = search.add(padded(SENTENCES[:1]), torch.tensor([1]))
    assert search.free == 1
    assert search.step()[line] == beam_of_one_step(network)
    assert search.free == 2
    assert search.step() == {}


def beam_of_one_step(network):
    with torch.inference_mode():
        return beam_search(network, torch.tensor([SENTENCES[0]]), torch.tensor([1]), rules())[0]


def test_a_vocabulary_smaller_than_the_beam_is_enough(network):
    chosen = rules(beam=2 * WORDS)
    found = through(network, chosen, (0, 2, 2, 3, 5))
    for number in range(len(SENTENCES)):
        assert found[number][0].tokens == alone(network, number, chosen)[0].tokens


def test_rows_of_what_came_later_stay_below(network):
    old, new = network.begin(torch.tensor([[5, END]])), network.begin(torch.tensor([[6, 7, END]]))
    _, state = network.step(torch.tensor([START]), old)
    both = network.join((state, new))
    assert network.reorder(both, torch.tensor([0, 0, 1])).count == 2
    assert network.reorder(both, torch.tensor([1])).later_batches == ()
    with pytest.raises(ValueError, match="below"):
        network.reorder(both, torch.tensor([1, 0]))


@pytest.mark.parametrize(
    "change", [{"groups": 2, "beam": 4}, {"coverage_penalty": 0.2}, {"search": "mbr"}]
)
def test_only_a_plain_beam_has_continuous_batching(network, change):
    marks = {"start": START, "end": END, "max_rows": 2}
    plain = DecodingSettings()
    assert continuous_search(network, plain, CPU, **marks) is not None
    assert continuous_search(network, DecodingSettings(**change), CPU, **marks) is None
    assert continuous_search(Table.random(1), plain, CPU, **marks) is None
