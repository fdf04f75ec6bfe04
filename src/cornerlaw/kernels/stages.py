"""Binding: give a model the addresses of the compiled stages it needs."""

from typing import Any

import numpy as np
from numba import types

from cornerlaw.arrays.compact import FEW, MOST_DENSE
from cornerlaw.arrays.kinds import (
    CONTOUR_LINE,
    CONTOUR_POLYGON,
    FACTOR_TREE,
    FORCE,
    ROW_ANGLE,
    ROW_DISTANCE,
    ROW_DOT,
    ROW_ELEMENT,
    ROW_LINEAR,
    ROW_POINT,
    SHAPE_BOX,
    SHAPE_CIRCLE,
    SHAPE_CONE,
    SHAPE_CYLINDER,
    SHAPE_PLANE,
    SHAPE_POINT,
    SHAPE_POLYHEDRON,
    SHAPE_SPHERE,
    SHAPE_SURFACE,
    SHAPE_TORUS,
    SHAPE_TUBE,
    SPRING,
    TORQUE_BODY,
    TORQUE_COORDINATE,
    TORSION_SPRING,
)
from cornerlaw.arrays.model_arrays import ModelArrays, StageAddresses
from cornerlaw.arrays.workspace import Workspace
from cornerlaw.kernels import (
    blocks,
    constraints,
    dynamics,
    element_rows,
    forces,
    kinematics,
    masses,
    rare_forces,
    rates,
    rows,
    tree,
)
from cornerlaw.kernels.bundle import Bundle
from cornerlaw.kernels.complementarity import quick
from cornerlaw.kernels.complementarity.sparse import solve as sparse_solve
from cornerlaw.kernels.contact import curve_pairs, curves, detect, flat_pairs, flats
from cornerlaw.kernels.contact import pool as contact_pool
from cornerlaw.kernels.corners import compact, constrain, held, linear_gaps, space_rows
from cornerlaw.kernels.corners import outputs as corner_outputs
from cornerlaw.kernels.corners import problem as corner_problem
from cornerlaw.kernels.corners import rows as corner_rows
from cornerlaw.kernels.lagrangian import mass as constant_mass
from cornerlaw.kernels.lagrangian import rows as linear_rows
from cornerlaw.kernels.lagrangian.binding import has_constant_mass, has_linear_corners
from cornerlaw.kernels.late import Job, address_of
from cornerlaw.kernels.planar import rates as planar_rates
from cornerlaw.kernels.planar import stages as planar_stages
from cornerlaw.kernels.planar.binding import (
    is_planar_tree,
    moves_in_plane,
    needs_places_alone,
)
from cornerlaw.kernels.stopwatch import Stopwatch

_T = types.float64
_V = types.float64[::1]
_ROWS = types.float64[:, ::1]
_COMMON_ROWS = (ROW_POINT, ROW_DOT, ROW_DISTANCE, ROW_LINEAR, ROW_ANGLE)
_COMMON_FORCES = (SPRING, TORSION_SPRING, TORQUE_COORDINATE, FORCE, TORQUE_BODY)


def _has_wide_nodes(m: ModelArrays) -> bool:
    """Tell whether some node has more than one free velocity."""
    free = m.tree.driven[: m.tree.u_start[-1]] < 0
    nodes = m.tree.node_of_u[free]
    return bool(nodes.size and np.bincount(nodes).max() > 1)


