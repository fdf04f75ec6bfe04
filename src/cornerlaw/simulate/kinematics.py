"""kinematics(): the motion of a mechanism whose drives leave no freedom."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cornerlaw.arrays.state import Floats
from cornerlaw.errors import SimulationError, UnitError, UsageError
from cornerlaw.model import Model
from cornerlaw.model.arguments import clear_call
from cornerlaw.model.quantity import Where, show, strip_unit
from cornerlaw.results import Solution
from cornerlaw.simulate.failures import failure
from cornerlaw.simulate.redundancy import warn_redundancy
from cornerlaw.simulate.states import Placed, place, solution_of
from cornerlaw.simulate.system import System
from cornerlaw.simulate.tangent import split_coordinates
from cornerlaw.simulate.terms import coordinate_scales, eval_terms

CORRECTION = 0.05  # largest return to the rows after a prediction [rad, or of the model's size]
HALVINGS = 24
SMALL_INERTIA = 1e-9  # of the largest one: given to massless coordinates


@clear_call
def kinematics(model: Model, times: Sequence[float] | Floats) -> Solution:
    """Move a fully driven mechanism through the given times.

    Drives are functions of time, loops stay closed; velocities and accelerations follow from the
    constraints alone. All channels of a run are there, driving and joint forces included
    (inverse dynamics of the driven mechanism). States x keep their initial values. An error names
    the coordinates that could still move.
    """
    t = check_times(times)
    placed = place(model, None, float(t[0]))
    return run_kinematics(placed, t, "kinematics")


def check_times(times: Sequence[float] | Floats) -> Floats:
    """Return times as an array; they must be finite and increase."""
    where = Where("kinematics", "times")
    try:
        plain = strip_unit(times, where, "s")
        if np.ndim(plain):
            plain = [strip_unit(t, where, "s") for t in plain]
        t = np.array(plain, dtype=float).reshape(-1)
    except UnitError:
        raise
    except Exception:  # a user's object may fail in any way here
        raise UsageError(f"times must be a list of times, got {show(times)}") from None
    if not t.size:
        raise UsageError("times is empty; give at least one time")
    if not np.isfinite(t).all():
        raise UsageError("times contains a value that is not a finite number")
    if (np.diff(t) <= 0.0).any():
        raise UsageError("times must be strictly increasing")
    return t


def run_kinematics(placed: Placed, t: Floats, method: str) -> Solution:
    """March a placed system, at its first time, through all times."""
    q, u, x = march(placed, t)
    solution: Solution = solution_of(placed, t, q, u, x, method)
    return solution


def march(placed: Placed, t: Floats) -> tuple[Floats, Floats, Floats]:
    """Return q, u, x at all times of a mechanism without freedom; the start is placed."""
    system = placed.system
    check_driven(system, float(t[0]), placed.q)
    add_missing_inertia(placed)
    nq, nu, _ = system.sizes
    q, u = np.zeros((t.size, nq)), np.zeros((t.size, nu))
    x = np.tile(placed.x, (t.size, 1))
    now = float(t[0])
    state = _settle(system, now, placed.q, placed.u)
    q[0], u[0] = state
    for k in range(1, t.size):
        state = _advance(placed, now, float(t[k]), *state)
        now = float(t[k])
        q[k], u[k] = state
    return q, u, x


def check_driven(system: System, t: float, q: Floats) -> None:
    """Raise an error that names the coordinates which are left free."""
    mobility = warn_redundancy(system, t, q)
    if mobility.degrees_of_freedom <= 0:
        return
    free = np.flatnonzero(system.arrays.tree.driven < 0)
    system.constraint_state(t, q.copy(), np.zeros(system.arrays.nu))
    part = split_coordinates(system.work.W[: system.arrays.n_rows], free, system.arrays.nu)
    by_u = {c.u: f"{c.part}.{c.name}" for c in system.compiled.numbering.coordinates}
    own = [by_u[int(j)] for j in part.independent]
    moving = np.abs(part.basis).max(axis=1, initial=0.0) > 1e-9
    others = [name for j, name in by_u.items() if moving[j] and name not in own]
    count = len(own)
    also = f" (or of {', '.join(others[:6])}, which move with it)" if others else ""
    raise UsageError(
        f"{count} degree{'s' if count > 1 else ''} of freedom {'are' if count > 1 else 'is'} not "
        f"driven: give a drive of {', '.join(repr(name) for name in own)}{also}"
    )


def add_missing_inertia(placed: Placed) -> None:
    """Give coordinates without inertia a very small one: motion does not depend on it here.

    Solves of the rows work through M^-1, and without freedom accelerations do not depend on M.
    """
    system = placed.system
    a = system.arrays
    free = np.flatnonzero(a.tree.driven < 0)
    M = eval_terms(system, placed.t, placed.q.copy(), placed.u.copy(), placed.x).M[free][:, free]
    if not free.size:
        return
    largest = float(np.abs(np.diag(M)).max()) or 1.0
    if np.linalg.eigvalsh(M)[0] > 1e-12 * largest:
        return
    armature = a.tree.armature.copy()
    armature[free] += SMALL_INERTIA * largest
    system.rebind(tree=a.tree._replace(armature=armature))


def _settle(system: System, t: float, q: Floats, u: Floats) -> tuple[Floats, Floats]:
    """Return position and velocity on the rows at time t."""
    from cornerlaw.kernels.prescribed import set_driven
    from cornerlaw.kernels.rates import project_position, project_velocity

    q, u = q.copy(), u.copy()
    set_driven(system.m, system.w, t, q, u)
    status = project_position(system.m, system.w, t, q)
    if not status:
        status = project_velocity(system.m, system.w, t, q, u)
    if status:
        raise failure(system, status, t)
    return q, u


def _advance(placed: Placed, t: float, t_end: float, q: Floats, u: Floats) -> tuple[Floats, Floats]:
    """Follow one branch of the motion to t_end, in as many steps as it needs."""
    from cornerlaw.kernels.kinematics import advance_position

    system = placed.system
    scale = coordinate_scales(system)
    dt, smallest = t_end - t, (t_end - t) * 0.5**HALVINGS
    while t < t_end:
        u_dot, _, _ = system.accelerations(t, q.copy(), u.copy(), placed.x)
        goal = t_end if t + dt >= t_end - 1e-12 * abs(t_end) else t + dt
        h = goal - t
        guess = q.copy()
        advance_position(system.m, q, h * u + 0.5 * h * h * u_dot, guess)
        try:
            found, rate = _settle(system, goal, guess, u + h * u_dot)
            # the second difference tells whether the prediction was near the same branch
            change = np.abs(h * (rate - u - h * u_dot)) / scale
            far = float(change.max(initial=0.0)) > CORRECTION
        except SimulationError:
            if dt <= smallest:
                raise
            far = True
        if far and dt > smallest:
            dt *= 0.5
            continue
        t, q, u = goal, found, rate
        dt = min(2.0 * dt, max(t_end - t, smallest))
    return q, u
