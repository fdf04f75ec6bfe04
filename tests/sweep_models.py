"""A model and measures for the tests of sweeps; workers import them by name."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np

import cornerlaw as cl

METHOD = cl.RungeKutta4(dt=1e-3)
VARY = {"spring.stiffness": [10.0, 20.0, 40.0], "spring.damping": [0.0, 0.5, -1.0]}


def build(stiffness: float = 50.0, damping: float = 0.5) -> cl.Model:
    """Return a point mass on a spring."""
    ball = cl.PointMass("ball", mass=1.0, position=(1.2, 0.0))
    spring = cl.Spring("spring", cl.Ground(), ball, stiffness=stiffness, damping=damping, rest=1.0)
    return cl.Model(ball, spring)


def speeds(sol: cl.Solution) -> dict[str, object]:
    """Return a number and an array."""
    v = np.abs(sol["ball"].velocity)
    return {"fastest": v.max(), "both ends": v[[0, -1], 0]}


def kills_its_worker_once(sol: cl.Solution) -> float:
    """Kill the process that measures, the first time."""
    mark = Path(os.environ["SWEEP_MARK"])
    if not mark.exists():
        mark.write_text(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGKILL)
    return float(sol["ball"].position[-1, 0])


def kills_its_worker_in_the_end(sol: cl.Solution) -> float:
    """Kill the process that measures at the stiffest spring without damping, the first time."""
    stiff = sol["energy.potential"][0] > 0.7  # 40 N/m, drawn by 0.2 m
    even = abs(sol["energy.total"][-1] - sol["energy.total"][0]) < 1e-6
    return kills_its_worker_once(sol) if stiff and even else float(sol["ball"].position[-1, 0])


def always_kills(sol: cl.Solution) -> float:
    """Kill every process that measures a spring without damping."""
    if abs(sol["energy.total"][-1] - sol["energy.total"][0]) < 1e-6:
        os.kill(os.getpid(), signal.SIGKILL)
    return float(sol["ball"].position[-1, 0])


def slow(sol: cl.Solution) -> float:
    """Return a number after a while."""
    time.sleep(float(os.environ.get("SWEEP_SLEEP", "0")))
    return float(sol["ball"].position[-1, 0])


def misbehaves(sol: cl.Solution) -> float:
    """Raise, abort, hang or ask for all memory, as the stiffness says; else return a number."""
    k = round(float(sol["energy.potential"][0] / 0.02))  # stiffness of a spring drawn by 0.2 m
    if k % 20 == 7:
        raise ValueError("out of luck")
    if k in (1011, 1222):
        os.abort()
    if k in (1033, 1244):
        time.sleep(1e6)
    if k == 1055:
        hoard = [np.ones(2**24) for _ in range(10**4)]
        return float(len(hoard))
    return float(sol["ball"].position[-1, 0])
