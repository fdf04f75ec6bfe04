"""Sections, periodic orbits, branches and exponents against closed forms.

Forced oscillator with a stop, x_ddot + 0.1 x_dot + x = cos(2.7 t), x <= d: between impacts the
motion is known, so that the orbit with one impact per period follows from two equations, and its
monodromy matrix is the product of exp(A T) with the saltation matrix of the impact.
Ball on a table that moves as A sin(omega t): the orbit with one impact per period has
cos(phase) = pi (1 - e) / ((1 + e) Gamma), Gamma = A omega^2 / g, the product of its multipliers is
e^2, their sum 1 + e^2 - (1 + e)^2 Gamma sin(phase).
"""

import math

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq, fsolve

import cornerlaw as cl
from cornerlaw.analysis.periodic import Shooting
from cornerlaw.analysis.poincare import Flow
from cornerlaw.gallery.contacts import woodpecker

OMEGA, DAMPING, EPS = 2.7, 0.1, 0.7
T = 2.0 * math.pi / OMEGA
A = np.array([[0.0, 1.0], [-1.0, -DAMPING]])
PHI = expm(A * T)
RESPONSE = 1.0 / (1.0 - OMEGA**2 + 1j * DAMPING * OMEGA)
STOP = cl.Section(event=("stop", "impact"), period=T)


def force(q, u, t):
    return np.array([-q[0] - 0.1 * u[0] + math.cos(2.7 * t)])


def oscillator(d):
    mass = cl.LagrangianSystem(
        "mass", M=[[1.0]], h=force, coordinates=("x",), q0=(-0.3,), u0=(0.0,)
    )
    stop = cl.UserContact("stop", on=mass, gap=d, normal=(-1.0,), eps_N=EPS)
    return cl.Model(mass, stop)


def forced(t):
    """Return the forced solution and its rate."""
    turn = RESPONSE * np.exp(1j * OMEGA * t)
    return np.array([turn.real, (1j * OMEGA * turn).real])


def saltation(t, d, v_minus):
    """Return the jump of small changes at the impact."""
    a = [-d - DAMPING * v + math.cos(OMEGA * t) for v in (v_minus, -EPS * v_minus)]
    return np.array([[-EPS, 0.0], [(a[1] + EPS * a[0]) / v_minus, -EPS]])


def exact_orbit(d, guess):
    """Return phase, speed after the impact and multipliers of the orbit with one impact."""

    def miss(v):
        end = forced(v[0] + T) + PHI @ (np.array([d, v[1]]) - forced(v[0]))
        return [end[0] - d, v[1] + EPS * end[1]]

    # with all its output it does not complain that rounding stops it
    (t, v), *_ = fsolve(miss, guess, xtol=1e-13, full_output=True)
    values = np.linalg.eigvals(saltation(t, d, -v / EPS) @ PHI)
    return t % T, v, values[np.argsort(-np.abs(values))]


STABLE, UNSTABLE = -0.2, 0.0
GUESS = {STABLE: (0.99, -0.66), UNSTABLE: (1.08, -0.30)}


@pytest.mark.parametrize("d", [STABLE, UNSTABLE])
def test_orbit_of_the_impact_oscillator(d):
    phase, speed, multipliers = exact_orbit(d, GUESS[d])
    orbit = cl.periodic_orbit(oscillator(d), STOP, transient=60)
    assert orbit.period == pytest.approx(T, abs=1e-10)
    # Newton stops at 1e-9 of the size of the motion, 1
    assert orbit.state.t % T == pytest.approx(phase, abs=1e-8)
    assert orbit["mass.x_dot"] == pytest.approx(speed, abs=1e-8)
    # differences: rounding of the integrator, 1e-11, over the step, 5e-4, and its fourth power
    assert np.abs(_sorted(orbit.multipliers) - _sorted(multipliers)).max() < 3e-6
    assert orbit.stable == (d == STABLE)
    assert orbit.signature == (("stop", "impact"),)


def _sorted(values):
    return np.array(sorted(values, key=lambda v: (round(v.real, 4), v.imag)))


