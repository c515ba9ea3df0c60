"""Quantiles of Student's distribution, for intervals over seeds and for the number of seeds."""

T_975 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179)
T_950 = (6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812, 1.796, 1.782)
T_800 = (1.376, 1.061, 0.978, 0.941, 0.920, 0.906, 0.896, 0.889, 0.883, 0.879, 0.876, 0.873)
"""Of 97.5 %, 95 % and 80 %, for 1, 2, … degrees of freedom."""
Z_975, Z_950, Z_800 = 1.959964, 1.644854, 0.841621
"""For infinitely many."""


def t_975(freedom: int) -> float:
    """Return the quantile of 97.5 %, half of which lies beyond a 95 % interval."""
    return _quantile(T_975, Z_975, freedom)


def t_950(freedom: int) -> float:
    """Return the quantile of 95 %, for one-sided tests."""
    return _quantile(T_950, Z_950, freedom)


def t_800(freedom: int) -> float:
    """Return the quantile of 80 %."""
    return _quantile(T_800, Z_800, freedom)


def _quantile(table: tuple[float, ...], limit: float, freedom: int) -> float:
    """Return a quantile from a table; beyond it, by two terms of its expansion around the limit."""
    if freedom <= len(table):
        return table[freedom - 1]
    first = (limit**3 + limit) / 4
    second = (5 * limit**5 + 16 * limit**3 + 3 * limit) / 96
    return limit + first / freedom + second / freedom**2
