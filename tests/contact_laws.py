"""The laws every run with set-valued elements must obey, checked on every stored row."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl

Floats = NDArray[np.float64]


def assert_contact_laws(
    sol: cl.Solution,
    model: cl.Model,
    *,
    gap_tol: float = 1e-8,
    force_tol: float = 1e-8,
    speed_tol: float = 1e-8,
    passive: bool = True,
    sums: bool = False,
) -> None:
    """Assert complementarity, friction cone, direction of friction and the energy of impacts.

    gap_tol    [m] how far a gap may be negative, or open under a force (event-driven)
    force_tol  of the largest force or impulse of the run
    speed_tol  [m/s] sliding slower than this has no direction; on the time-stepping road the laws
               hold at the middle of a step, so that curved contours need some dt * speed here
    sums       check friction of the sum over the corners of a pair: where several corners stick,
               the split of the force among them is not unique
    passive    False for laws that may gain energy: the gain must then be the one that is logged

    Every check fails with the contact, the time and the numbers in its message.
    """
    stepping = _is_stepping(sol)
    single = not stepping or _one_step_per_row(sol)
    groups: dict[str, list[str]] = defaultdict(list)
    elements = dict(_elements(sol, model))
    forces = [sol[f"{label}.lam_N"] for label in elements if f"{label}.lam_N" in sol]
    largest = max((float(np.max(np.abs(lam))) for lam in forces), default=0.0)
    small = force_tol * max(largest, 1e-300)
    for label, part in elements.items():
        if f"{label}.lam_N" in sol:
            _check_normal(sol, label, part, gap_tol, small, stepping, single)
        if f"{label}.lam_T" in sol and _has_friction(part):
            groups[part.name if sums else label].append(label)
    for labels in groups.values():
        _check_friction(sol, labels, elements[labels[0]], small, speed_tol, single)
    _check_impacts(sol, model, force_tol, passive)


def _is_stepping(sol: cl.Solution) -> bool:
    """Tell whether forces of this run are means over time steps."""
    return "dt=" in str(sol.info.method) and "EventDriven" not in str(sol.info.method)


def _one_step_per_row(sol: cl.Solution) -> bool:
    """Tell whether every time step was stored."""
    return int(sol.statistics["steps"]) <= len(sol.t) - 1


def _elements(sol: cl.Solution, model: cl.Model) -> Iterator[tuple[str, Any]]:
    """Give the label in the results and the part of every set-valued element."""
    parts = {part.name: part for part in (*model.contacts, *model.corners)}
    for label in sol.parts:
        if f"{label}.state" not in sol:
            continue
        yield label, parts.get(re.sub(r"\[\d+\]$", "", label))


def _has_friction(part: Any) -> bool:
    """Tell whether a part has a friction coefficient, not a bound of its own."""
    return isinstance(part, cl.Contact | cl.UserContact)


def largest_mu(law: Any, speeds: Floats) -> float:
    """Return the largest friction coefficient of a law at rest or at any of the speeds."""
    if isinstance(law, cl.Coulomb):
        return max(law.static or 0.0, largest_mu(law.mu, speeds))
    if isinstance(law, cl.Stribeck):
        return float(max(law.static, np.max(stribeck(law, speeds), initial=0.0)))
    if isinstance(law, cl.Table):
        return float(max(law.y))
    if callable(law):
        return float(max(law(abs(float(v))) for v in (0.0, *speeds)))
    return float(law)


def stribeck(law: Any, speeds: Floats) -> Floats:
    """Return the coefficient of a Stribeck law at some speeds."""
    v = np.abs(speeds)
    fall = np.exp(-((v / law.velocity) ** law.exponent))
    return np.asarray(law.kinetic + (law.static - law.kinetic) * fall + law.viscous * v)


def _check_normal(
    sol: cl.Solution,
    label: str,
    part: Any,
    gap_tol: float,
    small: float,
    stepping: bool,
    single: bool,
) -> None:
    """Check g >= 0, lam_N >= 0 and g lam_N = 0; compliant contacts may overlap."""
    lam = sol[f"{label}.lam_N"] + 0.0
    _all(sol, label, "normal force is negative", lam >= -small, lam)
    if isinstance(part, cl.Contact) and part.normal is not None:
        return
    if f"{label}.gap" not in sol:
        return
    gap = sol[f"{label}.gap"]
    allowed = gap_tol
    if stepping:
        # a step ends at most the distance behind the surface that it covers
        allowed = gap_tol + _step_travel(sol, label)
    _all(sol, label, "gap is negative", gap >= -allowed, gap)
    if single:
        closed = (lam <= small) | (gap <= allowed)
        _all(sol, label, "force over an open gap", closed, gap)


def _step_travel(sol: cl.Solution, label: str) -> Floats:
    """Return the largest change of the gap in the step before each row."""
    speed = np.abs(sol[f"{label}.gamma_N"])
    before = np.concatenate([speed[:1], speed[:-1]])
    return np.asarray(np.maximum(speed, before) * np.diff(sol.t, prepend=sol.t[0]))


def _check_friction(
    sol: cl.Solution, labels: list[str], part: Any, small: float, speed_tol: float, single: bool
) -> None:
    """Check |lam_T| <= mu lam_N of the sums over some corners; friction opposes sliding."""
    lam_N = sum(sol[f"{label}.lam_N"] for label in labels)
    lam_T = sum(sol[f"{label}.lam_T"] for label in labels)
    speeds = np.stack([sol[f"{label}.gamma_T"] for label in labels])
    mu = largest_mu(part.mu, speeds.ravel())
    label = labels[0] if len(labels) == 1 else part.name
    if np.ndim(lam_T) == 2:
        _check_disc(sol, label, part, (lam_N, lam_T, speeds, mu, small), speed_tol, single)
        return
    _all(sol, label, "friction leaves its cone", np.abs(lam_T) <= mu * lam_N + small, lam_T)
    if not single or getattr(part, "eps_T", 0.0):
        return
    for sign in (1.0, -1.0):
        slides = np.all(sign * speeds > speed_tol, axis=0)
        _all(sol, label, "friction drives", ~slides | (sign * lam_T <= small), lam_T)
        if isinstance(part.mu, float):
            full = np.abs(np.abs(lam_T) - mu * lam_N) <= small
            _all(sol, label, "sliding without full friction", ~slides | full, lam_T)


def _check_disc(
    sol: cl.Solution, label: str, part: Any, values: Any, speed_tol: float, single: bool
) -> None:
    """Check friction in the plane of a contact in space: a disc, and along the sliding."""
    lam_N, lam_T, speeds, mu, small = values
    if getattr(part, "mu_across", None) is not None:
        mu = max(mu, part.mu_across)
    size = np.linalg.norm(lam_T, axis=1)
    _all(sol, label, "friction leaves its cone", size <= mu * lam_N + small, size)
    laws = [getattr(part, name, None) for name in ("eps_T", "mu_across", "drilling")]
    if not single or any(laws) or len(speeds) > 1 or not isinstance(part.mu, float):
        return
    # the direction of slow sliding turns within a step: by speed_tol over the speed
    fast = np.linalg.norm(speeds[0], axis=1)
    slides = fast > speed_tol
    way = speeds[0] / np.where(slides, fast, 1.0)[:, None]
    off = np.linalg.norm(lam_T + mu * lam_N[:, None] * way, axis=1)
    room = small + mu * lam_N * speed_tol / np.where(slides, fast, 1.0)
    _all(sol, label, "friction is not against sliding", ~slides | (off <= room), off)


def _check_impacts(sol: cl.Solution, model: cl.Model, force_tol: float, passive: bool) -> None:
    """Check the impulses of every logged impact and the energy of all at one time."""
    parts = dict(_elements(sol, model))
    energy: dict[float, float] = defaultdict(float)
    impacts = [event for event in sol.events if event.kind == "impact"]
    if not impacts:
        return
    largest = max(abs(event.data["Lambda_N"]) for event in impacts)
    for event in impacts:
        d = event.data
        where = f"{event.name} at {event.time:.9g} s: {dict(d)}"
        assert d["Lambda_N"] >= -force_tol * largest, where
        part = parts.get(event.name)
        if _has_friction(part) and np.isfinite(d["Lambda_T"]):
            speeds = np.array([d["gamma_T_minus"], d["gamma_T_plus"]])
            bound = largest_mu(part.mu, speeds) * d["Lambda_N"]
            if passive:  # the printed laws with a reversible part may leave the cone
                assert abs(d["Lambda_T"]) <= bound + force_tol * largest, where
        energy[event.time] += d["energy"]
    scale = max(abs(change) for change in energy.values())
    worst = max(energy, key=lambda time: energy[time])
    gain, logged = energy[worst], sol.statistics["largest_impact_gain"]
    text = f"gain of {gain:g} J at {worst:.9g} s, logged {logged:g} J"
    if passive:
        assert gain <= force_tol * scale, text
    elif gain > force_tol * scale:
        assert abs(gain - logged) <= 1e-6 * scale, text


def _all(sol: cl.Solution, label: str, what: str, holds: Any, values: Floats) -> None:
    """Fail at the first row where a law does not hold."""
    bad = np.flatnonzero(~np.asarray(holds))
    if bad.size:
        k = int(bad[0])
        raise AssertionError(
            f"{label}: {what} in {bad.size} of {len(sol.t)} rows, first at t = {sol.t[k]:.9g} s "
            f"(row {k}, side {sol.side[k]}): {values[k]:.6g}"
        )
