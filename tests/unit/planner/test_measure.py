"""Measured steps are those of a training: any task, with the FLOPs and memory of its batches."""

import pytest

from dragoman.config.reading import find_recipe, read_recipe
from dragoman.core.console import console
from dragoman.data.corpus.corpus import open_corpus
from dragoman.planner import facts
from dragoman.planner.measure import PROGRAM, resident, sample_run


def test_steps_a_validation_and_a_checkpoint_of_a_translator_are_measured(recipe, monkeypatch):
    read = read_recipe(recipe)
    with sample_run(read) as all_pairs:
        whole = all_pairs.measure(read, 0.01).speed
    monkeypatch.setattr(facts.sample, "__defaults__", (100,))
    pairs = open_corpus(read.corpus, read.seed).train_pairs
    with sample_run(read) as sample:
        assert sample.share == pytest.approx(100 / pairs, rel=0.3)
        found = sample.measure(read, 0.05, whole=True)
        batches = sample.measure(read, 0.01).batches.shapes
    speed = found.speed
    assert min(speed.seconds, speed.validation, speed.checkpoint, speed.flops) > 0
    assert 0 < speed.tokens <= read.batches.max_tokens
    assert speed.parameters == found.batches.parameters
    assert resident(speed) == PROGRAM + speed.memory
    assert max(one.batch * one.target_length for one in batches) <= read.batches.max_tokens
    assert speed.steps_per_epoch == pytest.approx(whole.steps_per_epoch, rel=0.25)
    assert not sample.folder.path.exists()
    assert not console.quiet


def test_a_task_that_is_no_translation_is_measured_the_same_way():
    recipe = read_recipe(
        find_recipe("arithmetic-cnn"), ["training.threads=1", "training.accumulate=2"]
    )
    with sample_run(recipe) as sample:
        found = sample.measure(recipe, 0.02)
    assert sample.share == 1
    assert found.speed.parameters == found.batches.parameters
    assert found.speed.flops == pytest.approx(2 * found.batches.flops)
    assert found.speed.validation == 0
