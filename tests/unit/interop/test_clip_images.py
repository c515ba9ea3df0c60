"""Pictures of any shape are shown to an imported CLIP as transformers shows them."""

import json

import numpy as np
import pytest
import torch
from PIL import Image
from tests.oracles import scramble
from transformers import CLIPConfig, CLIPModel
from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

from dragoman.core.errors import ConfigError
from dragoman.data.batching.pixels import Pixels, normalize
from dragoman.data.formats.framing import Framing
from dragoman.data.formats.image_files import read_image
from dragoman.interop.families.catalogue import family_of
from dragoman.interop.families.clip_pixels import read_pixels
from dragoman.interop.foreign import read_settings
from dragoman.interop.network import network, take
from dragoman.interop.tensor_source import StoredFolder

SIZE = 12
SHAPES = ((12, 12), (30, 17), (17, 31), (64, 15), (9, 40), (7, 5), (100, 101))
PLAIN = {"crop_size": SIZE, "size": SIZE, "image_mean": [0.4, 0.5, 0.6], "image_std": [0.2] * 3}
HABITS = {
    "the shorter side": {},
    "as newer files say it": {
        "size": {"shortest_edge": SIZE},
        "crop_size": {"height": SIZE, "width": SIZE},
    },
    "larger, then cut": {"size": {"shortest_edge": 19}},
    "smaller, on black": {"size": {"shortest_edge": 9}},
    "out of proportion": {"size": {"height": SIZE, "width": SIZE}},
    "bilinear": {"resample": 2},
    "lanczos": {"resample": 1},
    "nearest": {"resample": 0},
    "only cut": {"do_resize": False},
    "bytes, not shares": {"do_rescale": False, "image_mean": [90.0] * 3, "image_std": [50.0] * 3},
    "another share": {"rescale_factor": 1 / 127.5},
    "not normed": {"do_normalize": False},
}


def pictures(folder, ending="png"):
    """Synthetic photographs: smooth colours, edges and noise."""
    drawn = np.random.default_rng(8)
    paths = []
    for number, (height, width) in enumerate(SHAPES):
        rows, columns = np.mgrid[:height, :width]
        waves = [128 + 90 * np.sin(rows / (3 + c) + columns / (5 - c)) for c in range(3)]
        image = np.stack(waves, axis=-1) + drawn.normal(0, 12, (height, width, 3))
        image[: height // 3, width // 2 :] = (250, 10, 40)
        path = folder / f"{number}.{ending}"
        Image.fromarray(image.clip(0, 255).astype(np.uint8)).save(path)
        paths.append(path)
    return paths


def written(folder, habits):
    said = CLIPImageProcessorPil(**{**PLAIN, **habits})
    said.save_pretrained(folder)
    return said


def shown(path, pixels):
    read = read_image(path, size=pixels.size, channels=pixels.channels, fit=pixels.fit)
    return normalize(read[None], pixels)


@pytest.mark.parametrize("ending", ["png", "jpg"])
@pytest.mark.parametrize("habits", HABITS.values(), ids=HABITS)
def test_pixels_are_those_of_their_processor_to_rounding(habits, ending, tmp_path):
    theirs = written(tmp_path, habits)
    pixels = read_pixels(tmp_path, SIZE, 3)
    assert Pixels.from_json(pixels.to_json(), "test") == pixels
    for path in pictures(tmp_path, ending):
        with Image.open(path) as image:
            wanted = theirs(image, return_tensors="np")["pixel_values"]
        np.testing.assert_allclose(shown(path, pixels), wanted, rtol=2e-6, atol=2e-6)


@torch.no_grad()
def test_the_scores_of_pictures_that_are_not_square_are_theirs(tmp_path):
    torch.manual_seed(7)
    config = CLIPConfig(
        text_config={"vocab_size": 20, "hidden_size": 8, "num_hidden_layers": 1}
        | {"intermediate_size": 8, "num_attention_heads": 2, "max_position_embeddings": 6}
        | {"bos_token_id": 18, "eos_token_id": 19, "pad_token_id": 19},
        vision_config={"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2}
        | {"num_attention_heads": 2, "image_size": SIZE, "patch_size": 4},
        projection_dim=10,
    )
    theirs = scramble(CLIPModel(config)).eval()
    theirs.save_pretrained(tmp_path)
    processor = written(tmp_path, {})
    values, stored = read_settings(tmp_path), StoredFolder(tmp_path)
    plan = family_of(values, "test").plan(values, stored)
    ours = network(plan.settings, plan.vocab_size, plan.pixels)
    ours.load_state_dict(take(plan, stored)[0])
    ours.text.end = 19
    tokens = torch.tensor([[18, 3, 4, 19], [18, 7, 5, 19]])
    paths = pictures(tmp_path)
    images = [Image.open(path).convert("RGB") for path in paths]
    wanted = theirs(**processor(images, return_tensors="pt"), input_ids=tokens).logits_per_image
    seen = np.concatenate([shown(path, plan.pixels) for path in paths])
    found = ours.eval()(torch.from_numpy(seen), tokens)
    torch.testing.assert_close(found, wanted, atol=3e-5, rtol=1e-5)
    cut = [read_image(path, size=SIZE, channels=3, fit="crop")[None] for path in paths]
    other = ours(torch.from_numpy(normalize(np.concatenate(cut), plan.pixels)), tokens)
    assert (other - wanted).abs().max() > 1e-2  # by our own way of cutting they would not be


def test_without_such_a_file_it_is_shown_pictures_as_the_first_clip_was(tmp_path):
    assert read_pixels(tmp_path, 224, 3).fit == Framing((224,), "bicubic")


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ({"size": {"longest_edge": 9}}, "size = .*longest_edge.*: unknown"),
        ({"size": {"shortest_edge": 9, "longest_edge": 20}}, "size = .*: unknown"),
        ({"resample": 9}, "resample = 9: unknown"),
        ({"crop_size": 14}, "crop_size = 14: the network reads images of 12×12"),
        ({"rescale_factor": 0}, "rescale_factor = 0: is no factor"),
    ],
)
def test_what_cannot_be_followed_is_refused_by_name(said, word, tmp_path):
    (tmp_path / "preprocessor_config.json").write_text(json.dumps(said))
    with pytest.raises(ConfigError, match=word):
        read_pixels(tmp_path, SIZE, 3)
