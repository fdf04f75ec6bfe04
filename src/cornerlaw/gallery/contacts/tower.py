"""Tower of ten masses on a vibrating table: one right state among 3^10 = 59 049.

Ten blocks stand on each other and on a table that is shaken sideways. Every block slides left or
right on the one below, or sticks to it; which of the 3^10 combinations occurs follows from the
corner laws of all ten contacts together. Each block carries those above it, so that the normal
forces are known and the bounds of friction are given numbers,

    m_i dv_i = (lam_i - lam_(i+1)) dt,  gamma_i = v_i - v_(i-1),  |lam_i| <= mu_i g sum_(k>=i) m_k.

An oracle that shares nothing with the solvers tries all 59 049 combinations: blocks that stick move
as one, blocks that slip feel the full friction; the combination whose sticking forces stay within
their bounds and whose slips go against their friction is the right one.

Source: Pfeiffer 2008, 3.4.1, and Pfeiffer and Glocker 1996, 1.3, which give the count and nothing
else; masses, coefficients and the table's motion are chosen. Lighter blocks above and coefficients
in no order make every combination of sticking groups possible, and no two contacts begin to slip
at the same acceleration.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter

TITLE = "Tower of ten masses on a vibrating table"
TOPIC = "contacts"
SPEC: tuple[str, ...] = ("S-04", "E9")
SOURCE = "Pfeiffer 2008, 3.4.1"
DOF = 10

Floats = NDArray[np.float64]
Signs = NDArray[np.int8]
N = 10


@dataclass(frozen=True)
class Parameters:
    """Blocks from the lowest up, and the table's motion amplitude * sin(2 pi frequency t)."""

    mass: float = parameter(2.0, "kg", "chosen: the lowest block")
    lighter: float = parameter(0.85, "1", "chosen: each block over the one below it")
    mu: float = parameter(0.2, "1", "chosen: the smallest coefficient of friction")
    mu_step: float = parameter(0.02, "1", "chosen: tells the ten coefficients apart")
    amplitude: float = parameter(0.02, "m", "chosen: some contacts slip, others never do")
    frequency: float = parameter(2.5, "Hz", "chosen: peak acceleration 4.9 m/s^2, half of g")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")


REFERENCE = {
    "combinations": Reference(59049.0, 0.0, "Pfeiffer 2008: 3^10"),
    "right combinations per excitation, at most": Reference(1.0, 0.0, "Pfeiffer 2008: one right"),
    "right combinations per excitation, at least": Reference(1.0, 0.0, "Pfeiffer 2008: one right"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"mass": 2.4, "lighter": 0.68},
    {"mu": 0.24},
    {"gravity": 7.85},
)


def masses(p: Parameters) -> Floats:
    """Return the masses from the lowest block up."""
    return np.asarray(p.mass * p.lighter ** np.arange(N))


def coefficients(p: Parameters) -> Floats:
    """Return the coefficients of friction below each block, in no order."""
    return np.asarray(p.mu + p.mu_step * ((3 * np.arange(N) + 4) % N))


def bounds(p: Parameters) -> Floats:
    """Return the largest friction force below each block: its coefficient times all above it."""
    carried = np.cumsum(masses(p)[::-1])[::-1]
    return np.asarray(coefficients(p) * p.gravity * carried)


def problem(
    p: Parameters, velocities: Floats, table: float, dt: float
) -> tuple[Floats, Floats, Floats]:
    """Return G, c and the bounds of the impulses of one step: gamma = G x + c, |x_i| <= bound_i."""
    inverse = 1.0 / masses(p)
    G = np.diag(inverse)
    G[1:, 1:] += np.diag(inverse[:-1])
    G -= np.diag(inverse[:-1], 1) + np.diag(inverse[:-1], -1)
    return G, np.diff(velocities, prepend=table), bounds(p) * dt


@cache
def combinations() -> Signs:
    """Return all states (3^10, 10): the sign of each relative velocity, 0 where it sticks."""
    count = np.arange(3**N)[:, None] // 3 ** np.arange(N)
    return (count % 3 - 1).astype(np.int8)


