"""Bouncing balls on both roads, and impacts of several contacts at once.

References come from closed forms and from root finding with 40 digits, never from the package.
"""

import math
from dataclasses import replace
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from figures import Figure

import cornerlaw as cl
from cornerlaw.gallery.impacts import bouncing_ball, cradle, rod_double_impact
from cornerlaw.simulate.stepping import CLOSED, length_of
from cornerlaw.simulate.system import System

G = 9.81
P = bouncing_ball.Parameters()
TIGHT = cl.EventDriven(rtol=1e-12, atol=1e-14)


def run(model: cl.Model, t_end: float, method: Any = TIGHT, **options: Any) -> cl.Solution:
    return cl.simulate(model, t_end=t_end, method=method, progress=False, **options)


def exact_times(h: float, e: float, count: int = 20) -> np.ndarray:
    """Return t_1 (1 + 2 (e + e^2 + ...)) with 40 digits, of the decimal numbers given."""
    with mp.workdps(40):
        first = mp.sqrt(2 * mp.mpf(str(h)) / mp.mpf(str(G)))
        ratio = mp.mpf(str(e))
        return np.array(
            [
                float(first * (1 + 2 * mp.fsum(ratio**j for j in range(1, k))))
                for k in range(1, count + 1)
            ]
        )


def exact_rest(h: float, e: float) -> float:
    return math.sqrt(2.0 * h / G) * (1.0 + e) / (1.0 - e)


def moving_times(amplitude: float, frequency: float, e: float, count: int = 20) -> np.ndarray:
    """Return impact times on the floor a sin(omega t), each as a root found with 40 digits.

    A flight is sampled 2000 times per period of the floor, the first change of sign is refined.
    """
    with mp.workdps(40):
        a, omega = mp.mpf(amplitude), mp.mpf(2.0 * math.pi * frequency)
        g, dt = mp.mpf(G), mp.mpf(1) / (2000 * mp.mpf(frequency))
        t_0, y, v, found = mp.mpf(0), mp.mpf(1), mp.mpf(0), []
        for _ in range(count):

            def gap(t: Any, t_0: Any = t_0, y: Any = y, v: Any = v) -> Any:
                return y + v * (t - t_0) - g * (t - t_0) ** 2 / 2 - a * mp.sin(omega * t)

            # coarse search in doubles, the flight counted from its start
            steps = np.arange(1, 200_000) * float(dt)
            floor = float(a) * np.sin(float(omega) * (float(t_0) + steps))
            open_ = float(y) + float(v) * steps - 0.5 * G * steps**2 - floor > 1e-13
            n = int(np.argmin(open_))
            assert n > 0, "a flight shorter than the sampling"
            t = mp.findroot(gap, (t_0 + n * dt, t_0 + (n + 1) * dt), solver="anderson", tol=1e-50)
            speed = a * omega * mp.cos(omega * t)
            y, v, t_0 = a * mp.sin(omega * t), speed - e * (v - g * (t - t_0) - speed), t
            found.append(float(t))
    return np.array(found)


def impact_times(sol: cl.Solution) -> np.ndarray:
    return np.array([e.time for e in sol.events if e.kind == "impact"])


def rest_times(sol: cl.Solution) -> list[float]:
    return [e.time for e in sol.events if e.kind == "rest"]


# impact times and the accumulation point (item 2, TR-N-07)


@pytest.mark.trust("TR-N-07")
@pytest.mark.parametrize("e", [0.5, 0.8, 0.95])
def test_level_floor(e: float, figure: Figure) -> None:
    """Twenty impact times to 1e-12, rest at the exact time, few events, never through the floor."""
    p = replace(P, eps_N=e)
    rest = exact_rest(1.0, e)
    sol = run(bouncing_ball.build(p), rest + 1.0)
    error = float(np.abs(impact_times(sol)[:20] - exact_times(1.0, e)).max())
    figure("impact times [s]", error, 1e-12)
    figure("time of rest [s]", abs(rest_times(sol)[0] - rest), 1e-9)
    assert error < 1e-12
    assert rest_times(sol) == [pytest.approx(rest, abs=1e-9)]
    assert len(sol.events) <= 500
    height, speed = sol["ball"].position[:, 1], sol["ball"].velocity[:, 1]
    assert height.min() > -1e-9
    after = sol.t > rest
    assert after.any()
    assert np.abs(height[after]).max() < 1e-12
    assert np.abs(speed[after]).max() < 1e-12
    # all energy is lost in the impacts, and afterwards the floor carries the ball
    assert sol.statistics["impact_loss"] == pytest.approx(P.mass * G, abs=1e-9)
    assert sol["ball-floor"].lam_N[-1] == pytest.approx(P.mass * G, abs=1e-9)


