"""Roller coaster: a car with 24 wheels held on two rails by nothing but contacts.

A car of the kind called "wild mouse" runs down a track in space. Its wheel packages, four of them,
turn in pitch and yaw against the car, its front axle in roll, so that all can follow the rails, two
tubes along splines. Each package has two running wheels on the rail, two side wheels beside it and
two up-stop wheels below, small balls with a little clearance: 24 unilateral contacts, of which a
few are closed at any time.

The track is given by the pitch theta and the heading psi of its tangent over the arc length s,

    t = (cos theta cos psi, cos theta sin psi, sin theta),    r' = t,

and is nowhere banked: its upward normal is n = dt/dtheta, its lateral one e = (-sin psi, cos psi,
0). Frenet's formula is then t' = theta' n + psi' cos(theta) e, and a point mass that follows the
track without friction has

    v^2 = v_0^2 - 2 g (z - z_0),    N_n / m = g cos(theta) + v^2 theta',
    N_e / m = v^2 psi' cos(theta).

The centre of mass of the car runs along this line but for its length: it is carried at eight
stations, two wheels of each package, so that the curvature that counts is the mean of four places
of the track. As a mechanism with one degree of freedom s, its centre C(s) and axes follow from the
means of the rails at the stations, and with its angular velocity omega(s) ds/dt energy gives

    (m C'^2 + omega . J omega) (ds/dt)^2 = m v_0^2 - 2 m g (C_z - z_0).

Over the hill v^2 |theta'| > g cos(theta): the running wheels leave the rails, and the up-stop
wheels hold the car down.

Source: Pfeiffer 2008, 3.6, which names system and number of wheels and gives no data, also for
the moving trihedron. Track and car are chosen, so the checks are properties of any such track.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter

TITLE = "Roller coaster with 24 wheel contacts"
TOPIC = "space"
SPEC: tuple[str, ...] = ("S-07", "M-14")
SOURCE = "Pfeiffer 2008, 3.6 (no data)"
DOF = 15
FOLLOW = "car"  # in the viewer

Floats = NDArray[np.float64]

# pieces of the track: begin, length [m], change of the angle [rad]
PITCH = (
    (3.0, 6.0, -0.45),  # over the edge
    (11.0, 7.0, 0.38),  # into a slow descent
    (37.0, 5.0, 0.07),  # level
    (44.0, 5.0, 0.25),  # a hill
    (49.0, 7.0, -0.5),
    (56.0, 5.0, 0.25),
)
HEADING = ((18.0, 22.0, 0.5 * math.pi),)
FIRST, START, GOAL, LAST = -1.0, 1.0, 63.0, 66.0
PACKAGES = ("front left", "front right", "rear left", "rear right")
KINDS = ("run", "side", "hold")
ROWS = 20  # of a window in which forces are averaged, 0.1 s


@dataclass(frozen=True)
class Parameters:
    """Car and wheels; the track is fixed but for its size."""

    size: float = parameter(1.0, "1", "chosen: all lengths of the track times this")
    speed: float = parameter(4.0, "m/s", "chosen: pace at the first edge")
    mass: float = parameter(400.0, "kg", "chosen: car with two people, without what follows")
    axle: float = parameter(20.0, "kg", "chosen: the front axle")
    package: float = parameter(10.0, "kg", "chosen: one wheel package")
    wheelbase: float = parameter(1.0, "m", "chosen: a short car")
    gauge: float = parameter(0.8, "m", "chosen: between the middle lines of the rails")
    height: float = parameter(0.3, "m", "chosen: centre of mass above the rails")
    spread: float = parameter(0.12, "m", "chosen: wheels before and behind a package")
    wheel: float = parameter(0.05, "m", "chosen: radius of a wheel")
    rail: float = parameter(0.03, "m", "chosen: radius of a rail")
    clearance: float = parameter(0.002, "m", "chosen: side and up-stop wheels")
    mu: float = parameter(0.0, "1", "chosen: wheels roll freely")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")


REFERENCE = {
    # the two gaps of a package on one rail, and what the curvature between its two wheels adds
    "largest gap over clearance": Reference(1.0, 0.6, "no package can leave"),
    "packages left on the rails": Reference(4.0, 0.0, "wheels above, below and beside each rail"),
    # in the left turn side wheels push against the left rail; those of the right one need not touch
    "wheels that carried, of 20 that must": Reference(
        20.0, 0.0, "property: running, up-stop and left side wheels"
    ),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"speed": 4.8},
    {"gravity": 7.85},
    {"mass": 480.0},
    {"mu": 0.02},
    {"size": 1.2},
    {"clearance": 0.01},
)


def _smooth(x: Floats) -> Floats:
    x = np.clip(x, 0.0, 1.0)
    return np.asarray(x**3 * (10.0 - 15.0 * x + 6.0 * x * x))


def _slope(x: Floats) -> Floats:
    x = np.clip(x, 0.0, 1.0)
    return np.asarray(30.0 * (x * (1.0 - x)) ** 2)


def angles(p: Parameters, s: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return pitch and heading of the track and their derivatives over the arc length."""
    x = np.asarray(s) / p.size
    pitch = sum((d * _smooth((x - a) / b) for a, b, d in PITCH), np.zeros_like(x))
    heading = sum((d * _smooth((x - a) / b) for a, b, d in HEADING), np.zeros_like(x))
    bend = sum((d / b * _slope((x - a) / b) for a, b, d in PITCH), np.zeros_like(x))
    turn = sum((d / b * _slope((x - a) / b) for a, b, d in HEADING), np.zeros_like(x))
    return pitch, heading, bend / p.size, turn / p.size


