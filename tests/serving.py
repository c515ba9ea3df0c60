"""`dragoman serve` as a real process: clients that ask again and again, and what is below it."""

import http.client
import json
import threading
import time
from pathlib import Path

PATIENCE = 30.0
"""Seconds that a client waits for an answer."""


class Client:
    """Asks again and again until it is told to stop; keeps what came."""

    def __init__(
        self, port: int, key: str = "", patience: float = PATIENCE, pause: float = 0.0
    ) -> None:
        self.port, self.key, self.patience, self.pause = port, key, patience, pause
        self.statuses: list[int] = []
        self.refused = 0
        self.broken: list[str] = []
        self.longest = 0.0
        """The seconds that the slowest answer, or the end of its connection, took."""
        self.going = True
        self.thread = threading.Thread(target=self._ask)
        self.thread.start()

    def stop(self) -> None:
        self.going = False
        self.thread.join()

    def _ask(self) -> None:
        while self.going:
            began = time.monotonic()
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.patience)
            try:
                connection.connect()
            except OSError:
                self.refused += 1
                time.sleep(0.02)
                continue
            try:
                self.statuses.append(translate(connection, self.key))
            except (OSError, http.client.HTTPException) as error:
                self.broken.append(repr(error))
            finally:
                connection.close()
                self.longest = max(self.longest, time.monotonic() - began)
            time.sleep(self.pause)


def translate(connection: http.client.HTTPConnection, key: str = "") -> int:
    """Return the status of a translation."""
    body = json.dumps({"q": "red cat sea", "source": "en", "target": "es"})
    headers = {"Content-Type": "application/json"}
    headers |= {"Authorization": f"Bearer {key}"} if key else {}
    connection.request("POST", "/translate", body, headers)
    response = connection.getresponse()
    response.read()
    return response.status


def answers(port: int, key: str = "") -> bool:
    """Say whether a translation succeeds."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        return translate(connection, key) == 200
    except OSError:
        return False
    finally:
        connection.close()


def port_of(process) -> int:
    """Return the port of a server, once it says so."""
    process.wait_until(lambda: "http://" in process.said)
    return int(process.said.split("http://127.0.0.1:")[1].split("/")[0])


def workers_of(pid: int) -> list[int]:
    """Return the processes below a server that serve."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    children = [int(one) for task in tasks for one in (task / "children").read_text().split()]
    return [one for one in children if "spawn_main" in command_line(one)]


def command_line(pid: int) -> str:
    """Return the command of a process; nothing where it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""
