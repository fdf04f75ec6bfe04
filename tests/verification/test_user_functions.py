"""Functions of the user that see the motion of a body, or that the interpreter calls.

Motions are compared with closed forms; what is Interpreted must give the numbers of the same
function compiled, and what is Sampled those of the discrete-time system, which is exact for a
double integrator with a held torque.
"""

import math
import traceback
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl

METHOD = cl.RungeKutta8(rtol=1e-12, atol=1e-14)
TIMES = np.linspace(0.0, 2.0, 21)
GAINS = {"kp": 2.0, "kd": 0.5}  # a dict: no compiled function can use it


def run(model: cl.Model, **options: Any) -> cl.Solution:
    return cl.simulate(model, 2.0, method=METHOD, t_eval=TIMES, **options)


# --- functions of (t, r, v, A, Omega)


def test_planar_torque_of_angle_and_spin() -> None:
    """A free disk with -k phi - c Omega is a damped oscillator; the angle is read from A."""
    J, k, c = 0.5, 8.0, 0.4

    def torque(t, r, v, A, Omega):
        return -8.0 * math.atan2(A[1, 0], A[0, 0]) - 0.4 * Omega

    disk = cl.Body("disk", mass=1.0, inertia=J, rotation=0.7, velocity=(1.0, 0.0))
    sol = run(cl.Model(disk, cl.Torque("servo", disk, value=torque)))
    decay = c / (2.0 * J)
    nu = math.sqrt(k / J - decay**2)
    wave = np.cos(nu * TIMES) + decay / nu * np.sin(nu * TIMES)
    expected = 0.7 * np.exp(-decay * TIMES) * wave
    # rtol 1e-12 over two periods
    assert np.allclose(sol["disk.angle"], expected, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("axes", ["world", "body"])
def test_spatial_torque_of_spin_damps_all_components(axes: str) -> None:
    """A ball with the torque -c Omega keeps its axis: Omega = Omega_0 exp(-c t / J).

    The function sees world axes; a torque in body axes needs A^T Omega.
    """
    start = np.array([1.0, -2.0, 0.5])

    def world(t, r, v, A, Omega):
        return -0.3 * Omega

    def turned(t, r, v, A, Omega):
        return (
            -0.3 * (A[0, 0] * Omega[0] + A[1, 0] * Omega[1] + A[2, 0] * Omega[2]),
            -0.3 * (A[0, 1] * Omega[0] + A[1, 1] * Omega[1] + A[2, 1] * Omega[2]),
            -0.3 * (A[0, 2] * Omega[0] + A[1, 2] * Omega[1] + A[2, 2] * Omega[2]),
        )

    ball = cl.Body("ball", mass=1.0, inertia=(0.4, 0.4, 0.4), angular_velocity=start)
    value = world if axes == "world" else turned
    sol = run(cl.Model(ball, cl.Torque("oil", ball, value=value, axes=axes)))
    expected = start * np.exp(-0.3 / 0.4 * TIMES)[:, None]
    assert np.allclose(sol["ball.angular_velocity"], expected, rtol=0.0, atol=1e-10)


def test_planar_force_of_orientation_is_a_following_force() -> None:
    """A thrust F along the turning x axis: v = F / (m Omega) (sin, 1 - cos)."""

    def thrust(t, r, v, A, Omega):
        return 3.0 * A[0, 0], 3.0 * A[1, 0]

    body = cl.Body("body", mass=2.0, inertia=0.1, angular_velocity=1.5)
    sol = run(cl.Model(body, cl.Force("jet", body, value=thrust)))
    phase = 1.5 * TIMES
    expected = np.column_stack([np.sin(phase), 1.0 - np.cos(phase)]) * 3.0 / (2.0 * 1.5)
    assert np.allclose(sol["body.velocity"], expected, rtol=0.0, atol=1e-10)


def test_wrong_number_of_arguments_names_the_three_forms() -> None:
    body = cl.Body("body", mass=2.0, inertia=0.1)
    force = cl.Force("jet", body, value=lambda t, r: (0.0, 0.0))
    with pytest.raises(cl.CompileError, match=r"of \(t, r, v\) or of \(t, r, v, A, Omega\)"):
        cl.simulate(cl.Model(body, force), 0.1)


# --- Interpreted


def servo(value: Any) -> cl.Model:
    rotor = cl.Rotor("rotor", inertia=1.0, angle=1.0)
    return cl.Model(rotor, cl.Torque("servo", rotor, value=value))


def control(t: float, q: float, u: float) -> float:
    return -GAINS["kp"] * q - GAINS["kd"] * u


def test_interpreted_gives_the_numbers_of_the_compiled_function() -> None:
    compiled = run(servo(lambda t, q, u: -2.0 * q - 0.5 * u))
    interpreted = run(servo(cl.Interpreted(control)))
    assert np.array_equal(compiled["rotor.angle"], interpreted["rotor.angle"])


def maxwell(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    x_dot[0] = p[0] * (v[1, 0] - v[0, 0] - x[0] / p[1])
    F[0, 0] = x[0]
    F[1, 0] = -x[0]


def stored(t, r, A, v, Omega, q, u, x, p):
    return 0.5 * x[0] ** 2 / p[0]


def mount(law: Any, energy: Any) -> cl.Model:
    ball = cl.PointMass("ball", mass=1.0, position=(1.0, 0.0, 0.0), velocity=(0.5, 0.0, 0.0))
    element = cl.ForceElement(
        "mount",
        frames=(cl.Ground(), ball),
        law=law,
        energy=energy,
        parameters={"k": 40.0, "c": 5.0},
        states={"f": 0.0},
    )
    return cl.Model(ball, element)


def test_interpreted_force_element() -> None:
    a = run(mount(maxwell, stored))
    b = run(mount(cl.Interpreted(maxwell), cl.Interpreted(stored)))
    assert np.array_equal(a["ball.position"], b["ball.position"])
    assert np.array_equal(a["mount.energy"], b["mount.energy"])


def test_interpreted_everywhere_else() -> None:
    """Spring laws, vectors, systems, user joints, constraints and motions."""
    ground = cl.Ground()

    def line(q, u):
        S = np.zeros((6, 1))
        S[0, 0] = 1.0
        return np.eye(3), np.array([q[0], 0.0, 0.0]), S, np.zeros(6)

    def models(wrap: Any) -> list[cl.Model]:
        ball = cl.PointMass("ball", mass=1.0, position=(1.0, 0.0), velocity=(0.0, 1.0))
        spring = cl.Spring("spring", ground, ball, force=wrap(lambda length, rate: 4.0 * length))
        wind = cl.Force("wind", ball, value=wrap(lambda t, r, v: (-0.1 * v[0], 0.2 * t)))
        system = cl.LagrangianSystem(
            "tank",
            M=wrap(lambda q, t: np.array([[2.0 + q[0] * q[0]]])),
            h=wrap(lambda q, u, t: np.array([-3.0 * q[0]])),
            q0=(0.5,),
        )
        bead = cl.Body("bead", mass=1.0, inertia=(0.1, 0.1, 0.1))
        joint = cl.UserJoint("rail", ground, bead, kinematics=wrap(line), n=1, u0=(1.0,))
        a, b = cl.Rotor("a", inertia=1.0, speed=1.0), cl.Rotor("b", inertia=2.0, speed=1.0)
        tie = cl.Constraint(
            "tie",
            wrap(lambda q, t: q[0] - q[1]),
            coordinates=("a.angle", "b.angle"),
            derivatives="numerical",
        )
        arm = cl.Body("arm", mass=1.0, inertia=0.1, com=(0.5, 0.0))
        swing = cl.Motion(wrap(lambda t: t * t), wrap(lambda t: 2.0 * t), wrap(lambda t: 2.0))
        return [
            cl.Model(ball, spring, wind),
            cl.Model(system),
            cl.Model(joint, gravity=(1.0, 0.0, 0.0)),
            cl.Model(a, b, tie, cl.Torque("push", a, value=0.3)),
            cl.Model(cl.Revolute("axis", ground, arm, drive=swing), gravity=(0.0, -9.81)),
        ]

    for plain, slow in zip(models(lambda f: f), models(cl.Interpreted), strict=True):
        a, b = cl.simulate(plain, 0.5), cl.simulate(slow, 0.5)
        # rounding of compiled arithmetic may differ in the last digit
        assert np.allclose(a.q[-1], b.q[-1], rtol=1e-12, atol=1e-12)
        assert np.allclose(a.u[-1], b.u[-1], rtol=1e-12, atol=1e-12)


def test_derivatives_of_interpreted_functions_must_be_given() -> None:
    ground, arm = cl.Ground(), cl.Body("arm", mass=1.0, inertia=0.1)
    driven = cl.Model(cl.Revolute("axis", ground, arm, drive=cl.Interpreted(lambda t: t)))
    with pytest.raises(cl.CompileError, match=r"give all three, as in Motion"):
        cl.simulate(driven, 0.1)
    rotor = cl.Rotor("a", inertia=1.0)
    exact = cl.Constraint("tie", cl.Interpreted(lambda q, t: q[0]), coordinates=("a.angle",))
    with pytest.raises(cl.CompileError, match='derivatives="numerical"'):
        cl.simulate(cl.Model(rotor, exact), 0.1)


def test_interrupt_inside_an_interpreted_function_ends_the_run() -> None:
    def stubborn(t: float) -> float:
        if t > 0.5:
            raise KeyboardInterrupt
        return 0.0

    sol = cl.simulate(servo(cl.Interpreted(stubborn)), 1.0, method=cl.RungeKutta4(dt=0.01))
    assert sol.info.status == "interrupted"
    assert 0.4 < sol.t[-1] <= 0.51


def test_the_error_of_what_cannot_be_compiled_offers_both() -> None:
    with pytest.raises(cl.CompileError, match=r"cl\.Interpreted\(function\).*cl\.Sampled\("):
        cl.simulate(servo(control), 0.1)


# --- Sampled


def discrete(n: int, dt: float) -> np.ndarray:
    """Return angle and speed of the double integrator after n periods with the torque held."""
    z = np.array([1.0, 0.0])
    for _ in range(n):
        torque = control(0.0, *z)
        z = np.array([z[0] + dt * z[1] + 0.5 * dt * dt * torque, z[1] + dt * torque])
    return z


@pytest.mark.parametrize(
    "method",
    [
        cl.RungeKutta8(),
        cl.RungeKutta5(),
        cl.RungeKutta4(dt=0.03),  # does not divide the period: the step before a sample is cut
        cl.Radau(rtol=1e-9, atol=1e-12),
        cl.GeneralisedAlpha(dt=0.01, rho_inf=1.0),
    ],
)
def test_sampled_control_is_the_discrete_time_system(method: Any) -> None:
    calls: list[float] = []

    def watched(t: float, q: float, u: float) -> float:
        calls.append(t)
        return control(t, q, u)

    sol = cl.simulate(servo(cl.Sampled(watched, 0.1)), 2.0, method=method)
    # piecewise parabolas: exact for all methods up to the tolerance of implicit stages
    assert np.allclose([sol.q[-1, 0], sol.u[-1, 0]], discrete(20, 0.1), rtol=0.0, atol=1e-9)
    assert np.allclose(calls, 0.1 * np.arange(20), rtol=0.0, atol=1e-12)
    assert [event.kind for event in sol.events] == ["sample"] * 20


def test_rows_at_samples_have_left_and_right_limits() -> None:
    sol = cl.simulate(servo(cl.Sampled(control, 0.1)), 1.0)
    twice = np.flatnonzero(np.diff(sol.t) == 0.0)
    assert np.allclose(sol.t[twice], 0.1 * np.arange(1, 10), rtol=0.0, atol=1e-12)
    assert (sol.side[twice] == -1).all() and (sol.side[twice + 1] == 1).all()
    for k, row in enumerate(twice):
        before, after = discrete(k, 0.1), discrete(k + 1, 0.1)
        assert sol["servo.torque"][row] == pytest.approx(control(0.0, *before), abs=1e-12)
        assert sol["servo.torque"][row + 1] == pytest.approx(control(0.0, *after), abs=1e-12)


def test_a_run_of_samples_can_be_cut_anywhere() -> None:
    model = servo(cl.Sampled(control, 0.1))
    for middle in (1.0, 1.05):
        first = cl.simulate(model, middle)
        second = cl.simulate(model, 2.0, initial=first.final)
        assert np.allclose(second.q[-1, 0], discrete(20, 0.1)[0], rtol=0.0, atol=1e-12)
        # between samples the held torque goes on, at a sample it is a new one
        samples = [event.time for event in second.events]
        assert samples[0] == pytest.approx(1.0 if middle == 1.0 else 1.1)


def test_simulations_of_one_model_do_not_disturb_each_other() -> None:
    model = servo(cl.Sampled(control, 0.1))
    a, b = cl.Simulation(model, dt=0.05), cl.Simulation(model, dt=0.025)
    for _ in range(40):
        a.step()
        b.step(2)
    for sim in (a, b):
        # times add up in steps: a sample may come one rounding early
        assert sim["rotor.angle"] == pytest.approx(discrete(20, 0.1)[0], abs=1e-10)
    saved = a.get_state()
    a.step(3)
    after = a["rotor.angle"]
    a.set_state(saved)
    a.step(3)
    assert a["rotor.angle"] == after
    a.reset()
    a.step(40)
    assert a["rotor.angle"] == pytest.approx(discrete(20, 0.1)[0], abs=1e-10)


def test_two_uses_of_one_sampled_function_hold_their_own_values() -> None:
    held = cl.Sampled(control, 0.1)
    one, two = cl.Rotor("one", inertia=1.0, angle=1.0), cl.Rotor("two", inertia=1.0, angle=-2.0)
    model = cl.Model(one, two, cl.Torque("a", one, value=held), cl.Torque("b", two, value=held))
    sol = cl.simulate(model, 2.0)
    z = discrete(20, 0.1)
    assert sol["one.angle"][-1] == pytest.approx(z[0], abs=1e-12)
    assert sol["two.angle"][-1] == pytest.approx(-2.0 * z[0], abs=1e-12)


def test_sampled_force_element_and_two_periods() -> None:
    """Periods 0.2 and 0.3 s: the velocity is a sum of two staircases' integrals."""

    def push(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
        Q[0] = len(str(round(10 * t)))  # 1 before t = 1, 2 from there on

    slider = cl.Slider("slider", mass=1.0)
    model = cl.Model(
        slider,
        cl.ForceElement("push", coordinates=("slider.position",), law=cl.Sampled(push, 0.2)),
        cl.Torque("ramp", slider, value=cl.Sampled(lambda t: t, 0.3)),
    )
    sol = cl.simulate(model, 1.8, t_eval=[1.8])
    staircase = 0.3 * sum(0.3 * k for k in range(6))
    assert sol["slider.velocity"][-1] == pytest.approx(1.0 + 2.0 * 0.8 + staircase, abs=1e-12)


def test_sampled_is_called_as_it_is_outside_runs() -> None:
    ground, arm = cl.Ground(), cl.Body("arm", mass=1.0, inertia=0.1, com=(0.5, 0.0))
    joint = cl.Revolute("axis", ground, arm, angle=0.1)
    hold = cl.Torque("hold", joint, value=cl.Sampled(lambda t, q, u: -50.0 * q, 0.01))
    rest = cl.equilibrium(cl.Model(joint, hold, gravity=(0.0, -9.81)))
    angle = rest["axis.angle"][0]
    assert 50.0 * angle == pytest.approx(-9.81 * 0.5 * math.cos(angle), abs=1e-9)


@pytest.mark.parametrize(
    "model",
    [
        lambda f: cl.Model(cl.LagrangianSystem("s", M=f, q0=(0.0,))),
        lambda f: mount(maxwell, f),
        lambda f: cl.Model(
            cl.Revolute("a", cl.Ground(), cl.Body("b", mass=1.0, inertia=1.0), drive=f)
        ),
    ],
)
def test_what_must_not_jump_cannot_be_sampled(model: Any) -> None:
    with pytest.raises(cl.CompileError, match="cannot be Sampled"):
        cl.simulate(model(cl.Sampled(lambda t: t, 0.1)), 0.1)


def test_wrong_wrappers() -> None:
    with pytest.raises(cl.ModelError, match=r"Sampled: dt must be > 0, got 0"):
        cl.Sampled(control, 0.0)
    with pytest.raises(cl.ModelError, match=r"Sampled: function must be a plain function"):
        cl.Sampled(cl.Interpreted(control), 0.1)
    with pytest.raises(cl.ModelError, match="Interpreted: function must be"):
        cl.Interpreted(3.0)  # type: ignore[arg-type]


def test_wrapped_functions_are_stored_with_a_model(tmp_path: Any) -> None:
    for value in (cl.Sampled(control, 0.1), cl.Interpreted(control)):
        model = servo(value)
        model.save(tmp_path / "model.toml")
        again = cl.Model.load(tmp_path / "model.toml", trust=True)
        assert again == model


# --- failures name the part


def lost(t: float) -> float:
    if t > 0.5:
        raise ValueError("sensor lost")
    return 1.0


@pytest.mark.trust("TR-N-16")
@pytest.mark.parametrize("wrap", [lambda f: f, cl.Interpreted, lambda f: cl.Sampled(f, 0.1)])
def test_an_exception_is_reported_with_the_part(wrap: Any) -> None:
    with pytest.raises(
        cl.SimulationError, match=r"^Torque 'servo': value fails with ValueError: sensor lost"
    ):
        cl.simulate(servo(wrap(lost)), 1.0)
    # a run that does not reach the time knows nothing of it
    assert cl.simulate(servo(wrap(lost)), 0.3).ok


@pytest.mark.trust("TR-N-16")
@pytest.mark.parametrize("wrap", [cl.Interpreted, lambda f: cl.Sampled(f, 0.1)])
def test_the_traceback_of_a_law_leads_to_its_line(wrap: Any) -> None:
    with pytest.raises(cl.SimulationError) as caught:
        cl.simulate(servo(wrap(lost)), 1.0)
    cause = caught.value.__cause__
    assert isinstance(cause, ValueError)
    assert traceback.extract_tb(cause.__traceback__)[-1].name == "lost"


@pytest.mark.trust("TR-N-16")
@pytest.mark.parametrize("wrap", [lambda f: f, cl.Interpreted])
def test_nan_is_reported_with_the_part(wrap: Any) -> None:
    model = servo(wrap(lambda t: 1.0 if t < 0.5 else float("nan")))
    with pytest.raises(cl.SimulationError, match=r"^Torque 'servo': value gives nan at t = 0\.\d+"):
        cl.simulate(model, 1.0)


@pytest.mark.trust("TR-N-16")
def test_failing_law_and_constraint_are_named() -> None:
    def law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
        Q[5] = 1.0

    rotor = cl.Rotor("rotor", inertia=1.0)
    element = cl.ForceElement("pump", coordinates=("rotor.angle",), law=law)
    with pytest.raises(cl.SimulationError, match=r"ForceElement 'pump': law fails with IndexError"):
        cl.simulate(cl.Model(rotor, element), 0.1)
    wheel = cl.Rotor("wheel", inertia=1.0, speed=-1.0)
    tie = cl.Constraint("tie", lambda q, t: q[0] - math.log(1.0 - t), coordinates=("wheel.angle",))
    with pytest.raises(cl.SimulationError, match=r"Constraint 'tie': function gives (nan|-?inf)"):
        cl.simulate(cl.Model(wheel, tie), 2.0, method=cl.RungeKutta4(dt=0.3))


# --- no allocation in the loop


def test_laws_and_numerical_constraints_allocate_nothing() -> None:
    """Allocations of the compiled code during many evaluations, counted by Numba's own runtime."""
    from numba.core.runtime import _nrt_python, rtsys

    from cornerlaw.kernels.late import repeat
    from cornerlaw.simulate.system import System

    rotors = [cl.Rotor(name, inertia=1.0, speed=1.0) for name in ("a", "b")]
    tie = cl.Constraint(
        "tie",
        lambda q, t: q[0] - q[1],
        coordinates=("a.angle", "b.angle"),
        derivatives="numerical",
    )

    def wasteful(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
        F[0] = np.zeros(3) + x[0]

    def allocations(law: Any, n: int) -> int:
        system = System(cl.Model(*mount(law, stored).parts, *rotors, tie))
        (nq, nu, nx), rows = system.sizes, system.arrays.n_rows
        q, u, x = np.ones(nq), np.ones(nu), np.ones(nx)
        rates = np.zeros(nu), np.zeros(nx), np.zeros(rows)
        address = system.arrays.stages.accelerations
        before = rtsys.get_allocation_stats().alloc
        repeat(n, address, system.m, system.w, 0.0, q, u, x, *rates)
        return int(rtsys.get_allocation_stats().alloc - before)

    enabled = _nrt_python.memsys_stats_enabled()
    _nrt_python.memsys_enable_stats()
    try:
        # what is left are the arguments of the call from Python, the same for both
        assert allocations(maxwell, 1) == allocations(maxwell, 1000)
        assert allocations(wasteful, 1000) >= 1000  # the count does see what a law allocates
    finally:
        if not enabled:
            _nrt_python.memsys_disable_stats()
