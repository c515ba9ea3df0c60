"""The verbs one after the other, as real processes, with pipes."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

DRAGOMAN = [sys.executable, "-m", "dragoman"]
ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1"}


def test_train_translate_and_evaluate_follow_each_other(command, recipe):
    home = recipe.parent
    code, said = command(home, "train", recipe, "training.steps=10")
    assert code == 0, said
    assert (home / "runs/tiny/model.safetensors").is_file()
    (home / "in.txt").write_bytes(b"sun moon\n\nsea\xff")
    code, said = command(
        home, "translate", "runs/tiny", input=str(home / "in.txt"), output=str(home / "out.txt")
    )
    assert code == 0, said
    lines = (home / "out.txt").read_text(encoding="utf-8").split("\n")
    assert (len(lines), lines[1], lines[3]) == (4, "", "")
    assert "stdin:3: is not valid UTF-8" in said
    shutil.copytree(Path(__file__).parents[1] / "golden" / "run-v1", home / "runs" / "old")
    code, said = command(
        home, "evaluate", "runs/old", "--beam", "1", "--json", output=str(home / "scores.json")
    )
    assert code == 0, said
    (scores,) = json.loads((home / "scores.json").read_text())
    assert scores["sentences"] == 20
    code, said = command(home, "train", recipe, "training.steps=10")
    assert (code, said.count("\n")) == (0, 3)
    assert "this run is finished" in said
    assert said.endswith(
        "next:  dragoman evaluate runs/tiny\nnext:  dragoman translate runs/tiny < FILE\n"
    )


def test_one_model_for_both_directions_is_trained_asked_and_judged(command, recipe):
    home = recipe.parent
    names = ["corpus.source_language=north", "corpus.target_language=south"]
    code, said = command(home, "train", recipe, "training.steps=5", "corpus.both_ways=true", *names)
    assert code == 0, said
    assert "20 to test (north_south), 20 to test (south_north)" in said
    (home / "in.txt").write_bytes(b"sun moon\n\nsea\n")
    places = {"input": str(home / "in.txt"), "output": str(home / "out.txt")}
    code, said = command(home, "translate", "runs/tiny", "--to", "south", **places)
    assert code == 0, said
    assert (home / "out.txt").read_text(encoding="utf-8").count("\n") == 3
    code, said = command(home, "translate", "runs/tiny", **places)
    assert (code, said.count("\n")) == (2, 1)
    assert "this model writes north and south; say which with --to" in said
    code, said = command(
        home, "evaluate", "runs/tiny", "--beam", "1", "--json", output=str(home / "scores.json")
    )
    assert code == 0, said
    scores = json.loads((home / "scores.json").read_text())
    assert [one["name"] for one in scores] == ["north_south,beam=1", "south_north,beam=1"]


def test_a_reader_that_leaves_early_is_no_trouble(tiny, tmp_path):
    source = tmp_path / "in.txt"
    source.write_text("sun moon\n" * 5000)
    line = f"{' '.join(DRAGOMAN)} translate {tiny.run} --beam 1 < {source} | head -1"
    done = subprocess.run(
        line, shell=True, env=ENVIRONMENT, capture_output=True, text=True, timeout=120
    )
    assert done.stdout.count("\n") == 1
    said = done.stderr.splitlines()
    assert [line for line in said if not line.startswith("translating: ")] == []


def test_help_into_a_closed_pipe_is_no_trouble():
    line = f"{' '.join(DRAGOMAN)} show | true"
    done = subprocess.run(line, shell=True, capture_output=True, text=True, timeout=60)
    assert done.stderr == ""


def test_a_bug_shows_its_traceback_and_is_not_called_a_mistake():
    code = "from dragoman.cli import main as m; m.app = lambda: 1 / 0; m.main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stderr
    assert "Traceback" in done.stderr