@pytest.mark.parametrize(
    "section",
    [
        cl.Section(period=T),
        cl.Section(period=T, phase=0.3),
        cl.Section(crossing="mass.x_dot", direction=1, period=T),
    ],
)
def test_multipliers_do_not_depend_on_the_section(section):
    _, _, multipliers = exact_orbit(UNSTABLE, GUESS[UNSTABLE])
    orbit = cl.periodic_orbit(oscillator(UNSTABLE), section, transient=60)
    assert orbit.period == pytest.approx(T, abs=1e-9)
    assert np.abs(_sorted(orbit.multipliers) - _sorted(multipliers)).max() < 3e-6


def test_differences_converge_to_the_saltation_formula():
    """Two neighbours per direction have order 2, four have order 4."""
    _, _, exact = exact_orbit(STABLE, GUESS[STABLE])
    flow = Flow(oscillator(STABLE), STOP)
    for _ in range(80):
        flow.to_section()
    anchor = Shooting(flow, 1, None, 1e-3).first_anchor()
    errors = []
    steps = (0.01, 0.005, 0.0025, 0.00125)
    for h in steps:
        shooting = Shooting(flow, 1, None, h)
        shooting.laps = 1
        _, shot = shooting.arrive(anchor, np.zeros(3))
        better, rough, _ = shooting.derivative(anchor, shot.trace.signature, five=True)
        # the third multiplier is that of the motion along the orbit, zero
        errors.append([abs(np.linalg.eigvals(J)).max() - abs(exact[0]) for J in (rough, better)])
    two, four = np.abs(np.array(errors)).T
    orders = np.log2(two[:-1] / two[1:])
    assert np.abs(orders - 2.0).max() < 0.3, orders
    assert four[0] < 0.3 * two[0]
    assert four[-1] < 1e-6


def test_period_two_orbit_beyond_period_doubling():
    """Behind the period doubling the motion settles on two impacts of different speed."""
    returns = cl.poincare(oscillator(UNSTABLE), STOP, 6, transient=120)
    orbit = cl.periodic_orbit(oscillator(UNSTABLE), STOP, n=2, guess=returns.final)
    assert orbit.period == pytest.approx(2.0 * T, abs=1e-9)
    assert orbit.stable
    # Liouville: the product is that of both impacts and of the damping; errors as above, relative
    # to multipliers of some tenths
    product = np.prod(orbit.multipliers).real
    assert product == pytest.approx(EPS**4 * math.exp(-DAMPING * 2.0 * T), rel=1e-4)
    both = cl.poincare(oscillator(UNSTABLE), STOP, 2, at=orbit.anchor)["mass.x_dot"]
    # 120 returns with the multiplier of the orbit, 0.4 per two of them, leave nothing
    assert np.sort(both) == pytest.approx(np.sort(returns["mass.x_dot"][-2:]), abs=1e-8)
    assert abs(both[0] - both[1]) > 0.01


def test_map_of_returns_goes_on_where_the_run_went():
    returns = cl.poincare(oscillator(STABLE), ("stop", "impact"), 5, transient=3)
    after = returns.map(returns.states[2])
    # the run was cut and restarted: errors of some steps at 1e-12
    assert after.t == pytest.approx(returns.t[3], abs=1e-9)
    assert after.u[0] == pytest.approx(returns["mass.x_dot"][3], abs=1e-9)
    assert len(returns.events) == 5
    assert np.all(returns["mass.x_dot"] < 0.0)


@pytest.mark.verify
def test_branch_with_period_doubling_and_grazing():
    branch = cl.continue_orbit(oscillator, (-0.2, 0.25), STOP, parameter="d", transient=60)

    def above(d):
        return exact_orbit(d, (1.05, -0.4 - d))[2].real.min() + 1.0

    kinds = [b.kind for b in branch.bifurcations]
    assert kinds == ["period doubling", "grazing"]
    doubling, grazing = (b.parameter for b in branch.bifurcations)
    assert doubling == pytest.approx(brentq(above, -0.06, 0.0), abs=1e-6)
    # the impact vanishes where the stop is as far away as the motion without it; extrapolated
    # from speeds of some per cent of the usual ones
    assert grazing == pytest.approx(abs(RESPONSE), abs=1e-4)
    for d, orbit in list(zip(branch.values, branch.orbits, strict=True))[:14:3]:
        exact = exact_orbit(d, (orbit.state.t % T, orbit["mass.x_dot"]))
        assert np.abs(_sorted(orbit.multipliers) - _sorted(exact[2])).max() < 1e-4 * orbit.radius


