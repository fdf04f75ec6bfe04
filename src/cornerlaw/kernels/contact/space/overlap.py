"""Overlap of two patches seen along the normal: its corners are the candidates for contact points.

A corner is a vertex of one patch over the other, or a crossing of their borders. Scratch:
candidate i has u, v, g, the point on the first contour and the normal at
w.contact_b[4400 + 10 i], and type, place in the first and second patch and identity at
w.contact_j[600 + 4 i]. (T-18.21)
"""

import math

import numpy as np

from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.geometry import (
    along,
    any_tangent,
    cross,
    dot,
    norm,
    scaled,
    sub,
)
from cornerlaw.kernels.contact.space.patches import (
    DISC,
    FIRST,
    POINT,
    POLYGON,
    SECOND,
    SEGMENT,
    centre_of,
    count_of,
    flat_of,
    has_flat_ends,
    identity_of,
    normal_of_patch,
    place_of,
    radius_of,
    type_of,
)

OF_FIRST = np.int64(0)  # vertex of the first contour over the second
OF_SECOND = np.int64(1)
OF_BORDERS = np.int64(2)  # crossing of two borders
NEAREST = np.int64(3)  # support points of both

_NONE = np.int64(-1)

CANDIDATES = 300
_B, _J = 4400, 600
_SKEW = 0.1  # sine up to which two segments count as nearly parallel
_PARALLEL = 1e-7  # and as parallel


@kernel
def candidate_at(i):
    """Return the places of candidate i in w.contact_b and w.contact_j."""
    return _B + 10 * i, _J + 4 * i


@kernel
def height_at(w, side, u, v, n, e, t, origin):
    """Return the height of patch `side` at u, v."""
    kind = type_of(w, side)
    if kind == POINT:
        return flat_of(w, side, FIRST)[2]
    if kind == SEGMENT:
        a, b = flat_of(w, side, FIRST), flat_of(w, side, SECOND)
        du, dv = b[0] - a[0], b[1] - a[1]
        s = ((u - a[0]) * du + (v - a[1]) * dv) / (du * du + dv * dv)
        return a[2] + s * (b[2] - a[2])
    p, normal = place_of(w, side, FIRST), normal_of_patch(w, side)
    x = sub(p, origin)
    return (dot(normal, x) - u * dot(normal, e) - v * dot(normal, t)) / dot(normal, n)


@kernel
def _is_over(w, side, u, v, n, e, t, origin, tolerance):
    """Tell whether u, v is over patch `side`."""
    kind = type_of(w, side)
    a = flat_of(w, side, FIRST)
    if kind == POINT:
        return math.hypot(u - a[0], v - a[1]) <= tolerance
    if kind == SEGMENT:
        b = flat_of(w, side, SECOND)
        du, dv = b[0] - a[0], b[1] - a[1]
        s = ((u - a[0]) * du + (v - a[1]) * dv) / (du * du + dv * dv)
        s = min(max(s, 0.0), 1.0)
        return math.hypot(u - a[0] - s * du, v - a[1] - s * dv) <= tolerance
    if kind == POLYGON:
        # the loop runs clockwise on the side that n points to
        sign, count = (-1.0 if side == 0 else 1.0), count_of(w, side)
        for i in range(count):
            b = flat_of(w, side, i + 1 if i + 1 < count else FIRST)
            du, dv = b[0] - a[0], b[1] - a[1]
            if sign * (du * (v - a[1]) - dv * (u - a[0])) < -tolerance * math.hypot(du, dv):
                return False
            a = b
        return True
    h = height_at(w, side, u, v, n, e, t, origin)
    x = along(along(along(origin, u, e), v, t), h, n)
    return norm(sub(x, centre_of(w, side))) <= radius_of(w, side) + tolerance