def _needed(m: ModelArrays) -> dict[str, tuple[Any, tuple[Any, ...]]]:
    """Return kernel and argument types (after m, w) of every stage the model needs."""
    by_tree = m.factor == FACTOR_TREE
    d = dynamics
    stages: dict[str, tuple[Any, tuple[Any, ...]]] = {
        "kinematics": (kinematics.eval_kinematics, (_V, _V)),
        "factor": (d.factor_by_tree if by_tree else d.factor_by_pattern, ()),
        "invert": (d.invert_by_tree if by_tree else d.invert_by_pattern, (_V, _V)),
        "accelerate": (d.accelerate_by_tree if by_tree else d.accelerate_by_pattern, (_V,)),
        "accelerations": (rates.solve_accelerations, (_T, _V, _V, _V, _V, _V, _V)),
        "rates": (rates.solve_rates, (_T, _V, _V, _V, _V, _V, _V)),
    }
    if m.tree.reverse.any():
        stages["reverse"] = (kinematics.compose_reverse, (types.int64, _V))
    if by_tree and _has_wide_nodes(m):
        stages["factor_node"] = (tree.factor_node_general, (types.int64, types.int64))
    if m.elements.kind.size:
        stages["forces"] = (forces.eval_forces, (_T, _V, _V, _V, _V))
        if any(kind not in _COMMON_FORCES for kind in m.elements.kind):
            stages["rare_force"] = (
                rare_forces.add_rare_force,
                (types.int64, _T, _V, _V, _V, _V),
            )
    if m.blocks.n.size:
        stages["blocks"] = (blocks.eval_blocks, (_T, _V, _V, _V))
        stages["factor_blocks"] = (blocks.factor_blocks, ())
        stages["invert_blocks"] = (blocks.invert_blocks, (_V, _V))
    if m.masses.n.size:
        stages["blocks"] = (masses.eval_blocks_and_masses, (_T, _V, _V, _V))
        stages["masses"] = (masses.apply_masses, (types.int64, _V))
    if m.n_rows:
        stages["rows"] = (rows.eval_rows, (_T, _V, _V, _V))
    if any(kind not in _COMMON_ROWS for kind in m.rows.kind):
        stages["rare_row"] = (rows.eval_rare_row, (types.int64, _T, _V, _V, _V))
    if (m.rows.kind == ROW_ELEMENT).any():
        stages["element_row"] = (element_rows.eval_element_row, (types.int64, _T, _V, _V, _V))
    if m.corners.row_N.size:
        in_space = m.contours.kind.max(initial=0) >= SHAPE_POINT
        eval_rows = space_rows.eval_corner if in_space else corner_rows.eval_corner
        stages["corner"] = (eval_rows, (types.int64, _T, _V, _V, _V))
        stages["corner_outputs"] = (
            corner_outputs.eval_corner_outputs,
            (_T, _V, _V, _V, _V, _V, _ROWS, _ROWS, _ROWS),
        )
        stages["pose"] = (corner_problem.pose_problem, (_T,))
        stages["pose_step"] = (compact.pose_compact, (_T,))
        own = m.rows.kind.size - m.n_rows
        if m.rows.V_address.any() or (m.corners.R > 0.0).any():
            # an unsymmetric or compliant problem needs its matrix
            stages["pose_step"] = (corner_problem.pose_problem, (_T,))
        elif own > MOST_DENSE or (own > FEW and not (m.corners.row_T >= 0).any()):
            stages["solve_large"] = (sparse_solve.solve_sparse, ())
        stages["hold"] = (held.assemble_held, (types.int64, types.int64))
        stages["solve_held"] = (held.solve_held, (types.int64, types.int64, types.int64))
        stages["constrain"] = (constrain.constrain_corners, (_T, _V, _V, _V, _V))
        stages["project_position"] = (constrain.project_position_corners, (_T, _V))
        stages["project_velocity"] = (constrain.project_velocity_corners, (_T, _V, _V))
    elif m.n_rows:
        stages["constrain"] = (constraints.constrain, (_T, _V, _V, _V, _V))
        stages["project_position"] = (constraints.project_position_rows, (_T, _V))
        stages["project_velocity"] = (constraints.project_velocity_rows, (_T, _V, _V))
    if m.slots.start.size and m.contours.kind.max() >= SHAPE_POINT:
        stages |= _needed_in_space(m)
    elif m.slots.start.size:
        stages["detect"] = (detect.detect_slot, (types.int64,))
        kind_1, kind_2 = _kinds_of_pairs(m)
        low, high = np.minimum(kind_1, kind_2), np.maximum(kind_1, kind_2)
        flat = (high > CONTOUR_LINE) & (high <= CONTOUR_POLYGON)
        if (flat & (low <= CONTOUR_LINE)).any():
            stages["detect_flat"] = (flats.detect_flat, (types.int64,))
        if (flat & (low > CONTOUR_LINE)).any():
            stages["detect_flats"] = (flat_pairs.detect_flats, (types.int64,))
        curved = high > CONTOUR_POLYGON
        if curved.any():
            stages["curve"] = (curves.eval_curve, (types.int64, _T, types.int64))
        if (curved & (low <= CONTOUR_POLYGON)).any():
            stages["detect_curve"] = (curves.detect_curve, (types.int64,))
        if (curved & (low > CONTOUR_POLYGON)).any():
            stages["detect_curves"] = (curve_pairs.detect_curves, (types.int64,))
    if m.pool.size:
        stages["broad"] = (contact_pool.update_pool, (types.int64,))
    if has_linear_corners(m):
        stages["corner"] = (linear_rows.eval_linear_corner, stages["corner"][1])
        stages["gaps"] = (linear_gaps.eval_linear_gaps, (_V, _V))
    if has_constant_mass(m):
        stages["factor"] = (constant_mass.factor_constant, ())
        stages["invert"] = (constant_mass.invert_constant, (_V, _V))
        stages["accelerate"] = (constant_mass.accelerate_constant, (_V,))
    if moves_in_plane(m):
        stages["rates"] = (planar_rates.solve_planar_rates, stages["rates"][1])
    if not m.rows.kind.size:
        # without rows nothing but the queries needs M^-1 on its own
        del stages["invert"]
    return stages


