"""S6: a server that is told to stop finishes what it accepted; a worker that dies is replaced."""

import http.client
import json
import os
import signal
import socket
import threading
import time
from pathlib import Path

import pytest
from tests.translated_runs import in_languages


class Client:
    """Asks again and again until it is told to stop; keeps what came."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.statuses: list[int] = []
        self.refused = 0
        self.broken: list[str] = []
        self.going = True
        self.thread = threading.Thread(target=self._ask)
        self.thread.start()

    def stop(self) -> None:
        self.going = False
        self.thread.join()

    def _ask(self) -> None:
        while self.going:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
            try:
                connection.connect()
            except OSError:
                self.refused += 1
                time.sleep(0.02)
                continue
            try:
                self.statuses.append(translate(connection))
            except (OSError, http.client.HTTPException) as error:
                self.broken.append(repr(error))
            finally:
                connection.close()


def translate(connection: http.client.HTTPConnection) -> int:
    body = json.dumps({"q": "red cat sea", "source": "en", "target": "es"})
    connection.request("POST", "/translate", body, {"Content-Type": "application/json"})
    response = connection.getresponse()
    response.read()
    return response.status


def port_of(process) -> int:
    process.wait_until(lambda: "http://" in process.said)
    return int(process.said.split("http://127.0.0.1:")[1].split("/")[0])


def workers_of(pid: int) -> list[int]:
    """Return the processes below one that serve, which are those that hold the most memory."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    children = [int(one) for task in tasks for one in (task / "children").read_text().split()]
    return [one for one in children if "spawn_main" in command_line(one)]


def command_line(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()


def answers(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        return translate(connection) == 200
    except OSError:
        return False
    finally:
        connection.close()


@pytest.fixture
def home(tiny, tmp_path) -> Path:
    in_languages(tiny.run, tmp_path / "en-es", "en", "es")
    return tmp_path


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_under_load_breaks_no_answer_and_the_server_leaves_with_0(command, home, number):
    process = command.start(home, "serve", "en-es", "--port", "0")
    port = port_of(process)
    clients = [Client(port) for _ in range(8)]
    process.wait_until(lambda: sum(len(one.statuses) for one in clients) >= 40)
    process.send(number)
    code = process.wait(10)
    for client in clients:
        client.stop()
    assert code == 0, process.said
    assert {status for one in clients for status in one.statuses} == {200}
    # A connection that the system had taken, and the server not yet, is cut without an answer.
    broken = [error for one in clients for error in one.broken]
    assert all("Reset" in error or "RemoteDisconnected" in error for error in broken)
    assert all(len(one.broken) <= 1 for one in clients)
    assert "Traceback" not in process.said


@pytest.mark.slow
def test_a_worker_that_is_killed_is_replaced_while_the_other_serves(command, home):
    process = command.start(home, "serve", "en-es", "--port", "0", "--workers", "2")
    port = port_of(process)
    process.wait_until(lambda: answers(port), 120)
    process.wait_until(lambda: len(workers_of(process.pid)) == 2)
    first, second = workers_of(process.pid)
    clients = [Client(port) for _ in range(4)]
    os.kill(first, signal.SIGKILL)
    before = sum(len(one.statuses) for one in clients)
    process.wait_until(lambda: sum(len(one.statuses) for one in clients) > before + 40)
    process.wait_until(
        lambda: len(workers_of(process.pid)) == 2 and first not in workers_of(process.pid), 120
    )
    for client in clients:
        client.stop()
    assert second in workers_of(process.pid)
    assert {status for one in clients for status in one.statuses} == {200}
    assert sum(len(one.broken) for one in clients) <= 4  # what the dead one was at
    process.send(signal.SIGTERM)
    assert process.wait(20) == 0, process.said


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
