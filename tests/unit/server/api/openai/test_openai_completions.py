"""/v1/completions and /v1/models, asked by OpenAI's own client."""

import math
from concurrent.futures import ThreadPoolExecutor

import openai
import pytest

from dragoman.config.sampling import SamplingSettings
from dragoman.tasks.language_model.language_model import LanguageModel

GREEDY = SamplingSettings(temperature=0.0, max_tokens=12)
PROMPTS = ["one", "three four five six seven", "", "nine zero\none two"]


@pytest.fixture(scope="module")
def writer(counting_runs):
    return LanguageModel.load(counting_runs[0], device="cpu")


def ask(client, prompt="three four", **more):
    usual = {"model": "counting", "max_tokens": 12, "temperature": 0}
    return client.completions.create(prompt=prompt, **usual | more)


def heard(stream):
    """Return the chunks of a stream, and the texts they make, by number."""
    chunks = list(stream)
    texts = {}
    for chunk in chunks:
        for choice in chunk.choices:
            texts[choice.index] = texts.get(choice.index, "") + choice.text
    return chunks, texts


def test_the_models_that_are_served_are_listed(client, counting_runs):
    listed = client.models.list().data
    assert [one.id for one in listed] == ["counting", "by-two"]
    one = client.models.retrieve("by-two")
    assert (one.object, one.owned_by) == ("model", "dragoman")
    assert one.created == int((counting_runs[1] / "model.safetensors").stat().st_mtime)


def test_a_model_that_is_not_there_is_said_so(client):
    with pytest.raises(openai.NotFoundError) as error:
        client.models.retrieve("gpt-9")
    assert error.value.code == "model_not_found"
    with pytest.raises(openai.NotFoundError, match="'gpt-9' does not exist"):
        ask(client, model="gpt-9")


def test_a_text_goes_on_as_the_run_writes_it(client, writer):
    answer = ask(client)
    (text,) = writer.generate(["three four"], GREEDY)
    assert answer.choices[0].text == text
    assert text.startswith(" five six")
    assert answer.object == "text_completion"
    assert answer.usage.prompt_tokens == len(writer.tokenizer.encode("three four")) + 1
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens


def test_an_adapter_is_a_model_of_its_own(client, counting_runs):
    alone = LanguageModel.load(counting_runs[1], device="cpu")
    (text,) = alone.generate(["three five"], GREEDY)
    assert ask(client, "three five", model="by-two").choices[0].text == text
    assert ask(client, "three five").choices[0].text != text


def test_a_stream_makes_the_same_text(client):
    whole = ask(client)
    chunks, texts = heard(ask(client, stream=True))
    assert texts == {0: whole.choices[0].text}
    assert len(chunks) > 2
    assert [c.choices[0].finish_reason for c in chunks][-1] == whole.choices[0].finish_reason
    assert len({chunk.id for chunk in chunks}) == 1
    assert all(chunk.usage is None for chunk in chunks)


def test_a_stream_ends_with_the_numbers_of_tokens_if_asked(client):
    whole = ask(client)
    chunks, _ = heard(ask(client, stream=True, stream_options={"include_usage": True}))
    assert chunks[-1].choices == []
    assert chunks[-1].usage == whole.usage


def test_what_a_stream_sends_ends_with_done(server):
    body = b'{"model": "counting", "prompt": "one", "stream": true}'
    headers = {"Content-Type": "application/json"}
    answer = server.ask("/v1/completions", method="POST", headers=headers, body=body)
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert b"data: [DONE]\n\n" in answer.body


def test_many_at_once_each_get_their_own_text(client, writer):
    """Clients of different length, with and without chance, all at the same time."""
    wild = {"temperature": 1.7, "max_tokens": 20}
    asked = [
        (prompt, {"seed": n, **(wild if n % 2 else {})}) for n, prompt in enumerate(PROMPTS * 4)
    ]
    with ThreadPoolExecutor(16) as pool:
        texts = list(pool.map(lambda one: ask(client, one[0], **one[1]).choices[0].text, asked))
    for text, (prompt, how) in zip(texts, asked, strict=True):
        settings = SamplingSettings(temperature=1.7, max_tokens=20) if how["seed"] % 2 else GREEDY
        assert [text] == writer.generate([prompt], settings, seed=how["seed"])