@kernel
def add_candidate(w, count, u, v, g, r, n, kind, i, j, identity, near):
    """Append a candidate unless one is within `near` of it already; return the new number."""
    if count >= CANDIDATES:
        return count
    for k in range(count):
        p = _B + 10 * k
        if math.hypot(w.contact_b[p] - u, w.contact_b[p + 1] - v) <= near:
            return count
    p, q = candidate_at(count)
    b, c = w.contact_b, w.contact_j
    b[p], b[p + 1], b[p + 2] = u, v, g
    for a in range(3):
        b[p + 3 + a], b[p + 6 + a] = r[a], n[a]
    c[q], c[q + 1], c[q + 2], c[q + 3] = kind, i, j, identity
    return count + 1


@kernel
def _add_vertices(w, count, side, n, e, t, origin, tolerance, near):
    """Append the vertices of patch `side` that are over the other patch."""
    for i in range(count_of(w, side)):
        u, v, h = flat_of(w, side, i)
        if not _is_over(w, 1 - side, u, v, n, e, t, origin, tolerance):
            continue
        other = height_at(w, 1 - side, u, v, n, e, t, origin)
        x = place_of(w, side, i)
        identity = 4 * identity_of(w, side, i) + side
        if side == 0:
            count = add_candidate(
                w, count, u, v, h - other, x, n, OF_FIRST, i, _NONE, identity, near
            )
        else:
            r = along(x, other - h, n)
            count = add_candidate(
                w, count, u, v, other - h, r, n, OF_SECOND, _NONE, i, identity, near
            )
    return count


@kernel
def _border_identity(w, side, i):
    """Return a number for edge i of patch `side`, whichever face shows it."""
    if type_of(w, side) >= DISC:
        return identity_of(w, side, FIRST)
    j = i + 1 if i + 1 < count_of(w, side) else FIRST
    p, q = identity_of(w, side, i), identity_of(w, side, j)
    return 4096 * min(p, q) + max(p, q)


@kernel
def _add_crossing(w, count, u, v, i, j, which, n, e, t, origin, near):
    """Append the crossing at u, v of border i of the first and j of the second patch."""
    h = height_at(w, FIRST, u, v, n, e, t, origin)
    g = h - height_at(w, SECOND, u, v, n, e, t, origin)
    r = along(along(along(origin, u, e), v, t), h, n)
    pair = _border_identity(w, FIRST, i) * 16777216 + _border_identity(w, SECOND, j)
    identity = 4 * (2 * pair + which) + 2
    return add_candidate(w, count, u, v, g, r, n, OF_BORDERS, i, j, identity, near)


@kernel
def _count_borders(w, side):
    kind = type_of(w, side)
    if kind == POLYGON:
        return count_of(w, side)
    return 0 if kind == POINT else 1


@kernel
def _add_straight(w, count, i, j, n, e, t, origin, near):
    """Append the crossing of straight edge i of the first and j of the second patch."""
    a, b = flat_of(w, FIRST, i), flat_of(w, FIRST, i + 1 if i + 1 < count_of(w, FIRST) else FIRST)
    c, d = (
        flat_of(w, SECOND, j),
        flat_of(w, SECOND, j + 1 if j + 1 < count_of(w, SECOND) else FIRST),
    )
    pu, pv, qu, qv = b[0] - a[0], b[1] - a[1], d[0] - c[0], d[1] - c[1]
    det = pu * qv - pv * qu
    if abs(det) <= _PARALLEL * math.hypot(pu, pv) * math.hypot(qu, qv):
        return count
    ru, rv = c[0] - a[0], c[1] - a[1]
    s, z = (ru * qv - rv * qu) / det, (ru * pv - rv * pu) / det
    if s < -1e-8 or s > 1.0 + 1e-8 or z < -1e-8 or z > 1.0 + 1e-8:
        return count
    u, v = a[0] + s * pu, a[1] + s * pv
    return _add_crossing(w, count, u, v, i, j, FIRST, n, e, t, origin, near)


