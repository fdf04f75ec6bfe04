"""An impact: what the laws need besides the problem of the closed contacts, and what they find.

The problem itself stands in ProblemArrays: G and the sets of all closed contacts (and of bilateral
rows), c the velocities before the impact. A law may solve it several times with other right sides
and other bounds; what it changes is put back in the end.
"""

from typing import NamedTuple

import numpy as np

from cornerlaw.arrays.state import Floats, Ints

# laws
NEWTON = 0
NEWTON_BOTH = 1  # Moreau: Newton's law in normal and tangential direction
POISSON_COULOMB = 2  # plain Coulomb friction in expansion
POISSON_OLD = 3  # Glocker
POISSON_NEW = 4  # Beitelschmidt
CRADLE = 5
SEQUENTIAL = 6  # Liu, Zhao and Brogliato

# results of an impact, besides SOLVED, NOT_SOLVED and INFEASIBLE of the problem
REFUSED_FRICTION = 10  # the law knows no friction
REFUSED_MIRRORS = 11  # the outcome of elastic collisions depends on their order
REFUSED_RESTITUTION = 12  # the law needs the same restitution in all contacts
REFUSED_BALL = 13  # the law knows friction along one tangent only
REFUSED_WRONG = 14  # what the law has found breaks the laws of its contacts


class ImpactArrays(NamedTuple):
    """One impact; arrays have room for the rows of the problem it belongs to."""

    # given
    solver: Ints  # (1,) address of the compiled solver of problems
    law: Ints  # (1,) address of the compiled law
    eps: Floats  # restitution per row: eps_N on normal rows, eps_T on friction rows
    stiffness: Floats  # relative contact stiffness per row, of SEQUENTIAL
    exponent: Floats  # (1,) exponent of the contact's force law, of SEQUENTIAL
    load: Floats  # (2, capacity) ends of the sets whose bounds are impulses, of NEWTON
    # found
    gamma_minus: Floats
    gamma_plus: Floats
    Lambda: Floats
    Lambda_C: Floats  # impulses of compression, zero for laws without phases
    gamma_C: Floats  # velocities at the end of compression
    energy: Floats  # (2,) energy change in both forms
    # scratch
    kept: Floats  # (4, capacity) bounds of the sets
    H: Floats  # (capacity, capacity) G without the bilateral rows
    is_out: Ints  # 1 = bilateral row eliminated from H
    row: Ints  # normal rows
    shift: Floats
    stage: Floats  # (8, 2 capacity) slopes of the sequential law, and its start
    y: Floats  # (2 capacity)
    y_new: Floats  # (2 capacity)


def new_impact(capacity: int) -> ImpactArrays:
    """Allocate an impact with room for `capacity` rows, without restitution."""
    z = np.zeros
    return ImpactArrays(
        solver=z(1, np.int64),
        law=z(1, np.int64),
        eps=z(capacity),
        stiffness=np.ones(capacity),
        exponent=np.ones(1),
        load=z((2, capacity)),
        gamma_minus=z(capacity),
        gamma_plus=z(capacity),
        Lambda=z(capacity),
        Lambda_C=z(capacity),
        gamma_C=z(capacity),
        energy=z(2),
        kept=z((4, capacity)),
        H=z((capacity, capacity)),
        is_out=z(capacity, np.int64),
        row=z(capacity, np.int64),
        shift=z(capacity),
        stage=z((8, 2 * capacity)),
        y=z(2 * capacity),
        y_new=z(2 * capacity),
    )
