"""A server under pressure: what is too much is turned away, what nobody waits for is dropped."""

import json
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.served import Answer, Served, heard, parsed, served, waited_for

from dragoman.config.serving import ServingSettings
from dragoman.server.app import create_routes
from dragoman.server.middleware.stack import with_middleware
from dragoman.server.plan import ServerPlan


class Hold:
    """A queue that keeps the scheduler busy until it is let go."""

    def __init__(self) -> None:
        self.held, self.inside, self.go = False, threading.Event(), threading.Event()

    def has_work(self) -> bool:
        return self.held

    def step(self) -> None:
        self.inside.set()
        self.go.wait(30)
        self.held = False

    def close(self) -> None:
        self.go.set()


@dataclass
class Slow:
    """A server whose scheduler is held."""

    server: Served
    hold: Hold
    state: Any

    def block_the_scheduler(self) -> None:
        self.hold.held = True
        self.state.scheduler.wake()
        assert self.hold.inside.wait(10)

    @property
    def waiting(self) -> int:
        return self.state.models.translators["en-es"].queue.waiting

    def translate(self, text: str = "red cat") -> Answer:
        return self.server.ask(
            "/translate",
            method="POST",
            headers={"Content-Type": "application/json"},
            body=asked(text),
        )


def asked(text: str) -> bytes:
    return json.dumps({"q": text, "source": "en", "target": "es"}).encode()


@pytest.fixture
def slow(english_spanish: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Slow]:
    settings = ServingSettings(**getattr(request, "param", {}))
    app = create_routes(ServerPlan(settings, (english_spanish,), tmp_path, threads=1))
    hold = Hold()
    app.state.scheduler.add(hold)
    with served(with_middleware(app, settings, None), settings) as server:
        yield Slow(server, hold, app.state)
        hold.go.set()


@pytest.mark.parametrize("slow", [{"max_queued_texts": 16}], indirect=True)
def test_two_hundred_at_once_are_answered_or_told_to_come_back(slow):
    slow.block_the_scheduler()
    with ThreadPoolExecutor(200) as clients:
        asking = [clients.submit(slow.translate) for _ in range(200)]
        assert waited_for(lambda: sum(one.done() for one in asking) >= 184)
        slow.hold.go.set()
        answers = [one.result() for one in asking]
    assert Counter(one.status for one in answers) == {200: 16, 503: 184}
    assert {one.headers.get("retry-after") for one in answers if one.status == 503} == {"1"}
    assert len({one.body for one in answers if one.status == 200}) == 1
    assert slow.translate().status == 200


def test_a_client_that_goes_away_frees_its_place(slow):
    slow.block_the_scheduler()
    body = asked("red cat")
    head = (
        f"POST /translate HTTP/1.1\r\nHost: 127.0.0.1:{slow.server.port}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with slow.server.connect() as client:
        client.sendall(head.encode() + body)
        assert waited_for(lambda: slow.waiting == 1)
        client.shutdown(socket.SHUT_RDWR)
    assert waited_for(lambda: slow.waiting == 0, seconds=5)
    assert waited_for(lambda: slow.server.connections == 0, seconds=5)
    slow.hold.go.set()
    assert slow.translate().status == 200
    assert slow.state.models.translators["en-es"].queue.done == 1


@pytest.mark.parametrize("slow", [{"deadline": 1.5}], indirect=True)
def test_a_request_that_takes_too_long_is_given_up(slow):
    slow.block_the_scheduler()
    answer = slow.translate()
    assert answer.status == 504
    assert "too long" in answer.json["error"]
    assert slow.waiting == 0
    slow.hold.go.set()
    assert slow.translate().status == 200


def test_people_do_not_wait_for_a_file(slow):
    """A text that comes after a file of many texts is answered while the file is still at work."""
    served_run = slow.state.models.translators["en-es"]
    slow.block_the_scheduler()
    with ThreadPoolExecutor(2) as clients:
        form = b"--x\r\n" + b"".join(
            f'Content-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n--x\r\n'.encode()
            for name, value in (("source", "en"), ("target", "es"))
        )
        lines = b"\n".join(b"red cat fish" for _ in range(500))
        form += b'Content-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
        form += lines + b"\r\n--x--\r\n"
        kind = {"Content-Type": "multipart/form-data; boundary=x"}
        file = clients.submit(
            slow.server.ask, "/translate_file", method="POST", headers=kind, body=form
        )
        assert waited_for(lambda: served_run.file_queue.waiting > 0)
        text = clients.submit(slow.translate)
        assert waited_for(lambda: served_run.queue.waiting > 0)
        slow.hold.go.set()
        assert text.result().status == 200
        assert not file.done()
        assert file.result().status == 200


def test_a_server_that_is_stopped_answers_what_it_accepted(english_spanish, tmp_path):
    settings = ServingSettings()
    app = create_routes(ServerPlan(settings, (english_spanish,), tmp_path, threads=1))
    hold = Hold()
    app.state.scheduler.add(hold)
    with served(with_middleware(app, settings, None), settings) as server:
        slow = Slow(server, hold, app.state)
        slow.block_the_scheduler()
        with ThreadPoolExecutor(4) as clients:
            asking = [clients.submit(slow.translate) for _ in range(4)]
            assert waited_for(lambda: slow.waiting == 4)
            server.server.should_exit = True
            threading.Timer(0.5, hold.go.set).start()
            assert [one.result().status for one in asking] == [200] * 4


def test_half_a_request_does_not_hold_up_others(slow):
    with slow.server.connect() as client:
        client.sendall(
            b"POST /translate HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 50\r\n\r\n{"
        )
        assert slow.translate().status == 200


def test_an_error_of_ours_carries_an_id_and_nothing_else(slow, caplog):
    queue = slow.state.models.translators["en-es"].queue
    queue.begin = lambda key, item: 1 / 0
    answer = slow.translate()
    assert answer.status == 500
    assert set(answer.json) == {"error", "id"}
    assert "division" not in answer.json["error"]
    assert answer.json["id"] in caplog.text


def test_answers_come_in_one_piece_to_a_client_that_sends_byte_by_byte(slow):
    body = asked("red cat")
    head = (
        f"POST /translate HTTP/1.1\r\nHost: 127.0.0.1:{slow.server.port}\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode()
    with slow.server.connect() as client:
        for byte in head + body:
            client.sendall(bytes([byte]))
        assert parsed(heard(client)).status == 200


def test_the_server_answers_while_the_scheduler_is_at_work(slow):
    slow.block_the_scheduler()
    assert slow.server.ask("/health").status == 200
    assert slow.server.ask("/languages").status == 200
