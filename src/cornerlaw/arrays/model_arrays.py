"""A compiled model: constant arrays only, grouped by topic.

No array changes during a run but the contours of slots that belong to the pool.
"""

from typing import NamedTuple

from cornerlaw.arrays.corners import ContourArrays, CornerArrays, SlotArrays
from cornerlaw.arrays.pool import PoolArrays
from cornerlaw.arrays.state import Floats, Ints


class TreeArrays(NamedTuple):
    """Bodies as nodes of a tree, parents first; node n_bodies is the ground."""

    parent: Ints  # (nb,) node the body hangs on
    joint: Ints  # (nb,) joint kind
    reverse: Ints  # (nb,) 1 if the body is the joint's first operand
    plain: Ints  # (nb,) 1 if both joint frames are aligned with their bodies and r_child = 0
    q_start: Ints  # (nb + 1,)
    u_start: Ints  # (nb + 1,)
    r_parent: Floats  # (nb, 3) joint point in the parent's axes
    A_parent: Floats  # (nb, 3, 3) joint axes in the parent
    r_child: Floats  # (nb, 3) joint point in the body's axes
    A_child: Floats  # (nb, 3, 3) joint axes in the body
    parameter: Floats  # (nb,) pitch of a screw
    address: Ints  # (nb,) function of a user joint
    mass: Floats  # (nb,)
    com: Floats  # (nb, 3)
    inertia: Floats  # (nb, 3, 3) about the body origin, body axes
    branch: Ints  # (nu,) branch from the root that a velocity belongs to
    node_of_u: Ints  # (nu_tree,) node that owns a velocity
    driven: Ints  # (nu,) -1 free, else the signal that prescribes it
    q_of_u: Ints  # (nu,) position coordinate of a velocity, -1 for quaternions
    armature: Floats  # (nu,) inertia added on the diagonal


class GroupArrays(NamedTuple):
    """Velocities that the mass matrix couples: it is block diagonal over the groups."""

    of: Ints  # (nu,) group of a velocity
    start: Ints  # (ng + 1,) into member
    member: Ints  # (nu,) velocities, group by group
    place: Ints  # (nu,) place of a velocity in its group


class SignalArrays(NamedTuple):
    """Scalar functions: constants, tables, compiled functions of the user."""

    kind: Ints
    start: Ints  # into data
    points: Ints  # points of a table
    hold: Ints  # 1 hold the end values, 0 go on with the end slope
    address: Ints
    data: Floats


class FrameArrays(NamedTuple):
    """Markers: pose in the axes of their body."""

    body: Ints
    r: Floats  # (nf, 3)
    A: Floats  # (nf, 3, 3)


class ElementArrays(NamedTuple):
    """Force elements: operands by index, numbers in `data`, index lists in `lists`."""

    kind: Ints
    frame_1: Ints
    frame_2: Ints
    coordinate: Ints  # velocity index
    signal: Ints  # first signal
    flag: Ints
    x_start: Ints
    n_x: Ints
    start: Ints  # into data
    list_start: Ints
    n_frames: Ints  # entries of lists that are frames
    n_coordinates: Ints  # entries of lists after the frames
    n_parameters: Ints
    n_discrete: Ints  # of the states, the last ones
    address: Ints
    energy_address: Ints
    jacobian_address: Ints  # derivatives of the law, 0 none
    tangent_start: Ints  # into the tangents of the workspace
    data: Floats
    lists: Ints


class RowArrays(NamedTuple):
    """Bilateral rows, g(q, t) = 0 or gamma(q, u, t) = 0, and after them the rows of corners."""

    kind: Ints
    holonomic: Ints  # 1 position level exists
    frame_1: Ints
    frame_2: Ints
    axis_1: Ints
    axis_2: Ints
    signal: Ints  # -1 none
    start: Ints
    list_start: Ints
    n_list: Ints
    address: Ints
    # of rows of elements
    active: Ints  # place in x of the state that switches the row, -1: it is always on
    V_address: Ints  # what the force has beside W, 0: nothing
    lower_address: Ints  # own function of the lower end of the set, 0: a signal or none
    lower_element: Ints  # and the element whose arguments it sees
    upper_address: Ints
    upper_element: Ints
    data: Floats
    lists: Ints


class BlockArrays(NamedTuple):
    """Velocities with a mass matrix of their own, outside the tree."""

    q_start: Ints
    u_start: Ints
    n: Ints
    M_start: Ints
    M_address: Ints  # 0 = constant
    h_start: Ints
    h_address: Ints
    data: Floats


