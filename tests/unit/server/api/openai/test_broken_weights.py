"""A model whose weights give no numbers is refused, or answers that it cannot answer."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from tests.served import served

from dragoman.config.serving import ServingSettings
from dragoman.core.errors import CheckpointError, DivergedError
from dragoman.engine.checkpoint.weights import read_weights, write_weights
from dragoman.server.app import create_app
from dragoman.server.plan import ServerPlan
from dragoman.tasks.language_model.language_model import LanguageModel

GOLDEN = Path(__file__).parents[4] / "golden/run-v2/language"


@pytest.fixture
def language_model(tmp_path):
    """Give a function that copies a run with one number in all places of its last norm."""

    def spoil(number):
        shutil.copytree(GOLDEN, tmp_path / "run")
        stored = read_weights(tmp_path / "run/model.safetensors")
        name = next(one for one in sorted(stored.tensors) if one.startswith("last_norm"))
        tensors = {**stored.tensors, name: torch.full_like(stored.tensors[name], number)}
        write_weights(tmp_path / "run/model.safetensors", tensors, stored.notes)
        return tmp_path / "run"

    return spoil


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_run_whose_weights_are_not_finite_does_not_open(language_model, number):
    with pytest.raises(CheckpointError, match=r"last_norm\.\w+ holds numbers that are not finite"):
        LanguageModel.load(language_model(number), device="cpu")


def test_weights_beyond_measure_give_an_error_instead_of_nan(language_model):
    model = LanguageModel.load(language_model(3e38), device="cpu")
    with pytest.raises(DivergedError, match="score: the model's log-probabilities are not finite"):
        model.score(["one two three"])


def test_a_server_says_that_such_a_model_cannot_answer(language_model, tmp_path):
    settings = ServingSettings()
    plan = ServerPlan(settings, (language_model(3e38),), tmp_path / "served", threads=1)
    with served(create_app(plan), settings) as server:
        body = json.dumps({"model": "run", "prompt": "one two", "max_tokens": 3}).encode()
        kind = {"Content-Type": "application/json"}
        answer = server.ask("/v1/completions", method="POST", headers=kind, body=body)
    assert answer.status == 503
    assert b"its weights are damaged" in answer.body