# --- ball on a vibrating table ---------------------------------------------------------------

AMPLITUDE, FREQUENCY, BALL_EPS = 0.01, 2.0 * math.pi * 10.0, 0.5
BALL = cl.Section(event=("ball-table", "impact"), period=0.1)


def height(t):
    return 0.01 * math.sin(2.0 * math.pi * 10.0 * t)


TABLE = cl.MovingFrame("table", position=(0.0, height), normal=(0.0, 1.0))


def bouncing(g):
    ball = cl.PointMass("ball", mass=1.0, position=(0.0, 0.05))
    return cl.Model(ball, TABLE, cl.Contact(ball, TABLE, eps_N=BALL_EPS), gravity=(0.0, -float(g)))


def steady(g, k=1):
    """Return phase time, speed and multipliers of the orbit that is stable at its birth."""
    e, acceleration = BALL_EPS, AMPLITUDE * FREQUENCY**2 / g
    phase = math.acos(k * math.pi * (1.0 - e) / (1.0 + e) / acceleration)
    total = 1.0 + e**2 - (1.0 + e) ** 2 * acceleration * math.sin(phase)
    return phase / FREQUENCY, 0.05 * k * g, np.roots([1.0, -total, e**2])


def bounce_guess(g):
    t, v, _ = steady(g)
    later = t + 0.003
    model = bouncing(g)
    start = cl.simulate(model, 0.0).final
    q, u = start.q.copy(), start.u.copy()
    y = height(t) + v * 0.003 - 0.5 * g * 0.003**2
    q[-1], u[-1] = y, 1.002 * (v - g * 0.003)
    return type(start)(later, q, u, start.x)


@pytest.mark.parametrize("g", [30.0, 22.0])
def test_ball_on_a_vibrating_table(g):
    t, v, multipliers = steady(g)
    orbit = cl.periodic_orbit(bouncing(g), BALL, guess=bounce_guess(g))
    assert orbit.period == pytest.approx(0.1, abs=1e-11)
    assert orbit.state.t % 0.1 == pytest.approx(t, abs=1e-9)
    assert orbit["ball.velocity_y"] == pytest.approx(v, abs=1e-8)
    # the horizontal speed is kept: a multiplier of one; the horizontal position is a symmetry
    found = _sorted([m for m in orbit.multipliers if abs(m - 1.0) > 1e-5])
    assert np.abs(found - _sorted(multipliers)).max() < 3e-6
    assert "ball.position_x" in orbit.drift
    assert orbit.stable == (np.abs(multipliers).max() < 1.0)


@pytest.mark.verify
def test_fold_and_period_doubling_of_the_bouncing_ball():
    """The branch begins in a saddle, turns at its birth and loses its stability."""
    branch = cl.continue_orbit(bouncing, (22.0, 50.0), BALL, parameter="g", transient=60)
    lean = math.pi * (1.0 - BALL_EPS) / (1.0 + BALL_EPS)
    rise = 2.0 * (1.0 + BALL_EPS**2) / (1.0 + BALL_EPS) ** 2
    strength = AMPLITUDE * FREQUENCY**2
    exact = {"fold": strength / lean, "period doubling": strength / math.hypot(lean, rise)}
    found = {b.kind: b.parameter for b in branch.bifurcations}
    assert set(found) == set(exact)
    for kind, value in exact.items():
        # located to 1e-7 of the range along the branch
        assert found[kind] == pytest.approx(value, rel=1e-6), kind


def test_branch_over_an_input():
    """The weight as an Input: the same model at all values, the same period doubling."""
    ball = cl.PointMass("ball", mass=1.0, position=(0.0, 0.05))
    weight = cl.Force("weight", ball, value=(0.0, cl.Input("weight", -30.0)))
    model = cl.Model(ball, TABLE, cl.Contact(ball, TABLE, eps_N=BALL_EPS), weight)
    branch = cl.continue_orbit(
        model, (-30.0, -24.0), BALL, parameter="weight", guess=bounce_guess(30.0), step=0.2,
        max_step=0.4,
    )  # fmt: skip
    lean = math.pi * (1.0 - BALL_EPS) / (1.0 + BALL_EPS)
    rise = 2.0 * (1.0 + BALL_EPS**2) / (1.0 + BALL_EPS) ** 2
    (found,) = branch.bifurcations
    assert found.kind == "period doubling"
    exact = -AMPLITUDE * FREQUENCY**2 / math.hypot(lean, rise)
    assert found.parameter == pytest.approx(exact, rel=1e-6)
    assert branch.values[-1] == -24.0
    assert branch.stable.tolist() == [bool(value < exact) for value in branch.values]


