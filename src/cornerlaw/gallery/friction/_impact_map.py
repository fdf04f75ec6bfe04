"""Map from impact to impact of the vibro-impact oscillator; between them the motion is linear.

With the steady oscillation Re(X exp(i Omega t)) and the free one Re(C exp(lambda s)) over the time
s since the last impact the gap is known in closed form; its next root is the next impact. A mass
that is pushed against the stop hits it at ever shorter intervals; it stays there until the force
lets go.
"""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from cornerlaw.gallery.friction.vibro_impact import Parameters

SAMPLES = 97  # of the gap, in a turn of the force or of the free mass
SLOWEST = 1e-9  # a mass that leaves the stop more slowly under pressure stays, of F / sqrt(k m)


@dataclass(frozen=True)
class Impact:
    """An impact: when, and how fast the mass comes."""

    time: float
    speed: float


def next_impact(p: Parameters, time: float, speed: float) -> Impact:
    """Return the next impact of a mass that leaves the stop at a time with a speed."""
    if speed <= SLOWEST * p.force / math.sqrt(p.stiffness * p.mass):
        time, speed = _release(p, time), 0.0
    return _flight(p, time, speed)


def _release(p: Parameters, time: float) -> float:
    """Return when the force no longer presses the mass on the stop: F cos = k clearance."""
    w = p.frequency
    if p.force * math.cos(w * time) < p.stiffness * p.clearance:
        return time
    turn = 2.0 * math.pi
    phase = math.acos(min(1.0, max(-1.0, p.stiffness * p.clearance / p.force)))
    return time + ((phase - w * time) % turn) / w


def _flight(p: Parameters, time: float, speed: float) -> Impact:
    """Return the first root of the gap behind its start, where it is zero."""
    from scipy.optimize import brentq

    w, delta = p.frequency, 0.5 * p.damping / p.mass
    own = math.sqrt(p.stiffness / p.mass - delta**2)
    rate = complex(-delta, own)
    X = p.force / (p.stiffness - p.mass * w * w + 1j * p.damping * w)
    D = X * cmath.exp(1j * w * time)
    x, v = p.clearance - D.real, -speed - (1j * w * D).real
    C = complex(x, -(v + delta * x) / own)

    def gap(s: float) -> float:
        return p.clearance - (C * cmath.exp(rate * s)).real - (D * cmath.exp(1j * w * s)).real

    def fall(s: float) -> float:
        free, forced = rate * C * cmath.exp(rate * s), 1j * w * D * cmath.exp(1j * w * s)
        return -(free + forced).real

    def mean_rate(s: float) -> float:
        # the gap over s: without the root at the start
        return gap(s) / s if s > 0.0 else speed

    h = 2.0 * math.pi / max(w, own) / SAMPLES
    s = h * np.arange(1, 4 * SAMPLES + 1)
    while True:
        free, forced = C * np.exp(rate * s), D * np.exp(1j * w * s)
        gaps = p.clearance - free.real - forced.real
        falls = -(rate * free + 1j * w * forced).real
        # a pair of roots between two samples has its lowest gap between them
        dips = np.flatnonzero((falls[:-1] < 0.0) & (falls[1:] >= 0.0) & (gaps[:-1] > 0.0))
        closed = np.flatnonzero(gaps <= 0.0)
        end = int(closed[0]) if len(closed) else len(s)
        for k in dips[dips + 1 < end]:
            low = brentq(fall, s[k], s[k + 1], xtol=1e-15)
            if gap(low) < 0.0:
                hit = brentq(gap, s[k], low, xtol=1e-15, rtol=1e-14)
                return Impact(time + hit, -fall(hit))
        if end < len(s):
            before, behind = max(float(s[end]) - h, 0.0), float(s[end])
            # in a periodic orbit impacts fall on a sample, where the sign is rounding
            if mean_rate(before) <= 0.0:
                hit = before
            elif mean_rate(behind) >= 0.0:
                hit = behind
            else:
                hit = brentq(mean_rate, before, behind, xtol=1e-15, rtol=1e-14)
            return Impact(time + hit, -fall(hit))
        s = s + s[-1]


def orbit(p: Parameters, first: Impact, end: float) -> list[Impact]:
    """Return all impacts behind a first one, until a time."""
    found: list[Impact] = []
    now = first
    while now.time < end:
        now = next_impact(p, now.time, p.restitution * now.speed)
        found.append(now)
    return found
