"""What a tree in the plane keeps of every body: one row of numbers, in world axes at its origin.

Positions and forces have two components, rotations one. The rows live in the memory that space uses
for its articulated inertias, since a model in the plane never needs both.
"""

from cornerlaw.kernels._numba import counted_kernel
from cornerlaw.kernels.views import view

# numbers of a row
COS, SIN, OMEGA = 0, 1, 2  # rotation and angular velocity
D_X, D_Y = 3, 4  # from the parent's origin to the body's
ZETA_X, ZETA_Y, ZETA_A = 5, 6, 7  # acceleration left when all free u_dot are zero
XX, XY, YY, H_X, H_Y, J = 8, 9, 10, 11, 12, 13  # inertia: translation, coupling, rotation
P_X, P_Y, P_A = 14, 15, 16  # bias wrench
D_INVERSE, TAU = 17, 18  # of a hinge
A_X, A_Y, A_A = 19, 20, 21  # acceleration
KIND = 22  # how the body moves on its parent, as below
BELOW = 23  # 1 = inertia and bias hold what bodies further down have handed on
ROW = 24  # three lines of memory
# values of KIND
HINGE = 1.0  # it turns freely about its own origin
SINGLE = 2.0  # it has one free velocity, whatever that moves
WIDE = 3.0  # any number of free and prescribed velocities
FEW = 2  # fewer angles are evaluated one by one
BLOCK = 8  # angles whose sines are evaluated together, which vector code takes at once


@counted_kernel
def rows_of(m, w):
    """Return the rows of all bodies, that of the ground last."""
    return view(w.IA, 0, m.n_bodies + 1, ROW)


@counted_kernel
def sines_of(m, w):
    """Return room for sine and cosine of every position coordinate of the tree, behind the rows.

    In full blocks where there is more than one: a body has at most three coordinates, and a row of
    space, the ground's as well, has room for twelve more numbers. Coordinates of blocks, which come
    behind those of the tree, may be many.
    """
    start, n = ROW * (m.n_bodies + 1), m.tree.q_start[m.n_bodies]
    if n >= FEW:
        n = BLOCK * ((n + BLOCK - 1) // BLOCK)
    return view(w.IA, start, 2, n)
