"""Integrals over the rows of a result: exact for cubics, and not across events."""

from __future__ import annotations

import numpy as np
import pytest

from cornerlaw.hydraulics.quadrature import running_integral


def test_cubics_are_exact_on_uneven_rows() -> None:
    t = np.cumsum(np.random.default_rng(1).uniform(0.1, 0.3, 30))
    y = 1.0 - 2.0 * t + 3.0 * t**2 - 0.5 * t**3
    whole = t - t**2 + t**3 - 0.125 * t**4
    assert running_integral(t, y) == pytest.approx(whole - whole[0], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("count", [2, 3])
def test_few_rows_are_a_line_or_a_parabola(count: int) -> None:
    t = np.linspace(0.0, 1.0, count)
    assert running_integral(t, t ** (count - 1))[-1] == pytest.approx(1.0 / count, rel=1e-14)


def test_jumps_at_events_and_kinks_are_not_smoothed() -> None:
    left = np.linspace(0.0, 1.0, 11)
    t = np.concatenate((left, 1.0 + left))  # two rows at 1
    y = np.concatenate((np.sin(left), 5.0 + np.cos(left)))
    expected = 1.0 - np.cos(1.0) + 5.0 + np.sin(1.0)
    assert running_integral(t, y)[-1] == pytest.approx(expected, abs=1e-5)
    t = np.linspace(0.0, 2.0, 41)
    kink = np.abs(t - 1.0) * t
    exact = 1.0  # 1/6 + 5/6
    assert running_integral(t, kink, np.array([1.0]))[-1] == pytest.approx(exact, abs=1e-12)


def test_order_is_four() -> None:
    errors = []
    for n in (41, 81, 161):
        t = np.linspace(0.0, 3.0, n)
        errors.append(abs(running_integral(t, np.exp(np.sin(3.0 * t)))[-1] - _EXACT))
    assert errors[0] / errors[1] > 12.0
    assert errors[1] / errors[2] > 12.0


def test_a_spike_between_far_rows_does_not_swing() -> None:
    t = np.concatenate((np.linspace(0.0, 1.0, 6), 1.0 + np.linspace(1e-9, 1e-7, 50), [1.2, 1.4]))
    y = np.where(np.abs(t - 1.0) < 5e-8, 1e6, 0.0)
    by_lines = np.sum(0.5 * (y[1:] + y[:-1]) * np.diff(t))
    assert running_integral(t, y)[-1] == pytest.approx(by_lines, rel=0.1)


_FINE = np.linspace(0.0, 3.0, 20001)
_VALUES = np.exp(np.sin(3.0 * _FINE))
# Simpson's rule on rows so close that its error is below rounding
_EXACT = float(
    (_FINE[1] / 3.0)
    * (_VALUES[0] + 4.0 * _VALUES[1:-1:2].sum() + 2.0 * _VALUES[2:-1:2].sum() + _VALUES[-1])
)