@kernel
def _add_rim(w, count, side, i, n, e, t, origin, near):
    """Append the crossings of the rim of disc `side` with straight edge i of the other patch."""
    other = 1 - side
    a, b = flat_of(w, other, i), flat_of(w, other, i + 1 if i + 1 < count_of(w, other) else FIRST)
    # both ends moved along the normal into the plane of the disc
    ha = height_at(w, side, a[0], a[1], n, e, t, origin)
    hb = height_at(w, side, b[0], b[1], n, e, t, origin)
    p = along(along(along(origin, a[0], e), a[1], t), ha, n)
    q = along(along(along(origin, b[0], e), b[1], t), hb, n)
    d = sub(q, p)
    p = sub(p, centre_of(w, side))
    dd, pd, R = dot(d, d), dot(p, d), radius_of(w, side)
    root = pd * pd - dd * (dot(p, p) - R * R)
    if root <= 0.0 or dd == 0.0:
        return count
    root = math.sqrt(root)
    for which in range(2):
        s = (-pd + (root if which == 1 else -root)) / dd
        if s < 0.0 or s > 1.0:
            continue
        u, v = a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])
        j, k = (FIRST, i) if side == 0 else (i, FIRST)
        count = _add_crossing(w, count, u, v, j, k, which, n, e, t, origin, near)
    return count


@kernel
def _on_plane_of(w, side, x, n):
    """Return x moved along n into the plane of disc `side`, from its centre."""
    x, normal = sub(x, centre_of(w, side)), normal_of_patch(w, side)
    return along(x, -dot(normal, x) / dot(normal, n), n)


@kernel
def _add_rims(w, count, n, e, t, origin, near):
    """Append the crossings of two rims seen along n.

    Taken as circles of one plane at first, then by Newton's method: the point of the first rim at
    the angle p, moved into the plane of the second, has the distance S from its centre.
    """
    R, S = radius_of(w, FIRST), radius_of(w, SECOND)
    o, normal = centre_of(w, FIRST), normal_of_patch(w, FIRST)
    a = any_tangent(normal)
    b = cross(normal, a)
    d = sub(centre_of(w, SECOND), o)
    x, y = dot(d, a), dot(d, b)
    away = math.hypot(x, y)
    if away <= abs(R - S) or away >= R + S:
        return count
    open_by = math.acos(min(max((away * away + R * R - S * S) / (2.0 * away * R), -1.0), 1.0))
    for which in range(2):
        angle = math.atan2(y, x) + (open_by if which == 1 else -open_by)
        for _ in range(6):
            c, s = R * math.cos(angle), R * math.sin(angle)
            r = along(along(o, c, a), s, b)
            q = _on_plane_of(w, SECOND, r, n)
            way = along(scaled(-s, a), c, b)
            other = normal_of_patch(w, SECOND)
            slope = dot(q, along(way, -dot(other, way) / dot(other, n), n))
            if slope == 0.0:
                break
            step = (dot(q, q) - S * S) / (2.0 * slope)
            angle -= min(max(step, -0.2), 0.2)
        if abs(dot(q, q) - S * S) > 1e-9 * S * S:
            continue
        r = sub(r, origin)
        count = _add_crossing(
            w, count, dot(r, e), dot(r, t), FIRST, FIRST, which, n, e, t, origin, near
        )
    return count


@kernel
def _end_of(w, side, x, n, own):
    """Return the point of a round end with core x that looks along n: on a ball or on a rim."""
    R = radius_of(w, side)
    return along(x, -R if side == 0 else R, _about(w, side, n, own))


@kernel
def _about(w, side, n, own):
    """Return the direction of n from the core of a round segment: across a cylinder's axis."""
    if has_flat_ends(w, side):
        n = along(n, -dot(n, own) / dot(own, own), own)
        n = scaled(1.0 / norm(n), n)
    return n


