"""Autoencoders through the one recipe and the one loop, on shapes of eight by eight pixels."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from dragoman import trainer
from dragoman.config.autoencoder import AutoencoderSettings
from dragoman.config.task import AutoencodingTaskSettings
from dragoman.core.errors import ConfigError
from dragoman.data.batching.image_sets import load_images
from dragoman.data.batching.images import ImageBatch
from dragoman.data.batching.pixels import Pixels, normalize
from dragoman.data.corpus.generators.shapes import draw_shapes
from dragoman.engine.build import build_autoencoder
from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.engine.runtime import seed_everything
from dragoman.metrics.pca import fit_pca
from dragoman.tasks.autoencoding import evaluate as judging
from dragoman.tasks.autoencoding import pixel_rows
from dragoman.tasks.autoencoding.evaluate import score_reconstruction
from dragoman.tasks.autoencoding.objective import ReconstructionObjective, corrupt, corrupt_held_out
from dragoman.tasks.autoencoding.pixel_rows import PixelRows, error_of_the_mean, fit_image_pca
from dragoman.tasks.autoencoding.reconstructor import Reconstructor
from dragoman.trainer import train

A_TRANSLATOR = Path(__file__).parents[3] / "golden" / "run-v1"
CPU = torch.device("cpu")
RECIPE = """
name = "small"
task = {kind = "autoencoding", noise = 0.5, masked_share = 0.2}
corpus = {kind = "shapes", images = 120, held_out = 40, size = 8}
images.batch_size = 40
model = {kind = "autoencoder", form = "convolutional", widths = [8, 12], code = 5}
optimizer.learning_rate = 0.01
schedule = {kind = "cosine", warmup_steps = 2}

[training]
steps = 50
threads = 1
device = "cpu"
log_every = 25
validate_every = 25
checkpoint_every = 15
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    (folder / "small.toml").write_text(RECIPE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trainer, "draw_curves", lambda rows, path, title: path.write_bytes(b""))
        train(folder / "small.toml", folder=folder / "run")
    return folder / "run"


@pytest.fixture(scope="module")
def shapes():
    images = draw_shapes(160, 8, 1, noise=0.0).images.mean(axis=3, keepdims=True).astype(np.uint8)
    return images, Pixels.of(images)


def network(pixels, **changes):
    settings = AutoencoderSettings(**{"code": 4, **changes})
    return build_autoencoder(settings, pixels.channels, pixels.size, 1)


def batch_of(images, first=0):
    places = np.arange(first, first + len(images))
    return ImageBatch(images, np.zeros(len(images), np.int64), places)


def test_a_run_learns_and_is_judged_by_what_it_rebuilds(run):
    judged = [row for row in read_log(run / "metrics.jsonl") if row["kind"] == "validation"]
    assert judged[-1]["loss"] < judged[0]["loss"]
    sets = load_images(run / "data")
    mean = error_of_the_mean(sets.train.images, sets.valid.images, sets.pixels)
    assert judged[-1]["rebuilt"] == pytest.approx(1 - judged[-1]["loss"] / mean)
    assert judged[-1]["rebuilt"] > 0.3


def test_it_is_evaluated_beside_pca_and_drawn(dragoman, run):
    code, out, _ = dragoman("evaluate", run, "--json")
    assert code == 0
    [told] = json.loads(out)
    sets = load_images(run / "data")
    assert (told["pictures"], told["code"], told["components"], told["fitted"]) == (40, 5, 5, 120)
    rows = PixelRows(sets.test.images, sets.pixels)[0:40]
    pca = fit_pca(PixelRows(sets.train.images, sets.pixels), 5)
    lost = np.square(rows - pca.reconstruct(pca.transform(rows))).mean()
    assert told["errors"]["pca"] == pytest.approx(lost)
    assert told["errors"]["mean"] == pytest.approx(np.square(rows - pca.mean).mean())
    assert told["rebuilt"] == pytest.approx(1 - told["errors"]["network"] / told["errors"]["mean"])
    assert told["errors"]["given"] == 0
    assert told["spoilt"]["given"] > 0.2
    assert told["spoilt"]["network"] > told["errors"]["network"]
    with Image.open(run / "reconstructions.png") as picture:
        assert min(picture.size) > 500
    assert json.loads((run / "scores.json").read_text())["test"]["errors"] == told["errors"]


def test_the_card_says_what_it_is_and_how_well_it_does(dragoman, run, monkeypatch):
    monkeypatch.setattr(judging, "draw_rebuilt", lambda *_: None)
    code, out, _ = dragoman("evaluate", run)
    assert code == 0
    assert "PCA, 5 components, from corrupted" in out
    assert "reconstructions.png" in out
    card = (run / "card.md").read_text()
    assert "encodes an image as 5 values and reconstructs it, trained on 120 images" in card
    assert "| test | 40 | corrupted | 5 |" in card
    assert "mean squared error per pixel" in card
    assert "nats" not in card


def test_a_folder_of_pictures_is_tested_on_too(dragoman, run, tmp_path):
    folder = tmp_path / "more" / "test"
    dragoman("data", "make", "shapes", "--output", folder, "--number", 30, "--size", 8)
    code, out, _ = dragoman("evaluate", run, folder, "--json")
    assert code == 0
    [told] = json.loads(out)
    assert (told["name"], told["pictures"]) == ("more-test", 30)
    assert told["files"][0]["path"] == str(folder)


