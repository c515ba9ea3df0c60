"""Numbers as people write them: 0.25, 12,345, 1.2·10⁻¹⁰, ∞."""

import math

EXPONENT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
MINUS = "\N{MINUS SIGN}"
LARGE, SMALL = 1e6, 1e-3
GROUPED = 10_000
LARGEST_COUNT = 1e15
"""Whole numbers from here on are hardly counts."""


def number_text(value: float, digits: int = 4) -> str:
    """Return a number with so many significant digits; whole ones below a million as they are."""
    if math.isnan(value):
        return "not a number"
    sign = MINUS if value < 0 else ""
    size = abs(value)
    if math.isinf(size):
        return f"{sign}∞"
    if SMALL <= size < LARGE or size == 0:
        return sign + _plain(size, digits)
    mantissa, exponent = f"{size:.{digits - 1}e}".split("e")
    short = _trimmed(mantissa)
    power = f"10{str(int(exponent)).translate(EXPONENT)}"
    return f"{sign}{power}" if short == "1" else f"{sign}{short}·{power}"


def count_text(value: float, digits: int = 4) -> str:
    """Return a number as above, but a whole one with all of its digits: a count is exact."""
    whole = math.isfinite(value) and value == int(value) and abs(value) < LARGEST_COUNT
    return f"{int(value):,}".replace("-", MINUS) if whole else number_text(value, digits)


def _plain(size: float, digits: int) -> str:
    """Return a number without a power of ten; a whole one with all of its digits."""
    whole = size == int(size)
    decimals = 0 if whole else max(0, digits - 1 - math.floor(math.log10(size)))
    rounded = f"{size:.{decimals}f}"
    return _trimmed(rounded) if float(rounded) < GROUPED else f"{size:,.0f}"


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
