"""Distances between contours at a state."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cornerlaw.arrays.state import Floats
from cornerlaw.model import Contact, Model, Part
from cornerlaw.simulate.states import At, Placed, place


@dataclass(frozen=True)
class Separation:
    """The nearest points of two contours.

    A negative gap is a penetration. Where no part of the contours faces the other, such as beyond
    the ends of an arc, the gap is infinite and the points are undefined (nan).
    """

    gap: float  # [m]
    first: Floats  # point on the first contour, world axes [m]
    second: Floats  # point on the second
    normal: Floats  # unit vector from the second to the first

    def __str__(self) -> str:
        a, b = (f"({p[0]:.6g}, {p[1]:.6g})" for p in (self.first, self.second))
        return f"gap {self.gap:.6g} m between {a} and {b}"


def distance(
    model: Model, first: Part | str, second: Part | str, at: At = None, t: float | None = None
) -> Separation:
    """Return gap, nearest points and normal of two contours, whether a contact joins them or not.

    first, second    contours, or parts that are contours by themselves, or their names
    at, t            the state and time, as in `query`; the assembled initial values unless given
    """
    return separation(place(_with_pair(model, first, second), at, t))


def _with_pair(model: Model, first: Part | str, second: Part | str) -> Model:
    """Return the model with the contact in question as its only one."""
    left_out = ("contact", "contact rule", "sensor")
    parts = [item for item in model.parts if item.ROLE not in left_out]
    names = [item.name if isinstance(item, Part) else item for item in (first, second)]
    new = [item for item in (first, second) if isinstance(item, Part) and item.name not in model]
    pair = Contact(*names, name=_free_name(model))
    return Model(
        *parts,
        *new,
        pair,
        gravity=model.gravity,
        coordinates=model.coordinates,
        name=model.name,
    )


def _free_name(model: Model) -> str:
    name = "distance"
    while name in model:
        name += "'"
    return name


def separation(placed: Placed) -> Separation:
    """Return the nearest slot of the only contact of a model at a state."""
    from cornerlaw.kernels.contact.detect import detect_slots

    system, w = placed.system, placed.system.work
    system.constraint_state(placed.t, placed.q, placed.u)
    detect_slots(system.m, system.w)
    k = int(np.argmin(w.contact_g))
    gap = float(w.contact_g[k])
    if not np.isfinite(gap):
        nothing = np.full(2, np.nan)
        return Separation(gap, nothing, nothing.copy(), nothing.copy())
    points = (w.contact_r1[k, :2], w.contact_r2[k, :2], w.contact_n[k, :2])
    return Separation(gap, *(p.copy() for p in points))
