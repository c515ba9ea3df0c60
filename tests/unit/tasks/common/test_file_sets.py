"""A file that is called like a run's own test set is stored beside it, whatever the task."""

import json
import shutil
from hashlib import sha256
from pathlib import Path

import pytest

import dragoman

STORED = Path(dragoman.__file__).parents[2] / "tests/golden/run-v2"
FILES = {
    "language": "test.txt",
    "masked": "test.txt",
    "spans": "test.txt",
    "classification": "test.tsv",
}


@pytest.mark.parametrize("name", FILES)
def test_the_scores_of_the_own_set_stay(name, tmp_path):
    run = shutil.copytree(STORED / name, tmp_path / name)
    dragoman.evaluate(run)
    before = json.loads((run / "scores.json").read_text())
    mine = tmp_path / "mine" / FILES[name]
    mine.parent.mkdir()
    lines = (run / "data" / FILES[name]).read_text().splitlines(keepends=True)
    mine.write_text("".join(lines[: len(lines) // 2]))
    (found,) = dragoman.evaluate(run, [mine])
    assert found.name == "mine-test"
    after = json.loads((run / "scores.json").read_text())
    assert [*after] == ["test", "mine-test"]
    assert after["test"] == before["test"] != after["mine-test"]
    digest = sha256(mine.read_bytes()).hexdigest()
    assert after["mine-test"]["files"] == [{"path": str(mine), "sha256": digest}]
    assert f"- mine-test: {mine.name} (SHA-256 {digest[:12]}…)" in (run / "card.md").read_text()
