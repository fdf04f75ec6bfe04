"""Binding: give a model the addresses of the compiled stages it needs."""

from typing import Any

from numba import types

from cornerlaw.arrays.kinds import (
    FACTOR_TREE,
    FORCE,
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
    forces,
    kinematics,
    rare_forces,
    rates,
    rows,
)
from cornerlaw.kernels.bundle import Bundle
from cornerlaw.kernels.late import address_of

_T = types.float64
_V = types.float64[::1]
_COMMON_FORCES = (SPRING, TORSION_SPRING, TORQUE_COORDINATE, FORCE, TORQUE_BODY)


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
    if m.n_rows:
        stages["rows"] = (rows.eval_rows, (_T, _V, _V, _V))
        stages["constrain"] = (constraints.constrain, (_T, _V, _V, _V, _V))
        stages["project_position"] = (constraints.project_position_rows, (_T, _V))
        stages["project_velocity"] = (constraints.project_velocity_rows, (_T, _V, _V))
    if not m.n_rows:
        # without rows nothing but the queries needs M^-1 on its own
        del stages["invert"]
    return stages


def bind_stages(m: ModelArrays, w: Workspace) -> ModelArrays:
    """Compile, or load, the stages of a model and return it with their addresses."""
    types_of = (Bundle(m)._numba_type, Bundle(w)._numba_type)
    found = {
        name: address_of(function, (*types_of, *arguments))
        for name, (function, arguments) in _needed(m).items()
    }
    return m._replace(stages=StageAddresses(**found))
