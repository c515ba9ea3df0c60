"""Classifiers of pictures through the one recipe and the one loop, on shapes that are drawn."""

import json
import shutil
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from PIL import Image

from dragoman import trainer
from dragoman.config.training import ObjectiveSettings
from dragoman.core.errors import CheckpointError, ConfigError, DataError
from dragoman.data.batching.image_sets import load_images
from dragoman.data.batching.images import ImageBatch
from dragoman.engine.build import build_image_model
from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.engine.checkpoint.weights import read_weights, write_weights
from dragoman.neural.optim.average import WeightAverage
from dragoman.tasks.common.card import stored_scores
from dragoman.tasks.common.pixels import as_read
from dragoman.tasks.image_classification.classifier import ImageClassifier
from dragoman.tasks.image_classification.evaluate import evaluate_images
from dragoman.tasks.image_classification.objective import AUXILIARY, ImageClassificationObjective
from dragoman.tasks.image_classification.report import REPORT
from dragoman.tasks.text_classification.classifier import Classifier
from dragoman.trainer import train

RECIPE = """
name = "shapes"
seed = 3

[task]
kind = "image-classification"

[corpus]
kind = "shapes"
images = 240
held_out = 40
size = 12

[images]
batch_size = 24
shift = 1
horizontal_flip = true
cutout = 2

[objective]
label_smoothing = 0.1

[optimizer]
learning_rate = 0.01

[schedule]
kind = "cosine"
warmup_steps = 3

[training]
steps = 60
threads = 1
device = "cpu"
log_every = 5
validate_every = 30
checkpoint_every = 10
best_metric = "accuracy"
ema_decay = 0.9
"""
NETWORKS = {
    "cnn": ["model={kind = 'cnn', channels = [8, 16], hidden_width = 32}"],
    "resnet": ["model={kind = 'resnet', stages = [1, 1], width = 8}", "training.steps=30"],
    "vit": [
        "model={kind = 'vit', patch = 4, width = 16, layers = 1, heads = 2, ffn_width = 16}",
        "training.steps=30",
    ],
}


@pytest.fixture(autouse=True, scope="module")
def _no_pictures():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trainer, "draw_curves", lambda rows, path, title: path.write_bytes(b""))
        yield


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """Train each network once; do not change their folders."""
    folder = tmp_path_factory.mktemp("images")
    (folder / "shapes.toml").write_text(RECIPE, encoding="utf-8")
    torch.set_num_threads(1)
    for name, changes in NETWORKS.items():
        train(folder / "shapes.toml", changes, folder=folder / name)
    run = {name: folder / name for name in NETWORKS}
    return SimpleNamespace(recipe=folder / "shapes.toml", run=run)


@pytest.fixture
def run(seen, tmp_path):
    """Give a copy of a trained run, to be changed at will."""
    return shutil.copytree(seen.run["cnn"], tmp_path / "run")


def test_a_network_learns_what_it_sees(tmp_path):
    """Nothing in the brightness of a channel tells these apart, but where it is bright does."""
    for name in ("left", "right"):
        (tmp_path / "sides" / name).mkdir(parents=True)
        for number in range(40):
            image = np.zeros((12, 12), np.uint8)
            half = image[:, :6] if name == "left" else image[:, 6:]
            half[number % 12] = 100 + 3 * number
            Image.fromarray(image).save(tmp_path / "sides" / name / f"{number}.png")
    model = "[model]\nkind = 'cnn'\nchannels = [8]\nhidden_width = 16\ndropout = 0.0\n"
    recipe = start_from("", tmp_path / "sides", "").replace(
        '[start]\nfrom = ""\nmethod = ""\n', model
    )
    (tmp_path / "sides.toml").write_text(recipe)
    train(tmp_path / "sides.toml", folder=tmp_path / "run")
    (judged,) = evaluate_images(tmp_path / "run")
    assert judged.accuracy == 1.0
    assert judged.baseline.accuracy == 0.5


