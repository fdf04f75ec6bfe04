"""Detachment: a beam on two supports is pulled up at one point; which support does it leave?

A homogeneous beam of half-length a lies on supports at its ends. A force F(t) = rate t pulls it up
at the distance x from its middle. With both supports closed

    lam_left = (m g - F (1 - x/a)) / 2,   lam_right = (m g - F (1 + x/a)) / 2,

so that the nearer end leaves when F = m g / (1 + x/a). Then the beam turns about the other end,
whose force follows from its acceleration being zero,

    lam_left = (m g - F + m a x F / J) / (1 + m a^2 / J),  J = m a^2 / 3

(at the instant it lifts). Each support is open or closed: of the four combinations the
complementarity problem must find the single right one. For x beyond a/3, the centre of percussion,
the far end is pressed down however strong the pull is; nearer to the middle it leaves, too.

Source: Pfeiffer and Glocker 1996, 6.5, which gives the question and no numbers; all chosen.
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

TITLE = "Detachment of a beam from two supports"
TOPIC = "contacts"
SPEC: tuple[str, ...] = ("E4",)
SOURCE = "Pfeiffer and Glocker 1996, 6.5"
DOF = 2

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Parameters:
    """Beam, and the force that pulls it."""

    mass: float = parameter(3.0, "kg", "chosen: forces scale with it")
    half_length: float = parameter(0.6, "m", "chosen: a plank")
    place: float = parameter(0.25, "1", "chosen: x/a of the pull, nearer than a third")
    rate: float = parameter(60.0, "N/s", "chosen: leaves after less than half a second")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")


REFERENCE = {
    # an event fires when the force is 1e-9 of the largest one below zero
    "time of the first detachment": Reference(0.0, 1e-8, "statics, relative"),
    "force of the far end, before": Reference(0.0, 1e-8, "statics, over the weight"),
    "force of the far end, right after": Reference(0.0, 1e-8, "derived, over the weight"),
    "right combinations per pull": Reference(1.0, 0.0, "Pfeiffer and Glocker: a single one"),
    "pulls where the run finds another one": Reference(0.0, 0.0, "Pfeiffer and Glocker 1996, 6.5"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"mass": 3.6},
    {"place": 0.3},
    {"rate": 72.0},
    {"gravity": 7.85},
)


def detach_time(p: Parameters) -> float:
    """Return when the near end leaves."""
    return p.mass * p.gravity / (1.0 + p.place) / p.rate


def matrix(p: Parameters) -> tuple[Floats, Floats]:
    """Return G = W^T M^-1 W and W^T M^-1 of the two supports, left and right."""
    a, J = p.half_length, p.mass * p.half_length**2 / 3.0
    W = np.array([[1.0, 1.0], [-a, a]])  # rows: lift and turn
    inverse = np.diag([1.0 / p.mass, 1.0 / J])
    return W.T @ inverse @ W, W.T @ inverse


def enumerate_states(p: Parameters, force: float) -> list[tuple[tuple[bool, bool], Floats]]:
    """Return all combinations of closed supports that obey the laws, with their forces.

    The beam is at rest: closed ends have no acceleration and push, open ones rise.
    """
    G, action = matrix(p)
    pull = np.array([force - p.mass * p.gravity, force * p.place * p.half_length])
    c = action @ pull
    found = []
    for closed in itertools.product((False, True), repeat=2):
        rows = np.flatnonzero(closed)
        lam = np.zeros(2)
        if rows.size:
            lam[rows] = np.linalg.solve(G[np.ix_(rows, rows)], -c[rows])
        rise = G @ lam + c
        if lam.min() >= 0.0 and (rise[np.flatnonzero(~np.array(closed))] > 0.0).all():
            found.append(((bool(closed[0]), bool(closed[1])), lam))
    return found


def _beam(p: Parameters, pull: Any) -> cl.Model:
    """Return the beam in the coordinates lift and turn, at rest on both supports."""
    a = p.half_length
    beam = cl.LagrangianSystem(
        "beam",
        M=((p.mass, 0.0), (0.0, p.mass * a * a / 3.0)),
        h=pull,
        q0=(0.0, 0.0),
        coordinates=("lift", "turn"),
    )
    supports = [
        cl.UserContact(name, on=beam, gap=0.0, normal=(1.0, side * a))
        for name, side in (("left", -1.0), ("right", 1.0))
    ]
    return cl.Model(beam, *supports, name="detachment")


def build(p: Parameters) -> cl.Model:
    """Return the beam under the growing pull."""
    rate, weight, lever = p.rate, p.mass * p.gravity, p.place * p.half_length

    def pull(q: Any, u: Any, t: float) -> Any:
        h = np.zeros(2)
        h[0] = rate * t - weight
        h[1] = lever * rate * t
        return h

    return _beam(p, pull)


def build_pulled(p: Parameters, force: float) -> cl.Model:
    """Return the beam under a pull that acts from the start."""
    return _beam(p, (force - p.mass * p.gravity, force * p.place * p.half_length))


def scene(p: Parameters) -> dict[str, Any]:
    """Return the beam on the tips of its two supports."""
    a, high = p.half_length, 0.05
    beam = {"type": "box", "size": [2.0 * a, high, high], "at": [0.0, 0.0, 0.0]}
    tip = [[0.0, 0.0], [0.06, -0.15], [-0.06, -0.15]]
    supports = [
        {
            "type": "outline",
            "points": [[x + side * a, y - 0.5 * high] for x, y in tip],
            "closed": True,
        }
        for side in (-1.0, 1.0)
    ]
    pose = {"x": [0.0, []], "y": [0.0, [["beam.lift", 1.0]]], "angle": [0.0, [["beam.turn", 1.0]]]}
    touching = [
        {"name": name, "body": "beam", "at": [side * a, -0.5 * high, 0.0]}
        for name, side in (("left", -1.0), ("right", 1.0))
    ]
    return {
        "version": 1, "name": "detachment", "dim": 2, "size": 2.0 * a, "gravity": [0.0, -p.gravity],
        "bodies": [
            {"name": "supports", "role": "ground", "pose": "world", "shapes": supports},
            {"name": "beam", "role": "body", "pose": pose, "shapes": [beam]},
        ],
        "contacts": touching,
    }  # fmt: skip


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run until both ends have left or some time after the first has."""
    options.setdefault("t_end", 1.2 * detach_time(p))
    options.setdefault("method", cl.EventDriven())
    return cl.simulate(build(p), **options)


