"""Sums over stretches of arrays against NumPy, at all lengths around whole lanes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cornerlaw.kernels import lanes
from cornerlaw.kernels._numba import kernel

LENGTHS = (0, 1, 3, 4, 5, 7, 8, 11, 64, 67)
CLOSE = 1e-13  # some rounding errors of up to 67 products of size one


@kernel
def _dot(a, i, b, j, n):  # type: ignore[no-untyped-def]
    return lanes.dot(a, i, b, j, n)


@kernel
def _dot_rows(a, i_1, i_2, j, n):  # type: ignore[no-untyped-def]
    return lanes.dot_rows(a, i_1, i_2, j, n)


@kernel
def _dot_crossed(a, b, i, j, n):  # type: ignore[no-untyped-def]
    return lanes.dot_crossed(a, b, i, j, n)


@kernel
def _dot_crossed_rows(a, b, i_1, i_2, j, n):  # type: ignore[no-untyped-def]
    return lanes.dot_crossed_rows(a, b, i_1, i_2, j, n)


@kernel
def _add_multiple(a, i, factor, b, j, n):  # type: ignore[no-untyped-def]
    lanes.add_multiple(a, i, factor, b, j, n)


def _arrays() -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    return rng.normal(size=300), rng.normal(size=300)


@pytest.mark.parametrize("n", LENGTHS)
def test_sums_are_those_of_the_stretches(n: int) -> None:
    a, b = _arrays()
    i, k, j = slice(3, 3 + n), slice(80, 80 + n), slice(160, 160 + n)
    assert _dot(a, 3, b, 160, n) == pytest.approx(a[i] @ b[j], abs=CLOSE)
    assert _dot_rows(a, 3, 80, 160, n) == pytest.approx((a[i] @ a[j], a[k] @ a[j]), abs=CLOSE)
    crossed = [a[i] @ b[j], b[i] @ a[j], a[k] @ b[j], b[k] @ a[j]]
    assert _dot_crossed(a, b, 3, 160, n) == pytest.approx(crossed[:2], abs=CLOSE)
    assert _dot_crossed_rows(a, b, 3, 80, 160, n) == pytest.approx(crossed, abs=CLOSE)


@pytest.mark.parametrize("n", LENGTHS)
def test_a_multiple_is_added_to_the_stretch_alone(n: int) -> None:
    a, b = _arrays()
    wanted = a.copy()
    wanted[5 : 5 + n] += -0.7 * b[90 : 90 + n]
    _add_multiple(a, 5, -0.7, b, 90, n)
    np.testing.assert_allclose(a, wanted, rtol=0.0, atol=CLOSE)
    assert (a[:5] == wanted[:5]).all() and (a[5 + n :] == wanted[5 + n :]).all()


def test_infinities_stay_infinite_or_no_number() -> None:
    a, b = np.ones(8), np.ones(8)
    a[2] = np.inf
    assert _dot(a, 0, b, 0, 8) == np.inf
    b[2] = 0.0
    assert np.isnan(_dot(a, 0, b, 0, 8))
