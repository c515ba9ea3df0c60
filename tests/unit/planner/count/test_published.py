"""Published and recomputed figures: parameters, multiplications and FLOPs, to the last one."""

import pytest
from tests.unit.planner.count.networks import build, weights

from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.encoder import EncoderSettings
from dragoman.config.named import named
from dragoman.config.recurrent_text import RecurrentClassifierSettings
from dragoman.config.transformer import TransformerSettings
from dragoman.config.vision import AlexNetSettings, ResNetSettings, VggSettings
from dragoman.config.vision_shapes import InceptionWidths
from dragoman.lab.experiments.scaling.formulas import parameters, sequence_flops
from dragoman.planner.count.families import count_network
from dragoman.planner.count.images import inception
from dragoman.planner.count.sizes import Sizes
from dragoman.planner.count.tape import Tape

ONE = Sizes(batch=1, source_vocab=30_000, target_vocab=30_000, source_length=2, target_length=2)
NOTES = TransformerSettings(
    width=1024,
    heads=4,
    key_width=192,
    value_width=192,
    ffn_width=512,
    encoder_layers=12,
    decoder_layers=8,
    norm="post",
)
"""C16: 768 numbers in all heads together, a narrow feed-forward, no learned positions."""


def parts(node, kind):
    return {one.total.parameters for _, one in every(node) if one.kind == kind}


def every(node, path=""):
    yield path, node
    for part in node.parts:
        yield from every(part, f"{path}.{part.name}")


def test_the_transformer_of_the_notes_part_by_part():
    """C17 to C21."""
    network = count_network(NOTES, ONE)
    assert network.find("source_embedding.table").total.parameters == 30_720_000
    assert parts(network, "self-attention") == parts(network, "cross-attention") == {3_149_056}
    assert parts(network, "layer norm") == {2_048}
    assert parts(network, "feed-forward") == {1_050_112}
    assert network.find("encoder").total.parameters == 50_439_168
    assert network.find("decoder").total.parameters == 58_834_944
    assert network.total.parameters == 139_994_112
    untied = NOTES.model_copy(update={"tied": "none", "output_bias": True})
    assert count_network(untied, ONE).total.parameters == 201_464_112


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


WIDTHS = InceptionWidths(one=128, narrow_three=64, three=192, narrow_five=64, five=96, pooled=64)


@pytest.mark.parametrize(
    ("bottleneck", "channels", "known"), [(False, 672, 854_196_224), (True, 480, 271_351_808)]
)
def test_the_inception_module_of_the_notes(bottleneck, channels, known):
    """E70 to E72; 358,055,936 counts the 3×3 filters behind the bottleneck twice."""
    tape = Tape("inception")
    maps = tape.signal(1, 256, 28, 28, slope=True)
    assert inception(tape, maps, WIDTHS, bottleneck=bottleneck).shape == (1, channels, 28, 28)
    assert tape.root.total.multiplications == known
    if bottleneck:
        three = tape.root.find("branches.1.1.0").total.multiplications
        assert known + three == 358_055_936


PIG_LATIN = {16: 4862, 32: 17_886, 48: 39_102, 64: 68_510, 96: 151_902, 128: 268_062}


def pig_latin(width):
    """Four layers of attention and one matrix each, no norms; 30 characters."""
    return DecoderOnlySettings(
        width=width,
        heads=1,
        layers=4,
        activation="single",
        output_projection=False,
        norm="none",
        positions="none",
        output_bias=True,
    )


@pytest.mark.parametrize("width", PIG_LATIN)
def test_the_six_sizes_of_pig_latin(width):
    """A36: the public formula, and the same network counted here."""
    assert parameters(width, 30) == PIG_LATIN[width]
    sizes = Sizes(1, 30, 30, 0, 20)
    counted = count_network(pig_latin(width), sizes).total
    assert counted.parameters == PIG_LATIN[width]
    softmax = 4 * 3 * 20**2
    assert 3 * (counted.forward + softmax) == sequence_flops(20, width, 30)


def scores_and_matrices(width, length):
    """Return the FLOPs of attention itself and of its matrices, in one encoder layer."""
    settings = EncoderSettings(width=width, heads=1, layers=1, lm_head="none", positions="none")
    network = count_network(settings, Sizes(1, 9, source_length=length))
    attention = network.find("layers.0.attention")
    scores = attention.find("scores").total.forward
    return scores, attention.total.forward - scores


def test_attention_grows_with_the_square_of_the_length_and_recurrence_with_the_length():
    """D21: the pairs of positions weigh as much as the matrices from n = 2d on."""
    short, long = (scores_and_matrices(16, length) for length in (8, 16))
    assert (long[0], long[1]) == (4 * short[0], 2 * short[1])
    recurrent = RecurrentClassifierSettings(width=16, embedding_width=16)
    steps = [
        count_network(recurrent, Sizes(1, 9, source_length=n, classes=2)).find("layers").total
        for n in (8, 16)
    ]
    assert steps[1].forward == 2 * steps[0].forward
    scores, matrices = scores_and_matrices(16, 2 * 16)
    assert scores == matrices
