"""Circular rims: the extreme point, and two points of the body that keep a flat rim at rest.

The extreme point of a rim moves along it, and where the rim lies flat it is any of its points: a
point of the body then, which does not move along the rim, and at events the one that is extreme a
moment later. Two more points hold the rim. They are points of the body, near a third of a turn from
the extreme one, and are chosen anew only when that has run away from them, which is when they are
far off.
"""

import math

from cornerlaw.arrays.kinds import SHAPE_CIRCLE, SHAPE_CONE, SHAPE_CYLINDER, SHAPE_PLANE
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.geometry import axis_of, cross, scaled, sub, turn_to_local

# sine of the angle below which a rim is flat, and stays on the points it stands on
_FLAT = 1e-10
_THIRD = 2.0 * math.pi / 3.0
_NEAR = math.sqrt(0.5)  # cosine of the angle by which a point of the body may be off that
_TIPS = 1e-9  # speed of a rim that tips [m/s]; what a projection leaves is far below


@kernel
def rim_angle(m, w, k, j, x, y, size):
    """Return cosine and sine of the angle of a rim's point j, in slot k + j, and if it runs.

    Point 0 is extreme towards (x, y), whose length is compared with `size`; 1 and 2 are held. The
    angles are kept for the next call. The extreme point runs along the rim unless the rim is flat.
    (T-18.10)
    """
    kept, first = m.slots.start[k + j], m.slots.start[k]
    if j > 0:
        wanted = w.contact_s[first] + (_THIRD if j == 1 else -_THIRD)
        # nothing is kept at first: a comparison with nan is false
        if not math.cos(w.contact_s[kept] - wanted) > _NEAR:
            w.contact_s[kept] = wanted
    else:
        length = math.sqrt(x * x + y * y)
        if length > _FLAT * size:
            w.contact_s[kept] = math.atan2(y, x)
            return x / length, y / length, True
        if not math.isfinite(w.contact_s[kept]):
            w.contact_s[kept] = 0.0
    return math.cos(w.contact_s[kept]), math.sin(w.contact_s[kept]), False


@kernel
def stands_on_rim(m, k):
    """Tell whether slot k belongs to a plane and a solid that can stand on a rim."""
    if k < 0:
        return False
    kind_1 = m.contours.kind[m.slots.contour_1[k]]
    kind_2 = m.contours.kind[m.slots.contour_2[k]]
    solid = max(kind_1, kind_2)
    round_ = solid == SHAPE_CIRCLE or solid == SHAPE_CYLINDER or solid == SHAPE_CONE
    return min(kind_1, kind_2) == SHAPE_PLANE and round_


@kernel
def _aim_rim(m, w, k):
    """Let the point of flat rims of the pair with first slot k be extreme a moment later."""
    c1, c2 = m.slots.contour_1[k], m.slots.contour_2[k]
    if m.contours.kind[c1] > m.contours.kind[c2]:
        c1, c2 = c2, c1
    plane, f, kind = m.contours.frame[c1], m.contours.frame[c2], m.contours.kind[c2]
    down = scaled(-1.0, axis_of(w, plane, 2))
    o1, o2 = w.frame_Omega[plane], w.frame_Omega[f]
    o = sub((o1[0], o1[1], o1[2]), (o2[0], o2[1], o2[2]))
    n, turn = turn_to_local(w, f, down), turn_to_local(w, f, cross(o, down))
    tilt = math.sqrt(n[0] * n[0] + n[1] * n[1])
    rate = math.sqrt(turn[0] * turn[0] + turn[1] * turn[1])
    if tilt > _FLAT or not rate * m.contours.data[m.contours.start[c2]] > _TIPS:
        return
    angle = math.atan2(n[1] + _FLAT * turn[1] / rate, n[0] + _FLAT * turn[0] / rate)
    step = 3 if kind == SHAPE_CYLINDER else m.slots.count[k]
    for j in range(1 if kind == SHAPE_CONE else 0, m.slots.count[k], step):
        w.contact_s[m.slots.start[k + j]] = angle
        w.contact_s[m.slots.start[k + j + 1]] = math.nan
        w.contact_s[m.slots.start[k + j + 2]] = math.nan


@kernel
def aim_rims(m, w):
    """Choose the points of all flat rims that tip, at the poses and velocities of the markers.

    A tilt n_xy of the normal in the axes of the rim grows with its rate, so that the rim will be
    touched towards n_xy + 1e-10 n_xy_dot / |n_xy_dot|. Must come before contacts are looked for.
    (T-18.11)
    """
    for k in range(m.slots.contour_1.size):
        if m.slots.contour_1[k] >= 0 and m.slots.first[k] == k and stands_on_rim(m, k):
            _aim_rim(m, w, k)
