"""A server in trouble: what becomes of requests and clients that go wrong, as a table.

    python benchmarks/serving_faults.py runs/demo

Starts `dragoman serve` three times: with keys and short patience, with a short queue, and with two
workers. Every row is measured on a real socket.
"""

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from serving import JSON, Server, said, serving

PATIENCE = 3
"""Seconds that this server gives a client to send its request."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path)
    run = parser.parse_args().run
    rows: list[tuple[str, str]] = []
    with tempfile.TemporaryDirectory() as folder:
        keys = Path(folder) / "keys.json"
        key = dragoman("key", "add", str(keys), "ada")
        with serving(run, "--keys", keys, "--set", f"seconds_to_send={PATIENCE}") as one:
            rows += [(words, measure(one, key)) for words, measure in REQUESTS.items()]
    with serving(run, "--set", "waiting=16", "--set", "deadline=20") as one:
        rows += [(words, measure(one, "")) for words, measure in PRESSURE.items()]
    with serving(run, "--workers", "2") as one:
        rows += [("one of two workers is killed with -9 under load", killed(one))]
    rows += [("SIGTERM under the load of 16 clients", stopped(run))]
    width = max(len(words) for words, _ in rows)
    print("\n".join(f"| {words.ljust(width)} | {told} |" for words, told in rows))


def dragoman(*arguments: str) -> str:
    """Run the command and return what it prints."""
    command = [sys.executable, "-m", "dragoman", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def with_key(
    path: str, body: bytes, more: Mapping[str, str] | None = None
) -> Callable[[Server, str], str]:
    """Measure the status of one request by somebody who has a key."""

    def measure(one: Server, key: str) -> str:
        headers = {**JSON, "Authorization": f"Bearer {key}", **(more or {})}
        return str(one.ask("POST", path, body, headers))

    return measure


def without_key(one: Server, key: str) -> str:
    """Ask every route that is described, without a key and with a wrong one."""
    connection = one.connect()
    connection.request("GET", "/openapi.json", headers={"X-Api-Key": key})
    paths = json.loads(connection.getresponse().read())["paths"]
    asked = [(method.upper(), path) for path, some in paths.items() for method in some]
    asked += [("GET", path) for path in ("/", "/docs", "/openapi.json", "/studio/app.js")]
    statuses = {pair: one.ask(*pair) for pair in asked if pair[1] != "/health"}
    wrong = [one.ask(*pair, None, {"X-Api-Key": "dgm_wrong"}) for pair in statuses]
    return f"{dict(Counter([*statuses.values(), *wrong]))} on {len(statuses)} routes"


def slow_senders(one: Server, key: str) -> str:
    """Open sockets that send one byte of a head and then nothing, and see when they are closed."""
    began = time.monotonic()
    clients = [socket.create_connection(("127.0.0.1", one.port)) for _ in range(20)]
    for client in clients:
        client.settimeout(60)
        client.sendall(b"G")
    between = one.translate(key)
    ended = [closed_after(client, began) for client in clients]
    return f"closed after {min(ended):.1f} to {max(ended):.1f} s; others meanwhile: {between}"


def closed_after(client: socket.socket, began: float) -> float:
    """Wait until a server closes a line."""
    try:
        while client.recv(1000):
            continue
    except ConnectionResetError:
        return time.monotonic() - began
    finally:
        client.close()
    return time.monotonic() - began


def long_head(one: Server, key: str) -> str:
    """Send 64 kB of headers."""
    return str(one.ask("GET", "/health", None, {"X-Long": "x" * 65536}))


def hundreds(one: Server, key: str) -> str:
    """Ask 200 times at once where 16 texts may wait."""
    before = one.memory()
    with ThreadPoolExecutor(200) as clients:
        statuses = Counter(clients.map(lambda _: one.translate(), range(200)))
    after = one.translate()
    return f"{dict(statuses)}; {one.memory() - before:+.0f} MiB; afterwards {after}"


def gone_client(one: Server, key: str) -> str:
    """Ask for much, go away, and see how soon the text of somebody else is answered."""
    much = said(["The boy reads a book in the city every day."] * 64)
    head = (
        f"POST /translate HTTP/1.1\r\nHost: 127.0.0.1:{one.port}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(much)}\r\n\r\n"
    )
    alone = min(timed(one.translate) for _ in range(3))
    for _ in range(10):
        with socket.create_connection(("127.0.0.1", one.port)) as client:
            client.sendall(head.encode() + much)
            time.sleep(0.01)
    return f"{timed(one.translate):.2f} s after ten of them, {alone:.2f} s alone"


def late(one: Server, key: str) -> str:
    """Serve the same run with a deadline that nobody can keep."""
    run = Path(one.process.args[4])
    with serving(run, "--set", "deadline=0.001") as other:
        return str(other.translate())


def timed(do: Callable[[], object]) -> float:
    """Return how long something takes."""
    began = time.perf_counter()
    do()
    return time.perf_counter() - began


def killed(one: Server) -> str:
    """Kill a worker while clients ask."""
    statuses: Counter[int] = Counter()
    going = threading.Event()
    going.set()

    def ask() -> None:
        while going.is_set():
            statuses[one.translate()] += 1

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    time.sleep(3)
    first = one.workers()
    os.kill(first[0], signal.SIGKILL)
    began = time.monotonic()
    while len(set(one.workers()) - set(first)) < 1 and time.monotonic() < began + 60:
        time.sleep(0.1)
    new = time.monotonic() - began
    time.sleep(5)
    going.clear()
    for thread in threads:
        thread.join()
    return f"{dict(statuses)} (0: cut off); a new one after {new:.1f} s"


def stopped(run: Path) -> str:
    """Stop a server that is busy."""
    one = Server(run)
    statuses: Counter[int] = Counter()
    going = threading.Event()
    going.set()

    def ask() -> None:
        while going.is_set() and one.process.poll() is None:
            status = one.translate()
            statuses[status] += 1
            if status == 0:
                time.sleep(0.05)  # nobody listens any more

    threads = [threading.Thread(target=ask) for _ in range(16)]
    for thread in threads:
        thread.start()
    time.sleep(3)
    began = time.monotonic()
    one.process.send_signal(signal.SIGTERM)
    code = one.process.wait(60)
    took = time.monotonic() - began
    going.clear()
    for thread in threads:
        thread.join()
    told = {("refused" if status == 0 else status): count for status, count in statuses.items()}
    return f"exit code {code} after {took:.1f} s; {told}"


REQUESTS: dict[str, Callable[[Server, str], str]] = {
    "no key, or a wrong one, on every route but /health": without_key,
    "a body of 50 MB": with_key("/translate", b"x" * 50_000_000),
    "65 texts": with_key("/translate", said(["x"] * 65)),
    "half a character in JSON": with_key("/translate", b'{"q":"\\ud800","source":"en"}'),
    "a Host that is not ours": with_key("/translate", said("x"), {"Host": "evil.example"}),
    "an Origin that is not ours": with_key(
        "/translate", said("x"), {"Origin": "http://evil.example"}
    ),
    "64 kB of headers": long_head,
    "20 sockets that send one byte and wait": slow_senders,
}
PRESSURE: dict[str, Callable[[Server, str], str]] = {
    "200 at once where 16 may wait": hundreds,
    "ten clients that ask for 64 texts each and go away": gone_client,
    "a deadline that passes": late,
}

if __name__ == "__main__":
    main()
