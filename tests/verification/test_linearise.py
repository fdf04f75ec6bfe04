"""Linearisation against closed forms: pendulums, gyroscopic splitting, a running mechanism."""

import math

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.gallery.contacts import woodpecker
from cornerlaw.simulate.held_corners import LeftOutWarning

GRAVITY = 9.81
# five-point differences: truncation h^4 and rounding eps/h stay below 1e-10 of the entries
RELATIVE = 1e-9


def pendulum(angle=0.0, speed=0.0, damping=0.0):
    body = cl.Body("bob", mass=2.0, inertia=0.1, com=(0.0, -0.5))
    joint = cl.Revolute("pivot", cl.Ground(), body, angle=angle, speed=speed)
    return cl.Model(joint, cl.TorsionSpring("oil", joint, damping=damping), gravity=(0.0, -GRAVITY))


def test_pendulum_matrices_and_damped_frequency():
    lin = cl.linearise(pendulum(damping=0.3))
    J, k, d = 0.1 + 2.0 * 0.25, 2.0 * GRAVITY * 0.5, 0.3
    np.testing.assert_allclose([lin.M[0, 0], lin.P[0, 0], lin.Q[0, 0]], [J, d, k], rtol=RELATIVE)
    omega = math.sqrt(k / J - (d / (2.0 * J)) ** 2)
    assert lin.frequencies == pytest.approx([omega / (2.0 * math.pi)], rel=RELATIVE)
    assert lin.damping_ratios == pytest.approx([d / (2.0 * math.sqrt(k * J))], rel=RELATIVE)
    assert lin.coordinates == ("pivot.angle",)
    assert lin.stable
    assert "pivot.angle" in str(lin)


def test_inverted_pendulum_is_unstable():
    lin = cl.linearise(pendulum(angle=math.pi))
    assert not lin.stable
    # lambda = sqrt(m g l / J)
    assert lin.eigenvalues.real.max() == pytest.approx(math.sqrt(9.81 / 0.6), rel=RELATIVE)


def test_double_pendulum_frequencies_and_modes():
    """Equal masses on equal rods: omega^2 = (2 -+ sqrt 2) g / l, theta_2/theta_1 = +-sqrt 2."""
    length = 0.7
    bobs = [cl.Body(name, mass=1.3, inertia=0.0, com=(0.0, -length)) for name in ("upper", "lower")]
    model = cl.Model(
        cl.Revolute("shoulder", cl.Ground(), bobs[0]),
        cl.Revolute("elbow", bobs[0], bobs[1], at=(0.0, -length)),
        gravity=(0.0, -GRAVITY),
    )
    lin = cl.linearise(model)
    omega = np.sqrt((2.0 + np.array([-1.0, 1.0]) * math.sqrt(2.0)) * GRAVITY / length)
    np.testing.assert_allclose(lin.frequencies, omega / (2.0 * math.pi), rtol=RELATIVE)
    for mode, ratio in zip(lin.modes, (math.sqrt(2.0), -math.sqrt(2.0)), strict=True):
        # the elbow is the difference of the absolute angles
        relative = mode.shape["elbow.angle"] / mode.shape["shoulder.angle"]
        assert relative == pytest.approx(ratio - 1.0, rel=1e-8)
        assert max(abs(value) for value in mode.shape.values()) == pytest.approx(1.0, abs=1e-14)
    np.testing.assert_allclose(lin.Q, lin.Q.T, atol=1e-9 * np.abs(lin.Q).max())


def rotor(speed):
    """A symmetric rotor in a spring-held gimbal that spins at a prescribed rate."""
    outer = cl.Body("fork", mass=0.0)
    disc = cl.Body("disc", mass=5.0, inertia=(0.2, 0.2, 0.35))
    gimbal = cl.Universal("gimbal", cl.Ground(), outer)
    return cl.Model(
        gimbal,
        cl.Revolute("shaft", outer, disc, drive=cl.Motion(
            lambda t: speed * t, lambda t: speed, lambda t: 0.0)),
        cl.TorsionSpring("stiffness 1", gimbal, coordinate="angle_1", stiffness=30.0),
        cl.TorsionSpring("stiffness 2", gimbal, coordinate="angle_2", stiffness=30.0),
    )  # fmt: skip


