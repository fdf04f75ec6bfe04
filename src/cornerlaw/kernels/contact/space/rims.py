"""Circular rims: the extreme point, and two points of the body that keep a flat rim at rest.

The extreme point of a rim moves along it, and where the rim lies flat it is any of its points. Two
more points hold the rim then. They are points of the body, near a third of a turn from the extreme
one, and are chosen anew only when that has run away from them, which is when they are far off.
"""

import math

from cornerlaw.kernels._numba import kernel

# sine of the angle below which a rim is flat, and stays on the points it stands on
_FLAT = 1e-10
_THIRD = 2.0 * math.pi / 3.0
_NEAR = math.sqrt(0.5)  # cosine of the angle by which a point of the body may be off that


@kernel
def rim_angle(m, w, k, j, x, y, size):
    """Return cosine and sine of the angle of a rim's point j, in slot k + j.

    Point 0 is extreme towards (x, y), whose length is compared with `size`; 1 and 2 are held. The
    angles are kept for the next call. (T-18.10)
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
            return x / length, y / length
        if not math.isfinite(w.contact_s[kept]):
            w.contact_s[kept] = 0.0
    return math.cos(w.contact_s[kept]), math.sin(w.contact_s[kept])
