"""S3: what is too large, too slow or no text is refused, and the server lives on."""

import json
import threading
import urllib.error
import urllib.request

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.served import heard, parsed, waited_for
from tests.unit.server.middleware.conftest import work_done

from dragoman.server.middleware.text_validation import is_valid_text

JSON = {"Content-Type": "application/json"}
POST = b"POST /raw HTTP/1.1\r\nHost: localhost\r\n"


def chunked(*pieces: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)


def test_a_body_that_is_said_to_be_too_large_is_refused_before_it_comes(behind_middleware):
    server = behind_middleware()
    answer = parsed(server.say(POST + b"Content-Length: 50000000\r\nConnection: close\r\n\r\n"))
    assert answer.status == 413
    assert "1,048,576 bytes" in answer.json["error"]
    assert work_done == []


def test_a_client_that_asks_before_it_sends_is_told_not_to(behind_middleware):
    head = POST + b"Content-Length: 50000000\r\nExpect: 100-continue\r\n\r\n"
    answer = behind_middleware(read_timeout=1).say(head)
    assert answer.startswith(b"HTTP/1.1 413 ")


def test_a_client_that_sends_50_megabytes_all_the_same_reads_why_it_is_refused(
    behind_middleware,
):
    server = behind_middleware()
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"{server.url}/raw", data=bytes(50_000_000))
    refused.value.close()
    assert refused.value.code == 413
    with httpx2.Client() as client:
        assert client.post(f"{server.url}/raw", content=bytes(50_000_000)).status_code == 413
        assert client.get(f"{server.url}/health").status_code == 200


def test_a_body_in_chunks_is_counted_while_it_is_read(behind_middleware):
    server = behind_middleware(max_body_bytes=4096)
    head = POST + b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    fits = server.say(head + chunked(b"x" * 4096) + b"0\r\n\r\n")
    assert parsed(fits).json["bytes"] == 4096
    too_large = server.say(head + chunked(*[b"x" * 1000] * 50) + b"0\r\n\r\n")
    assert parsed(too_large).status == 413
    assert work_done == ["/raw"]


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/echo", b"application/json"), ("/form", b"application/x-www-form-urlencoded")],
)
def test_framework_errors_do_not_hide_that_a_body_is_too_large(behind_middleware, path, kind):
    server = behind_middleware(max_body_bytes=1024)
    head = b"POST " + path.encode() + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    head += b"Content-Type: " + kind + b"\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert parsed(server.say(head + chunked(*[b" " * 500] * 9) + b"0\r\n\r\n")).status == 413


def test_a_body_in_a_million_tiny_chunks_is_refused_early(behind_middleware):
    server = behind_middleware()
    head = POST + b"Transfer-Encoding: chunked\r\n\r\n"
    assert server.say(head + b"1\r\nx\r\n" * 1_000_000).startswith(b"HTTP/1.1 400 ")
    assert server.ask("/health").status == 200


def test_uploads_may_be_larger(behind_middleware):
    server = behind_middleware(max_body_bytes=2000, max_upload_bytes=5000)
    assert server.ask("/raw", method="POST", body=b"x" * 3000).status == 413
    assert server.ask("/translate_file", method="POST", body=b"x" * 3000).status == 200
    assert server.ask("/translate_file", method="POST", body=b"x" * 6000).status == 413


def test_a_body_that_does_not_come_to_an_end_is_given_up(behind_middleware):
    server = behind_middleware(read_timeout=1)
    answer = parsed(server.say(POST + b"Content-Length: 100\r\n\r\nonly the beginning"))
    assert answer.status == 408
    assert answer.headers["connection"] == "close"


def test_a_body_that_trickles_is_given_up(behind_middleware):
    server = behind_middleware(read_timeout=1)
    with server.connect() as client:
        client.sendall(POST + b"Content-Length: 1000000\r\n\r\n")
        ended = threading.Event()

        def trickle() -> None:
            while not ended.wait(0.05):
                try:
                    client.send(b"x")
                except OSError:
                    return

        thread = threading.Thread(target=trickle)
        thread.start()
        answer = heard(client)
        ended.set()
        thread.join()
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert waited_for(lambda: server.connections == 0)


