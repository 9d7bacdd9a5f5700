"""The few statistics that the tables need.

Medians and quartiles, because a shared machine gives a few samples that are far too long and none that are
far too short; geometric means over programs, because they are means of ratios.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence

# Overheads are compared as ratios, which means nothing once they are within noise of zero. One hundredth of
# the running time is the resolution that the papers print.
SMALLEST_OVERHEAD = 0.01


def quantile(samples: Sequence[float], fraction: float) -> float:
    """Linear interpolation between the two nearest samples. REQUIRES: there is a sample."""
    if not samples:
        raise ValueError("no samples")
    if not 0 <= fraction <= 1:
        raise ValueError(f"not a fraction: {fraction}")
    ordered = sorted(samples)
    position = fraction * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    weight = position - below
    return ordered[below] * (1 - weight) + ordered[above] * weight


def median(samples: Sequence[float]) -> float:
    return quantile(samples, 0.5)


def spread(samples: Sequence[float]) -> float:
    """Half the distance between the quartiles, as a fraction of the median."""
    middle = median(samples)
    if middle == 0:
        return 0.0
    return (quantile(samples, 0.75) - quantile(samples, 0.25)) / 2 / middle


def geometric_mean(values: Iterable[float]) -> float | None:
    """None for no values. REQUIRES: all are positive."""
    logarithms = [math.log(value) for value in values]
    return math.exp(math.fsum(logarithms) / len(logarithms)) if logarithms else None


def overhead(seconds: float, base_seconds: float) -> float:
    """The papers' overhead: the time added, in units of the base time. Negative if a run was faster."""
    return seconds / base_seconds - 1


def relative_overhead(of: float, to: float) -> float:
    return max(of, SMALLEST_OVERHEAD) / max(to, SMALLEST_OVERHEAD)


def chance_of_difference(a: Sequence[float], b: Sequence[float]) -> float:
    """How likely the samples would differ in rank as much as they do, in either direction, if nothing but chance had
    divided them into these two (the exact rank sum test of Mann and Whitney). 1 where there is none.

    Ranks, because single samples are far too long on a shared machine; and exact, because there are few.
    """
    pairs = len(a) * len(b)
    before = sum((x < y) + (x == y) / 2 for x in a for y in b)
    extreme = math.floor(max(before, pairs - before))
    orders = _orders(len(a), len(b))
    return min(1.0, 2 * sum(orders[extreme:]) / sum(orders))


@functools.cache
def _orders(m: int, n: int) -> list[int]:
    """In how many orders of m and n samples there are 0, 1, ..., m * n pairs whose first sample is one of the m: the
    coefficients of the Gaussian binomial, the product of (1 - q^(n+i)) / (1 - q^i) for i from 1 to m."""
    counts = [1] + [0] * (m * n)
    for i in range(1, m + 1):
        for k in range(m * n, n + i - 1, -1):
            counts[k] -= counts[k - n - i]
        for k in range(i, m * n + 1):
            counts[k] += counts[k - i]
    return counts
