"""Checks of what a user's element says about itself, at the start of a run.

A matrix of masses that is not symmetric is an error. Rows whose rates do not follow from each other
and derivatives that are not those of the law are warnings: at a kink differences say nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cornerlaw.arrays import kinds
from cornerlaw.arrays.state import Floats, State
from cornerlaw.errors import SimulationError
from cornerlaw.model import ForceElement
from cornerlaw.simulate.law_derivatives import doubtful_derivatives
from cornerlaw.simulate.system import System
from cornerlaw.simulate.terms import coordinate_scales, eval_state, marker_accelerations

STEP = 1e-5  # of differences, relative to the model's size
JUMP = 1e-3  # of the model's size: gap of a row that is switched on, more is no rounding of a step
TOLERANCE = 1e-3  # relative; that of differences is below 1e-6, an error of a user's rarely


def check_elements(system: System, t: float, q: Floats, u: Floats, x: Floats) -> list[str]:
    """Refuse bad masses and return sentences about doubtful rows and derivatives."""
    check_masses(system, t, q, u, x)
    c = system.compiled
    found = []
    rows = [*c.rows, *(r for k in c.corners for r in (k.normal, k.tangent) if r is not None)]
    if any(row.kind == kinds.ROW_ELEMENT for row in rows):
        found += _doubtful_rows(system, t, q, x)
    for k, element in enumerate(c.elements):
        part = system.model.part(element.part)
        if isinstance(part, ForceElement) and part.force_jacobian and not part.delays:
            found += doubtful_derivatives(system, k, part, t, q, u, x)
    return found


def check_masses(system: System, t: float, q: Floats, u: Floats, x: Floats) -> None:
    """Refuse a mass matrix of an element that is not symmetric."""
    masses = system.arrays.masses
    if not masses.n.size:
        return
    eval_state(system, t, q.copy(), u.copy(), x)
    for k, n, start in zip(masses.element, masses.n, masses.start, strict=True):
        M = system.work.mass_M[start : start + n * n].reshape(n, n)
        worst = np.unravel_index(np.argmax(np.abs(M - M.T)), M.shape)
        if abs(M - M.T)[worst] > 1e-12 * np.abs(M).max():
            i, j = (int(place) for place in worst)
            raise SimulationError(
                f"ForceElement '{system.compiled.elements[k].part}': mass must be symmetric, "
                f"M[{i}, {j}] = {M[i, j]:g} but M[{j}, {i}] = {M[j, i]:g} at t = {t:.6g} s"
            )


def _doubtful_rows(system: System, t: float, q: Floats, x: Floats) -> list[str]:
    """Compare gamma with the rate of g, and w_bar with that of gamma, along some motion.

    States move on with their rates; rows that are off at the start are left out.
    """
    a, rng = system.arrays, np.random.default_rng(1)
    u = rng.uniform(0.5, 1.0, a.nu) * rng.choice([-1.0, 1.0], a.nu) * coordinate_scales(system)
    rows = np.flatnonzero(a.rows.kind == kinds.ROW_ELEMENT)
    x_dot = eval_state(system, t, q.copy(), u.copy(), x)
    before, now, after = (
        _eval_rows(system, rows, t, q, u, x + h * x_dot, h) for h in (-STEP, 0.0, STEP)
    )
    system.see_states(x)
    with np.errstate(invalid="ignore"):  # gaps of rows that are off are infinite
        rate = (after - before) / (2.0 * STEP)
    found = []
    for k, i in enumerate(rows):
        if system.work.ends[i, 2] == 0.0:
            continue
        label, has_gap = _name_of(system, int(i))
        scale = float(a.row_scale[i])
        pairs = [("gamma, from its directions and w_tilde,", now[k, 1], "g", rate[k, 0])]
        pairs = [*(pairs if has_gap else []), ("w_bar", now[k, 2], "gamma", rate[k, 1])]
        for what, value, of, expected in pairs:
            size = max(abs(value), abs(expected))
            if not abs(value - expected) <= TOLERANCE * size + 1e-6 * scale:
                found.append(
                    f"{label}: {what} does not follow from {of}: along a motion from the start "
                    f"it gives {value:.6g} where the rate of {of} is {expected:.6g}"
                )
                break
    return found


def _eval_rows(
    system: System, rows: Any, t: float, q: Floats, u: Floats, x: Floats, h: float
) -> Floats:
    """Return g, gamma, gamma_dot of rows after h seconds with constant free velocities u."""
    from cornerlaw.kernels.element_rows import eval_element_row
    from cornerlaw.kernels.kinematics import advance_position
    from cornerlaw.kernels.prescribed import set_driven

    m, w, work = system.m, system.w, system.work
    system.see_states(x)
    moved, speed = q.copy(), u.copy()
    set_driven(m, w, float(t), moved, speed)
    advance_position(m, moved, h * speed, moved)
    set_driven(m, w, float(t + h), moved, speed)
    system.kinematics(moved, speed)
    marker_accelerations(system, work.u_dot_driven)
    found = np.zeros((rows.size, 3))
    entries = int(work.n_entries[0])
    for k, i in enumerate(rows):
        work.n_entries[0] = 0
        eval_element_row(m, w, int(i), float(t + h), moved, speed, work.u_dot_driven)
        found[k] = work.row
    work.n_entries[0] = entries
    return found


def check_switched(system: System, before: Floats, state: State) -> None:
    """Refuse rows that an event has switched on where their gap would have to jump."""
    from cornerlaw.kernels.element_rows import eval_element_row
    from cornerlaw.kernels.prescribed import set_driven

    a, work, t = system.arrays, system.work, float(state.t[0])
    at = a.rows.active
    rows = [i for i in np.flatnonzero(at >= 0) if before[at[i]] <= 0.0 < state.x[at[i]]]
    if not rows:
        return
    q, u = state.q.copy(), state.u.copy()
    system.see_states(state.x)
    set_driven(system.m, system.w, t, q, u)
    system.kinematics(q, u)
    entries = int(work.n_entries[0])
    for i in rows:
        eval_element_row(system.m, system.w, int(i), t, q, u, u)
        work.n_entries[0] = entries
        g, size = float(work.row[0]), JUMP * float(a.row_scale[i])
        held = a.corners.hold[work.k.corner_of[i - a.n_rows]] == 1
        watched = held or a.rows.axis_1[i] == kinds.ELEMENT_GAP
        if watched and (g < -size or (held and g > size)):
            raise SimulationError(
                f"{_name_of(system, int(i))[0]} is switched on at t = {t:.6g} s with a gap of "
                f"{g:.6g}; let on_event do it where the gap is "
                f"{'zero, or hold the velocity alone' if held else 'open'}"
            )


def _name_of(system: System, i: int) -> tuple[str, bool]:
    """Return the words for a row of an element and whether its gap has a meaning."""
    c = system.compiled
    if i < len(c.rows):
        row = c.rows[i]
        return f"'{row.part}'", row.holonomic
    corners = system.arrays.corners
    for k, corner in enumerate(c.corners):
        if i == corners.row_N[k]:
            return f"'{corner.label}'", not corner.always
        if i == corners.row_T[k]:
            return f"'{corner.label}'" + (", tangent" if corners.row_N[k] >= 0 else ""), False
    return f"row {i}", False
