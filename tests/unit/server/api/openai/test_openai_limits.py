"""Clients that go away, that come too many, that wait too long, and a server that stops."""

import re
import threading
import time

import openai
import pytest
from tests.unit.server.api.openai.conftest import client_of

ENDLESS = {"model": "counting", "prompt": "one", "max_tokens": 50_000, "temperature": 0}
ENDLESS |= {"extra_body": {"min_tokens": 50_000}}


def figure(server, name, run="counting"):
    told = server.ask("/metrics").body.decode()
    (value,) = re.findall(rf'^{name}\{{run="{run}",worker="\d+"\}} (\S+)$', told, re.MULTILINE)
    return float(value)


def until(true, seconds=30):
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.02)
    return False


@pytest.fixture
def patient(serve_language_models):
    with serve_language_models(
        max_tokens=50_000, max_batch_rows=2, max_queued_texts=2, max_cached_tokens=1_000_000
    ) as running:
        yield running


def test_a_stream_that_nobody_listens_to_stops(patient):
    with client_of(patient) as client:
        stream = client.completions.create(**ENDLESS, stream=True)
        first = [next(iter(stream)).choices[0].text for _ in range(3)]
        assert figure(patient, "dragoman_writing") == 1
        stream.close()
        assert len(first) == 3
        assert until(lambda: figure(patient, "dragoman_writing") == 0)
        before = figure(patient, "dragoman_tokens_total")
        time.sleep(0.1)
        assert figure(patient, "dragoman_tokens_total") == before < 50_000


def test_a_client_that_hangs_up_before_the_answer_stops_it(patient):
    body = b'{"model": "counting", "prompt": "one", "max_tokens": 50000, "min_tokens": 50000}'
    head = f"POST /v1/completions HTTP/1.1\r\nHost: 127.0.0.1:{patient.port}\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    with patient.connect() as line:
        line.sendall(head.encode() + body)
        assert until(lambda: figure(patient, "dragoman_writing") == 1)
    assert until(lambda: figure(patient, "dragoman_writing") == 0)


def test_others_are_served_while_a_long_text_is_written(patient):
    with client_of(patient) as client:
        stream = client.completions.create(**ENDLESS, stream=True)
        next(iter(stream))
        answer = client.completions.create(model="counting", prompt="two", max_tokens=5)
        assert answer.choices
        other = client.completions.create(model="by-two", prompt="two", max_tokens=5)
        assert other.choices
        assert figure(patient, "dragoman_writing") == 1
        stream.close()


def test_who_finds_no_room_waits_and_who_finds_no_place_to_wait_is_sent_away(patient):
    with client_of(patient) as client:
        streams = [client.completions.create(**ENDLESS, stream=True) for _ in range(2)]
        for stream in streams:
            next(iter(stream))
        answers = []
        short = {"model": "counting", "prompt": "one", "max_tokens": 3}
        waiting = [
            threading.Thread(target=lambda: answers.append(client.completions.create(**short)))
            for _ in range(2)
        ]
        for one in waiting:
            one.start()
        assert until(lambda: figure(patient, "dragoman_waiting_writing") == 2)
        with pytest.raises(openai.InternalServerError) as error:
            client.completions.create(**short)
        assert error.value.status_code == 503
        assert error.value.response.headers["retry-after"] == "1"
        assert not answers
        for stream in streams:
            stream.close()
        for one in waiting:
            one.join(30)
        assert len(answers) == 2


def test_a_text_that_takes_too_long_is_given_up(serve_language_models):
    with (
        serve_language_models(max_tokens=50_000, max_cached_tokens=100_000, deadline=0.5) as server,
        client_of(server) as client,
    ):
        with pytest.raises(openai.InternalServerError) as error:
            client.completions.create(**ENDLESS)
        assert error.value.status_code == 504
        assert until(lambda: figure(server, "dragoman_writing") == 0)


def test_a_server_that_stops_finishes_what_it_has_accepted(serve_language_models):
    with serve_language_models(max_tokens=50_000) as server, client_of(server) as client:
        usual = ENDLESS | {"max_tokens": 60, "extra_body": {"min_tokens": 60}}
        stream = iter(client.completions.create(**usual, stream=True))
        chunks = [next(stream)]
        server.server.should_exit = True
        chunks += stream
        assert chunks[-1].choices[0].finish_reason == "length"
