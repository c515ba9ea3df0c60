import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.duration import seconds_of, written
from dragoman.core.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30m", 1800), ("2h", 7200), ("1h30m", 5400), ("90s", 90), ("45", 2700), ("0.5h", 1800)],
)
def test_times_are_read_as_people_write_them(text, seconds):
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "30x", "-5m", "m", "1h-2m", "5 minutes or so"])
def test_what_is_no_time_is_refused_with_an_example(text):
    with pytest.raises(ConfigError, match="Write it as 30m"):
        seconds_of(text)


@pytest.mark.parametrize("text", ["1s", "0m", "365d", "99999999999h"])
def test_no_time_at_all_and_endless_time_are_refused(text):
    with pytest.raises(ConfigError, match="between one minute and 30 days"):
        seconds_of(text)


@given(st.floats(60, 86_400))
def test_a_time_is_said_in_one_unit(seconds):
    number, unit = written(seconds).split()
    assert unit in ("s", "min", "h")
    assert float(number) > 0
