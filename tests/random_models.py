"""Random valid models of everything at once: trees, loops, contacts, corner elements, forces.

`scene(seed)` draws one. All frames are parallel at zero coordinates and every joint sits at a drawn
point of the world, so that any graph of joints fits together, loops and too many constraints
included; a half-plane or half-space lies under a point of some bodies, with or without a gap. Only
numbers differ, never functions, so that no model is compiled anew.

As a program, `python random_models.py COUNT FIRST [KEEP]` runs the seeds from FIRST on in this
process, asserts the contact laws of every run, and prints what the models contained and what failed
as JSON. A model that takes longer than LIMIT ends the process; the last line of the errors has its
seed, as has a line for every failure as soon as it is known.
"""

from __future__ import annotations

import json
import re
import signal
import sys
import time
import warnings
from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
from contact_laws import assert_contact_laws, law_arguments

import cornerlaw as cl
from cornerlaw.arrays.corner_work import OPEN, SLIP, SLIP_MINUS, SLIP_PLUS, STICK

LIMIT = 60.0  # seconds of processor time; a model takes some hundredths
DT = 2e-3
STEPS = 50
# what a run may say instead of a result: it must say it, and seldom
GIVEN_UP = "events pile up|implicit step did not converge|dead position"
# impacts with restitution have no solution where two corners oppose each other, such as a stop and
# a freewheel, or where friction locks a lever; the run has proved it
NO_SOLUTION = "has no solution"
SPATIAL = ("Spherical", "Universal", "Cylindrical", "Screw")
FREEDOM = {
    "Revolute": 1, "Prismatic": 1, "Screw": 1, "Spherical": 3, "Universal": 2, "Cylindrical": 2,
    "PlanarJoint": 3, "Translation": 2,
}  # fmt: skip
COUNTED = ("closed", "stick", "slip", "loop", "impact", "redundancy")


def coefficient(rng: np.random.Generator) -> Any:
    """Return a friction law; none has a function of its own."""
    kind = rng.integers(6)
    mu = float(rng.uniform(0.0, 1.2))
    if kind == 0:
        return 0.0
    if kind == 1:
        return cl.Stribeck(static=mu + 0.2, kinetic=mu, velocity=0.1)
    if kind == 2:
        return cl.Coulomb(mu, static=mu + 0.1)
    return mu


