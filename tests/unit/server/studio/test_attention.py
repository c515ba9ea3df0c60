"""Attention and beams, asked of a real server."""

import json

import pytest

from dragoman.plots.attention_page import SCALE, sentence_data
from dragoman.tasks.translation.attention_report import attention_report
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.beam_tree import beam_tree
from dragoman.trainer import train

ATTENTION, BEAM = "/studio/api/attention", "/studio/api/beam"


@pytest.fixture(scope="module")
def translator(runs):
    return BareTranslator.load(runs / "tiny", device="cpu")


def test_attention_is_what_the_page_of_attention_shows(studio, translator):
    source, target = "sun moon sea", "sea moon sun"
    answer = studio.post(ATTENTION, {"run": "tiny", "source": source, "target": target})
    assert answer.status == 200
    seen = sentence_data(attention_report(translator, source, target))
    assert answer.json == {"scale": SCALE, **json.loads(json.dumps(seen))}
    assert {one["kind"] for one in answer.json["maps"]} == {"across", "source", "target"}


@pytest.mark.parametrize(("source", "target"), [("", "x"), ("sun", " "), ("sun " * 300, "x")])
def test_where_there_is_nothing_to_see_it_is_said_why(studio, source, target):
    answer = studio.post(ATTENTION, {"run": "tiny", "source": source, "target": target})
    assert answer.status == 200
    assert answer.json["maps"] == []
    assert answer.json["why"]


def test_a_network_without_attention_says_so_and_has_a_beam_all_the_same(
    open_studio, tiny, tmp_path
):
    blind = 'model={kind = "recurrent", cell = "gru", width = 16, context = "first"}'
    little = ["training.steps=4", "training.validate_every=4", "training.checkpoint_every=4"]
    train(tiny.recipe, [blind, *little], folder=tmp_path / "blind")
    studio = open_studio(tmp_path / "blind")
    asked = {"run": "blind", "source": "sun", "target": "moon"}
    told = studio.post(ATTENTION, asked).json
    assert told["maps"] == []
    assert "no attention" in told["why"]
    assert studio.post(BEAM, {"run": "blind", "source": "sun", "beam": 2}).json["nodes"]


@pytest.mark.parametrize("beam", [1, 5, 8])
def test_the_beam_is_the_tree_of_the_search(studio, translator, beam):
    answer = studio.post(BEAM, {"run": "tiny", "source": "sun moon sea", "beam": beam})
    tree = beam_tree(translator, "sun moon sea", beam=beam)
    told = answer.json
    assert (answer.status, told["beam"], told["steps"]) == (200, beam, tree.steps)
    assert [node["id"] for node in told["nodes"]] == [*range(len(tree.nodes))]
    first = told["nodes"][0]
    assert (first["parent"], first["token"], first["text"], first["state"]) == (
        None,
        "",
        "",
        "start",
    )
    assert [node["total"] for node in told["nodes"]] == [node.total for node in tree.nodes]
    best = [node["text"] for node in told["nodes"] if node["state"] == "best"][-1]
    assert best == translator.translate("sun moon sea", beam=beam)


def test_an_empty_or_endless_text_has_no_beam(studio):
    for source in ("", "sun " * 500):
        answer = studio.post(BEAM, {"run": "tiny", "source": source})
        assert (answer.status, answer.json["nodes"]) == (200, [])
        assert answer.json["why"]


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ({"run": "nobody", "source": "sun"}, 404),
        ({"run": "../tiny", "source": "sun"}, 404),
        ({"run": "clip", "source": "sun"}, 404),
        ({"run": "tiny", "source": "sun", "to": "xx"}, 400),
        ({"run": "tiny", "source": "sun", "beam": 9}, 422),
        ({"run": "tiny", "source": "sun", "beam": 10**30}, 422),
        ({"run": "tiny", "source": "x" * 20_000}, 400),
        ({"run": "tiny"}, 422),
        (b'{"run": "tiny", "source": "sun", "beam": NaN}', 422),
        (b'{"run": "tiny", "source": "\\ud800"}', 422),
        (b"no json", 422),
    ],
)
def test_what_cannot_be_seen_is_refused(studio, said, status):
    answer = studio.post(BEAM, said)
    assert answer.status in (status, 400), answer.body
    assert isinstance(answer.json["error"], str)
    assert b"Traceback" not in answer.body