def test_default_accuracy() -> None:
    """The default tolerances are enough for the first twenty impact times at e = 0.8."""
    sol = run(bouncing_ball.build(P), 5.0, cl.EventDriven())
    assert np.abs(impact_times(sol)[:20] - exact_times(1.0, 0.8)).max() < 1e-12
    assert rest_times(sol) == [pytest.approx(exact_rest(1.0, 0.8), abs=1e-9)]


@pytest.mark.parametrize("degrees", [5.0, 20.0, 40.0])
@pytest.mark.parametrize("radius", [0.0, 0.1])
def test_tilted_floor(degrees: float, radius: float, figure: Figure) -> None:
    """The normal motion is that of the level floor with g cos(alpha); the slope is smooth."""
    alpha = math.radians(degrees)
    normal = (-math.sin(alpha), math.cos(alpha))
    slope = cl.Ground("slope", normal=normal)
    place = (0.0, 1.0 + radius / math.cos(alpha))
    ball: Any = cl.PointMass("ball", mass=2.0, position=place)
    if radius > 0.0:
        ball = cl.Disk("ball", mass=2.0, radius=radius, position=place)
    model = cl.Model(ball, slope, cl.Contact(ball, slope, eps_N=0.8), gravity=(0.0, -G))
    # the ball ends up to 80 m away where the gap is rounded to 1e-14 m: bounces below 1e-3 m/s,
    # located to 1e-11 s, are summed up
    method = replace(TIGHT, zeno=1e-3)
    rest = exact_rest(1.0, 0.8)
    sol = run(model, rest + 0.5, method)
    error = float(np.abs(impact_times(sol)[:20] - exact_times(1.0, 0.8)).max())
    figure("impact times [s]", error, 1e-12)
    figure("time of rest [s]", abs(rest_times(sol)[0] - rest), 1e-9)
    assert error < 1e-12
    assert rest_times(sol) == [pytest.approx(rest, abs=1e-9)]
    # it slides on with the acceleration g sin(alpha) which it has had all the time
    t = sol.t[-1]
    slide = (-math.cos(alpha), -math.sin(alpha))
    assert sol["ball"].velocity[-1] @ slide == pytest.approx(G * math.sin(alpha) * t, abs=1e-9)
    assert np.abs(sol["ball-slope"].gap[sol.t > rest]).max() < 1e-12


@pytest.mark.parametrize(
    ("amplitude", "frequency"),
    [(0.02, 1.0), (0.05, 2.0), pytest.param(0.005, 3.0, marks=pytest.mark.verify)],
)
def test_moving_floor(amplitude: float, frequency: float, figure: Figure) -> None:
    """Twenty impact times on a floor that moves harmonically.

    The second floor accelerates with 0.8 g at most and throws the ball irregularly; a difference in
    one impact grows in the next ones by up to some ten times.
    """
    p = replace(P, amplitude=amplitude, frequency=frequency)
    expected = moving_times(amplitude, frequency, P.eps_N)
    sol = run(bouncing_ball.build_moving(p), expected[-1] + 0.05)
    error = float(np.abs(impact_times(sol)[:20] - expected).max())
    figure("impact times [s]", error, 1e-12)
    assert error < 1e-12
    assert sol["ball-floor"].gap.min() > -1e-9


def test_fast_floor() -> None:
    """A floor with twice the acceleration of gravity: short hops and long flights.

    Each impact carries a difference on, magnified; to the tenth impact it is 1e-12 s.
    """
    p = replace(P, amplitude=0.02, frequency=5.0)
    expected = moving_times(0.02, 5.0, P.eps_N, count=14)
    sol = run(bouncing_ball.build_moving(p), expected[-1] + 0.001)
    found = impact_times(sol)
    assert len(found) == 14
    assert np.abs(found[:9] - expected[:9]).max() < 1e-12
    assert np.abs(found - expected).max() < 1e-9
    assert sol["ball-floor"].gap.min() > -1e-9


