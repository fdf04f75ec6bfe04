"""Rotations and the angles of universal joints that are driven or locked, in the tree and in loops.

Compared with a welded MovingFrame, whose rotation is a chain of three hinges, and with Euler's
equation, evaluated with numpy from the prescribed angles alone.
"""

import math
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl

INERTIA = (0.1, 0.2, 0.25)
COM = (0.1, 0.2, 0.3)
TILT = cl.rotation.about((1.0, 0.0, 0.0), 0.4)
ANGLES = (lambda t: 0.3 * math.sin(2.0 * t), lambda t: 0.5 * t, lambda t: 0.2 + t * t)
GRAVITY = (0.0, 0.0, -9.81)
TIMES = np.linspace(0.0, 1.0, 21)


def body() -> cl.Body:
    return cl.Body("b", mass=2.0, inertia=INERTIA, com=COM)


def driven(coordinates: str, **options: Any) -> cl.Model:
    place: Any = {"at": (0.0, 0.0, 1.0), "at_second": (0.05, 0.0, 0.0), "orientation": TILT}
    joint = cl.Spherical("j", cl.Ground(), body(), **place, **options)
    return cl.Model(joint, gravity=GRAVITY, coordinates=coordinates)


@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
def test_driven_spherical_joint_moves_as_a_moving_frame(coordinates: str) -> None:
    sol = cl.simulate(driven(coordinates, drive={"rotation": ANGLES}), 1.0, t_eval=TIMES)
    frame = cl.MovingFrame("f", position=(0.0, 0.0, 1.0), angles=ANGLES)
    weld = cl.Weld("w", frame, body(), at_second=(0.05, 0.0, 0.0), orientation=TILT)
    same = cl.simulate(cl.Model(weld, gravity=GRAVITY), 1.0, t_eval=TIMES)
    for name in ("position", "rotation", "velocity", "angular_velocity", "acceleration"):
        # rounding of values of order ten, projected on rows in absolute coordinates
        assert np.allclose(sol[f"b.{name}"], same[f"b.{name}"], rtol=0.0, atol=1e-12), name
    assert np.allclose(sol["j.force"], same["w.force"], rtol=0.0, atol=1e-11)
    assert np.allclose(sol["j.moment"], same["w.moment"], rtol=0.0, atol=1e-11)


def rotation_at(t: float) -> np.ndarray:
    return np.array(cl.rotation.cardan(*(angle(t) for angle in ANGLES)))


def test_drive_moment_is_the_one_of_eulers_equation() -> None:
    """M = d/dt (I Omega) about the fixed point minus the moment of the weight, by differences."""
    b = cl.Body("b", mass=2.0, inertia=INERTIA, com=COM)
    sol = cl.simulate(
        cl.Model(
            cl.Spherical("j", cl.Ground(), b, drive={"rotation": ANGLES}),
            gravity=GRAVITY,
        ),
        1.0,
        t_eval=TIMES,
    )
    c = np.array(COM)
    about_origin = np.diag(INERTIA) + 2.0 * (c @ c * np.eye(3) - np.outer(c, c))

    def momentum(t: float) -> np.ndarray:
        h = 1e-5
        R_dot = (rotation_at(t + h) - rotation_at(t - h)) / (2.0 * h)
        R = rotation_at(t)
        skew = R_dot @ R.T
        omega = np.array([skew[2, 1], skew[0, 2], skew[1, 0]])
        return R @ about_origin @ R.T @ omega

    for k in (4, 10, 16):
        t, h = TIMES[k], 1e-4
        R = rotation_at(t)
        weight = np.cross(R @ c, 2.0 * np.array(GRAVITY))
        expected = R.T @ ((momentum(t + h) - momentum(t - h)) / (2.0 * h) - weight)
        # two nested central differences: 1e-8 truncation and 1e-7 rounding
        assert np.allclose(sol["j.drive_moment"][k], expected, rtol=0.0, atol=2e-6)
    power = np.einsum("ta,ta->t", sol["j.drive_moment"], sol["j.angular_velocity"])
    assert np.allclose(sol["j.drive_power"], power, rtol=1e-12, atol=1e-12)
    # the work of the drive is the gain of energy
    dense = cl.simulate(sol_model(b), 1.0, t_eval=np.linspace(0.0, 1.0, 2001))
    work = np.trapezoid(dense["j.drive_power"], dense.t)
    gain = np.ptp(dense["energy.total"][[0, -1]]) * np.sign(
        dense["energy.total"][-1] - dense["energy.total"][0]
    )
    # trapezoidal rule with 2000 intervals of a smooth power of order ten
    assert work == pytest.approx(gain, abs=1e-5)


def sol_model(b: cl.Body) -> cl.Model:
    return cl.Model(cl.Spherical("j", cl.Ground(), b, drive={"rotation": ANGLES}), gravity=GRAVITY)


