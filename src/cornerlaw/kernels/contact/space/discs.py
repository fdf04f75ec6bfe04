"""Discs: where the separation is largest beside the sharp peak that it has along a disc's axis.

A disc of radius R whose normal deviates by v from the direction sought adds -R |v| to the
separation. What it touches at d from its centre adds d . v, and the top leaves the peak for the
direction of d as soon as |d| > R: the place is beyond the rim. Two discs nearly on each other have
two peaks. With small deviations v of the normal and a1, a2 those of the axes the separation is
d . v - R1 |v - a1| - R2 |v - a2|, where d leads from the second centre to the first. It is largest
where d = R1 u1 + R2 u2 with the unit vectors u_i along v - a_i: they point to a crossing of both
circles, and v is where the rays from a1 and a2 along them meet. (T-18.16)
"""

import math

from cornerlaw.arrays.kinds import SHAPE_CONE, SHAPE_CYLINDER
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.geometry import (
    add,
    along,
    any_tangent,
    cross,
    dot,
    norm,
    scaled,
    sub,
    unit,
)
from cornerlaw.kernels.contact.space.support import difference, support

_RISE = 1e-15  # of the size: a separation that is larger
_HALVINGS = 24


@kernel
def _has_disc(m, c):
    return m.contours.kind[c] == SHAPE_CYLINDER or m.contours.kind[c] == SHAPE_CONE


@kernel
def between_discs(m, w, c1, c2, face_1, face_2, left):
    """Return the normal for the left or right crossing of two rims, zero where there is none.

    face_1 and face_2 are the normals that the discs ask for. (T-18.16)
    """
    none = (0.0, 0.0, 0.0)
    if not (_has_disc(m, c1) and _has_disc(m, c2)):
        return none
    n = unit(add(face_1, face_2))
    e = any_tangent(n)
    f = cross(n, e)
    # along its axis the support of a disc is its middle
    d = sub(support(m, w, c1, scaled(-1.0, face_1)), support(m, w, c2, face_2))
    x, y = dot(d, e), dot(d, f)
    R, S = m.contours.data[m.contours.start[c1]], m.contours.data[m.contours.start[c2]]
    away = math.hypot(x, y)
    if away <= abs(R - S) or away >= R + S:
        return none
    c = (away * away + R * R - S * S) / (2.0 * away * R)
    s = math.sqrt(max(1.0 - c * c, 0.0)) * (1.0 if left else -1.0)
    u1, v1 = (c * x - s * y) / away, (c * y + s * x) / away
    u2, v2 = (x - R * u1) / S, (y - R * v1) / S
    a, b = dot(sub(face_2, face_1), e), dot(sub(face_2, face_1), f)
    det = u1 * v2 - v1 * u2
    if det == 0.0:
        return none
    # a1 + s u1 = a2 + t u2
    first, second = (a * v2 - b * u2) / det, (a * v1 - b * u1) / det
    if first < 0.0 or second < 0.0:
        return none
    at_e, at_f = dot(sub(face_1, n), e) + first * u1, dot(sub(face_1, n), f) + first * v1
    return unit(along(along(n, at_e, e), at_f, f))


@kernel
def beyond_rim(m, w, c1, c2, c, face, size):
    """Return a normal beside the face of disc c where the separation is larger than there.

    It is turned towards the place touched, which is beyond the rim; zero where it is not.
    (T-18.16)
    """
    none = (0.0, 0.0, 0.0)
    if not _has_disc(m, c):
        return none
    x = difference(m, w, c1, c2, face)
    sigma = dot(face, x)
    d = along(x, -sigma, face)
    away = norm(d)
    if away <= m.contours.data[m.contours.start[c]]:
        return none
    turn = 0.1
    for _ in range(_HALVINGS):
        n = unit(along(face, turn / away, d))
        if dot(n, difference(m, w, c1, c2, n)) > sigma + _RISE * size:
            return n
        turn *= 0.25
    return none