class Drawing:
    """A model in the making; `n` is the dimension, `up` its vertical."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.n = 2 if self.rng.random() < 0.6 else 3
        self.up = np.eye(self.n)[-1]
        self.ground = cl.Ground()
        self.parts: list[Any] = []
        self.origin: dict[str, Any] = {"ground": np.zeros(self.n)}
        self.eps = float(self.rng.choice([0.0, 0.0, 0.5, self.rng.uniform(0.0, 0.9)]))
        self.loops = 0
        self.above: dict[str, list[tuple[str, int]]] = {"ground": []}

    def name(self, start: str) -> str:
        return f"{start}{len(self.parts)}"

    def add(self, part: Any) -> Any:
        self.parts.append(part)
        return part

    def vector(self, size: float) -> Any:
        return self.rng.uniform(-size, size, self.n)

    def chance(self, p: float) -> bool:
        return bool(self.rng.random() < p)

    def mass(self) -> float:
        return float(10.0 ** self.rng.uniform(-1.0, 1.0))

    def at(self, body: Any, point: Any) -> tuple[float, ...]:
        """Return a point of the world in the frame of a body at zero coordinates."""
        return tuple(np.asarray(point) - self.origin[body.name])

    def body(self, place: Any, **start: Any) -> Any:
        """Return a body of random inertia with its origin at a place."""
        mass = self.mass()
        if self.n == 2:
            inertia: Any = mass * self.rng.uniform(0.01, 0.1)
        else:
            a, b, c = self.rng.uniform(0.1, 0.4, 3) ** 2
            inertia = tuple(mass / 3.0 * np.array([b + c, a + c, a + b]))
        name = self.name("body")
        self.origin[name] = np.asarray(place)
        com = tuple(self.vector(0.1)) if not start else (0.0,) * self.n
        return cl.Body(name, mass=mass, inertia=inertia, com=com, **start)

    def axis(self) -> tuple[float, ...]:
        way = self.rng.normal(size=self.n)
        return tuple(way / np.linalg.norm(way))

    def half_space(self, point: Any, gap: float) -> Any:
        """Return a ground below a point, mostly level."""
        tilt = 0.0 if self.chance(0.6) else 0.4
        normal = self.up + tilt * self.vector(0.5)
        normal /= np.linalg.norm(normal)
        at = tuple(np.asarray(point) - gap * normal)
        return self.add(cl.Ground(self.name("floor"), normal=tuple(normal), at=at))

    def gap(self) -> float:
        return float(self.rng.choice([0.0, 0.0, 1e-3, 0.02]))

    def touch(self, first: Any, second: Any) -> None:
        options: dict[str, Any] = {"mu": coefficient(self.rng), "eps_N": self.eps}
        if self.chance(0.1):
            options["normal"] = cl.KelvinVoigt(stiffness=2e4, damping=20.0)
            options["eps_N"] = 0.0
        self.add(cl.Contact(first, second, name=self.name("contact"), **options))


def joint_between(
    d: Drawing, first: Any, second: Any, point: Any, closure: bool = False, dressed: bool = True
) -> Any:
    """Add a joint of a random kind at a point, dressed with stops, friction and forces."""
    options: dict[str, Any] = {"at": d.at(first, point), "at_second": d.at(second, point)}
    if closure:
        options["closure"] = True
    kinds = ("Revolute", "Revolute", "Prismatic")
    kinds += ("PlanarJoint", "Translation") if d.n == 2 else SPATIAL
    kind = str(d.rng.choice(kinds))
    if closure:
        kind = "Revolute" if d.n == 2 else "Spherical"
    else:
        d.above[second.name] = [*d.above[first.name], (second.name, FREEDOM[kind])]
    single = kind in ("Revolute", "Prismatic", "Screw")
    if kind == "Prismatic" or (d.n == 3 and kind in ("Revolute", "Cylindrical", "Screw")):
        options["axis"] = d.axis()
    if kind == "Screw":
        options["pitch"] = 0.05
    if single and not closure and not d.loops and d.chance(0.5):
        options["velocity" if kind == "Prismatic" else "speed"] = float(d.rng.normal())
    if single and dressed and not closure and d.chance(0.3):
        low = -float(d.rng.choice([0.0, 1e-3, 0.5]))
        options |= {"limits": (low, 0.6), "eps_N": d.eps}
    joint = d.add(getattr(cl, kind)(d.name("joint"), first, second, **options))
    if single and dressed and not closure:
        dress(d, joint)
    return joint


def dress(d: Drawing, axis: Any) -> None:
    """Add elements to a joint, Rotor or Slider with one coordinate."""
    kind = int(d.rng.integers(9))
    bound = float(10.0 ** d.rng.uniform(-2.0, 1.5))
    if kind == 0:
        d.add(cl.JointFriction(d.name("friction"), axis, torque=bound))
    elif kind == 1:
        d.add(cl.Brake(d.name("brake"), axis, capacity=bound))
    elif kind == 2:
        d.add(cl.Freewheel(d.name("wheel"), axis, direction=float(d.rng.choice([-1.0, 1.0]))))
    elif kind == 3:
        d.add(cl.TorsionSpring(d.name("torsion"), axis, stiffness=10.0 * bound, damping=0.1))
    elif kind == 4:
        d.add(cl.Torque(d.name("torque"), axis, value=float(d.rng.normal())))
    elif kind == 5:
        d.add(cl.PD(d.name("pd"), axis, kp=20.0, kd=0.5, target=0.1, limit=bound))
    elif kind == 6:
        table = cl.Table([0.0, 0.05, 0.1], list(d.rng.normal(size=3)))
        d.add(cl.Torque(d.name("torque"), axis, value=table))


def linkage(d: Drawing, loop: bool) -> None:
    """Add a tree of one to four bodies on the ground, with loops and redundant ones on request."""
    d.loops = int(loop)
    base = d.vector(1.0)
    bodies, points = [d.ground], [base]
    for _ in range(int(d.rng.integers(3 if loop else 1, 5))):
        parent = bodies[int(d.rng.integers(len(bodies)))] if d.chance(0.4) else bodies[-1]
        where = base + d.vector(0.6)
        body = d.body(where)
        point = where + d.vector(0.3)
        joint_between(d, parent, body, point)
        bodies.append(body)
        points.append(where + d.vector(0.4))
    if loop:
        close(d, bodies, points)
    for body, point in zip(bodies[1:], points[1:], strict=True):
        if d.chance(0.5):
            tip_on_ground(d, body, point)
        if d.chance(0.2):
            d.add(cl.Spring(d.name("spring"), d.ground, body, at=tuple(base + d.vector(0.5)),
                            at_second=d.at(body, point), stiffness=50.0, damping=0.5))  # fmt: skip
        if d.chance(0.1):
            d.add(cl.Force(d.name("force"), body, value=tuple(d.vector(5.0))))
        if d.chance(0.1):
            end = base + d.vector(1.0)
            length = float(np.linalg.norm(end - point)) + d.gap()
            d.add(cl.Rope(d.name("rope"), d.ground, body, at=tuple(end),
                          at_second=d.at(body, point), length=length, eps_N=d.eps))  # fmt: skip


def freedom(d: Drawing, first: Any, second: Any) -> int:
    """Return the degrees of freedom of the joints between two bodies of a tree."""
    return sum(n for _, n in set(d.above[first.name]) ^ set(d.above[second.name]))


def close(d: Drawing, bodies: list[Any], points: list[Any]) -> None:
    """Close a loop to the last body, mostly more often than needed.

    What is closed stays movable: forces in a coordinate that cannot move at all belong to the
    tests of that case.
    """
    last, point = bodies[-1], points[-1]
    joint = d.chance(0.3)
    needed = (3 if d.n == 2 else 5) if joint else 2
    fitting = [body for body in bodies[:-1] if freedom(d, body, last) >= needed]
    if not fitting:
        d.loops = 0
        return
    other = fitting[int(d.rng.integers(len(fitting)))]
    far = point + d.vector(0.5)
    ends = {"at": d.at(other, far), "at_second": d.at(last, point)}
    rod = d.chance(0.4)
    for _ in range(int(d.rng.choice([1, 2, 2, 2, 3]))):
        if joint:
            joint_between(d, other, last, point, closure=True)
        elif rod:
            d.add(cl.Rod(d.name("rod"), other, last, **ends))
        else:
            d.add(cl.Distance(d.name("distance"), other, last, **ends))
    if joint:
        points[-1] = point + 0.2  # a point that is pinned cannot touch anything


def tip_on_ground(d: Drawing, body: Any, point: Any) -> None:
    """Let a point, circle or sphere of a body touch a ground under it."""
    radius = 0.0 if d.chance(0.4) else float(d.rng.uniform(0.02, 0.1))
    at = d.at(body, point)
    tip: Any
    if radius == 0.0:
        tip = cl.ContactPoint(d.name("tip"), body, at=at)
    elif d.n == 2:
        tip = cl.Circle(d.name("tip"), body, radius=radius, at=at)
    else:
        tip = cl.Sphere(d.name("tip"), body, radius=radius, at=at)
    d.add(tip)
    d.touch(tip, d.half_space(point, radius + d.gap()))


def start_of(d: Drawing, place: Any) -> dict[str, Any]:
    """Return the initial values of a free body: at rest, sliding or falling."""
    velocity = np.zeros(d.n)
    if d.chance(0.6):
        velocity = d.vector(1.0)
    if d.chance(0.4):
        velocity[-1] = -abs(velocity[-1])
    return {"position": tuple(place), "velocity": tuple(velocity)}


def free_bodies(d: Drawing) -> None:
    """Add one to three free bodies on a ground, beside or on top of each other."""
    place = d.vector(1.0)
    floor, below, top = None, None, place
    for _ in range(int(d.rng.integers(1, 4))):
        size = float(d.rng.uniform(0.1, 0.3))
        below_it = place if below is None else top
        gap = d.gap()
        centre = below_it + (0.5 * size + gap) * d.up
        shape, top = free_body(d, centre, size)
        if floor is None:
            floor = cl.Ground(d.name("floor"), normal=tuple(d.up), at=tuple(place))
            d.add(floor)
        d.touch(shape, floor if below is None else below)
        below = shape
        if d.chance(0.4):
            # the next one stands beside this one
            place, below = place + 2.0 * d.vector(1.0) * (1.0 - d.up), None


def free_body(d: Drawing, centre: Any, size: float) -> tuple[Any, Any]:
    """Add a free body of a random shape and height `size`; return the shape and its top."""
    top = centre + 0.5 * size * d.up
    kind = int(d.rng.integers(4))
    if d.n == 2 and kind == 0:
        start = start_of(d, centre)
        disc = cl.Disk(d.name("disc"), mass=d.mass(), radius=0.5 * size, spin=float(
            d.rng.normal(scale=3.0)), **start)  # fmt: skip
        return d.add(disc), top
    body = d.add(d.body(centre, **start_of(d, centre)))
    if d.n == 2:
        a, b = 0.5 * size * float(d.rng.uniform(0.7, 2.0)), 0.5 * size
        corners = ((-a, -b), (a, -b), (a, b), (-a, b))
        return d.add(cl.Polygon(d.name("hull"), body, vertices=corners)), top
    if kind == 0:
        return d.add(cl.Sphere(d.name("ball"), body, radius=0.5 * size)), top
    if kind == 1:
        axis = (1.0, 0.0, 0.0)
        return d.add(cl.Capsule(d.name("pill"), body, radius=0.5 * size, length=size,
                                axis=axis)), top  # fmt: skip
    if kind == 2:
        return d.add(cl.Cylinder(d.name("can"), body, radius=0.4 * size, length=size)), top
    wide = tuple(size * d.rng.uniform(0.7, 2.0, 2))
    return d.add(cl.Box(d.name("box"), body, size=(*wide, size))), top


def shafts(d: Drawing) -> None:
    """Add two or three rotors with a clutch, a backlash or a freewheel between them."""
    rotors = []
    for _ in range(int(d.rng.integers(2, 4))):
        rotor = d.add(cl.Rotor(d.name("rotor"), inertia=d.mass(), speed=float(d.rng.normal())))
        rotors.append(rotor)
        dress(d, rotor)
    for first, second in pairwise(rotors):
        kind = int(d.rng.integers(3))
        if kind == 0:
            capacity = float(10.0 ** d.rng.uniform(-1.0, 2.0))
            d.add(cl.Clutch(d.name("clutch"), first, second, capacity=capacity))
        elif kind == 1:
            gap = float(10.0 ** d.rng.uniform(-3.0, -1.0))
            d.add(cl.Backlash(d.name("backlash"), first, second, gap=gap, eps_N=d.eps))
        else:
            d.add(cl.Freewheel(d.name("freewheel"), first, second))


def scene(seed: int) -> tuple[cl.Model, Any]:
    """Return a random model and the method to run it with."""
    d = Drawing(seed)
    loop = d.chance(0.55)
    if loop or d.chance(0.5):
        linkage(d, loop)
    if d.chance(0.8) or not d.parts:
        free_bodies(d)
    if d.chance(0.25):
        shafts(d)
    gravity = tuple(-9.81 * d.up)
    model = cl.Model(*d.parts, gravity=gravity, name=f"random {seed}")
    return model, method(d, model)


def method(d: Drawing, model: cl.Model) -> Any:
    """Return a random method for a model; piles in space are left to time stepping."""
    free = [body for body in model.bodies if getattr(body, "position", None) is not None]
    kind = int(d.rng.integers(7 if d.n == 3 and len(free) > 1 else 10))
    if kind < 5:
        return cl.Moreau(dt=DT)
    if kind == 5:
        return cl.Moreau(dt=DT, impact=cl.NewtonBoth())
    if kind == 6:
        return cl.Theta(dt=DT, theta=1.0)
    if kind < 9:
        return cl.EventDriven(rtol=1e-7, atol=1e-9)
    return cl.EventDriven(rtol=1e-7, atol=1e-9, impact=cl.Poisson())


def run(seed: int) -> tuple[cl.Model, Any, cl.Solution]:
    """Run a random model."""
    model, how = scene(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sol = cl.simulate(model, STEPS * DT, method=how, progress=False, max_steps=4000)
    return model, how, sol


def check(seed: int) -> dict[str, bool]:
    """Run a random model, assert what must hold, and tell what happened in it."""
    model, how, sol = run(seed)
    assert sol.status == "done", sol.info.message
    assert all(np.isfinite(values).all() for values in sol.states.values()), "not finite"
    assert sol.statistics.get("unsolved_problems", 0) == 0, "an unsolved contact problem"
    labels = [label for label in sol.parts if f"{label}.state" in sol]
    if labels:
        exact: dict[str, Any] = {}
        if isinstance(how, cl.EventDriven):
            # forces are as exact as the motion
            exact = {"force_tol": 10.0 * how.rtol}
        assert_contact_laws(sol, model, **law_arguments(sol, model, how), **exact)
    states = {int(s) for label in labels for s in np.unique(sol[f"{label}.state"])}
    events = {event.kind for event in sol.events}
    return {
        "closed": bool(states - {OPEN}),
        "stick": STICK in states,
        "slip": bool(states & {SLIP, SLIP_PLUS, SLIP_MINUS}),
        "impact": "impact" in events,
        "loop": any(part.name.startswith(("distance", "rod")) or getattr(part, "closure", False)
                    for part in (*model.joints, *model.constraints)),
        "redundancy": any("redundant" in text for text in sol.info.warnings),
        "space": len(model.gravity) == 3,
        "events": isinstance(how, cl.EventDriven),
    }  # fmt: skip


def campaign(count: int, first: int) -> dict[str, Any]:
    """Check many models; return what they contained, what failed and how long they took."""
    found: Counter[str] = Counter(dict.fromkeys((*COUNTED, "given up", "no solution"), 0))
    failures: list[list[Any]] = []
    slowest, worst = 0.0, first
    check(first)  # what is compiled or loaded once is no matter of one model
    began = time.process_time()
    for seed in range(first, first + count):
        # the signal ends the process, also in the midst of a compiled loop
        signal.setitimer(signal.ITIMER_PROF, LIMIT)
        print(f"seed {seed}", file=sys.stderr, flush=True)
        start = time.process_time()
        try:
            found.update(key for key, value in check(seed).items() if value)
        except Exception as error:
            # a run may say that it cannot go on; anything else has failed
            if isinstance(error, cl.SimulationError) and NO_SOLUTION in str(error):
                found["no solution"] += 1
            elif isinstance(error, cl.SimulationError) and re.search(GIVEN_UP, str(error)):
                found["given up"] += 1
            else:
                failures.append([seed, f"{type(error).__name__}: {error}"[:400]])
                print(f"failed {failures[-1]}", file=sys.stderr, flush=True)
        spent = time.process_time() - start
        if spent > slowest:
            slowest, worst = spent, seed
    signal.setitimer(signal.ITIMER_PROF, 0.0)
    total = time.process_time() - began
    return {
        "models": count, **found, "failures": failures, "slowest": [worst, round(slowest, 3)],
        "mean": round(total / count, 4),
    }  # fmt: skip


if __name__ == "__main__":
    table = campaign(int(sys.argv[1]), int(sys.argv[2]))
    print(json.dumps(table, indent=1))