def trihedron(p: Parameters, s: Floats) -> tuple[Floats, Floats, Floats]:
    """Return tangent, upward and lateral normal of the track at arc lengths, one row each."""
    a, b, _, _ = angles(p, s)
    tangent = np.column_stack([np.cos(a) * np.cos(b), np.cos(a) * np.sin(b), np.sin(a)])
    upward = np.column_stack([-np.sin(a) * np.cos(b), -np.sin(a) * np.sin(b), np.cos(a)])
    lateral = np.column_stack([-np.sin(b), np.cos(b), np.zeros_like(b)])
    return tangent, upward, lateral


@dataclass(frozen=True)
class Line:
    """The path of the centre of mass, finely sampled: places, times and speeds."""

    s: Floats
    r: Floats
    time: Floats
    speed: Floats


@cache
def line(p: Parameters) -> Line:
    """Return the path of a point mass, by quadrature of the tangent and by energy."""
    s = np.linspace(FIRST * p.size, LAST * p.size, 6701)
    middle = 0.5 * (s[1:] + s[:-1])
    step = s[1] - s[0]
    ends, half = trihedron(p, s)[0], trihedron(p, middle)[0]
    # Simpson
    pieces = (ends[1:] + ends[:-1] + 4.0 * half) * step / 6.0
    r = np.vstack([np.zeros(3), np.cumsum(pieces, axis=0)])
    r -= r[_start(p, s)]
    speed = np.sqrt(p.speed**2 - 2.0 * p.gravity * r[:, 2])
    return Line(s, r, _times(p, s, speed), speed)


def _start(p: Parameters, s: Floats) -> int:
    return int(np.argmin(np.abs(s - START * p.size)))


def _times(p: Parameters, s: Floats, rate: Floats) -> Floats:
    """Return the times at places that are passed with the rates ds/dt, 0 at the start."""
    step = 0.5 * np.diff(s) * (1.0 / rate[1:] + 1.0 / rate[:-1])
    time = np.concatenate([[0.0], np.cumsum(step)])
    return np.asarray(time - time[_start(p, s)])


@cache
def car_line(p: Parameters) -> Line:
    """Return the path of the car as a mechanism with one degree of freedom."""
    fine = line(p)
    s = fine.s[(fine.s > (FIRST + 1.0) * p.size) & (fine.s < (LAST - 1.0) * p.size)]

    def between(x: Floats) -> Floats:
        r = np.column_stack([np.interp(x, fine.s, fine.r[:, i]) for i in range(3)])
        return np.asarray(r - p.height * trihedron(p, x)[1])

    ahead, before, behind, last = (between(x) for x in stations(p, s))
    front, rear = 0.5 * (ahead + before), 0.5 * (behind + last)
    x = _unit(front - rear)
    side = trihedron(p, s - 0.5 * p.wheelbase)[2]
    y = _unit(side - np.sum(side * x, axis=1)[:, None] * x)
    z = np.cross(x, y)
    r = 0.5 * (front + rear) + p.height * z
    dr, dx, dy = (np.gradient(a, s, axis=0) for a in (r, x, y))
    turning = (np.sum(dy * z, axis=1), -np.sum(dx * z, axis=1), np.sum(dx * y, axis=1))
    m = total_mass(p)
    way = np.sum(dr**2, axis=1)
    inert = m * way + sum(J * w**2 for J, w in zip(moments(p), turning, strict=True))
    fall = r[_start(p, s), 2] - r[:, 2]
    rate = np.sqrt(m * (p.speed**2 + 2.0 * p.gravity * fall) / inert)
    return Line(s, r, _times(p, s, rate), rate * np.sqrt(way))


