"""Contact detection in space: dispatch of every pair to the closed form or search of its kinds."""

import math

from cornerlaw.arrays.kinds import (
    SHAPE_BOX,
    SHAPE_PLANE,
    SHAPE_POLYHEDRON,
    SHAPE_SPHERE,
    SHAPE_SURFACE,
    SHAPE_TORUS,
)
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.geometry import (
    axis_of,
    cross,
    dot,
    norm,
    origin_of,
    store_nothing,
    sub,
)
from cornerlaw.kernels.contact.space.rest import carry_points, forget_pose, is_still, keep_pose
from cornerlaw.kernels.late import call

MARGIN = 0.02  # of the size of a pair: what is nearer is looked at, moving or not


@kernel
def _speed_of(m, w, c):
    """Return the largest speed that a point of a contour can have relative to its marker's."""
    o = w.frame_Omega[m.contours.frame[c]]
    return m.contours.reach[c] * math.sqrt(o[0] * o[0] + o[1] * o[1] + o[2] * o[2])


@kernel
def _is_far(m, w, k):
    """Tell whether a pair cannot meet within the time w.look, by balls around both. (T-17.11)

    Pairs at rest that touch but for a rounding, or are near while others are pushed apart, are not
    far: an impact goes through them, and a correction of positions must not push into them.
    """
    c1, c2 = m.slots.contour_1[k], m.slots.contour_2[k]
    if m.contours.kind[c1] == SHAPE_PLANE:
        c1, c2 = c2, c1
    f1, f2 = m.contours.frame[c1], m.contours.frame[c2]
    d, v = sub(origin_of(w, f1), origin_of(w, f2)), sub(w.frame_v[f1], w.frame_v[f2])
    if m.contours.kind[c2] == SHAPE_PLANE:
        o, n = w.frame_Omega[f2], axis_of(w, f2, 2)
        turn = norm(cross((o[0], o[1], o[2]), d))
        room = dot(n, d) - (1.0 + MARGIN) * m.contours.reach[c1]
        # a point has no size, and is as quickly looked at as left out
        is_solid = m.contours.reach[c1] > 0.0
        return is_solid and room > w.look[0] * (norm(v) + turn + _speed_of(m, w, c1))
    room = norm(d) - (1.0 + MARGIN) * (m.contours.reach[c1] + m.contours.reach[c2])
    return room > w.look[0] * (norm(v) + _speed_of(m, w, c1) + _speed_of(m, w, c2))


@kernel
def detect_pair(m, w, k):
    """Find all contacts of the pair that slot k belongs to, at the marker poses of w. (T-17.1)

    Every pair is looked at once per pose: its slots share the result. Free places of the pool have
    no pair.
    """
    k = m.slots.first[k]
    if w.seen[k] == w.pose[0] or m.slots.contour_1[k] < 0:
        return OK
    w.seen[k] = w.pose[0]
    if w.look[0] < math.inf and _is_far(m, w, k):
        for n in range(k, k + m.slots.count[k]):
            store_nothing(w, n)
        forget_pose(w, k)
        return OK
    kind_1 = m.contours.kind[m.slots.contour_1[k]]
    kind_2 = m.contours.kind[m.slots.contour_2[k]]
    low, high = min(kind_1, kind_2), max(kind_1, kind_2)
    stage = m.stages.detect_solids
    if high >= SHAPE_TORUS:
        stage = m.stages.detect_surface
        if high < SHAPE_SURFACE or (low != SHAPE_BOX and low != SHAPE_POLYHEDRON):
            return call(stage, m, w, k)
    elif low <= SHAPE_SPHERE:
        return call(m.stages.detect_round, m, w, k)
    elif low == SHAPE_PLANE:
        return call(m.stages.detect_plane, m, w, k)
    # event by event, and at stored rows, contacts are exact
    if w.look[0] == math.inf:
        forget_pose(w, k)
        return call(stage, m, w, k)
    if is_still(m, w, k):
        carry_points(m, w, k)
        return OK
    code = call(stage, m, w, k)
    keep_pose(m, w, k)
    return code
