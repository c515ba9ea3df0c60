"""Runs as the studio shows them: finished, live, damaged, or none of our business."""

import json
import os
import shutil
import subprocess
import sys
import time

import pytest

from dragoman.core.checksums import write_checked
from dragoman.core.lock import only_process
from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.server.studio.corpus_report import without_folders
from dragoman.server.studio.runs import RunIndex

RUNS = "/studio/api/runs"


@pytest.fixture
def folder(runs, tmp_path):
    """Give a folder with a copy of a run, to be changed at will."""
    shutil.copytree(runs / "tiny", tmp_path / "runs" / "tiny")
    return tmp_path / "runs"


@pytest.fixture
def index(folder):
    return RunIndex(folder, lambda: set())


def by_name(runs):
    return {one["name"]: one for one in runs.summaries()}


def test_every_run_is_listed_with_its_kind_state_and_score(studio, runs):
    answer = studio.get(RUNS)
    assert answer.status == 200
    told = {one["name"]: one for one in answer.json["runs"]}
    kinds = {name: one["kind"] for name, one in told.items()}
    assert kinds == {
        "tiny": "translation",
        "clip": "image-text",
        "sorter": "text-classification",
        "shapes": "image-classification",
    }
    assert {one["state"] for one in told.values()} == {"finished"}
    assert all(one["served"] for one in told.values())
    assert (told["tiny"]["step"], told["tiny"]["steps"]) == (40, 40)
    scores = {name: one["score"]["name"] for name, one in told.items()}
    assert scores["tiny"] == "chrF"
    assert scores["sorter"] == scores["shapes"] == "accuracy"
    assert scores["clip"] == "recall@10"
    assert {one["score"]["set"] for one in told.values()} == {"validation"}
    assert abs(told["tiny"]["updated"] - time.time()) < 24 * 3600


def test_a_run_tells_all_of_itself(studio, runs):
    told = studio.get(f"{RUNS}/tiny").json
    rows = read_log(runs / "tiny" / "metrics.jsonl")
    assert told["rows"] == rows
    assert told["next"] == len(rows)
    assert told["restarted"] is False
    assert told["samples"] == rows[-1]["samples"]
    assert told["card"].startswith("# tiny")
    assert "[training]" in told["recipe"]
    assert told["pairs"]["train"] == 300
    report = json.loads((runs / "tiny" / "data" / "doctor.json").read_text())
    assert [one["finding"] for one in told["findings"]] == [
        one["finding"] for one in report["findings"]
    ]


def test_nobody_learns_where_files_lie(studio, runs):
    for name in ("tiny", "clip", "sorter", "shapes"):
        answer = studio.get(f"{RUNS}/{name}")
        assert answer.status == 200
        assert str(runs.parent).encode() not in answer.body


def test_of_a_way_to_a_file_only_its_name_is_left():
    told = '3 lines (first at /home/me/my/a.tsv:3), train = ["/data/b.tsv"], https://x.org/a/b, 1/2'
    left = '3 lines (first at a.tsv:3), train = ["b.tsv"], https://x.org/a/b, 1/2'
    assert without_folders(told) == left


@pytest.mark.parametrize(
    "name", ["nobody", "..", "..%2Ftiny", "%2e%2e", "tiny%00", ".hidden", "%FF"]
)
def test_a_name_that_no_scan_has_found_is_unknown(studio, name):
    answer = studio.get(f"{RUNS}/{name}")
    assert answer.status == 404
    assert isinstance(answer.json["error"], str)


@pytest.mark.parametrize("after", ["NaN", "-1", "x", "9" * 5000, "1e3", ""])
def test_a_line_that_is_no_number_is_refused(studio, after):
    assert studio.get(f"{RUNS}/tiny?after={after}").status == 422


