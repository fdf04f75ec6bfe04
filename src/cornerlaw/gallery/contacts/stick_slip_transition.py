"""Stick-slip transition: two blocks on each other, the lower one is pulled ever harder.

Block 2 rests on block 1, block 1 on the floor; a force that grows and falls again, F(t) = rate t
and later rate (2 t_top - t), pulls block 1. Each of the two contacts sticks or slips to one side:
of the 3^2 combinations the complementarity problem must find the single right one, at every force
and at every transition. With M = m_1 + m_2 the lower contact begins to slip at F = mu_1 M g, both
blocks then move together with a = F/M - mu_1 g until the friction between them is used up at a =
mu_2 g, that is at

    F = (mu_1 + mu_2) M g;

from there block 2 has the acceleration mu_2 g, block 1 (F - mu_1 M g - mu_2 m_2 g) / m_1. When the
force falls, block 1 becomes slower than block 2, and the upper contact sticks again when both
velocities are equal.

Source: Pfeiffer and Glocker 1996, 6.6, which gives the question and no numbers; all chosen.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter

TITLE = "Stick-slip transition of two blocks"
TOPIC = "contacts"
SPEC: tuple[str, ...] = ("E5",)
SOURCE = "Pfeiffer and Glocker 1996, 6.6"
DOF = 4

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Parameters:
    """Two blocks, two coefficients of friction, and the pull."""

    m_1: float = parameter(2.0, "kg", "chosen: the lower block")
    m_2: float = parameter(1.0, "kg", "chosen: the upper block")
    mu_1: float = parameter(0.2, "1", "chosen: floor")
    mu_2: float = parameter(0.3, "1", "chosen: between the blocks, above that of the floor")
    rate: float = parameter(20.0, "N/s", "chosen: a second to the top")
    top: float = parameter(1.0, "s", "chosen: when the force begins to fall, beyond both slips")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")


REFERENCE = {
    # an event fires when the reserve of friction is 1e-9 of the largest force below zero
    "first slip of the lower contact": Reference(0.0, 2e-8, "F = mu_1 M g, relative"),
    "first slip of the upper contact": Reference(0.0, 2e-8, "F = (mu_1 + mu_2) M g, relative"),
    "upper contact sticks again": Reference(0.0, 1e-9, "velocities in closed form, relative"),
    "right combinations per pull": Reference(1.0, 0.0, "Pfeiffer and Glocker: a single one"),
    "pulls where the run finds another one": Reference(0.0, 0.0, "Pfeiffer and Glocker 1996, 6.6"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"m_2": 1.2},
    {"mu_1": 0.24},
    {"mu_2": 0.36},
    {"rate": 24.0},
    {"gravity": 7.85},
)


def slip_times(p: Parameters) -> tuple[float, float]:
    """Return when the lower and the upper contact begin to slip."""
    load = (p.m_1 + p.m_2) * p.gravity
    return p.mu_1 * load / p.rate, (p.mu_1 + p.mu_2) * load / p.rate


def stick_time(p: Parameters) -> float:
    """Return when both blocks have the same velocity again.

    Since the upper contact slipped at t_2, the relative acceleration is (F - F_2) / m_1; its
    integral is (t - t_2)^2 rate / (2 m_1) up to the top. With s = t_top - t_2 and d the time after
    it the difference is proportional to s^2/2 + s d - d^2/2, zero at d = s (1 + sqrt(2)).
    """
    s = p.top - slip_times(p)[1]
    return p.top + s * (1.0 + math.sqrt(2.0))


def enumerate_states(p: Parameters, force: float) -> list[tuple[int, int]]:
    """Return the combinations (lower, upper) that obey the laws with both blocks at rest.

    0 sticks, +1 and -1 slip: bounds hold where it sticks, slip goes against the friction.
    """
    M = p.m_1 + p.m_2
    bound = np.array([p.mu_1 * M * p.gravity, p.mu_2 * p.m_2 * p.gravity])
    # relative accelerations of both contacts: friction on block 1 from below and from above
    G = np.array([[1.0 / p.m_1, -1.0 / p.m_1], [-1.0 / p.m_1, 1.0 / p.m_1 + 1.0 / p.m_2]])
    c = np.array([force / p.m_1, -force / p.m_1])
    found = []
    for state in itertools.product((0, 1, -1), repeat=2):
        signs = np.array(state)
        lam = -signs * bound
        stuck = np.flatnonzero(signs == 0)
        if stuck.size:
            rest = c[stuck] + G[np.ix_(stuck, np.flatnonzero(signs))] @ lam[signs != 0]
            lam[stuck] = np.linalg.solve(G[np.ix_(stuck, stuck)], -rest)
        slip = G @ lam + c
        if (np.abs(lam) <= bound).all() and (slip * signs)[signs != 0].min(initial=1.0) > 1e-12:
            found.append((int(state[0]), int(state[1])))
    return found


def _blocks(p: Parameters, h: Any) -> cl.Model:
    """Return both blocks in their coordinates, at rest."""
    blocks = cl.LagrangianSystem(
        "blocks",
        M=np.diag([p.m_1, p.m_1, p.m_2, p.m_2]),
        h=h,
        q0=(0.0, 0.0, 0.0, 0.0),
        coordinates=("x_1", "y_1", "x_2", "y_2"),
    )
    lower = cl.UserContact(
        "lower", on=blocks, gap=0.0, normal=(0.0, 1.0, 0.0, 0.0), tangent=(1.0, 0.0, 0.0, 0.0),
        mu=p.mu_1,
    )  # fmt: skip
    upper = cl.UserContact(
        "upper", on=blocks, gap=0.0, normal=(0.0, -1.0, 0.0, 1.0), tangent=(-1.0, 0.0, 1.0, 0.0),
        mu=p.mu_2,
    )  # fmt: skip
    return cl.Model(blocks, lower, upper, name="stick-slip-transition")


def build(p: Parameters) -> cl.Model:
    """Return the blocks under the force that grows and falls."""
    rate, top, w_1, w_2 = p.rate, p.top, p.m_1 * p.gravity, p.m_2 * p.gravity

    def pull(q: Any, u: Any, t: float) -> Any:
        h = np.zeros(4)
        h[0] = rate * t if t < top else rate * (2.0 * top - t)
        h[1] = -w_1
        h[3] = -w_2
        return h

    return _blocks(p, pull)


def build_pulled(p: Parameters, force: float) -> cl.Model:
    """Return the blocks under a constant pull."""
    return _blocks(p, (force, -p.m_1 * p.gravity, 0.0, -p.m_2 * p.gravity))


def scene(p: Parameters) -> dict[str, Any]:
    """Return the blocks on each other, as wide as the root of their mass, on the floor."""
    high, wide = 0.3, 0.7
    floor = {"type": "halfplane", "at": [0.0, 0.0, 0.0], "normal": [0.0, 1.0, 0.0]}
    bodies: list[dict[str, Any]] = [
        {"name": "floor", "role": "ground", "pose": "world", "shapes": [floor]}
    ]
    touching = []
    for k, (m, contact) in enumerate(((p.m_1, "lower"), (p.m_2, "upper"))):
        name, place = f"block {k + 1}", (k + 0.5) * high
        box = {"type": "box", "size": [wide * math.sqrt(m), high, high], "at": [0.0, 0.0, 0.0]}
        x, y = f"blocks.x_{k + 1}", f"blocks.y_{k + 1}"
        pose = {"x": [0.0, [[x, 1.0]]], "y": [place, [[y, 1.0]]]}
        bodies.append({"name": name, "role": "body", "pose": pose, "shapes": [box]})
        touching.append({"name": contact, "body": name, "at": [0.0, -0.5 * high, 0.0]})
    return {
        "version": 1, "name": "stick-slip transition", "dim": 2, "size": 1.0,
        "gravity": [0.0, -p.gravity], "bodies": bodies, "contacts": touching,
    }  # fmt: skip


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run until the upper contact has stuck again."""
    options.setdefault("t_end", stick_time(p) + 0.1)
    # no step across the corner of the force
    options.setdefault("method", cl.EventDriven(rtol=1e-12, atol=1e-14, max_step=0.01))
    return cl.simulate(build(p), **options)


