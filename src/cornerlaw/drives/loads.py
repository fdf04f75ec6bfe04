"""Statistics of load histories: rainflow cycles, exceedance of peaks, distribution of intervals."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cornerlaw.errors import UsageError

Floats = NDArray[np.float64]


def turning_points(signal: Floats) -> Floats:
    """Return the reversals of a signal, its ends included."""
    values = signal[np.concatenate(([True], np.diff(signal) != 0.0))]
    if len(values) < 3:
        return values
    slope = np.sign(np.diff(values))
    inner = np.flatnonzero(slope[1:] != slope[:-1]) + 1
    return values[np.concatenate(([0], inner, [len(values) - 1]))]


def rainflow(signal: Floats) -> list[tuple[float, float, float]]:
    """Return (range, mean, count) of the cycles of a signal, count 1 or 0.5 for a half cycle."""
    stack: list[float] = []
    found: list[tuple[float, float, float]] = []
    for point in turning_points(np.asarray(signal, dtype=np.float64)):
        stack.append(float(point))
        while len(stack) >= 3:
            last, before = abs(stack[-1] - stack[-2]), abs(stack[-2] - stack[-3])
            if last < before:
                break
            middle = 0.5 * (stack[-2] + stack[-3])
            if len(stack) == 3:
                # the first range is left open: half a cycle
                found.append((before, middle, 0.5))
                del stack[0]
            else:
                found.append((before, middle, 1.0))
                del stack[-3:-1]
    found += [(abs(b - a), 0.5 * (a + b), 0.5) for a, b in pairwise(stack)]
    return found


@dataclass(frozen=True, eq=False)
class Strokes:
    """The contacts of a hammering flank, one entry for each.

    begin      when the force sets in [s]
    peak       its largest value [N]
    duration   until it vanishes [s]
    """

    begin: Floats
    peak: Floats
    duration: Floats

    @property
    def interval(self) -> Floats:
        """The times from one stroke to the next [s]."""
        found: Floats = np.diff(self.begin)
        return found


def strokes(t: Floats, force: Floats) -> Strokes:
    """Return the strokes of a force that is zero between them; one that is cut off is left out."""
    t, force = np.asarray(t, dtype=np.float64), np.asarray(force, dtype=np.float64)
    if t.shape != force.shape or t.ndim != 1:
        raise UsageError(f"strokes: {t.size} times do not fit {force.size} forces")
    loaded = force > 0.0
    first = np.flatnonzero(~loaded[:-1] & loaded[1:]) + 1
    last = np.flatnonzero(loaded[:-1] & ~loaded[1:]) + 1
    last = last[last > first[0]] if first.size else last[:0]
    first = first[: last.size]
    peaks = [float(force[a:b].max()) for a, b in zip(first, last, strict=True)]
    return Strokes(t[first], np.array(peaks), t[last] - t[first])


def misfit(values: Floats, share: Callable[[Floats], Floats]) -> float:
    """Return the largest distance of a distribution from that of some values (Kolmogorov).

    `share` is the part of all values below a given one. By chance 1.63 / sqrt(n) is exceeded once
    in a hundred, for n values of a distribution given beforehand; where its parameters were fitted
    to the same values, far less (1.14 / sqrt(n) with `fit_exceedance`).
    """
    x = np.sort(np.asarray(values, dtype=np.float64))
    if x.size == 0:
        raise UsageError("misfit: at least one value is needed")
    fitted, n = share(x), x.size
    above, below = np.arange(1, n + 1) / n - fitted, fitted - np.arange(n) / n
    return float(max(above.max(), below.max()))


@dataclass(frozen=True)
class Exceedance:
    """Number of peaks above a load: H(x) = H_0 exp(-a x^n). (T-20.36)"""

    count: float
    a: float
    n: float

    def above(self, load: float) -> float:
        """Return how many peaks exceed a load."""
        return self.count * math.exp(-self.a * load**self.n)

    def load(self, probability: float) -> float:
        """Return the load below which this part of the peaks stays: 0.99 for the design load."""
        if not 0.0 < probability < 1.0:
            raise UsageError(f"Exceedance: probability must be from 0 to 1, got {probability:g}")
        return float((-math.log1p(-probability) / self.a) ** (1.0 / self.n))


def fit_exceedance(peaks: Floats) -> Exceedance:
    """Fit H_0 exp(-a x^n) to peaks > 0 by least squares of log(-log(H / H_0)) over log x."""
    x = np.sort(np.asarray(peaks, dtype=np.float64))
    if len(x) < 3 or x[0] <= 0.0:
        raise UsageError("fit_exceedance: at least three peaks above zero are needed")
    count = len(x)
    # median ranks: the smallest of n peaks is exceeded by n - 0.7 of n + 0.4
    share = 1.0 - (np.arange(1, count + 1) - 0.3) / (count + 0.4)
    n, offset = np.polyfit(np.log(x), np.log(-np.log(share)), 1)
    return Exceedance(float(count), float(math.exp(offset)), float(n))


def fit_gamma(values: Floats) -> tuple[float, float]:
    """Return shape and scale of a Gamma distribution by maximum likelihood. (T-20.37)"""
    x = np.asarray(values, dtype=np.float64)
    if len(x) < 3 or np.min(x) <= 0.0:
        raise UsageError("fit_gamma: at least three values above zero are needed")
    from scipy.optimize import brentq
    from scipy.special import digamma

    s = math.log(x.mean()) - float(np.mean(np.log(x)))
    shape = brentq(lambda k: math.log(k) - float(digamma(k)) - s, 1e-3, 1e6)
    return float(shape), float(x.mean() / shape)
