"""Scratch arrays of the kernels, allocated once per run."""

from typing import NamedTuple

import numpy as np

from cornerlaw.arrays.corner_work import CornerWork, new_corner_work
from cornerlaw.arrays.kinds import ROW_ELEMENT, SHAPE_POINT
from cornerlaw.arrays.model_arrays import ModelArrays
from cornerlaw.arrays.pool import PoolWork, new_pool_work
from cornerlaw.arrays.state import NOT_KNOWN, Floats, Ints


class Workspace(NamedTuple):
    """Results of the stages of one evaluation; row n_bodies belongs to the ground."""

    # kinematics, world axes
    r: Floats  # (nb + 1, 3)
    A: Floats  # (nb + 1, 3, 3)
    v: Floats  # (nb + 1, 3)
    Omega: Floats  # (nb + 1, 3)
    d: Floats  # (nb + 1, 3) from the parent's origin to the body's
    S: Floats  # (nu, 6) motion of the body per unit velocity, at the body origin
    zeta: Floats  # (nb + 1, 6) acceleration left when all u_dot are zero
    joint_R: Floats  # (3, 3) relative rotation of the joint at hand
    joint_d: Floats  # (3,)
    joint_S: Floats  # (6, 6) columns of the joint at hand, first joint axes
    joint_bias: Floats  # (6,)
    joint_A1: Floats  # (3, 3) first joint axes in the world
    joint_A2: Floats  # (3, 3) second joint axes in the world
    joint_f: Floats  # (3,) parent origin to its joint point
    joint_D: Floats  # (3,) first joint point to the second
    joint_e: Floats  # (3,) joint point of the body to its origin
    # markers
    frame_r: Floats
    frame_A: Floats
    frame_v: Floats
    frame_Omega: Floats
    frame_a: Floats  # acceleration for u_dot = 0
    frame_alpha: Floats
    direction: Floats  # (3,) unit vector of the segment at hand
    deflection: Floats  # (6,) of the bushing at hand
    # dynamics
    f_ext: Floats  # (nb + 1, 6) applied wrench at the body origin
    Q: Floats  # (nu,) applied generalised force
    u_dot_driven: Floats  # (nu,) prescribed accelerations, zero elsewhere
    cardan: Floats  # (3, 6) the prescribed rotation at hand, one row per angle
    inertia: Floats  # (nb + 1, 6, 6) body inertia, world axes
    IA: Floats  # (nb + 1, 6, 6) articulated or composite inertia
    p: Floats  # (nb + 1, 6) bias wrench, then articulated bias
    U: Floats  # (nu, 6) IA S of the free velocities
    D_inverse: Floats  # (nb, 6, 6)
    tau: Floats  # (nu,) joint-space right-hand side
    acc: Floats  # (nb + 1, 6) body accelerations
    wrench: Floats  # (nb + 1, 6) scratch, reactions
    zeta_total: Floats  # (6,) zeta of the node at hand with its prescribed accelerations
    node_L: Floats  # (6, 6)
    node_y: Floats  # (6,)
    free: Ints  # (6,) free velocities of the node at hand
    M: Floats  # (nu, nu) mass matrix and factor of the sparse path, else (0, 0)
    block_M: Floats  # mass matrices of the blocks
    block_L: Floats  # their factors
    rod_J: Floats  # (2, nu) rows of the rod at hand
    mass_M: Floats  # mass matrices of the user's elements
    mass_J: Floats  # (n, nu) motion of the frames and coordinates of the element at hand
    mass_Y: Floats  # (n, nu) its matrix times that
    mass_a: Floats  # (n,) accelerations or velocities of the element at hand
    mass_T: Floats  # kinetic energy of every element with a mass
    # constraints
    g: Floats  # (n_rows,)
    gamma: Floats  # (n_rows,)
    gamma_dot: Floats  # (n_rows,)
    row: Floats  # (3,) g, gamma, gamma_dot of the row at hand
    W: Floats  # (n_rows, nu), behind them V of all rows where some have it
    column: Ints  # (n_rows, .) velocities that a row may act on, all others are zero
    n_column: Ints  # (n_rows,)
    stamp: Ints  # (nu,) number of the last row that listed a velocity
    serial: Ints  # (1,) the number of the row at hand
    Y: Floats  # (n_rows, nu) M^-1 W
    G: Floats  # (n_rows, n_rows)
    L: Floats  # (n_rows, n_rows) factor of G
    lam: Floats  # (n_rows,)
    rhs: Floats  # (n_rows,)
    pivot: Ints  # (n_rows,)
    rank: Ints  # (1,) rank of G
    closeness: Floats  # (5,) smallest pivot of the scaled G; lowest, highest of it and of the rank
    row_size: Floats  # (n_rows,) what the diagonal of G is compared with
    nonzero: Ints  # (nu,) where the row at hand is not zero
    LtL: Floats  # (n_rows, n_rows)
    z: Floats  # (n_rows,)
    entry_row: Ints  # wrenches of the rows, one entry per row and body
    entry_body: Ints
    entry_wrench: Floats
    n_entries: Ints  # (1,)
    look: Floats  # (1,) time within which pairs that may meet are looked at, inf: all pairs
    pose: Ints  # (1,) number of the pose at hand
    quiet: Ints  # (1,) 1 in steps between which nobody asks for channels
    # contact slots, world axes
    seen: Ints  # (ns,) pose at which the pair of a slot was last looked at
    contact_g: Floats  # (ns,) gap, inf where a slot has no candidate
    contact_n: Floats  # (ns, 3) unit normal from the second contour to the first
    contact_t: Floats  # (ns, 3) tangent (n_y, -n_x)
    contact_r1: Floats  # (ns, 3) contact point on the first contour
    contact_r2: Floats  # (ns, 3) on the second
    contact_k: Floats  # (ns, 14) plane: k1, p1, k2, p2, the curvature of contour i is k_i / p_i;
    # space: k, p along e, k, p across it and e itself, for both contours
    contact_s: Floats  # (4 ns,) contour parameters, the first guess of the next search
    contact_id: Ints  # (ns,) which of the pair's points is in the slot, -1 none
    contact_shown: Ints  # (ns,) the same where the forces of the last step or row act, or NOT_KNOWN
    contact_p: (
        Floats  # (ns, 21) axes of both markers and their distance at the last search of a pair
    )
    contact_l: Floats  # (ns, 9) and what it found: normal and points in the axes of the markers
    contact_v: Floats  # (2, n, 5) vertices of the flats at hand: x, y, unit edge, its length
    contact_c: Floats  # (2, 18) r and its derivatives of the curves or surfaces at hand
    contact_b: Floats  # scratch of the search between solids
    contact_j: Ints  # the same
    # buffers of user functions and vectors of velocity size
    slot_in: Floats
    slot_out: Floats
    tangent: Floats  # of laws with derivatives of the user: arguments, results, derivatives
    linear: Ints  # (1,) 1 while these laws are taken as linear
    b: Floats  # (nu,)
    y: Floats  # (nu,)
    u_trial: Floats  # (nu,)
    q_near: Floats  # (nq,) a state brought onto the rows before its rates are taken
    u_near: Floats  # (nu,)
    x_scratch: Floats  # (nx,)
    culprit: Ints  # (1,) index that belongs to a failure status
    x_seen: Floats  # (nx,) states of the pose at hand as rows of elements see them, else (0,)
    ends: Floats  # (n_rows, 3) of rows of elements: ends of the set, and 1 while they are on
    k: CornerWork  # set-valued elements
    pool: PoolWork  # pairs of pooled contacts


