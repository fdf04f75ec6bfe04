"""Hard physics: extreme ratios, accumulations, singular places, far too many constraints.

Every case either has the result that mechanics asks for, or says plainly that it does not: then
the sentence is part of the case. Where no other reason is given, tolerances are those of the
method (rtol 1e-9) with a factor for the length of the run.
"""

import math

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw import gallery

G = 9.81
GROUND = cl.Ground()
DOWN = (0.0, -G)
LIMITS = cl.Limits(residual=1e-8)


def floor():
    return cl.Ground("floor", normal=(0.0, 1.0))


def finite(sol):
    """Check that no row holds a value that is not a number."""
    assert len(sol) and all(np.isfinite(values).all() for values in sol.states.values())
    return sol


def stack(masses, mu=0.5):
    """Boxes of one metre on top of each other."""
    ground, parts, before = floor(), [], None
    before = ground
    for k, mass in enumerate(masses):
        box = cl.Body(f"box{k}", mass=mass, inertia=mass / 6.0, position=(0.0, 0.5 + k))
        hull = cl.Polygon(
            f"hull{k}", box, vertices=((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
        )
        parts += [box, hull, cl.Contact(hull, before, mu=mu, eps_N=0.0)]
        before = hull
    return cl.Model(ground, *parts, gravity=DOWN)


def lowest_force(sol):
    """Return the sum of the normal forces on the floor in the last row."""
    names = [c.name for c in sol.channels if "floor" in c.name and c.name.endswith(".lam_N")]
    return sum(float(np.asarray(sol[name])[-1]) for name in names)


@pytest.mark.trust("TR-N-17")
@pytest.mark.parametrize("ratio", [1e-8, 1e-4, 1.0, 1e4, 1e6])
def test_a_stack_with_a_mass_ratio(ratio):
    sol = finite(cl.simulate(stack([1.0, ratio]), 0.05, method=cl.Moreau(dt=1e-3), limits=LIMITS))
    assert sol.ok, sol.info.message
    assert lowest_force(sol) == pytest.approx((1.0 + ratio) * G, rel=1e-6)
    assert np.abs(sol.u).max() < 1e-6


@pytest.mark.trust("TR-N-17")
def test_a_stack_with_a_hundred_million_on_top_says_that_it_fails(tmp_path, monkeypatch):
    """The residual of 1e-8 cannot be kept: the run ends, says so and keeps the problem."""
    monkeypatch.setenv("CORNERLAW_PROBLEM_DIR", str(tmp_path))
    with pytest.raises(
        cl.SimulationError, match="below its tolerance, the best residual"
    ) as caught:
        cl.simulate(stack([1.0, 1e8]), 0.05, method=cl.Moreau(dt=1e-3), limits=LIMITS)
    assert "hull1-hull0[0]" in str(caught.value)
    assert not caught.value.solution.ok and list(tmp_path.glob("contact-problem-*.h5"))


@pytest.mark.trust("TR-N-17")
@pytest.mark.parametrize("ratio", [1e-8, 1e8])
def test_a_double_pendulum_with_a_mass_ratio(ratio):
    """The heavy one swings as if the other were not there, or pulls it along; energy stays."""
    arms = [cl.Body(f"arm{k}", mass=m, inertia=m / 12.0, com=(0.5, 0.0))
            for k, m in enumerate((1.0, ratio))]  # fmt: skip
    first = cl.Revolute("first", GROUND, arms[0], angle=-1.0)
    second = cl.Revolute("second", arms[0], arms[1], at=(1.0, 0.0), angle=0.3)
    sol = finite(cl.simulate(cl.Model(first, second, gravity=DOWN), 1.0))
    energy = np.ravel(sol.energy.total)
    scale = np.abs(sol.energy.kinetic).max()
    assert np.abs(energy - energy[0]).max() < 1e-7 * scale


def ball(eps, **options):
    ground = floor()
    options = {"mass": 1.0, "radius": 0.1, "position": (0.0, 1.1), **options}
    disc = cl.Disk("ball", **options)
    return cl.Model(ground, disc, cl.Contact(disc, ground, mu=0.0, eps_N=eps), gravity=DOWN)


@pytest.mark.trust("TR-N-07")
@pytest.mark.parametrize("eps", [0.5, 0.8, 0.95])
def test_infinitely_many_impacts_come_to_an_end(eps):
    """h = 1 m: t* = sqrt(2 h / g) (1 + e) / (1 - e); from speeds of zeno on one step passes all."""
    end = math.sqrt(2.0 / G) * (1.0 + eps) / (1.0 - eps)
    sol = finite(cl.simulate(ball(eps), end + 0.5))
    last = max(e.time for e in sol.events)
    assert last == pytest.approx(end, abs=1e-6)
    assert len(sol.events) <= 700
    height = sol["ball.position.y"] - 0.1
    assert height.min() > -1e-9
    assert np.abs(height[sol.t > end + 0.01]).max() < 1e-12


@pytest.mark.trust("TR-N-06")
@pytest.mark.parametrize("mu", [0.5, 1.3, 1.4, 2.0])
def test_painleve(mu):
    """Below and above the critical friction 4/3 the rod's energy never grows."""
    system = gallery.find("painleve-rod")
    p = system.parameters(mu=mu)
    sol = finite(system.simulate(p))
    energy = np.asarray(sol["rod.kinetic_energy"]) + np.asarray(sol["rod.potential_energy"])
    assert np.diff(energy).max() < 1e-9 * np.abs(energy).max()


@pytest.mark.trust("TR-N-12")
def test_a_spring_of_length_zero_at_length_zero():
    """At coincident points a spring without length has no direction, and no force either."""
    mass = cl.PointMass("mass", mass=1.0, velocity=(0.0, 2.0))
    model = cl.Model(mass, cl.Spring("spring", GROUND, mass, stiffness=100.0, rest=0.0))
    sol = finite(cl.simulate(model, 3.0))
    assert np.allclose(sol["mass.position.y"], 0.2 * np.sin(10.0 * sol.t), rtol=0.0, atol=1e-8)


@pytest.mark.trust("TR-N-18")
def test_rotation_through_every_gimbal_position():
    """A top turned about an axis by 50 turns: quaternions know no gimbal."""
    body = cl.Body("top", mass=1.0, inertia=(1.0, 1.0, 1.0), angular_velocity=(0.0, 10.0, 0.0))
    sol = finite(cl.simulate(cl.Model(body), 10.0 * math.pi))
    rotation = np.asarray(sol["top.rotation"])
    angle = 10.0 * sol.t
    assert np.allclose(rotation[:, 0, 0], np.cos(angle), rtol=0.0, atol=1e-7)
    assert np.allclose(rotation[:, 0, 2], np.sin(angle), rtol=0.0, atol=1e-7)


@pytest.mark.trust("TR-N-18")
@pytest.mark.parametrize("steps", [10**5, pytest.param(10**7, marks=pytest.mark.verify)])
def test_quaternions_keep_their_length(steps):
    """A tumbling body: what rounding adds in ten million steps is taken away again."""
    top = cl.Body("top", mass=1.0, inertia=(1.0, 1.3, 1.9), angular_velocity=(1.0, 20.0, 0.3))
    model = cl.Model(top)
    sol = cl.simulate(model, 1e-3 * steps, method=cl.RungeKutta4(dt=1e-3), every=steps // 1000,
                      progress=False)  # fmt: skip
    assert sol.statistics["steps"] == steps
    lengths = np.linalg.norm(np.asarray(sol.q)[:, -4:], axis=1)
    assert np.abs(lengths - 1.0).max() < 1e-12
    rotation = np.asarray(sol["top.rotation"])
    assert np.abs(np.einsum("nij,nkj->nik", rotation, rotation) - np.eye(3)).max() < 1e-11


@pytest.mark.trust("TR-N-18")
def test_angles_do_not_wrap():
    arm = cl.Body("arm", mass=1.0, inertia=1.0)
    pin = cl.Revolute("pin", GROUND, arm, speed=100.0)
    sol = finite(cl.simulate(cl.Model(pin), 10.0))
    assert sol["pin.angle"][-1] == pytest.approx(1000.0, rel=1e-12)
    assert np.diff(sol["pin.angle"]).min() > 0.0


@pytest.mark.trust("TR-N-11")
@pytest.mark.parametrize("n", [2, 30])
@pytest.mark.parametrize("method", [cl.Moreau(dt=1e-3), cl.EventDriven()], ids=["step", "event"])
def test_coincident_contacts(n, method):
    """The same point n times: the forces are not unique, their sum is."""
    ground = floor()
    body = cl.Body("body", mass=2.0, inertia=1.0)
    points = [cl.ContactPoint(f"p{k}", body) for k in range(n)]
    contacts = [cl.Contact(p, ground, name=f"c{k}", mu=0.3) for k, p in enumerate(points)]
    model = cl.Model(ground, body, *points, *contacts, gravity=DOWN)
    sol = finite(cl.simulate(model, 0.02, method=method))
    total = sum(sol[f"c{k}.lam_N"][-1] for k in range(n))
    assert total == pytest.approx(2.0 * G, rel=1e-8)


@pytest.mark.trust("TR-N-11")
def test_redundant_joints_are_reported_and_harmless():
    """The same rod four times: the motion is that of one."""

    def build(extra):
        mass = cl.PointMass("mass", mass=1.0, position=(1.0, 0.0))
        rods = [cl.Distance(f"d{k}", GROUND, mass, length=1.0) for k in range(1 + extra)]
        return cl.Model(mass, *rods, gravity=DOWN)

    one = finite(cl.simulate(build(0), 0.3))
    with pytest.warns(UserWarning, match="redundant"):
        many = cl.simulate(build(3), 0.3)
    assert many.info.warnings
    assert many["mass.position"][-1] == pytest.approx(one["mass.position"][-1], abs=1e-8)
    with pytest.warns(UserWarning), pytest.raises(cl.SimulationError, match="strict"):
        cl.simulate(build(3), 0.3, strict=True)


@pytest.mark.trust("TR-N-17")
@pytest.mark.parametrize("size", [1e-9, 1e-3, 1.0, 1e3, 1e6])
def test_all_sizes_from_nanometres_to_kilometres(size):
    """A ball that falls its own size and bounces: the same motion in its own units."""
    unit = math.sqrt(size / G)
    model = ball(0.5, mass=size**3, radius=0.1 * size, position=(0.0, 1.1 * size))
    zeno = 1e-6 * size / unit
    method = cl.EventDriven(atol=1e-12 * size, zeno=zeno, v_tol=1e-4 * zeno)
    sol = finite(cl.simulate(model, 2.0 * unit, method=method))
    first = next(e for e in sol.events if e.kind == "impact")
    assert first.time == pytest.approx(math.sqrt(2.0) * unit, rel=1e-7)
    assert first.data["gamma_N_plus"] == pytest.approx(0.5 * math.sqrt(2.0 * G * size), rel=1e-7)


@pytest.mark.trust("TR-N-13")
@pytest.mark.parametrize("depth", [0.001, 0.05, 0.1, 0.19])
@pytest.mark.parametrize("method", [cl.Moreau(dt=1e-3), cl.EventDriven()], ids=["step", "event"])
def test_initial_penetration_is_reported_and_makes_no_speed(depth, method):
    model = ball(0.5, position=(0.0, 0.1 - depth))
    sol = finite(cl.simulate(model, 0.3, method=method))
    assert any("inside its partner" in text for text in sol.info.warnings)
    assert np.abs(sol.u).max() <= math.sqrt(2.0 * G * depth) + 1e-9
    assert sol["ball.position.y"].max() < 0.1 + depth
    with pytest.raises(cl.SimulationError, match="'ball-floor' starts"):
        cl.simulate(model, 0.3, method=method, penetration="refuse")


@pytest.mark.trust("TR-N-17")
@pytest.mark.parametrize("mu", [0.0, 10.0, 1e3])
@pytest.mark.parametrize("method", [cl.Moreau(dt=1e-3), cl.EventDriven()], ids=["step", "event"])
def test_very_high_friction_on_a_steep_slope(mu, method):
    """80 degrees: slides with g (sin - mu cos) without friction, sticks from mu = 5.7 on."""
    ground = floor()
    mass = cl.PointMass("mass", mass=1.0)
    slope = math.radians(80.0)
    tip = cl.ContactPoint("tip", mass)
    contact = cl.Contact(tip, ground, name="c", mu=mu)
    model = cl.Model(ground, mass, tip, contact,
                     gravity=(G * math.sin(slope), -G * math.cos(slope)))  # fmt: skip
    sol = finite(cl.simulate(model, 0.5, method=method, limits=LIMITS))
    assert sol.ok
    expected = 0.5 * G * math.sin(slope) if mu == 0.0 else 0.0
    assert sol["mass.velocity.x"][-1] == pytest.approx(expected, abs=1e-9)


@pytest.mark.trust("TR-N-17")
@pytest.mark.parametrize("stiffness", [1e6, 1e9, 1e12])
def test_a_very_stiff_spring_next_to_a_rigid_contact(stiffness):
    """A gram on the floor with another on a spring above it: settles, or names the step."""
    ground = floor()
    low = cl.PointMass("low", mass=1e-3)
    high = cl.PointMass("high", mass=1e-3, position=(0.0, 0.1))
    tip = cl.ContactPoint("tip", low)
    spring = cl.Spring("spring", low, high, stiffness=stiffness, rest=0.1)
    model = cl.Model(ground, low, high, tip, cl.Contact(tip, ground, name="c", mu=0.5), spring,
                     gravity=DOWN)  # fmt: skip
    sol = finite(cl.simulate(model, 0.01, method=cl.Theta(dt=1e-4, theta=1.0), limits=LIMITS))
    assert sol.ok
    assert sol["c.lam_N"][-1] == pytest.approx(2e-3 * G, rel=1e-6)
    assert sol["high.position.y"][-1] == pytest.approx(0.1 - 1e-3 * G / stiffness, abs=1e-9)


def pushed(value):
    def push(t):
        return value if t > 0.1 else 0.0

    arm = cl.Body("arm", mass=1.0, inertia=0.1)
    pin = cl.Revolute("pin", GROUND, arm)
    return cl.Model(pin, cl.Torque("motor", pin, value=push))


@pytest.mark.trust("TR-N-15")
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_force_that_is_no_number_is_named_in_its_step(value):
    with pytest.raises(cl.SimulationError, match="motor") as caught:
        cl.simulate(pushed(value), 1.0, method=cl.RungeKutta4(dt=0.01))
    part = caught.value.solution
    assert part.final.t == pytest.approx(0.1, abs=0.011)
    assert np.isfinite(part.q).all() and np.isfinite(part.final.q).all()


@pytest.mark.trust("TR-N-15")
def test_a_motion_that_leaves_the_range_of_numbers_ends_there():
    """1e300 N m is a number; what it does to the angle soon is none."""
    with pytest.raises(cl.SimulationError, match="not a finite number") as caught:
        cl.simulate(pushed(1e308), 1e3, method=cl.RungeKutta4(dt=0.5))
    assert np.isfinite(caught.value.solution.q).all()


@pytest.mark.trust("TR-N-10")
def test_symmetric_impacts_stay_symmetric():
    """A box that falls flat on both corners at once keeps its angle to rounding."""
    box = cl.Body("box", mass=1.0, inertia=0.2, position=(0.0, 0.7))
    hull = cl.Polygon("hull", box, vertices=((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)))
    ground = floor()
    model = cl.Model(ground, box, hull, cl.Contact(hull, ground, mu=0.3, eps_N=0.5), gravity=DOWN)
    for method in (cl.EventDriven(), cl.Moreau(dt=1e-3)):
        sol = finite(cl.simulate(model, 1.0, method=method))
        assert np.abs(sol["box.angle"]).max() < 1e-12
        assert np.abs(sol["box.position.x"]).max() < 1e-12


@pytest.mark.trust("TR-N-14")
@pytest.mark.parametrize("mass", [1e-30, 1e30])
def test_absurd_masses_fall_like_all_others(mass):
    sol = finite(cl.simulate(ball(0.0, mass=mass), 0.4))
    fall = 1.1 - 0.5 * G * 0.4**2
    assert sol["ball.position.y"][-1] == pytest.approx(fall, rel=1e-9)


@pytest.mark.trust("TR-N-12")
def test_the_dead_point_of_a_slider_crank_is_passed_or_named():
    """l = r: at 90 degrees the slider stands on the axis of the crank and may go two ways."""
    system = gallery.find("slider-crank")
    model = system.build(system.parameters(crank=0.5, coupler=0.5, gravity=0.0))
    try:
        sol = finite(cl.simulate(model, 0.2, limits=cl.Limits(drift=1e-6), max_steps=5000))
    except cl.SingularConfiguration as error:
        assert error.joints and error.time < 0.1
        return
    # 12 rad/s from 0.7 rad: a quarter turn is passed after 0.07 s
    assert sol.ok and sol.t[-1] == 0.2


@pytest.mark.trust("TR-N-13")
def test_no_time_at_all():
    sol = finite(cl.simulate(ball(0.5), 0.0))
    assert sol.ok and np.array_equal(sol.t, [0.0] * len(sol))


def four_bar(size):
    """A crank, a coupler and a rocker of one density and their loop, `size` times those of 1 m."""
    lengths = {"crank": 1.0, "coupler": 3.0, "rocker": 2.5}
    bars = [
        cl.Body(name, mass=length * size**3, inertia=length**3 / 12.0 * size**5,
                com=(0.5 * length * size, 0.0))
        for name, length in lengths.items()
    ]  # fmt: skip
    crank, coupler, rocker = bars
    return cl.Model(
        # at rest the crank falls and turns over; the loop is assembled from a first guess
        cl.Revolute("A", GROUND, crank, angle=0.4),
        cl.Revolute("B", crank, coupler, at=(size, 0.0)),
        cl.Revolute("D", GROUND, rocker, at=(3.0 * size, 0.0)),
        cl.Revolute("C", coupler, rocker, at=(3.0 * size, 0.0), at_second=(2.5 * size, 0.0)),
        gravity=DOWN,
    )


def dimensionless(size):
    """Return angles, speeds, reactions and energies of a four-bar in units of its own."""
    time, weight = math.sqrt(size / G), size**3 * G
    times = np.linspace(0.0, 12.0, 101) * time
    method = cl.RungeKutta8(rtol=1e-11, atol=1e-13)
    sol = finite(cl.simulate(four_bar(size), times[-1], method=method, t_eval=times))
    assert sol.ok, sol.info.message
    assert np.abs(sol["constraints.position_error"]).max() < 1e-10
    return {
        "angles": np.stack([sol[f"{name}.angle"] for name in "ABD"]),
        "speeds": np.stack([sol[f"{name}.speed"] for name in "ABD"]) * time,
        "reactions": np.asarray(sol["C.force"]) / weight,
        "energy": np.asarray(sol["energy.total"]) / (weight * size),
    }


@pytest.mark.trust("TR-N-17")
@pytest.mark.parametrize("size", [1e-9, 1e-6, 1e3])
def test_a_four_bar_of_nanometres_and_of_kilometres(size, figure):
    """Bars of one density: t = sqrt(L / g) tau makes the same motion of all sizes.

    Masses go from 1e-27 to 1e9 kg, inertias from 1e-45 to 1e15 kg m^2.
    """
    plain, found = dimensionless(1.0), dimensionless(size)
    assert np.ptp(plain["angles"][0]) > 2.0  # it does move
    for name, values in plain.items():
        scale = max(1.0, float(np.abs(values).max()))
        off = float(np.abs(found[name] - values).max()) / scale
        figure(f"{name} at {size:g} m", off, 1e-9)
        # steps differ, since absolute tolerances have units: rtol 1e-11 over some hundred steps
        assert off < 1e-9, name