def test_scores_are_kept_and_the_card_tells_them(run):
    (judged,) = evaluate_images(run)
    assert (judged.texts, judged.unit) == (40, "images")
    stored = stored_scores(SimpleNamespace(scores=run / "scores.json"), REPORT)["test"]
    assert stored["accuracy"] == judged.accuracy
    card = (run / "card.md").read_text("utf-8")
    assert "classifies images into" in card
    assert "| test | 40 |" in card
    assert "nats per image" in card


def test_the_order_of_colors_in_memory_changes_no_answer(seen, tmp_path):
    classifier = ImageClassifier.load(seen.run["resnet"], device="cpu")
    images = np.asarray(load_images(seen.run["resnet"] / "data").test.images[:8])
    both = [
        classifier.model(
            as_read(images, classifier.pixels, torch.device("cpu"), channels_last=last)
        )
        for last in (True, False)
    ]
    torch.testing.assert_close(*both, rtol=1e-4, atol=1e-5)


def test_pictures_in_files_get_the_answers_of_their_pixels(run, tmp_path):
    classifier = ImageClassifier.load(run)
    images = np.asarray(load_images(run / "data").test.images[:6])
    paths = [tmp_path / f"{number}.png" for number in range(6)]
    for path, image in zip(paths, images, strict=True):
        Image.fromarray(image).save(path)
    found = classifier.classify_files(paths)
    assert found == classifier.classify(images)
    assert all(sum(one.probabilities.values()) == pytest.approx(1) for one in found)
    assert classifier.classify_files([]) == []


def test_the_command_classifies_pictures(dragoman, run, tmp_path):
    image = load_images(run / "data").test.images[0]
    Image.fromarray(np.asarray(image)).save(tmp_path / "a.png")
    code, out, err = dragoman("classify", run, tmp_path / "a.png", "--json")
    assert code == 0, err
    answer = json.loads(out)
    assert answer["label"] == ImageClassifier.load(run).classify(np.stack([image]))[0].label
    (tmp_path / "b.png").write_bytes(b"nothing")
    code, _, err = dragoman("classify", run, tmp_path / "b.png")
    assert code == 2
    assert "b.png: is not a picture" in err
    assert len(err.splitlines()) == 1


def test_the_command_evaluates_on_folders(dragoman, run, tmp_path):
    sets = load_images(run / "data")
    names = list(sets.classes)
    for name in names:
        (tmp_path / "exam" / name).mkdir(parents=True)
    for place, (image, number) in enumerate(zip(sets.test.images, sets.test.classes, strict=True)):
        Image.fromarray(np.asarray(image)).save(tmp_path / f"exam/{names[number]}/{place}.png")
    code, out, err = dragoman("evaluate", run, tmp_path / "exam", "--json")
    assert code == 0, err
    code, own, err = dragoman("evaluate", run, "--json")
    first, second = (json.loads(one)[0] for one in (out, own))
    assert first["accuracy"] == second["accuracy"]
    assert (first["name"], second["name"]) == ("exam", "test")
    code, out, _ = dragoman("evaluate", run)
    assert "test: 40 images, accuracy" in out


def test_validation_tells_how_the_pictures_are_sorted(seen):
    judged = [
        row for row in read_log(seen.run["cnn"] / "metrics.jsonl") if row["kind"] == "validation"
    ]
    assert [row["step"] for row in judged] == [30, 60]
    assert all({"accuracy", "macro_f1", "majority", "loss"} <= set(row) for row in judged)


def test_a_run_does_only_what_it_was_made_for(run):
    with pytest.raises(
        ConfigError, match="task.kind = 'image-classification' and cannot classify. Use it with"
    ):
        Classifier.load(run)


def test_weights_without_what_is_known_of_pixels_are_refused(run):
    stored = read_weights(run / "model.safetensors")
    notes = {key: note for key, note in stored.notes.items() if key not in ("pixels", "format")}
    write_weights(run / "model.safetensors", stored.tensors, notes)
    with pytest.raises(DataError, match="what is said of its pixels is damaged"):
        ImageClassifier.load(run)


