"""Where a message ends is never in doubt: what could be read two ways is refused, and closed."""

import re

import pytest

HEAD = b"POST /raw HTTP/1.1\r\nHost: localhost\r\n"
OLD = b"POST /raw HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n"
NEXT = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
CHUNKED, LENGTH = b"Transfer-Encoding: chunked\r\n", b"Content-Length: 5\r\n"
EMPTY = b"0\r\n\r\n"
CHUNKS = b"3\r\nabc\r\n0\r\n\r\n"

REFUSED = {
    "length, then chunked": HEAD + LENGTH + CHUNKED + b"\r\n" + EMPTY,
    "chunked, then length": HEAD + CHUNKED + LENGTH + b"\r\n" + EMPTY,
    "chunked and a length of 0": HEAD + CHUNKED + b"Content-Length: 0\r\n\r\n" + EMPTY,
    "chunked in HTTP/1.0": OLD + CHUNKED + b"\r\n" + CHUNKS,
    "both in HTTP/1.0": OLD + CHUNKED + b"Content-Length: 13\r\n\r\n" + CHUNKS,
    "two lengths": HEAD + LENGTH + b"Content-Length: 6\r\n\r\nabcdef",
    "two lengths in a line": HEAD + b"Content-Length: 5, 6\r\n\r\nabcdef",
    "a length with a sign": HEAD + b"Content-Length: +5\r\n\r\nabcde",
    "a length below 0": HEAD + b"Content-Length: -5\r\n\r\nabcde",
    "a length in base 16": HEAD + b"Content-Length: 0x5\r\n\r\nabcde",
    "no length": HEAD + b"Content-Length:\r\n\r\nabcde",
    "identity": HEAD + b"Transfer-Encoding: identity\r\n\r\n",
    "xchunked": HEAD + b"Transfer-Encoding: xchunked\r\n\r\n" + EMPTY,
    "gzip, chunked": HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n" + EMPTY,
    "chunked, chunked": HEAD + b"Transfer-Encoding: chunked, chunked\r\n\r\n" + EMPTY,
    "chunked twice": HEAD + CHUNKED + CHUNKED + b"\r\n" + EMPTY,
    "chunked behind a control character": HEAD + b"Transfer-Encoding: \x0bchunked\r\n\r\n" + EMPTY,
    "a blank before the colon": HEAD + b"Transfer-Encoding : chunked\r\n\r\n" + EMPTY,
    "a folded line first": b"POST /raw HTTP/1.1\r\n Host: localhost\r\n" + LENGTH + b"\r\nabcde",
    "a bare CR in a header": HEAD + b"X-A: b\rContent-Length: 5\r\n\r\nabcde",
    "chunks that end in a bare LF": HEAD + CHUNKED + b"\r\n3\nabc\n0\n\n",
    "a bare LF in an extension": HEAD + CHUNKED + b"\r\n3;a\nb\r\nabc\r\n" + EMPTY,
    "more in a chunk than it says": HEAD + CHUNKED + b"\r\n3\r\nabcXX" + EMPTY,
    "a chunk of 0x3": HEAD + CHUNKED + b"\r\n0x3\r\nabc\r\n" + EMPTY,
    "a chunk of -3": HEAD + CHUNKED + b"\r\n-3\r\nabc\r\n" + EMPTY,
    "a chunk of more than 20 digits": HEAD + CHUNKED + b"\r\n" + b"F" * 21 + b"\r\nabc\r\n" + EMPTY,
}
UNDERSTOOD = {
    "a length": (HEAD + LENGTH + b"\r\nabcde", 5),
    "the same length twice": (HEAD + LENGTH + LENGTH + b"\r\nabcde", 5),
    "chunks": (HEAD + CHUNKED + b"\r\n" + CHUNKS, 3),
    "CHUNKED": (HEAD + b"Transfer-Encoding: CHUNKED\r\n\r\n" + CHUNKS, 3),
    "an extension": (HEAD + CHUNKED + b"\r\n3;a=b\r\nabc\r\n" + EMPTY, 3),
    "trailers": (HEAD + CHUNKED + b"\r\n3\r\nabc\r\n0\r\nX-A: b\r\n\r\n", 3),
    "a length in the trailers": (
        HEAD + CHUNKED + b"\r\n3\r\nabc\r\n0\r\nContent-Length: 99\r\nHost: evil\r\n\r\n",
        3,
    ),
    "a folded line": (HEAD + b"X-A: b\r\n c\r\n" + LENGTH + b"\r\nabcde", 5),
    "lines that end in LF": (HEAD.replace(b"\r", b"") + b"Content-Length: 5\n\nabcde", 5),
    "an expectation": (HEAD + b"Expect: 100-continue\r\n" + LENGTH + b"\r\nabcde", 5),
    "an unknown expectation": (HEAD + b"Expect: rain\r\n" + LENGTH + b"\r\nabcde", 5),
}


def statuses(answer: bytes) -> list[int]:
    return [int(one) for one in re.findall(rb"HTTP/1\.1 (\d+)", answer)]


@pytest.mark.parametrize("message", REFUSED.values(), ids=REFUSED)
def test_a_message_whose_end_is_in_doubt_is_refused_and_nothing_after_it_is_answered(
    behind_middleware, message
):
    assert statuses(behind_middleware().say(message + NEXT)) == [400]


@pytest.mark.parametrize(("message", "size"), UNDERSTOOD.values(), ids=UNDERSTOOD)
def test_the_request_after_one_that_is_understood_is_answered_too(behind_middleware, message, size):
    answer = behind_middleware().say(message + NEXT)
    assert [one for one in statuses(answer) if one != 100] == [200, 200]
    assert f'"bytes":{size},'.encode() in answer


def test_a_request_before_one_in_doubt_is_answered_and_one_after_it_is_not(behind_middleware):
    first = NEXT.replace(b"Connection: close\r\n", b"")
    answer = behind_middleware().say(first + REFUSED["length, then chunked"] + NEXT)
    assert statuses(answer) == [200, 400]


def test_a_message_in_http_1_0_ends_its_connection(behind_middleware):
    assert statuses(behind_middleware().say(OLD + LENGTH + b"\r\nabcde" + NEXT)) == [200]
