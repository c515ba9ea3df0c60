"""AlexNet, VGG and GoogLeNet, made small, through the one recipe and the one loop."""

import math

import numpy as np
import pytest
import torch
from PIL import Image

from dragoman import trainer
from dragoman.data.batching.image_sets import load_images
from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.tasks.image_classification.classifier import ImageClassifier
from dragoman.trainer import train

RECIPE = """
name = "known"
task.kind = "image-classification"
corpus = {kind = "images", train = "sides", size = 33, held_out = 0.2}
images.batch_size = 20
optimizer.learning_rate = 0.003
schedule = {kind = "constant", warmup_steps = 2}
training = {steps = 25, threads = 1, device = "cpu", log_every = 1, validate_every = 25}
"""
LARGE = "corpus.size=68"  # AlexNet shrinks a picture early
NETWORKS = {
    "alexnet": [
        "model={kind = 'alexnet', channels = [16, 24, 24, 24, 16], hidden_width = 32, "
        "dropout = 0.0}",
        LARGE,
    ],
    "alexnet in two towers": [
        "model={kind = 'alexnet', groups = 2, channels = [16, 24, 24, 24, 16], hidden_width = 32, "
        "dropout = 0.0}",
        LARGE,
    ],
    "vgg": ["model={kind = 'vgg', depth = 11, width = 8, hidden_width = 32, dropout = 0.0}"],
    "googlenet": [
        "model={kind = 'googlenet', width = 8, stem = 'small', dropout = 0.0, "
        "auxiliary_dropout = 0.0}",
        "corpus.size=12",
    ],
}


def draw_sides(folder):
    """Noise that is bright in its upper half, or in its lower one."""
    drawn = np.random.default_rng(3)
    for name, half in (("above", slice(0, 16)), ("below", slice(16, 33))):
        (folder / name).mkdir(parents=True)
        for number in range(30):
            image = drawn.integers(0, 60, (33, 33, 3), dtype=np.uint8)
            image[half] += 180
            Image.fromarray(image).save(folder / name / f"{number}.png")


@pytest.mark.parametrize("name", NETWORKS)
def test_a_known_network_is_trained_by_a_recipe(name, tmp_path, monkeypatch):
    monkeypatch.setattr(trainer, "draw_curves", lambda rows, path, title: path.write_bytes(b""))
    torch.set_num_threads(1)
    draw_sides(tmp_path / "sides")
    (tmp_path / "known.toml").write_text(RECIPE)
    train(tmp_path / "known.toml", NETWORKS[name], folder=tmp_path / "run")
    rows = read_log(tmp_path / "run" / "metrics.jsonl")
    losses = [row["loss"] for row in rows if row["kind"] == "train"]
    assert losses[0] > 0.5 * math.log(2)
    assert losses[-1] < 0.5 * math.log(2)
    images = load_images(tmp_path / "run" / "data").test
    answers = ImageClassifier.load(tmp_path / "run").classify(np.asarray(images.images))
    right = [
        one.label == ("above", "below")[n] for one, n in zip(answers, images.classes, strict=True)
    ]
    assert np.mean(right) > 0.8
