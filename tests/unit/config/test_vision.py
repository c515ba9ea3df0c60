"""Settings of networks that look at pictures: what they come to and what they refuse."""

import pytest
from pydantic import TypeAdapter, ValidationError

from dragoman.config.vision import (
    AlexNetSettings,
    CnnSettings,
    GoogLeNetSettings,
    ImageModelSettings,
    ResNetForm,
    ResNetSettings,
    VggSettings,
    VitSettings,
)


@pytest.mark.parametrize("kind", ["cnn", "alexnet", "vgg", "googlenet", "resnet", "vit"])
def test_the_kind_names_the_network(kind):
    assert TypeAdapter(ImageModelSettings).validate_python({"kind": kind}).kind == kind


FORMS = {
    20: ResNetForm((3, 3, 3), 16, "basic", "small", "padding"),
    110: ResNetForm((18, 18, 18), 16, "basic", "small", "padding"),
    1202: ResNetForm((200, 200, 200), 16, "basic", "small", "padding"),
    18: ResNetForm((2, 2, 2, 2), 64, "basic", "large", "projection"),
    34: ResNetForm((3, 4, 6, 3), 64, "basic", "large", "projection"),
    50: ResNetForm((3, 4, 6, 3), 64, "bottleneck", "large", "projection"),
    152: ResNetForm((3, 8, 36, 3), 64, "bottleneck", "large", "projection"),
}


@pytest.mark.parametrize("depth", FORMS)
def test_the_depth_of_a_residual_network_gives_its_form(depth):
    """50 and 152 are two more than a multiple of six too, but the large form owns them."""
    assert ResNetSettings(depth=depth).form == FORMS[depth]


def test_what_is_said_about_a_residual_network_wins_over_what_its_depth_implies():
    form = ResNetSettings(depth=50, width=8, block="basic", stem="pooled").form
    assert form == ResNetForm((3, 4, 6, 3), 8, "basic", "pooled", "projection")
    assert ResNetSettings(stages=(1, 2), shortcut="padding").form == ResNetForm(
        (1, 2), 16, "basic", "small", "padding"
    )
    assert ResNetSettings(stages=(1, 1, 1), depth=50, width=32).form == ResNetForm(
        (1, 1, 1), 32, "basic", "small", "projection"
    )


@pytest.mark.parametrize(
    ("settings", "given", "words"),
    [
        (ResNetSettings, {"depth": 21}, "Use 20 or 26"),
        (
            ResNetSettings,
            {"zero_init_residual": True, "residual": False},
            "nothing would come through",
        ),
        (CnnSettings, {"kernel_size": 4}, "Use 3 or 5"),
        (CnnSettings, {"kernel_size": 1, "first_filters": "sobel"}, "sees no edges"),
        (CnnSettings, {"pooling": "stride", "order": "pooling-first"}, "Set pooling to"),
        (CnnSettings, {"channels": ()}, "at least 1"),
        (AlexNetSettings, {"groups": 2, "channels": (3, 4, 4, 4, 4)}, "Use even numbers"),
        (AlexNetSettings, {"groups": 3}, "1 or 2"),
        (VggSettings, {"depth": 12}, "11, 13, 16 or 19"),
        (GoogLeNetSettings, {"width": 12}, "multiple of 8"),
        (VitSettings, {"width": 30, "heads": 4}, "Nearest width that does: 32"),
        (VitSettings, {"patches": 3}, "Extra inputs"),
    ],
)
def test_what_cannot_be_is_refused_with_a_word_on_what_can(settings, given, words):
    with pytest.raises(ValidationError, match=words):
        settings(**given)