@pytest.mark.parametrize("speed", [0.0, 5.0, 40.0])
def test_gyroscopic_splitting(speed):
    """I w^2 -+ C Omega w - k = 0: forward and backward whirl, M, skew P = G, Q = k E."""
    lin = cl.linearise(rotor(speed))
    I, C, k = 0.2, 0.35, 30.0
    gyro = C * speed
    expected = np.sort(
        [(sign * gyro + math.sqrt(gyro**2 + 4.0 * I * k)) / (2.0 * I) for sign in (-1.0, 1.0)]
    )
    np.testing.assert_allclose(2.0 * np.pi * np.sort(lin.frequencies), expected, rtol=1e-8)
    np.testing.assert_allclose(lin.M, I * np.eye(2), atol=1e-12)
    np.testing.assert_allclose(lin.Q, k * np.eye(2), atol=1e-7)  # centrifugal terms cancel exactly
    np.testing.assert_allclose(lin.P + lin.P.T, 0.0, atol=1e-8 * max(1.0, gyro))
    assert abs(lin.P[0, 1]) == pytest.approx(gyro, abs=1e-8 * max(1.0, gyro))
    # undamped: all eigenvalues on the imaginary axis
    assert np.abs(lin.eigenvalues.real).max() < 1e-7 * expected.max()


def slider_crank(angle, speed):
    r, l = 0.15, 0.6
    ground = cl.Ground()
    crank = cl.Body("crank", mass=0.5, inertia=0.002, com=(r / 2.0, 0.0))
    piston = cl.Body("piston", mass=0.4)
    stroke = r * math.cos(angle) + math.sqrt(l * l - (r * math.sin(angle)) ** 2)
    return cl.Model(
        cl.Revolute("main", ground, crank, angle=angle, speed=speed),
        cl.Prismatic("guide", ground, piston, axis=(1.0, 0.0), displacement=stroke),
        cl.Rod("rod", crank, piston, at=(r, 0.0), length=l),
        gravity=(0.0, -GRAVITY),
    ), (0.002 + 0.5 * r * r / 4.0, 0.4, r, l)


def crank_acceleration(phi, omega, data):
    """Massless rod: (J + m s'^2) phi_ddot + m s' s'' phi_dot^2 = -m_c g r/2 cos(phi)."""
    J, m, r, l = data
    root = math.sqrt(l * l - (r * math.sin(phi)) ** 2)
    # s = r cos + root, s' = ds/dphi, s'' = d2s/dphi2
    first = -r * math.sin(phi) - r * r * math.sin(phi) * math.cos(phi) / root
    second = (
        -r * math.cos(phi)
        - r * r * math.cos(2.0 * phi) / root
        - (r * r * math.sin(phi) * math.cos(phi)) ** 2 / root**3
    )
    force = -0.5 * GRAVITY * r / 2.0 * math.cos(phi)
    return (force - m * first * second * omega**2) / (J + m * first**2)


def test_slider_crank_about_a_running_state():
    phi, omega = 0.8, 12.0
    model, data = slider_crank(phi, omega)
    lin = cl.linearise(model)
    # the closed form differentiated by the same kind of formula, in one independent coordinate
    h = 1e-4

    def derivative(f):
        return (f(-2 * h) - 8 * f(-h) + 8 * f(h) - f(2 * h)) / (12 * h)

    by_angle = derivative(lambda e: crank_acceleration(phi + e, omega, data))
    by_speed = derivative(lambda e: crank_acceleration(phi, omega + e, data))
    trace, product = by_speed, -by_angle
    # any independent coordinate y = c(phi) has y_ddot of its own, so compare in the crank's angle
    assert lin.coordinates == ("main.angle",)
    np.testing.assert_allclose(lin.A, [[0.0, 1.0], [by_angle, by_speed]], rtol=1e-7, atol=1e-7)
    assert lin.eigenvalues.sum().real == pytest.approx(trace, rel=1e-7)
    assert np.prod(lin.eigenvalues).real == pytest.approx(product, rel=1e-7)


def test_linearise_at_a_row_of_a_run():
    sol = cl.simulate(pendulum(angle=0.4), 1.0, t_eval=np.linspace(0.0, 1.0, 11))
    lin = cl.linearise(pendulum(angle=0.4), at=sol, t=0.5)
    assert lin.t == pytest.approx(0.5)
    angle = sol["pivot.angle"][5]
    assert lin.Q[0, 0] == pytest.approx(9.81 * math.cos(angle), rel=1e-8)


