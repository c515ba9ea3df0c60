"""/v1/chat/completions, asked by OpenAI's own client."""

import openai
import pytest

from dragoman.config.sampling import SamplingSettings
from dragoman.tasks.language_model.language_model import LanguageModel

SAID = [{"role": "system", "content": "count"}, {"role": "user", "content": "one two"}]
PLAY = "system: count\nuser: one two\nassistant:"


def ask(client, messages=SAID, **more):
    usual = {"model": "counting", "max_completion_tokens": 12, "temperature": 0}
    return client.chat.completions.create(messages=messages, **usual | more)


def heard(stream):
    chunks = list(stream)
    texts = {}
    for chunk in chunks:
        for choice in chunk.choices:
            texts[choice.index] = texts.get(choice.index, "") + (choice.delta.content or "")
    return chunks, texts


@pytest.fixture(scope="module")
def expected(counting_runs):
    writer = LanguageModel.load(counting_runs[0], device="cpu")
    settings = SamplingSettings(temperature=0.0, max_tokens=12)
    (text,) = writer.generate([PLAY], settings, stop=["\nuser:", "\nsystem:"])
    return text.lstrip()


def test_a_model_without_marks_of_chats_reads_a_play(client, expected):
    answer = ask(client)
    assert answer.choices[0].message.content == expected
    assert answer.choices[0].message.role == "assistant"
    assert answer.object == "chat.completion"
    assert answer.usage.completion_tokens <= 12


def test_a_stream_makes_the_same_message(client, expected):
    chunks, texts = heard(ask(client, stream=True, stream_options={"include_usage": True}))
    assert texts == {0: expected}
    assert chunks[0].choices[0].delta.role == "assistant"
    assert chunks[0].object == "chat.completion.chunk"
    assert chunks[-2].choices[0].finish_reason in ("stop", "length")
    assert chunks[-1].usage.total_tokens > 0


def test_parts_of_a_message_and_older_names_are_understood(client, expected):
    parts = [{"type": "text", "text": "one "}, {"type": "text", "text": "two"}]
    said = [{"role": "developer", "content": "count"}, {"role": "user", "content": parts}]
    assert ask(client, said).choices[0].message.content == expected
    short = client.chat.completions.create(
        model="counting", messages=SAID, max_tokens=12, temperature=0, stop=None
    )
    assert short.choices[0].message.content == expected


def test_log_probabilities_come_with_bytes_and_alternatives(client):
    told = ask(client, logprobs=True, top_logprobs=4).choices[0]
    for token in told.logprobs.content:
        assert token.logprob <= 0
        assert token.bytes is None or bytes(token.bytes).decode() == token.token
        assert len(token.top_logprobs) == 4
        assert token.logprob == token.top_logprobs[0].logprob
    chunks, _ = heard(ask(client, logprobs=True, stream=True))
    streamed = [c.logprobs for chunk in chunks for c in chunk.choices if c.logprobs]
    assert [t.token for one in streamed for t in one.content] == [
        t.token for t in told.logprobs.content
    ]


def test_several_answers_can_be_asked_for(client):
    answer = ask(client, n=3, temperature=2, seed=5)
    assert [choice.index for choice in answer.choices] == [0, 1, 2]
    again = ask(client, n=3, temperature=2, seed=5, stream=True)
    assert heard(again)[1] == {c.index: c.message.content for c in answer.choices}


TOOL = {"type": "function", "function": {"name": "f", "parameters": {}}}
PICTURE = {"type": "image_url", "image_url": {"url": "https://example.org/x.png"}}
REFUSED = [
    ({"tools": [TOOL]}, "'tools' is not supported", "tools"),
    ({"response_format": {"type": "json_object"}}, "'response_format'", "response_format"),
    ({"top_logprobs": 2}, "needs 'logprobs'", "top_logprobs"),
    ({"messages": []}, "Invalid 'messages'", "messages"),
    ({"messages": [{"role": "wizard", "content": "x"}]}, "Invalid 'messages'", "messages"),
    ({"messages": [{"role": "user", "content": [PICTURE]}]}, "Invalid 'messages'", "messages"),
    ({"reasoning_effort": "low"}, "'reasoning_effort' is not supported", "reasoning_effort"),
    ({"max_completion_tokens": 5000}, "limit: 1024", "max_tokens"),
]


@pytest.mark.parametrize(("wrong", "said", "param"), REFUSED)
def test_what_cannot_be_done_is_refused_by_name(client, wrong, said, param):
    with pytest.raises(openai.BadRequestError) as error:
        ask(client, **{"messages": SAID, **wrong})
    assert said in str(error.value)
    assert error.value.param == param


def test_what_asks_for_nothing_is_passed_over(client, expected):
    more = {"tools": [], "tool_choice": "none", "response_format": {"type": "text"}, "store": True}
    assert ask(client, **more, metadata={"a": "b"}).choices[0].message.content == expected
