"""Uploaded files are taken apart by a process with limits; nothing of it outlives the request."""

import asyncio
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.served import waited_for
from tests.unit.server.test_libretranslate import multipart

from dragoman.config.serving import ServingSettings
from dragoman.data.documents.document import SegmentTranslation
from dragoman.data.documents.open import format_of, read_document
from dragoman.data.formats.languages import LanguagePair
from dragoman.server import document_parser
from dragoman.server.document_parser import parsed_file
from dragoman.server.errors import ApiError

PAIR = LanguagePair("en", "es")
FILES = {
    "a.txt": b"Water\n\nFire \xf0\x9f\x94\xa5\n",
    "a.md": b"# Water\n\n- *Fire* and [earth](x)\n",
    "a.html": b"<p>Press <b>Save</b> now.</p>",
    "a.json": b'{"a": "Water", "b": "\\ud800"}',
    "a.po": b'msgid ""\nmsgstr ""\n\nmsgid "Water"\nmsgstr ""\n',
    "a.srt": b"1\n00:00:01,000 --> 00:00:02,000\n<i>Water</i>\n",
}
HOSTILE = {
    "spins": "while True: pass",
    "sleeps": "import time; time.sleep(1000)",
    "hoards": "bytes(1 << 40)",
    "grows": "a = [0]\n    while True: a += a",
    "fails": "{}[None]",
    "aborts": "import os; os.abort()",
    "writes a file": "open(__file__ + '.copy', 'w').write('x' * 100)",
}
"""Readers as a stranger would wish them."""


@pytest.fixture
def hostile(monkeypatch, tmp_path):
    """Give the function that puts a hostile reader into the parser processes."""

    def put(name: str) -> None:
        script = (
            "import sys\nimport dragoman.data.documents.parser_process as process\n"
            f"def read(*_, **__):\n    {HOSTILE[name]}\n"
            "process.read_document = read\nprocess.main()\n"
        )
        (tmp_path / "hostile.py").write_text(script)
        monkeypatch.setattr(
            document_parser, "COMMAND", (sys.executable, str(tmp_path / "hostile.py"))
        )

    return put


def children() -> set[int]:
    """Return the processes that this one has started and that still run."""
    found = Path("/proc/self/task").glob("*/children")
    pids = {int(pid) for one in found for pid in one.read_text().split()}
    return {pid for pid in pids if "Z" not in _state(pid)}


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "Z"


def parse(name: str, data: bytes, **changes: float) -> tuple[int, bytes]:
    """Return how many segments a file has, and what it becomes with every text doubled."""

    async def both() -> tuple[int, bytes]:
        settings = ServingSettings(**changes)
        async with parsed_file(name, data, PAIR, settings) as file:
            return len(file.segments), await file.write(
                {
                    n: SegmentTranslation(one.text, one.inlines)
                    for n, one in enumerate(file.segments)
                }
            )

    # In a thread of its own: the driver of a browser keeps a loop in the thread of other tests.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(both())).result()


@pytest.mark.parametrize("name", FILES)
def test_a_parser_process_reads_and_writes_what_the_reader_does(name):
    document = read_document(format_of(Path(name)), FILES[name], name, PAIR)
    answers = {
        n: SegmentTranslation(one.text, one.inlines) for n, one in enumerate(document.segments)
    }
    assert parse(name, FILES[name]) == (len(document.segments), document.written(answers))


def test_a_parser_process_has_no_torch():
    asked = (
        "import sys, dragoman.data.documents.parser_process\n"
        "print({'torch', 'numpy'} & set(sys.modules))"
    )
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "set()"


@pytest.mark.parametrize(
    ("reader", "status", "words"),
    [
        ("spins", 413, "too much time"),
        ("sleeps", 413, "too much time"),
        ("hoards", 413, "too much memory"),
        ("grows", 413, "too much memory"),
        ("fails", 400, "cannot be read"),
        ("aborts", 400, "cannot be read"),
        ("writes a file", 400, "cannot be read"),
    ],
)
def test_a_reader_that_takes_too_much_is_stopped_and_told(hostile, reader, status, words):
    hostile(reader)
    limits = {"file_cpu_seconds": 1, "file_read_timeout": 1.5 if reader == "sleeps" else 30}
    with pytest.raises(ApiError, match=words) as raised:
        parse("a.txt", b"Water", **limits)
    assert raised.value.status == status
    assert "a.txt" in raised.value.message


def test_a_bug_in_a_reader_is_named_in_the_log_and_not_to_the_client(hostile, caplog):
    hostile("fails")
    with pytest.raises(ApiError) as raised:
        parse("a.docx", b"Water")
    assert "KeyError" not in raised.value.message
    assert "KeyError at hostile.py:4" in caplog.text


def test_a_file_of_too_many_texts_is_refused_while_it_is_read():
    with pytest.raises(ApiError, match="more than 100 texts") as raised:
        parse("a.txt", b"Water\n" * 1_000_000, max_file_texts=100)
    assert raised.value.status == 400


def test_a_text_so_long_that_others_would_wait_is_refused_with_its_place():
    with pytest.raises(ApiError, match="line 3 has more than 50 characters") as raised:
        parse("a.txt", b"Water\n\n" + b"Water " * 20, max_characters=50)
    assert raised.value.status == 400


def upload(server, name="a.txt", data=b"red cat"):
    form, kind = multipart({"source": "en", "target": "es"}, name, data)
    return server.ask("/translate_file", method="POST", headers=kind, body=form)


def test_the_process_dies_with_its_deadline(hostile, serve_runs, english_spanish):
    hostile("sleeps")
    server = serve_runs(english_spanish, file_deadline=1.0)
    before = children()
    assert upload(server).status == 504
    assert waited_for(lambda: children() <= before)


def begin_upload(server):
    """Send a file, and return the connection that the answer will come on."""
    form, kind = multipart({"source": "en", "target": "es"}, "a.txt", b"red cat")
    head = f"POST /translate_file HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
    head += f"Content-Type: {kind['Content-Type']}\r\nContent-Length: {len(form)}\r\n\r\n"
    client = server.connect()
    client.sendall(head.encode() + form)
    return client


def test_the_process_dies_when_its_client_leaves(hostile, serve_runs, english_spanish):
    hostile("spins")
    server = serve_runs(english_spanish)
    before = children()
    with begin_upload(server):
        assert waited_for(lambda: children() > before)
    assert waited_for(lambda: children() <= before)


@pytest.mark.slow
def test_a_server_that_goes_down_kills_its_parsers_within_its_patience(
    hostile, serve_runs, english_spanish
):
    hostile("sleeps")
    server = serve_runs(english_spanish)
    before = children()
    with ThreadPoolExecutor(1) as clients:
        waiting = clients.submit(upload, server)
        assert waited_for(lambda: children() > before)
        begin = time.monotonic()
        server.server.should_exit = True
        waiting.exception(20)
        assert waited_for(lambda: children() <= before)
    assert time.monotonic() - begin < 15  # the server of these tests has 5 s of patience


def test_files_that_take_long_do_not_keep_short_texts_waiting(hostile, serve_runs, english_spanish):
    hostile("spins")
    server = serve_runs(english_spanish)
    before = children()
    body = b'{"q": "red cat", "source": "en", "target": "es"}'
    kind = {"Content-Type": "application/json"}
    with begin_upload(server), begin_upload(server):
        assert waited_for(lambda: len(children() - before) == 2)
        at_work = children() - before
        assert server.ask("/translate", method="POST", headers=kind, body=body).status == 200
        assert children() - before == at_work
    assert waited_for(lambda: children() <= before)
