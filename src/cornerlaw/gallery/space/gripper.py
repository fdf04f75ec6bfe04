"""Gripper lifted by a screw: two fingers hold a block, a thread of contacts carries them all.

A spindle with a motor turns in a bearing. The nut of a carriage rests with a few points of its
thread on the flank of the spindle, the screw surface (s cos a, s sin a, l a / (2 pi)) with the lead
l, and as it cannot turn it climbs by the lead in every turn. Two fingers on the carriage are
pressed together with the force N each and hold a block of mass m between them by friction alone.
It goes up and down, twice, and is shaken on the way,

    z(t) = h / 2 (1 - cos(pi t / T)) + A (1 - cos(w t)),

as the torque of the motor is what this needs: l / (2 pi) (M (g + z'') + J (2 pi / l)^2 z'') for all
that is lifted, M, and the spindle, J. Nothing else holds the carriage up. Each finger carries
m (g + z'') / 2. The block does not slide as long as that stays below mu N, and then it must not
creep: it is where it was in the fingers, and after the second cycle where it was after the first.

A second screw shows friction in the thread: a bolt hangs in the thread of a nut. Without friction,
turned once, it moves by the lead. With friction it holds itself, and the weight on it, if mu is
above tan(lambda) = l / (2 pi r) at the radius r of the points, and runs down if mu is below.

Simplified: fingers move straight, not on links; what presses them is a force, not a motor. Threads
are one flank at one radius, touched at points a third of a turn apart, not along a line: that of
the spindle is steep, without friction, and its nut is guided; the bolt is guided by a sleeve (a
cylindrical joint) without friction.

Source: statics of grip and screw, any textbook. All numbers are chosen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, compare, parameter
from cornerlaw.gallery.space._solids import box_corners, draw_solids

TITLE = "Gripper, lifted by a screw thread"
TOPIC = "space"
SPEC: tuple[str, ...] = ()
SOURCE = "textbook: statics"
DOF = 10

Floats = NDArray[np.float64]
BLOCK = (0.06, 0.05, 0.08)  # [m]
FINGER = (0.02, 0.03, 0.04)  # [m]
BEAM, ABOVE = (0.12, 0.03, 0.02), 0.07  # of the carriage: its size, its height over the block [m]
CARRIAGE, SPINDLE = 1.0, 1.0  # [kg]
BESIDE = 0.06  # from the middle of the block to the axis of the spindle [m]


@dataclass(frozen=True)
class Parameters:
    """Fingers and block; spindle; bolt and nut."""

    mass: float = parameter(1.5, "kg", "chosen: the block")
    finger_mass: float = parameter(0.2, "kg", "chosen: one finger")
    grip: float = parameter(25.0, "N", "chosen: force of a finger")
    mu: float = parameter(0.5, "1", "chosen: rubber on metal; 0.377 is needed")
    lift_lead: float = parameter(0.05, "m", "chosen: of the spindle, a steep thread")
    lift_turns: float = parameter(2.0, "1", "chosen: turns of the spindle up, and down again")
    duration: float = parameter(0.5, "s", "chosen: of the lift")
    shake: float = parameter(2e-4, "m", "chosen: amplitude on the way")
    frequency: float = parameter(10.0, "Hz", "chosen: of the shaking")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")
    lead: float = parameter(0.005, "m", "chosen: of the bolt")
    thread_radius: float = parameter(0.01, "m", "chosen: where flanks touch")
    thread_points: int = parameter(3, "1", "chosen: three carry the bolt without play")
    bolt_mass: float = parameter(0.1, "kg", "chosen: the bolt")
    turns: float = parameter(2.0, "1", "chosen: turns of the bolt")


REFERENCE = {
    "height of the lift [m]": Reference(0.1, 1e-6, "two turns of 50 mm; steps of second order"),
    "friction the lift needs": Reference(0.3772, 5e-5, "m (g + max z'') / (2 N)"),
    "friction that holds the screw": Reference(0.0796, 5e-5, "l / (2 pi r)"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"mu": 0.33},
    {"grip": 18.0},
    {"gravity": 7.85},
    {"lift_lead": 0.06},
    {"lift_turns": 1.6},
)


def acceleration(p: Parameters, t: Any) -> Any:
    """Return the acceleration of the carriage."""
    s, w = math.pi / p.duration, 2.0 * math.pi * p.frequency
    return 0.5 * p.lift_turns * p.lift_lead * s * s * np.cos(s * t) + p.shake * w * w * np.cos(
        w * t
    )


def needed(p: Parameters) -> float:
    """Return the coefficient of friction the lift needs."""
    t = np.linspace(0.0, p.duration, 10001)
    return float(p.mass * (p.gravity + acceleration(p, t).max()) / (2.0 * p.grip))


def _spindle(p: Parameters, ground: cl.Ground, carriage: cl.Body) -> list[Any]:
    """Return the spindle with its motor and thread, and the teeth of the nut on the carriage."""
    r, rise = p.thread_radius, p.lift_lead / (2.0 * math.pi)
    spin = cl.inertia.cylinder(SPINDLE, r, 0.3)
    spindle = cl.Body("spindle", mass=SPINDLE, inertia=spin)
    place = (0.0, BESIDE, ABOVE)
    bearing = cl.Revolute("bearing", ground, spindle, axis=(0.0, 0.0, 1.0), at=place)
    moved = CARRIAGE + 2.0 * p.finger_mass + p.mass
    weight, whole = moved * p.gravity, moved + spin.tensor[2][2] / rise**2
    turn, shaken = math.pi / p.duration, 2.0 * math.pi * p.frequency
    lift, shake = 0.5 * p.lift_turns * p.lift_lead * turn**2, p.shake * shaken**2

    # a nut that cannot turn climbs a right-handed thread that turns clockwise seen from above
    def torque(t: float) -> float:
        z_tt = lift * math.cos(turn * t) + shake * math.cos(shaken * t)
        return -rise * (weight + whole * z_tt)

    end = 2.0 * math.pi * (p.lift_turns + 1.5)
    flank = cl.Surface(
        "spindle flank", spindle, s=(0.8 * r, 1.2 * r), t=(-end, end),
        function=lambda s, t: (s * math.cos(t), s * math.sin(t), rise * t),
    )  # fmt: skip
    items: list[Any] = [spindle, bearing, cl.Torque("motor", bearing, value=torque), flank]
    for k in range(p.thread_points):
        a = 2.0 * math.pi * k / 3.0
        at = (r * math.cos(a), BESIDE + r * math.sin(a), ABOVE + rise * a)
        tooth = cl.ContactPoint(f"tooth {k}", carriage, at=at)
        items += [tooth, cl.Contact(tooth, flank, name=f"nut {k}")]
    return items


def build(p: Parameters) -> cl.Model:
    """Return spindle, carriage, fingers and block."""
    ground = cl.Ground("ground")
    above = (0.0, 0.0, ABOVE)
    carriage = cl.Body("carriage", mass=CARRIAGE, inertia=cl.inertia.box(CARRIAGE, BEAM), com=above)
    guide = cl.Prismatic("guide", ground, carriage, axis=(0.0, 0.0, 1.0), at=above, at_second=above)
    block = cl.Body("block", mass=p.mass, inertia=cl.inertia.box(p.mass, BLOCK))
    hull = cl.Box("hull", block, size=BLOCK)
    items: list[Any] = [ground, carriage, guide, block, hull, *_spindle(p, ground, carriage)]
    for name, side in (("left", -1.0), ("right", 1.0)):
        finger = cl.Body(name, mass=p.finger_mass, inertia=cl.inertia.box(p.finger_mass, FINGER))
        place = side * 0.5 * (BLOCK[0] + FINGER[0])
        slide = cl.Prismatic(
            f"{name} slide", carriage, finger, axis=(1.0, 0.0, 0.0), at=(place, 0.0, 0.0)
        )
        pad = cl.Box(f"{name} pad", finger, size=FINGER)
        push = cl.Force(f"{name} push", finger, value=(-side * p.grip, 0.0, 0.0))
        items += [finger, slide, pad, push, cl.Contact(hull, pad, name=f"{name} grip", mu=p.mu)]
    return cl.Model(*items, gravity=(0.0, 0.0, -p.gravity), name="gripper")


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Go up and down twice, in steps of a millisecond; five make a row."""
    options.setdefault("t_end", 4.0 * p.duration)
    if "t_eval" not in options:
        options.setdefault("every", 5)
    options.setdefault("method", cl.Moreau(dt=1e-3))
    options.setdefault("progress", False)
    return cl.simulate(build(p), **options)