@pytest.mark.parametrize(
    "lines",
    [
        b"X-Long: " + b"x" * 64_000 + b"\r\n",
        b"".join(b"X-%d: y\r\n" % number for number in range(5000)),
        b"".join(b"X-%d: y\r\n" % number for number in range(150)),
    ],
    ids=["one long", "thousands", "more than a hundred"],
)
def test_headers_that_are_too_large_or_too_many_are_refused(behind_middleware, lines):
    server = behind_middleware()
    answer = parsed(server.say(POST + b"Connection: close\r\n" + lines + b"\r\n"))
    assert answer.status == 431
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert server.ask("/health").status == 200


def test_headers_that_never_end_are_refused_while_they_come(behind_middleware):
    server = behind_middleware()
    with server.connect() as client:
        client.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: ")
        for _ in range(40):
            try:
                client.sendall(b"x" * 1000)
            except OSError:
                break
        assert heard(client).startswith(b"HTTP/1.1 431 ")


def test_an_address_that_is_too_long_is_refused(behind_middleware):
    assert behind_middleware().ask("/health?" + "x" * 60_000).status == 431


@pytest.mark.parametrize(
    "text",
    [r"\ud800", r"a\udfffb", r"\ud83d \ude00", r"\ude00\ud83d", r"\u0000", r"\\\ud800"],
)
def test_half_a_character_or_nul_in_json_is_a_mistake_of_the_client(behind_middleware, text):
    answer = behind_middleware().ask(
        "/echo", method="POST", headers=JSON, body=f'{{"text": "{text}"}}'.encode()
    )
    assert answer.status == 400
    assert answer.json["id"] == answer.headers["x-request-id"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [(r"\ud83d\ude00", "😀"), (r"\\ud800", r"\ud800"), ("नमस्ते", "नमस्ते"), (r"\u0915", "क")],
)
def test_proper_text_passes(behind_middleware, written, meant):
    body = f'{{"text": "{written}"}}'.encode()
    answer = behind_middleware().ask("/echo", method="POST", headers=JSON, body=body)
    assert answer.json == {"text": meant}


@pytest.mark.parametrize(
    "body",
    [
        b'{"text": "\xff"}',
        b'{"text": "\xed\xa0\x80"}',
        '{"text": "x"}'.encode("utf-16"),
        b'{"text": "a\x00b"}',
        b"[" * 100_000,
        b'{"text": ' + b"1" * 10_000 + b"}",
        b'{"text": "\\',
        b"",
    ],
    ids=["bytes", "surrogate", "utf-16", "nul", "nested", "number", "cut", "empty"],
)
def test_what_is_no_json_is_a_mistake_of_the_client(behind_middleware, body):
    answer = behind_middleware().ask("/echo", method="POST", headers=JSON, body=body)
    assert answer.status in (400, 422)


@given(st.text(st.characters(), max_size=40))
def test_json_is_text_exactly_if_it_can_be_written_and_has_no_nul(text):
    try:
        text.encode("utf-8")
        good = "\x00" not in text
    except UnicodeEncodeError:
        good = False
    assert is_valid_text(json.dumps({"text": text}).encode("ascii")) is good


@given(st.binary(max_size=60), st.sampled_from([b"", b'"\\', b"\\u", b"\\ud83d"]))
def test_any_bytes_can_be_judged_and_those_called_text_survive_the_way(start, end):
    body = start + end
    if is_valid_text(body):
        try:
            tree = json.loads(body)
        except ValueError:
            return
        json.dumps(tree, ensure_ascii=False).encode("utf-8")


@pytest.mark.parametrize("path", ["/studio/%00", "/health?a=%00", "/%00/../health"])
def test_nul_in_an_address_is_refused(behind_middleware, path):
    assert behind_middleware().ask(path).status == 400


def test_what_is_not_http_is_refused(behind_middleware):
    server = behind_middleware()
    for noise in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", b"hello\r\n\r\n"):
        answer = parsed(server.say(noise))
        assert answer.status == 400
        assert "id" in answer.json
    two_lengths = POST + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"
    assert server.say(two_lengths).startswith(b"HTTP/1.1 400 ")
    both = POST + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    with server.connect() as client:
        client.sendall(both)
        client.shutdown(1)
        assert heard(client).count(b"HTTP/1.1 ") == 1
