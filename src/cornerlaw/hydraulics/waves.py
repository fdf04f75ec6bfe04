"""Waves in lines: shape functions, matrices, friction and eigenfrequencies.

The state of a line is the displacement of its oil, xi(x, t) = q(t) . w(x). Its natural boundary
data are the pressures at both ends, and the flows that do work with them are w(0) and w(L) times
the same q_dot: coupled to junctions a line neither makes nor loses power.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cornerlaw.errors import ModelError
from cornerlaw.hydraulics.fluid import Fluid
from cornerlaw.hydraulics.friction import frequency_factor, womersley

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LineMatrices:
    """M q_ddot + D q_dot + K q = w_start p_A - w_end p_E in modal coordinates. (T-21.15)

    M, K and D are diagonals; `start` and `end` are w at both ends, without the area.
    """

    area: float
    M: Floats
    K: Floats
    D: Floats
    start: Floats
    end: Floats

    @property
    def frequencies(self) -> Floats:
        """Frequencies between two constant pressures [Hz], the first one 0."""
        return np.asarray(np.sqrt(self.K / self.M) / (2.0 * math.pi))

    def closed_frequencies(self) -> Floats:
        """Frequencies with the end closed and a constant pressure at the start [Hz].

        The closed end is the row end . q_dot = 0, removed by its null space.
        """
        return _constrained(self, self.end[None, :])


def line_matrices(
    fluid: Fluid,
    length: float,
    diameter: float,
    n: int,
    shapes: str = "harmonic",
    frequency_dependent: bool = True,
) -> LineMatrices:
    """Return the matrices of a line with n + 1 shape functions. (T-21.14)

    "harmonic" are cos(i pi x / L), i = 0 to n; "spline" are cubic B-splines on equal knots
    (n >= 3). Splines are turned into their own modes, so that the matrices are diagonal in both
    cases, and friction grows with the frequency of each mode; the rigid one keeps that of steady
    flow.
    """
    for name, value in (("length", length), ("diameter", diameter)):
        if not value > 0.0:
            raise ModelError(f"line_matrices: {name} must be > 0, got {value:g} m")
    area = 0.25 * math.pi * diameter**2
    if shapes == "harmonic":
        ww, dd, start, end = _harmonic(length, n)
    elif shapes == "spline":
        ww, dd, start, end = _spline_modes(length, n)
    else:
        raise ModelError(f"line_matrices: shapes must be 'harmonic' or 'spline', got {shapes!r}")
    M, K = fluid.density * area * ww, fluid.bulk * area * dd
    omega = np.sqrt(np.maximum(K / M, 0.0))
    N = np.ones(len(ww))
    if frequency_dependent:
        N[1:] = [frequency_factor(womersley(w, 0.5 * diameter, fluid.viscosity)) for w in omega[1:]]
    D = 8.0 * math.pi * fluid.dynamic_viscosity * ww * N
    return LineMatrices(area, M, K, D, start, end)


def _harmonic(length: float, n: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the diagonals of int w w and int w' w', and w at both ends."""
    if n < 0:
        raise ModelError(f"line_matrices: n must be >= 0, got {n}")
    i = np.arange(n + 1, dtype=np.float64)
    ww = np.full(n + 1, 0.5 * length)
    ww[0] = length
    dd = (i * math.pi) ** 2 / (2.0 * length)
    return ww, dd, np.ones(n + 1), (-1.0) ** i


def _spline_modes(length: float, n: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the same of cubic B-splines, in the coordinates of their own modes."""
    from scipy.interpolate import BSpline
    from scipy.linalg import eigh

    if n < 3:
        raise ModelError(f"line_matrices: splines need n >= 3, got {n}")
    degree = 3
    knots = np.concatenate((np.zeros(degree), np.linspace(0.0, length, n - 1), [length] * degree))
    basis = BSpline(knots, np.eye(n + 1), degree)
    # products of cubics have degree 6: four points per interval are exact
    nodes, weights = np.polynomial.legendre.leggauss(4)
    half = 0.5 * length / (n - 2)
    x = np.concatenate([(2 * k + 1) * half + half * nodes for k in range(n - 2)])
    w = np.tile(half * weights, n - 2)
    values, slopes = basis(x).T, basis.derivative()(x).T
    ww, dd = (values * w) @ values.T, (slopes * w) @ slopes.T
    squares, modes = eigh(dd, ww)
    squares[0] = 0.0  # the rigid mode, exactly
    # clamped splines: only the first is 1 at the start, only the last at the end; modes are scaled
    # so that they are 1 at the start like cosines
    scale = modes[0]
    return 1.0 / scale**2, squares / scale**2, np.ones(n + 1), modes[-1] / scale


def _constrained(line: LineMatrices, rows: Floats) -> Floats:
    from scipy.linalg import eigh, null_space

    Z = null_space(rows)
    squares = eigh(Z.T @ np.diag(line.K) @ Z, Z.T @ np.diag(line.M) @ Z, eigvals_only=True)
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)) / (2.0 * math.pi))


def joukowsky(fluid: Fluid, dv: float) -> float:
    """Return the pressure of a wave that changes the speed of the oil by dv, rho c dv [Pa]."""
    return fluid.density * fluid.wave_speed * dv
