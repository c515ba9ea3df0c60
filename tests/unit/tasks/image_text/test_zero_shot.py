"""Pictures sorted by texts that no one trained the network to sort by; an untrained one cannot."""

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from tests.toy_pictures import COLORS, HINDI, write_corpus

from dragoman import trainer
from dragoman.core.errors import DataError
from dragoman.tasks.image_text.matcher import Matcher, image_files
from dragoman.tasks.image_text.zero_shot import classify_by_texts, evaluate_zero_shot
from dragoman.trainer import train


@pytest.fixture(autouse=True, scope="module")
def _no_pictures():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trainer, "draw_curves", lambda rows, path, title: path.write_bytes(b""))
        yield


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Train once; do not change the folder."""
    folder = tmp_path_factory.mktemp("sorter")
    recipe = write_corpus(folder)
    torch.set_num_threads(1)
    train(recipe, folder=folder / "run")
    return SimpleNamespace(recipe=recipe, run=folder / "run", folder=folder)


@pytest.fixture(scope="module")
def untrained(trained, tmp_path_factory):
    """Give the same network as it was drawn: what it passes says nothing."""
    run = tmp_path_factory.mktemp("untrained") / "run"
    train(trained.recipe, ["training.steps=1", "optimizer.learning_rate=1e-9"], folder=run)
    return run


def found_by_color(run, folder):
    """Return how many of the six nearest pictures have the colour asked for; 1/6 is chance."""
    files = image_files([folder / "drawn"])
    asked = [*COLORS, *HINDI.values()]
    ranked = Matcher.load(run).find_images(asked, files)
    right = [
        color in Path(one.candidate).name
        for color, found in zip([*COLORS] * 2, ranked, strict=True)
        for one in found[:6]
    ]
    return sum(right) / len(right)


def test_what_it_was_trained_for_an_untrained_network_cannot(trained, untrained):
    assert found_by_color(untrained, trained.folder) < 0.3
    assert found_by_color(trained.run, trained.folder) > 0.5


@pytest.mark.parametrize(
    "image",
    [
        "{kind = 'resnet', depth = 8, width = 4}",
        "{kind = 'vit', patch = 4, width = 8, layers = 1, heads = 2, ffn_width = 8}",
    ],
)
def test_other_towers_are_trained_and_loaded_alike(image, trained, tmp_path):
    changes = [f"model.image={image}", "training.steps=80", "training.final='last'"]
    train(trained.recipe, changes, folder=tmp_path / "run")
    assert found_by_color(tmp_path / "run", trained.folder) > 0.4


def in_folders(folder, to):
    """Lay pictures in folders by their colour, which no one trained it to tell apart."""
    for path in image_files([folder / "drawn"]):
        color = to / path.stem.split("-")[0]
        color.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, color)
    return to


def test_pictures_are_sorted_by_the_names_of_folders(trained, untrained, tmp_path, dragoman):
    """What it was never trained to sort, it sorts (zero-shot, A44)."""
    folders = in_folders(trained.folder, tmp_path / "colours")
    accuracy = {}
    for name, run in (("trained", trained.run), ("untrained", untrained)):
        code, out, _ = dragoman("evaluate", run, folders, "--json")
        (found,) = json.loads(out)
        assert (code, found["texts"]) == (0, 36)
        assert found["majority"]["accuracy"] == pytest.approx(1 / 6)
        accuracy[name] = found["accuracy"]
        assert found["interval"][0] < found["accuracy"] < found["interval"][1]
    assert accuracy["untrained"] < 0.3
    assert accuracy["trained"] > 0.4
    code, out, _ = dragoman("evaluate", trained.run, folders)
    assert "colours: 36 images, accuracy" in out


def test_zero_shot_shares_are_the_softmax_of_scaled_cosines(trained):
    """A44: both towers' vectors of length 1, cosines times the scale, softmax over candidates."""
    matcher, files = Matcher.load(trained.run), image_files([trained.folder / "drawn"])[:5]
    images = np.stack([matcher.open(path) for path in files])
    classes = [*COLORS]
    found = classify_by_texts(matcher, images, classes)
    seen, read = matcher.see(images), matcher.read(classes)
    for vectors in (seen, read):
        torch.testing.assert_close(vectors.norm(dim=1), torch.ones(len(vectors)))
    wanted = (matcher.model.scale * seen @ read.T).softmax(dim=1).tolist()
    for one, row in zip(found, wanted, strict=True):
        assert [*one.probabilities.values()] == pytest.approx(row, abs=1e-5)
        assert one.label == classes[int(np.argmax(row))]
    for ranked, one in zip(matcher.find_texts(files, classes), found, strict=True):
        assert ranked[0].candidate == one.label
        assert ranked[0].probability == pytest.approx(one.probability, abs=1e-5)


def test_one_folder_is_no_choice(trained, tmp_path):
    (tmp_path / "red").mkdir()
    with pytest.raises(DataError, match="there must be two"):
        evaluate_zero_shot(trained.run, [tmp_path])
