"""A search that a stranger's recipe asks for is bounded."""

import pytest
from pydantic import ValidationError

from dragoman.config.sampling import SamplingSettings
from dragoman.config.training import DecodingSettings
from dragoman.core.errors import ConfigError
from dragoman.tasks.translation.bare_translator import BareTranslator


@pytest.mark.parametrize(
    "changes",
    [
        {"beam": 100_000},
        {"max_length_extra": 999_999_999},
        {"max_length_ratio": 1e9},
        {"beam": 1000, "max_length_extra": 1000},
        {"beam": 1000, "max_length_ratio": 50.0},
        {"search": "mbr", "samples": 256, "max_length_extra": 1000},
        {"samples": 100_000},
        {"batch_tokens": 10**12},
        {"no_repeat_ngram": 10**9},
        {"length_penalty": 1e300},
        {"seed": 2**64},
        {"sampling": {"max_tokens": 10**9}},
        {"sampling": {"top_k": 10**12}},
    ],
)
def test_a_search_beyond_measure_is_refused(changes):
    with pytest.raises(ValidationError):
        DecodingSettings.model_validate(changes)


@pytest.mark.parametrize(
    "changes", [{"beam": 1024}, {"beam": 64, "max_length_extra": 600}, {"max_length_extra": 4096}]
)
def test_a_large_search_can_be_asked_for(changes):
    assert DecodingSettings.model_validate(changes)


def test_a_long_text_can_be_asked_for():
    assert SamplingSettings(max_tokens=100_000)


def test_a_beam_of_an_option_or_of_python_is_bounded_too(tiny):
    translator = BareTranslator.load(tiny.run, device="cpu")
    assert len(translator.candidates(["sun moon"], beam=3)) == 1
    for asked in ({"beam": 100_000}, {"nbest": 100_000}):
        with pytest.raises(ConfigError, match=r"decoding\.beam: Input should be less than"):
            translator.candidates(["sun moon"], **asked)