def test_free_spinning_body_in_body_axes():
    """Euler's equations about the middle axis: lambda = Omega sqrt((C - A) (B - C) / (A B))."""
    A, B, C, spin = 0.1, 0.3, 0.2, 7.0
    body = cl.Body("box", mass=1.0, inertia=(A, B, C), position=(0.0, 0.0, 0.0),
                   velocity=(0.0, 0.0, 0.0), angular_velocity=(0.0, 0.0, spin))  # fmt: skip
    lin = cl.linearise(cl.Model(body))
    growth = spin * math.sqrt((C - A) * (B - C) / (A * B))
    assert lin.eigenvalues.real.max() == pytest.approx(growth, rel=1e-8)
    assert not lin.stable


def test_motor_current_is_a_state_of_the_first_order_form():
    body = cl.Body("wheel", mass=1.0, inertia=0.5)
    joint = cl.Revolute("axle", cl.Ground(), body)
    R, L, kt = 2.0, 0.1, 0.7
    motor = cl.Motor("motor", joint, voltage=0.0, resistance=R, inductance=L, constant=kt)
    lin = cl.linearise(cl.Model(joint, motor))
    # J s (L s + R) + kt^2 = 0, and the free angle
    expected = np.sort_complex(np.append(np.roots([0.5 * L, 0.5 * R, kt * kt]), 0.0))
    np.testing.assert_allclose(np.sort_complex(lin.eigenvalues), expected, atol=1e-8)
    assert lin.states == ("motor.current",)


@pytest.mark.parametrize("spin", [1.0, 3.0])
def test_rolling_disc_upright(spin):
    """Nonholonomic: lambda^2 = (m g r A - C (C + m r^2) w^2) / (A (A + m r^2)); slow discs fall."""
    A, C = 0.25, 0.5
    links = [cl.Body(name, mass=0.0) for name in ("carriage", "fork", "head")]
    disc = cl.Body("disc", mass=1.0, inertia=(A, C, A))
    model = cl.Model(
        cl.Translation("place", cl.Ground(), links[0], position=(0.0, 0.0, 1.0)),
        cl.Revolute("yaw", links[0], links[1], angle=0.0, speed=0.0),
        cl.Revolute("lean", links[1], links[2], axis=(1.0, 0.0, 0.0), angle=0.0, speed=0.0),
        cl.Revolute("spin", links[2], disc, axis=(0.0, 1.0, 0.0), angle=0.0, speed=spin),
        cl.Rolling("floor", disc, radius=1.0, axis=(0.0, 1.0, 0.0)),
        gravity=(0.0, 0.0, -GRAVITY),
    )
    lin = cl.linearise(model)
    square = (GRAVITY * A - C * (C + 1.0) * spin**2) / (A * (A + 1.0))
    largest = lin.eigenvalues[np.abs(lin.eigenvalues).argmax()]
    assert (largest**2).real == pytest.approx(square, rel=1e-8)
    assert lin.stable == (square < 0.0)
    # five positions, three velocities: no square M, P, Q
    assert (len(lin.coordinates), len(lin.velocities), lin.M) == (5, 3, None)


def test_modes_of_a_body_that_also_falls_freely() -> None:
    # stiffness zero in y: rounding there spoils eigenvectors that LAPACK finds after scaling
    p = woodpecker.Parameters()
    mode = cl.linearise(woodpecker.build_free(p)).modes[-1]
    shape = np.array([mode.shape[f"toy.{name}"] for name in woodpecker.COORDINATES])
    # no force acts on the whole: its momentum along y and about the spring stays zero
    momentum = woodpecker.mass_matrix(p) @ (shape / shape[2])
    scale = np.abs(woodpecker.mass_matrix(p)) @ np.abs(shape / shape[2])
    # eigenvectors are good to rounding over the gap between eigenvalues, here 1e-12
    assert abs(momentum[0]) < 1e-9 * scale[0]
    assert abs(momentum[1] + momentum[2]) < 1e-9 * scale[1]