def test_bifurcation_diagram_of_the_bouncing_ball():
    """Period 1 where the formula says stable, two impacts behind the period doubling."""
    diagram = cl.bifurcation_diagram(
        bouncing,
        (30.0, 28.0, 24.0),
        BALL,
        n=12,
        transient=60,
        parameter="g",
        at=bounce_guess(30.0),
    )
    assert diagram.periods()[:2] == [1, 1]
    assert diagram.periods()[2] == 2
    g, v = diagram.points("ball.velocity_y")
    assert v[g == 30.0] == pytest.approx(steady(30.0)[1], abs=1e-6)


# --- Lyapunov exponents ----------------------------------------------------------------------


def decay(q, u, t):
    return np.array([-q[0] - 0.1 * u[0]])


def test_exponent_of_a_decaying_impact_oscillator():
    """A stop in the equilibrium takes e per half swing: -0.05 + ln(e) omega_d / pi."""
    mass = cl.LagrangianSystem("mass", M=[[1.0]], h=decay, coordinates=("x",), q0=(-1.0,))
    stop = cl.UserContact("stop", on=mass, gap=0.0, normal=(-1.0,), eps_N=0.9)
    half = math.pi / math.sqrt(1.0 - 0.05**2)
    found = cl.lyapunov_exponent(
        cl.Model(mass, stop), 40.0 * half, interval=half, separation=1e-6,
        method=cl.EventDriven(rtol=1e-12, atol=1e-18, zeno=1e-12),
    )  # fmt: skip
    exact = -0.05 + math.log(0.9) / half
    # a random first direction has settled after some swings: 1 / 40 of a factor of order 1
    assert found.value == pytest.approx(exact, abs=0.01)
    assert found.growth[5:].mean() / half == pytest.approx(exact, rel=2e-3)


def test_exponent_on_a_periodic_orbit():
    _, _, multipliers = exact_orbit(STABLE, GUESS[STABLE])
    found = cl.lyapunov_exponent(oscillator(STABLE), 200.0 * T, transient=30.0 * T, interval=T)
    # the pair turns: its mean is reached up to one factor of order 1 in 200 periods
    assert found.value == pytest.approx(math.log(abs(multipliers[0])) / T, abs=2e-3)


def transition(s):
    """Return exp(A s)."""
    root = math.sqrt(1.0 - 0.25 * DAMPING**2)
    sine, cosine, half = math.sin(root * s) / root, math.cos(root * s), 0.5 * DAMPING
    turn = np.array([[cosine + half * sine, sine], [-sine, cosine - half * sine]])
    return math.exp(-half * s) * turn


def exact_exponent(d, t, v, n):
    """Return the exponent of n impacts, by exact motion and saltation."""
    change, total, began = np.array([1.0, 0.3]), 0.0, t
    root, half = math.sqrt(1.0 - 0.25 * DAMPING**2), 0.5 * DAMPING
    s = np.linspace(0.0, 4.0 * T, 2001)[1:]
    swing = np.exp(-half * s) * np.array([np.cos(root * s), np.sin(root * s) / root])
    for _ in range(n):
        start = np.array([d, v]) - forced(t)

        def gap(x, start=start, t=t):
            return d - (forced(t + x) + transition(x) @ start)[0]

        x = start[0] * swing[0] + (start[1] + half * start[0]) * swing[1]
        x += (RESPONSE * np.exp(1j * OMEGA * (t + s))).real
        k = int(np.argmax(x > d))
        span = brentq(gap, s[k - 1], s[k], xtol=1e-14)
        before = forced(t + span) + transition(span) @ start
        change = saltation(t + span, d, before[1]) @ transition(span) @ change
        size = float(np.linalg.norm(change))
        total, change = total + math.log(size), change / size
        t, v = t + span, -EPS * before[1]
    return total / (t - began)


