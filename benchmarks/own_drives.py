"""Scene "own drives": a user's gear law and clutch against the built-in ones, time per step.

The same pair of rotors runs with `drives.gear_mesh` and with a force element written by a user, and
with `Clutch` and a `UserSet`; fixed steps, measured in turn in one process, processor time.

    python benchmarks/own_drives.py
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw import drives
from cornerlaw.gallery.text_table import format_table

MOST = 1.5
REPEATS = 4
STEPS = 100000


def teeth(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):  # type: ignore[no-untyped-def]
    """The gear law of a user: two flanks that never pull."""
    way, rate = p[0] * q[0] + p[1] * q[1], p[0] * u[0] + p[1] * u[1]
    depth = max(abs(way) - 0.5 * p[4], 0.0)
    force = 0.0
    if depth > 0.0:
        force = np.sign(way) * max(0.0, p[2] * depth + p[3] * np.sign(way) * rate)
    Q[0] = -p[0] * force
    Q[1] = -p[1] * force


def _rotors(*speeds: float) -> tuple[cl.Rotor, cl.Rotor]:
    return (
        cl.Rotor("first", inertia=1e-3, speed=speeds[0]),
        cl.Rotor("second", inertia=4e-3, speed=speeds[1]),
    )


def gear(own: bool) -> cl.Model:
    """Return two gears that rattle between their flanks."""
    a, b = _rotors(10.0, 0.0)
    if own:
        mesh = cl.ForceElement(
            "mesh", coordinates=("first.angle", "second.angle"), law=teeth,
            parameters={"r1": 0.04, "r2": 0.08, "c": 5e6, "d": 50.0, "play": 1e-4},
        )  # fmt: skip
    else:
        mesh = drives.gear_mesh(
            "mesh", a, b, radius_1=0.04, radius_2=0.08, stiffness=5e6, damping=50.0, backlash=1e-4,
        )  # fmt: skip
    return cl.Model(a, b, mesh, drives.harmonic("drive", a, amplitude=2.0, frequency=300.0))


def lower(t, q, u):  # type: ignore[no-untyped-def]
    """The clutch of a user: its torque while the first axis is faster."""
    return -1.0 / (1.0 + 0.01 * abs(u))


def upper(t, q, u):  # type: ignore[no-untyped-def]
    """And while the second is."""
    return 1.0 / (1.0 + 0.01 * abs(u))


def capacity(t, q, u):  # type: ignore[no-untyped-def]
    """The same as the capacity of the built-in clutch."""
    return 1.0 / (1.0 + 0.01 * abs(u))


def clutch(own: bool) -> cl.Model:
    """Return two rotors with a clutch between them that slips and sticks."""
    a, b = _rotors(100.0, 0.0)
    if own:
        part: Any = cl.UserSet(
            "clutch", coordinates=("first.angle", "second.angle"), coefficients=(1.0, -1.0),
            lower=lower, upper=upper,
        )  # fmt: skip
    else:
        part = cl.Clutch("clutch", a, b, capacity=capacity)
    return cl.Model(a, b, part, drives.harmonic("drive", a, amplitude=3.0, frequency=60.0))


def _seconds(model: cl.Model, dt: float, steps: int) -> float:
    """Return the processor time of a run with so many steps."""
    ends = np.array([0.0, steps * dt])
    began = time.process_time()
    cl.simulate(model, float(ends[1]), method=cl.Moreau(dt=dt), t_eval=ends, progress=False)
    return time.process_time() - began


def pair(make: Callable[[bool], cl.Model], dt: float) -> tuple[float, float]:
    """Return the least time per step of the built-in part and of the user's, without the start."""
    models = [make(False), make(True)]
    long, short = [np.inf, np.inf], [np.inf, np.inf]
    for _ in range(REPEATS):
        for k, model in enumerate(models):
            short[k] = min(short[k], _seconds(model, dt, STEPS // 10))
            long[k] = min(long[k], _seconds(model, dt, STEPS))
    built_in, own = ((a - b) / (0.9 * STEPS) for a, b in zip(long, short, strict=True))
    return float(built_in), float(own)


def measure(*, peers: bool = False) -> dict[str, Any]:
    """Return seconds per step of both parts and both kinds; there is no peer."""
    found = {}
    for name, make, dt in (("gear law", gear, 1e-6), ("clutch", clutch, 1e-5)):
        built_in, own = pair(make, dt)
        found[name] = {"built_in": built_in, "own": own, "ratio": own / built_in}
    return found


def format_result(result: dict[str, Any]) -> str:
    """Return the table."""
    rows = [
        [name, f"{1e6 * x['built_in']:.3f}", f"{1e6 * x['own']:.3f}", f"{x['ratio']:.2f}"]
        for name, x in result.items()
    ]
    table = format_table(("part", "built in [us]", "own [us]", "ratio"), rows)
    met = all(x["ratio"] <= MOST for x in result.values())
    return f"{table}\ngoal: ratio at most {MOST}: {'met' if met else 'MISSED'}"


if __name__ == "__main__":
    print(format_result(measure()))