def stepped(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    Q[0] = -p[0] * math.floor(1e3 * q[0]) / 1e3 - p[1] * u[0]


def slope(t, r, A, v, Omega, q, u, x, p, D):
    D[0, 0], D[0, 1] = -p[0], -p[1]


def along_stepped(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    F[0, 0] = -p[0] * math.floor(1e3 * r[0, 0]) / 1e3
    M[0, 2] = -p[1] * math.atan2(A[0, 1, 0], A[0, 0, 0])


def along_slope(t, r, A, v, Omega, q, u, x, p, D):
    D[0, 0] = -p[0]
    D[5, 5] = -p[1]


def test_derivatives_of_the_user_take_the_place_of_differences():
    """A force in steps of a thousandth, as a sensor gives it, has no differences worth the name."""
    cart = cl.Slider("cart", mass=2.0)
    spring = cl.ForceElement("spring", coordinates=("cart.position",), law=stepped,
                             force_jacobian=slope, parameters={"k": 50.0, "d": 0.4})  # fmt: skip
    lin = cl.linearise(cl.Model(cart, spring))
    assert lin.eigenvalues[0] == pytest.approx(-0.1 + 1j * math.sqrt(25.0 - 0.01), rel=RELATIVE)
    plain = cl.linearise(cl.Model(cart, spring.replace(force_jacobian=None)))
    assert abs(plain.Q[0, 0] - 50.0) > 1.0
    # afterwards the law is itself again
    query = cl.query(cl.Model(cart, spring), at={"cart.position": 0.0015})
    assert np.asarray(query.bias_forces())[0] == pytest.approx(-0.05, rel=1e-12)


def test_derivatives_by_frames():
    """Position and angle of a frame: k x and k_phi phi of a body that is free in the plane."""
    body = cl.Body("body", mass=2.0, inertia=0.5)
    mount = cl.ForceElement("mount", frames=(body,), law=along_stepped, force_jacobian=along_slope,
                            parameters={"k": 50.0, "k_phi": 8.0})  # fmt: skip
    lin = cl.linearise(cl.Model(body, mount))
    found = sorted(2.0 * math.pi * lin.frequencies)
    assert found[-2:] == pytest.approx([4.0, 5.0], rel=RELATIVE)


def held(*parts, **start):
    return cl.Model(
        cl.Slider("cart", mass=2.0, **start),
        cl.TorsionSpring("spring", "cart", stiffness=50.0),
        *parts,
    )


@pytest.mark.parametrize(
    ("part", "start"),
    [
        (cl.Limit("stop", "cart", upper=0.1), {"position": 0.1}),
        (cl.Brake("brake", "cart", capacity=3.0), {}),
        (cl.Freewheel("wheel", "cart"), {}),
        (cl.UserSet("set", coordinates=("cart.position",), coefficients=(1.0,), lower=-1.0,
                    upper=2.0), {}),
        (cl.UserContact("wall", coordinates=("cart.position",), normal=(1.0,), gap=0.0), {}),
    ],
    ids=["stop", "brake", "freewheel", "set", "contact"],
)  # fmt: skip
def test_corners_that_hold_are_named(part, start):
    with pytest.warns(LeftOutWarning, match=f"hold at this state: '{part.name}"):
        lin = cl.linearise(held(part, **start))
    assert lin.Q[0, 0] == pytest.approx(50.0, rel=RELATIVE)


@pytest.mark.parametrize(
    ("part", "start"),
    [
        (cl.Limit("stop", "cart", upper=0.1), {"position": 0.05}),
        (cl.Limit("leaving", "cart", upper=0.1), {"position": 0.1, "velocity": -1.0}),
        (cl.Brake("slipping", "cart", capacity=3.0), {"velocity": 1.0}),
        (cl.Brake("off", "cart", capacity=cl.Table((0.0, 1.0, 2.0), (0.0, 0.0, 3.0))), {}),
        (cl.Freewheel("overrun", "cart"), {"velocity": 1.0}),
    ],
    ids=["stop", "leaving", "slipping", "off", "freewheel"],
)  # fmt: skip
def test_corners_that_do_not_hold_are_not_named(part, start, recwarn):
    cl.linearise(held(part, **start))
    assert not [w for w in recwarn if issubclass(w.category, LeftOutWarning)]


def test_set_in_place_of_a_constraint_is_refused():
    part = cl.UserSet("row", coordinates=("cart.position",), coefficients=(1.0,), lower=-1e9,
                      upper=1e9, constraint=True)  # fmt: skip
    with pytest.raises(cl.UsageError, match="UserSet 'row' stands for a constraint"):
        cl.linearise(held(part))