def other_states(p: Parameters) -> tuple[list[int], int]:
    """Return how many combinations are right for each pull, and where the run has another one."""
    counts, wrong = [], 0
    load = (p.m_1 + p.m_2) * p.gravity
    code = {0: 4, 1: 2, -1: 3}
    for part in (-0.6, -0.4, -0.1, 0.0, 0.15, 0.3, 0.45, 0.7):
        right = enumerate_states(p, part * load)
        counts.append(len(right))
        sol = cl.simulate(
            build_pulled(p, part * load), t_end=1e-3, progress=False, method=cl.EventDriven()
        )
        found = [int(sol[f"{name}.state"][-1]) for name in ("lower", "upper")]
        wrong += found != [code[sign] for sign in right[0]]
    return counts, wrong


def event_time(sol: cl.Solution, name: str, kind: str, number: int = 0) -> float:
    """Return the time of an event, nan if there is none."""
    times = [e.time for e in sol.events if e.name == name and e.kind == kind and e.time > 0.0]
    return times[number] if len(times) > number else math.nan


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare the transitions with their closed forms, and the states of many pulls."""
    lower, upper = slip_times(p)
    counts, wrong = other_states(p)
    found = {
        "first slip of the lower contact": event_time(sol, "lower", "slip") / lower - 1.0,
        "first slip of the upper contact": event_time(sol, "upper", "slip") / upper - 1.0,
        "upper contact sticks again": event_time(sol, "upper", "stick") / stick_time(p) - 1.0,
        "right combinations per pull": float(max(counts) if min(counts) == 1 else min(counts)),
        "pulls where the run finds another one": float(wrong),
    }
    checks = [check_reference(name, value, REFERENCE) for name, value in found.items()]
    # while both slip block 2 has the acceleration mu_2 g
    t, velocity = sol.t, np.asarray(sol["blocks.x_2_dot"])
    rows = (t > upper) & (t < stick_time(p)) & (np.asarray(sol["upper.state"]) == 3)
    slope = np.polyfit(t[rows], velocity[rows], 1)[0] if rows.sum() > 2 else math.nan
    checks.append(compare("upper block over mu_2 g", slope / (p.mu_2 * p.gravity), 1.0, 1e-9))
    return checks


def show(sol: cl.Solution) -> Any:
    """Draw both velocities and both friction forces."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2)
        for k, name in enumerate(("lower", "upper")):
            velocity = sol[f"blocks.x_{k + 1}_dot"]
            left.plot(sol.t, velocity, color=COLOURS[k], label=f"{name} block")
            right.plot(sol.t, sol[f"{name}.lam_T"], color=COLOURS[k], label=f"{name} contact")
        left.set_ylabel(axis_label("velocity", "m/s"))
        right.set_ylabel(axis_label("friction", "N"))
        for axes in (left, right):
            axes.set_xlabel(axis_label("time", "s"))
            add_legend(axes)
    return figure
