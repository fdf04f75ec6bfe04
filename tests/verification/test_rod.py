"""Rods with exact inertia (M1.6): against rods kept as thin bodies, and in dense matrices."""

from dataclasses import replace

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.gallery.mechanisms import five_body_tree as system

P = system.Parameters()


def joint_rates(sol):
    return np.column_stack([sol[f"joint_{i}.speed_rate"] for i in (1, 2, 3, 4, 5)])


@pytest.mark.parametrize("mass", [0.0, 0.7, 12.0])
def test_rod_equals_a_thin_body(mass):
    # two ways through the same equations: rounding, 1e-10 of the largest acceleration
    p = replace(P, rod_mass=mass)
    model = system.build(p)
    # a massless rod is compared with a body of next to no mass
    thin = system.build_with_thin_body(replace(p, rod_mass=mass or 1e-11))
    times = np.linspace(0.0, 0.5, 26)
    method = cl.RungeKutta8(rtol=1e-12, atol=1e-14)
    rod = joint_rates(cl.simulate(model, 0.5, t_eval=times, method=method))
    body = joint_rates(cl.simulate(thin, 0.5, t_eval=times, method=method))
    scale = np.max(np.abs(body))
    assert np.max(np.abs(rod[0] - body[0])) < 1e-10 * scale
    # later on the errors of both runs count too
    assert np.max(np.abs(rod - body)) < 1e-8 * scale


@pytest.mark.parametrize("closure", system.CLOSURES)
@pytest.mark.filterwarnings("ignore:redundant constraints")
def test_dense_path_matrix(closure):
    p = replace(P, closure=closure)
    sol = system.simulate(p)
    columns = [
        np.column_stack([sol[f"joint_{i}.{name}"] for i in (1, 2, 3, 4, 5)])
        for name in ("angle", "speed")
    ]
    dense = np.array(
        [system.dense_accelerations(p, z, zd)[0] for z, zd in zip(*columns, strict=True)]
    )
    assert np.max(np.abs(joint_rates(sol) - dense)) < 1e-10 * np.max(np.abs(dense))


def test_inertia_pattern():
    # (32): joints of different branches do not couple, unless by the rod (62)
    angles = np.array([system.ANGLES[i] for i in (1, 2, 3, 4, 5)])
    open_tree = system.dense_accelerations(replace(P, closure="tree"), angles, angles)[1]
    assert not open_tree[:2, 2:4].any()
    with_rod = system.dense_accelerations(P, angles, angles)[1]
    assert np.abs(with_rod[:2, 2:4]).min() > 0.0


def test_hanging_rod_is_a_physical_pendulum():
    # a rod from the ground to a massless point: omega^2 = 3 g / (2 l) for small swings
    length, amplitude = 0.8, 1e-4
    point = cl.PointMass(
        "end", mass=0.0, position=(length * np.sin(amplitude), -length * np.cos(amplitude))
    )
    rod = cl.Rod("rod", cl.Ground(), point, length=length, mass=2.0)
    model = cl.Model(point, rod, gravity=(0.0, -9.81))
    omega = np.sqrt(1.5 * 9.81 / length)
    times = np.linspace(0.0, 4.0 * np.pi / omega, 41)
    method = cl.RungeKutta8(rtol=1e-11, atol=1e-15)
    sol = cl.simulate(model, float(times[-1]), t_eval=times, method=method)
    swing = sol["end.position"][:, 0]
    # the square of the amplitude, over two periods
    np.testing.assert_allclose(
        swing, length * amplitude * np.cos(omega * times), atol=1e-7 * length * amplitude
    )


def test_rod_weight_is_shared_by_its_ends():
    # a beam on two vertical slides: each carries half of the rod
    left = cl.PointMass("left", mass=1.0, position=(0.0, 0.0))
    right = cl.PointMass("right", mass=1.0, position=(1.0, 0.0))
    rod = cl.Rod("rod", left, right, mass=3.0)
    springs = [
        cl.Spring("a", cl.Ground(), left, at=(0.0, 1.0), stiffness=100.0, rest=1.0),
        cl.Spring("b", cl.Ground(), right, at=(1.0, 1.0), stiffness=100.0, rest=1.0),
    ]
    model = cl.Model(left, right, rod, *springs, gravity=(0.0, -9.81))
    sol = cl.simulate(model, 1e-3)
    # released with slack springs, everything falls with g
    np.testing.assert_allclose(sol["left.acceleration"][0], [0.0, -9.81], atol=1e-12)
    np.testing.assert_allclose(sol["right.acceleration"][0], [0.0, -9.81], atol=1e-12)
