"""CLIP: two towers that meet, and transformers' with the same weights."""

import math

import pytest
import torch
from tests.oracles import scramble

from dragoman.config.clip import ClipSettings, PatchTowerSettings, TextTowerSettings
from dragoman.config.vision import ResNetSettings, VitSettings
from dragoman.core.errors import ConfigError
from dragoman.neural.models.clip.model import Clip

END, WORDS, SIZE = 3, 31, 8
TEXT = {"width": 12, "heads": 3, "ffn_width": 20, "layers": 2, "max_positions": 11, "dropout": 0.0}
TOWERS = {
    "resnet": ResNetSettings(depth=8, width=4),
    "vit": VitSettings(patch=4, width=12, layers=1, heads=3, ffn_width=16),
    "patches": PatchTowerSettings(patch=4, width=12, layers=1, heads=3, ffn_width=16),
}


def built(image="patches", *, width=10, **text):
    torch.manual_seed(2)
    settings = ClipSettings(
        image=TOWERS[image], text=TextTowerSettings(**{**TEXT, **text}), width=width
    )
    return scramble(Clip(settings, 3, SIZE, WORDS, end=END)).eval()


def images(count=4, seed=1):
    return torch.randn(count, 3, SIZE, SIZE, generator=torch.Generator().manual_seed(seed))


def texts(count=4, length=7, seed=2):
    drawn = torch.Generator().manual_seed(seed)
    tokens = torch.randint(5, WORDS, (count, length), generator=drawn)
    tokens[:, 0], tokens[:, -1] = 2, END
    return tokens


HABITS = pytest.mark.parametrize("causal", [True, False])
POOLING = pytest.mark.parametrize("pooling", ["end", "mean"])


@pytest.mark.parametrize("image", TOWERS)
def test_vectors_have_length_one_and_scores_are_their_likeness_times_the_scale(image):
    model = built(image)
    seen, read = model.see(images()), model.read(texts())
    for vectors in (seen, read):
        assert vectors.shape == (4, 10)
        torch.testing.assert_close(vectors.norm(dim=1), torch.ones(4))
    scores = model(images(), texts(5))
    assert scores.shape == (4, 5)
    torch.testing.assert_close(scores, model.scale * seen @ model.read(texts(5)).T)


@pytest.mark.parametrize("image", TOWERS)
def test_every_weight_learns_from_every_batch(image):
    """But for the biases of keys, which add the same to all scores that a softmax compares."""
    model = built(image).train()
    model(images(), texts()).diagonal().sum().backward()
    largest = {
        n: 0.0 if w.grad is None else w.grad.abs().max() for n, w in model.named_parameters()
    }
    still = {name for name, value in largest.items() if value < 1e-3}
    assert still == {name for name in largest if name.endswith("attention.key.bias")}


@HABITS
@POOLING
def test_what_stands_behind_the_end_changes_nothing(causal, pooling):
    model = built(causal=causal, pooling=pooling)
    alone = model.read(texts())
    for filling in (0, END, 9):
        longer = torch.cat((texts(), torch.full((4, 3), filling)), dim=1)
        torch.testing.assert_close(model.read(longer), alone)


@HABITS
def test_a_text_is_read_alike_whatever_stands_beside_it(causal):
    model = built(causal=causal, pooling="mean")
    short = texts(1, 4)
    beside = torch.cat((torch.nn.functional.pad(short, (0, 3)), texts(2)))
    torch.testing.assert_close(model.read(beside)[:1], model.read(short))


def test_a_causal_tower_does_not_look_ahead_and_the_other_does():
    changed = texts()
    changed[:, 5] = changed[:, 5] % (WORDS - 5) + 5
    changed[:, 5] = torch.where(changed[:, 5] == texts()[:, 5], 6, changed[:, 5])
    for causal in (True, False):
        tower = built(causal=causal).text
        states = [
            tower._states(tokens, torch.ones_like(tokens, dtype=torch.bool))[:, 2]
            for tokens in (texts(), changed)
        ]
        assert torch.equal(*states) == causal


def test_the_scale_begins_at_one_over_the_temperature_and_is_held():
    model = Clip(ClipSettings(image=TOWERS["patches"]), 3, SIZE, WORDS, end=END)
    assert model.scale.item() == pytest.approx(1 / 0.07)
    torch.nn.init.constant_(model.log_scale, 7.0)
    model.hold_scale()
    assert model.scale.item() == pytest.approx(100)
    torch.nn.init.constant_(model.log_scale, 1.0)
    model.hold_scale()
    assert model.scale.item() == pytest.approx(math.e)


def test_patches_that_do_not_fill_an_image_are_refused():
    with pytest.raises(ConfigError, match=r"patch = 4 does not divide images of 10×10.*8"):
        Clip(ClipSettings(image=TOWERS["patches"]), 3, 10, WORDS, end=END)


@pytest.mark.parametrize("image", TOWERS)
def test_it_can_be_built_without_memory_and_channels_last_changes_nothing(image):
    settings = built(image).settings
    with torch.device("meta"):
        assert Clip(settings, 3, SIZE, WORDS, end=END).log_scale.device.type == "meta"
    model = built(image)
    last = images().to(memory_format=torch.channels_last)
    torch.testing.assert_close(model.see(last), model.see(images()), atol=1e-5, rtol=1e-5)
