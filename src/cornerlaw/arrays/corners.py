"""Set-valued elements of a model: contours, contact slots, and the corners with their laws."""

from typing import NamedTuple

from cornerlaw.arrays.state import Floats, Ints


class ContourArrays(NamedTuple):
    """Contours by kind; each sits on a marker, its numbers stand in `data`."""

    kind: Ints
    frame: Ints  # marker that carries it
    start: Ints  # into data
    size: Ints  # numbers in data, or points of a polygon or spline
    address: Ints  # compiled curve of the user, else 0
    reach: Floats  # radius of a ball about the marker that contains it
    thickness: Floats  # radius of the largest ball inside
    data: Floats


class SlotArrays(NamedTuple):
    """Contact slots: a fixed number for every pair of contours, found anew at each state."""

    contour_1: Ints
    contour_2: Ints
    feature: Ints  # vertex or end of the flat this slot watches
    start: Ints  # first place in the warm start, four numbers each
    first: Ints  # first slot of the same pair
    count: Ints  # type: ignore[assignment]  # slots of the pair


class CornerArrays(NamedTuple):
    """Set-valued elements: a normal row, tangential rows, or both, and their laws.

    Rows are numbered after the bilateral ones: row_N and row_T count from m.n_rows on. A corner
    with a slot has the rows of a contact, one without takes them from `m.rows` at the same place.
    A contact in space has two tangential rows, three where drilling belongs to the same set;
    resistance to rolling and drilling that stand alone are corners of their own which follow the
    corner of their contact and take the load from its normal row.
    """

    row_N: Ints  # row of the unilateral law, -1 none
    row_T: Ints  # first row of the friction law, -1 none
    n_T: Ints  # rows of the friction law
    motion: Ints  # what the friction rows of a contact in space measure: MOTION_*
    leader: Ints  # corner whose contact this one belongs to, -1 none
    load_row: Ints  # row whose multiplier is the load of LOAD_NORMAL, -1 none
    slot: Ints  # contact slot, -1 none
    always: Ints  # 1 = no gap, the law holds at all times on velocity level (clutch, freewheel)
    level: Ints  # LEVEL_POSITION or LEVEL_VELOCITY of the normal law
    load: Ints  # where the friction bound comes from: LOAD_*
    mu: Floats  # friction coefficient at rest
    mu_signal: Ints  # signal mu(|gamma_T|), -1 constant
    load_signal: Ints  # signal of t, or of (t, q, u) of the row, for LOAD_SIGNAL
    lower_signal: Ints  # the same for the lower end of the set, -1: as mu_minus says
    load_start: Ints  # into lists: rows whose multipliers make the bound of LOAD_ROWS
    load_count: Ints
    load_factor: Floats  # factor of the load (a friction radius)
    ratio: Floats  # friction across the tangent over that along it
    lever: Floats  # length that makes a speed of the drilling in a set with sliding
    axis: Floats  # (nc, 3) direction of the tangent in the axes of its contour, zero: any
    axis_side: Ints  # contour that carries the tangent: 1 or 2
    mu_minus: Floats  # bound against positive sliding as a fraction of the one against negative
    eps_N: Floats
    eps_N_signal: Ints  # signal eps_N(|gamma_N|), -1 constant
    eps_speed: Floats  # approach speed below which eps_N and eps_T vanish
    eps_T: Floats
    surface: Ints  # signal of t: speed of the second surface along the tangent, -1 at rest
    normal_law: Ints  # NORMAL_RIGID or a compliant law
    law_start: Ints  # into data: parameters of the compliant law
    affine: Ints  # into data: constant and factors of the multipliers of LOAD_ROWS, -1: their norm
    R: Floats  # compliance of the row of an element: gamma + R lam takes the place of gamma
    endless: Ints  # ends of the set that are infinite: 1 the lower one, 2 the upper one, 3 both
    hold: Ints  # 1 = a bilateral row among the corners whose gap is held at zero as well
    lists: Ints
    data: Floats


LEVEL_POSITION = 0
LEVEL_VELOCITY = 1

LOAD_NORMAL = 0  # mu times the own normal multiplier
LOAD_SIGNAL = 1  # a given bound
LOAD_ROWS = 2  # factor times the norm of named multipliers
LOAD_FORCE = 3  # mu times the normal force of the compliant law

MOTION_SLIDE = 0  # sliding, and drilling as third row
MOTION_ROLL = 1  # relative angular velocity in the tangent plane
MOTION_SPIN = 2  # and about the normal

NORMAL_RIGID = 0
NORMAL_KELVIN_VOIGT = 1
NORMAL_HUNT_CROSSLEY = 2
NORMAL_LANKARANI_NIKRAVESH = 3
NORMAL_COMPLIANCE = 4  # -gamma_N / R, in the problem of a time step as part of its matrix
