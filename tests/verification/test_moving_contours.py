"""Contours on frames with prescribed motion, against the equation of motion of a rolling disk.

A disk rolls inside a hoop that turns about its centre and is shaken sideways. With the angle theta
of the disk's place from below, the hoop's angle psi and its shift x,

    3/2 (R - r) theta'' = -g sin(theta) - x'' cos(theta) + R psi'' / 2
    N = m ((R - r) theta'^2 + g cos(theta) - x'' sin(theta))

as long as it neither slips nor leaves.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cornerlaw as cl

G, R, r, MASS = 9.81, 0.8, 0.1, 2.0
SHAKE, TURN, FREQUENCY, RATE = 0.05, 0.6, 4.0, 3.0
START = -0.3  # of theta


def shift(t: float) -> float:
    return SHAKE * math.sin(FREQUENCY * t)


def turn(t: float) -> float:
    return TURN * math.sin(RATE * t)


def rim(s: float) -> tuple[float, float]:
    # the body lies to the left: from right to left along the bottom
    return R * math.cos(s), -R * math.sin(s)


def contour(kind: str, frame: cl.Part) -> cl.Part:
    if kind == "circle":
        return cl.Circle("hoop", frame, radius=R, inside=True)
    if kind == "arc":
        return cl.Arc("hoop", frame, radius=R, start=-2.9, end=-0.2, inside=True)
    return cl.Curve("hoop", frame, function=rim, s=(0.2, 2.9))


def model(kind: str) -> cl.Model:
    """Return the disk that rolls at the start, at rest in the shaken hoop."""
    hoop = cl.MovingFrame("frame", position=(shift, 0.0), angle=turn)
    disk = cl.Disk(
        "disk", mass=MASS, radius=r,
        position=((R - r) * math.sin(START), -(R - r) * math.cos(START)),
        velocity=(SHAKE * FREQUENCY, 0.0), spin=R * TURN * RATE / r,
    )  # fmt: skip
    inner = contour(kind, hoop)
    return cl.Model(
        disk, hoop, inner, cl.Contact(disk, inner, mu=2.0, name="touch"), gravity=(0.0, -G)
    )


def reference(times: Any) -> tuple[Any, Any]:
    """Return places relative to the ground and normal forces by an integration of theta."""

    def rate(t: float, y: Any) -> list[float]:
        x_2 = -(FREQUENCY**2) * shift(t)
        psi_2 = -(RATE**2) * turn(t)
        force = -G * math.sin(y[0]) - x_2 * math.cos(y[0]) + 0.5 * R * psi_2
        return [y[1], force / (1.5 * (R - r))]

    found = solve_ivp(
        rate, (0.0, times[-1]), [START, 0.0], t_eval=times, rtol=1e-12, atol=1e-13, method="DOP853"
    )
    theta, speed = found.y
    x = np.array([shift(t) for t in times])
    place = np.column_stack([x + (R - r) * np.sin(theta), -(R - r) * np.cos(theta)])
    normal = (R - r) * speed**2 + G * np.cos(theta) + FREQUENCY**2 * x * np.sin(theta)
    return place, MASS * normal


@pytest.mark.parametrize("kind", ["circle", "arc", "curve"])
def test_a_disk_rolls_in_a_shaken_and_turning_hoop(kind: str) -> None:
    times = np.linspace(0.0, 2.0, 41)
    place, normal = reference(times)
    method = cl.EventDriven(rtol=1e-10, atol=1e-12)
    sol = cl.simulate(model(kind), 2.0, method=method, t_eval=times, progress=False)
    rows = [int(np.flatnonzero(sol.t == t)[-1]) for t in times]
    assert set(sol["touch"].state[rows]) == {4.0}  # it sticks all the time
    np.testing.assert_allclose(sol["disk"].position[rows], place, rtol=0.0, atol=1e-8)
    # forces of acceleration level: the motion of the frame and the curvature are in them
    np.testing.assert_allclose(sol["touch"].lam_N[rows], normal, rtol=0.0, atol=1e-6)


@pytest.mark.parametrize("kind", ["circle", "arc", "curve"])
def test_steps_roll_in_it_with_first_order(kind: str) -> None:
    place = reference(np.array([0.0, 1.0]))[0][-1]
    steps = 4e-3 / 2.0 ** np.arange(6)
    errors = []
    for dt in steps:
        sol = cl.simulate(model(kind), 1.0, method=cl.Moreau(dt=dt), every=50, progress=False)
        errors.append(float(np.abs(sol["disk"].position[-1] - place).max()))
    order = float(np.polyfit(np.log(steps), np.log(errors), 1)[0])
    # without events: first order is promised, up to the second one is what comes out
    assert 0.8 < order < 2.2, errors
    assert errors[-1] < 1e-4