def slides(p: Parameters) -> bool:
    """Tell whether the block slides by more than a tenth of a millimetre in the first cycle."""
    sol = simulate(p, t_end=2.0 * p.duration)
    return bool(slip(sol)[-1] > 1e-4)


def slip(sol: cl.Solution) -> Floats:
    """Return how far the block is from its place in the fingers, by row [m]."""
    way = sol["block"].position - 0.5 * (sol["left"].position + sol["right"].position)
    return np.asarray(np.linalg.norm(way - way[0], axis=1))


def build_screw(p: Parameters, *, mu: float = 0.0, drive: bool = True) -> cl.Model:
    """Return the bolt on the flank of the nut, turned at a turn per second or left to itself."""
    r, rise = p.thread_radius, p.lead / (2.0 * math.pi)
    ground = cl.Ground("nut")
    low, high = 0.8 * r, 1.2 * r
    end = 2.0 * math.pi * (p.turns + 2.0)
    flank = cl.Surface(
        "flank", ground, s=(low, high), t=(-end, end),
        function=lambda s, t: (s * math.cos(t), s * math.sin(t), rise * t),
    )  # fmt: skip
    bolt = cl.Body("bolt", mass=p.bolt_mass, inertia=cl.inertia.cylinder(p.bolt_mass, r, 4.0 * r))
    rate = 2.0 * math.pi
    more: dict[str, Any] = {"drive": {"angle": lambda t: rate * t}} if drive else {}
    sleeve = cl.Cylindrical("sleeve", ground, bolt, axis=(0.0, 0.0, 1.0), **more)
    items: list[Any] = [ground, flank, bolt, sleeve]
    for k in range(p.thread_points):
        a = 2.0 * math.pi * k / 3.0
        point = cl.ContactPoint(f"point {k}", bolt, at=(r * math.cos(a), r * math.sin(a), rise * a))
        items += [point, cl.Contact(point, flank, name=f"thread {k}", mu=mu)]
    return cl.Model(*items, gravity=(0.0, 0.0, -p.gravity), name="screw")


