"""Texts that are generated together: each as alone, coming, going, cancelled, within bounds."""

import random

import pytest
import torch
from tests.tiny_language_models import DECODER, LSTM, train_language_model

from dragoman.config.sampling import SamplingSettings
from dragoman.core.errors import DataError
from dragoman.neural.adapt.fast_inference import quick
from dragoman.tasks.language_model import continuous_batching as continuous
from dragoman.tasks.language_model.continuous_batching import GenerationBatch
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
def model(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    steps = 160 if request.param == "lstm" else 80
    return LanguageModel.load(
        train_language_model(folder, model=MODELS[request.param], steps=steps)
    )


def generate(batch, requests, company=()):
    """Generate some texts to their ends, beside others; return them and all tokens."""
    numbers = [batch.add(request) for request in requests]
    for request in company:
        batch.add(request)
    tokens = []
    while batch.rows:
        tokens += batch.step()
    return [
        ["".join(p.text for p in tokens if p.row == row) for row in rows] for rows in numbers
    ], tokens


def request(batch, prompt, settings=GREEDY, **more):
    return GenerationRequest(batch.tokens_of(prompt), settings, **more)


def test_without_chance_each_text_is_that_of_the_prompt_alone(model):
    batch = GenerationBatch(model)
    texts, _ = generate(batch, [request(batch, prompt) for prompt in PROMPTS])
    assert [text for (text,) in texts] == [model.generate([p], GREEDY)[0] for p in PROMPTS]
    assert " six" in texts[1][0] or " eight" in texts[1][0]


def test_a_seed_gives_the_text_that_it_gives_alone(model):
    batch = GenerationBatch(model)
    requests = [request(batch, p, WILD, seed=n) for n, p in enumerate(PROMPTS)]
    texts, _ = generate(batch, requests, [request(batch, "two", GREEDY)])
    alone = [model.generate([p], WILD, seed=n)[0] for n, p in enumerate(PROMPTS)]
    assert [text for (text,) in texts] == alone
    assert len(set(alone)) > 2


@pytest.mark.parametrize("seed", range(3))
def test_whoever_comes_and_goes_changes_no_text(model, seed):
    chance = random.Random(seed)
    batch = GenerationBatch(model)
    ways = [
        GREEDY,
        WILD,
        SamplingSettings(temperature=0.8, top_k=5, max_tokens=9),
        SamplingSettings(temperature=1.5, top_p=0.7, max_tokens=15),
        SamplingSettings(temperature=1.0, repetition_penalty=1.3, min_tokens=4, max_tokens=9),
    ]
    asked = [(chance.choice(PROMPTS), chance.choice(ways), n) for n in range(14)]
    found, numbers, gone = {}, {}, set()
    waiting = list(enumerate(asked))
    while waiting or batch.rows:
        for _ in range(chance.choice((0, 0, 1, 2))):
            if waiting:
                n, (prompt, way, own) = waiting.pop()
                (numbers[n],) = batch.add(request(batch, prompt, way, seed=own))
        if numbers and chance.random() < 0.1:
            n = chance.choice(list(numbers))
            batch.remove([numbers[n]])
            gone.add(n)
        for token in batch.step():
            found[token.row] = found.get(token.row, "") + token.text
    for n, (prompt, way, own) in enumerate(asked):
        (alone,) = model.generate([prompt], way, seed=own)
        text = found.get(numbers[n], "")
        assert alone.startswith(text) if n in gone else alone == text


def test_the_first_choice_is_that_of_one_alone_and_the_others_differ(model):
    batch = GenerationBatch(model)
    texts, _ = generate(batch, [request(batch, "one", WILD, seed=7, choices=3)])
    (choices,) = texts
    assert choices[0] == model.generate(["one"], WILD, seed=7)[0]
    assert len(set(choices)) == 3


def test_why_a_text_ended_is_told(model):
    batch = GenerationBatch(model)
    short = SamplingSettings(temperature=0.0, max_tokens=2)
    endless = SamplingSettings(temperature=0.0, max_tokens=50)
    requests = [request(batch, "one", short), request(batch, "one", endless, stop=("three",))]
    texts, tokens = generate(batch, requests)
    ends = {token.row: token.finish_reason for token in tokens if token.finish_reason}
    assert [*ends.values()] == ["length", "stop"]
    assert texts[1] == model.generate(["one"], endless, stop=["three"])
    assert "three" not in texts[1][0]


def test_log_probabilities_are_those_of_the_network(model):
    batch = GenerationBatch(model)
    asked = request(batch, "three four", GREEDY, alternatives=3)
    texts, tokens = generate(batch, [asked], [request(batch, p, WILD) for p in PROMPTS])
    own = [token for token in tokens if token.row == 0]
    tokens = [*asked.tokens, *(token.token for token in own if token.token is not None)]
    with torch.no_grad():
        scores = model.model.output(model.model.read(torch.tensor([tokens])))
    likely = scores.log_softmax(-1)[0, len(asked.tokens) - 1 :]
    for token, row in zip(own, likely, strict=False):
        if token.token is not None:
            assert token.log_probability == pytest.approx(float(row[token.token]), abs=1e-4)
        assert len(token.alternatives) == 3
        assert token.alternatives == tuple(sorted(token.alternatives, key=lambda a: -a[1]))
        assert not {token for token, _ in token.alternatives} & {*model.special_tokens.never}


def test_a_long_prompt_is_read_in_portions_while_others_write(model, monkeypatch):
    monkeypatch.setattr(continuous, "PREFILL_TOKENS", 4)
    batch = GenerationBatch(model)
    short, long = "one", "one two three four five six seven eight nine zero"
    (first,) = batch.add(request(batch, short))
    batch.step()
    batch.add(request(batch, long))
    assert [token.row for token in batch.step()] == [first]
    batch.clear()
    texts, _ = generate(batch, [request(batch, short), request(batch, long)])
    assert [text for (text,) in texts] == [model.generate([p], GREEDY)[0] for p in (short, long)]


def test_what_does_not_fit_has_to_wait_but_a_lone_request_never(model):
    batch = GenerationBatch(model, max_rows=3, max_tokens=100)
    assert batch.has_room(request(batch, "one", choices=4))
    batch.add(request(batch, "one", SamplingSettings(max_tokens=20)))
    assert batch.has_room(request(batch, "two", SamplingSettings(max_tokens=20)))
    assert not batch.has_room(request(batch, "two", SamplingSettings(max_tokens=60)))
    assert not batch.has_room(request(batch, "two", choices=3))


def test_a_row_that_was_removed_is_heard_of_no_more(model):
    batch = GenerationBatch(model)
    stays, goes, never = (batch.add(request(batch, "one"))[0] for _ in range(3))
    batch.remove([never])
    batch.step()
    batch.remove([goes])
    rows = {token.row for _ in range(3) for token in batch.step()}
    assert rows <= {stays}
    assert batch.rows <= 1


def test_the_quicker_form_of_a_network_writes_the_same(model):
    plain = GenerationBatch(model)
    quicker = LanguageModel(
        quick(model.model, "float32"),
        model.tokenizer,
        longest=model.longest,
        device=model.device,
    )
    batch = GenerationBatch(quicker)
    requests = [request(batch, prompt) for prompt in PROMPTS]
    assert generate(batch, requests)[0] == generate(plain, requests)[0]


def test_a_prompt_longer_than_a_table_of_positions_is_refused(tmp_path):
    model = LanguageModel.load(train_language_model(tmp_path, model=MODELS["learned"], steps=2))
    batch = GenerationBatch(model)
    with pytest.raises(DataError, match="knows 96 positions"):
        batch.has_room(request(batch, "x" * 200))
