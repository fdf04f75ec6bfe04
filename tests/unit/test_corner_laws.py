"""Laws of corners by hand: coefficients, bounds, restitution, compliant forces, sliding.

The numbers are single products of numbers of size one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.arrays.corner_work import N_UNSETTLED, SLIP, STICK
from cornerlaw.arrays.corners import LOAD_ROWS
from cornerlaw.arrays.state import Floats
from cornerlaw.kernels.corners.bounds import (
    eval_bound,
    eval_friction,
    eval_lower,
    eval_restitution,
    set_bounds,
)
from cornerlaw.kernels.corners.compliance import (
    eval_normal_force,
    is_compliant,
    is_posed,
    is_rigid,
)
from cornerlaw.kernels.corners.loads import (
    UNSETTLED,
    follows_reactions,
    note_unsettled,
    update_impulse_loads,
    update_loads,
)
from cornerlaw.kernels.corners.slip import (
    FLOOR,
    LAG,
    NOISE,
    SLOW,
    STORED,
    begin_direction,
    keep_direction,
    noise_of,
    note_direction,
    set_slip,
    sliding_speed,
    speed_along,
)
from cornerlaw.simulate.system import System

EXACT = 1e-14


def about(value: Any) -> Any:
    return pytest.approx(value, rel=EXACT, abs=1e-15)


def system_of(*parts: Any) -> tuple[System, Any, Any]:
    """Return a system, the arrays of its corners and those they are worked on with."""
    system = System(cl.Model(*parts))
    return system, system.arrays.corners, system.work.k


def hinge(name: str, **options: Any) -> cl.Revolute:
    body = cl.Body(f"{name} arm", mass=1.0, inertia=1.0)
    return cl.Revolute(name, cl.Ground(), body, **options)


# friction coefficients and bounds


def test_coefficients_follow_the_speed_at_the_lever() -> None:
    """Constant ones do not; at rest it is the value at rest."""
    falling = cl.Table((0.0, 1.0), (0.4, 0.2))
    friction = [
        cl.JointFriction("plain", hinge("a"), mu=0.3, load=lambda t: 10.0 + t, radius=0.5),
        cl.JointFriction("falls", hinge("b"), mu=falling, load=lambda t: 20.0 + t, radius=0.5),
    ]
    system, corners, _ = system_of(*friction)
    assert corners.mu_signal[0] < 0 < corners.mu_signal[1]
    for speed, value in ((0.0, 0.4), (0.8, 0.32), (-0.8, 0.32)):
        assert eval_friction(system.m, system.w, 0, 0.0, speed) == 0.3
        assert eval_friction(system.m, system.w, 1, 0.0, speed) == about(value)


def test_given_bounds_are_not_negative_and_ends_of_sets_may_be() -> None:
    friction = cl.JointFriction("f", hinge("a"), torque=lambda t: 2.0 - t)
    rotor = cl.Rotor("r", inertia=1.0)
    free = cl.UserSet("set", coordinates=("r",), coefficients=(1.0,), lower=lambda t: -3.0 + t,
                      upper=lambda t: 1.0 - t)  # fmt: skip
    system, corners, k = system_of(friction, rotor, free)
    assert corners.lower_signal[0] < 0 < corners.lower_signal[1]
    k.mu[:] = 1.0
    corners.mu_minus[0] = 0.25
    for t, bound, ends in ((0.5, 1.5, (-2.5, 0.5)), (3.0, 0.0, (-2.0, -2.0))):
        set_bounds(system.m, system.w, 0, t)
        assert (k.lower[0], k.bound[0]) == (about(-0.25 * bound), about(bound))
        set_bounds(system.m, system.w, 1, t)
        # a lower end above the upper one is no set: it counts as the upper one
        assert (k.lower[1], k.bound[1]) == (about(ends[0]), about(ends[1]))


def by_reactions() -> tuple[System, Any, Any]:
    """Two bearings whose friction follows their own reactions, and some bounds before them."""
    law = cl.Coulomb(0.1, radius=0.5)
    parts = [hinge(name, friction=law) for name in "ab"]
    return system_of(*parts)


def test_bounds_follow_the_norm_of_reactions() -> None:
    system, corners, k = by_reactions()
    assert corners.load.tolist() == [LOAD_ROWS] * 2 and corners.load_start[1] > 0
    k.mu[:], k.lam[:4] = 0.1, [3.0, -4.0, 5.0, 12.0]
    assert eval_bound(system.m, system.w, 0, 0.0, 1.0) == about(0.1 * 0.5 * 5.0)
    assert eval_bound(system.m, system.w, 1, 0.0, 1.0) == about(0.1 * 0.5 * 13.0)
    corners.mu_minus[1] = 0.5
    assert eval_lower(system.m, system.w, 1, 0.0, 0.65) == about(-0.325)


def guide(t, r, A, v, Omega, q, u, p, F, M, Q):  # type: ignore[no-untyped-def]
    F[0, 1] = 1.0
    return r[0, 1], 0.0, 0.0


def across(t, r, A, v, Omega, q, u, p, F, M, Q):  # type: ignore[no-untyped-def]
    F[0, 0] = 1.0
    return r[0, 0], 0.0, 0.0


def test_bounds_that_are_sums_of_multipliers() -> None:
    """constant * duration + sum of factors times forces, at least zero, nothing while it is off."""
    block = cl.PointMass("block", mass=1.0, position=(0.0, 0.0))
    sums = cl.Multipliers({"e.m": 1.0, "e.n": 1.0}), cl.Multipliers({"e.n": 0.5, "e.m": -2.0}, 7.0)
    rows: Any = {"n": cl.BilateralRow(guide), "m": cl.BilateralRow(guide)}
    rows |= {name: cl.SetRow(across, upper=upper) for name, upper in zip("st", sums, strict=True)}
    system, corners, k = system_of(block, cl.ForceElement("e", frames=(block,), rows=rows))
    c = int(np.flatnonzero(corners.affine > 0)[-1])
    n, m = corners.lists[corners.load_start[c] : corners.load_start[c] + 2]
    k.mu[:], k.lam[:], k.known[:] = 1.0, 0.0, 0.0
    k.lam[n], k.lam[m], k.known[n], k.known[m] = 6.0, 1.0, 2.0, 0.25
    ends = system.work.ends
    ends[corners.row_T[c], 2] = 1.0
    assert eval_bound(system.m, system.w, c, 0.0, 0.5) == about(3.5 + 0.5 * 8.0 - 2.0 * 1.25)
    k.lam[m] = 20.0
    assert eval_bound(system.m, system.w, c, 0.0, 0.5) == 0.0
    k.lam[m], ends[corners.row_T[c], 2] = 1.0, 0.0
    assert eval_bound(system.m, system.w, c, 0.0, 0.5) == 0.0


def posed(system: System, corners: Any, k: Any) -> Any:
    """Put the friction rows of all corners into a problem, one set each."""
    p = k.problem
    p.n_sets[0] = corners.row_T.size
    for n, j in enumerate(corners.row_T):
        k.active[n], k.place[j], p.start[n] = j, n, n
    return p


def test_bounds_of_a_problem_are_renewed_with_their_change() -> None:
    """Impulses over a duration: bounds of the problem are impulses, those kept are forces."""
    system, corners, k = by_reactions()
    p = posed(system, corners, k)
    k.mu[:], k.lam[:4] = 0.1, [3.0, -4.0, 5.0, 12.0]
    k.bound[:] = [0.25 / 0.5, 0.6 / 0.5]
    worst = update_loads(system.m, system.w, 0.5)
    assert worst == about((0.65 - 0.6) / 0.65)
    assert p.upper_0[:2] == about([0.25, 0.65]) and p.lower_0[:2] == about([-0.25, -0.65])
    assert k.bound[:2] == about([0.5, 1.3]) and k.lower[:2] == about([-0.5, -1.3])
    assert update_loads(system.m, system.w, 0.5) == 0.0
    k.impact.load[1, :2] = [0.5, 0.65]
    assert update_impulse_loads(system.m, system.w) == about((0.5 - 0.25) / 0.25)
    assert k.impact.load[0, :2] == about([-0.25, -0.65])
    assert k.impact.load[1, :2] == about([0.25, 0.65])


def test_rows_that_are_not_posed_are_left_alone() -> None:
    system, corners, k = by_reactions()
    p = posed(system, corners, k)
    k.mu[:], k.lam[:4], p.upper_0[:2] = 0.1, [3.0, -4.0, 5.0, 12.0], -1.0
    k.place[corners.row_T[0]] = -1
    corners.load[1] = LOAD_ROWS + 1
    assert update_loads(system.m, system.w, 1.0) == 0.0
    assert update_impulse_loads(system.m, system.w) == 0.0
    assert p.upper_0[:2].tolist() == [-1.0, -1.0]


def test_only_bounds_that_follow_reactions_need_rounds() -> None:
    system, corners, k = by_reactions()
    for closed, load, result in (
        ((0, 1), LOAD_ROWS, True), ((0, 0), LOAD_ROWS, False), ((1, 1), LOAD_ROWS + 1, False),
    ):  # fmt: skip
        k.closed[:], corners.load[:] = closed, load
        assert bool(follows_reactions(system.m, system.w.k)) == result
    k.stats[N_UNSETTLED] = 0.0
    for change in (0.5 * UNSETTLED, 2.0 * UNSETTLED, 3.0 * UNSETTLED):
        note_unsettled(system.w.k, change)
    assert k.stats[N_UNSETTLED] == 2.0


def ball(**options: Any) -> tuple[System, Any, Any]:
    point = cl.PointMass("ball", mass=1.0, position=(0.0, 1.0))
    floor = cl.Line("floor", cl.Ground(), normal=(0.0, 1.0))
    return system_of(point, cl.Contact(point, floor, name="c", **options))


@pytest.mark.parametrize("law", [0.6, lambda v: 0.8 - 0.1 * v], ids=["constant", "function"])
def test_restitution_above_its_threshold_only(law: Any) -> None:
    # the first signal is that of friction
    friction = cl.Table((0.0, 1.0), (0.4, 0.2))
    system, corners, k = ball(eps_N=law, eps_speed=0.5, mu=friction, eps_T=0.3)
    c = int(np.flatnonzero(corners.row_N >= 0)[0])
    assert (corners.eps_N_signal[c] > 0) == callable(law)
    for approach in (-2.0, 0.0, 0.4, 0.5, 2.0):
        k.eps_N[c], k.eps_T[c] = math.nan, math.nan
        eval_restitution(system.m, system.w, c, approach)
        given = law(approach) if callable(law) else law
        expected = (given, 0.3) if approach >= 0.5 else (0.0, 0.0)
        assert (k.eps_N[c], k.eps_T[c]) == about(expected)


def test_restitution_without_a_threshold_needs_an_approach() -> None:
    system, corners, k = ball(eps_N=0.6)
    c = int(np.flatnonzero(corners.row_N >= 0)[0])
    for approach, expected in ((-1.0, 0.0), (0.0, 0.0), (1e-9, 0.6)):
        eval_restitution(system.m, system.w, c, approach)
        assert k.eps_N[c] == expected


# compliant normal laws


def test_forces_of_compliant_laws() -> None:
    """None pulls; between events a damper acts from the first touch on, in a step not before."""
    laws: list[Any] = [
        cl.KelvinVoigt(3.0, 2.0),
        cl.HuntCrossley(3.0, 2.0, exponent=2.0),
        cl.LankaraniNikravesh(3.0, 0.6, exponent=2.0),
    ]

    def force(law: int, d: float, rate: float) -> float:
        if law == 0:
            return max(0.0, 3.0 * d + 2.0 * rate)
        damped = 2.0 * rate if law == 1 else 0.75 * (1.0 - 0.36) * rate / 0.8
        return max(0.0, 3.0 * d * d * (1.0 + damped))

    for number, law in enumerate(laws):
        system, corners, k = ball(normal=law)
        c = int(np.flatnonzero(corners.row_N >= 0)[0])
        i = corners.row_N[c]
        k.v_0[c] = 0.8
        assert not is_rigid(system.m, c)
        for implicit in (0, 1):
            k.implicit[0] = implicit
            for d in (-0.1, 0.0, 0.2, 1.5):
                for rate in (-4.0, -0.3, 0.0, 0.7):
                    system.work.g[i], system.work.gamma[i] = -d, -rate
                    expected = force(number, max(d, 0.0), rate)
                    if implicit and d <= 0.0:
                        expected = 0.0
                    assert eval_normal_force(system.m, system.w, c) == about(expected)
    k.v_0[c] = 0.0  # a contact that begins at rest
    system.work.g[i], system.work.gamma[i] = -0.1, -1.0
    assert eval_normal_force(system.m, system.w, c) == about(0.03 * (1.0 + 0.48 / 1e-12))


def test_compliance_of_a_row_is_a_force_between_events_only() -> None:
    block = cl.PointMass("block", mass=1.0, position=(0.0, 1.0))
    rows: Any = {"soft": cl.UnilateralRow(guide, R=0.25), "hard": cl.UnilateralRow(guide)}
    system, corners, k = system_of(block, cl.ForceElement("e", frames=(block,), rows=rows))
    soft, hard = (0, 1) if corners.R[0] > 0.0 else (1, 0)
    assert is_compliant(system.m, soft) and not is_compliant(system.m, hard)
    assert is_rigid(system.m, hard) and not is_rigid(system.m, soft)
    for implicit in (0, 1):
        k.implicit[0] = implicit
        assert is_posed(system.m, system.w, hard)
        assert bool(is_posed(system.m, system.w, soft)) == bool(implicit)
    k.implicit[0], i = 0, corners.row_N[soft]
    for gamma, expected in ((-2.0, 8.0), (2.0, 0.0)):
        system.work.g[i], system.work.gamma[i] = 0.0, gamma
        assert eval_normal_force(system.m, system.w, soft) == about(expected)


# directions of sliding in space


def slider(**options: Any) -> tuple[System, Any, Any, int, int]:
    """A ball on a slope in space whose contact has a normal and tangents askew."""
    body = cl.Body("ball", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0.0, 0.0, 1.0))
    contact = cl.Contact(
        cl.Sphere("s", body, radius=1.0), cl.Plane("p", cl.Ground(), normal=(0.0, 0.0, 1.0)),
        mu=0.3, name="c", **options,
    )  # fmt: skip
    rod = cl.Distance("rod", cl.Ground(), body, length=1.0)  # its row stands before
    system, corners, k = system_of(body, contact, rod)
    system.work.gamma[:] = 9.0
    c = int(np.flatnonzero(corners.row_T >= 0)[0])
    n = np.array([2.0, -1.0, 2.0]) / 3.0
    t = np.array([2.0, 2.0, -1.0]) / 3.0
    s = int(corners.slot[c])
    system.work.contact_n[s], system.work.contact_t[s] = n, t
    return system, corners, k, c, int(corners.row_T[c])


def tangents(system: System, s: int) -> tuple[Floats, Floats]:
    n, t = system.work.contact_n[s], system.work.contact_t[s]
    return t, np.cross(n, t)


def test_speed_and_direction_of_sliding() -> None:
    """A direction is kept in the world, whatever axes the rows have when it is read again."""
    system, corners, k, c, j = slider()
    work, s = system.work, int(corners.slot[c])
    work.gamma[j : j + 2] = [3.0, -4.0]
    assert sliding_speed(system.m, system.w, c) == about(5.0)
    keep_direction(system.m, system.w, c, 0.6, -0.8, 0.0, 5.0)
    t, b = tangents(system, s)
    world = 0.6 * t - 0.8 * b
    assert k.slip_ref[c] == about([*world, 0.0])
    assert (k.slip_speed[c], k.young[c]) == (5.0, 0)
    assert speed_along(system.m, system.w, c) == about(5.0)
    turn = math.cos(0.7), math.sin(0.7)
    work.contact_t[s] = turn[0] * t + turn[1] * b
    t, b = tangents(system, s)
    work.gamma[j : j + 2] = [2.0, 1.0]
    assert speed_along(system.m, system.w, c) == about(world @ (2.0 * t + b))
    keep_direction(system.m, system.w, c, 0.6, -0.8, 0.0, 0.0)
    assert (k.slip_speed[c], k.young[c]) == (SLOW, 1)


def test_drilling_is_the_third_part_of_a_direction() -> None:
    """It turns with no axes; a direction that a step begins with has it, and a stored one."""
    system, corners, k, c, j = slider(drilling=0.1)
    assert corners.n_T[c] == 3
    k.step_error[:] = 0.0
    system.work.gamma[j : j + 3] = [2.0, -1.0, 2.0]
    assert sliding_speed(system.m, system.w, c) == about(3.0)
    begin_direction(system.m, system.w, c, False)
    t, b = tangents(system, int(corners.slot[c]))
    assert k.slip_ref[c] == about([*((2.0 * t - b) / 3.0), 2.0 / 3.0])
    assert speed_along(system.m, system.w, c) == about(3.0)
    set_slip(system.m, system.w, c)
    assert k.slip[c] == about([2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0])
    k.status[c] = SLIP
    note_direction(system.m, system.w, c, np.zeros(k.lam.size))
    assert k.slip_ref[c] == about([*((2.0 * t - b) / 3.0), 2.0 / 3.0])


def test_directions_of_turning_stand_in_the_rows_themselves() -> None:
    """Without a contact there are no axes, and a radian per second is a natural speed."""
    system, corners, k, c, _ = slider()
    corners.slot[c] = -1
    keep_direction(system.m, system.w, c, 0.6, -0.8, 0.5, 3.0)
    assert k.slip_ref[c].tolist() == [0.6, -0.8, 0.0, 0.5]
    j = corners.row_T[c]
    system.work.gamma[j : j + 2] = [2.0, 1.0]
    assert speed_along(system.m, system.w, c) == about(0.4)
    k.step_error[:] = [1e-3, 1e-2]
    for speed, fastest in ((3.0, 3.0), (0.5, 1.0)):
        k.slip_speed[c] = speed
        assert noise_of(system.m, system.w, c) == about(NOISE * (1e-3 * fastest + 1e-2))


def test_one_friction_row_has_a_signed_speed() -> None:
    system, corners, _ = by_reactions()
    system.work.gamma[corners.row_T[1]] = -2.5
    assert sliding_speed(system.m, system.w, 1) == -2.5


def test_noise_of_a_step_is_that_of_the_fastest_point() -> None:
    """The marker of the ball moves and spins; its arm goes to the point of contact."""
    system, corners, k, c, _ = slider()
    work, s = system.work, int(corners.slot[c])
    k.step_error[:] = [1e-3, 1e-2]
    slots = system.arrays.slots
    frames = [int(system.arrays.contours.frame[x[s]]) for x in (slots.contour_1, slots.contour_2)]
    work.contact_r1[s] = [1.0, 2.0, -2.0]
    for moving, still in (frames, frames[::-1]):
        work.frame_r[moving] = [0.5, -1.0, 1.0]
        work.frame_v[moving], work.frame_Omega[moving] = [3.0, 0.0, -4.0], [0.0, 1.0, 2.0]
        work.frame_r[still] = work.frame_v[still] = work.frame_Omega[still] = 0.0
        fastest = 5.0 + math.sqrt(5.0) * math.sqrt(0.25 + 9.0 + 9.0)
        expected = NOISE * (1e-3 * fastest + 1e-2)
        assert noise_of(system.m, system.w, c) == about(expected)


def test_sliding_along_its_own_direction() -> None:
    """Where it is fast enough; slower, what is missing is added along the direction before."""
    system, _, k, c, j = slider()
    work = system.work
    k.step_error[:] = 0.0
    keep_direction(system.m, system.w, c, 1.0, 0.0, 0.0, 2.0)
    work.gamma[j : j + 2] = [3.0, -4.0]
    set_slip(system.m, system.w, c)
    assert k.slip[c, :2] == about([0.6, -0.8])
    # the speed along the first tangent is lifted to FLOOR times that of the beginning
    work.gamma[j : j + 2] = [-1e-3, 2e-3]
    set_slip(system.m, system.w, c)
    lifted = np.array([FLOOR * 2.0, 2e-3])
    assert k.slip[c, :2] == about(lifted / np.linalg.norm(lifted))
    k.young[c] = 1  # sliding that has just begun
    work.gamma[j : j + 2] = [-1e-6, 1e-6]
    set_slip(system.m, system.w, c)
    assert k.slip[c, :2] == about(np.array([LAG, 1e-6]) / math.hypot(LAG, 1e-6))
    k.step_error[1] = 1e-2  # noise is a floor as well
    work.gamma[j : j + 2] = [0.5, 1.0]
    set_slip(system.m, system.w, c)
    assert k.slip[c, :2] == about(np.array([1.0, 1.0]) / math.sqrt(2.0))
    k.step_error[1] = 0.0


def test_sliding_of_stored_rows() -> None:
    """Which have their own direction unless they are at rest; nothing at all leaves it."""
    system, _, k, c, j = slider()
    work = system.work
    k.step_error[:] = 0.0
    keep_direction(system.m, system.w, c, 1.0, 0.0, 0.0, 2.0)
    k.young[c] = STORED
    work.gamma[j : j + 2] = [-3.0, 4.0]
    set_slip(system.m, system.w, c)
    assert k.slip[c, :2] == about([-0.6, 0.8])
    work.gamma[j : j + 2] = [0.0, 0.5 * SLOW]
    set_slip(system.m, system.w, c)
    assert k.slip[c, :2] == pytest.approx([1.0, 0.0], abs=1e-8)
    k.slip_ref[c] = 0.0
    work.gamma[j : j + 2], k.slip[c, :2] = 0.0, [0.6, 0.8]
    set_slip(system.m, system.w, c)
    assert k.slip[c, :2].tolist() == [0.0, 0.0]


@pytest.mark.parametrize(("speed", "error", "goes_on", "young", "kept"), [
    (2.0, 0.0, False, 0, True), (2.0, 0.0, True, 0, True), (0.5 * SLOW, 0.0, True, 0, False),
    (0.5 * SLOW, 0.0, False, 0, True), (0.5, 1e-2, True, 0, False), (0.5, 1e-2, False, 0, True),
    (0.0, 0.0, False, 0, False),
])  # fmt: skip
def test_direction_that_a_step_begins_with(
    speed: float, error: float, goes_on: bool, young: int, kept: bool
) -> None:
    """Where sliding goes on it must be faster than rounding and the error of a step."""
    system, corners, k, c, j = slider()
    k.step_error[:] = [0.0, error]
    keep_direction(system.m, system.w, c, 1.0, 0.0, 0.0, 7.0)
    k.young[c] = young
    before = k.slip_ref[c].copy()
    system.work.gamma[j : j + 2] = [0.6 * speed, 0.8 * speed]
    begin_direction(system.m, system.w, c, goes_on)
    if kept:
        t, b = tangents(system, int(corners.slot[c]))
        assert k.slip_ref[c, :3] == about(0.6 * t + 0.8 * b)
        assert k.slip_speed[c] == about(max(speed, SLOW))
    else:
        assert k.slip_ref[c].tolist() == before.tolist() and k.slip_speed[c] == SLOW


def test_young_sliding_keeps_its_direction_while_it_is_slow() -> None:
    system, _, k, c, j = slider()
    k.step_error[:] = 0.0
    for speed, kept in ((5.0 * LAG, False), (20.0 * LAG, True)):
        keep_direction(system.m, system.w, c, 1.0, 0.0, 0.0, 0.0)
        before = k.slip_ref[c].copy()
        system.work.gamma[j : j + 2] = [0.0, speed]
        begin_direction(system.m, system.w, c, True)
        assert (k.young[c], bool((k.slip_ref[c] != before).any())) == (0 if kept else 1, kept)
        assert k.slip_speed[c] == about(speed if kept else SLOW)


@pytest.mark.parametrize("status", [STICK, SLIP, 0])
def test_direction_of_a_stored_row(status: int) -> None:
    """Of friction that holds it is the direction against the force, as sliding would begin."""
    system, corners, k, c, j = slider()
    lam = np.zeros(k.lam.size)
    lam[j : j + 2] = [3.0, -4.0]
    k.status[c], k.slip[c, :2] = status, [0.8, 0.6]
    note_direction(system.m, system.w, c, lam)
    t, b = tangents(system, int(corners.slot[c]))
    parts = {STICK: (-0.6, 0.8), SLIP: (0.8, 0.6), 0: (0.0, 0.0)}[status]
    assert k.slip_ref[c, :3] == about(parts[0] * t + parts[1] * b)
    assert (k.young[c], k.slip_speed[c]) == (STORED, SLOW)
    lam[:] = 0.0
    k.status[c] = STICK
    note_direction(system.m, system.w, c, lam)
    assert k.slip_ref[c].tolist() == [0.0] * 4
