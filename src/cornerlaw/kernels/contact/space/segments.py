"""Capsules and straight edges against each other in closed form: two points where they run along.

Thin edges have no inside. They keep the side they were on at the last call while they are near: the
gap of two edges that have passed through each other is negative. (T-18.24)
"""

import math

from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.geometry import (
    along,
    any_tangent,
    axis_of,
    cross,
    dot,
    norm,
    of_sphere,
    origin_of,
    scaled,
    store_nothing,
    store_point,
    sub,
)
from cornerlaw.kernels.contact.space.polytopes import half_length
from cornerlaw.kernels.contact.space.support import radius_of_offset

_PARALLEL = 5e-10  # sine below which two axes are parallel: the gap changes by less over them
_SKEW = 0.2  # sine up to which a second point is of use
_SIDE = 0.1  # of the shorter half length: within it an edge keeps its side


@kernel
def _clamp(s, h):
    return min(max(s, -h), h)


@kernel
def nearest_on_axes(d, a, h, b, l):
    """Return places s on axis a and t on axis b of the nearest points of two segments.

    d is the way from the middle of the second (half length l) to that of the first (h):
    |d + s a - t b| least. (T-18.24)
    """
    q = dot(a, b)
    da, db = dot(d, a), dot(d, b)
    c, s = cross(a, b), 0.0
    if norm(c) > _PARALLEL:
        # as cross products of what is across the second, (q d.b - d.a) / (1 - q^2) keeps its digits
        s = _clamp(-dot(along(d, -db, b), cross(b, c)) / dot(c, c), h)
    t = _clamp(db + s * q, l)
    s = _clamp(t * q - da, h)
    t = _clamp(db + s * q, l)
    return s, t


@kernel
def _round(R, a, s, h, n):
    """Return the curvature of a capsule at s of its axis: of its end ball beyond or at an end."""
    if abs(s) >= h:
        return of_sphere(R)
    e = along(a, -dot(a, n), n)
    return 0.0, 1.0, 1.0, R, scaled(1.0 / norm(e), e)


@kernel
def _identity(s, h, t, l):
    """Return the number of a pair of places: which ends they are."""
    i = 1 if s <= -h else (2 if s >= h else 0)
    j = 1 if t <= -l else (2 if t >= l else 0)
    return 3 * i + j


@kernel
def _across(x, a, reach):
    """Return the direction of the part of x across the axis a, or x where there is next to none."""
    y = along(x, -dot(x, a), a)
    size = norm(y)
    if not size > 1e-14 * reach:
        return y
    # once more: what is left along the axis by the rounding of a short way
    y = scaled(1.0 / size, y)
    return along(y, -dot(y, a), a)


@kernel
def _direction(x, a, b, inside_1, inside_2, reach):
    """Return the unit normal of two axes that are x apart; zero where nothing tells it.

    Between the ends of an axis it is at right angles to it. Near the crossing of skew axes their
    cross product is sharper than the short way between them.
    """
    c = cross(a, b)
    sine = norm(c)
    if inside_1 and inside_2 and sine > _PARALLEL and norm(x) < sine * reach:
        return scaled((1.0 if dot(c, x) >= 0.0 else -1.0) / sine, c)
    if inside_1:
        x = _across(x, a, reach)
    elif inside_2:
        x = _across(x, b, reach)
    size = norm(x)
    return scaled(1.0 / size, x) if size > 1e-14 * reach else (0.0, 0.0, 0.0)


@kernel
def _normal(w, k, x, a, b, inside_1, inside_2, reach):
    """Return the unit normal and the signed distance along x from the second axis to the first.

    `inside`: the place on that axis is between its ends. (T-18.24)
    """
    old = (w.contact_s[4 * k + 1], w.contact_s[4 * k + 2], w.contact_s[4 * k + 3])
    known = norm(old) > 0.5
    n = _direction(x, a, b, inside_1, inside_2, reach)
    if norm(n) == 0.0:
        n = along(old, -dot(old, a), a) if known else any_tangent(a)
        n = scaled(1.0 / norm(n), n) if norm(n) > 0.0 else any_tangent(a)
    d = dot(n, x)
    if known and abs(d) < _SIDE * reach and dot(n, old) < -0.5:
        n, d = scaled(-1.0, n), -d
    return n, d