def moving_rest(p: bouncing_ball.Parameters) -> tuple[float, np.ndarray]:
    """Return where the impacts on the floor a sin(omega t) pile up, and their times on the way.

    The sum of all flights with 40 digits, each the root of its gap divided by its length, which
    leaves out the impact that it starts from. A flight that starts with the speed v lasts about
    2 v / (g - a omega^2 sin(omega t)), from where the root is searched. 240 impacts with e = 0.8
    leave 1e-23 of the speed: the rest of the sum is below the rounding of the result.
    """
    with mp.workdps(40):
        a, omega = mp.mpf(p.amplitude), mp.mpf(2.0 * math.pi * p.frequency)
        g, e = mp.mpf(p.gravity), mp.mpf(p.eps_N)
        height = mp.mpf(p.height)
        t = mp.findroot(
            lambda t: height - g * t**2 / 2 - a * mp.sin(omega * t), mp.sqrt(2 * height / g)
        )
        found = [t]
        v = e * (g * t + a * omega * mp.cos(omega * t))
        for _ in range(240):

            def mean_rate(s: Any, t: Any = t, v: Any = v) -> Any:
                floor = a * (mp.sin(omega * (t + s)) - mp.sin(omega * t)) / s
                return v + a * omega * mp.cos(omega * t) - g * s / 2 - floor

            s = mp.findroot(mean_rate, 2 * v / (g - a * omega**2 * mp.sin(omega * t)))
            v = e * (g * s + a * omega * (mp.cos(omega * (t + s)) - mp.cos(omega * t)) - v)
            t += s
            found.append(t)
        return float(t), np.array([float(t) for t in found])


def test_moving_floor_brings_to_rest(figure: Figure) -> None:
    """A gentle floor carries the ball at last: gap zero, force m (g + floor's acceleration).

    Bounces below `zeno` = 1e-6 m/s are summed up for a floor whose acceleration does not change
    within them, some 0.1 ms, so that the time of rest is the accumulation point to 1e-9 s.
    """
    rest, times = moving_rest(P)
    # the flights are those of the search in samples, which needs no guess
    assert np.abs(times[:20] - moving_times(P.amplitude, P.frequency, P.eps_N)).max() < 1e-15
    sol = run(bouncing_ball.build_moving(P), 6.0)
    found = rest_times(sol)
    assert len(found) == 1
    figure("time of rest [s]", abs(found[0] - rest), 1e-9)
    assert found == [pytest.approx(rest, rel=0.0, abs=1e-9)]
    omega = 2.0 * math.pi * P.frequency
    after = sol.t > found[0]
    t = sol.t[after]
    height = P.amplitude * np.sin(omega * t)
    assert np.abs(sol["ball"].position[after, 1] - height).max() < 1e-9
    force = P.mass * (G - P.amplitude * omega**2 * np.sin(omega * t))
    assert sol["ball-floor"].lam_N[after] == pytest.approx(force, abs=1e-6)


@pytest.mark.parametrize("height", [1.0, 1.1, 1.3])
def test_moving_floor_brings_to_rest_anywhere(height: float, figure: Figure) -> None:
    """A stronger floor (0.2 g), with other accelerations of it where the ball comes to rest."""
    p = replace(P, height=height, amplitude=0.05)
    rest, _ = moving_rest(p)
    sol = run(bouncing_ball.build_moving(p), rest + 0.5)
    figure("time of rest [s]", abs(rest_times(sol)[0] - rest), 1e-9)
    assert rest_times(sol) == [pytest.approx(rest, rel=0.0, abs=1e-9)]


def hit_of_two_balls(e: Any, m: Any, v: Any, w: Any, floor: bool, pair: bool) -> tuple[Any, Any]:
    """Return v and w behind the impacts of the contacts that touch, by Newton's law.

    Both at once where both approach, else one after the other as they are driven together.
    """
    while (floor and v < 0) or (pair and w < 0):
        if floor and v < 0 and pair and w < 0:
            v, w = -e * v, -e * w  # both impulses press, -(1 + e) (v + w) m that of the pair
        elif floor and v < 0:
            v, w = -e * v, w + (1 + e) * v
        else:
            v, w = v + (1 + e) * w / (1 + 1 / m), -e * w
    return v, w


