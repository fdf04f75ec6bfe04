"""Contact detection in space: dispatch of every pair to the closed form or search of its kinds."""

from cornerlaw.arrays.kinds import SHAPE_PLANE, SHAPE_SPHERE, SHAPE_TORUS
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.late import call


@kernel
def detect_pair(m, w, k):
    """Find all contacts of the pair that slot k belongs to, at the marker poses of w. (T-17.1)

    Every pair is looked at once per pose: its slots share the result.
    """
    k = m.slots.first[k]
    if w.seen[k] == w.pose[0]:
        return OK
    w.seen[k] = w.pose[0]
    kind_1 = m.contours.kind[m.slots.contour_1[k]]
    kind_2 = m.contours.kind[m.slots.contour_2[k]]
    low, high = min(kind_1, kind_2), max(kind_1, kind_2)
    if high >= SHAPE_TORUS:
        return call(m.stages.detect_surface, m, w, k)
    if low <= SHAPE_SPHERE:
        return call(m.stages.detect_round, m, w, k)
    if low == SHAPE_PLANE:
        return call(m.stages.detect_plane, m, w, k)
    return call(m.stages.detect_solids, m, w, k)
