"""Event-driven integration and time stepping are two independent roads to the same motion.

The largest distance of the positions over a window falls with the first power of the step. Windows
end before impacts pile up (where steps that are longer than a bounce see none of it) or before
small differences have grown by themselves.

The order is the slope of a straight line fitted to the logarithms of all points, at least five
halvings of the step; every point is reported by the fixture `figure`. With impacts it is one: an
impact moves to an end of its step, by up to dt, in whatever way the rest is integrated. Single
points scatter by a factor of about two with the place of the impact in its step; over five halvings
a factor of two at one end changes the slope by 0.15 to 0.3: from 0.7 to 1.3 counts as one. Cases
without impacts are marked SMOOTH, where the midpoint scheme does better than it must, see there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from figures import Figure
from roads import PHASES, ROWS, SMOOTH, Case, assert_first_order, standard

import cornerlaw as cl
from cornerlaw.gallery import registry
from cornerlaw.gallery.contacts import (
    clearance_slider_crank,
    detachment,
    painleve_rod,
    pantograph,
    parabola_line,
    rocking_block,
    sliding_rod,
    stick_slip_transition,
    tower,
    woodpecker,
    woodpecker_bodies,
)
from cornerlaw.gallery.drives import (
    blade_damper,
    car_shifting,
    clutch_grabbing,
    gear_hammering,
    gear_rattling,
    gear_rattling_stages,
    ship_turning_gear,
    synchroniser,
)
from cornerlaw.gallery.friction import (
    cam_follower,
    chattering_chalk,
    conveyor,
    friction_oscillator,
    impulsive_control,
    vibro_impact,
)
from cornerlaw.gallery.impacts import (
    bead_column,
    bouncing_ball,
    cradle,
    impact_rig,
    rod_double_impact,
    super_ball,
    two_masses,
)


def sliding_box() -> cl.Model:
    """Return a box that slides to rest on a level floor without tipping."""
    box = cl.Body("box", mass=1.0, inertia=0.1, position=(0.0, 0.2), velocity=(1.0, 0.0))
    corners = ((-0.5, -0.2), (0.5, -0.2), (0.5, 0.2), (-0.5, 0.2))
    hull = cl.Polygon("hull", box, vertices=corners)
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    contact = cl.Contact(hull, floor, mu=0.3)
    return cl.Model(box, hull, floor, contact, gravity=(0.0, -9.81))


def bouncing(build: Callable[[Any], cl.Model]) -> Callable[[], cl.Model]:
    """Return a way to build the ball above one of its floors."""
    return lambda: build(bouncing_ball.Parameters())


def fast_cam() -> cl.Model:
    """Return the cam above its critical speed, so that the roller jumps and hits it again."""
    return cam_follower.build(replace(cam_follower.Parameters(), speed=130.0))


def hopping_part() -> cl.Model:
    """Return the conveyor at an amplitude that throws the part."""
    return conveyor.build(replace(conveyor.Parameters(), amplitude=6e-4))


def controlled() -> cl.Model:
    """Return the friction oscillator under PID control."""
    return impulsive_control.build(replace(impulsive_control.Parameters(), control="pid"))


QUICK = {
    "bouncing ball": Case(bouncing(bouncing_ball.build), 2.0, 100),
    "box sliding to rest": Case(sliding_box, 0.5, 100, SMOOTH),
    "friction oscillator": Case(standard(friction_oscillator), 1.4, 400),
    "vibro-impact": Case(standard(vibro_impact), 20.0, 400),
    "cam and follower": Case(fast_cam, 0.08, 200),
    # no impacts: closed contact, a midpoint rule and order two
    "cam and follower, below its critical speed": Case(standard(cam_follower), 0.1, 200, SMOOTH),
    # slides to and fro without sticking: order one
    "conveyor, sliding": Case(standard(conveyor), 0.1, 400),
    "two masses": Case(standard(two_masses), 0.5, 100),
    "Newton's cradle": Case(standard(cradle), 0.2, 100),
    "super ball": Case(standard(super_ball), 0.35, 100, impact=cl.NewtonBoth()),
    "impact rig": Case(standard(impact_rig), 0.5, 100, impact=cl.NewtonBoth()),
    "sliding rod": Case(standard(sliding_rod), 0.25, 100, SMOOTH),
    "Painleve's rod, below its region": Case(standard(painleve_rod, mu=0.9), 0.3, 100, SMOOTH),
    # it jams at the start of the window, an impact without collision: order one
    "Painleve's rod": Case(standard(painleve_rod), 0.1, 400),
    "detachment": Case(standard(detachment), 1.2, 100, SMOOTH),
    "stick-slip transition": Case(standard(stick_slip_transition), 2.0, 100, SMOOTH, max_step=0.01),
}
SLOW = {
    "bouncing ball, tilted floor": Case(bouncing(bouncing_ball.build_tilted), 2.0, 100),
    "bouncing ball, moving floor": Case(bouncing(bouncing_ball.build_moving), 2.0, 100),
    # the printed start has an overlap of 0.9 micrometres
    "woodpecker": Case(standard(woodpecker), 0.3, 1500, gap_tol=1e-6),
    "woodpecker of bodies": Case(standard(woodpecker_bodies), 0.15, 1500),
    "rocking block": Case(standard(rocking_block), 2.0, 200),
    "slider-crank with clearance": Case(standard(clearance_slider_crank), 0.02, 400),
    "conveyor, hopping": Case(hopping_part, 0.05, 200),
    # steps that resolve the lag of the actuator
    "impulsive control, PID": Case(controlled, 4.0, 4000),
    "impulsive control, PD": Case(standard(impulsive_control, control="pd"), 4.0, 4000),
    # steps are parts of a sample, so that a pulse is as long on both roads. The mass first sticks
    # 0.03 ms before a sample; where a step says so behind it, the pulse comes a sample later
    "impulsive control, before its pulses": Case(standard(impulsive_control), 0.5, 500),
    "impulsive control, with pulses": Case(standard(impulsive_control, sample=7e-3), 1.4, 5600),
    # impacts fall anywhere in a step: several numbers of steps, and the fit over all of them
    "bead column": Case(standard(bead_column), 0.493, 400, quarters=PHASES),
    "double impact on a rod": Case(standard(rod_double_impact), 0.19, 400, quarters=PHASES),
    "parabola that lands": Case(
        standard(parabola_line, height=0.3, angle=-0.5, spin=1.5), 0.5, 400, quarters=PHASES
    ),
    # distances grow by 40 per second where the rattling is chaotic: some ten impacts are compared
    "gear rattling": Case(standard(gear_rattling), 0.05, 1600, quarters=PHASES),
    "gear rattling, periodic": Case(
        standard(gear_rattling, backlash=3e-4), 0.1, 1600, quarters=PHASES
    ),
    "gear rattling, several stages": Case(
        standard(gear_rattling_stages), 0.05, 1600, quarters=PHASES
    ),
    "blade damper": Case(standard(blade_damper), 0.05, 1000, SMOOTH),
    "clutch grabbing": Case(standard(clutch_grabbing), 1.0, 1000, SMOOTH),
    "gear hammering": Case(standard(gear_hammering), 0.05, 1600, quarters=PHASES),
    "ship turning gear": Case(standard(ship_turning_gear), 0.04, 1600, quarters=PHASES),
    "synchroniser": Case(standard(synchroniser), 0.08, 1600, quarters=PHASES, max_step=1e-4),
    "car shifting": Case(standard(car_shifting), 4.0, 2000, SMOOTH),
    # up to 51,200 steps, where the gap of the step after the detachment still counts as closed
    "pantograph": Case(standard(pantograph), 0.6, 1600),
    "tower": Case(standard(tower), 0.8, 200),
    "chalk, pulled": Case(standard(chattering_chalk, lean=-chattering_chalk.LEAN), 0.2, 400),
    "chalk with little friction": Case(standard(chattering_chalk, mu=0.3), 0.2, 400),
    # from 15 ms on both sticking and leaving obey the laws, and each road takes one of them
    "chalk, pushed": Case(standard(chattering_chalk), 0.0145, 400),
}


@pytest.mark.parametrize("name", QUICK)
def test_roads_agree(name: str, figure: Figure) -> None:
    assert_first_order(name, QUICK[name], figure)


@pytest.mark.verify
@pytest.mark.parametrize("name", SLOW)
def test_roads_agree_on_long_systems(name: str, figure: Figure) -> None:
    assert_first_order(name, SLOW[name], figure)


def test_steps_are_whole() -> None:
    """Every case stores the same rows for every step size."""
    for case in (*QUICK.values(), *SLOW.values()):
        assert case.steps % ROWS == 0
        assert math.isfinite(case.window)


def systems_of(case: Case) -> set[str]:
    """Return the modules of the gallery that a case is built from."""
    code, cells = case.build.__code__, case.build.__closure__ or ()  # type: ignore[attr-defined]
    used = [cell.cell_contents for cell in cells]
    used += [globals()[name] for name in code.co_names if name in globals()]
    return {
        item.__name__ if isinstance(item, ModuleType) else str(getattr(item, "__module__", ""))
        for item in used
    }


# networks and contacts in space are compared, as far as they are, by cases of these tests
ELSEWHERE = {
    "test_hydraulic_roads.py": ("hydraulics.store_line_cylinder", "hydraulics.servo_cylinder"),
    "test_space_roads.py": tuple(
        f"space.{name}"
        for name in (
            "contensou_disc", "conveyor_space", "euler_disc", "passive_walker", "rattleback",
            "rolling_sphere", "sphere_in_bowl", "sphere_on_sphere", "spinning_coin",
            "super_ball_space", "tippe_top", "turntable_ball",
        )
    ),
}  # fmt: skip
# these run on one road, or on both without a comparison of the motion; a comparison that is added
# takes its system out of here
ONE_ROAD = {
    *(f"hydraulics.{name}" for name in ("brake_tower", "chain_tensioner", "hammered_line")),
    # moments of the shift, not the motion, on both roads: test_shift_control.py
    "hydraulics.shift_control",
    # piles and crowds, by steps only: forces are not unique, and the order of the impacts within a
    # step decides what follows
    *(f"space.{name}" for name in ("arch", "box_stack", "bullet", "card_tower", "dominoes")),
    *(f"space.{name}" for name in ("gripper", "roller_coaster")),
    # fifteen balls that touch: within 0.1 s the order of their impacts depends on the last digits,
    # and half of the step sizes end 15 % away; what all of them keep is in test_bouncing_ball.py
    "space.billiards_break",
    # each road beside its closed form, sliding and tipping
    "space.box_on_slope",
}
OTHER_TOPICS = ("hydraulics", "space")


def has_corners(model: cl.Model) -> bool:
    """Tell whether some law of a model is set-valued."""
    joints = any(j.friction is not None or j.limits is not None for j in model.joints)
    rows = any(getattr(force, "is_set_valued", False) for force in model.forces)
    return bool(model.contacts or model.corners or model.pooled_rules or joints or rows)


def test_rows_of_elements_are_corners() -> None:
    def stop(t, r, A, v, Omega, q, u, p, F, M, Q):  # type: ignore[no-untyped-def]
        F[0, 0] = 1.0
        return r[0, 0], 0.0, 0.0

    def model(row: Any) -> cl.Model:
        mass = cl.PointMass("mass", mass=1.0, position=(0.0, 0.0))
        return cl.Model(mass, cl.ForceElement("stop", frames=(mass,), rows={"n": row}))

    assert has_corners(model(cl.UnilateralRow(stop)))
    assert has_corners(model(cl.SetRow(stop, upper=1.0)))
    assert not has_corners(model(cl.BilateralRow(stop)))


def systems_with_corners() -> dict[str, str]:
    """Return the modules of all systems with corners, and their topics."""
    return {
        system.module.__name__: system.topic
        for system in registry.systems()
        if has_corners(system.build())
    }


def compared_in(file: str) -> set[str]:
    """Return the modules of the gallery in the cases of test_both_roads_agree of another file."""
    spec = spec_from_file_location(Path(file).stem, Path(__file__).parent / file)
    assert spec is not None and spec.loader is not None
    tests = module_from_spec(spec)
    spec.loader.exec_module(tests)
    cases = [case for mark in tests.test_both_roads_agree.pytestmark if mark.name == "parametrize"
             for case in mark.args[1]]  # fmt: skip
    return {item.__name__ for case in cases for item in case if isinstance(item, ModuleType)}


def test_every_plane_system_with_corners_is_compared() -> None:
    compared = set().union(*map(systems_of, (*QUICK.values(), *SLOW.values())))
    topics = systems_with_corners()
    found = {name for name, topic in topics.items() if topic not in OTHER_TOPICS}
    assert not registry.broken()
    assert sorted(found - compared) == []
    # the search must not come back with nothing: systems of every topic that has corners
    least = {"contacts": 11, "impacts": 7, "friction": 6, "drives": 8}
    counted = {topic: sum(f".{topic}." in name for name in found) for topic in least}
    assert all(counted[topic] >= number for topic, number in least.items()), counted
    print(f"{len(found)} systems with corners on both roads: {counted}")


def test_every_other_system_with_corners_is_compared_or_named() -> None:
    """No system of another topic is left out in silence, and no claim of a comparison is empty."""
    compared = set().union(*map(systems_of, (*QUICK.values(), *SLOW.values())))
    for file, names in ELSEWHERE.items():
        assert {f"cornerlaw.gallery.{name}" for name in names} == compared_in(file), file
        compared |= compared_in(file)
    others = {name for name, topic in systems_with_corners().items() if topic in OTHER_TOPICS}
    named = {f"cornerlaw.gallery.{name}" for name in ONE_ROAD}
    assert sorted(others - compared - named) == []
    assert sorted(named & compared) == [], "compared by now"
    assert sorted(named - others) == [], "no such system"
