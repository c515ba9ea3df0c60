"""Only who asks for this machine by a name of its own, from a page of its own, is answered."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.served import parsed
from tests.unit.server.middleware.conftest import small_app

from dragoman.config.serving import ServingSettings
from dragoman.core.addresses import is_loopback, read_address, read_origin
from dragoman.server.middleware.stack import with_middleware

HTTP_10 = b"GET /health HTTP/1.0\r\n"


@pytest.mark.parametrize(
    "host",
    ["localhost", "localhost:9", "LOCALHOST:5000", "127.0.0.1", "127.8.8.8:1", "[::1]", "[::1]:80"],
)
def test_loopback_is_answered_by_all_its_names(behind_middleware, host):
    assert behind_middleware().ask("/health", headers={"Host": host}).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:5000",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "localhost@evil.example",
        "evil.example/localhost",
        "localhost:port",
        "localhost:99999",
        "localhost, evil.example",
        "2130706433",
        "127.1",
        "0x7f.0.0.1",
        "0.0.0.0",
        "[::]",
        "[::1",
        "::1",
        "[::1]evil",
        "192.168.0.1",
    ],
)
def test_other_names_are_refused(behind_middleware, host):
    answer = behind_middleware().ask("/health", headers={"Host": host})
    assert answer.status == 400
    assert "error" in answer.json


def test_a_request_that_says_no_host_or_two_is_refused(behind_middleware):
    server = behind_middleware()
    two = HTTP_10 + b"Host: localhost\r\nHost: evil.example\r\n\r\n"
    for request in (HTTP_10 + b"\r\n", HTTP_10 + b"Host: \r\n\r\n", two):
        assert parsed(server.say(request)).status == 400
    assert parsed(server.say(HTTP_10 + b"Host: localhost\r\n\r\n")).status == 200


def test_the_listed_names_and_the_own_one_are_answered(behind_middleware):
    server = behind_middleware(host="box.lan", hosts=("translate.example.org", "fd00::7"))
    for host in ("box.lan:80", "Translate.Example.ORG.", "[fd00:0::7]:1", "localhost"):
        assert server.ask("/health", headers={"Host": host}).status == 200, host
    assert server.ask("/health", headers={"Host": "example.org"}).status == 400


def test_a_server_that_listens_everywhere_answers_to_the_address_that_was_reached(serve):
    app = with_middleware(small_app(), ServingSettings(host="0.0.0.0"))

    async def as_if_reached_at(scope, receive, send):
        await app({**scope, "server": ("192.168.0.7", 5000)}, receive, send)

    server = serve(as_if_reached_at)
    assert server.ask("/health", headers={"Host": "192.168.0.7:5000"}).status == 200
    assert server.ask("/health", headers={"Host": "192.168.0.8:5000"}).status == 400
    assert server.ask("/health", headers={"Host": "0.0.0.0:5000"}).status == 400


@pytest.mark.parametrize("target", ["http://evil.example/health", "health", "*", "//evil/health"])
def test_odd_targets_lead_nowhere(behind_middleware, target):
    assert behind_middleware().ask(target).status in (400, 404)


@given(st.text(max_size=40))
@example("ſ")  # becomes s when it is made large, as K becomes k when it is made small
@example("\u212a")
def test_any_text_can_be_read_as_an_address_or_is_none(text):
    read = read_address(text)
    if read is not None:
        name, port = read
        assert name.isascii()
        assert name == name.lower()
        assert not set(name) & set(" /@,\\?#\r\n\x00")
        assert port is None or 0 <= port <= 65535
        again = f"[{name}]" if ":" in name else name
        assert read_address(again) == (name, None)


@given(st.from_regex(r"\A[a-z0-9.:\[\]@/,%-]{1,30}\Z"))
def test_what_is_called_loopback_is_plainly_that(text):
    read = read_address(text)
    if read and is_loopback(read[0]):
        assert read[0] in ("localhost", "::1") or read[0].startswith("127.")
        assert text.startswith(("localhost", "127.", "["))


@given(st.ip_addresses(v=6), st.integers(0, 65535))
def test_an_address_of_the_newer_kind_has_one_spelling(address, port):
    long = read_address(f"[{address.exploded.upper()}]:{port}")
    assert long == read_address(f"[{address.compressed}]:{port}") == (address.compressed, port)


@given(st.sampled_from(["http", "https"]), st.integers(0, 65535))
def test_an_origin_has_a_port_even_if_it_says_none(scheme, port):
    assert read_origin(f"{scheme}://example.org:{port}") == (scheme, "example.org", port)
    standard = {"http": 80, "https": 443}[scheme]
    assert read_origin(f"{scheme}://example.org") == (scheme, "example.org", standard)


@pytest.mark.parametrize(
    "text", ["null", "", "*", "https://", "file://x", "https://a/b", "https://a?b", "https://u@a"]
)
def test_what_is_no_origin_is_none(text):
    assert read_origin(text) is None
