"""Numbers as people write them: 0.25, 12,345, 1.2·10⁻¹⁰, ∞."""

import math

EXPONENT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
MINUS = "\N{MINUS SIGN}"
LARGE, SMALL = 1e6, 1e-3
GROUPED = 10_000


def number_text(value: float, digits: int = 4) -> str:
    """Return a number with so many significant digits; whole ones below a million as they are."""
    if math.isnan(value):
        return "not a number"
    sign = MINUS if value < 0 else ""
    size = abs(value)
    if math.isinf(size):
        return f"{sign}∞"
    if size == int(size) and size < LARGE:
        return f"{sign}{size:,.0f}" if size >= GROUPED else f"{sign}{size:.0f}"
    if SMALL <= size < LARGE:
        return f"{sign}{size:.{digits}g}" if size < GROUPED else f"{sign}{size:,.0f}"
    mantissa, exponent = f"{size:.{digits - 1}e}".split("e")
    short = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    power = f"10{str(int(exponent)).translate(EXPONENT)}"
    return f"{sign}{power}" if short == "1" else f"{sign}{short}·{power}"
