"""Converters, engines, clutches, hysteresis, machines and statistics against closed forms."""

import math

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw import drives
from cornerlaw.errors import ModelError, UsageError

TUBE = {
    "radius": (0.11, 0.06, 0.06), "angle": (0.3, -1.0, 1.0), "entry": (-0.3, 0.9, -0.4),
    "shape": (1e-5, -2e-5, 1e-6), "inertia": (0.1, 0.05, 0.02), "area": 0.01, "length": 0.3,
}  # fmt: skip


def test_loss_free_stream_tube_keeps_its_energy() -> None:
    """All terms of the swirl exchange power between wheels and stream, none is lost."""
    tube = drives.StreamTube(**TUBE)
    model = cl.Model(*tube.parts("tube", speeds=(200.0, 100.0, 0.0), flow=0.02))
    sol = cl.simulate(model, 0.5, method=cl.RungeKutta8(rtol=1e-11), t_eval=np.linspace(0, 0.5, 51))
    energy = sol["energy.kinetic"]
    assert np.ptp(energy) < 1e-9 * energy[0]
    # and speeds do change
    names = [c.name for c in sol.channels if c.name.startswith("tube.")]
    assert any(np.ptp(sol.array(name)) > 1.0 for name in names)


def test_converter_multiplies_torque_and_creates_no_energy() -> None:
    pump, turbine = cl.Rotor("pump", inertia=10.0, speed=200.0), cl.Rotor("turbine", inertia=0.1)
    maps = {
        "pump_torque": lambda nu: 150.0 * max(0, 1 - nu**2),
        "torque_ratio": lambda nu: 2.0 - nu,
    }
    converter = drives.converter("converter", pump, turbine, reference=200.0, **maps)
    model = cl.Model(pump, turbine, converter)
    t = np.linspace(0.0, 0.5, 2001)
    sol = cl.simulate(model, 0.5, t_eval=t)
    assert sol["converter.turbine_torque"][0] == pytest.approx(300.0, rel=1e-12)
    book = drives.audit(sol, model)
    assert book.gap < 1e-6 and book.dissipated["converter"] > 100.0
    with pytest.raises(ModelError, match="the maps create energy"):
        drives.converter("c", pump, turbine, reference=1.0, pump_torque=lambda nu: 1.0,
                         torque_ratio=lambda nu: 2.0)  # fmt: skip


def test_engine_follows_its_map_with_a_lag() -> None:
    rotor = cl.Rotor("rotor", inertia=1e6, speed=200.0)
    engine = drives.engine("gas", rotor, speeds=(0.0, 400.0), torques=(100.0, 300.0), lag=0.1,
                           throttle=0.5)  # fmt: skip
    sol = cl.simulate(cl.Model(rotor, engine), 0.3, t_eval=[0.0, 0.1, 0.3])
    expected = 100.0 * (1.0 - np.exp(-np.array([0.0, 0.1, 0.3]) / 0.1))
    assert sol["gas.torque"] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    "throttle", [0.5, cl.Input("gas", 0.5), lambda t: 0.5], ids=("number", "input", "function")
)
def test_engine_with_a_map_over_throttle_and_speed(throttle) -> None:
    """Motoring at closed throttle, linear in between: the steady torque is that of the map."""
    rotor = cl.Rotor("rotor", inertia=1e9, speed=250.0)
    full = ((-20.0, -40.0, -60.0), (120.0, 160.0, 140.0), (150.0, 240.0, 230.0))
    engine = drives.engine(
        "gas", rotor, speeds=(100.0, 300.0, 500.0), torques=full, openings=(0.0, 0.25, 1.0),
        lag=0.05, throttle=throttle, cut=0.1,
    )  # fmt: skip
    sol = cl.simulate(cl.Model(rotor, engine), 1.0)
    # 250 rad/s lies three quarters of the way from 100 to 300, 0.5 a third from 0.25 to 1
    low, high = 120.0 + 0.75 * 40.0, 150.0 + 0.75 * 90.0
    assert sol["gas.torque"][-1] == pytest.approx(0.9 * (low + (high - low) / 3.0), rel=1e-6)


def test_wrong_engine_maps_are_named() -> None:
    rotor = cl.Rotor("rotor", inertia=1.0)
    for change, text in (
        ({"torques": ((1.0, 2.0), (3.0, 4.0))}, "need its openings"),
        ({"torques": ((1.0, 2.0),), "openings": (0.0, 1.0)}, "one row of torques for each"),
        ({"torques": (1.0, 2.0), "openings": (0.0, 1.0)}, "one row of torques for each"),
        ({"torques": (1.0, 2.0, 3.0)}, "one torque for each"),
    ):
        given = {"speeds": (0.0, 100.0), "lag": 0.1, **change}
        with pytest.raises(ModelError, match=text):
            drives.engine("gas", rotor, **given)


