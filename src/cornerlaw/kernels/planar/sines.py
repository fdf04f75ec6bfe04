"""Sines and cosines of many angles at once, in a form that the compiler turns into vector code.

Each angle is reduced by the nearest multiple of pi/2, which is subtracted in three parts so that
the products are exact, and both functions come from the minimax polynomials of the reduced angle on
[-pi/4, pi/4]. There is no branch. The error is below 2e-16; angles beyond LARGE, where the products
are no longer exact, are left to the library. (T-3.20)
"""

import math

from cornerlaw.kernels.planar._fused import fused_kernel
from cornerlaw.kernels.planar.nodes import FEW

LARGE = 1e5  # radians
_NEAREST = 6755399441055744.0  # 1.5 * 2^52: adding and subtracting it rounds to a whole number
_PER_RIGHT_ANGLE = 0.6366197723675814
# pi/2 in parts of 33 bits, the last one complete
_PART_1 = 1.57079632673412561417e00
_PART_2 = 6.07710050630396597660e-11
_PART_3 = 2.02226624879595063154e-21


@fused_kernel
def _write_reduced(sine, cosine):
    """Overwrite all angles in `sine` by their sines and write their cosines, right up to LARGE."""
    for i in range(sine.size):
        x = sine[i]
        turns = (x * _PER_RIGHT_ANGLE + _NEAREST) - _NEAREST
        r = ((x - turns * _PART_1) - turns * _PART_2) - turns * _PART_3
        z = r * r
        s = 2.75573137070700676789e-06 + z * (
            -2.50507602534068634195e-08 + z * 1.58969099521155010221e-10
        )
        s = 8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + z * s)
        s = r + r * z * (-1.66666666666666324348e-01 + z * s)
        c = -2.75573143513906633035e-07 + z * (
            2.08757232129817482790e-09 - z * 1.13596475577881948265e-11
        )
        c = -1.38888888888741095749e-03 + z * (2.48015872894767294178e-05 + z * c)
        c = 1.0 - (0.5 * z - z * z * (4.16666666666666019037e-02 + z * c))
        # the right angles beyond whole turns: 0, 1, 2 or 3
        quarter = turns - 4.0 * ((turns * 0.25 - 0.375 + _NEAREST) - _NEAREST)
        odd = (quarter == 1.0) | (quarter == 3.0)
        sign_s = -1.0 if quarter >= 2.0 else 1.0
        sign_c = -1.0 if (quarter == 1.0) | (quarter == 2.0) else 1.0
        sine[i] = sign_s * (c if odd else s)
        cosine[i] = sign_c * (s if odd else c)


@fused_kernel
def write_sines(q, n, room):
    """Write the sines of the first n entries of q and their cosines to the two rows of `room`."""
    sine, cosine = room[0], room[1]
    if n < FEW:
        for i in range(n):
            sine[i] = math.sin(q[i])
            cosine[i] = math.cos(q[i])
        return
    for i in range(n):
        sine[i] = q[i]
    for i in range(n, sine.size):
        sine[i] = 0.0
    _write_reduced(sine, cosine)
    for i in range(n):
        # not a number as well
        if not abs(q[i]) <= LARGE:
            sine[i] = math.sin(q[i])
            cosine[i] = math.cos(q[i])