def _unit(x: Floats) -> Floats:
    return np.asarray(x / np.linalg.norm(x, axis=1)[:, None])


def total_mass(p: Parameters) -> float:
    """Return the mass of car, axle and packages."""
    return p.mass + p.axle + 4.0 * p.package


def centre(p: Parameters) -> tuple[float, float, float]:
    """Return where the centre of mass of the car is, such that that of all is at its origin."""
    back = -0.5 * p.wheelbase * p.axle / p.mass
    return (back, 0.0, p.height * (p.axle + 4.0 * p.package) / p.mass)


def moments(p: Parameters) -> tuple[float, float, float]:
    """Return the moments of inertia of the whole car about its centre of mass: roll, pitch, yaw.

    Packages count as points: they turn with the rails.
    """
    x, _, z = centre(p)
    box = cl.inertia.box(p.mass, (1.6, 1.0, 0.8)).tensor
    rod = cl.inertia.rod(p.axle, p.gauge, axis="y").tensor
    a, b, h = 0.5 * p.wheelbase, 0.5 * p.gauge, p.height
    four = 4.0 * p.package
    roll = box[0][0] + p.mass * z * z + rod[0][0] + p.axle * h * h + four * (b * b + h * h)
    pitch = box[1][1] + p.mass * (x * x + z * z) + p.axle * (a * a + h * h) + four * (a * a + h * h)
    yaw = box[2][2] + p.mass * x * x + rod[2][2] + p.axle * a * a + four * (a * a + b * b)
    return roll, pitch, yaw


def rails(p: Parameters) -> tuple[Floats, Floats]:
    """Return points of the middle lines of both rails, left and right."""
    path = line(p)
    s = np.linspace(FIRST * p.size, LAST * p.size, 135)
    r = np.column_stack([np.interp(s, path.s, path.r[:, i]) for i in range(3)])
    _, up, side = trihedron(p, s)
    middle = r - p.height * up
    return middle + 0.5 * p.gauge * side, middle - 0.5 * p.gauge * side


def wheels(p: Parameters, sign: float) -> dict[str, tuple[float, float, float]]:
    """Return the centres of the wheels of a package in its axes; `sign` is +1 on the left."""
    off = p.wheel + p.rail
    found = {}
    for k, x in enumerate((p.spread, -p.spread)):
        found[f"run {k}"] = (x, 0.0, off)
        found[f"side {k}"] = (x, sign * (off + p.clearance), 0.0)
        found[f"hold {k}"] = (x, 0.0, -off - p.clearance)
    return found