def test_weights_of_another_number_of_classes_are_refused(run):
    stored = read_weights(run / "model.safetensors")
    notes = {**stored.notes, "classes": '["a", "b"]'}
    write_weights(run / "model.safetensors", stored.tensors, notes)
    with pytest.raises(CheckpointError, match="output.weight has shape"):
        ImageClassifier.load(run)


def write_folders(folder, colors):
    for name, color in colors.items():
        (folder / name).mkdir(parents=True)
        for number in range(12):
            shade = tuple(min(255, part + 3 * number) for part in color)
            Image.new("RGB", (12, 12), shade).save(folder / name / f"{number}.png")


def start_from(base, folder, how):
    return f"""
name = "colours"
seed = 5
[task]
kind = "image-classification"
[corpus]
kind = "images"
train = "{folder}"
size = 12
[start]
from = "{base}"
method = "{how}"
[optimizer]
learning_rate = 0.02
[schedule]
kind = "constant"
warmup_steps = 0
[training]
steps = 25
threads = 1
device = "cpu"
validate_every = 25
checkpoint_every = 25
"""


@pytest.mark.parametrize("how", ["full", "frozen"])
def test_a_network_goes_on_with_other_classes(seen, tmp_path, how):
    write_folders(tmp_path / "colours", {"dark": (0, 20, 40), "light": (220, 200, 160)})
    base = seen.run["resnet"]
    (tmp_path / "colours.toml").write_text(start_from(base, tmp_path / "colours", how))
    train(tmp_path / "colours.toml", folder=tmp_path / "run")
    before, after = (read_weights(run / "model.safetensors") for run in (base, tmp_path / "run"))
    changed = {
        name
        for name, tensor in after.tensors.items()
        if tensor.shape != before.tensors[name].shape
        or not torch.equal(tensor, before.tensors[name])
    }
    assert json.loads(after.notes["classes"]) == ["dark", "light"]
    if how == "frozen":  # not even what the batch norms remember
        assert changed == {"output.weight", "output.bias"}
    else:
        assert len(changed) == len(after.tensors)
    (judged,) = evaluate_images(tmp_path / "run")
    assert judged.accuracy == 1.0


def test_auxiliary_heads_count_less_and_only_while_training():
    class TwoHeads(torch.nn.Module):
        def heads(self, images):
            scores = torch.tensor([[2.0, 0.0]]).expand(len(images), 2)
            return (scores, -scores) if self.training else (scores,)

    pixels = SimpleNamespace(deviation=(1.0,), mean=(0.0,))
    task = ImageClassificationObjective(TwoHeads(), ObjectiveSettings(label_smoothing=0.0), pixels)
    batch = ImageBatch(np.zeros((3, 2, 2, 1), np.uint8), np.zeros(3, np.int64), np.arange(3))
    right, wrong = np.log(1 + np.exp(-2)), np.log(1 + np.exp(2))
    loss = task.loss(batch, torch.device("cpu"))
    assert loss.smoothed.item() == pytest.approx(3 * (right + AUXILIARY * wrong), rel=1e-5)
    assert loss.nats.item() == pytest.approx(3 * right, rel=1e-5)
    task.model.eval()
    assert task.loss(batch, torch.device("cpu")).smoothed.item() == pytest.approx(
        3 * right, rel=1e-5
    )


def test_an_average_of_weights_takes_the_statistics_of_batch_norms_along(seen):
    from dragoman.config.vision import ResNetSettings

    model = build_image_model(ResNetSettings(stages=(1,), width=4), 1, 8, 2, seed=1)
    average = WeightAverage(model, 0.9)
    model.train()
    model(torch.randn(4, 1, 8, 8) + 5)
    average.update(model)
    own = {name: kept.clone() for name, kept in model.named_buffers()}
    average.swap(model)
    moved = [n for n, kept in model.named_buffers() if "mean" in n and not kept.equal(own[n])]
    assert moved
    average.swap(model)
    assert all(kept.equal(own[name]) for name, kept in model.named_buffers())
