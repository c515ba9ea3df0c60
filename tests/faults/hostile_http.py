"""Hostile HTTP: raw messages, JSON bodies and images, sent to a server that must outlive them."""

import json
import random
import re
import shutil
import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path

from tests.command import Command, Process
from tests.faults.campaign import LONGEST, MOST_MEMORY, Campaign, Tally
from tests.faults.hostile_images import hostile_image
from tests.serving import port_of

GOLDEN = Path(__file__).parents[1] / "golden/run-v2"
RUNS = ("translation", "language", "classification", "images", "image-text")
SECONDS_TO_READ = 1
"""What the server gives a client to send its request whole."""
ALLOWED = {503, 504}
"""Statuses above 499 that are answers by design: too much at once, too late."""
HEALTHY_WITHIN = 1.0
STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) [^\r\n]*\r\n")
HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

BODIES: dict[str, dict] = {
    "/translate": {"q": ["red cat", "sea"], "source": "auto", "target": "target", "format": "html"},
    "/detect": {"q": "red cat"},
    "/v1/completions": {
        "model": "language",
        "prompt": "red cat",
        "max_tokens": 3,
        "temperature": 0.5,
        "logprobs": 2,
        "stop": ["a"],
        "n": 1,
    },
    "/v1/chat/completions": {
        "model": "language",
        "messages": [{"role": "user", "content": "red"}],
        "max_tokens": 3,
        "stream": True,
    },
    "/classify": {"model": "classification", "texts": ["red cat"], "images": []},
    "/match": {"texts": ["red"], "images": ["aGVsbG8="], "top": 5},
    "/studio/api/translate": {"run": "translation", "text": "red cat"},
    "/studio/api/attention": {"run": "translation", "source": "red cat", "target": "cat red"},
    "/studio/api/beam": {"run": "translation", "text": "red cat"},
    "/studio/api/nearest-images": {"run": "image-text", "text": "red", "count": 5},
    "/studio/api/classify-text": {"run": "classification", "text": "red"},
}
VALUES: list[object] = [
    *(None, True, 0, -1, 2**63, 10**400, 1e308, float("nan"), float("inf"), -0.0),
    *("", "\ud800", "a\x00b", "\u202e\u0301" * 50, "🐈" * 300, "a" * 9_000, "../../etc/passwd"),
    *([], {}, [[]], [None], ["x"] * 65, [""] * 3, {"a": {"b": 1}}, [[1, 2], ["x"]]),
    *("data:image/png;base64,aGVsbG8=", "http://127.0.0.1:1/a.png", "=" * 100),
]
HEADERS = [
    b"Content-Length: 5",
    b"Content-Length: 0",
    b"Content-Length: -1",
    b"Content-Length: 99999999999999999999",
    b"Transfer-Encoding: chunked",
    b"Transfer-Encoding: identity",
    b"Transfer-Encoding : chunked",
    b"Transfer-Encoding: gzip, chunked",
    b"Expect: 100-continue",
    b"Connection: upgrade\r\nUpgrade: websocket",
    b"Host: evil.example",
    b"Host:",
    b" folded",
    b"X: " + b"a" * 9_000,
    b"X: a\x00b",
    b"X\xff: b",
    b"Cookie: " + b";" * 500,
    b"Range: bytes=0-0," + b"0-0," * 200,
    b"Content-Type: multipart/form-data; boundary=" + b"-" * 300,
    b"Content-Encoding: gzip",
    b"Origin: null",
    b"Authorization: Basic ====",
]
METHODS = [b"GET", b"POST", b"HEAD", b"OPTIONS", b"TRACE", b"CONNECT", b"PUT", b"get", b"A" * 900]
TARGETS = [
    *(b"/health", b"/translate", b"/", b"*", b"http://evil/health", b"/%00", b"/%2e%2e/%2e%2e/etc"),
    *(
        b"/studio/..%5c..%5c",
        b"/download_file/" + b"0" * 32 + b".a",
        b"/v1/models/%ff",
        b"//",
        b"?",
    ),
    *(b"/studio/api/runs/..?after=-1", b"/studio/api/images/image-text/0.png", b"/" + b"a" * 9_000),
]
BODY_BYTES = [b"", b"abcde", b"0\r\n\r\n", b"5;a=b\r\nabcde\r\n0\r\nX: y\r\n\r\n", b"FFFFFFFFF\r\n"]


