"""Which point of a pair is in a slot, as stored rows keep it: with the face that gave the normal.

Where parallel edges of two polytopes meet, a face of either gives a normal, and the search keeps
the one it had. The pose alone does not tell which: a number is its point, and above all points that
polytopes have, 1 + the reference of the pair, or 0. It stays below 2^53 and so fits a double.
"""

import math

from cornerlaw.arrays.state import REFERENCES
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.polytopes import count_faces, is_polytope
from cornerlaw.kernels.contact.space.rest import forget_pose


@kernel
def _has_reference(m, k):
    """Tell whether the pair with first slot k keeps in w.contact_s which face gave its normal."""
    c1, c2 = m.slots.contour_1[k], m.slots.contour_2[k]
    if c1 < 0 or not (is_polytope(m, c1) and is_polytope(m, c2)):
        return False
    return count_faces(m, c1) > 0 or count_faces(m, c2) > 0


@kernel
def pack_point(m, w, s):
    """Return the point in slot s with the reference of its pair."""
    point, k = w.contact_id[s], m.slots.first[s]
    if point < 0 or not _has_reference(m, k) or math.isnan(w.contact_s[4 * k]):
        return point
    return point + REFERENCES * (1 + int(w.contact_s[4 * k]))


@kernel
def point_of(packed):
    """Return the point without the reference of its pair."""
    return packed % REFERENCES if packed >= 0 else packed


@kernel
def load_point(m, w, s, packed):
    """Give slot s, and the reference of its pair, what a stored row says of them."""
    w.contact_shown[s] = packed
    w.contact_id[s] = point_of(packed)
    k = m.slots.first[s]
    if packed < REFERENCES or not _has_reference(m, k):
        return
    reference = float(packed // REFERENCES - 1)
    if w.contact_s[4 * k] != reference:
        w.contact_s[4 * k] = reference
        forget_pose(w, k)
