"""What is evaluated at the stored times of a run, one row each."""

from typing import Any, NamedTuple

import numpy as np

from cornerlaw.arrays.kinds import CONTOUR_LINE, CONTOUR_POLYGON, SHAPE_POINT
from cornerlaw.arrays.model_arrays import ModelArrays
from cornerlaw.arrays.state import NOT_KNOWN, Floats, Ints


class Outputs(NamedTuple):
    """Derived quantities; world axes."""

    r: Floats  # (nt, nf, 3) of the markers
    A: Floats  # (nt, nf, 3, 3)
    v: Floats
    Omega: Floats
    a: Floats
    alpha: Floats
    u_dot: Floats  # (nt, nu)
    x_dot: Floats  # (nt, nx)
    lam: Floats  # (nt, n_rows)
    g: Floats  # (nt, n_rows)
    gamma: Floats  # (nt, n_rows)
    row_direction: Floats  # (nt, n_rows, 6) unit wrench on the second body, at its marker
    wrench: Floats  # (nt, nb, 6) what the joint transmits to the body, at the body origin
    effort: Floats  # (nt, nu) generalised force of a drive
    element_force: Floats  # (nt, ne, 6) force and moment on the body of the first marker
    element_effort: Floats  # (nt, ne) generalised force on the element's coordinate
    element_length: Floats  # (nt, ne)
    element_power: Floats  # (nt, ne)
    kinetic: Floats  # (nt,)
    potential: Floats  # (nt,)
    body_kinetic: Floats  # (nt, nb)
    body_potential: Floats  # (nt, nb) of the weight
    block_kinetic: Floats  # (nt, n_blocks)
    mass_kinetic: Floats  # (nt, n_masses) of the user's elements
    stored: Floats  # (nt, ne) in springs and other elements
    momentum: Floats  # (nt, 6) linear, and angular about the origin
    com: Floats  # (nt, 3)
    status: Ints  # (nt, nc) state of every corner
    given: Ints  # (1,) 1 = corner_lam is given, 0 = found from the states
    corner_lam: Floats  # (nt, n) forces of all rows; without corners n = 0
    corner_g: Floats  # (nt, n) gaps
    corner_gamma: Floats  # (nt, n) relative velocities
    corner_n: Floats  # (nt, ns, 3) normals of the contact slots
    corner_t: Floats  # (nt, ns, 3) first tangents of the contact slots
    corner_r: Floats  # (nt, ns, 3) contact points on the first contours
    pair: Ints  # (nt, places) pairs that have the places of the pool
    identity: Ints  # (nt, last slots) which contact point is in which slot, or NOT_KNOWN


def new_outputs(m: ModelArrays, nt: int, pooled: bool = True) -> Outputs:
    """Allocate the outputs of nt rows, with or without those of pooled contacts."""
    nf, nr, ne = m.frames.body.size, m.n_rows, m.elements.kind.size
    nc, ns = m.corners.row_N.size, m.slots.start.size
    n = m.rows.kind.size if nc else 0
    if not pooled:
        nc, ns = m.pool.n_static, ns - int(m.pool.place_slots.sum())
        n -= int(m.pool.place_rows.sum())
    z = np.zeros
    return Outputs(
        r=z((nt, nf, 3)),
        A=z((nt, nf, 3, 3)),
        v=z((nt, nf, 3)),
        Omega=z((nt, nf, 3)),
        a=z((nt, nf, 3)),
        alpha=z((nt, nf, 3)),
        u_dot=z((nt, m.nu)),
        x_dot=z((nt, m.nx)),
        lam=z((nt, nr)),
        g=z((nt, nr)),
        gamma=z((nt, nr)),
        row_direction=z((nt, nr, 6)),
        wrench=z((nt, m.n_bodies, 6)),
        effort=z((nt, m.nu)),
        element_force=z((nt, ne, 6)),
        element_effort=z((nt, ne)),
        element_length=z((nt, ne)),
        element_power=z((nt, ne)),
        kinetic=z(nt),
        potential=z(nt),
        body_kinetic=z((nt, m.n_bodies)),
        body_potential=z((nt, m.n_bodies)),
        block_kinetic=z((nt, m.blocks.n.size)),
        mass_kinetic=z((nt, m.masses.n.size)),
        stored=z((nt, ne)),
        momentum=z((nt, 6)),
        com=z((nt, 3)),
        status=z((nt, nc), np.int64),
        given=z(1, np.int64),
        corner_lam=z((nt, n)),
        corner_g=z((nt, n)),
        corner_gamma=z((nt, n)),
        corner_n=z((nt, ns, 3)),
        corner_t=z((nt, ns, 3)),
        corner_r=z((nt, ns, 3)),
        pair=np.full((nt, m.pool.size), -1, np.int64),
        identity=np.full((nt, row_slots(m)), NOT_KNOWN, np.int64),
    )


def row_slots(m: ModelArrays) -> int:
    """Return for how many slots, the last ones, a stored row says which point is in them.

    Those of the pool, and all of a model in which pairs touch at several points that take their
    slots by what was found before: in space, and two flats in the plane.
    """
    pooled = int(m.pool.place_slots.sum())
    fixed = m.slots.start.size - pooled
    kinds = [m.contours.kind[c[:fixed]] for c in (m.slots.contour_1, m.slots.contour_2)]
    low, high = np.minimum(*kinds), np.maximum(*kinds)
    flats = (low > CONTOUR_LINE) & (high <= CONTOUR_POLYGON)
    several = (flats | (high >= SHAPE_POINT)) & (m.slots.count[:fixed] > 1)
    return pooled + (fixed if several.any() else 0)


def rows_of(o: Outputs, rows: slice) -> Outputs:
    """Return the outputs of some rows, as views; `given` holds for all of them."""
    views: list[Any] = [a if a is o.given else a[rows] for a in o]
    return Outputs(*views)