def test_only_what_is_new_is_told_and_half_a_line_waits(folder, index):
    log = folder / "tiny" / "metrics.jsonl"
    known = index.describe("tiny", 0)["next"]
    assert index.describe("tiny", known)["rows"] == []
    with log.open("a", encoding="utf-8") as stream:
        stream.write('{"kind": "train", "step": 45, "loss": 1.5}\n{"kind": "train", "st')
        stream.flush()
        told = index.describe("tiny", known)
        assert [row["step"] for row in told["rows"]] == [45]
        assert told["next"] == known + 1
        stream.write('ep": 50, "loss": 1.25}\n')
    told = index.describe("tiny", known + 1)
    assert told["rows"] == [{"kind": "train", "step": 50, "loss": 1.25}]
    assert (told["next"], told["step"]) == (known + 2, 50)


def test_a_log_that_is_begun_again_is_told_from_its_first_line(folder, index):
    log = folder / "tiny" / "metrics.jsonl"
    lines = log.read_text(encoding="utf-8").splitlines(keepends=True)
    assert index.describe("tiny", 0)["next"] == len(lines)
    beside = log.with_suffix(".new")
    beside.write_text("".join(lines[:3]), encoding="utf-8")
    os.replace(beside, log)
    told = index.describe("tiny", len(lines))
    assert (told["restarted"], told["next"], len(told["rows"])) == (True, 3, 3)
    assert index.describe("tiny", 3)["restarted"] is False
    log.write_text(lines[0], encoding="utf-8")  # shorter, but the same file
    assert index.describe("tiny", 3)["next"] == 1


def test_numbers_that_are_none_and_lines_that_are_no_lines_can_be_sent(folder, open_studio):
    known = len(read_log(folder / "tiny" / "metrics.jsonl"))
    with (folder / "tiny" / "metrics.jsonl").open("ab") as stream:
        stream.write(b'{"kind": "train", "step": 41, "loss": NaN, "rate": 1e999, "x": -Infinity}\n')
        stream.write(b'{"kind": "train", "step": true}\n[1]\n\xff\xfe\n' + b"[" * 90_000 + b"\n")
        stream.write(b'{"kind": "train", "step": 42, "name": "\\ud800", "deep": [[[]]]}\n')
        stream.write(b'{"kind": "validation", "step": 43, "samples": [1, {"source": 2}, null]}\n')
    answer = open_studio(runs=folder).get(f"{RUNS}/tiny?after={known}")
    assert answer.status == 200
    assert answer.json["rows"] == [
        {"kind": "train", "step": 41, "loss": None, "rate": None, "x": None},
        {"kind": "train", "step": 42, "name": "?", "deep": None},
        {
            "kind": "validation",
            "step": 43,
            "samples": [{"source": "2", "reference": "", "output": ""}],
        },
    ]
    assert answer.json["next"] == known + 7