def rest_of_two_balls(e: float, upper: float, closed: float) -> float:
    """Return when a ball of mass `upper` rests on one of mass 1, by flights with 40 digits.

    The lower one is 1 m above the floor, the upper one 0.2 m above it. Both fall alike, so that
    they meet at the constant speed of each other. Where the upper one stays above all bounces of
    the lower one, that comes to rest, 2 e / (1 - e) v / g behind an impact with v; then the upper
    one bounces on it as on the floor. Gaps up to `closed` count as closed in an impact, so that of
    bounces as low as that nobody knows the order.
    """
    with mp.workdps(40):
        g, e = mp.mpf(str(G)), mp.mpf(str(e))
        m = mp.mpf(str(upper))
        t, y, d, v, w = mp.mpf(0), mp.mpf(1), mp.mpf("0.2"), mp.mpf(0), mp.mpf(0)  # w = gap rate
        for _ in range(100_000):
            hit = mp.sqrt(v**2 + 2 * g * y)
            floor = (v + hit) / g
            meet = -d / w if w < 0 else mp.inf
            alone = floor + 2 * e / (1 - e) * hit / g
            u, top = v + w, max(y + max(v, 0) ** 2 / (2 * g), (e * hit) ** 2 / (2 * g))
            # a flight is highest between its ends
            if min(y + d, y + d + u * alone - g * alone**2 / 2) > top:
                last = mp.sqrt(u**2 + 2 * g * (y + d))
                return float(t + (u + last) / g + 2 * e / (1 - e) * last / g)
            dt = min(floor, meet)
            t, y, d, v = t + dt, y + v * dt - g * dt**2 / 2, d + w * dt, v - g * dt
            y, d = (mp.mpf(0), d) if floor <= meet else (y, mp.mpf(0))
            v, w = hit_of_two_balls(e, m, v, w, y <= closed, d <= closed)
            if abs(v) + abs(w) + y + d < mp.mpf(10) ** -18:
                return float(t)
        raise AssertionError("the balls do not come to rest")