@kernel
def _rim_over(w, side, x, own, o, way, normal):
    """Return the point of a rim nearest to the core of the other segment, its place there, normal.

    The point of the rim that looks along the normal, and the normal from the core to that point, in
    turns. (T-18.22)
    """
    out, r, s = (-1.0 if side == 0 else 1.0), x, 0.0
    for _ in range(20):
        r = _end_of(w, side, x, normal, own)
        s = dot(sub(r, o), way) / dot(way, way)
        gap = scaled(-out, sub(r, along(o, s, way)))
        before, normal = normal, scaled(1.0 / norm(gap), gap)
        if norm(sub(normal, before)) < 1e-15:
            break
    return r, s, normal


@kernel
def _add_ends(w, count, n, near):
    """Append the ends of two nearly parallel segments where they run along each other.

    Round ones, with radii about their cores, have normals between their own cores. (T-18.22)
    """
    R = radius_of(w, FIRST), radius_of(w, SECOND)
    p = sub(place_of(w, FIRST, SECOND), place_of(w, FIRST, FIRST))
    q = sub(place_of(w, SECOND, SECOND), place_of(w, SECOND, FIRST))
    if norm(cross(p, q)) > _SKEW * norm(p) * norm(q):
        return count
    for side in range(2):
        out, own = (-1.0, p) if side == 0 else (1.0, q)
        # core of the other segment
        way = sub(place_of(w, 1 - side, SECOND), place_of(w, 1 - side, FIRST))
        o = along(place_of(w, 1 - side, FIRST), out * R[1 - side], _about(w, 1 - side, n, way))
        for i in range(2):
            x = along(place_of(w, side, i), -out * R[side], _about(w, side, n, own))
            s = dot(sub(x, o), way) / dot(way, way)
            if s < 0.0 or s > 1.0:
                continue
            core = along(o, s, way)
            gap = scaled(-out, sub(x, core))
            size = norm(gap)
            normal, r = n, place_of(w, side, i)
            if R[0] + R[1] > 0.0 and dot(gap, n) > 0.9 * size and size > 0.0:
                normal = scaled(1.0 / size, gap)
                r = _end_of(w, side, x, normal, own)
                if has_flat_ends(w, side) and R[1 - side] > 0.0:
                    r, s, normal = _rim_over(w, side, x, own, o, way, normal)
                    if s < 0.0 or s > 1.0:
                        continue
                    core = along(o, s, way)
            elif math.sqrt(max(size * size - dot(gap, n) ** 2, 0.0)) > near:
                continue
            g = -out * dot(normal, sub(r, core)) - R[1 - side]
            u, v, _ = flat_of(w, side, i)
            identity = 4 * identity_of(w, side, i) + side
            if side == 0:
                count = add_candidate(
                    w, count, u, v, g, r, normal, OF_FIRST, i, _NONE, identity, near
                )
            else:
                r = along(r, g, normal)
                count = add_candidate(
                    w, count, u, v, g, r, normal, OF_SECOND, _NONE, i, identity, near
                )
    return count


@kernel
def overlap_patches(w, n, e, t, origin, size):
    """Write the corners of the overlap of both patches, return their number. (T-18.21)"""
    tolerance, near = 1e-8 * size, 1e-6 * size
    count = FIRST
    for side in range(2):
        count = _add_vertices(w, count, side, n, e, t, origin, tolerance, near)
    if type_of(w, FIRST) == SEGMENT and type_of(w, SECOND) == SEGMENT:
        count = _add_straight(w, count, FIRST, FIRST, n, e, t, origin, near)
        return _add_ends(w, count, n, near)
    disc_1, disc_2 = type_of(w, FIRST) >= DISC, type_of(w, SECOND) >= DISC
    if disc_1 and disc_2:
        return _add_rims(w, count, n, e, t, origin, near)
    for i in range(_count_borders(w, FIRST)):
        for j in range(_count_borders(w, SECOND)):
            if disc_1:
                count = _add_rim(w, count, FIRST, j, n, e, t, origin, near)
            elif disc_2:
                count = _add_rim(w, count, SECOND, i, n, e, t, origin, near)
            else:
                count = _add_straight(w, count, i, j, n, e, t, origin, near)
    return count
