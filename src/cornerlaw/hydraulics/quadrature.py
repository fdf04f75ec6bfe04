"""Integrals over the rows of a result: cubics between events, where a quantity may jump."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_POINTS = 4  # of a cubic
_GAUSS = 1.0 / np.sqrt(3.0)
_UNEVEN = 4.0  # largest over smallest interval of a cubic; rows that are denser look at something


def running_integral(t: Floats, y: Floats, breaks: Floats | None = None) -> Floats:
    """Return the integral of y from the first row up to every row.

    Rows of the same time are the two sides of an event, `breaks` other times at which y has a kink
    or a jump; no cubic reaches over either. Over an interval the cubic through the four nearest
    rows of its piece is integrated exactly by two points, with fewer rows a parabola or a line,
    with very uneven ones a line.
    """
    whole = np.zeros(len(t))
    for first, last in _pieces(t, breaks):
        whole[first + 1 : last + 1] = _intervals(t[first : last + 1], y[first : last + 1])
    return np.asarray(np.cumsum(whole))


def _pieces(t: Floats, breaks: Floats | None) -> list[tuple[int, int]]:
    """Return the first and last row of every piece without events inside."""
    cuts = {0, len(t) - 1}
    for k in np.flatnonzero(np.diff(t) == 0.0):
        cuts |= {int(k), int(k) + 1}
    if breaks is not None and len(breaks):
        # a row at a kink ends a piece; without one the two rows around it bound a piece
        near = 1e-12 * max(abs(float(t[-1])), abs(float(t[0])))
        first, last = np.searchsorted(t, breaks - near), np.searchsorted(t, breaks + near)
        at = np.where(first < last, first, first - 1)
        cuts |= {int(k) for k in np.concatenate((first, at)) if 0 <= k < len(t)}
    order = sorted(cuts)
    return [(a, b) for a, b in itertools.pairwise(order) if t[b] > t[a]]


def _intervals(t: Floats, y: Floats) -> Floats:
    """Return the integrals over the intervals of a smooth piece."""
    n = min(_POINTS, len(t))
    left = np.arange(len(t) - 1)
    start = np.clip(left - (n - 2) // 2, 0, len(t) - n)
    x = t[start[:, None] + np.arange(n)]
    values = y[start[:, None] + np.arange(n)]
    half, middle = 0.5 * np.diff(t), 0.5 * (t[1:] + t[:-1])
    total = np.zeros(len(left))
    for node in (-_GAUSS, _GAUSS):
        total += half * _interpolated(x, values, middle + node * half)
    between = np.diff(x, axis=1)
    even = between.max(axis=1) <= _UNEVEN * between.min(axis=1)
    return np.asarray(np.where(even, total, half * (y[1:] + y[:-1])))


def _interpolated(x: Floats, values: Floats, at: Floats) -> Floats:
    """Return Lagrange's polynomial through each row of x and values at one place per row."""
    found = np.zeros(len(at))
    n = x.shape[1]
    for i in range(n):
        weight = np.ones(len(at))
        for j in range(n):
            if j != i:
                weight *= (at - x[:, j]) / (x[:, i] - x[:, j])
        found += weight * values[:, i]
    return found
