"""S3: without a key every route but one is closed, whichever route that is."""

import re
from collections.abc import Iterator, Sequence

import pytest
from starlette.routing import BaseRoute, Mount, Route
from tests.served import served

from dragoman.config.serving import ServingSettings
from dragoman.server.app import create_app, create_routes
from dragoman.server.middleware.api_keys import add_key
from dragoman.server.plan import ServerPlan

FILLED = re.compile(r"{[^}]*}")


def paths_of(routes: Sequence[BaseRoute], before: str = "") -> Iterator[tuple[str, str]]:
    """Yield each method and path, with something in the place of each parameter."""
    for route in routes:
        if isinstance(route, Route):
            for method in sorted(route.methods or {"GET"}):
                yield method, before + FILLED.sub("x", route.path)
        elif isinstance(route, Mount) and not route.routes:
            yield "GET", f"{before}{route.path}/x"
        else:
            inner = getattr(route, "routes", None) or getattr(route, "original_router", route)
            below = getattr(inner, "routes", inner)
            assert isinstance(below, list | tuple), f"{route} is unknown to this test"
            yield from paths_of(below, before + getattr(route, "path", ""))


@pytest.fixture(scope="module")
def guarded_server(tiny, tmp_path_factory):
    folder = tmp_path_factory.mktemp("guarded")
    key = add_key(folder / "keys.json", "ada")
    settings = ServingSettings(keys=folder / "keys.json")
    plan = ServerPlan(settings, (tiny.run,), folder, threads=1)
    asked = sorted(set(paths_of(create_routes(plan).routes)))
    with served(create_app(plan), settings) as server:
        yield server, asked, key


def test_without_a_key_every_route_but_one_is_closed(guarded_server):
    server, asked, _ = guarded_server
    paths = {path for _, path in asked}
    assert {"/health", "/translate", "/languages", "/metrics", "/", "/docs"} <= paths
    assert {"/openapi.json", "/studio/api/overview", "/translate_file"} <= paths
    assert len(asked) >= 15
    for method, path in asked:
        answer = server.ask(path, method=method, body=b"{}" if method == "POST" else None)
        assert answer.status == (200 if path == "/health" else 401), (method, path)


def test_a_wrong_key_opens_none_of_them(guarded_server):
    server, asked, key = guarded_server
    wrong = {"Authorization": f"Bearer {key[:-1]}"}
    for method, path in asked:
        if path != "/health":
            assert server.ask(path, method=method, headers=wrong).status == 401, (method, path)


def test_the_key_opens_all_of_them(guarded_server):
    server, asked, key = guarded_server
    right = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    for method, path in asked:
        body = b"{}" if method in ("POST", "PUT", "PATCH") else None
        answer = server.ask(path, method=method, headers=right, body=body)
        assert answer.status not in (401, 403), (method, path)
        assert answer.status < 500, (method, path)


@pytest.mark.parametrize("text", [r"\ud800", r"\u0000", r"x\udc00y"])
def test_no_route_breaks_at_half_a_character(guarded_server, text):
    server, asked, key = guarded_server
    said = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    body = f'{{"q": "{text}", "text": "{text}", "prompt": "{text}", "run": "{text}"}}'.encode()
    for method, path in asked:
        if method == "POST":
            answer = server.ask(path, method=method, headers=said, body=body)
            assert answer.status == 400, path
            assert answer.headers["x-request-id"] in answer.body.decode()


def test_what_is_wrong_is_told_without_what_was_said(guarded_server):
    server, asked, key = guarded_server
    said = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    bodies = [b"NaN", b'{"q": NaN}', b"[[[]]]", b'{"text": 1e999, "q": {}}', b"[" * 50_000, b'"']
    for method, path in asked:
        if method == "POST":
            for body in bodies:
                answer = server.ask(path, method=method, headers=said, body=body)
                assert 400 <= answer.status < 500, (path, body[:20])
                assert b"Traceback" not in answer.body
                assert b"/src/" not in answer.body
