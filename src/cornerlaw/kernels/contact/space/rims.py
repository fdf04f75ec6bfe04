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
def extreme_angle(m, w, k, x, y, size):
    """Return the angle of a rim's extreme point, towards (x, y), as cosine and sine.

    `size` is what the length of (x, y) is compared with; the angle is kept for slot k. (T-17.11)
    """
    kept = m.slots.start[k]
    length = math.sqrt(x * x + y * y)
    if length > _FLAT * size:
        w.contact_s[kept] = math.atan2(y, x)
        return x / length, y / length
    if not math.isfinite(w.contact_s[kept]):
        w.contact_s[kept] = 0.0
    return math.cos(w.contact_s[kept]), math.sin(w.contact_s[kept])


@kernel
def held_angle(m, w, k, j):
    """Return the angle of the j-th point (1 or 2) beside the extreme one of slot k. (T-17.11)"""
    kept = m.slots.start[k + j]
    wanted = w.contact_s[m.slots.start[k]] + (_THIRD if j == 1 else -_THIRD)
    # nothing is kept at first: a comparison with nan is false
    if not math.cos(w.contact_s[kept] - wanted) > _NEAR:
        w.contact_s[kept] = wanted
    return math.cos(w.contact_s[kept]), math.sin(w.contact_s[kept])