class Server:
    """A server of five runs, and what is known of its state."""

    def __init__(self, folder: Path) -> None:
        for name in RUNS:
            shutil.copytree(GOLDEN / name, folder / name)
        self.command = Command()
        options = ("--port", "0", "--set", f"read_timeout={SECONDS_TO_READ}")
        self.process: Process = self.command.start(folder, "serve", *RUNS, *options)
        self.port = port_of(self.process)
        self.process.wait_until(lambda: judge_health(self) is None)

    def send(self, message: bytes) -> tuple[bytes, float]:
        """Send a message; return all that comes back, and how long the connection lasted."""
        began, parts = time.monotonic(), []
        with socket.create_connection(("127.0.0.1", self.port), LONGEST) as client:
            try:
                client.sendall(message)
                while part := client.recv(1 << 16):
                    parts.append(part)
            except ConnectionError:
                pass  # cut by the server, which may be right
        return b"".join(parts), time.monotonic() - began

    def memory(self) -> int:
        """Return the most memory that the server has had, in bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) * 1024

    def stop(self) -> int | None:
        """Stop it; return its exit code."""
        self.process.send(signal.SIGTERM)
        code = self.process.end(2 * LONGEST)
        self.command.close()
        return code


def post(path: str, body: bytes, kind: str = "application/json") -> bytes:
    """Return a whole request with a body, after whose answer the connection ends."""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    head += f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def raw_message(draw: random.Random) -> bytes:
    """Make a request that is wrong in some ways, and a right one after it."""
    version = draw.choice([b"HTTP/1.1", b"HTTP/1.1", b"HTTP/1.0", b"HTTP/2.0", b"HTTP/1.1 ", b""])
    line = draw.choice(METHODS) + b" " + draw.choice(TARGETS) + b" " + version
    headers = [b"Host: localhost"] * draw.choice([1, 1, 1, 0, 2])
    headers += draw.choices(HEADERS, k=draw.randint(0, 4))
    end = draw.choice([b"\r\n", b"\r\n", b"\r\n", b"\n", b"\r"])
    message = end.join([line, *headers, b"", b""]) + draw.choice(BODY_BYTES)
    if draw.random() < 0.2:
        place = draw.randrange(len(message))
        message = message[:place] + draw.randbytes(draw.randint(0, 3)) + message[place + 1 :]
    return message[: draw.randrange(len(message))] if draw.random() < 0.1 else message + HEALTH


def json_message(draw: random.Random) -> bytes:
    """Make a request whose JSON has a hostile value somewhere, or is no JSON."""
    path, body = draw.choice([*BODIES.items()])
    key = draw.choice([*body, "unknown"])
    text = json.dumps({**body, key: draw.choice(VALUES)})
    kind = draw.random()
    if kind < 0.1:
        deep = draw.choice([50, 5_000, 100_000])
        content = b'{"q":' + b"[" * deep + b"]" * draw.choice([deep, 0]) + b"}"
    elif kind < 0.2:
        content = text.encode()[: draw.randrange(len(text))]
    elif kind < 0.3:
        content = text.encode(draw.choice(["utf-16", "utf-8-sig", "utf-32"]))
    else:
        content = text.encode()
    return post(path, content, draw.choice(["application/json"] * 5 + ["text/plain", "*/*; a=;;"]))


def image_message(draw: random.Random) -> bytes:
    """Make a request with a hostile image."""
    content, text = hostile_image(draw)
    match draw.randrange(4):
        case 0:
            return post("/classify", json.dumps({"model": "images", "images": [text]}).encode())
        case 1:
            return post("/match", json.dumps({"texts": ["red"], "images": [text]}).encode())
        case number:
            path, run = [("classify-image", "images"), ("nearest-captions", "image-text")][
                number - 2
            ]
            form = b'--x\r\nContent-Disposition: form-data; name="run"\r\n\r\n' + run.encode()
            form += b'\r\n--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
            body = form + content + b"\r\n--x--\r\n"
            return post(f"/studio/api/{path}", body, "multipart/form-data; boundary=x")


def judge_answer(server: Server, answer: bytes, seconds: float) -> str | None:
    """Say what is wrong with an answer, or with the server after it."""
    statuses = [int(one) for one in STATUS.findall(answer)]
    if [one for one in statuses if one >= 500 and one not in ALLOWED]:
        return f"statuses {statuses}: {answer[-200:]!r}"
    if answer and not answer.startswith(b"HTTP/1.1 "):
        return f"no HTTP: {answer[:200]!r}"
    if seconds > LONGEST:
        return f"the connection lasted {seconds:.1f} s"
    if "Traceback" in server.process.said:
        return f"a traceback: {server.process.said[-300:]!r}"
    if server.memory() > MOST_MEMORY:
        return f"{server.memory() / 2**20:,.0f} MiB of memory"
    return None


def judge_health(server: Server) -> str | None:
    """Say what is wrong with a server's health."""
    try:
        answer, seconds = server.send(HEALTH)
    except OSError as error:
        return f"/health fails: {error}"
    if not answer.startswith(b"HTTP/1.1 200 ") or seconds > HEALTHY_WITHIN:
        return f"/health after {seconds:.1f} s: {answer[:60]!r}"
    return None


def run(trials: int, seed: int, folder: Path) -> Tally:
    """Send so many messages of each kind in turn to one server."""
    tally, server = Tally(), Server(folder)
    kinds: tuple[Callable[[random.Random], bytes], ...] = (raw_message, json_message, image_message)
    try:
        for number in range(trials):
            make = kinds[number % len(kinds)]
            message = make(random.Random(f"{seed} {number}"))
            try:
                answer, seconds = server.send(message)
                failure = judge_answer(server, answer, seconds)
            except TimeoutError:
                answer, failure = b"", f"no end after {LONGEST} s"
            refused = STATUS.search(answer)
            tally.count(
                f"{make.__name__} of {seed} {number} ({message[:60]!r})",
                failure or judge_health(server),
                refused=bool(refused and refused[1].startswith(b"4")),
            )
    finally:
        code = server.stop()
    if code != 0:
        tally.failures.append(f"the server ended with {code}")
    return tally


HOSTILE_HTTP = Campaign("HTTP messages, JSON and images of hostile clients", run, 1500, 60)
