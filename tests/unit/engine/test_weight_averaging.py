"""The mean of the best weights, taken when a run is handed on."""

import json
import shutil

import pytest
import torch

from dragoman.core.errors import CheckpointError
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.weight_averaging import weights_to_use
from dragoman.engine.checkpoint.weights import read_weights


def test_without_a_wish_the_weights_are_the_run_s_own(tiny):
    folder = RunFolder(tiny.run)
    found, wanted = weights_to_use(folder), read_weights(folder.model)
    assert found.notes == wanted.notes
    assert all(found.tensors[name].equal(one) for name, one in wanted.tensors.items())


def test_the_average_is_the_mean_of_the_best(run):
    folder = RunFolder(run)
    best = [read_weights(path).tensors for path in sorted(folder.best.iterdir())]
    found = weights_to_use(folder, average=True)
    assert len(best) == 2
    assert sorted(found.notes["averaged"].split(",")) == ["20", "40"]
    assert found.notes["longest_source"] == read_weights(folder.model).notes["longest_source"]
    for name, one in found.tensors.items():
        torch.testing.assert_close(one, (best[0][name] + best[1][name]) / 2)


def test_weights_that_are_no_longer_among_the_best_are_left_out(run):
    """A file may lie there a while longer, for a resume."""
    folder = RunFolder(run)
    shutil.copyfile(folder.best / "step-20.safetensors", folder.best / "step-7.safetensors")
    assert sorted(weights_to_use(folder, average=True).notes["averaged"].split(",")) == ["20", "40"]


def test_without_a_state_all_that_is_there_counts(run):
    folder = RunFolder(run)
    shutil.rmtree(folder.states)
    assert weights_to_use(folder, average=True).notes["averaged"] == "20,40"


def test_a_damaged_state_tells_nothing(run):
    folder = RunFolder(run)
    for state in folder.states.iterdir():
        (state / "progress.json").write_text(json.dumps({"watchers": []}))
    assert weights_to_use(folder, average=True).notes["averaged"] == "20,40"


def test_one_alone_is_no_average(run):
    folder = RunFolder(run)
    (folder.best / "step-20.safetensors").unlink()
    with pytest.raises(CheckpointError, match="holds 1 of the best weights"):
        weights_to_use(folder, average=True)
