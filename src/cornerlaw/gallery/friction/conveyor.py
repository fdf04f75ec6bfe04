"""Vibration conveyor in the plane: a shaken track moves parts uphill.

The track is inclined by alpha and shaken along a direction that is beta above it,

    s(t) = A sin(Omega t) (cos beta, sin beta)     in the axes of the track.

Small amplitudes do nothing; from

    A Omega^2 = g (mu cos alpha - sin alpha) / (cos beta - mu sin beta)      parts slide back,
    A Omega^2 = g (mu cos alpha + sin alpha) / (cos beta + mu sin beta)      they slide forward,
    A Omega^2 = g cos alpha / sin beta                                       they leave the track,

and beyond they hop, with impacts at two corners. A box that lies flat stays so: both corners hit
alike, it moves as a mass point, slower than one that was given the least spin and rattles. The
transport velocity, averaged over many periods, grows with the amplitude and hardly depends on the
number of parts in a row.

Source: Pfeiffer 1999, the conveyor with 50 Hz, alpha = 3 deg, beta = 15 deg, eps = 0.84 and
mu = 0.23; its parts are not described, boxes stand for them here. The default run slides without
hopping, so that its velocity can be compared with that of one mass point in closed form; hopping
is chaotic and compared by its averages.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, compare, parameter
from cornerlaw.gallery.friction._conveyor import Conveyor

TITLE = "Vibration conveyor, plane"
TOPIC = "friction"
SPEC: tuple[str, ...] = ("U2",)
SOURCE = "Pfeiffer 1999"
DOF = 3


@dataclass(frozen=True)
class Parameters(Conveyor):
    """Track, drive, and boxes in a row; how they begin to tilt."""

    spin: float = parameter(0.0, "rad/s", "chosen: parts lie flat and stay so until they bump")


REFERENCE = {
    "amplitude of sliding back [m]": Reference(1.9448e-5, 5e-10, "formula above"),
    "amplitude of sliding forward [m]": Reference(2.7336e-5, 5e-10, "formula above"),
    "amplitude of hopping [m]": Reference(3.8351e-4, 5e-8, "formula above"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"amplitude": 3.6e-4},
    {"mu": 0.276},
    {"inclination": math.radians(3.6)},
    {"direction": math.radians(12.0)},
    {"frequency": 40.0},
)


def thresholds(p: Parameters) -> dict[str, float]:
    """Return the amplitudes at which parts begin to slide back, to slide forward, and to hop."""
    w2 = (2.0 * math.pi * p.frequency) ** 2
    sa, ca = math.sin(p.inclination), math.cos(p.inclination)
    sb, cb = math.sin(p.direction), math.cos(p.direction)
    return {
        "amplitude of sliding back [m]": p.gravity * (p.mu * ca - sa) / (cb - p.mu * sb) / w2,
        "amplitude of sliding forward [m]": p.gravity * (p.mu * ca + sa) / (cb + p.mu * sb) / w2,
        "amplitude of hopping [m]": p.gravity * ca / sb / w2,
    }


def sliding_way(p: Parameters, times: Sequence[float]) -> list[float]:
    """Return the way along the track of a point that starts at rest on it, at rising times.

    While it slides in the direction sigma, its velocity against the track obeys

        v' = A Omega^2 sin(Omega t) (cos beta + sigma mu sin beta) - g (sin alpha + sigma mu cos
        alpha),

    which is integrated in closed form between the zeros of v; it sticks where neither direction
    of sliding can begin.
    """
    from scipy.optimize import brentq

    w = 2.0 * math.pi * p.frequency
    sa, ca = p.gravity * math.sin(p.inclination), p.gravity * math.cos(p.inclination)
    sb, cb = math.sin(p.direction), math.cos(p.direction)

    def rate(t: float, sigma: float) -> float:
        shake = p.amplitude * w * w * math.sin(w * t)
        return shake * (cb + sigma * p.mu * sb) - (sa + sigma * p.mu * ca)

    def speed(t: float, t0: float, v0: float, sigma: float) -> float:
        shake = p.amplitude * w * (math.cos(w * t0) - math.cos(w * t))
        return v0 + shake * (cb + sigma * p.mu * sb) - (sa + sigma * p.mu * ca) * (t - t0)

    def way(t: float, t0: float, v0: float, sigma: float) -> float:
        s = p.amplitude * (w * (t - t0) * math.cos(w * t0) - math.sin(w * t) + math.sin(w * t0))
        d = t - t0
        return v0 * d + s * (cb + sigma * p.mu * sb) - 0.5 * (sa + sigma * p.mu * ca) * d * d

    def next_direction(t: float) -> float:
        return 1.0 if rate(t, 1.0) > 0.0 else -1.0 if rate(t, -1.0) < 0.0 else 0.0

    tick = 1.0 / p.frequency / 200.0
    t, t0, x0, v0 = 0.0, 0.0, 0.0, 0.0
    sigma, found = next_direction(0.0), []
    for goal in times:
        while t < goal:
            step = min(t + tick, goal)
            if sigma == 0.0:
                sides = [s for s in (1.0, -1.0) if s * rate(step, s) > 0.0]
                if sides:
                    begin = (
                        t
                        if rate(t, sides[0]) * sides[0] > 0.0
                        else (brentq(rate, t, step, args=(sides[0],), xtol=1e-15))
                    )
                    sigma, t0, v0, step = sides[0], begin, 0.0, begin
            elif sigma * speed(step, t0, v0, sigma) <= 0.0 and t > t0:
                end = brentq(speed, t, step, args=(t0, v0, sigma), xtol=1e-15)
                x0 += way(end, t0, v0, sigma)
                sigma, t0, v0, step = next_direction(end), end, 0.0, end
            t = max(step, t + 1e-12)
        moved = way(t, t0, v0, sigma) if sigma else 0.0
        found.append(x0 + moved)
    return found


def build(p: Parameters) -> cl.Model:
    """Return the track and a row of boxes, in the axes of the track; each lands a little later."""
    w = 2.0 * math.pi * p.frequency
    along, up = p.amplitude * math.cos(p.direction), p.amplitude * math.sin(p.direction)
    track = cl.MovingFrame(
        "track",
        position=(lambda t: along * math.sin(w * t), lambda t: up * math.sin(w * t)),
        normal=(0.0, 1.0),
    )
    start = (along * w, up * w)
    a, b = 0.5 * p.length, 0.5 * p.height
    corners = ((-a, -b), (a, -b), (a, b), (-a, b))
    inertia = p.mass * (p.length**2 + p.height**2) / 12.0
    items: list[Any] = [track]
    before = None
    for k in range(p.parts):
        body = cl.Body(
            f"part {k}", mass=p.mass, inertia=inertia, velocity=start, angular_velocity=p.spin,
            position=(1.1 * k * p.length, b + 1.5 * k * p.amplitude),
        )  # fmt: skip
        hull = cl.Polygon(f"hull {k}", body, vertices=corners)
        law: dict[str, Any] = {"mu": p.mu, "eps_N": p.restitution, "eps_speed": 1e-3}
        items += [body, hull, cl.Contact(hull, track, name=f"foot {k}", **law)]
        if before is not None:
            items.append(cl.Contact(before, hull, name=f"bump {k}", **law))
        before = hull
    down = (-p.gravity * math.sin(p.inclination), -p.gravity * math.cos(p.inclination))
    return cl.Model(*items, gravity=down, name="conveyor")


def simulate(p: Parameters, **options: Any) -> cl.Solution:
    """Run 20 periods of the drive, stored 100 times each."""
    if "t_end" not in options:
        options["t_end"] = 20.0 / p.frequency
        options.setdefault("t_eval", np.linspace(0.0, options["t_end"], 2001))
    options.setdefault("method", cl.EventDriven())
    options.setdefault("progress", False)
    return cl.simulate(build(p), **options)


def transport(sol: cl.Solution, p: Parameters, since: float) -> float:
    """Return the mean velocity of all parts over whole periods from `since` to the end."""
    periods = math.floor((sol.t[-1] - since) * p.frequency + 1e-9)
    start = sol.t[-1] - periods / p.frequency
    k = int(np.argmin(np.abs(sol.t - start)))
    way = [sol[f"part {i}"].position[-1, 0] - sol[f"part {i}"].position[k, 0] for i in
           range(p.parts)]  # fmt: skip
    return float(np.mean(way) / (sol.t[-1] - sol.t[k]))


def hopping(
    p: Parameters, amplitudes: Sequence[float], *, parts: int = 1, t_end: float = 4.0
) -> list[float]:
    """Return the transport velocities at amplitudes that let the parts hop."""
    found = []
    for amplitude in amplitudes:
        now = replace(p, amplitude=amplitude, parts=parts)
        sol = cl.simulate(
            build(now), t_end=t_end, method=cl.Moreau(dt=2e-4), progress=False,
            t_eval=np.linspace(0.0, t_end, round(t_end * p.frequency) + 1),
        )  # fmt: skip
        found.append(transport(sol, now, 0.5))
    return found


def begins(p: Parameters, name: str, amplitude: float) -> bool:
    """Return whether a part does at an amplitude what a threshold is of, within three periods."""
    now, end = replace(p, amplitude=amplitude, parts=1), 3.0 / p.frequency
    sol = simulate(now, t_end=end, t_eval=np.linspace(0.0, end, 601))
    if "hopping" in name:
        return any(event.kind == "detach" for event in sol.events)
    speed = sol["foot 0[0]"].gamma_T * (1.0 if "forward" in name else -1.0)
    # two percent beyond a threshold parts slide at 1e-5 m/s
    return bool(speed.max() > 1e-7)


def check(sol: cl.Solution, p: Parameters, ran: Parameters | None = None) -> list[Check]:
    """Compare the thresholds and the sliding velocity, and the averages of hopping parts."""
    ran = ran or p  # runs of its own have the parameters of the given one
    found = thresholds(ran)
    checks = [
        compare(name, found[name], reference.value, reference.tolerance)
        for name, reference in REFERENCE.items()
    ]
    for name, reference in REFERENCE.items():
        around = [begins(ran, name, share * reference.value) for share in (0.98, 1.02)]
        text = name.removesuffix(" [m]").replace("amplitude of", "begins within 2 % of that of")
        checks.append(compare(text, float(around == [False, True]), 1.0, 0.0))
    begin, end = sliding_way(p, (0.5 * sol.t[-1], sol.t[-1]))
    reference = 2.0 * (end - begin) / sol.t[-1]
    # both follow the pieces to some 1e-9; the run starts a rounding away from rest
    checks.append(
        compare("sliding velocity [m/s]", transport(sol, p, 0.5 * sol.t[-1]), reference, 1e-7)
    )
    feet = sol["foot 0[0]"], sol["foot 0[1]"]
    weight = p.mass * p.gravity * math.cos(p.inclination)
    lift = p.mass * p.amplitude * (2.0 * math.pi * p.frequency) ** 2 * math.sin(p.direction)
    total = feet[0].lam_N + feet[1].lam_N
    checks += [
        compare("largest normal force [N]", float(total.max()), weight + lift, 1e-3 * weight),
        compare("smallest normal force [N]", float(total.min()), weight - lift, 1e-3 * weight),
    ]
    rises = np.diff(hopping(ran, (6e-4, 1.2e-3, 2e-3)))
    checks.append(
        compare("velocity grows with the amplitude", float(np.all(rises > 0.0)), 1.0, 0.0)
    )
    return checks


def show(sol: cl.Solution) -> Any:
    """Draw the way of the parts and the forces under the first."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2)
        names = [name for name in sol.parts if name.startswith("part ")]
        for k, name in enumerate(names):
            x = sol[name].position[:, 0]
            left.plot(sol.t, 1e3 * (x - x[0]), color=COLOURS[k % len(COLOURS)], label=name)
        left.set_xlabel(axis_label("time", "s"))
        left.set_ylabel(axis_label("way", "mm"))
        add_legend(left)
        for k in range(2):
            foot = sol[f"foot 0[{k}]"]
            right.plot(sol.t, foot.lam_N, color=COLOURS[k], label=f"corner {k}")
        right.set_xlabel(axis_label("time", "s"))
        right.set_ylabel(axis_label("normal force", "N"))
        add_legend(right)
    return figure
