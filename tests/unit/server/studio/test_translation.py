"""What the studio shows of a translator, and the parts of its page."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.served import Answer, Served, served

from dragoman.config.serving import ServingSettings
from dragoman.server.app import create_app
from dragoman.server.plan import ServerPlan
from dragoman.server.studio.static import PAGE


@pytest.fixture(scope="module")
def server(english_spanish: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    scratch = tmp_path_factory.mktemp("scratch")
    plan = ServerPlan(
        ServingSettings(), (english_spanish,), scratch, english_spanish.parent, threads=1
    )
    with served(create_app(plan)) as running:
        yield running


def ask(server: Served, **said: Any) -> Answer:
    body = json.dumps({"run": "en-es", **said}).encode()
    headers = {"Content-Type": "application/json"}
    return server.ask("/studio/api/translate", method="POST", headers=headers, body=body)


def test_the_shelf_tells_what_is_served(server):
    told = server.ask("/studio/api/overview").json
    (one,) = told["translators"]
    assert (one["name"], one["ways"], one["targets"]) == ("en-es", [["en", "es"]], ["es"])
    assert one["names"] == {"en": "English", "es": "Spanish"}
    assert one["attention"] is True
    assert one["parameters"] == 10_912
    assert told["runs"] == 1
    assert told["language_models"] == told["matchers"] == told["classifiers"] == []


def test_sentences_and_gaps_make_up_the_translation(server):
    told = ask(server, text="  Red cat. Blue dog!\n\nFish song.", alternatives=2).json
    assert [one["source"] for one in told["sentences"]] == ["Red cat.", "Blue dog!", "Fish song."]
    assert told["gaps"] == ["  ", " ", "\n\n", ""]
    texts = [one["text"] for one in told["sentences"]]
    between = zip(told["gaps"], [*texts, ""], strict=True)
    assert "".join(part for both in between for part in both) == told["text"]
    for one in told["sentences"]:
        assert one["confidence"] is None  # this run has not learned to tell
        assert len(one["alternatives"]) <= 2
        assert one["text"] not in [other["text"] for other in one["alternatives"]]
        scores = [other["score"] for other in one["alternatives"]]
        assert scores == sorted(scores, reverse=True)


def test_text_that_the_model_cannot_read_comes_with_a_warning(server):
    assert ask(server, text="Red cat.").json["warnings"] == []
    (one,) = ask(server, text="Привет, мир").json["warnings"]
    assert one == {
        "kind": "script",
        "text": "is written in Cyrillic, which the model does not read",
    }


def test_white_space_is_not_translated(server):
    told = ask(server, text=" \n").json
    assert (told["text"], told["sentences"], told["gaps"]) == (" \n", [], [" \n"])
    assert told["warnings"] == []


@pytest.mark.parametrize(
    ("said", "status", "words"),
    [
        ({"text": "x", "run": "none"}, 404, "No translator of this name"),
        ({"text": "x", "run": "../en-es"}, 404, "No translator of this name"),
        ({"text": "x", "to": "fr"}, 400, "target languages: es"),
        ({"text": "x" * 10_001}, 400, "limit: 10,000"),
        ({"text": "x", "alternatives": 9}, 422, "alternatives"),
        ({}, 422, "text"),
    ],
)
def test_what_cannot_be_shown_is_told(server, said, status, words):
    answer = ask(server, **said)
    assert answer.status == status
    assert words in answer.json["error"]


def test_every_part_of_the_page_comes_with_its_kind_and_is_not_sent_twice(server):
    kinds = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
    parts = [path for path in PAGE.rglob("*") if path.suffix in kinds]
    assert len(parts) > 10
    for path in parts:
        name = f"/studio/{path.relative_to(PAGE).as_posix()}"
        first = server.ask(name)
        assert first.status == 200
        assert first.body == path.read_bytes()
        assert first.headers["content-type"].startswith(kinds[path.suffix])
        again = server.ask(name, headers={"If-None-Match": first.headers["etag"]})
        assert (again.status, again.body) == (304, b"")


def test_the_page_and_the_plots_are_there_and_nothing_else_of_the_disk(server):
    assert b"<title>Dragoman</title>" in server.ask("/").body
    assert server.ask("/docs").status == 200
    assert len(server.ask("/studio/plotly.min.js").body) > 1_000_000
    for name in ("static.py", "../static.py", "page/index.html", "%2e%2e/static.py", "style", ""):
        assert server.ask(f"/studio/{name}").status == 404
