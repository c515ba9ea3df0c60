"""Texts that are written together: each as alone, coming, going, cancelled, within bounds."""

import random

import pytest
import torch
from tests.tiny_writers import DECODER, LSTM, train_writer

from dragoman.config.sampling import SamplingSettings
from dragoman.core.errors import DataError
from dragoman.neural.adapt.fast_inference import quick
from dragoman.tasks.language_model import continuous_batching
from dragoman.tasks.language_model.continuous_batching import ContinuousWriter
from dragoman.tasks.language_model.language_model import LanguageModel
from dragoman.tasks.language_model.requests import GenerationRequest

MODELS = {
    "rotary": DECODER,
    "learned": DECODER.replace("{positions}", "learned"),
    "lstm": LSTM,
}
GREEDY = SamplingSettings(temperature=0.0, max_tokens=12)
WILD = SamplingSettings(temperature=2.5, max_tokens=20)
PROMPTS = ["one", "three four five six seven", "", "nine zero\none two", "five six"]


@pytest.fixture(scope="module", params=MODELS)
def writer(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    steps = 160 if request.param == "lstm" else 80
    return LanguageModel.load(train_writer(folder, model=MODELS[request.param], steps=steps))


def written(machine, wishes, company=()):
    """Write some texts to their ends, others coming along; return their texts and all pieces."""
    numbers = [machine.admit(wish) for wish in wishes]
    for wish in company:
        machine.admit(wish)
    pieces = []
    while machine.rows:
        pieces += machine.step()
    return [
        ["".join(p.text for p in pieces if p.row == row) for row in rows] for rows in numbers
    ], pieces


def wish(machine, prompt, settings=GREEDY, **more):
    return GenerationRequest(machine.tokens_of(prompt), settings, **more)


def test_without_chance_each_text_is_that_of_the_prompt_alone(writer):
    machine = ContinuousWriter(writer)
    texts, _ = written(machine, [wish(machine, prompt) for prompt in PROMPTS])
    assert [text for (text,) in texts] == [writer.generate([p], GREEDY)[0] for p in PROMPTS]
    assert " six" in texts[1][0] or " eight" in texts[1][0]


def test_a_seed_gives_the_text_that_it_gives_alone(writer):
    machine = ContinuousWriter(writer)
    wishes = [wish(machine, p, WILD, seed=n) for n, p in enumerate(PROMPTS)]
    texts, _ = written(machine, wishes, [wish(machine, "two", GREEDY)])
    alone = [writer.generate([p], WILD, seed=n)[0] for n, p in enumerate(PROMPTS)]
    assert [text for (text,) in texts] == alone
    assert len(set(alone)) > 2


@pytest.mark.parametrize("seed", range(3))
def test_whoever_comes_and_goes_changes_no_text(writer, seed):
    chance = random.Random(seed)
    machine = ContinuousWriter(writer)
    ways = [
        GREEDY,
        WILD,
        SamplingSettings(temperature=0.8, top_k=5, max_tokens=9),
        SamplingSettings(temperature=1.5, top_p=0.7, max_tokens=15),
        SamplingSettings(temperature=1.0, repetition_penalty=1.3, min_tokens=4, max_tokens=9),
    ]
    asked = [(chance.choice(PROMPTS), chance.choice(ways), n) for n in range(14)]
    told, numbers, gone = {}, {}, set()
    waiting = list(enumerate(asked))
    while waiting or machine.rows:
        for _ in range(chance.choice((0, 0, 1, 2))):
            if waiting:
                n, (prompt, way, own) = waiting.pop()
                (numbers[n],) = machine.admit(wish(machine, prompt, way, seed=own))
        if numbers and chance.random() < 0.1:
            n = chance.choice(list(numbers))
            machine.leave([numbers[n]])
            gone.add(n)
        for piece in machine.step():
            told[piece.row] = told.get(piece.row, "") + piece.text
    for n, (prompt, way, own) in enumerate(asked):
        (alone,) = writer.generate([prompt], way, seed=own)
        text = told.get(numbers[n], "")
        assert alone.startswith(text) if n in gone else alone == text


def test_the_first_choice_is_that_of_one_alone_and_the_others_differ(writer):
    machine = ContinuousWriter(writer)
    texts, _ = written(machine, [wish(machine, "one", WILD, seed=7, choices=3)])
    (choices,) = texts
    assert choices[0] == writer.generate(["one"], WILD, seed=7)[0]
    assert len(set(choices)) == 3


def test_why_a_text_ended_is_told(writer):
    machine = ContinuousWriter(writer)
    short = SamplingSettings(temperature=0.0, max_tokens=2)
    endless = SamplingSettings(temperature=0.0, max_tokens=50)
    wishes = [wish(machine, "one", short), wish(machine, "one", endless, stop=("three",))]
    texts, pieces = written(machine, wishes)
    ends = {piece.row: piece.ended for piece in pieces if piece.ended}
    assert [*ends.values()] == ["length", "stop"]
    assert texts[1] == writer.generate(["one"], endless, stop=["three"])
    assert "three" not in texts[1][0]


def test_log_probabilities_are_those_of_the_network(writer):
    machine = ContinuousWriter(writer)
    asked = wish(machine, "three four", GREEDY, alternatives=3)
    texts, pieces = written(machine, [asked], [wish(machine, p, WILD) for p in PROMPTS])
    own = [piece for piece in pieces if piece.row == 0]
    tokens = [*asked.tokens, *(piece.token for piece in own if piece.token is not None)]
    with torch.no_grad():
        scores = writer.model.output(writer.model.read(torch.tensor([tokens])))
    likely = scores.log_softmax(-1)[0, len(asked.tokens) - 1 :]
    for piece, row in zip(own, likely, strict=False):
        if piece.token is not None:
            assert piece.log_probability == pytest.approx(float(row[piece.token]), abs=1e-4)
        assert len(piece.alternatives) == 3
        assert piece.alternatives == tuple(sorted(piece.alternatives, key=lambda a: -a[1]))
        assert not {token for token, _ in piece.alternatives} & {*writer.special_tokens.never}


def test_a_long_prompt_is_read_in_portions_while_others_write(writer, monkeypatch):
    monkeypatch.setattr(continuous_batching, "PORTION", 4)
    machine = ContinuousWriter(writer)
    short, long = "one", "one two three four five six seven eight nine zero"
    (first,) = machine.admit(wish(machine, short))
    machine.step()
    machine.admit(wish(machine, long))
    assert [piece.row for piece in machine.step()] == [first]
    machine.clear()
    texts, _ = written(machine, [wish(machine, short), wish(machine, long)])
    assert [text for (text,) in texts] == [writer.generate([p], GREEDY)[0] for p in (short, long)]


def test_what_does_not_fit_has_to_wait_but_a_lone_wish_never(writer):
    machine = ContinuousWriter(writer, most_rows=3, most_tokens=100)
    assert machine.has_room_for(wish(machine, "one", choices=4))
    machine.admit(wish(machine, "one", SamplingSettings(max_tokens=20)))
    assert machine.has_room_for(wish(machine, "two", SamplingSettings(max_tokens=20)))
    assert not machine.has_room_for(wish(machine, "two", SamplingSettings(max_tokens=60)))
    assert not machine.has_room_for(wish(machine, "two", choices=3))


def test_a_row_that_left_is_heard_of_no_more(writer):
    machine = ContinuousWriter(writer)
    stays, goes, never = (machine.admit(wish(machine, "one"))[0] for _ in range(3))
    machine.leave([never])
    machine.step()
    machine.leave([goes])
    rows = {piece.row for _ in range(3) for piece in machine.step()}
    assert rows <= {stays}
    assert machine.rows <= 1


def test_the_quicker_form_of_a_network_writes_the_same(writer):
    plain = ContinuousWriter(writer)
    quicker = LanguageModel(
        quick(writer.model, "float32"),
        writer.tokenizer,
        longest=writer.longest,
        device=writer.device,
    )
    machine = ContinuousWriter(quicker)
    wishes = [wish(machine, prompt) for prompt in PROMPTS]
    assert written(machine, wishes)[0] == written(plain, wishes)[0]


def test_a_prompt_longer_than_a_table_of_positions_is_refused(tmp_path):
    writer = LanguageModel.load(train_writer(tmp_path, model=MODELS["learned"], steps=2))
    machine = ContinuousWriter(writer)
    with pytest.raises(DataError, match="knows 96 positions"):
        machine.has_room_for(wish(machine, "x" * 200))
