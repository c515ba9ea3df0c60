"""Published and recomputed figures: parameters, multiplications and FLOPs, to the last one."""

import pytest
from tests.unit.planner.count.networks import build, weights

from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.named import named
from dragoman.config.vision import AlexNetSettings, ResNetSettings, VggSettings
from dragoman.planner.count.families import count_network
from dragoman.planner.count.sizes import Sizes

PUBLISHED = {"bert-base": 109_482_240, "bert-large": 335_141_888}


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_body_of_bert(name):
    """D34: without the heads that it was pretrained with."""
    settings, words = named(name)
    body = settings.model_copy(update={"lm_head": "none", "next_sentence_head": False})
    sizes = Sizes(1, words, words, source_length=2)
    assert count_network(body, sizes).total.parameters == PUBLISHED[name]


GENERATIVE = {
    "gpt": 116_534_784,
    "gpt2": 124_439_808,
    "gpt3": 174_604_259_328,
    "t5-small": 60_506_624,
    "t5-base": 222_903_552,
    "t5-large": 737_668_096,
}


@pytest.mark.parametrize("name", GENERATIVE)
def test_gpt_and_t5(name):
    """D44, D45: 116.5 M and 174.6 B; T5 as its checkpoints have it."""
    settings, words = named(name)
    source = 0 if isinstance(settings, DecoderOnlySettings) else 2
    sizes = Sizes(1, words, words, source, 2)
    assert count_network(settings, sizes).total.parameters == GENERATIVE[name]


def test_gpt3_is_as_large_as_the_built_one():
    settings, words = named("gpt3")
    sizes = Sizes(1, words, words, 0, 2)
    assert weights(build(settings, sizes)) == GENERATIVE["gpt3"]
    assert pytest.approx(3.14e23, rel=0.01) == 6 * 174.6e9 * 300e9  # C = 6ND


IMAGES = {
    "alexnet": (AlexNetSettings(), 227, 1000, 62_378_344, 1_135_256_096),
    "alexnet in two towers": (AlexNetSettings(groups=2), 227, 1000, 60_965_224, None),
    "vgg": (VggSettings(), 224, 1000, 138_357_544, 15_470_264_320),
    "resnet 110": (ResNetSettings(depth=110), 32, 10, 1_727_962, None),
    "resnet 1202": (ResNetSettings(depth=1202), 32, 10, 19_421_274, None),
}


@pytest.mark.parametrize("name", IMAGES)
def test_image_networks(name):
    """E65, E67, E68, E78."""
    settings, size, classes, parameters, multiplications = IMAGES[name]
    total = count_network(settings, Sizes(1, classes=classes, image_size=size)).total
    assert total.parameters == parameters
    assert multiplications in (None, total.multiplications)


def test_alexnet_layer_by_layer():
    """E56, E59, E61, E63, E64: weights without biases."""
    network = count_network(AlexNetSettings(), Sizes(1, classes=1000, image_size=227))
    wide = {"convolution": 1, "linear": 1}
    found = [
        node.total.parameters - node.shape[1] for _, node in network.leaves() if node.kind in wide
    ]
    assert found == [
        34_848, 614_400, 884_736, 1_327_104, 884_736, 37_748_736, 16_777_216, 4_096_000
    ]  # fmt: skip
