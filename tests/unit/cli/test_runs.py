"""`dragoman runs`: what lies in a folder of runs, at a glance."""

import json
import shutil
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parents[2] / "golden" / "run-v2"


@pytest.fixture
def folder(tmp_path):
    """Give a folder with some runs, one of them damaged, and things that are none."""
    for name in ("translation", "images", "masked"):
        shutil.copytree(GOLDEN / name, tmp_path / name)
    (tmp_path / "images" / "recipe.toml").write_text("name = ", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("nothing", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    return tmp_path


def test_each_run_has_a_line_with_task_state_and_score(dragoman, folder):
    code, out, _ = dragoman("runs", folder)
    assert code == 0
    head, *lines = out.splitlines()
    assert head.split() == ["name", "task", "state", "steps", "score", "updated"]
    told = {line.split()[0]: line for line in lines}
    assert set(told) == {"translation", "images", "masked"}
    assert "  finished  " in told["translation"]
    assert "chrF" in told["translation"]
    assert "accuracy" in told["masked"]
    assert "  damaged  " in told["images"]


def test_programs_get_json(dragoman, folder):
    code, out, _ = dragoman("runs", folder, "--json")
    found = {one["name"]: one for one in json.loads(out)}
    assert code == 0
    assert found["masked"]["kind"] == "masked-lm"
    assert found["translation"]["step"] == found["translation"]["steps"] > 0


def test_a_folder_that_is_not_there_is_one_line(dragoman, tmp_path):
    code, out, err = dragoman("runs", tmp_path / "nowhere")
    assert (code, out) == (2, "")
    assert "there is no such folder" in err


def test_a_folder_without_runs_says_what_to_do(dragoman, tmp_path):
    code, out, err = dragoman("runs", tmp_path)
    assert (code, out) == (0, "")
    assert "holds no runs yet" in err
    assert json.loads(dragoman("runs", tmp_path, "--json")[1]) == []
