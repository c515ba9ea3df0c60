"""Whatever breaks, a client hears an id and nothing else; the log hears the rest."""

import logging

import pytest
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route
from tests.unit.server.middleware.conftest import small_app

from dragoman.config.serving import ServingSettings
from dragoman.server.middleware.stack import with_middleware

SECRET = "the secret of the house"


def test_each_request_has_an_id_of_its_own(behind_middleware):
    server = behind_middleware()
    ids = {server.ask("/health").headers["x-request-id"] for _ in range(5)}
    assert len(ids) == 5
    assert all(len(one) == 12 and int(one, 16) >= 0 for one in ids)


def test_a_client_does_not_choose_its_id(behind_middleware):
    answer = behind_middleware().ask("/health", headers={"X-Request-Id": "chosen"})
    assert answer.headers["x-request-id"] != "chosen"


def test_a_failure_is_told_by_its_id_alone_and_logged_with_its_traceback(behind_middleware, caplog):
    with caplog.at_level(logging.ERROR, "dragoman.server"):
        answer = behind_middleware().ask("/broken")
    assert answer.status == 500
    assert answer.json == {
        "error": "Something went wrong here. Tell the operator this id.",
        "id": answer.headers["x-request-id"],
    }
    assert SECRET.encode() not in answer.body
    assert answer.headers["x-content-type-options"] == "nosniff"
    (record,) = [one for one in caplog.records if one.name == "dragoman.server"]
    assert answer.json["id"] in record.getMessage()
    assert SECRET in caplog.text
    assert "Traceback" in caplog.text


def test_a_failure_is_told_the_same_way_if_the_door_is_inside_the_framework(serve, caplog):
    app = small_app()
    app.add_middleware(with_middleware, ServingSettings(), None)
    answer = serve(app).ask("/broken")
    assert answer.status == 500
    assert answer.json["id"] == answer.headers["x-request-id"]


def test_an_answer_of_500_that_nobody_raised_for_arrives(serve):
    app = Starlette(routes=[Route("/", lambda _: JSONResponse({"meant": True}, 500))])
    answer = serve(with_middleware(app, ServingSettings())).ask("/")
    assert (answer.status, answer.json) == (500, {"meant": True})


def test_an_answer_that_breaks_on_its_way_is_cut(behind_middleware, caplog):
    answer = behind_middleware().ask("/breaks-later")
    assert answer.status == 200
    assert b"so far so good" in answer.body
    assert not answer.body.endswith(b"0\r\n\r\n")  # the mark of a whole answer
    assert SECRET.encode() not in answer.body


def test_errors_of_the_openai_routes_look_as_their_clients_expect(behind_middleware):
    server = behind_middleware(max_body_bytes=1024)
    answer = server.ask("/v1/completions", method="POST", body=b"x" * 2000)
    assert answer.status == 413
    assert set(answer.json["error"]) == {"message", "type", "param", "code", "id"}


def test_streams_pass_the_door_piece_by_piece(behind_middleware):
    answer = behind_middleware().ask("/stream")
    assert answer.body.count(b"data: ") == 3
    assert answer.body.endswith(b"0\r\n\r\n")


@pytest.mark.parametrize("path", ["/health", "/nothing-here", "/broken", "/large?a=%00"])
def test_all_answers_tell_browsers_to_be_careful(behind_middleware, path, caplog):
    headers = behind_middleware().ask(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-frame-options"] == "DENY"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"
    assert "script-src 'self';" in headers["content-security-policy"]
    assert "unsafe-eval" not in headers["content-security-policy"]
    assert "access-control-allow-origin" not in headers
    assert "server" not in headers


def test_files_of_the_page_may_be_kept_by_a_browser_that_asks_again(behind_middleware):
    assert behind_middleware().ask("/studio/page.js").headers["cache-control"] == "no-cache"
