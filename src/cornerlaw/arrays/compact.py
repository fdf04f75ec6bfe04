"""Rows of a time step without their zeros, and the scratch of the solver that works on them.

Arrays with room for every row on every velocity are packed from the front: memory that is never
written to costs nothing.
"""

from typing import NamedTuple

import numpy as np

from cornerlaw.arrays.state import Floats, Ints

# values of `posed`
POSED_WHOLE = 0  # problem with its matrix, responses in k.Z
POSED_SMALL = 1  # problem with its matrix, compact rows
POSED_LARGE = 2  # compact rows only

MOST_DENSE = 40  # rows up to which a problem gets a matrix
FEW = 8  # the same for problems whose solution is unique in the velocities
MOST_FALLBACK = 600  # rows up to which a problem gets a matrix after all when it stays unsolved
MOST_COUPLED = 24  # velocities of a group whose inverse mass is kept as a matrix


class CompactRows(NamedTuple):
    """Rows in use, numbered as in the problem: columns and values of W and Z = M^-1 W."""

    posed: Ints  # (3,) what the problem at hand consists of; rows up to which one gets a matrix,
    # with friction and without
    start_W: Ints  # (n + 1,)
    column_W: Ints  # (n nu,) free velocities
    W: Floats  # (n nu,)
    start_Z: Ints  # (n + 1,) Z of a large problem is written when it is asked for
    column_Z: Ints  # (n nu,)
    Z: Floats  # (n nu,)
    start_group: Ints  # (n + 1,)
    group: Ints  # (n nu,) groups of velocities that a row acts on
    seen: Ints  # (ng,) number of the last row that listed a group
    serial: Ints  # (1,)
    inverse_at: Ints  # (ng,) where the inverse mass of a group begins, -1 if that is not kept
    largest: Ints  # (1,) velocities of the largest group with an inverse
    inverse: Floats  # inverse masses, group by group
    mass: Floats  # and masses
    root: Floats  # (nu,) roots of the diagonal of the inverse masses
    b: Floats  # (nu,)
    y: Floats  # (nu,)
    # solver
    diagonal: Floats  # (n,) G_ii
    scale: Floats  # (n,) largest G_ii of the contact
    curvature: Floats  # (n,) per set: bound of the largest eigenvalue of its block of G
    set_of: Ints  # (n,)
    owner: Ints  # (n,) per set: the set of its master, or itself
    tied: Ints  # (n,) per set: the first set that takes its load from it, -1 none
    next_tied: Ints  # (n,)
    push: Floats  # (nu,) W^T x, or the line of a row while the matrix is assembled
    dv: Floats  # (nu,) M^-1 W^T x
    F: Floats  # (n,) natural map
    F_trial: Floats  # (n,)
    x_trial: Floats  # (n,)
    x_best: Floats  # (n,)
    step: Floats  # (n,)
    y_set: Floats  # (n,) trial point of the set at hand
    part: Floats  # (n,) change of x that does not depend on that of the velocity
    slope: Floats  # (n, 4) per row: block of -dx / d(W dv) within its set, and that per load
    # order of the velocities in the factors
    order: Ints  # (nu,) velocities in the order of elimination
    local: Ints  # (nu,) place of a velocity in it, -1 none
    n_local: Ints  # (1,)
    queue: Ints  # (ng,)
    degree: Ints  # (ng,)
    at_group: Ints  # (ng + 1,) into row_of
    row_of: Ints  # (n nu,) rows that act on a group
    row_done: Ints  # (n,)
    first: Ints  # (nu,) first column of a row of the factors
    at: Ints  # (nu + 1,) where it begins
    lower: Floats  # (nu nu,)
    upper: Floats  # (nu nu,) columns of the upper factor
    pivot: Floats  # (nu,)
    rhs: Floats  # (nu,)
    n_kept: Ints  # (1,) rows of the problem that the factors belong to, 0 none
    kept: Ints  # (n,) which rows of the model they are
    # convex problems
    along: Floats  # (n,) W d of the direction of a step
    v: Floats  # (nu,) velocity, in the order of elimination
    momentum: Floats  # (nu,) M d, likewise
    # the check: mobilities W_a Z_a, and the rows and inverse masses that they belong to
    mobility: Floats  # (n,)
    n_judged: Ints  # (1,) rows, 0 none
    start_judged: Ints  # (n + 1,)
    column_judged: Ints  # (n nu,)
    W_judged: Floats  # (n nu,)
    inverse_judged: Floats


def new_compact(n: int, nu: int, group_start: Ints) -> CompactRows:
    """Allocate room for n rows on nu velocities."""
    z = np.zeros
    sizes = np.diff(group_start)
    kept = np.where(sizes <= MOST_COUPLED, sizes, 0) if n else 0 * sizes
    at = np.concatenate(([0], np.cumsum(kept**2)))
    ng, full = sizes.size, n * nu

    def ints(size: int) -> Ints:
        return np.zeros(size, np.int64)

    square = nu * nu if n else 0
    return CompactRows(
        posed=np.array([POSED_WHOLE, MOST_DENSE, FEW]),
        start_W=ints(n + 1),
        column_W=ints(full),
        W=z(full),
        start_Z=ints(n + 1),
        column_Z=ints(full),
        Z=z(full),
        start_group=ints(n + 1),
        group=ints(full),
        seen=ints(ng),
        serial=ints(1),
        inverse_at=np.where(kept > 0, at[:-1], -1).astype(np.int64),
        largest=np.array([int(kept.max(initial=0))]),
        inverse=z(int(at[-1])),
        mass=z(int(at[-1])),
        root=z(nu),
        b=z(nu),
        y=z(nu),
        diagonal=z(n),
        scale=z(n),
        curvature=z(n),
        set_of=ints(n),
        owner=ints(n),
        tied=ints(n),
        next_tied=ints(n),
        push=z(nu),
        dv=z(nu),
        F=z(n),
        F_trial=z(n),
        x_trial=z(n),
        x_best=z(n),
        step=z(n),
        y_set=z(n),
        part=z(n),
        slope=z((n, 4)),
        order=ints(nu),
        local=ints(nu),
        n_local=ints(1),
        queue=ints(ng),
        degree=ints(ng),
        at_group=ints(ng + 1),
        row_of=ints(full),
        row_done=ints(n),
        first=ints(nu),
        at=ints(nu + 1),
        lower=z(square),
        upper=z(square),
        pivot=z(nu),
        rhs=z(nu),
        n_kept=ints(1),
        kept=ints(n),
        along=z(n),
        v=z(nu),
        momentum=z(nu),
        mobility=z(n),
        n_judged=ints(1),
        start_judged=ints(n + 1),
        column_judged=ints(full),
        W_judged=z(full),
        inverse_judged=z(int(at[-1])),
    )