@pytest.mark.verify
def test_exponent_of_chaos():
    """Near grazing the motion is chaotic; the exact map of the impacts has the same exponent."""
    assert np.abs(transition(0.7) - expm(0.7 * A)).max() < 1e-14
    d = 0.05
    returns = cl.poincare(oscillator(d), STOP, 1, transient=100)
    exact = exact_exponent(d, float(returns.t[0]), float(returns["mass.x_dot"][0]), 5000)
    found = cl.lyapunov_exponent(oscillator(d), 600.0 * T, transient=50.0 * T, interval=T)
    assert exact > 0.02
    assert abs(found.value - exact) < 4.0 * found.error + 0.05 * exact


# --- woodpecker ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("law", "period", "drop", "slope"),
    [
        (cl.Poisson(), 0.14598, 0.019445, -0.84),
        (cl.Poisson("new"), 0.12957, 0.010495, -0.52),
    ],
)
def test_woodpecker_cycle(law, period, drop, slope):
    """Values of the event-driven runs of the literature, to the digits given."""
    orbit = cl.periodic_orbit(
        woodpecker.build(woodpecker.Parameters()),
        ("lower edge", "slip"),
        method=cl.EventDriven(rtol=1e-12, atol=1e-14, impact=law),
        transient=3,
    )
    assert orbit.period == pytest.approx(period, abs=5e-6)
    assert orbit.drift["toy.y"] == pytest.approx(-drop, abs=5e-7)
    assert orbit.multipliers[0].real == pytest.approx(slope, abs=5e-3)
    # where the sleeve sticks all but one number is forgotten
    assert np.abs(orbit.multipliers[1:]).max() < 1e-4
    sol = orbit.simulate(1.0)
    assert sol["toy.y"][-1] - sol["toy.y"][0] == pytest.approx(orbit.drift["toy.y"], abs=1e-9)


def van_der_pol(q, u, t):
    return np.array([(1.0 - q[0] * q[0]) * u[0] - q[0]])


def test_limit_cycle_of_van_der_pol():
    """Period for a damping of 1 from the series in the literature, 6.66328685932."""
    system = cl.LagrangianSystem(
        "system", M=[[1.0]], h=van_der_pol, coordinates=("x",), q0=(2.0,), u0=(0.1,)
    )
    section = cl.Section(crossing="system.x_dot", direction=-1)
    orbit = cl.periodic_orbit(cl.Model(system), section)
    assert orbit.period == pytest.approx(6.66328685932, abs=1e-10)
    # Liouville: the only multiplier is exp of the integral of the trace, 1 - x^2
    sol = orbit.simulate(t_eval=np.linspace(0.0, orbit.period, 2001) + orbit.anchor.t)
    trace = np.trapezoid(1.0 - sol["system.x"] ** 2, sol.t)
    assert orbit.multipliers.size == 1
    assert orbit.multipliers[0].real == pytest.approx(math.exp(trace), abs=1e-6)


# --- what can go wrong -----------------------------------------------------------------------


def test_wrong_sections_are_refused():
    with pytest.raises(cl.UsageError, match="not both"):
        cl.Section(event=("stop", "impact"), crossing="mass.x")
    with pytest.raises(cl.UsageError, match="give an event"):
        cl.Section()
    with pytest.raises(cl.UsageError, match="no event kind"):
        cl.Section(event=("stop", "bang"))
    with pytest.raises(cl.UnknownNameError, match="'stop'"):
        cl.poincare(oscillator(0.0), ("wall", "impact"), 1)


def test_forcing_without_its_period_is_refused():
    with pytest.raises(cl.UsageError, match="depends on time"):
        cl.periodic_orbit(oscillator(STABLE), ("stop", "impact"), transient=20)


def test_time_stepping_is_refused_where_derivatives_are_needed():
    with pytest.raises(cl.UsageError, match="EventDriven"):
        cl.periodic_orbit(oscillator(STABLE), STOP, method=cl.Moreau(dt=1e-3))


def test_a_motion_that_does_not_return_is_reported():
    section = cl.Section(event=("stop", "impact"), max_time=20.0)
    with pytest.raises(cl.SimulationError, match="did not return"):
        cl.poincare(oscillator(2.0), section, 1)


def test_unknown_parameter_is_refused():
    with pytest.raises(cl.UnknownNameError, match="Input 'd'"):
        cl.bifurcation_diagram(oscillator(0.0), (0.0, 0.1), STOP, parameter="d")