def test_several_prompts_and_choices_are_numbered_in_order(client, writer):
    answer = ask(client, ["one", "five six"], n=2, temperature=1.5, seed=4)
    assert [choice.index for choice in answer.choices] == [0, 1, 2, 3]
    how = SamplingSettings(temperature=1.5, max_tokens=12)
    assert answer.choices[0].text == writer.generate(["one"], how, seed=4)[0]
    assert answer.choices[2].text == writer.generate(["five six"], how, seed=4)[0]
    _, texts = heard(ask(client, ["one", "five six"], n=2, temperature=1.5, seed=4, stream=True))
    assert texts == {choice.index: choice.text for choice in answer.choices}


def test_without_a_seed_chance_is_new_each_time(client):
    texts = {ask(client, temperature=2, max_tokens=30).choices[0].text for _ in range(3)}
    assert len(texts) > 1


def test_tokens_are_as_good_as_text(client, writer):
    tokens = writer.tokenizer.encode("three four")
    text = ask(client).choices[0].text
    assert ask(client, tokens).choices[0].text == text
    both = ask(client, [tokens, tokens])
    assert [choice.text for choice in both.choices] == [text, text]
    with pytest.raises(openai.BadRequestError, match="a token is a number"):
        ask(client, [1_000_000])


def test_log_probabilities_come_with_alternatives(client, writer):
    told = ask(client, logprobs=3).choices[0]
    likely = told.logprobs
    assert "".join(likely.tokens) == told.text
    assert likely.text_offset[1] == len(likely.tokens[0])
    assert all(3 <= len(top) <= 4 for top in likely.top_logprobs)
    assert [max(top.values()) for top in likely.top_logprobs] == likely.token_logprobs
    (scored,) = writer.score(["three four" + told.text])
    count = len(likely.tokens)
    own = scored.log_probabilities[-count - 1 : -1]
    assert math.fsum(likely.token_logprobs) == pytest.approx(math.fsum(own), abs=1e-3)
    assert ask(client, logprobs=0).choices[0].logprobs.top_logprobs is None
    assert ask(client).choices[0].logprobs is None


def test_a_stream_tells_log_probabilities_token_by_token(client):
    whole = ask(client, logprobs=2).choices[0].logprobs
    chunks, _ = heard(ask(client, logprobs=2, stream=True))
    told = [choice.logprobs for chunk in chunks for choice in chunk.choices if choice.logprobs]
    assert [token for one in told for token in one.tokens] == whole.tokens
    assert [offset for one in told for offset in one.text_offset] == whole.text_offset


def test_a_stop_string_ends_the_text_and_is_left_out(client):
    answer = ask(client, stop=["six"], logprobs=1)
    assert answer.choices[0].text == " five "
    assert answer.choices[0].finish_reason == "stop"
    assert "".join(answer.choices[0].logprobs.tokens).startswith(" five")
    _, texts = heard(ask(client, stop="six", stream=True))
    assert texts == {0: " five "}


def test_a_text_that_is_cut_says_so(client):
    answer = ask(client, max_tokens=2)
    assert answer.choices[0].finish_reason == "length"
    assert answer.usage.completion_tokens == 2


def test_the_prompt_is_repeated_if_asked(client):
    text = "three four" + ask(client).choices[0].text
    assert ask(client, echo=True).choices[0].text == text
    assert heard(ask(client, echo=True, stream=True))[1] == {0: text}