def _kinds_of_pairs(m: ModelArrays) -> tuple[Any, Any]:
    """Return the kinds of both contours of every pair that may meet, those of the pool once."""
    n = m.slots.start.size - int(m.pool.place_slots.sum())
    kind, slots, pool = m.contours.kind, m.slots, m.pool
    return (
        np.concatenate([kind[slots.contour_1[:n]], pool.kind_1]),
        np.concatenate([kind[slots.contour_2[:n]], pool.kind_2]),
    )


def _needed_in_space(m: ModelArrays) -> dict[str, tuple[Any, tuple[Any, ...]]]:
    """Return the stages of contact detection in space that the pairs of the model need."""
    from cornerlaw.kernels.contact.space import detect

    slot = (types.int64,)
    stages: dict[str, tuple[Any, tuple[Any, ...]]] = {"detect": (detect.detect_pair, slot)}
    kind_1, kind_2 = _kinds_of_pairs(m)
    low, high = np.minimum(kind_1, kind_2), np.maximum(kind_1, kind_2)
    curved, is_round = high >= SHAPE_TORUS, low <= SHAPE_SPHERE
    flat = low == SHAPE_PLANE
    if curved.any():
        from cornerlaw.kernels.contact.space import (
            distance,
            footing,
            surface_pairs,
            surfaces,
            torus,
            tubes,
        )

        i, x = types.int64, (_T, _T, _T)
        stages["surface"] = (surfaces.eval_surface, (i, _T, _T, i))
        stages["distance"] = (distance.eval_distance, (i, i, *x))
        stages["detect_surface"] = (surfaces.detect_surface, slot)
        pair = (i, types.boolean, i, i)
        if (high == SHAPE_TORUS).any():
            stages["detect_torus"] = (torus.detect_torus, pair)
        if (high == SHAPE_TUBE).any():
            stages["detect_tube"] = (tubes.detect_tube, pair)
        if (low == SHAPE_SURFACE).any():
            stages["detect_surfaces"] = (surface_pairs.detect_surfaces, slot)
        on_bent, cornered = high > SHAPE_TUBE, (low == SHAPE_BOX) | (low == SHAPE_POLYHEDRON)
        if (on_bent & cornered).any():
            stages["detect_footing"] = (footing.detect_footing, pair)
        if (on_bent & (low < SHAPE_SURFACE) & ~cornered).any():
            stages["detect_nearest"] = (surfaces.detect_nearest, pair)
    if (~curved & is_round).any():
        from cornerlaw.kernels.contact.space import rounds

        stages["detect_round"] = (rounds.detect_round, slot)
    if (~curved & flat).any():
        from cornerlaw.kernels.contact.space import planes, rims

        stages["detect_plane"] = (planes.detect_plane, slot)
        if np.isin(high[flat], (SHAPE_CIRCLE, SHAPE_CYLINDER, SHAPE_CONE)).any():
            stages["aim"] = (rims.aim_rims, ())
    if (~curved & ~is_round & ~flat).any():
        from cornerlaw.kernels.contact.space import solids

        stages["detect_solids"] = (solids.detect_solids, slot)
    return stages


