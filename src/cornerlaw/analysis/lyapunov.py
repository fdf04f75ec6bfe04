"""lyapunov_exponent(): how fast nearby motions part or come together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cornerlaw.analysis.periodic import check_flow, scales
from cornerlaw.analysis.poincare import Bar, Flow
from cornerlaw.arrays.state import Floats
from cornerlaw.errors import SimulationError, UsageError
from cornerlaw.model import Model
from cornerlaw.simulate.methods import Method
from cornerlaw.simulate.states import At

LOST = 1e-8  # of the separation: what is left below this is rounding
PATIENCE = 400  # tenths of an interval to wait until both motions have passed the same events
BLOCKS = 10  # of the run, whose scatter gives the error


@dataclass(frozen=True, eq=False)
class LyapunovExponent:
    """The largest exponent, how it settled, and the scatter over parts of the run.

    value     mean growth rate of small distances [1/s]; above 0 the motion is chaotic
    error     standard error from ten parts of the run
    t         times of the renormalisations
    growth    logarithm of the growth between them
    """

    value: float
    error: float
    t: Floats
    growth: Floats
    t_start: float

    @property
    def history(self) -> Floats:
        """The exponent as it would be if the run had ended at each time."""
        return np.cumsum(self.growth) / (self.t - self.t_start)

    def __repr__(self) -> str:
        return f"<LyapunovExponent: {self.value:.6g} +- {self.error:.2g} 1/s>"


class _Pair:
    """Two motions of one model, close to each other. (T-16.10)"""

    def __init__(self, model: Model, method: Method | None, inputs: Any, separation: float) -> None:
        self.first, self.second = (Flow(model, None, method, inputs) for _ in range(2))
        self.separation = separation
        self.scale: Floats = np.ones(0)

    def part(self, direction: Floats) -> float:
        """Restart both motions, the second next to the first; return their distance."""
        a, b = self.first, self.second
        t, y, status = a.t, a.y, a.status
        moved = y + self.separation * self.scale * direction / np.linalg.norm(direction)
        start = a.project(t, y, status)
        near = b.project(t, moved, status)
        a.set(t, start)
        b.set(t, near)
        return float(np.linalg.norm((near - start) / self.scale))

    def run(self, t_end: float, interval: float) -> Floats:
        """Advance both until they have passed the same events; return their distance as a vector.

        Shortly after an event of the first the second has not passed it yet, and their distance
        is that of the jump.
        """
        a, b = self.first, self.second
        for _ in range(PATIENCE):
            a.to_time(t_end)
            b.to_time(t_end)
            if a.trace.signature == b.trace.signature and (a.status == b.status).all():
                return np.asarray((b.y - a.y) / self.scale)
            t_end += 0.1 * interval
        raise SimulationError(
            f"by t = {t_end:g} s the two motions had not passed the same events again; take a "
            f"shorter interval or a smaller separation"
        )


def lyapunov_exponent(
    model: Model,
    duration: float,
    *,
    interval: float | None = None,
    transient: float = 0.0,
    at: At = None,
    method: Method | None = None,
    inputs: Mapping[str, float] | None = None,
    separation: float = 1e-7,
    seed: int = 0,
    progress: bool | None = None,
) -> LyapunovExponent:
    """Return the largest Lyapunov exponent of a motion, impacts and switches included. (T-16.10)

    duration     length of the run after the transient [s]
    interval     time between renormalisations; a five hundredth of the run unless given
    transient    time before, so that the motion reaches what it settles on [s]
    separation   distance of the two motions after a renormalisation, relative to their size

    Distances that vanish altogether (a motion that sticks forgets where it came from) count as
    1e-8 of the separation.
    """
    check_flow(method)
    if not 0.0 < duration < math.inf or not 0.0 <= transient < math.inf:
        raise UsageError("duration and transient must be finite times, duration above 0")
    interval = duration / 500.0 if interval is None else float(interval)
    if not 0.0 < interval <= duration:
        raise UsageError(f"interval must lie between 0 and the duration, got {interval:g} s")
    if not 1e-12 < separation < 1e-2:
        raise UsageError(f"separation must lie between 1e-12 and 1e-2, got {separation:g}")
    pair = _Pair(model, method, inputs, separation)
    pair.first.begin(at)
    # sizes of all entries, from the transient or a short run
    begin, y = pair.first.t, pair.first.y
    pair.first.to_time(begin + max(transient, 10.0 * interval))
    pair.scale = scales(pair.first, pair.first.trace)
    if transient < 10.0 * interval:
        pair.first.set(begin, y)
        pair.first.to_time(begin + transient)
    return _measure(pair, duration, interval, seed, progress)


def _measure(
    pair: _Pair, duration: float, interval: float, seed: int, progress: bool | None
) -> LyapunovExponent:
    """Collect the growth between renormalisations."""
    rng = np.random.default_rng(seed)
    began = pair.first.t
    direction = rng.standard_normal(pair.scale.size)
    times, growth = [], []
    with Bar("intervals", math.ceil(duration / interval), progress) as bar:
        while pair.first.t < began + duration - 1e-9 * interval:
            start = pair.part(direction)
            while start < 1e-3 * pair.separation:
                # held rows swallowed this direction
                start = pair.part(rng.standard_normal(pair.scale.size))
            end_at = min(pair.first.t + interval, began + duration)
            direction = pair.run(end_at, interval)
            size = float(np.linalg.norm(direction))
            growth.append(math.log(max(size, LOST * start) / start))
            times.append(pair.first.t)
            if size < LOST * start:
                direction = rng.standard_normal(pair.scale.size)
            bar.add()
    t, steps = np.array(times), np.array(growth)
    total = float(steps.sum() / (t[-1] - began))
    return LyapunovExponent(total, _scatter(t, steps, began), t, steps, began)


def _scatter(t: Floats, growth: Floats, began: float) -> float:
    """Return the standard error of the mean over parts of the run."""
    if t.size < 2 * BLOCKS:
        return math.inf
    lengths = np.diff(t, prepend=began)
    rates = [
        g.sum() / dt.sum()
        for g, dt in zip(
            np.array_split(growth, BLOCKS), np.array_split(lengths, BLOCKS), strict=True
        )
    ]
    return float(np.std(rates, ddof=1) / math.sqrt(BLOCKS))