def most_columns(m: ModelArrays) -> int:
    """Return how many velocities a row may act on at most.

    A contact acts on two bodies and what carries them. Lists of all contacts that stand side by
    side are read at the pace of the memory, those a matrix row apart wait for every one.
    """
    slot = m.corners.slot
    if m.n_rows or not slot.size or (slot < 0).any() or m.rows.V_address.any():
        return m.nu
    carried = np.zeros(m.n_bodies + 1, np.int64)  # velocities down to the ground, which has none
    for i in range(m.n_bodies):
        own = m.tree.u_start[i + 1] - m.tree.u_start[i]
        carried[i] = own + carried[m.tree.parent[i]]
    return min(m.nu, 2 * int(carried.max()))


def new_workspace(m: ModelArrays, slot_size: int, n_entries: int) -> Workspace:
    """Allocate the scratch arrays of a model."""
    nb, nu, nr, nf = m.n_bodies, m.nu, m.rows.kind.size, m.frames.body.size
    n_dense = nu if m.factor == 1 else 0
    block_size = int((m.blocks.n**2).sum())
    n_mass = int(m.masses.n.max(initial=0))
    n_both = 2 * nr if m.rows.V_address.any() else nr
    own_rows = bool((m.rows.kind == ROW_ELEMENT).any())
    ns = m.slots.start.size
    in_space = int(m.contours.kind.max(initial=0)) >= SHAPE_POINT
    n_vertices = 0 if in_space else int(m.contours.size.max(initial=0))
    z = np.zeros
    w = Workspace(
        r=z((nb + 1, 3)),
        A=z((nb + 1, 3, 3)),
        v=z((nb + 1, 3)),
        Omega=z((nb + 1, 3)),
        d=z((nb + 1, 3)),
        S=z((nu, 6)),
        zeta=z((nb + 1, 6)),
        joint_R=z((3, 3)),
        joint_d=z(3),
        joint_S=z((6, 6)),
        joint_bias=z(6),
        joint_A1=z((3, 3)),
        joint_A2=z((3, 3)),
        joint_f=z(3),
        joint_D=z(3),
        joint_e=z(3),
        frame_r=z((nf, 3)),
        frame_A=z((nf, 3, 3)),
        frame_v=z((nf, 3)),
        frame_Omega=z((nf, 3)),
        frame_a=z((nf, 3)),
        frame_alpha=z((nf, 3)),
        direction=z(3),
        deflection=z(6),
        f_ext=z((nb + 1, 6)),
        Q=z(nu),
        u_dot_driven=z(nu),
        cardan=z((3, 6)),
        inertia=z((nb + 1, 6, 6)),
        IA=z((nb + 1, 6, 6)),
        p=z((nb + 1, 6)),
        U=z((nu, 6)),
        D_inverse=z((nb, 6, 6)),
        tau=z(nu),
        acc=z((nb + 1, 6)),
        wrench=z((nb + 1, 6)),
        zeta_total=z(6),
        node_L=z((6, 6)),
        node_y=z(6),
        free=z(6, np.int64),
        M=z((n_dense, n_dense)),
        block_M=z(block_size),
        block_L=z(block_size),
        rod_J=z((2, nu)),
        mass_M=z(int((m.masses.n**2).sum())),
        mass_J=z((n_mass, nu)),
        mass_Y=z((n_mass, nu)),
        mass_a=z(n_mass),
        mass_T=z(m.masses.n.size),
        g=z(nr),
        gamma=z(nr),
        gamma_dot=z(nr),
        row=z(3),
        W=z((n_both, nu)),
        column=z((n_both, most_columns(m)), np.int64),
        n_column=z(n_both, np.int64),
        stamp=z(nu, np.int64),
        serial=z(1, np.int64),
        Y=z((m.n_rows, nu)),
        G=z((m.n_rows, m.n_rows)),
        L=z((m.n_rows, m.n_rows)),
        lam=z(nr),
        rhs=z(nr),
        pivot=z(nr, np.int64),
        rank=z(1, np.int64),
        closeness=z(5),
        row_size=z(nr),
        nonzero=z(nu, np.int64),
        LtL=z((m.n_rows, m.n_rows)),
        z=z(nr),
        entry_row=z(n_entries, np.int64),
        entry_body=z(n_entries, np.int64),
        entry_wrench=z((n_entries, 6)),
        n_entries=z(1, np.int64),
        look=np.full(1, np.inf),
        pose=z(1, np.int64),
        quiet=z(1, np.int64),
        seen=np.full(ns, -1, np.int64),
        contact_g=z(ns),
        contact_n=z((ns, 3)),
        contact_t=z((ns, 3)),
        contact_r1=z((ns, 3)),
        contact_r2=z((ns, 3)),
        contact_k=z((ns, 14)),
        contact_s=np.full(4 * ns, np.nan),
        contact_id=np.full(ns, -1, np.int64),
        contact_shown=np.full(ns, NOT_KNOWN, np.int64),
        contact_p=np.full((ns if in_space else 0, 21), np.nan),
        contact_l=z((ns if in_space else 0, 9)),
        contact_v=z((2, n_vertices, 5)),
        contact_c=z((2, 18)),
        contact_b=z(8192 if in_space else 0),
        contact_j=z(2048 if in_space else 0, np.int64),
        slot_in=z(slot_size),
        slot_out=z(slot_size),
        tangent=z(_tangent_size(m)),
        linear=z(1, np.int64),
        b=z(nu),
        y=z(nu),
        u_trial=z(nu),
        q_near=z(m.nq),
        u_near=z(nu),
        x_scratch=z(m.nx),
        culprit=z(1, np.int64),
        x_seen=z(m.nx if own_rows else 0),
        ends=np.ones((nr if own_rows else 0, 3)),
        k=new_corner_work(m.corners.row_N.size, nr, m.n_rows, m.nq, nu, m.nx, m.groups.start),
        pool=new_pool_work(m.pool),
    )
    w.A[nb] = np.eye(3)
    if m.corners.row_N.size:
        w.k.corner_of[:] = _owners(m)
    return w


def _tangent_size(m: ModelArrays) -> int:
    """Return how many numbers the tangents of all laws need, see kernels/own_laws.py."""
    e = m.elements
    given = e.jacobian_address != 0
    nf, nc, nx = e.n_frames[given], e.n_coordinates[given], e.n_x[given]
    kept = 1 + 18 * nf + 2 * nc + nx + 6 * nf + nc + nx
    free = nx - e.n_discrete[given]
    return int((kept + (6 * nf + nc + free) * (12 * nf + 2 * nc + free)).sum())


def _owners(m: ModelArrays) -> Ints:
    """Return the corner every row behind the bilateral ones belongs to."""
    owner = np.zeros(m.rows.kind.size - m.n_rows, np.int64)
    for corner, row in enumerate(m.corners.row_N):
        if row >= 0:
            owner[row - m.n_rows] = corner
    for corner, row in enumerate(m.corners.row_T):
        for a in range(m.corners.n_T[corner]):
            owner[row + a - m.n_rows] = corner
    return owner
