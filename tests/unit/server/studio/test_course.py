"""The course of the lab, as the studio shows it: the pages of the report with its own links."""

import pytest

from dragoman.lab.catalogue import claims, topics
from dragoman.lab.claims import ExactClaim
from dragoman.lab.records import record_of, write_records

COURSE = "/studio/api/course"
CLAIM = next(one for one in claims().values() if isinstance(one, ExactClaim))
TOPIC = next(one for one in topics().values() if CLAIM in one.claims)
PAGE = f"{COURSE}/topics/{TOPIC.name}"


@pytest.fixture
def lab(tmp_path):
    folder = tmp_path / "lab"
    folder.mkdir()
    settings = CLAIM.parameters()
    record = record_of(CLAIM, settings, CLAIM.check(settings), 0.1)
    write_records(folder / "claims.json", {CLAIM.id: record})
    return folder


def test_the_course_is_shown_with_what_was_found(open_studio, lab):
    studio = open_studio(lab=lab)
    index = studio.get(COURSE).json
    assert f'href="#lab/topic/{TOPIC.name}"' in index["html"]
    assert "Last run" in index["html"]
    topic = studio.get(f"{COURSE}/topics/{TOPIC.name}").json
    assert topic["title"] == TOPIC.title
    assert f'id="{CLAIM.id}"' in topic["html"]
    assert f'href="#lab/topic/{TOPIC.name}/{CLAIM.id}"' in topic["html"]
    assert "What is compared" in topic["html"]
    assert CLAIM.id in studio.get(f"{COURSE}/claims").json["html"]
    assert studio.get(f"{COURSE}/errata").status == 200


def test_a_topic_that_is_not_there_is_told(open_studio, lab):
    studio = open_studio(lab=lab)
    for name in ("nobody", "..", "%2e%2e%2fclaims"):
        assert studio.get(f"{COURSE}/topics/{name}").status == 404


@pytest.mark.parametrize("content", ["", "{", '{"format": "dragoman-lab-records", "version": 9}'])
def test_damaged_results_are_left_out(open_studio, lab, content):
    (lab / "claims.json").write_text(content)
    (lab / "odd").mkdir()
    (lab / "odd" / "result.json").write_text(content)
    assert "What is compared" not in open_studio(lab=lab).get(PAGE).json["html"]


def test_a_result_that_is_new_is_shown(open_studio, lab):
    stored = (lab / "claims.json").read_bytes()
    (lab / "claims.json").unlink()
    studio = open_studio(lab=lab)
    assert "What is compared" not in studio.get(PAGE).json["html"]
    (lab / "claims.json").write_bytes(stored)
    assert "What is compared" in studio.get(PAGE).json["html"]