def other_states(p: Parameters) -> tuple[list[int], int]:
    """Return how many combinations are right for each pull, and where the run has another one."""
    counts, wrong = [], 0
    for force in p.mass * p.gravity * np.array([0.3, 0.75, 0.95, 1.5, 5.0]):
        right = enumerate_states(p, float(force))
        counts.append(len(right))
        sol = cl.simulate(build_pulled(p, float(force)), t_end=1e-3, progress=False,
                          method=cl.EventDriven())  # fmt: skip
        closed = tuple(bool(sol[f"{name}.state"][-1] > 0) for name in ("left", "right"))
        forces = np.array([sol[f"{name}.lam_N"][0] for name in ("left", "right")])
        near = np.allclose(forces, right[0][1], rtol=0.0, atol=1e-9 * p.mass * p.gravity)
        wrong += not (closed == right[0][0] and near)
    return counts, wrong


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare time and forces of the transition, and the state of many pulls."""
    leaves = [e.time for e in sol.events if e.kind == "detach" and e.name == "right"]
    first = leaves[0] if leaves else math.nan
    weight, force = p.mass * p.gravity, p.rate * detach_time(p)
    far = np.asarray(sol["left.lam_N"])
    rows = np.flatnonzero(sol.t == first)
    before, after = (far[rows[0]], far[rows[-1]]) if rows.size > 1 else (math.nan, math.nan)
    counts, wrong = other_states(p)
    found = {
        "time of the first detachment": first / detach_time(p) - 1.0,
        "force of the far end, before": (before - 0.5 * (weight - force * (1.0 - p.place)))
        / weight,
        "force of the far end, right after": (
            (after - (weight - force + 3.0 * p.place * force) / 4.0) / weight
        ),
        "right combinations per pull": float(max(counts) if min(counts) == 1 else min(counts)),
        "pulls where the run finds another one": float(wrong),
    }
    checks = [check_reference(name, value, REFERENCE) for name, value in found.items()]
    order = [e.name for e in sol.events if e.kind == "detach"]
    checks.append(compare("near end first", float(order[:1] == ["right"]), 1.0, 0.0))
    return checks


def show(sol: cl.Solution) -> Any:
    """Draw the forces of both supports and the rise of both ends."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2)
        for k, name in enumerate(("left", "right")):
            left.plot(sol.t, sol[f"{name}.lam_N"], color=COLOURS[k], label=name)
            right.plot(sol.t, 1e3 * np.asarray(sol[f"{name}.gap"]), color=COLOURS[k], label=name)
        left.set_ylabel(axis_label("force of the support", "N"))
        right.set_ylabel(axis_label("rise of the end", "mm"))
        for axes in (left, right):
            axes.set_xlabel(axis_label("time", "s"))
            add_legend(axes)
    return figure
