"""Settings of attention layers that do not fit together are refused, with a way out."""

import pytest
from pydantic import ValidationError

from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.model import TransformerSettings

REFUSED = [
    (
        {"width": 10, "heads": 4},
        "width 10 does not split into 4 equal heads. Nearest width that does: 8.",
    ),
    (
        {"heads": 4, "key_value_heads": 3},
        "4 heads do not share 3 key_value_heads evenly. Use a number that divides 4.",
    ),
    (
        {"width": 16, "heads": 4, "value_width": 3, "output_projection": False},
        "without output_projection the values of 4 heads must fill the width 16, but they have 12. "
        "Leave value_width out.",
    ),
    (
        {"width": 12, "heads": 4, "positions": "rotary"},
        "rotary positions turn pairs, so a head's keys need an even width, not 3 (width / heads). "
        "Set key_width to an even number.",
    ),
    (
        {"width": 15, "heads": 3, "positions": "sinusoidal"},
        "sinusoidal positions need an even width, not 15.",
    ),
    (
        {"positions": "t5", "buckets": 32, "max_bucket_distance": 16},
        "max_bucket_distance 16 must be more than half of the 32 buckets, each of which holds "
        "one offset. "
        "Use at least 17.",
    ),
]
FAMILIES = pytest.mark.parametrize("family", [TransformerSettings, DecoderOnlySettings])


@FAMILIES
@pytest.mark.parametrize(("changes", "words"), REFUSED)
def test_what_does_not_fit_is_refused(family, changes, words):
    with pytest.raises(ValidationError) as error:
        family(**changes)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"width": 16, "decoder_heads": 3}, "width 16 does not split into 3 equal decoder_heads."),
        (
            {"heads": 4, "decoder_heads": 2, "key_value_heads": 4},
            "2 decoder_heads do not share 4 key_value_heads evenly.",
        ),
        (
            {"width": 24, "heads": 4, "decoder_heads": 8, "positions": "rotary"},
            "need an even width, not 3 (width / decoder_heads).",
        ),
    ],
)
def test_the_heads_of_the_decoder_must_fit_too(changes, words):
    with pytest.raises(ValidationError) as error:
        TransformerSettings(**changes)
    assert words in str(error.value)


@FAMILIES
@pytest.mark.parametrize(
    "changes",
    [
        {"width": 10, "heads": 4, "key_width": 6, "value_width": 3},
        {"width": 12, "heads": 4, "positions": "rotary", "key_width": 4},
        {"width": 16, "heads": 4, "value_width": 4, "output_projection": False},
        {"width": 15, "heads": 3, "positions": "alibi"},
        {"heads": 4, "key_value_heads": 1},
    ],
)
def test_what_fits_is_taken(family, changes):
    chosen = family(**changes)
    assert {key: getattr(chosen, key) for key in changes} == changes


@pytest.mark.parametrize(
    "changes", [{"value_width": 8}, {"key_value_heads": 2}, {"output_projection": False}]
)
def test_a_dictionary_to_begin_with_needs_values_that_can_be_passed_on(changes):
    with pytest.raises(ValidationError, match="initialization = 'dictionary' needs heads whose"):
        TransformerSettings(initialization="dictionary", **changes)


@pytest.mark.parametrize(
    "changes", [{"key_width": 10}, {"activation": "single"}, {"norm": "none", "biases": False}]
)
def test_a_dictionary_to_begin_with_takes_what_does_not_stand_in_its_way(changes):
    assert TransformerSettings(initialization="dictionary", **changes)


def test_a_decoder_only_network_has_no_dictionary_to_begin_with():
    with pytest.raises(ValidationError):
        DecoderOnlySettings(initialization="dictionary")