def test_states_follow_from_the_lock_the_log_and_the_recipe(folder, index):
    run = folder / "tiny"
    assert by_name(index)["tiny"]["state"] == "finished"
    with only_process(run):
        assert by_name(index)["tiny"]["state"] == "training"
        assert index.describe("tiny", 0)["state"] == "training"
    rows = (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (run / "metrics.jsonl").write_text("".join(rows[:2]), encoding="utf-8")
    assert by_name(index)["tiny"]["state"] == "stopped"
    (run / "metrics.jsonl").unlink()
    assert by_name(index)["tiny"]["state"] == "new"
    assert by_name(index)["tiny"]["step"] == 0


def test_a_run_that_patience_ended_is_finished(folder, index):
    run = folder / "tiny"
    recipe = (run / "recipe.toml").read_text(encoding="utf-8")
    write_checked(run / "recipe.toml", recipe.replace("patience = 0", "patience = 2"))
    rows = (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (run / "metrics.jsonl").write_text("".join(rows[:2]), encoding="utf-8")
    (run / "card.md").touch()
    assert by_name(index)["tiny"]["state"] == "finished"


def test_to_look_at_a_run_never_keeps_it_from_training(folder, index):
    for _ in range(200):
        with only_process(folder / "tiny"):
            assert by_name(index)["tiny"]["state"] == "training"
        assert by_name(index)["tiny"]["state"] == "finished"


def test_damaged_and_foreign_folders_break_nothing(folder, index, tmp_path):
    (folder / "letters").mkdir()
    (folder / "notes.txt").write_text("hello")
    (folder / ".hidden").mkdir()
    (folder / ".hidden" / "recipe.toml").write_text("")
    recipes = {
        "empty": b"",
        "odd": b"\xff\x00",
        "deep": b"a = " + b"[" * 5000,
        "large": b"#" * 10**6,
    }
    for name, content in recipes.items():
        (folder / name).mkdir()
        (folder / name / "recipe.toml").write_bytes(content)
    outside = shutil.copytree(folder / "tiny", tmp_path / "outside")
    (folder / "link").symlink_to(outside)
    (folder / "linked-recipe").mkdir()
    (folder / "linked-recipe" / "recipe.toml").symlink_to(outside / "recipe.toml")
    os.mkfifo(folder / "letters" / "recipe.toml")
    shutil.copytree(folder / "tiny", folder / "pipes")
    for name in ("metrics.jsonl", "card.md", "scores.json", ".lock"):
        (folder / "pipes" / name).unlink(missing_ok=True)
        os.mkfifo(folder / "pipes" / name)
    os.mkdir(os.fsencode(folder) + b"/\xff\xfe")
    states = {name: one["state"] for name, one in by_name(index).items()}
    assert states == {"tiny": "finished", "pipes": "new", **dict.fromkeys(recipes, "damaged")}
    for name in states:
        assert json.dumps(index.describe(name, 0))
    for name in ("link", "letters", "notes.txt", "linked-recipe", ".hidden", "../outside"):
        assert index.describe(name, 0) is None


def test_damage_inside_a_run_is_passed_over(folder, index):
    run = folder / "tiny"
    (run / "scores.json").write_text('{"test": 5}')
    (run / "data" / "split.json").write_text('{"findings": 7, "test_pairs": []}')
    (run / "data" / "doctor.json").write_text('{"format": "dragoman-check", "version": 1}')
    (run / "card.md").write_bytes(b"\xff\xfe")
    told = index.describe("tiny", 0)
    assert (told["findings"], told["notes"], told["pairs"]) == ([], [], {})
    assert (told["score"]["name"], told["score"]["set"]) == ("chrF", "validation")
    (run / "scores.json").write_text('{"test": {"scores": {"chrf": {"value": 50}}}}')
    assert index.describe("tiny", 0)["score"] == {"name": "chrF", "value": 50, "set": "test"}


def test_a_folder_where_the_recipe_should_be_is_no_run(folder, index):
    recipe = folder / "tiny" / "recipe.toml"
    recipe.unlink()
    recipe.mkdir()
    assert "tiny" not in by_name(index)
    assert index.describe("tiny", 0) is None


def test_without_a_folder_there_are_no_runs(open_studio):
    studio = open_studio()
    assert studio.get(RUNS).json == {"runs": []}
    assert studio.get(f"{RUNS}/tiny").status == 404
    assert studio.get("/studio/api/experiments").json == []


def test_a_training_can_be_watched_while_it_runs(open_studio, tiny, tmp_path):
    place = tmp_path / "live"
    place.mkdir()
    studio = open_studio(runs=place)
    command = f"""
from pathlib import Path
from dragoman.trainer import train
train(Path({str(tiny.recipe)!r}), ["training.steps=4000"], folder=Path({str(place / "run")!r}))
"""
    training = subprocess.Popen([sys.executable, "-c", command], stderr=subprocess.DEVNULL)
    try:
        rows, following = [], 0
        until = time.monotonic() + 120
        while len(rows) < 4 and time.monotonic() < until:
            answer = studio.get(f"{RUNS}/run?after={following}")
            if answer.status == 200:
                rows += answer.json["rows"]
                following = answer.json["next"]
            time.sleep(0.05)
        assert answer.json["state"] == "training"
        assert answer.json["steps"] == 4000
        assert [row["step"] for row in rows] == sorted(row["step"] for row in rows)
    finally:
        training.terminate()
        training.wait(60)
    told = studio.get(f"{RUNS}/run?after=0").json
    assert told["state"] == "stopped"
    assert told["rows"][: len(rows)] == rows
