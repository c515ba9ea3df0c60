"""How often the decoder is told the right word, from the recipe to the last step."""

import pytest
import torch

from dragoman.config.reading import read_recipe
from dragoman.config.training import ObjectiveSettings
from dragoman.core.errors import ConfigError
from dragoman.data.batching.stream import BatchStream, Position
from dragoman.engine.build import build_model
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.training.loop import TrainingPlan
from dragoman.engine.training.loop import train as take_steps
from dragoman.neural.optim.optimizer import build_optimizer
from dragoman.tasks.common.teacher_forcing import SequenceToSequenceObjective
from dragoman.tasks.translation.prepare import prepare

RECURRENT = 'model={kind = "recurrent", cell = "gru", width = 16, context = "general"}'
MIXED = [RECURRENT, "objective.teacher_forcing=0.9", "objective.teacher_forcing_end=0.1"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            ["objective.teacher_forcing=0.5"],
            "teacher_forcing = 0.5 is for recurrent models; a 'transformer' sees",
        ),
        (
            ["objective.teacher_forcing_end=0.0"],
            "Leave teacher_forcing_end out or set model.kind = 'recurrent'.",
        ),
    ],
)
def test_a_model_that_sees_the_whole_target_cannot_run_free(recipe, changes, said):
    with pytest.raises(ConfigError) as error:
        read_recipe(recipe, changes)
    assert str(error.value).startswith(f"{recipe}: objective: teacher_forcing")
    assert said in str(error.value)
    assert read_recipe(recipe, [RECURRENT, *changes]).model.kind == "recurrent"
    assert read_recipe(recipe, ["objective.teacher_forcing=1.0"]).objective.teacher_forcing == 1.0


@pytest.mark.parametrize(
    ("objective", "shares"),
    [
        (ObjectiveSettings(), [1.0, 1.0, 1.0]),
        (ObjectiveSettings(teacher_forcing=0.25), [0.25, 0.25, 0.25]),
        (ObjectiveSettings(teacher_forcing_end=0.0), [1.0, 0.5, 0.0]),
        (ObjectiveSettings(teacher_forcing=0.0, teacher_forcing_end=0.5), [0.0, 0.25, 0.5]),
    ],
)
def test_the_share_goes_from_the_first_to_the_last_in_a_straight_line(objective, shares):
    task = SequenceToSequenceObjective(None, objective)
    for progress, share in zip((0.0, 0.5, 1.0), shares, strict=True):
        task.progress = progress
        assert task.forced == pytest.approx(share)


@pytest.fixture
def prepared(recipe, tmp_path):
    settings = read_recipe(recipe, [*MIXED, "training.steps=5"])
    run = RunFolder(tmp_path / "run")
    run.path.mkdir()
    ready = prepare(run, settings)
    model = build_model(settings.model, ready.tokenizer, 1)
    stream = BatchStream(ready.store, settings.batches, 1).at(Position())
    yield settings, SequenceToSequenceObjective(model, settings.objective), stream
    stream.close()


def test_the_loop_tells_the_task_how_far_training_is(prepared):
    settings, task, stream = prepared
    optimizer = build_optimizer(task.model, settings.optimizer)
    plan = TrainingPlan(settings.training, settings.schedule, 1e-3, 1, torch.device("cpu"))
    told = []
    watchers = [lambda report: told.append((report.step, task.progress, task.forced))]
    take_steps(task, stream, optimizer, None, plan, watchers)
    assert told == [
        pytest.approx(row)
        for row in [(1, 0, 0.9), (2, 0.25, 0.7), (3, 0.5, 0.5), (4, 0.75, 0.3), (5, 1, 0.1)]
    ]


def test_validation_is_always_told_the_right_word(prepared):
    settings, task, stream = prepared
    batch, _ = next(stream)
    plain = SequenceToSequenceObjective(task.model, ObjectiveSettings())
    device = torch.device("cpu")
    task.progress = 1.0
    task.model.eval()
    assert torch.equal(task.loss(batch, device).nats, plain.loss(batch, device).nats)
    task.model.train()
    torch.manual_seed(1)
    mixed = task.loss(batch, device).nats
    torch.manual_seed(1)
    assert not torch.equal(mixed, plain.loss(batch, device).nats)


def test_a_run_with_scheduled_sampling_that_was_cut_off_resumes_exactly(recipe, resumes_exactly):
    resumes_exactly(recipe, [*MIXED, "training.steps=16"], 11)
