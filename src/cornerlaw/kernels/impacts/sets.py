"""What the rows of an impact are, and the bounds that hold for impulses."""

import math

from cornerlaw.arrays.problem import BALL
from cornerlaw.kernels._numba import kernel


@kernel
def is_bilateral(p, k):
    """Tell whether a set is the whole line: a bilateral row."""
    return p.master[k] < 0 and p.lower_0[k] == -math.inf and p.upper_0[k] == math.inf


@kernel
def is_normal(p, k):
    """Tell whether a set is [0, inf): the row of a unilateral law."""
    return (
        p.kind[k] != BALL and p.master[k] < 0 and p.lower_0[k] == 0.0 and p.upper_0[k] == math.inf
    )


@kernel
def has_friction(p, k):
    """Tell whether a set is that of a friction law with a bound other than zero."""
    return p.master[k] >= 0 and (p.upper_1[k] != 0.0 or p.lower_1[k] != 0.0)


@kernel
def keep_bounds(p, imp):
    """Store the bounds of all sets, and clear those that are finite forces.

    A force that stays finite has no impulse: of the bounds a + b x_m only b x_m counts, and a bound
    that is itself an impulse, which imp.load holds.
    """
    for k in range(p.n_sets[0]):
        imp.kept[0, k] = p.lower_0[k]
        imp.kept[1, k] = p.lower_1[k]
        imp.kept[2, k] = p.upper_0[k]
        imp.kept[3, k] = p.upper_1[k]
        if math.isfinite(p.lower_0[k]):
            p.lower_0[k] = imp.load[0, k]
        if math.isfinite(p.upper_0[k]):
            p.upper_0[k] = imp.load[1, k]


@kernel
def restore_bounds(p, imp):
    """Give all sets the bounds they had before the impact."""
    for k in range(p.n_sets[0]):
        p.lower_0[k] = imp.kept[0, k]
        p.lower_1[k] = imp.kept[1, k]
        p.upper_0[k] = imp.kept[2, k]
        p.upper_1[k] = imp.kept[3, k]


@kernel
def multiply(p, x, c, out):
    """Write out = G x + c."""
    n = p.n[0]
    for i in range(n):
        total = c[i]
        for j in range(n):
            total += p.G[i, j] * x[j]
        out[i] = total