@kernel
def _store(m, w, slot, swap, c1, c2, s, t, n, d):
    """Write a slot for the places s and t on both axes at the distance d along n."""
    f, g = m.contours.frame[c1], m.contours.frame[c2]
    a, b = axis_of(w, f, 2), axis_of(w, g, 2)
    h, l = half_length(m, c1), half_length(m, c2)
    R, S = radius_of_offset(m, c1), radius_of_offset(m, c2)
    r1 = along(along(origin_of(w, f), s, a), -R, n)
    r2 = along(r1, -(d - R - S), n)
    store_point(
        w, slot, swap, d - R - S, n, r1, r2,
        _round(R, a, s, h, n), _round(S, b, t, l, n), _identity(s, h, t, l),
    )  # fmt: skip


@kernel
def _second_place(d, a, h, b, l, s, t):
    """Return another pair of places where nearly parallel axes run along, as far off as can be.

    The ends of both are tried; none: nan. (T-18.24)
    """
    q = dot(a, b)
    best, s_best, t_best = 0.0, math.nan, math.nan
    for end in range(4):
        if end < 2:
            x = -h if end == 0 else h
            y = dot(d, b) + x * q
            if abs(y) > l:
                continue
        else:
            y = -l if end == 2 else l
            x = y * q - dot(d, a)
            if abs(x) > h:
                continue
        if abs(x - s) > best:
            best, s_best, t_best = abs(x - s), x, y
    return s_best, t_best


@kernel
def detect_segments(m, w, k, swap, c1, c2):
    """Find both contacts of two capsules or edges and write slots k and k + 1. (T-18.24)"""
    f, g = m.contours.frame[c1], m.contours.frame[c2]
    a, b = axis_of(w, f, 2), axis_of(w, g, 2)
    h, l = half_length(m, c1), half_length(m, c2)
    d = sub(origin_of(w, f), origin_of(w, g))
    sine = norm(cross(a, b))
    s, t = nearest_on_axes(d, a, h, b, l)
    if sine <= _PARALLEL:
        # the nearest place is anywhere: take an end
        x, y = _second_place(d, a, h, b, l, s, t)
        if x == x:
            s, t = x, y
    reach = min(h, l)
    way = along(along(d, s, a), -t, b)
    n, distance = _normal(w, k, way, a, b, abs(s) < h, abs(t) < l, reach)
    x, y = math.nan, math.nan
    if sine <= _SKEW and m.slots.count[k] > 1:
        x, y = _second_place(d, a, h, b, l, s, t)
    two = abs(x - s) > 1e-6 * reach
    slot, other = k, k + 1
    if two:
        p, q = _identity(s, h, t, l), _identity(x, h, y, l)
        old_1, old_2 = w.contact_id[k], w.contact_id[k + 1]
        # both stay where they were; at first the one further down the axis comes first
        changed = p == old_2 or q == old_1
        stayed = p == old_1 or q == old_2
        if (changed and not stayed) or (not changed and not stayed and s > x):
            slot, other = k + 1, k
    elif m.slots.count[k] > 1 and w.contact_id[k + 1] == _identity(s, h, t, l):
        slot, other = k + 1, k
    for i in range(k, k + m.slots.count[k]):
        store_nothing(w, i)
    _store(m, w, slot, swap, c1, c2, s, t, n, distance)
    if two:
        way = along(along(d, x, a), -y, b)
        n_2, distance_2 = _normal(w, k, way, a, b, abs(x) < h, abs(y) < l, reach)
        _store(m, w, other, swap, c1, c2, x, y, n_2, distance_2)
    w.contact_s[4 * k + 1], w.contact_s[4 * k + 2], w.contact_s[4 * k + 3] = n[0], n[1], n[2]