def run_screw(p: Parameters, *, t_end: float, mu: float = 0.0, drive: bool = True) -> cl.Solution:
    """Run the bolt in steps of two milliseconds."""
    model = build_screw(p, mu=mu, drive=drive)
    return cl.simulate(model, t_end=t_end, method=cl.Moreau(dt=2e-3), every=10, progress=False)


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare forces with statics and the bolt with its lead; what sticks must not creep."""
    limit = p.lead / (2.0 * math.pi * p.thread_radius)
    found = {"friction the lift needs": needed(p), "friction that holds the screw": limit}
    checks = [
        compare(name, value, REFERENCE[name].value, REFERENCE[name].tolerance)
        for name, value in found.items()
    ]
    name, height = "height of the lift [m]", float(sol["block"].position[:, 2].max())
    checks.append(compare(name, height, REFERENCE[name].value, REFERENCE[name].tolerance))
    away, half = slip(sol), len(sol.t) // 2
    rows = np.arange(2, len(sol.t))
    grips = [sol["left grip"].force, sol["right grip"].force]
    # a row is the mean over its steps
    up = p.gravity + acceleration(p, sol.t[rows] - 0.5 * (sol.t[1] - sol.t[0]))
    held = np.abs(grips[0][rows, 2] + grips[1][rows, 2] - p.mass * up).max()
    whole = CARRIAGE + 2.0 * p.finger_mass + p.mass
    nut = sum(sol[f"nut {k}"].force[rows, 2] for k in range(p.thread_points))
    carried = np.abs(nut - whole * up).max()
    climbed = sol["carriage"].position[:, 2] + p.lift_lead / (2.0 * math.pi) * sol["bearing"].angle
    speed = float(np.linalg.norm(sol["block"].position[-1] - sol["block"].position[half]))
    checks += [
        compare("creep from cycle to cycle [m/s]", speed / (2.0 * p.duration), 0.0, 1e-12),
        compare("largest way in the fingers [m]", away.max(), 0.0, 1e-12),
        compare("way over lead times turns [m]", np.ptp(climbed), 0.0, 1e-12),
        # the mean of a cosine of 10 Hz over 5 ms is 0.4 % below the one in its middle
        compare("force of the fingers over the load [N]", held, 0.0, 5e-4 * p.mass * p.gravity),
        compare("force of the nut over the load [N]", carried, 0.0, 5e-4 * whole * p.gravity),
        compare("grip [N]", np.abs(grips[1][1:, 0]).min(), p.grip, 1e-6),
        compare("penetration [m]", sol.statistics["worst_penetration"], 0.0, 1e-9),
        compare("0.9 of that friction: slides", slides(replace(p, mu=0.9 * needed(p))), 1.0, 0.0),
    ]
    turned = run_screw(p, t_end=p.turns)
    holds = run_screw(p, t_end=0.2, mu=1.1 * limit, drive=False)
    loose = run_screw(p, t_end=0.2, mu=0.5 * limit, drive=False)
    checks += [
        compare(
            "screw: advance over turns times lead",
            turned["bolt"].position[-1, 2] / (p.turns * p.lead), 1.0, 1e-9,
        ),
        compare("screw that holds: speed [m/s]", holds["bolt"].velocity[-1, 2], 0.0, 1e-12),
        compare(
            "screw that runs down: acceleration [m/s^2]",
            loose["bolt"].velocity[-1, 2] / loose.t[-1], run_down(p, 0.5 * limit), 1e-6,
        ),
    ]  # fmt: skip
    return checks


def run_down(p: Parameters, mu: float) -> float:
    """Return the acceleration of the bolt that its weight turns against friction.

    The flank pushes with the force F normal to it and mu F along the way, inclined by lambda, of
    its points: m z'' = F (cos lambda + mu sin lambda) - m g and J z'' / (l / 2 pi) =
    -F r (sin lambda - mu cos lambda).
    """
    rise = p.lead / (2.0 * math.pi)
    moment = cl.inertia.cylinder(p.bolt_mass, p.thread_radius, 4.0 * p.thread_radius).tensor[2][2]
    angle = math.atan(rise / p.thread_radius)
    lift = math.cos(angle) + mu * math.sin(angle)
    turn = p.thread_radius * (math.sin(angle) - mu * math.cos(angle))
    # F = -J z'' / (rise turn), put into the first
    return float(-p.bolt_mass * p.gravity / (p.bolt_mass + moment * lift / (rise * turn)))


def show(sol: cl.Solution) -> Any:
    """Draw the gripper low and high, and the load of the fingers against what friction allows."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

    p = Parameters()
    solids = {"block": box_corners(BLOCK), "left": box_corners(FINGER)}
    solids["right"] = solids["left"]
    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2, width_ratios=(1, 2))
        for row in (0, len(sol.t) // 4):
            draw_solids(left, sol, solids, row)
        left.set_title("Low and high")
        for name, colour in zip(("left", "right"), COLOURS, strict=False):
            force = sol[f"{name} grip"].force[1:, 2]
            right.plot(sol.t[1:], force, color=colour, label=f"{name} finger",
                       ls="-" if name == "left" else "--")  # fmt: skip
        right.axhline(p.mu * p.grip, color="#222222", ls=":", label="largest friction")
        right.set_xlabel(axis_label("time", "s"))
        right.set_ylabel(axis_label("load of a finger", "N"))
        add_legend(right)
    return figure