def test_lift_takes_rolling_resistance_away() -> None:
    """m v' = -mu (m g - k v^2) has the solution v = v_0 tanh-like; here by its integral."""
    m, area, v_0 = 1000.0, 2.0, 60.0
    car = cl.Slider("car", mass=m, velocity=v_0)
    parts = drives.road_load("r", car, mass=m, drag_area=0.0, rolling=0.02, lift_area=area)
    sol = cl.simulate(cl.Model(car, *parts), 20.0, method=cl.EventDriven(rtol=1e-10))
    k = 0.5 * 1.2 * area / m
    a = math.sqrt(9.81 / k)
    # dv / (a^2 - v^2) = -mu k dt
    now = a * math.tanh(math.atanh(v_0 / a) - 0.02 * k * a * 20.0)
    assert sol["car.velocity"][-1] == pytest.approx(now, rel=1e-8)


def test_lagged_pressure_is_the_solution_of_its_equation() -> None:
    from scipy.integrate import solve_ivp

    times, command = (0.0, 0.2, 0.2, 0.5, 1.0), (0.0, 0.0, 2.0, 5.0, 5.0)
    table = drives.lagged_pressure(times, command, lag=0.07)
    points = ((0.0, 0.2, 0.0, 0.0), (0.2, 0.5, 2.0, 5.0), (0.5, 1.0, 5.0, 5.0))
    p = 0.0
    for a, b, ca, cb in points:

        def rate(t, y, a=a, b=b, ca=ca, cb=cb):
            return (ca + (cb - ca) * (t - a) / (b - a) - y) / 0.07

        p = float(solve_ivp(rate, (a, b), [p], rtol=1e-10, atol=1e-12).y[0, -1])
        assert np.interp(b, table.x, table.y) == pytest.approx(p, abs=1e-8)


def test_disc_pack_opens_against_its_spring() -> None:
    pack = drives.DiscPack(area=1e-3, spring=200.0, radius=0.05, faces=6, static=0.12, kinetic=0.09,
                           speed=20.0)  # fmt: skip
    assert pack.capacity(1e5) == 0.0
    assert pack.capacity(5e5) == pytest.approx(0.12 * 300.0 * 0.05 * 6)
    assert pack.capacity(pack.pressure(7.0)) == pytest.approx(7.0)
    capacity = pack.table(cl.Table((0.0, 1.0), (0.0, 4e5)))
    assert np.interp(0.5, capacity.x, capacity.y) == pytest.approx(0.0, abs=1e-12)
    assert capacity.x == pytest.approx((0.0, 0.5, 1.0))


@pytest.mark.parametrize("method", [cl.EventDriven(), cl.Moreau(dt=1e-4)], ids=["event", "step"])
def test_clutch_with_a_falling_characteristic_stops_in_time(method) -> None:
    """J s' = -M(s) with M = M_0 (k + (1 - k) exp(-s / s_0)): the time is an integral."""
    J, M_0, k, s_0, start = 0.2, 10.0, 0.5, 20.0, 60.0
    law = cl.Stribeck(static=1.0, kinetic=k, velocity=s_0)
    a, b = cl.Rotor("a", inertia=J, speed=start), cl.Rotor("b", inertia=1e9)
    model = cl.Model(a, b, cl.Clutch("clutch", a, b, capacity=M_0, characteristic=law))
    sol = cl.simulate(model, 3.0, method=method)
    s = np.linspace(0.0, start, 20001)
    exact = np.trapezoid(J / (M_0 * (k + (1 - k) * np.exp(-s / s_0))), s)
    stuck = next(event.time for event in sol.events if event.kind == "stick")
    assert stuck == pytest.approx(exact, abs=1e-6 if method.order == 8 else 5e-4)


def test_car_holds_on_a_hill() -> None:
    """Rolling resistance is set-valued: up to its slope nothing creeps."""
    for slope, moves in ((0.011, False), (0.013, True)):
        car = cl.Slider("car", mass=1500.0)
        parts = drives.road_load(
            "road", car, mass=1500.0, drag_area=0.7, rolling=0.012, slope=-slope
        )
        sol = cl.simulate(cl.Model(car, *parts), 5.0, method=cl.EventDriven())
        assert (abs(sol["car.position"][-1]) > 0.0) == moves