@pytest.mark.trust("TR-N-07")
@pytest.mark.parametrize("e", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("upper", [1.0, 0.2])
def test_two_balls(e: float, upper: float, figure: Figure) -> None:
    """A ball above a ball: both come to rest in time, one on the other, and none falls through."""
    low = cl.Disk("low", mass=1.0, radius=0.1, position=(0.0, 1.1))
    high = cl.Disk("high", mass=upper, radius=0.1, position=(0.0, 1.5))
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    contacts = cl.Contact(low, floor, eps_N=e), cl.Contact(high, low, eps_N=e)
    model = cl.Model(low, high, floor, *contacts, gravity=(0.0, -G))
    rest = rest_of_two_balls(e, upper, CLOSED * length_of(System(model).arrays))
    sol = run(model, rest + 2.0, cl.EventDriven())
    found = max(rest_times(sol))
    if (e, upper) != (0.95, 0.2):
        # with a light ball and this e a first gap that is 1e-14 m larger ends 0.02 s earlier
        figure("time of rest [s]", abs(found - rest), 1e-6)
        assert abs(found - rest) <= 1e-6
    after = sol.t > found
    assert after.any()
    low_y, high_y = (sol[name].position[after, 1] for name in ("low", "high"))
    off = max(np.abs(low_y - 0.1).max(), np.abs(high_y - 0.3).max())
    figure("position at rest [m]", float(off), 1e-12)
    assert off <= 1e-12
    assert sol["low-floor"].gap.min() > -1e-9
    assert (sol["high"].position[:, 1] - sol["low"].position[:, 1]).min() > 0.2 - 1e-9
    assert sol["low-floor"].lam_N[-1] == pytest.approx((1.0 + upper) * G, abs=1e-6)
    assert sol.statistics["largest_impact_gain"] <= 1e-12


# restitution on both roads (item 3)


def test_apex_event_driven(figure: Figure) -> None:
    """e = 0.8: the apex after the first impact is 0.64 of the height."""
    first = math.sqrt(2.0 / G)
    top = first * 1.8  # up for 0.8 of the time of the fall
    sol = run(bouncing_ball.build(P), top, cl.EventDriven())
    figure("apex off 0.64 of the height", abs(float(sol["ball"].position[-1, 1]) - 0.64), 1e-6)
    assert sol["ball"].position[-1, 1] == pytest.approx(0.64, abs=1e-6)
    assert sol["ball"].velocity[-1, 1] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("scheme", [cl.Moreau, cl.Stiegelmeyr, cl.HalfExplicit, cl.Theta])
@pytest.mark.parametrize("dt", [2e-2, 7e-3, 1e-3, 3e-4])
def test_restitution_of_time_stepping(dt: float, scheme: Any, figure: Figure) -> None:
    """gamma+ / gamma- = -0.8 at any step, for impacts faster than the resolution 2 g dt."""
    sol = run(bouncing_ball.build(P), 3.0, scheme(dt=dt))
    impacts = [e for e in sol.events if e.kind == "impact"]
    before = np.array([e.data["gamma_N_minus"] for e in impacts])
    after = np.array([e.data["gamma_N_plus"] for e in impacts])
    resolved = -before > 2.0 * G * dt
    assert resolved.sum() >= 5
    error = float(np.abs(after[resolved] / before[resolved] + 0.8).max())
    figure("gamma+ / gamma- off -0.8", error, 1e-12)
    assert error < 1e-12


@pytest.mark.parametrize("scheme", [cl.Moreau, cl.Stiegelmeyr, cl.HalfExplicit, cl.Theta])
def test_apex_of_time_stepping(scheme: Any, figure: Figure) -> None:
    """The apex is off by at most 2 v dt, and by the first power of dt.

    The error depends on where in its step the impact falls: for every step the ball falls from
    eight heights near 1 m that put it at eight equally spaced places. Five halvings.
    """
    steps = 8e-3 * 0.5 ** np.arange(6)
    means = []
    for dt in steps:
        errors = []
        for k in range(8):
            fall = dt * (round(0.45 / dt) + (k + 0.5) / 8)
            h = 0.5 * G * fall**2
            # behind the apex, before the second impact
            sol = run(bouncing_ball.build(replace(P, height=h)), 2.4 * fall, scheme(dt=dt))
            height = sol["ball"].position[:, 1]
            apex = height[np.argmin(height) :].max()
            errors.append(abs(apex - 0.64 * h))
            assert errors[-1] <= 2.0 * G * fall * dt
        means.append(np.mean(errors))
    order = np.polyfit(np.log(steps), np.log(means), 1)[0]
    figure("order of the apex", float(order))
    # the heights differ a little from step to step, which changes the slope by less than a per cent
    assert order == pytest.approx(1.0, abs=0.02)


# several impacts at once (TR-N-10)

LAWS = [
    pytest.param(cl.Newton(), id="newton"),
    pytest.param(cl.Poisson(), id="poisson"),
    pytest.param(cl.Sequential(), id="sequential"),
]
WITH_CRADLE = [*LAWS, pytest.param(cl.Cradle(), id="cradle")]


@pytest.mark.trust("TR-N-10")
@pytest.mark.parametrize("law", WITH_CRADLE)
@pytest.mark.parametrize("balls", [3, 4, 5])
def test_row_hit_from_both_sides(law: cl.ImpactLaw, balls: int) -> None:
    """A symmetric impact has a symmetric result, in whatever order the contacts stand."""
    p = replace(cradle.Parameters(), balls=balls)
    first, turned = (
        cradle.velocities(
            run(cradle.build_symmetric(p, order), 0.2, cl.EventDriven(impact=law)), balls
        )
        for order in (1, -1)
    )
    # the sequential law integrates over the impulse with errors of 1e-13 per step
    tolerance = 1e-10 if isinstance(law, cl.Sequential) else 1e-12
    assert np.abs(first + first[::-1]).max() < tolerance
    assert np.abs(first - turned).max() < tolerance
    assert (first**2).sum() <= 2.0 * p.speed**2 + tolerance
    assert (np.diff(first) > -tolerance).all()


@pytest.mark.trust("TR-N-10")
@pytest.mark.parametrize("law", WITH_CRADLE)
def test_row_in_any_order(law: cl.ImpactLaw) -> None:
    """Permuted contacts, the same result; with e = 0.7 as with e = 1."""
    for eps in (0.7, 1.0):
        p = replace(cradle.Parameters(), arriving=2, eps_N=eps)
        first, turned = (
            cradle.velocities(run(cradle.build(p, order), 0.15, cl.EventDriven(impact=law)), 5)
            for order in (1, -1)
        )
        assert np.abs(first - turned).max() < 1e-10
        assert first.sum() == pytest.approx(2.0 * p.speed, abs=1e-12)


@pytest.mark.trust("TR-N-10")
@pytest.mark.parametrize("law", ["newton", "newton both", "poisson coulomb", "poisson old"])
def test_rod_in_any_order(law: str) -> None:
    """Both ends with friction: permuted contacts give the same velocities and energy."""
    p = rod_double_impact.Parameters()
    for u, mu in ((rod_double_impact.SLIDING, 0.15), (rod_double_impact.STICKING, 2.0)):
        first, turned = (
            rod_double_impact.throw(p, u, mu, (0.5, 0.3), law, order) for order in (1, -1)
        )
        assert first[0] == pytest.approx(turned[0], abs=1e-11)
        assert first[1] == pytest.approx(turned[1], abs=1e-11)
        assert first[1] < 0.0


@pytest.mark.trust("TR-N-10")
@pytest.mark.parametrize("law", LAWS[:2])
def test_block_dropped_flat(law: cl.ImpactLaw) -> None:
    """A block that lands flat stays level through all bounces and comes to rest."""
    block = cl.Body("block", mass=1.0, inertia=1 / 6, position=(0.0, 1.0))
    corners = ((-0.5, -0.3), (0.5, -0.3), (0.5, 0.3), (-0.5, 0.3))
    hull = cl.Polygon("hull", block, vertices=corners)
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    model = cl.Model(
        block, hull, floor, cl.Contact(hull, floor, mu=0.3, eps_N=0.6), gravity=(0.0, -G)
    )
    sol = run(model, 2.0, cl.EventDriven(impact=law))
    assert np.abs(sol["block"].angular_velocity).max() < 1e-12
    assert np.abs(sol["block"].velocity[:, 0]).max() < 1e-12
    expected = exact_rest(0.7, 0.6)
    assert rest_times(sol) == [pytest.approx(expected, abs=1e-9)] * 2
    assert sol["block"].position[-1, 1] == pytest.approx(0.3, abs=1e-12)


@pytest.mark.trust("TR-N-10")
@pytest.mark.parametrize("law", LAWS)
def test_billiard_break(law: cl.ImpactLaw) -> None:
    """A ball into a rack of six: mirrored about the line of the shot, no energy gained."""
    r = 0.03
    places = [(i * math.sqrt(3.0) * r, (2 * j - i) * r) for i in range(3) for j in range(i + 1)]
    cue = cl.Disk("cue", mass=0.17, radius=r, position=(-0.3, 0.0), velocity=(3.0, 0.0))
    rack = [
        cl.Disk(f"ball {k}", mass=0.17, radius=r, position=place) for k, place in enumerate(places)
    ]
    balls = [cue, *rack]
    mirror = [0, 1, 3, 2, 6, 5, 4]
    found = []
    for order in (1, -1):
        contacts = [cl.Contact(a, b, eps_N=0.95) for i, a in enumerate(balls) for b in balls[:i]]
        sol = run(cl.Model(*balls, *contacts[::order]), 0.15, cl.EventDriven(impact=law))
        found.append(np.array([sol[ball.name].velocity[-1] for ball in balls]))
        assert sol.statistics["largest_impact_gain"] <= 1e-12
    u = found[0]
    # the sequential law integrates over the impulse with errors of 1e-13 per step
    assert np.abs(u - u[mirror] * (1.0, -1.0)).max() < 1e-10
    assert np.abs(found[0] - found[1]).max() < 1e-10
    assert u.sum(axis=0) == pytest.approx([3.0, 0.0], abs=1e-12)
    assert (u**2).sum() <= 9.0


def test_impact_at_a_sample_of_the_step() -> None:
    """The balls meet exactly at a quarter of the step, where the gap is zero and not below."""
    items: list[Any] = []
    for k, (place, speed) in enumerate(((0.0, 8.0), (0.056 + 1e-5, 0.0))):
        body = cl.Body(
            f"b{k}", inertia=cl.inertia.sphere(0.17, 0.028), position=(place, 0.0, 0.0),
            velocity=(speed, 0.0, 0.0),
        )  # fmt: skip
        items += [body, cl.Sphere(f"s{k}", body, radius=0.028)]
    model = cl.Model(*items, cl.AllContacts("all", mu=0.06, eps_N=0.95))
    sol = cl.simulate(model, t_end=5e-6, method=cl.EventDriven())
    assert sol.events[0].kind == "impact"
    assert abs(sol.events[0].time - 1.25e-6) < 1e-17