class RodArrays(NamedTuple):
    """Slender rods between two points: mass coupling of two bodies."""

    frame_1: Ints
    frame_2: Ints
    mass: Floats


class MassArrays(NamedTuple):
    """Mass matrices of the user's elements, on the motion of their frames and coordinates."""

    element: Ints
    n: Ints  # 6 per frame (v, Omega) and 1 per coordinate
    start: Ints  # into the matrices of the workspace
    address: Ints
    list_start: Ints
    n_list: Ints
    lists: Ints  # velocities that move the frames and coordinates


class PatternArrays(NamedTuple):
    """Rows of the factor L of M = L^T D L: columns below the diagonal entry, descending."""

    start: Ints  # (nu + 1,)
    column: Ints


class IndicatorArrays(NamedTuple):
    """Root functions `scale * (channel - level)` on a coordinate, a rate or time."""

    kind: Ints  # 0 position coordinate, 1 velocity coordinate, 2 other state, 3 time
    source: Ints
    level: Floats
    direction: Ints  # +1 rising, -1 falling, 0 both
    terminal: Ints


class StageAddresses(NamedTuple):
    """Addresses of the compiled stages this model uses; 0 where it has no use for one."""

    kinematics: int = 0
    places: int = 0  # of it what the gaps of the corners need, else all of it
    reverse: int = 0  # joints that the tree runs through against their direction
    factor_node: int = 0  # nodes with several free velocities
    rare_row: int = 0
    element_row: int = 0
    forces: int = 0
    rare_force: int = 0
    blocks: int = 0  # mass matrices of blocks, and of the user's elements
    factor_blocks: int = 0
    invert_blocks: int = 0
    factor: int = 0  # mass matrix, on the tree or on the sparse pattern
    invert: int = 0
    accelerate: int = 0  # accelerations without row forces
    masses: int = 0  # what the mass matrices of the user's elements do
    rows: int = 0
    constrain: int = 0
    project_position: int = 0
    project_velocity: int = 0
    accelerations: int = 0
    rates: int = 0
    corner: int = 0  # rows of one set-valued element
    gaps: int = 0  # of all corners, where they are constant sums of coordinates
    solve: int = 0  # a complementarity problem
    pose: int = 0  # the problem of the corners that take part
    pose_step: int = 0  # the same of a time step, with compact rows
    solve_large: int = 0  # a problem of compact rows that has too many for a matrix
    hold: int = 0  # matrix of the rows that are held between events
    solve_held: int = 0
    corner_outputs: int = 0
    detect: int = 0  # the contact of one slot
    detect_flat: int = 0  # slots of a segment or polygon with something else
    detect_flats: int = 0  # slots of two of them
    detect_curve: int = 0  # slots of a curve with something else
    detect_curves: int = 0  # slots of two of them
    curve: int = 0  # points and derivatives of a curve
    detect_round: int = 0  # in space: a point or sphere with a solid or plane
    detect_plane: int = 0  # a plane with a solid
    aim: int = 0  # which points of flat rims on planes take part
    detect_solids: int = 0  # two convex solids
    detect_surface: int = 0  # a curved surface, tube or height field with anything
    detect_torus: int = 0  # a torus with anything
    detect_tube: int = 0  # a tube with a ball
    detect_nearest: int = 0  # a surface or height field with a shape that has a distance
    detect_footing: int = 0  # a surface or height field with a box or polyhedron
    detect_surfaces: int = 0  # two surfaces
    surface: int = 0  # points and derivatives of a surface
    distance: int = 0  # of a point from a shape
    broad: int = 0  # pairs of pooled contacts that are near


class ModelArrays(NamedTuple):
    """Everything the kernels know of a model."""

    n_bodies: int
    nq: int
    nu: int
    nx: int
    n_rows: int
    n_indicators: int
    n_driven: int
    n_seen: int  # markers that stages look at; behind them stand those of channels alone
    factor: int
    has_quaternions: int
    stages: StageAddresses
    gravity: Floats  # (3,)
    error_weight: Floats  # (nq + nu + nx,)
    row_scale: Floats  # (n_rows,) size of a unit violation, for tolerances
    tree: TreeArrays
    groups: GroupArrays
    signals: SignalArrays
    frames: FrameArrays
    elements: ElementArrays
    rows: RowArrays
    blocks: BlockArrays
    rods: RodArrays
    masses: MassArrays
    pattern: PatternArrays
    indicators: IndicatorArrays
    contours: ContourArrays
    slots: SlotArrays
    corners: CornerArrays
    pool: PoolArrays