def _needed_in_steps(m: ModelArrays) -> dict[str, tuple[Any, tuple[Any, ...]]]:
    """Return the stages of time steps: trees in the plane that have rows have their own ones."""
    stages = _needed(m)
    if moves_in_plane(m) or not is_planar_tree(m):
        return stages
    stages.pop("factor_node", None)
    if needs_places_alone(m):
        stages["places"] = (planar_stages.eval_planar_places, (_V, _V))
    return stages | {
        "kinematics": (planar_stages.eval_planar_kinematics, (_V, _V)),
        "factor": (planar_stages.factor_planar, ()),
        "invert": (planar_stages.invert_planar, (_V, _V)),
        "accelerate": (planar_stages.accelerate_planar, (_V,)),
    }


def stage_jobs(m: ModelArrays, w: Workspace, in_steps: bool = False) -> dict[str, Job]:
    """Return kernel and argument types of every stage the model needs, the solver included."""
    types_of = (Bundle(m)._numba_type, Bundle(w)._numba_type)
    needed = _needed_in_steps(m) if in_steps else _needed(m)
    jobs = {
        name: (function, (*types_of, *arguments)) for name, (function, arguments) in needed.items()
    }
    if m.corners.row_N.size:
        p, s = (Bundle(x)._numba_type for x in (w.k.problem, w.k.solver))
        jobs["solve"] = (quick.solve_quick, (p, s))
    return jobs


def bind_stages(m: ModelArrays, w: Workspace, in_steps: bool = False) -> ModelArrays:
    """Compile, or load, the stages of a model and return it with their addresses.

    What runs in time steps and nothing else takes those of the plane where it can.
    """
    found = {name: address_of(*job) for name, job in stage_jobs(m, w, in_steps).items()}
    found.setdefault("places", found["kinematics"])
    return m._replace(stages=StageAddresses(**found))


def time_stages(m: ModelArrays, w: Workspace, watch: Stopwatch) -> ModelArrays:
    """Return a bound model whose stages note their time."""
    types_of = (Bundle(m)._numba_type, Bundle(w)._numba_type)
    found = {
        name: watch.timed(name, getattr(m.stages, name), (*types_of, *arguments))
        for name, (_, arguments) in _needed(m).items()
        if getattr(m.stages, name)
    }
    # a part of the kinematics, with the same arguments
    found["places"] = found["kinematics"]
    if m.stages.places != m.stages.kinematics:
        found["places"] = watch.timed("kinematics", m.stages.places, (*types_of, _V, _V))
    return time_solver(m._replace(stages=m.stages._replace(**found)), w, watch)


def time_solver(m: ModelArrays, w: Workspace, watch: Stopwatch) -> ModelArrays:
    """Return a bound model whose solver of contact problems, if it has one, notes its time."""
    if not m.stages.solve:
        return m
    p, s = (Bundle(x)._numba_type for x in (w.k.problem, w.k.solver))
    address = watch.timed("solve", m.stages.solve, (p, s))
    return m._replace(stages=m.stages._replace(solve=address))


def bind_cascade(m: ModelArrays, w: Workspace) -> ModelArrays:
    """Return the model with the whole cascade of solvers in place of the quick one."""
    from cornerlaw.kernels.complementarity.auto import solve_auto

    p, s = (Bundle(x)._numba_type for x in (w.k.problem, w.k.solver))
    return m._replace(stages=m.stages._replace(solve=address_of(solve_auto, (p, s))))