def build(p: Parameters) -> cl.Model:
    """Return the rails, and the car at the start with all running wheels on them."""
    ground = cl.Ground()
    track = {
        side: cl.Tube(f"rail {side}", ground, points=tuple(map(tuple, points)), radius=p.rail)
        for side, points in zip(("left", "right"), rails(p), strict=True)
    }
    car = cl.Body(
        "car", mass=p.mass, inertia=cl.inertia.box(p.mass, (1.6, 1.0, 0.8)), com=centre(p),
        position=(0.0, 0.0, 0.0), velocity=(p.speed, 0.0, 0.0),
    )  # fmt: skip
    axle = cl.Body("axle", mass=p.axle, inertia=cl.inertia.rod(p.axle, p.gauge, axis="y"))
    a, b, h = 0.5 * p.wheelbase, 0.5 * p.gauge, p.height
    pivot = cl.Revolute("pivot", car, axle, axis=(1.0, 0.0, 0.0), at=(a, 0.0, -h))
    items: list[Any] = [ground, *track.values(), car, axle, pivot]
    off = p.wheel + p.rail
    solid = cl.inertia.box(p.package, (2.0 * p.spread, off, 2.0 * off))
    for name in PACKAGES:
        end, side = name.split()
        sign = 1.0 if side == "left" else -1.0
        package = cl.Body(name, mass=p.package, inertia=solid)
        if end == "front":
            carrier, at = axle, (0.0, sign * b, 0.0)
        else:
            carrier, at = car, (-a, sign * b, -h)
        items += [
            package,
            cl.Universal(
                f"{name} joint", carrier, package, at=at, axes=((0.0, 0.0, 1.0), (0.0, 1.0, 0.0))
            ),
        ]
        for label, place in wheels(p, sign).items():
            wheel = cl.Sphere(f"{name} {label} wheel", package, radius=p.wheel, at=place)
            items += [wheel, cl.Contact(wheel, track[side], name=f"{name} {label}", mu=p.mu)]
    return cl.Model(*items, gravity=(0.0, 0.0, -p.gravity), name="roller coaster")


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run from the first edge to behind the hill with steps of 1 ms."""
    if "t_end" not in options:
        path = car_line(Parameters())
        options["t_end"] = round(float(np.interp(GOAL, path.s, path.time)), 2)
    options.setdefault("method", cl.Moreau(dt=1e-3))
    options.setdefault("every", 5)
    options.setdefault("progress", False)
    return cl.simulate(build(p), **options)


def contact_names() -> list[str]:
    """Return the names of all 24 contacts."""
    return [f"{package} {kind} {k}" for package in PACKAGES for kind in KINDS for k in (0, 1)]


def places(sol: cl.Solution, p: Parameters) -> Floats:
    """Return the arc length of the point of the path nearest to the car, over time."""
    path = line(p)
    found = []
    k = int(np.argmin(np.abs(path.s - START * p.size)))
    for r in sol["car"].position:
        window = slice(max(k - 50, 0), k + 300)
        k = max(k - 50, 0) + int(np.argmin(np.sum((path.r[window] - r) ** 2, axis=1)))
        t = trihedron(p, path.s[k : k + 1])[0][0]
        found.append(path.s[k] + float(t @ (r - path.r[k])))
    return np.array(found)


def stations(p: Parameters, s: Floats) -> list[Floats]:
    """Return the arc lengths of the four places where wheels stand, for the car at s."""
    a = 0.5 * p.wheelbase
    return [s + x for x in (a + p.spread, a - p.spread, p.spread - a, -p.spread - a)]


def expected_forces(p: Parameters, s: Floats, *, point: bool = False) -> tuple[Floats, Floats]:
    """Return upward and lateral force over the mass at places; of a `point` or of the car."""
    path = line(p) if point else car_line(p)
    v2 = np.interp(s, path.s, path.speed) ** 2
    pitch = angles(p, s)[0]
    where = [s] if point else stations(p, s)
    bend = np.mean([angles(p, x)[2] for x in where], axis=0)
    turn = np.mean([angles(p, x)[3] * np.cos(angles(p, x)[0]) for x in where], axis=0)
    return p.gravity * np.cos(pitch) + v2 * bend, v2 * turn


def found_forces(sol: cl.Solution, p: Parameters, s: Floats) -> tuple[Floats, Floats]:
    """Return upward and lateral force over the mass from the impulses of all wheels, per row."""
    impulse = sum((np.asarray(sol[name].impulse) for name in contact_names()), np.zeros(3))
    force = impulse[1:] / np.diff(sol.t)[:, None] / total_mass(p)
    _, up, side = trihedron(p, 0.5 * (s[1:] + s[:-1]))
    return np.sum(force * up, axis=1), np.sum(force * side, axis=1)


def means(x: Floats, count: int) -> Floats:
    """Return the means of groups of `count` numbers."""
    return np.asarray(x[: len(x) // count * count].reshape(-1, count).mean(axis=1))


def gaps(sol: cl.Solution) -> Floats:
    """Return the larger gap of running and up-stop wheel at every place of a package, over time.

    On the rail the two gaps add to the clearance.
    """
    found = []
    for package in PACKAGES:
        for k in (0, 1):
            run, hold = (np.asarray(sol[f"{package} {kind} {k}"].gap) for kind in ("run", "hold"))
            found.append(np.maximum(run, hold))
    return np.column_stack(found)


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare speed, time and forces with the path, and look whether a wheel left the rails."""
    path, s = line(p), places(sol, p)
    gap = gaps(sol)
    needed = [name for name in contact_names() if "right side" not in name]
    touched = sum(float(np.max(sol[name].Lambda_N) > 0.0) for name in needed)
    left = gap.reshape(len(gap), 4, 2).max(axis=(0, 2)) < p.clearance + 0.5 * p.rail
    values = {
        "largest gap over clearance": float(gap.max()) / p.clearance,
        "packages left on the rails": float(left.sum()),
        "wheels that carried, of 20 that must": touched,
    }
    checks = [check_reference(name, value, REFERENCE) for name, value in values.items()]
    speed = np.linalg.norm(sol["car"].velocity, axis=1)
    point, car = (float(np.abs(speed / np.interp(s, x.s, x.speed) - 1.0).max())
                  for x in (path, car_line(p)))  # fmt: skip
    arrival = float(np.interp(s[-1], car_line(p).s, car_line(p).time))
    checks += [
        # the car is (wheelbase / 2 kappa)^2 / 2 slower, and lower, than a point
        compare("speed against a point mass, relative", point, 0.0, 0.015),
        # a step of time stepping loses (v kappa dt)^2 / 2 of the speed, 1e-3 over the whole way
        compare("speed against the car's energy, relative", car, 0.0, 3e-3),
        compare("time of arrival [s]", float(sol.t[-1]), arrival, 2e-3 * arrival),
    ]
    middle = 0.5 * (s[1:] + s[:-1])
    for name, got, want in zip(
        ("upward", "lateral"), found_forces(sol, p, s), expected_forces(p, middle), strict=True
    ):
        # in the airtime a wheel crosses the clearance c with a fifth of gravity and is caught with
        # sqrt(2 a c) = 0.09 m/s within one window of 0.1 s
        off = np.abs(means(got, ROWS) - means(want, ROWS)).max() / p.gravity
        checks.append(compare(f"{name} force against curvature [g]", float(off), 0.0, 0.09))
    airtime = expected_forces(p, middle)[0] < 0.0
    held = sum(
        (np.asarray(sol[f"{name} hold {k}"].impulse)[1:, 2] for name in PACKAGES for k in (0, 1)),
        np.zeros(len(middle)),
    )
    duration = float(np.diff(sol.t)[airtime].sum())
    checks.append(compare("held down, part of the time", float((held < 0.0)[airtime].mean())
                          if duration > 0.0 else 0.0, 1.0, 0.1))  # fmt: skip
    return checks


