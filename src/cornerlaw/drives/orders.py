# mypy: allow-untyped-defs
"""Run-ups and resonance curves: harmonic excitation, order spectra, sweeps over frequency."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cornerlaw.drives._names import coordinate
from cornerlaw.errors import UsageError
from cornerlaw.model import ForceElement, Model

Floats = NDArray[np.float64]


def _harmonic_law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    Q[0] = p[0] * math.sin(p[1] * t + p[2] * t * t)


def harmonic(
    name: str, on: Any, *, amplitude: float, frequency: float, rate: float = 0.0
) -> ForceElement:
    """Return a harmonic force or torque on an axis, amplitude sin(frequency t + rate t^2).

    With a rate the frequency [rad/s] runs up by 2 rate per second. Its numbers are parameters:
    a sweep compiles nothing.
    """
    return ForceElement(
        name,
        coordinates=(coordinate(f"harmonic {name!r}", on),),
        law=_harmonic_law,
        parameters={"amplitude": amplitude, "frequency": frequency, "rate": rate},
    )


@dataclass(frozen=True, eq=False)
class Response:
    """Amplitudes over the frequency of an excitation.

    frequency   [rad/s]
    amplitude   half the range of the channel in the last periods
    """

    frequency: Floats
    amplitude: Floats

    @property
    def peak(self) -> tuple[float, float]:
        """Frequency and height of the largest amplitude."""
        k = int(np.argmax(self.amplitude))
        return float(self.frequency[k]), float(self.amplitude[k])


def frequency_response(
    model: Model,
    channel: str,
    frequencies: Sequence[float],
    *,
    drive: str = "drive",
    settle: int = 40,
    keep: int = 4,
    samples: int = 64,
    method: Any = None,
) -> Response:
    """Return the amplitudes of a channel under a `harmonic` called `drive`, frequency by frequency.

    Each run starts where the one before has ended, so that a jump of a bent curve shows.
    """
    from cornerlaw.simulate import simulate

    if not len(frequencies):
        raise UsageError("frequency_response: give at least one frequency")
    found, state = [], None
    for w in frequencies:
        period = 2.0 * math.pi / float(w)
        changed = model.replace({f"{drive}.parameters.frequency": float(w)})
        t = np.concatenate(
            ([0.0], settle * period + np.linspace(0.0, keep * period, keep * samples + 1))
        )
        sol = simulate(
            changed, float(t[-1]), method=method, t_eval=t, initial=state, t_start=0.0,
            progress=False,
        )  # fmt: skip
        late = sol.t >= settle * period
        found.append(0.5 * float(np.ptp(sol.array(channel)[late])))
        state = sol.final
    return Response(np.array(frequencies, dtype=np.float64), np.array(found))


@dataclass(frozen=True, eq=False)
class Campbell:
    """Orders of a signal over the speed of a run-up.

    speed       mean speed of every window [rad/s]
    order       multiples of the rotation
    amplitude   (windows, orders)
    """

    speed: Floats
    order: Floats
    amplitude: Floats

    def cut(self, order: float) -> Floats:
        """Return the amplitude of the nearest order over the speed."""
        k = int(np.argmin(np.abs(self.order - order)))
        cut: Floats = self.amplitude[:, k]
        return cut


def campbell(
    t: Floats,
    angle: Floats,
    signal: Floats,
    *,
    turns: int = 8,
    samples: int = 64,
    overlap: float = 0.5,
) -> Campbell:
    """Return the order analysis of a run-up: windows of whole turns, sampled over the angle.

    turns     length of a window, 1 / turns is the resolution of the orders
    samples   per turn, so that orders up to samples / 2 are seen

    Sampling over the angle keeps an order in its line while the speed changes. A Hann window keeps
    other orders out; amplitudes are corrected for it.
    """
    keep = np.concatenate(([True], np.diff(t) > 0.0))
    t, angle, signal = t[keep], angle[keep], signal[keep]
    if np.any(np.diff(angle) <= 0.0):
        raise UsageError("campbell: the angle must increase; the shaft must not stop or turn back")
    total = int((angle[-1] - angle[0]) / (2.0 * math.pi))
    if total < turns:
        raise UsageError(f"campbell: {turns} turns are needed, the run has {total}")
    grid = angle[0] + 2.0 * math.pi * np.arange(total * samples) / samples
    values, times = np.interp(grid, angle, signal), np.interp(grid, angle, t)
    n = turns * samples
    step = max(1, int(n * (1.0 - overlap)))
    window = np.hanning(n + 1)[:-1]
    speeds, rows = [], []
    for k in range(0, len(grid) - n + 1, step):
        part = values[k : k + n]
        spectrum = np.fft.rfft((part - part.mean()) * window)
        rows.append(2.0 * np.abs(spectrum) / window.sum())
        speeds.append((grid[k + n - 1] - grid[k]) / (times[k + n - 1] - times[k]))
    order = np.arange(len(rows[0])) / turns
    return Campbell(np.array(speeds), order, np.array(rows))
