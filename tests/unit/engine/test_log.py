"""What the log says of the steps."""

import json
import math

import pytest

from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.trainer import train


def first_line(folder):
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return next(row for row in rows if row["kind"] == "train")


def test_tokens_are_those_of_the_target_and_the_loss_is_of_each_that_is_asked_for(recipe, tmp_path):
    lines = {}
    for asked in ("target", "both"):
        model = f'model={{kind = "decoder-only", width = 16, heads = 2, loss_on = "{asked}"}}'
        changes = [model, "training.steps=5", "training.validate_every=5"]
        train(recipe, changes, folder=tmp_path / asked)
        lines[asked] = first_line(tmp_path / asked)
    assert lines["both"]["tokens"] == lines["target"]["tokens"]
    for line in lines.values():  # a divisor too small by half would double it
        assert line["loss"] == pytest.approx(math.log(330), rel=0.25)


def test_a_line_with_half_a_character_is_passed_over(tmp_path):
    path = tmp_path / "metrics.jsonl"
    good = '{"kind": "train", "step": 1, "note": "\\ud83d\\ude00"}'
    path.write_text(good + "\n" + good.replace("\\ude00", "") + "\n")
    assert read_log(path) == [{"kind": "train", "step": 1, "note": "\U0001f600"}]
