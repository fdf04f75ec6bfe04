"""Linear vibrations: M, D, G, K, N about a state, their response, proportional damping."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cornerlaw.drives._names import not_negative, positive
from cornerlaw.errors import UnknownNameError, UsageError
from cornerlaw.model import Model

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]


@dataclass(frozen=True, eq=False)
class MDGKN:
    """M y'' + (D + G) y' + (K + N) y = f about a state; M, D, K symmetric, G, N skew. (T-20.42)

    coordinates   names of all coordinates; they move by basis y
    basis         one column for each independent coordinate y
    """

    coordinates: tuple[str, ...]
    basis: Floats
    M: Floats
    D: Floats
    G: Floats
    K: Floats
    N: Floats

    @property
    def complete(self) -> bool:
        """Whether the damping acts on every velocity by itself: D is positive definite."""
        values = np.linalg.eigvalsh(self.D)
        return bool(values.min() > 1e-9 * max(np.abs(values).max(), 1e-300))

    def response(self, on: str, of: str, frequencies: Sequence[float]) -> Complexes:
        """Return amplitude and phase of a coordinate under a unit harmonic force on another one.

        y(i w) = [-w^2 M + i w (D + G) + K + N]^-1 f; the names are those of `coordinates`.
        """
        force, row = self.basis[self._place(on)], self.basis[self._place(of)]
        found = []
        for w in frequencies:
            stiffness = -(w**2) * self.M + 1j * w * (self.D + self.G) + self.K + self.N
            found.append(row @ np.linalg.solve(stiffness, force.astype(np.complex128)))
        return np.array(found, dtype=np.complex128)

    def _place(self, name: str) -> int:
        if name not in self.coordinates:
            known = ", ".join(self.coordinates)
            raise UnknownNameError(f"MDGKN: there is no coordinate {name!r}; there are {known}")
        return self.coordinates.index(name)


def mdgkn(model: Model, at: Any = None) -> MDGKN:
    """Return the matrices of small vibrations of a model about a state, as in cl.linearise.

    Corner laws (stops, play, clutches, friction) are left out; those that hold at the state are
    named in a warning.
    """
    from cornerlaw.analysis import linearise

    found = linearise(model, at)
    if found.states or found.M is None or found.P is None or found.Q is None:
        what = ", ".join(found.states) or "velocities without coordinates"
        raise UsageError(
            f"mdgkn: the model has {what}, which M, D, G, K, N do not hold; use linearise"
        )
    P, Q = found.P, found.Q
    return MDGKN(
        found.all_coordinates, found.basis, 0.5 * (found.M + found.M.T),
        0.5 * (P + P.T), 0.5 * (P - P.T), 0.5 * (Q + Q.T), 0.5 * (Q - Q.T),
    )  # fmt: skip


def proportional_damping(
    first: tuple[float, float], second: tuple[float, float]
) -> tuple[float, float]:
    """Return alpha and beta of D = alpha M + beta K from two modes. (T-20.43)

    first, second   angular frequency [rad/s] and Lehr's damping ratio; every other mode has
                    (alpha / w + beta w) / 2
    """
    (w_1, d_1), (w_2, d_2) = first, second
    positive("proportional_damping", first=w_1, second=w_2)
    not_negative("proportional_damping", first_ratio=d_1, second_ratio=d_2)
    if w_1 == w_2:
        raise UsageError(f"proportional_damping: both modes have the frequency {w_1:g} rad/s")
    rows = 0.5 * np.array([[1.0 / w_1, w_1], [1.0 / w_2, w_2]])
    alpha, beta = np.linalg.solve(rows, [d_1, d_2])
    return float(alpha), float(beta)


@dataclass(frozen=True)
class Oscillator:
    """m x'' + d x' + k x = F cos(w t). (T-20.44)"""

    mass: float
    damping: float
    stiffness: float

    def __post_init__(self) -> None:
        positive("Oscillator", mass=self.mass, stiffness=self.stiffness)
        not_negative("Oscillator", damping=self.damping)

    @property
    def decay(self) -> float:
        """d / 2 m, the rate at which free vibrations fade [1/s]."""
        return 0.5 * self.damping / self.mass

    @property
    def undamped(self) -> float:
        """sqrt(k / m) [rad/s]."""
        return math.sqrt(self.stiffness / self.mass)

    @property
    def damped(self) -> float:
        """The frequency of free vibrations, sqrt(w_0^2 - delta^2); 0 where they creep [rad/s]."""
        return math.sqrt(max(0.0, self.undamped**2 - self.decay**2))

    @property
    def peak(self) -> float:
        """The frequency of the largest amplitude, sqrt(w_0^2 - 2 delta^2); 0 without one [rad/s].

        The source calls this the damped natural frequency, which it is not.
        """
        return math.sqrt(max(0.0, self.undamped**2 - 2.0 * self.decay**2))

    def amplitude(self, force: float, frequency: float) -> float:
        """Return the amplitude under a harmonic force."""
        stiff = self.stiffness - self.mass * frequency**2
        return force / math.hypot(stiff, self.damping * frequency)

    def phase(self, frequency: float) -> float:
        """Return the angle by which the motion lags behind the force, from 0 to pi [rad]."""
        stiff = self.stiffness - self.mass * frequency**2
        return math.atan2(self.damping * frequency, stiff)