def show(sol: cl.Solution) -> Any:
    """Draw the path in space, and the forces along it with those of the curvature."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

    p = Parameters()
    s = places(sol, p)
    middle = 0.5 * (s[1:] + s[:-1])
    pairs = zip(
        ("upward", "lateral"), found_forces(sol, p, s), expected_forces(p, middle), strict=True
    )
    with house_style():
        figure = new_figure(10.0, 4.0)
        left = figure.add_subplot(1, 2, 1, projection="3d")
        right = figure.add_subplot(1, 2, 2)
        for rail in rails(p):
            left.plot(*rail.T, color="0.6", lw=0.8)
        left.plot(*sol["car"].position.T, color=COLOURS[0])
        # heights are drawn twice as large
        left.set_box_aspect((33.0, 38.0, 14.0), zoom=0.95)
        left.view_init(elev=25.0, azim=-55.0)
        left.set_zticks([-4.0, -2.0, 0.0])
        left.set_xlabel(axis_label("x", "m"))
        left.set_ylabel(axis_label("y", "m"))
        left.set_zlabel(axis_label("z", "m"))
        left.set_title("Rails and centre of mass")
        for k, (name, got, want) in enumerate(pairs):
            right.plot(
                means(middle, ROWS), means(got, ROWS) / p.gravity, color=COLOURS[k], label=name
            )
            label = "from the curvature" if k else None
            right.plot(middle, want / p.gravity, color="0.2", lw=0.8, ls="--", label=label)
        right.set_xlabel(axis_label("arc length", "m"))
        right.set_ylabel(axis_label("force over weight", "1"))
        right.set_title("All 24 wheels together")
        add_legend(right)
    return figure
