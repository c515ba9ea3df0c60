"""Files as large as a server takes, made so that reading them is dear, sent to a live one."""

import http.client
import signal
import threading
import time
import zipfile
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path

from tests.command import Command, Process
from tests.conftest import write_recipe
from tests.faults.campaign import MOST_MEMORY, Campaign, Tally, spread
from tests.serving import Client, answers, port_of
from tests.translated_runs import in_languages

SECONDS = 6
"""CPU seconds that the parser process has, and the deadline of a file, in this campaign."""
SLACK = 20.0
"""Seconds for the rest: sending, starting a process on a busy machine, answering."""
SLOWEST = 5.0
"""Seconds that a short text may wait meanwhile."""
CALM = {200, 400, 413, 503, 504}


def repeated(unit: str, before: str = "", after: str = "") -> Callable[[int], bytes]:
    """Return the maker of files that repeat a unit."""

    def make(size: int) -> bytes:
        return (before + unit * ((size - len(before) - len(after)) // len(unit)) + after).encode()

    return make


def nested(opening: str, closing: str, inner: str = "a") -> Callable[[int], bytes]:
    """Return the maker of files that nest."""

    def make(size: int) -> bytes:
        depth = (size - len(inner)) // (len(opening) + len(closing))
        return (opening * depth + inner + closing * depth).encode()

    return make


def docx(body: Callable[[int], bytes], growth: int = 1) -> Callable[[int], bytes]:
    """Return the maker of documents whose text grows by a factor when it is unpacked."""
    name = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'

    def make(size: int) -> bytes:
        whole = BytesIO()
        with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED if growth > 1 else 0) as archive:
            text = body(size * growth - 1000)
            archive.writestr("[Content_Types].xml", "<Types/>")
            archive.writestr(
                "word/document.xml",
                f"<w:document {name}><w:body>".encode() + text + b"</w:body></w:document>",
            )
        return whole.getvalue()

    return make


XLIFF = '<xliff version="1.2"><file source-language="en" target-language="es"><body>'
TMX = '<tmx version="1.4"><header srclang="en"/><body>'
UNIT = "<trans-unit id='1'><source>ab</source></trans-unit>"
VARIANTS = "<tu><tuv xml:lang='en'><seg>ab</seg></tuv><tuv xml:lang='es'><seg/></tuv></tu>"

FILES: Mapping[str, Callable[[int], bytes]] = {
    "markers.md": repeated("- ", after="a"),
    "quotes.md": repeated("> ", after="a"),
    "links.md": repeated("[a]("),
    "emphasis.md": repeated("*_"),
    "backticks.md": repeated("`a"),
    "list.md": repeated("- a\n"),
    "strings.json": repeated('"ab",', "[", '"ab"]'),
    "nested.json": nested("[", "]", '"ab"'),
    "keys.json": nested('{"a":', "}", '"ab"'),
    "list.yaml": repeated("- ab\n"),
    "nested.yaml": nested("[", "]"),
    "laughs.yaml": repeated("b: [*a,*a,*a,*a,*a,*a,*a,*a]\n", "a: &a [x,x,x]\n"),
    "rows.tsv": repeated("ab\n", "source\n"),
    "cells.csv": repeated('"a""b",'),
    "quote.csv": repeated('"'),
    "paragraphs.html": repeated("<p>ab"),
    "bold.html": nested("<b>", "</b>"),
    "open.html": repeated("<"),
    "entities.html": repeated("&amp"),
    "entries.po": repeated('msgid "ab"\nmsgstr ""\n\n'),
    "pieces.po": repeated('"ab"\n', 'msgid ""\n', 'msgstr ""\n'),
    "units.xlf": repeated(UNIT, XLIFF, "</body></file></xliff>"),
    "inlines.xlf": nested("<g id='1'>", "</g>"),
    "variants.tmx": repeated(VARIANTS, TMX, "</body></tmx>"),
    "cues.srt": repeated("1\n00:00:01,000 --> 00:00:02,000\nab\n\n"),
    "cues.vtt": repeated("<i>a", "WEBVTT\n\n00:01.000 --> 00:02.000\n"),
    "lines.txt": repeated("ab\n"),
    "line.txt": repeated("ab "),
    "runs.docx": docx(repeated("<w:p><w:r><w:t>ab</w:t></w:r></w:p>")),
    "bomb.docx": docx(repeated("<w:p><w:r><w:t>ab</w:t></w:r></w:p>"), growth=20),
    "deep.docx": docx(nested("<w:p>", "</w:p>")),
    "numbers.mo": repeated("\x00\x01\xff", "\xde\x12\x04\x95"),
}
WHOLE, PART = 10_000_000, 2_000_000


def upload(port: int, name: str, data: bytes) -> int:
    """Return the status of the answer to a file."""
    parts = [("source", "en"), ("target", "es")]
    head = "".join(
        f'--x\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'
        for key, value in parts
    )
    head += f'--x\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    body = head.encode() + data + b"\r\n--x--\r\n"
    return post(port, "/translate_file", body, {"Content-Type": "multipart/form-data; boundary=x"})


def post(port: int, path: str, body: bytes, headers: Mapping[str, str]) -> int:
    """Return the status of an answer; 0 where there is none."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS + 3 * SLACK)
    try:
        connection.request("POST", path, body, dict(headers))
        response = connection.getresponse()
        response.read()
        return response.status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()


def send_all(trials: int, seed: int, folder: Path) -> Tally:
    """Send every file, two at a time, while somebody translates short texts."""
    names = [list(FILES)[place] for place in spread(len(FILES), trials)]
    size = WHOLE if trials >= len(FILES) else PART
    tally, command = Tally(), Command()
    code, said = command(folder, "train", write_recipe(folder), "--output", folder / "run")
    if code:
        raise RuntimeError(said)
    run = in_languages(folder / "run", folder / "en-es", "en", "es")
    limits = {"file_cpu_seconds": SECONDS, "file_deadline": SECONDS, "file_read_timeout": SECONDS}
    options = [one for key, value in limits.items() for one in ("--set", f"{key}={value}")]
    server = command.start(folder, "serve", run, "--port", 0, *options)
    try:
        port = port_of(server)
        while not answers(port):  # the address is told a moment before anybody listens
            time.sleep(0.05)
        waiting = Client(port, pause=0.1)
        for name in names:
            status, failure = send(server, port, name, FILES[name](size))
            tally.count(name, failure, refused=status != 200)
        waiting.stop()
        calm = waiting.longest < SLOWEST and {*waiting.statuses} == {200} and not waiting.broken
        told = f"{waiting.longest:.1f} s, statuses {set(waiting.statuses)}, {waiting.broken}"
        tally.count("short texts meanwhile", None if calm else told)
    finally:
        server.send(signal.SIGTERM)
        ended = server.end(SLACK)
        tally.count("SIGTERM", None if ended == 0 else f"ended with {ended}")
        tally.count("the log", "a traceback" if "Traceback" in server.said else None)
        command.close()
    return tally


def send(server: Process, port: int, name: str, data: bytes) -> tuple[int, str | None]:
    """Send a file twice at once; return the status, and what was wrong, if anything."""
    statuses: list[int] = []
    begin = time.monotonic()
    both = [
        threading.Thread(target=lambda: statuses.append(upload(port, name, data))) for _ in range(2)
    ]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    seconds = time.monotonic() - begin
    if not set(statuses) <= CALM:
        return max(statuses), f"statuses {statuses}"
    if seconds > SECONDS + SLACK:
        return max(statuses), f"{seconds:.0f} s"
    peak = memory(server.pid)
    if peak > MOST_MEMORY:
        return max(statuses), f"{peak / 2**20:,.0f} MiB in the server"
    left = below(server.pid)
    return max(statuses), f"{len(left)} processes left" if left else None


def memory(pid: int) -> int:
    """Return the most memory that a process has had, in bytes."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def below(pid: int) -> list[str]:
    """Return the processes below another one, once those that are ending have ended."""
    until = time.monotonic() + 2
    while True:
        left = [one for task in Path(f"/proc/{pid}/task").iterdir() for one in _children(task)]
        if not left or time.monotonic() > until:
            return left
        time.sleep(0.02)


def _children(task: Path) -> list[str]:
    try:
        return (task / "children").read_text().split()
    except OSError:  # a thread that has ended
        return []


UPLOADS = Campaign("hostile files of 10 MB, uploaded to a server", send_all, len(FILES), 6)