def test_masing_loop_by_its_closed_form_and_by_a_run() -> None:
    joint = drives.press_fit(stiffness=1e4, torque=120.0, elements=5)
    a = 0.02
    x = np.linspace(-a, a, 200001)
    up = np.array([-joint.branch(-v, a) for v in x[::100]])
    down = np.array([joint.branch(v, a) for v in x[::100]])
    area = np.trapezoid(up - down, x[::100])
    assert area == pytest.approx(joint.loop(a), rel=1e-4)
    assert joint.secant(0.001) == pytest.approx(1e4) and joint.secant(0.03) < joint.secant(0.01)
    assert joint.loop(0.03) > joint.loop(0.02) > joint.loop(0.002) == 0.0
    # driven by a heavy rotor that swings with the amplitude a
    w = 50.0
    rotor = cl.Rotor("rotor", inertia=1e7, speed=a * w)
    hold = cl.TorsionSpring("hold", rotor, stiffness=1e7 * w**2)
    model = cl.Model(rotor, hold, joint.element("joint", rotor))
    t = np.linspace(0.0, 2.25 * 2 * math.pi / w, 20001)
    sol = cl.simulate(model, t[-1], t_eval=t, method=cl.RungeKutta8(rtol=1e-9, max_step=1e-3))
    late = sol.t >= sol.t[-1] - 2 * math.pi / w - 1e-12
    lost = drives.integral(sol.t[late], sol["joint.loss"][late])
    assert lost == pytest.approx(joint.loop(a), rel=1e-3)


def test_bolts_slide_above_sixty_percent() -> None:
    assert not drives.bolt_slides(100.0, 60.0) and drives.bolt_slides(100.0, -61.0)


def test_journal_bearing_is_petroffs_when_centred() -> None:
    found = drives.journal_friction(0.02, 3.0, 0.03, 0.04, 5e-5)
    assert found == pytest.approx(2.0 * math.pi * 0.03**2 * 0.04 * 0.02 * 3.0 / 5e-5)
    assert drives.journal_friction(0.02, 3.0, 0.03, 0.04, 5e-5, 0.5) > found
    # no net flow where pressure and drag balance
    drop = 6.0 * 0.02 * 3.0 * 0.1 / 1e-4**2
    assert drives.gap_flow(0.02, 3.0, 1e-4, drop, 0.1, 1.0) == pytest.approx(0.0, abs=1e-12)


def test_dc_machine_reaches_its_speed() -> None:
    """First-order pair: the eigenvalues of current and speed are known; the audit closes."""
    rotor = cl.Rotor("rotor", inertia=0.01)
    U, R, L, k = 24.0, 0.5, 1e-3, 0.1
    machine = drives.dc_machine("dc", rotor, voltage=U, resistance=R, inductance=L, constant=k)
    model = cl.Model(rotor, machine)
    t = np.linspace(0.0, 0.5, 8001)
    # rows between steps are interpolated: short steps keep them as good as the steps
    sol = cl.simulate(model, 0.5, t_eval=t, method=cl.RungeKutta8(rtol=1e-10, max_step=1e-3))
    A = np.array([[-R / L, -k / L], [k / 0.01, 0.0]])
    values, vectors = np.linalg.eig(A)
    steady = np.array([0.0, U / k])
    weights = np.linalg.solve(vectors, -steady.astype(complex))
    exact = steady + (np.exp(np.outer(t, values)) * weights @ vectors.T).real
    assert sol["dc.current"] == pytest.approx(exact[:, 0], abs=1e-6)
    assert sol["rotor.speed"] == pytest.approx(exact[:, 1], abs=1e-6)
    assert drives.audit(sol, model).gap < 1e-6


def test_rainflow_of_the_standard_example() -> None:
    """ASTM E1049, figure 6: ranges 3, 4 (x1.5), 6, 8 (x2), 9 as half and whole cycles."""
    cycles = drives.rainflow(np.array([-2.0, 1.0, -3.0, 5.0, -1.0, 3.0, -4.0, 4.0, -2.0]))
    counts: dict[float, float] = {}
    for size, _, count in cycles:
        counts[size] = counts.get(size, 0.0) + count
    assert counts == {3.0: 0.5, 4.0: 1.5, 6.0: 0.5, 8.0: 1.0, 9.0: 0.5}


def test_fits_recover_known_distributions() -> None:
    """TG-09."""
    rng = np.random.default_rng(7)
    a, n = 0.3, 1.4
    peaks = (rng.exponential(size=20000) / a) ** (1.0 / n)
    fit = drives.fit_exceedance(peaks)
    assert fit.n == pytest.approx(n, rel=0.03) and fit.a == pytest.approx(a, rel=0.03)
    assert fit.load(0.99) == pytest.approx((math.log(100.0) / a) ** (1.0 / n), rel=0.03)
    shape, scale = drives.fit_gamma(rng.gamma(2.5, 0.4, size=20000))
    assert shape == pytest.approx(2.5, rel=0.03) and scale == pytest.approx(0.4, rel=0.03)
    with pytest.raises(UsageError, match="three peaks"):
        drives.fit_exceedance(np.array([1.0]))