def test_a_prompt_can_be_scored(client, writer):
    """As those who measure language models ask: what is likely, and not what comes next."""
    prompt = "three four five seven"
    (scored,) = writer.score([prompt])
    (choice,) = ask(client, prompt, echo=True, logprobs=2, max_tokens=0).choices
    assert choice.text == prompt == "".join(choice.logprobs.tokens)
    assert choice.logprobs.token_logprobs == pytest.approx(scored.log_probabilities[:-1], abs=1e-4)
    assert choice.finish_reason == "length"
    more = ask(client, prompt, echo=True, logprobs=2, n=2).choices[0]
    count = len(choice.logprobs.tokens)
    assert more.logprobs.tokens[:count] == choice.logprobs.tokens
    assert more.text == "".join(more.logprobs.tokens)
    assert more.logprobs.text_offset[count] == len(prompt)
    chunks, texts = heard(ask(client, prompt, echo=True, logprobs=2, stream=True))
    assert texts == {0: more.text}
    streamed = [c.logprobs for chunk in chunks for c in chunk.choices if c.logprobs]
    assert [token for one in streamed for token in one.tokens] == more.logprobs.tokens
    empty = ask(client, prompt, echo=True, max_tokens=0)
    assert (empty.choices[0].text, empty.usage.completion_tokens) == (prompt, 0)


def test_what_changes_nothing_is_passed_over(client):
    more = {"user": "me", "frequency_penalty": 0, "presence_penalty": 0.0, "best_of": 1}
    assert ask(client, **more, suffix=None).choices[0].text == ask(client).choices[0].text


REFUSED = [
    ({"frequency_penalty": 0.5}, "'frequency_penalty' is not supported", "frequency_penalty"),
    ({"best_of": 3}, "'best_of' is not supported", "best_of"),
    ({"suffix": "end"}, "'suffix' is not supported", "suffix"),
    ({"logit_bias": {"5": 1}}, "'logit_bias' is not supported", "logit_bias"),
    ({"extra_body": {"beams": 4}}, "Unknown parameter: 'beams'", "beams"),
    ({"temperature": 3}, "Invalid 'temperature'", "temperature"),
    ({"temperature": -1}, "Invalid 'temperature'", "temperature"),
    ({"top_p": 1.5}, "Invalid 'top_p'", "top_p"),
    ({"n": 5}, "Invalid 'n'; limit: 4", "n"),
    ({"n": True}, "Invalid 'n'", "n"),
    ({"max_tokens": 0}, "0 needs 'echo'", "max_tokens"),
    ({"max_tokens": -1}, "Invalid 'max_tokens'", "max_tokens"),
    ({"max_tokens": 100_000}, "limit: 1024", "max_tokens"),
    ({"logprobs": 6}, "Invalid 'logprobs'", "logprobs"),
    ({"stop": ["a", "b", "c", "d", "e"]}, "at most 4 strings", "stop"),
    ({"stop": [""]}, "strings of 1 to 200", "stop"),
    ({"prompt": ["one"] * 20}, "20 texts are requested; limit: 16", "prompt"),
    ({"prompt": 5}, "Invalid 'prompt'", "prompt"),
    ({"prompt": "x" * 20_001}, "limit: 20000", None),
    ({"prompt": "é" * 19_000}, "limit: 32768", None),
    ({"seed": "x"}, "Invalid 'seed'", "seed"),
]


@pytest.mark.parametrize(("wrong", "said", "param"), REFUSED)
def test_what_cannot_be_done_is_refused_by_name(client, wrong, said, param):
    with pytest.raises(openai.BadRequestError) as error:
        ask(client, **{"prompt": "one", **wrong})
    assert said in str(error.value)
    assert error.value.param == param
    assert error.value.type == "invalid_request_error"


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'"x"', b"[" * 5000, b'{"prompt": "\\ud800"}'])
def test_what_is_no_request_is_refused(server, body):
    headers = {"Content-Type": "application/json"}
    answer = server.ask("/v1/completions", method="POST", headers=headers, body=body)
    assert answer.status == 400
    assert answer.json["error"]["type"] == "invalid_request_error"