def test_codes_and_pictures_come_out_of_a_loaded_run(run):
    loaded = Reconstructor.load(run, device="cpu")
    images = load_images(run / "data").test.images
    codes = loaded.encode(images)
    assert codes.shape == (40, 5)
    rebuilt = loaded.rebuild(images)
    assert rebuilt.shape == images.shape
    assert rebuilt.dtype == np.uint8
    assert (loaded.decode(codes) == rebuilt).all()


def test_other_runs_rebuild_nothing(dragoman, run):
    with pytest.raises(ConfigError, match="cannot reconstruct images"):
        Reconstructor.load(A_TRANSLATOR)
    code, _, told = dragoman("classify", run, "x.png")
    assert code == 2
    assert "Use it with `dragoman evaluate`" in told


def test_the_loss_is_the_squared_error_of_every_pixel(shapes):
    images, pixels = shapes
    model = network(pixels).eval()
    task = ReconstructionObjective(model, AutoencodingTaskSettings(), pixels)
    loss = task.loss(batch_of(images[:5]), CPU)
    true = torch.from_numpy(normalize(images[:5], pixels))
    assert loss.smoothed.item() == pytest.approx((model(true) - true).square().sum().item())
    assert loss.positions == task.denominator(batch_of(images[:5])) == 5 * 64


def test_what_is_spoilt_follows_from_the_step_and_held_out_pictures_always_look_alike(shapes):
    images, pixels = shapes
    task = ReconstructionObjective(network(pixels), AutoencodingTaskSettings(noise=1.0), pixels)

    def loss(step):
        seed_everything(1, step)
        return task.loss(batch_of(images[:9], first=3), CPU).nats.item()

    task.model.train()
    assert loss(5) == loss(5) != loss(6)
    task.model.eval()
    assert loss(5) == loss(6)


def test_noise_has_its_deviation_and_hidden_pixels_are_hidden_in_every_color():
    images = torch.ones(64, 3, 16, 16)
    noisy = corrupt_held_out(images, AutoencodingTaskSettings(noise=0.7), 1)
    assert (noisy - images).std().item() == pytest.approx(0.7, rel=0.02)
    partly = corrupt_held_out(images, AutoencodingTaskSettings(masked_share=0.3), 1)
    assert (partly[:, :1] == partly).all()
    assert partly.eq(0).float().mean().item() == pytest.approx(0.3, abs=0.02)
    assert corrupt(images, AutoencodingTaskSettings()) is images


def test_no_linear_network_rebuilds_what_it_was_fitted_to_better_than_pca(shapes):
    images, pixels = shapes
    pca, fitted = fit_image_pca(images, pixels, 4)
    assert fitted == len(images)
    for tied in (False, True):
        errors = score_reconstruction(
            Reconstructor(network(pixels, tied=tied), pixels, CPU), pca, images
        )
        assert errors.network > errors.pca
    assert errors.pca == pytest.approx(pca.lost / 64)
    assert errors.mean == pytest.approx(pca.variances.sum() / 64)
    assert errors.given == 0
    exact = network(pixels, tied=True)
    with torch.no_grad():
        axes, mean = torch.from_numpy(pca.components), torch.from_numpy(pca.mean)
        exact.layers[0].weight.copy_(axes)
        exact.layers[0].bias.copy_(-(axes @ mean))
        exact.mirrored_layers[0].bias.copy_(mean)
    errors = score_reconstruction(Reconstructor(exact, pixels, CPU), pca, images)
    assert errors.network == pytest.approx(errors.pca, rel=1e-4)


def test_learning_from_spoilt_pictures_pays_where_pictures_are_spoilt(shapes):
    images, pixels = shapes
    learned, unseen = images[:120], images[120:]
    spoils = AutoencodingTaskSettings(noise=0.5, masked_share=0.2)
    pca, _ = fit_image_pca(learned, pixels, 12)
    errors = {}
    for name, settings in (("plain", AutoencodingTaskSettings()), ("denoising", spoils)):
        model = network(pixels, form="deep", widths=(48,), code=12)
        task = ReconstructionObjective(model.train(), settings, pixels)
        optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
        for step in range(100):
            seed_everything(1, step)
            optimizer.zero_grad()
            (task.loss(batch_of(learned), CPU).smoothed / learned.size).backward()
            optimizer.step()
        ready = Reconstructor(model.eval(), pixels, CPU)
        errors[name] = score_reconstruction(ready, pca, unseen, spoils)
    assert errors["denoising"].network < 0.9 * errors["plain"].network
    assert errors["denoising"].network < errors["denoising"].given


def test_pictures_that_are_many_are_taken_evenly_spread_for_pca(shapes, monkeypatch):
    images, pixels = shapes
    monkeypatch.setattr(pixel_rows, "PRODUCTS", 0.0)
    pca, fitted = fit_image_pca(np.concatenate([images] * 3), pixels, 500)
    assert fitted == 120
    assert len(pca.components) == 64