@cache
def _groups() -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return which contacts slip in every state, and the group of every block.

    A block that slips on the one below begins a group; group 0 moves with the table. Groups are
    numbered through all states, eleven for each.
    """
    slips = combinations() != 0
    first = np.arange(len(slips))[:, None] * (N + 1)
    return slips, first + np.cumsum(slips, axis=1)


def enumerate_states(
    p: Parameters, velocities: Floats, table: float, dt: float
) -> tuple[Signs, Floats]:
    """Return the combinations that obey all corner laws of a step, and their end velocities.

    The blocks start with `velocities`, the table ends with the velocity `table`; forces act for dt.
    """
    states, m, bound = combinations(), masses(p), bounds(p) * dt
    slips, group = _groups()
    impulse = -states * bound
    size = len(states) * (N + 1)

    def total(places: Any, values: Any) -> Floats:
        weights = np.broadcast_to(values, places.shape).ravel()
        return np.asarray(np.bincount(places.ravel(), weights=weights, minlength=size), float)

    momentum = total(group, m * velocities + impulse)
    momentum -= total(group[slips] - 1, impulse[slips])
    mass = total(group, m)
    common = np.divide(momentum, mass, out=np.zeros(size), where=mass > 0.0)
    common[:: N + 1] = table
    end = common[group]
    gamma = np.diff(end, axis=1, prepend=table)
    # what each contact transmits follows from the momentum of all blocks above it
    carried = np.cumsum((m * (end - velocities))[:, ::-1], axis=1)[:, ::-1]
    right = np.where(slips, states * gamma > 0.0, np.abs(carried) <= bound).all(axis=1)
    return states[right], end[right]


def excitations(p: Parameters, count: int, seed: int = 1904) -> list[tuple[Floats, float, float]]:
    """Return random block velocities, table velocities and steps that mix sticking and slipping."""
    random = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        dt = 10.0 ** random.uniform(-3.0, -1.5)
        # velocities that friction can change within the step, some of them by far not
        scale = p.gravity * p.mu * dt * 10.0 ** random.uniform(-0.5, 1.5)
        found.append((scale * random.normal(size=N), float(scale * random.normal()), dt))
    return found


def slip_acceleration(p: Parameters) -> float:
    """Return the table's acceleration at which the first contact slips: g times the least mu."""
    return p.gravity * float(coefficients(p).min())


def build(p: Parameters) -> cl.Model:
    """Return ten blocks, the driven table, and friction with given bounds between them."""
    a, omega = p.amplitude, 2.0 * math.pi * p.frequency
    table = cl.Prismatic(
        "table", cl.Ground(), cl.Body("top", mass=1.0), axis=(1.0, 0.0),
        drive=lambda t: a * math.sin(omega * t),
    )  # fmt: skip
    blocks = [cl.Slider(f"block {i + 1}", mass=float(m)) for i, m in enumerate(masses(p))]
    below: list[Any] = [table, *blocks[:-1]]
    contacts = [
        cl.Clutch(f"contact {i + 1}", block, base, capacity=float(bound))
        for i, (block, base, bound) in enumerate(zip(blocks, below, bounds(p), strict=True))
    ]
    return cl.Model(table, *blocks, *contacts, name="tower")


