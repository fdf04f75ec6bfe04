"""Circular rims: the extreme point, and two points of the body that keep a flat rim at rest.

The extreme point of a rim moves along it, and where the rim lies flat it is any of its points. Two
more points hold the rim then. They are points of the body, one of six each, about a third of a turn
from the extreme one, and change only when they are far off. All three depend on the pose alone, so
that results, which are evaluated after the run, show the points at which the forces acted.
"""

import math

from cornerlaw.kernels._numba import kernel

# sine of the angle below which a rim is flat, and stands on points of the body: half of that times
# the radius is the most by which the gap of its lowest point is missed
_FLAT = 1e-9
_SIXTH = math.pi / 3.0


@kernel
def rim_angle(j, x, y, size):
    """Return cosine and sine of the angle of a rim's point j.

    Point 0 is extreme towards (x, y), whose length is compared with `size`; 1 and 2 are points of
    the body. (T-18.10)
    """
    length = math.sqrt(x * x + y * y)
    flat = not length > _FLAT * size
    if j == 0:
        return (1.0, 0.0) if flat else (x / length, y / length)
    turns = 0.0 if flat else math.floor(math.atan2(y, x) / _SIXTH + 0.5)
    angle = _SIXTH * (turns + (2.0 if j == 1 else -2.0))
    return math.cos(angle), math.sin(angle)