def test_strokes_of_a_hammering_force() -> None:
    """Half sines with gaps between them; one that has begun before or does not end is left out."""
    t = np.linspace(-0.5, 9.5, 100001)
    force = np.where(np.floor(t) % 2 == 0, (1.0 + np.floor(t)) * np.sin(np.pi * (t % 1.0)), 0.0)
    force[force < 1e-9] = 0.0
    found = drives.strokes(t, force)
    assert found.begin == pytest.approx([0.0, 2.0, 4.0, 6.0, 8.0], abs=3e-4)
    assert found.peak == pytest.approx([1.0, 3.0, 5.0, 7.0, 9.0], rel=1e-6)
    assert found.duration == pytest.approx(np.ones(5), abs=3e-4)
    assert found.interval == pytest.approx(2.0 * np.ones(4), abs=3e-4)
    assert drives.strokes(t, force - 10.0).peak.size == 0
    assert drives.strokes(t, force + 1.0).peak.size == 0
    with pytest.raises(UsageError, match="strokes: 3 times do not fit 2 forces"):
        drives.strokes(np.zeros(3), np.zeros(2))


def test_misfit_tells_a_right_distribution_from_a_wrong_one() -> None:
    rng = np.random.default_rng(3)
    values = rng.exponential(size=1000)
    assert drives.misfit(values, lambda x: 1.0 - np.exp(-x)) < 1.63 / math.sqrt(1000.0)
    assert drives.misfit(values, lambda x: 1.0 - np.exp(-(x**2))) > 0.1
    # one value in the middle of its distribution is half apart
    assert drives.misfit(np.array([0.5]), lambda x: x) == 0.5


def test_campbell_separates_orders_of_a_run_up() -> None:
    t = np.linspace(0.0, 4.0, 40001)
    angle = 30.0 * t + 20.0 * t * t
    signal = 2.0 * np.sin(2.0 * angle) + 0.5 * np.sin(3.5 * angle + 1.0)
    lines = drives.campbell(t, angle, signal)
    assert lines.cut(2.0) == pytest.approx(2.0, rel=0.01)
    assert lines.cut(3.5) == pytest.approx(0.5, rel=0.02)
    assert lines.cut(5.0).max() < 0.01
    assert np.all(np.diff(lines.speed) > 0.0)


def test_frequency_response_is_that_of_the_oscillator() -> None:
    disc = cl.Rotor("disc", inertia=0.01)
    spring = cl.TorsionSpring("spring", disc, stiffness=100.0, damping=0.2)
    model = cl.Model(disc, spring, drives.harmonic("drive", disc, amplitude=1.0, frequency=1.0))
    w = np.array([70.0, 100.0, 140.0])
    found = drives.frequency_response(model, "disc.angle", w, samples=256)
    exact = 1.0 / np.hypot(100.0 - 0.01 * w**2, 0.2 * w)
    # the largest of 256 samples per period is below the amplitude by less than (pi / 256)^2 / 2
    assert found.amplitude == pytest.approx(exact, rel=3e-4)
    assert found.peak[0] == 100.0


def test_run_up_shows_the_resonance_in_its_order() -> None:
    """Order two of an engine meets the eigenfrequency of a shaft at half that speed."""
    J_1, J_2, c = 0.05, 0.1, 2000.0
    w, d = math.sqrt(c * (1.0 / J_1 + 1.0 / J_2)), drives.lehr_damping(0.02, c, J_1, J_2)
    one, two = cl.Rotor("one", inertia=J_1, speed=0.2 * w), cl.Rotor("two", inertia=J_2)
    model = cl.Model(
        one, two.replace(speed=0.2 * w),
        drives.shaft("shaft", one, two, stiffness=c, damping=d),
        drives.engine_orders("gas", one, mean=1.0, orders={2.0: 5.0, 3.5: 2.0}),
    )  # fmt: skip
    run = cl.simulate(model, 16.0, t_eval=np.linspace(0.0, 16.0, 64001))
    lines = drives.campbell(run.t, run["one"].angle, run["shaft"].torque)
    for order in (2.0, 3.5):
        peak = lines.speed[int(np.argmax(lines.cut(order)))]
        print(f"\norder {order}: largest at {peak:.2f} rad/s, resonance at {w / order:.2f} rad/s")
        # a window of eight turns is 6 % of the speed wide at order 3.5
        assert peak == pytest.approx(w / order, rel=0.03)
    assert lines.cut(5.0).max() < 0.05 * lines.cut(2.0).max()
    assert run["one"].speed[-1] > 0.6 * w
