"""S6: a server that is told to stop finishes what it accepted; a worker that dies is replaced."""

import http.client
import os
import re
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.served import waited_for
from tests.serving import Client, answers, command_line, port_of, workers_of
from tests.translated_runs import in_languages

from dragoman.server.middleware.api_keys import add_key


@pytest.fixture
def home(tiny, tmp_path) -> Path:
    in_languages(tiny.run, tmp_path / "en-es", "en", "es")
    return tmp_path


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_under_load_breaks_no_answer_and_the_server_leaves_with_0(command, home, number):
    process = command.start(home, "serve", "en-es", "--port", "0")
    port = port_of(process)
    clients = [Client(port) for _ in range(8)]
    process.wait_until(lambda: len(answered(clients)) >= 40)
    process.send(number)
    code = process.wait(10)
    for client in clients:
        client.stop()
    assert code == 0, process.said
    assert set(answered(clients)) == {200}
    # A connection that the system had taken, and the server not yet, is cut without an answer.
    broken = [error for one in clients for error in one.broken]
    assert all("Reset" in error or "RemoteDisconnected" in error for error in broken)
    assert all(len(one.broken) <= 1 for one in clients)
    assert "Traceback" not in process.said


@pytest.fixture
def two_workers(command, home) -> Iterator[SimpleNamespace]:
    """Give a server with two workers and keys; no process of it is left behind."""
    key = add_key(home / "keys.json", "ada")
    options = ("--port", "0", "--workers", "2", "--keys", "keys.json")
    process = command.start(home, "serve", "en-es", *options, environment={"TMPDIR": str(home)})
    port = port_of(process)
    process.wait_until(lambda: len(workers_of(process.pid)) == 2 and answers(port, key), 120)
    workers = workers_of(process.pid)
    yield SimpleNamespace(process=process, port=port, workers=workers, key=key)
    for one in filter(command_line, [*workers, process.pid]):
        os.kill(one, signal.SIGKILL)


@pytest.mark.slow
def test_a_worker_that_is_killed_is_replaced_while_the_other_serves(two_workers):
    process, port, key = two_workers.process, two_workers.port, two_workers.key
    first, second = two_workers.workers
    clients = [Client(port, key) for _ in range(4)]
    before = metrics(port, key)
    os.kill(first, signal.SIGKILL)
    process.wait_until(lambda: len(answered(clients)) > 40)
    process.wait_until(
        lambda: len(workers_of(process.pid)) == 2 and first not in workers_of(process.pid), 120
    )
    assert second in workers_of(process.pid)
    assert {answers(port, "dgm_wrong") for _ in range(10)} == {False}
    assert metrics(port, key) >= before + 40  # those of the dead one are still counted
    process.send(signal.SIGTERM)
    assert process.wait(20) == 0, process.said
    for client in clients:
        client.stop()
    assert set(answered(clients)) == {200}
    assert sum(len(one.broken) for one in clients) <= 8  # what the dead one was at, and the last
    assert "Traceback" not in process.said


@pytest.mark.slow
def test_workers_end_with_the_process_that_started_them(two_workers, command, home):
    process = two_workers.process
    process.send(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert waited_for(lambda: not any(map(command_line, two_workers.workers)), 5)
    again = command.start(
        home, "serve", "en-es", "--port", two_workers.port, environment={"TMPDIR": str(home)}
    )
    again.wait_until(lambda: "removed 1 scratch folder" in again.said and answers(two_workers.port))
    again.send(signal.SIGTERM)
    assert again.wait(20) == 0
    assert [*home.glob("dragoman-serve-*")] == []


@pytest.mark.slow
def test_a_worker_that_cannot_load_its_run_ends_the_server_with_an_error(two_workers, home):
    (home / "en-es" / "model.safetensors").write_bytes(b"gone")
    os.kill(two_workers.workers[0], signal.SIGKILL)
    assert two_workers.process.wait() == 2
    said = two_workers.process.said
    assert "a worker cannot start" in said
    assert "model.safetensors" in said
    assert "Traceback" not in said


def answered(clients: list[Client]) -> list[int]:
    return [status for one in clients for status in one.statuses]


def metrics(port: int, key: str) -> int:
    """Return how many translations all workers have counted."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", "/metrics", headers={"Authorization": f"Bearer {key}"})
    text = connection.getresponse().read().decode()
    connection.close()
    found = re.findall(r'requests_total{.*route="/translate",status="200"} ([0-9.]+)', text)
    return int(sum(map(float, found)))


def test_what_cannot_be_served_is_one_line_and_exit_code_2(command, home):
    cases = {
        ("serve", "nothing"): "no such run folder",
        ("serve", "en-es", "--host", "0.0.0.0"): "needs keys",
        ("serve", "en-es", "--keys", "none.json"): "none.json",
        ("serve", "en-es", "--set", "deadlin=3"): "Did you mean",
        ("serve", "en-es", "en-es"): "is called en-es, too",
    }
    for arguments, words in cases.items():
        code, said = command(home, *arguments)
        assert code == 2, (arguments, said)
        assert words in said
        assert len(said.splitlines()) == 1


def test_a_port_that_is_taken_is_told_at_once(command, home):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        code, said = command(home, "serve", "en-es", "--port", taken.getsockname()[1])
    assert code == 2
    assert "Choose another --port" in said
