"""Channels of a time-stepping run at the places where the laws of its steps hold.

A step from A to E asserts its laws for gamma = W(q_M)^T u_E + w_tilde(q_M, t_M) with
q_M = q_A + alpha dt u_A and t_M = t_A + alpha dt (T-14.1) (T-14.2). Its row in the results has the
velocity W(q_E)^T u_E + w_tilde(q_E, t_E) instead, which differs by (W(q_E) - W(q_M))^T u_E and by
what a prescribed motion changes. This difference is not estimated here: the model is evaluated at
(t_M, q_M, u_E), where a law holds to the tolerance of its solver.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.kernels.kinematics import advance_position
from cornerlaw.simulate.corner_log import CornerRows
from cornerlaw.simulate.corner_memory import give_memory, take_memory
from cornerlaw.simulate.evaluation import Evaluation
from cornerlaw.simulate.pool import STAMP

Floats = NDArray[np.float64]


class Middles:
    """The channels of a run by name, row k in the middle of the step that ends at row k."""

    def __init__(self, sol: cl.Solution) -> None:
        self.sol = sol
        self._late: Any = sol._evaluator.__self__  # type: ignore[union-attr]
        self._found: dict[str, Floats] = {}
        method = str(sol.info.method)
        # where in a step its rows are evaluated
        self.alpha = 0.0 if method.startswith(("HalfExplicit", "Stiegelmeyr")) else 0.5
        self._evaluation: Evaluation | None = None
        self._steps = int(sol.statistics["steps"])
        self.is_whole = self._steps <= len(sol.t) - 1  # every step has its row

    def __getitem__(self, name: str) -> Floats:
        if name not in self._found:
            _ = self._late.final  # the memory of the run's end is its own
            work = self._late.system.work
            kept = take_memory(work)
            _forget(work)
            both = self._late.book.evaluate(self._states(), [name])[name]
            give_memory(work, kept)
            self._found[name] = np.concatenate([both[:1], both[1::2]])
        return self._found[name]

    def rim_speed(self, part: Any) -> Any:
        """Return by how much the velocities at the points of a flat rim may differ, 0 elsewhere.

        The points that hold a rim are points of the body near a third of a turn, chosen anew when
        they are far off (T-18.10): from the rows alone they are known to a diameter, and the
        velocity there to the relative spin times that.
        """
        sides = [getattr(part, name, None) for name in ("first", "second")]
        rims = [side for side in sides if isinstance(side, cl.Cylinder | cl.Cone | cl.Ring)]
        if not rims:
            return 0.0
        spin = np.zeros((len(self.sol.t), 3))
        for side, sign in zip(sides, (1.0, -1.0), strict=True):
            name = f"{getattr(getattr(side, 'on', side), 'name', '')}.angular_velocity"
            if name in self.sol:
                spin += sign * self.sol[name]
        radius = max(float(side.radius) for side in rims)
        return 2.0 * radius * np.linalg.norm(spin, axis=1)

    def doubt(self, label: str) -> Any:
        """Return how far the sliding speed of a point in space may be off, 0 where all steps show.

        The middle of a step without a row of its own is known from its end alone, not what a
        correction of positions moved in between: it is known to what a whole step changes.
        """
        shown = f"{label}.gamma_T"
        if self.is_whole or shown not in self.sol or self.sol[shown].ndim == 1:
            return 0.0
        return 2.0 * np.linalg.norm(self[shown] - self.sol[shown], axis=-1)

    def inside(self) -> Any:
        """Return infinity for rows inside a step, which a stop or `t_eval` has put there, else 0.

        Their velocity lies between those of both ends of the step, for which there is no law.
        """
        given = re.search(r"dt=([^,)]+)", str(self.sol.info.method))
        dt, t = float(given.group(1)) if given else 0.0, self.sol.t
        if dt <= 0.0:
            return 0.0
        count = (t - t[0]) / dt
        off_grid = np.abs(count - np.round(count)) > 1e-6
        short = np.diff(t, prepend=-np.inf) < dt * (1.0 - 1e-6)
        short[-1] = False  # the last step is as short as it must be
        return np.where(off_grid & short, np.inf, 0.0)

    def in_parts(self) -> Any:
        """Return infinity for rows at the end of a step that was taken in parts, else 0.

        No body may pass through another unseen (T-17.12). Every part has a middle of its own, and
        the row the sum of their impulses; that there were several is known from events between.
        """
        t, found = self.sol.t, np.zeros(len(self.sol.t))
        if not self.is_whole or "tolerance=None" not in str(self.sol.info.method):
            return found  # steps with a tolerance are two halves, whose events are no sign of this
        for time in {event.time for event in self.sol.events}:
            k = int(np.searchsorted(t, time))
            if 0 < k < t.size:
                room = 1e-6 * (t[k] - t[k - 1])
                if t[k - 1] + room < time < t[k] - room:
                    found[k] = np.inf
        return found

    def _states(self) -> Evaluation:
        """Return the evaluation of the model at the start, the middle and the end of every step.

        Which points of a rim or a face touch depends on those that touched before: a run looks at
        the middle of a step, then at its end, and so must what follows it.
        """
        if self._evaluation is None:
            e: Evaluation = self._late.evaluation
            dt = np.diff(e.t)
            order = np.repeat(np.arange(e.t.size), 2)[1:]
            t, q, u, x = e.t[order], e.q[order], e.u[order], e.x[order]
            if self.is_whole:
                for k in range(1, e.t.size):
                    way = self.alpha * dt[k - 1] * e.u[k - 1]
                    advance_position(e.system.m, e.q[k - 1], way, q[2 * k - 1])
                t[1::2] = e.t[:-1] + self.alpha * dt
                x[1::2] = e.x[:-1]  # other states are those of the start of the step
            else:
                # not every step has a row, and its middle is known from its end alone,
                # q_E = q_M + (1 - alpha) dt u_E, but for what corrections of positions moved
                last = np.minimum(dt, (e.t[-1] - e.t[0]) / self._steps)
                for k in range(1, e.t.size):
                    way = -(1.0 - self.alpha) * last[k - 1] * e.u[k]
                    advance_position(e.system.m, e.q[k], way, q[2 * k - 1])
                t[1::2] = e.t[1:] - (1.0 - self.alpha) * last
            c = e.corners
            assert c is not None
            rows = CornerRows(
                c.status[order], c.Lambda[order], c.side[order], c.stepping,
                touches=None if c.touches is None else _doubled(c.touches),
                points=None if c.points is None else c.points[order],
            )  # fmt: skip
            self._evaluation = Evaluation(e.system, t, q, u, x, rows, e.sampler)
        return self._evaluation


def _doubled(touches: Floats) -> Floats:
    """Return the entries of pooled contacts of every row for the middle before it as well."""
    row = touches[:, STAMP]
    middles, rows = touches[row > 0].copy(), touches.copy()
    middles[:, STAMP], rows[:, STAMP] = 2.0 * row[row > 0] - 1.0, 2.0 * row
    both = np.concatenate([middles, rows])
    return both[np.argsort(both[:, STAMP], kind="stable")]


def _forget(work: Any) -> None:
    """Forget where contacts were, as at the start of a run."""
    work.contact_s[:] = np.nan
    work.contact_id[:] = -1
    work.contact_p[:] = np.nan
