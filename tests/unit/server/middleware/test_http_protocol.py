"""S3: nobody holds a connection open by doing nothing, and there are not too many of them."""

import contextlib
import socket

import httpx2
import pytest
from tests.served import heard, parsed, waited_for
from uvicorn.protocols.http.h11_impl import H11Protocol

from dragoman.server.middleware.http_protocol import LimitedHttpProtocol

HEAD = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"


def test_what_is_changed_of_uvicorn_s_connection_is_there_to_be_changed():
    changed = {name for name in vars(LimitedHttpProtocol) if not name.startswith("_")}
    assert changed <= set(dir(H11Protocol))
    assert {"connection_made", "data_received", "send_400_response"} <= changed


@pytest.mark.parametrize(
    "begun", [b"", b"GET", HEAD, HEAD + b"X-A: b\r\n"], ids=["nothing", "word", "line", "headers"]
)
def test_twenty_clients_that_never_finish_their_headers_are_cut_off(behind_middleware, begun):
    server = behind_middleware(read_timeout=1)
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(server.connect()) for _ in range(20)]
        for client in clients:
            client.sendall(begun)
        assert server.ask("/health").status == 200
        assert [heard(client) for client in clients] == [b""] * 20
    assert waited_for(lambda: server.connections == 0)


def test_headers_that_trickle_do_not_keep_a_connection(behind_middleware):
    server = behind_middleware(read_timeout=1)
    with server.connect() as client:
        client.sendall(HEAD)
        client.settimeout(0.05)

        def closed() -> bool:
            try:
                client.sendall(b"X-A: b\r\n")
                return client.recv(100) == b""
            except TimeoutError:
                return False
            except OSError:
                return True

        assert waited_for(closed, 10)


@pytest.mark.parametrize("begun", [b"", b"GET /he", HEAD], ids=["nothing", "word", "line"])
def test_a_second_request_must_come_in_time_too(behind_middleware, begun):
    server = behind_middleware(read_timeout=1)
    with server.connect() as client:
        client.sendall(HEAD + b"\r\n")
        assert client.recv(65536).startswith(b"HTTP/1.1 200 ")
        client.sendall(begun)
        heard(client)  # ends, or the test does not
    assert waited_for(lambda: server.connections == 0)


def test_a_second_request_that_was_begun_together_with_the_first_must_come_in_time_too(
    behind_middleware,
):
    server = behind_middleware(read_timeout=1)
    with server.connect() as client:
        client.sendall(HEAD + b"\r\n" + HEAD)
        assert heard(client).count(b"HTTP/1.1 200 ") == 1


def test_many_requests_go_through_one_connection(behind_middleware):
    server = behind_middleware(read_timeout=2)
    with httpx2.Client() as client:
        for _ in range(20):
            assert client.get(f"{server.url}/health").status_code == 200
            assert client.post(f"{server.url}/raw", content=b"x" * 9000).json()["bytes"] == 9000
        assert server.connections == 1
    both = HEAD + b"\r\n" + HEAD + b"Connection: close\r\n\r\n"
    assert server.say(both).count(b'{"status":"ok"}') == 2


def test_a_body_that_nobody_asked_for_is_not_read_for_ever(behind_middleware):
    server = behind_middleware(read_timeout=1)
    with server.connect() as client:
        client.sendall(HEAD + b"Content-Length: 1000000\r\n\r\nx")
        client.settimeout(0.05)

        def closed() -> bool:
            try:
                client.sendall(b"x")
                return client.recv(65536) == b""
            except TimeoutError:
                return False
            except OSError:
                return True

        assert waited_for(closed, 10)


@pytest.mark.parametrize("path", ["/large", "/long"], ids=["at once", "in parts"])
def test_a_client_that_does_not_read_its_answer_is_cut_off(behind_middleware, path):
    server = behind_middleware(read_timeout=1)
    with server.connect() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert waited_for(lambda: server.connections == 1)
        assert waited_for(lambda: server.connections == 0)


@pytest.mark.parametrize("path", ["/large", "/long"], ids=["at once", "in parts"])
def test_a_client_that_reads_slowly_gets_all_of_its_answer(behind_middleware, path):
    server = behind_middleware(read_timeout=1)
    with server.connect() as client:
        head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        client.sendall(head.encode())
        size, pause = 0, 0
        while part := client.recv(1 << 20):
            size += len(part)
            if size > pause * 10_000_000:  # five rests, longer together than may be done nothing
                pause += 1
                waited_for(lambda: False, 0.4)
    assert size > 50_000_000


def test_more_connections_than_allowed_are_turned_away_and_then_there_is_room_again(
    behind_middleware,
):
    server = behind_middleware(max_connections=5)
    with contextlib.ExitStack() as stack:
        for _ in range(5):
            stack.enter_context(server.connect())
        assert waited_for(lambda: server.connections == 5)
        with server.connect() as sixth:
            answer = parsed(heard(sixth))
        assert answer.status == 503
        assert answer.headers["retry-after"] == "1"
        assert "id" in answer.json
    assert waited_for(lambda: server.connections == 0)
    assert server.ask("/health").status == 200
