"""Both roads agree on the systems of the gallery in space, with first order in the step.

As in test_roads_agree.py, over windows that end before small differences have grown by themselves.
Piles are not here: where several contacts close within one step the order of their impacts decides,
and the roads are compared by what they leave at rest (test_resting.py, test_space_structures.py).
"""

from __future__ import annotations

from types import ModuleType

import pytest
from figures import Figure
from roads import PHASES, SMOOTH, Case, assert_first_order, standard

import cornerlaw as cl
from cornerlaw.gallery.space import (
    contensou_disc,
    conveyor_space,
    euler_disc,
    passive_walker,
    rattleback,
    rolling_sphere,
    sphere_in_bowl,
    sphere_on_sphere,
    spinning_coin,
    super_ball_space,
    tippe_top,
    turntable_ball,
)

pytestmark = pytest.mark.verify


CASES: list[tuple[ModuleType, Case]] = [
    (rolling_sphere, Case(standard(rolling_sphere), 0.8, 200, SMOOTH)),
    (sphere_in_bowl, Case(standard(sphere_in_bowl), 1.0, 400, SMOOTH)),
    (sphere_on_sphere, Case(standard(sphere_on_sphere), 0.6, 200, SMOOTH)),
    (spinning_coin, Case(standard(spinning_coin), 0.2, 400, SMOOTH)),
    (tippe_top, Case(standard(tippe_top), 0.1, 400, SMOOTH)),
    (turntable_ball, Case(standard(turntable_ball), 1.0, 200, SMOOTH)),
    (contensou_disc, Case(standard(contensou_disc), 1.2, 200, SMOOTH)),
    (rattleback, Case(standard(rattleback), 1.0, 400, SMOOTH)),
    (euler_disc, Case(standard(euler_disc), 0.1, 400, SMOOTH)),
    (
        super_ball_space,
        Case(standard(super_ball_space), 0.3, 400, quarters=PHASES, impact=cl.NewtonBoth()),
    ),
    (passive_walker, Case(standard(passive_walker), 0.6, 800, quarters=PHASES)),
    (conveyor_space, Case(standard(conveyor_space, amplitude=6e-4), 0.05, 400, quarters=PHASES)),
]


@pytest.mark.parametrize(
    ("module", "case"), CASES, ids=[module.__name__.rpartition(".")[2] for module, _ in CASES]
)
def test_both_roads_agree(module: ModuleType, case: Case, figure: Figure) -> None:
    assert_first_order(module.TITLE, case, figure)
