"""The textbook pieces of 95 % intervals that the standard library lacks."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

NORMAL = NormalDist()

Z = NORMAL.inv_cdf(0.975)
"""Half the width of a 95 % interval, in standard errors."""


def student(freedom: int) -> float:
    """Return the 97.5 % quantile of Student's t, within 0.001 from four degrees of freedom on.

    The expansion in powers of 1 / freedom of Abramowitz and Stegun, 26.7.5.
    """
    z = Z
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return sum((term / float(freedom) ** power for power, term in enumerate(terms)), 0.0)


def unanimous(trials: int) -> float:
    """Return how likely a trial is rather won than lost, when all were won so far: the posterior of a uniform prior."""
    return 1 - 0.5 ** (trials + 1)


def wilson(share: float, trials: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share seen in independent trials; it says something even of none or all."""
    weight = Z * Z / trials
    middle = share + weight / 2
    half = sqrt(weight * share * (1 - share) + weight * weight / 4)
    return (middle - half) / (1 + weight), (middle + half) / (1 + weight)
