"""Durations as people write them: 30m, 2h, 1h30m, 90s."""

import re

from dragoman.core.errors import ConfigError

UNITS = {"d": 86_400, "h": 3600, "m": 60, "s": 1}
WRITTEN = re.compile(r"(?:(\d+(?:\.\d+)?)\s*([dhms])\s*)+")
PART = re.compile(r"(\d+(?:\.\d+)?)\s*([dhms])")
SHORTEST, LONGEST = 60, 30 * 86_400


def seconds_of(text: str) -> float:
    """Return the seconds of a duration; a bare number is minutes."""
    plain = text.strip().lower()
    if re.fullmatch(r"\d+(?:\.\d+)?", plain):
        plain += "m"
    if not WRITTEN.fullmatch(plain):
        raise ConfigError(f"--time {text}: is not a time. Write it as 30m, 2h or 1h30m.")
    seconds = sum(float(number) * UNITS[unit] for number, unit in PART.findall(plain))
    if not SHORTEST <= seconds <= LONGEST:
        raise ConfigError(f"--time {text}: must be between one minute and 30 days.")
    return seconds


def written(seconds: float) -> str:
    """Return a duration as a person would say it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
