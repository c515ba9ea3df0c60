"""What the lab has found, as the studio shows it."""

import json

import pytest

EXPERIMENTS = "/studio/api/experiments"
PNG = b"\x89PNG\r\n\x1a\n..."
RESULT = {
    "subject": "length",
    "title": "Long sentences",
    "size": "full",
    "seeds": [1, 2, 3],
    "findings": [
        {"ledger": ["A1"], "notes": "it fails.", "verdict": "confirmed", "because": "0.3 < 0.9."},
        {"ledger": ["A2", "A3"], "notes": "never.", "verdict": "refuted", "because": "0.5."},
    ],
    "rows": [],
}


@pytest.fixture
def lab(tmp_path):
    folder = tmp_path / "lab"
    (folder / "length-full").mkdir(parents=True)
    (folder / "length-full" / "result.json").write_text(json.dumps(RESULT))
    (folder / "length-full" / "table.md").write_text("# Long sentences\n\n| a | b |\n")
    (folder / "length-full" / "picture.png").write_bytes(PNG)
    return folder


def test_experiments_are_listed_and_told(open_studio, lab):
    studio = open_studio(lab=lab)
    (one,) = studio.get(EXPERIMENTS).json
    assert one.pop("updated") > 0
    assert one == {
        "name": "length-full",
        "title": "Long sentences",
        "size": "full",
        "seeds": [1, 2, 3],
        "verdicts": {"confirmed": 1, "refuted": 1},
    }
    told = studio.get(f"{EXPERIMENTS}/length-full").json
    assert told["markdown"].startswith("# Long sentences")
    assert told["findings"][1] == {
        "ledger": ["A2", "A3"],
        "verdict": "refuted",
        "notes": "never.",
        "because": "0.5.",
    }
    picture = studio.get(told["picture"])
    assert (picture.status, picture.headers["content-type"], picture.body) == (
        200,
        "image/png",
        PNG,
    )


def test_what_is_no_experiment_breaks_nothing(open_studio, lab, tmp_path):
    contents = ["", "[]", "{", "5", '{"findings": 5, "seeds": 7}', '{"title": [], "findings": [1]}']
    for number, content in enumerate(contents):
        (lab / f"odd-{number}").mkdir()
        (lab / f"odd-{number}" / "result.json").write_text(content)
    (lab / "empty").mkdir()
    (lab / "link").symlink_to(lab / "length-full")
    (lab / "odd-4" / "picture.png").write_text("<svg onload='alert(1)'>")
    studio = open_studio(lab=lab)
    listed = {one["name"]: one for one in studio.get(EXPERIMENTS).json}
    assert sorted(listed) == ["length-full", "odd-4", "odd-5"]
    assert listed["odd-5"]["title"] == "odd-5"
    assert studio.get(f"{EXPERIMENTS}/odd-4").status == 200
    for name in ("link", "nobody", "..", "..%2Flab%2Flength-full", "odd-1"):
        assert studio.get(f"{EXPERIMENTS}/{name}").status == 404
        assert studio.get(f"{EXPERIMENTS}/{name}/picture.png").status == 404
    assert studio.get(f"{EXPERIMENTS}/odd-4/picture.png").status == 404


def test_a_result_that_changes_is_read_again(open_studio, lab):
    studio = open_studio(lab=lab)
    assert studio.get(EXPERIMENTS).json[0]["size"] == "full"
    changed = {**RESULT, "size": "quick", "title": "Other"}
    (lab / "length-full" / "result.json").write_text(json.dumps(changed))
    assert studio.get(EXPERIMENTS).json[0]["size"] == "quick"
