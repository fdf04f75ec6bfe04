"""Chattering chalk: pushed over a board it locks, jumps and draws a dotted line.

The hand moves along the board with the speed V and presses the chalk on it with a spring; the
chalk turns in the fingers against a torsion spring. With the lean theta of the chalk (tip ahead of
the hand: theta > 0) the rows of the tip in the coordinates y of the fingers and theta are

    w_N = (1, L sin theta),   w_T = (0, L cos theta),

and while the tip slides forward, friction couples into the normal direction,

    G = w_N^T M^-1 (w_N - mu w_T).

Above mu_c = w_N^T M^-1 w_N / w_N^T M^-1 w_T a larger force pushes the tip into the board instead of
lifting it: dynamic locking (Painlevé). The tip stops dead although nothing hits it, the chalk is
stretched like a spring, jumps off the board and lands again, many times per second. Pulled with the
same lean behind the hand, it writes a continuous line, and so it does when pushed with less
friction.

Some 15 ms after the tip has been stopped both sticking and leaving obey the laws. Time stepping
takes the solution without force wherever it is one, so that the chalk jumps; event by event a
contact that sticks goes on sticking, and the chalk is dragged round. The two roads agree up to
that point, and all along for the pulled and the slippery chalk.

Source: the everyday experiment and the classical explanation by Painlevé's paradox; all numbers are
chosen and the statements are checked as properties, with mu_c from the formula.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, compare, parameter

TITLE = "Chattering chalk"
TOPIC = "friction"
SPEC: tuple[str, ...] = ("chattering chalk",)
SOURCE = "textbook: Painlevé's paradox"
DOF = 2

LEAN = math.radians(30.0)
VISIBLE = 1e-6  # a gap that interrupts the line [m]


@dataclass(frozen=True)
class Parameters:
    """Chalk, fingers and board."""

    length: float = parameter(0.08, "m", "chosen: a piece of chalk")
    mass: float = parameter(0.01, "kg", "chosen: a piece of chalk")
    fingers: float = parameter(0.05, "kg", "chosen: what moves with the chalk")
    lean: float = parameter(LEAN, "rad", "chosen: tip ahead of the hand")
    mu: float = parameter(0.8, "1", "chosen: above the limit of locking")
    speed: float = parameter(0.2, "m/s", "chosen: writing")
    stiffness: float = parameter(500.0, "N/m", "chosen: of the arm, normal to the board")
    damping: float = parameter(4.0, "N*s/m", "chosen: some 40 % of critical")
    press: float = parameter(2.0, "N", "chosen: writing")
    turn_stiffness: float = parameter(0.5, "N*m/rad", "chosen: of the grip")
    turn_damping: float = parameter(5e-4, "N*m*s/rad", "chosen: some 8 % of critical")


REFERENCE = {
    "mu of locking": Reference(0.66483, 5e-6, "w_N^T M^-1 w_N / w_N^T M^-1 w_T"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"lean": -LEAN},  # pulled
    {"mu": 0.4},
    {"length": 0.096, "mu": 0.5},
    {"speed": 0.24},
    {"press": 2.4},
    {"stiffness": 600.0},
    {"damping": 4.8},
)


def locking_mu(p: Parameters) -> float:
    """Return the coefficient of friction above which sliding locks; inf where none does."""
    s, c = math.sin(p.lean), math.cos(p.lean)
    half = 0.5 * p.length
    M = np.array(
        [
            [p.mass + p.fingers, p.mass * half * s],
            [p.mass * half * s, p.mass * p.length**2 / 3.0],
        ]
    )
    w_N, w_T = np.array([1.0, p.length * s]), np.array([0.0, p.length * c])
    coupling = float(w_N @ np.linalg.solve(M, w_T))
    return float(w_N @ np.linalg.solve(M, w_N)) / coupling if coupling > 0.0 else math.inf


def build(p: Parameters) -> cl.Model:
    """Return hand, fingers, chalk and board; the tip just touches, the springs carry the press."""
    V = p.speed
    height = p.length * math.cos(p.lean)
    hand = cl.MovingFrame("hand", position=(lambda t: V * t, height))
    fingers = cl.Body("fingers", mass=p.fingers, inertia=1e-6)
    chalk = cl.Body(
        "chalk", mass=p.mass, inertia=p.mass * p.length**2 / 12.0, com=(0.0, -0.5 * p.length)
    )
    arm = cl.Prismatic("arm", hand, fingers, axis=(0.0, 1.0))
    grip = cl.Revolute("grip", fingers, chalk, angle=p.lean)
    board = cl.Ground("board", normal=(0.0, 1.0))
    tip = cl.ContactPoint("tip", chalk, at=(0.0, -p.length))
    return cl.Model(
        *(hand, fingers, chalk, arm, grip, board, tip),
        cl.TorsionSpring(
            "arm spring", arm, stiffness=p.stiffness, damping=p.damping,
            rest=-p.press / p.stiffness,
        ),
        cl.TorsionSpring(
            "grip spring", grip, stiffness=p.turn_stiffness, damping=p.turn_damping, rest=p.lean
        ),
        cl.Contact(tip, board, name="touch", mu=p.mu),
        name="chattering chalk",
    )  # fmt: skip


def simulate(p: Parameters, **options: Any) -> cl.Solution:
    """Write for one second, by time stepping."""
    options.setdefault("t_end", 1.0)
    options.setdefault("method", cl.Moreau(dt=5e-5))
    options.setdefault("progress", False)
    return cl.simulate(build(p), **options)


def line(sol: cl.Solution) -> dict[str, float]:
    """Return what the second half of a run looks like on the board."""
    late = sol.t > 0.5 * sol.t[-1]
    touch = sol["touch"]
    above = touch.gap[late] > VISIBLE
    return {
        "open": float(np.mean(above)),
        "hops": float(np.sum(np.diff(above.astype(int)) == 1)),
        "stuck": float(np.mean(touch.state[late] == 4.0)),
        "way": float(sol["touch"].point[-1, 0] - sol["touch"].point[0, 0]),
    }


def unbalanced(sol: cl.Solution, p: Parameters) -> float:
    """Return what is missing in the momentum normal to the board, over the press of the run.

    The arm pushes with press + stiffness y + damping y_dot, the board pushes back.
    """
    arm, dt = sol["arm"], np.diff(sol.t)
    push = p.press + p.stiffness * arm.displacement + p.damping * arm.velocity
    moved = sol["system"].momentum[:, 1]
    of_arm = float(np.sum(0.5 * dt * (push[1:] + push[:-1])))
    of_board = float(np.sum(sol["touch"].Lambda_N[1:]))
    return float(moved[-1] - moved[0] + of_arm - of_board) / (p.press * float(sol.t[-1]))


def check(sol: cl.Solution, p: Parameters, ran: Parameters | None = None) -> list[Check]:
    """Compare the limit of locking, and the lines of pushed, pulled and slippery chalk."""
    ran = ran or p  # runs of its own have the parameters of the given one
    known = REFERENCE["mu of locking"]
    dotted = line(sol)
    pulled = line(simulate(replace(ran, lean=-ran.lean)))
    slippery = line(simulate(replace(ran, mu=0.5 * locking_mu(p))))
    return [
        compare("mu of locking", locking_mu(ran), known.value, known.tolerance),
        compare("pushed: gaps in the line", float(dotted["open"] > 0.05), 1.0, 0.0),
        compare("pushed: many hops", float(dotted["hops"] > 5), 1.0, 0.0),
        compare("pulled: the line is open for", pulled["open"], 0.0, 0.0),
        compare("pushed with little friction: open for", slippery["open"], 0.0, 0.0),
        # the tip follows the hand, but for the play of the springs
        compare("length of the line [m]", dotted["way"], p.speed * sol.t[-1], 0.2 * p.length),
        # all rows are stored; a step takes the push of its middle
        compare("momentum that is missing over the press", unbalanced(sol, p), 0.0, 1e-4),
    ]


def show(sol: cl.Solution) -> Any:
    """Draw the line on the board and the force of the tip."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    touch = sol["touch"]
    drawn = np.where(touch.gap < VISIBLE, 0.0, np.nan)
    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2)
        left.plot(touch.point[:, 0], 1e3 * touch.gap, color=COLOURS[0])
        left.plot(touch.point[:, 0], drawn, color=COLOURS[1], linewidth=4.0)
        left.set_xlabel(axis_label("along the board", "m"))
        left.set_ylabel(axis_label("height of the tip", "mm"))
        right.plot(sol.t, touch.lam_N, color=COLOURS[0])
        right.set_xlabel(axis_label("time", "s"))
        right.set_ylabel(axis_label("force of the tip", "N"))
    return figure
