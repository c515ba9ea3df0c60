"""Pages of other servers cannot make a browser do anything here, unless they are listed."""

import pytest
from tests.unit.server.middleware.conftest import work_done

LISTED = "https://app.example.org"
CHANGING = ["POST", "PUT", "PATCH", "DELETE", "ODD"]


@pytest.mark.parametrize("method", CHANGING)
@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "http://127.0.0.1:1",
        "http://127.0.0.1",
        "https://127.0.0.1:{port}",
        "http://localhost:{port}",
        "http://127.0.0.1:{port}/",
        "http://127.0.0.1:{port}.evil.example",
        "nonsense",
    ],
)
def test_a_page_from_elsewhere_changes_nothing(behind_middleware, method, origin):
    server = behind_middleware(origins=(LISTED,))
    headers = {"Origin": origin.format(port=server.port)}
    answer = server.ask("/raw", method=method, headers=headers, body=b"")
    assert answer.status == 403
    assert "access-control-allow-origin" not in answer.headers
    assert work_done == []


def test_two_origins_are_none(behind_middleware):
    server = behind_middleware()
    own = f"Origin: {server.url}\r\n"
    request = f"POST /raw HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n{own}{own}"
    request += "Connection: close\r\nContent-Length: 0\r\n\r\n"
    assert server.say(request.encode()).startswith(b"HTTP/1.1 403 ")


def test_the_own_page_and_who_is_no_browser_may_ask(behind_middleware):
    server = behind_middleware()
    assert server.ask("/raw", method="POST", body=b"").status == 200
    own = {"Origin": server.url, "Sec-Fetch-Site": "same-origin"}
    assert server.ask("/raw", method="POST", headers=own, body=b"").status == 200
    by_name = {"Host": f"localhost:{server.port}", "Origin": f"http://localhost:{server.port}"}
    assert server.ask("/raw", method="POST", headers=by_name, body=b"").status == 200


def test_behind_a_proxy_with_tls_the_own_page_is_known(behind_middleware):
    server = behind_middleware(hosts=("translate.example.org",))
    proxied = {
        "Host": "translate.example.org",
        "Origin": "https://translate.example.org",
        "X-Forwarded-Proto": "https",
    }
    assert server.ask("/raw", method="POST", headers=proxied, body=b"").status == 200
    unsafe = {**proxied, "Origin": "http://translate.example.org"}
    assert server.ask("/raw", method="POST", headers=unsafe, body=b"").status == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_a_browser_says_comes_from_elsewhere_changes_nothing(behind_middleware, site):
    server = behind_middleware()
    headers = {"Sec-Fetch-Site": site}
    assert server.ask("/raw", method="POST", headers=headers, body=b"").status == 403
    assert server.ask("/health", headers=headers).status == 200
    assert work_done == []


def test_pages_from_elsewhere_cannot_read_what_they_ask_for(behind_middleware):
    answer = behind_middleware().ask("/health", headers={"Origin": "http://evil.example"})
    assert answer.status == 200
    assert "access-control-allow-origin" not in answer.headers
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"


def test_no_page_from_elsewhere_is_allowed_in_advance(behind_middleware):
    asked = {"Origin": LISTED, "Access-Control-Request-Method": "POST"}
    answer = behind_middleware().ask("/raw", method="OPTIONS", headers=asked)
    assert answer.status == 403
    assert "access-control-allow-origin" not in answer.headers


def test_a_listed_page_may_ask_and_read(behind_middleware):
    server = behind_middleware(origins=(LISTED,))
    asked = {
        "Origin": LISTED,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization, content-type",
    }
    allowed = server.ask("/raw", method="OPTIONS", headers=asked)
    assert allowed.status == 204
    assert allowed.headers["access-control-allow-origin"] == LISTED
    assert allowed.headers["access-control-allow-headers"] == "authorization, content-type"
    assert "POST" in allowed.headers["access-control-allow-methods"]
    said = {"Origin": LISTED, "Sec-Fetch-Site": "cross-site"}
    answer = server.ask("/raw", method="POST", headers=said, body=b"")
    assert answer.status == 200
    for one in (allowed, answer, server.ask("/nothing", headers=said)):
        assert one.headers["access-control-allow-origin"] == LISTED
        assert "origin" in one.headers["vary"].lower()
        assert "access-control-allow-credentials" not in one.headers


def test_a_listed_page_can_read_that_it_was_refused(behind_middleware, keys):
    server = behind_middleware(keys.path, origins=(LISTED,))
    asked = {"Origin": LISTED, "Access-Control-Request-Method": "POST"}
    assert server.ask("/raw", method="OPTIONS", headers=asked).status == 204
    answer = server.ask("/raw", method="POST", headers={"Origin": LISTED}, body=b"")
    assert answer.status == 401
    assert answer.headers["access-control-allow-origin"] == LISTED


def test_headers_are_not_smuggled_through_what_is_allowed(behind_middleware):
    server = behind_middleware(origins=(LISTED,))
    asked = {
        "Origin": LISTED,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "x;y=\xff",
    }
    answer = server.ask("/raw", method="OPTIONS", headers=asked)
    assert answer.status == 204
    assert "access-control-allow-headers" not in answer.headers