@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
@pytest.mark.parametrize("beta", [0.5, math.pi / 2.0, -math.pi / 2.0])
def test_locked_rotation_is_a_weld(coordinates: str, beta: float) -> None:
    """Also where the Cardan angles of the held rotation are not unique."""
    R = np.array(cl.rotation.cardan(0.3, beta, -0.2))
    sol = cl.simulate(driven(coordinates, locked=True, rotation=R), 0.5, t_eval=[0.0, 0.5])
    held = R @ np.array(TILT)
    assert np.allclose(sol["b.rotation"], held, rtol=0.0, atol=1e-14)
    arm = held @ (np.array(COM) - np.array([0.05, 0.0, 0.0]))
    expected = -np.cross(arm, 2.0 * np.array(GRAVITY))  # holds the weight
    assert np.allclose(sol["j.moment"][-1], expected, rtol=0.0, atol=1e-12)
    # the same moment in the second's joint axes
    assert np.allclose(sol["j.drive_moment"][-1], R.T @ expected, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize(
    "method", [cl.RungeKutta5(), cl.Radau(), cl.GeneralisedAlpha(dt=1e-3), cl.RungeKutta4(dt=1e-2)]
)
def test_free_joint_turns_as_told_and_falls_freely(method: Any) -> None:
    b = cl.Body("b", mass=2.0, inertia=INERTIA)
    joint = cl.FreeJoint("j", cl.Ground(), b, drive={"rotation": ANGLES}, velocity=(1.0, 0.0, 2.0))
    sol = cl.simulate(cl.Model(joint, gravity=GRAVITY), 1.0, method=method, t_eval=[0.0, 0.5, 1.0])
    for k, t in enumerate((0.0, 0.5, 1.0)):
        assert np.allclose(sol["b.rotation"][k], rotation_at(t), rtol=0.0, atol=1e-14)
        fall = np.array([t, 0.0, 2.0 * t - 0.5 * 9.81 * t * t])
        # a parabola: exact for all methods up to rounding and the tolerance of implicit stages
        assert np.allclose(sol["b.position"][k], fall, rtol=0.0, atol=1e-9)
    assert np.allclose(sol["j.drive_power_rotation"].shape, (3,))
    # the drive turns the body about its centre of mass: no force is needed
    assert np.abs(sol["j.force"]).max() < 1e-12


def test_free_joint_with_all_coordinates_driven_in_a_loop() -> None:
    b = cl.Body("b", mass=2.0, inertia=INERTIA)
    drive = {"rotation": ANGLES, "position": (0.0, lambda t: t * t, 0.5)}
    tree = cl.FreeJoint("j", cl.Ground(), b, drive=drive)
    loop = tree.replace(closure=True)
    a = cl.simulate(cl.Model(tree, gravity=GRAVITY), 0.5, t_eval=[0.0, 0.25, 0.5])
    c = cl.simulate(cl.Model(b, loop, gravity=GRAVITY), 0.5, t_eval=[0.0, 0.25, 0.5])
    for name in ("b.rotation", "b.position", "j.force", "j.moment", "j.drive_moment"):
        assert np.allclose(a[name], c[name], rtol=0.0, atol=1e-11), name


def universal(closure: bool, **options: Any) -> cl.Model:
    b = cl.Body("b", mass=2.0, inertia=INERTIA, com=COM)
    joint = cl.Universal(
        "j", cl.Ground(), b, axes=((0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), closure=closure, **options
    )
    return cl.Model(b, joint, gravity=GRAVITY)


@pytest.mark.parametrize("which", [(True, True), (True, False), (False, True)])
def test_driven_angles_of_a_universal_in_the_tree_and_in_a_loop(which: tuple[bool, bool]) -> None:
    """Angles run through more than half a turn, where the gap of a row jumps by a turn."""
    both = {"angle_1": lambda t: 4.0 * t, "angle_2": lambda t: 0.3 + math.sin(3.0 * t)}
    drive = {name: value for (name, value), use in zip(both.items(), which, strict=True) if use}
    start = {f"angle_{k + 1}": 0.3 * k for k in range(2) if not which[k]}
    a = cl.simulate(universal(False, drive=drive, **start), 1.0, t_eval=TIMES)
    b = cl.simulate(universal(True, drive=drive, **start), 1.0, t_eval=TIMES)
    # both runs integrate the free angle at rtol 1e-9
    for name in ("b.rotation", "b.angular_velocity", "b.acceleration", "j.force", "j.moment"):
        assert np.allclose(a[name], b[name], rtol=0.0, atol=2e-7), name
    for name in ("angle_1", "angle_2"):
        assert np.allclose(a[f"j.{name}"], b[f"j.{name}"], rtol=0.0, atol=1e-8)
    for name in drive:
        found = f"j.drive_force_{name}"
        assert np.allclose(a[found], b[found], rtol=0.0, atol=2e-7), name


def test_locked_angle_of_a_universal_in_a_loop_leaves_a_hinge() -> None:
    sol = cl.simulate(universal(True, locked=("angle_2",), angle_1=0.2), 1.0, t_eval=TIMES)
    b = cl.Body("b", mass=2.0, inertia=INERTIA, com=COM)
    hinge = cl.Revolute("h", cl.Ground(), b, axis=(0.0, 1.0, 0.0), angle=0.2)
    same = cl.simulate(cl.Model(hinge, gravity=GRAVITY), 1.0, t_eval=TIMES)
    assert np.allclose(sol["b.rotation"], same["b.rotation"], rtol=0.0, atol=1e-8)
    assert np.allclose(sol["j.angle_2"], 0.0, atol=1e-13)


def test_equilibrium_with_a_driven_rotation_holds_it_at_the_time() -> None:
    rest = cl.equilibrium(driven("relative", drive={"rotation": ANGLES}), t=0.5)
    expected = rotation_at(0.5) @ np.array(TILT)
    assert np.allclose(rest["b.rotation"][0], expected, rtol=0.0, atol=1e-14)
    assert np.abs(rest["b.angular_velocity"]).max() == 0.0


def test_a_driven_rotation_needs_three_angles() -> None:
    with pytest.raises(cl.ModelError, match="must be 3 signals, the Cardan angles"):
        cl.Spherical("j", cl.Ground(), body(), drive={"rotation": lambda t: t})