def scene(p: Parameters) -> dict[str, Any]:
    """Return the blocks on each other, as wide as the root of their mass, on the table."""
    high, wide = 0.02, 0.1 / math.sqrt(p.mass)
    table = {"type": "box", "size": [0.2, high, high], "at": [0.0, -0.5 * high, 0.0]}
    floor = {"type": "halfplane", "at": [0.0, -high, 0.0], "normal": [0.0, 1.0, 0.0]}
    bodies: list[dict[str, Any]] = [
        {"name": "floor", "role": "ground", "pose": "world", "shapes": [floor]},
        {"name": "top", "role": "body", "pose": "top", "shapes": [table]},
    ]
    for i, m in enumerate(masses(p)):
        name = f"block {i + 1}"
        box = {"type": "box", "size": [wide * math.sqrt(m), high, high], "at": [0.0, 0.0, 0.0]}
        pose = {"x": [0.0, [[f"{name}.position", 1.0]]], "y": [(i + 0.5) * high, []]}
        bodies.append({"name": name, "role": "body", "pose": pose, "shapes": [box]})
    touching = [
        {"name": f"contact {i + 1}", "body": f"block {i + 1}", "at": [0.0, -0.5 * high, 0.0]}
        for i in range(N)
    ]
    return {
        "version": 1, "name": "tower", "dim": 2, "size": 0.2, "gravity": [0.0, -p.gravity],
        "bodies": bodies, "contacts": touching,
    }  # fmt: skip


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run two periods of the table by time stepping."""
    options.setdefault("t_end", 2.0 / p.frequency)
    options.setdefault("method", cl.Moreau(dt=1e-3))
    return cl.simulate(build(p), **options)


def check(sol: cl.Solution, p: Parameters, ran: Parameters | None = None) -> list[Check]:
    """Compare the oracle with closed forms, and the run with the oracle."""
    ran = ran or p  # runs of its own have the parameters of the given one
    counts = [len(enumerate_states(p, *given)[0]) for given in excitations(p, 20)]
    velocity = np.stack([sol[f"block {i + 1}.velocity"] for i in range(N)], axis=1)
    table = np.asarray(sol["table.velocity"])
    steps = np.linspace(0, len(sol.t) - 2, 40).astype(int)
    worst = 0.0
    for k in steps:
        _, ends = enumerate_states(
            p, velocity[k], float(table[k + 1]), float(sol.t[k + 1] - sol.t[k])
        )
        distance = float(np.abs(ends[0] - velocity[k + 1]).max()) if len(ends) == 1 else math.inf
        worst = max(worst, distance)
    # from rest, with the table just slower and just faster than the first contact can follow
    limit = 1e-3 * slip_acceleration(p)
    found = [enumerate_states(ran, np.zeros(N), f * limit, 1e-3)[0] for f in (0.999, 1.001)]
    onset = [float(np.count_nonzero(states)) for states in found]
    return [
        check_reference("combinations", float(len(combinations())), REFERENCE),
        check_reference(
            "right combinations per excitation, at most", float(max(counts)), REFERENCE
        ),
        check_reference(
            "right combinations per excitation, at least", float(min(counts)), REFERENCE
        ),
        compare("slipping contacts below g mu", onset[0], 0.0, 0.0),
        compare("slipping contacts above g mu", onset[1], 1.0, 0.0),
        # the solver's tolerance over a step
        compare("velocities against the enumeration [m/s]", worst, 0.0, 1e-9),
    ]


def show(sol: cl.Solution) -> Any:
    """Draw the velocities of table and blocks, and when each contact slips."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    velocity = [np.asarray(sol["table.velocity"])]
    velocity += [np.asarray(sol[f"block {i + 1}.velocity"]) for i in range(N)]
    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2)
        # blocks that stick to the one below cover its curve
        for colour, k in zip(COLOURS, (0, 1, 2, 3, N), strict=False):
            label = "table" if k == 0 else f"block {k}"
            left.plot(sol.t, velocity[k], label=label, color=colour)
        left.legend(loc="upper right")
        left.set_ylabel(axis_label("velocity", "m/s"))
        slip = np.abs(np.diff(np.array(velocity), axis=0)) > 1e-9
        right.imshow(
            slip, aspect="auto", origin="lower", cmap="Greys", interpolation="none",
            extent=(float(sol.t[0]), float(sol.t[-1]), 0.5, N + 0.5),
        )  # fmt: skip
        right.set_yticks(range(1, N + 1))
        right.grid(False)
        right.set_ylabel("number of contact, dark: slip")
        for axes in (left, right):
            axes.set_xlabel(axis_label("time", "s"))
    return figure
