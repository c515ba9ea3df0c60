"""`dragoman serve` in a process of its own, for what measures it."""

import http.client
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PAUSE = 0.2
WAIT = 120.0
JSON = {"Content-Type": "application/json"}


class Server:
    """A server with a run, at a port of its own."""

    def __init__(self, run: Path, *options: object) -> None:
        command = [sys.executable, "-m", "dragoman", "serve", str(run), "--port", "0"]
        self.process = subprocess.Popen(
            [*command, *map(str, options)], stderr=subprocess.PIPE, text=True
        )
        line = self.process.stderr.readline()
        self.port = int(line.split("://")[1].split("/")[0].rsplit(":", 1)[1])
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        until = time.monotonic() + WAIT
        while self.ask("GET", "/health") != 200:
            if time.monotonic() > until:
                raise SystemExit("the server does not answer")
            time.sleep(PAUSE)

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: dict | None = None
    ) -> int:
        """Return the status of an answer; 0 where the line is cut."""
        connection = self.connect()
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            response.read()
            return response.status
        except (OSError, http.client.HTTPException):
            return 0
        finally:
            connection.close()

    def connect(self) -> http.client.HTTPConnection:
        """Open a line to it."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT)

    def translate(self, key: str = "", text: str = "The boy reads a book.") -> int:
        """Return the status of a translation."""
        headers = JSON | ({"Authorization": f"Bearer {key}"} if key else {})
        return self.ask("POST", "/translate", said(text), headers)

    def cpu(self) -> float:
        """Return the seconds of processor that it has used, its workers included."""
        tick = os.sysconf("SC_CLK_TCK")
        fields = [Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1] for pid in self.pids()]
        return sum(int(one.split()[11]) + int(one.split()[12]) for one in fields) / tick

    def memory(self) -> float:
        """Return MiB that are resident, of all its processes together."""
        pages = [int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in self.pids()]
        return sum(pages) * os.sysconf("SC_PAGE_SIZE") / 2**20

    def workers(self) -> list[int]:
        """Return the processes below it that serve."""
        children = self.pids()[1:]
        return [one for one in children if b"spawn_main" in _command_line(one)]

    def pids(self) -> list[int]:
        """Return its own process and those below it."""
        own = self.process.pid
        tasks = Path(f"/proc/{own}/task").iterdir()
        children = " ".join((task / "children").read_text() for task in tasks)
        return [own, *map(int, children.split())]

    def stop(self) -> int:
        """Ask it to stop, and return its exit code."""
        self.process.terminate()
        return self.process.wait(60)


def said(text: object) -> bytes:
    """Return a request to translate from English to Hindi."""
    return json.dumps({"q": text, "source": "en", "target": "hi"}).encode()


@contextmanager
def serving(run: Path, *options: object) -> Iterator[Server]:
    """Serve a run while the block lasts."""
    one = Server(run, *options)
    try:
        yield one
    finally:
        one.stop()


def _command_line(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()
