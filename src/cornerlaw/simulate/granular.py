"""Granular: time stepping of many balls, with a grid and block Gauss-Seidel instead of matrices."""

from __future__ import annotations

import hashlib
import math
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cornerlaw.arrays import grains as place
from cornerlaw.arrays import status as codes
from cornerlaw.arrays.grains import (
    GrainArrays,
    GrainState,
    GrainWork,
    new_grain_state,
    new_grain_work,
)
from cornerlaw.errors import ModelError, SimulationError, UsageError
from cornerlaw.model import AllContacts, Ground, Model, Part, Plane
from cornerlaw.model.arguments import clear_arguments
from cornerlaw.model.grains import Grains
from cornerlaw.model.scene import describe_scene
from cornerlaw.results import Channel, ChannelTable, RunInfo, Solution, installed_versions
from cornerlaw.simulate.grain_contacts import Row, closed_contacts, contact_results
from cornerlaw.simulate.memory import bytes_of
from cornerlaw.simulate.progress import Progress

Floats = NDArray[np.float64]

ROOM = 8  # contacts for every ball; more are found anew with twice the room
PATIENCE = 0.1  # seconds of compiled work between two looks at the keyboard
MOST = 10**6  # steps of one compiled call
TOGETHER = 4000  # balls from which on two cores are worth their start
LEAVES = (400, 20_000, 60_000)  # balls from which on space has 2, 4 and 8 parts
CELLS = 8  # for every ball
MOST_LEVELS = 8  # of sizes


@clear_arguments
@dataclass(frozen=True)
class Granular:
    """Steps for models of Grains: rigid contacts, Coulomb friction, impacts by Newton's law.

    dt              [s] size of a step
    sweeps          most sweeps of block Gauss-Seidel over all contacts in a step
    tolerance       of the contact laws: velocity by which the worst contact violates its law, over
                    the largest one or what gravity makes in a step, whichever is larger
    on_unconverged  "reject" ends the run at a step above the tolerance, "accept" goes on, and the
                    run is then "degraded"
    push            [m/s] fastest velocity by which overlapping balls are moved apart
    cores           True, False, or None: both cores from some thousand balls on; the results are
                    the same to the last bit
    contacts        True: results have state, point and force of every contact at the stored times
    """

    dt: float
    sweeps: int = 2000
    tolerance: float = 1e-2
    on_unconverged: str = "reject"
    push: float = 1.0
    cores: bool | None = field(default=None, repr=False)
    contacts: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        """Check all options."""
        for name in ("dt", "tolerance", "push"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, float | int | np.floating):
                raise UsageError(f"Granular: {name} must be a number, got {value!r}.")
            if not 0.0 < value < math.inf:
                raise UsageError(f"Granular: {name} must be positive and finite, got {value:g}.")
        if isinstance(self.sweeps, bool) or not isinstance(self.sweeps, int) or self.sweeps < 1:
            raise UsageError(
                f"Granular: sweeps must be a whole number of at least 1, got {self.sweeps!r}."
            )
        if self.on_unconverged not in ("reject", "accept"):
            raise UsageError(
                "Granular: on_unconverged must be 'reject' or 'accept', "
                f"got {self.on_unconverged!r}."
            )

    def prepare(self, m: Any) -> Any:
        """Refuse models of single bodies."""
        raise UsageError("Granular runs models of Grains; use Moreau(dt=...) for single bodies.")


def has_grains(model: Any) -> bool:
    """Tell whether a model contains Grains."""
    return isinstance(model, Model) and any(isinstance(item, Grains) for item in model.parts)


class GrainScene:
    """The arrays of a model of grains, its balls in an order that keeps neighbours together."""

    def __init__(self, model: Model, method: Granular) -> None:
        self.model, self.method = model, method
        (self.grains,) = _only(model)
        given = self.grains.arrays()
        self.order, levels = _by_size_and_place(given["position"], given["radius"])
        self.back = np.argsort(self.order)
        radius = given["radius"][self.order]
        mass = self.grains.density * 4.0 / 3.0 * math.pi * radius**3
        planes: list[Any] = [item for item in model.parts if _is_plane(item)]
        n, p = self.grains.count, len(planes)
        rooms = np.maximum(CELLS * np.diff(levels), 512) + 1
        rule = next((item for item in model.parts if isinstance(item, AllContacts)), None)
        laws = _laws(rule)
        normals = np.array([_unit(item.normal) for item in planes]).reshape(p, 3)
        points = np.array([getattr(item, "at", None) or (0.0,) * 3 for item in planes])
        self.arrays = GrainArrays(
            radius=radius,
            inverse_mass=np.concatenate([1.0 / mass, np.zeros(p)]),
            gravity=np.array(model.gravity or (0.0, 0.0, 0.0), dtype=np.float64),
            laws=laws,
            plane_normal=normals,
            plane_offset=np.einsum("ij,ij->i", normals, points.reshape(p, 3)),
            plane_laws=np.tile(laws, (p, 1)),
            options=np.array([method.dt, method.sweeps, method.tolerance, method.push]),
            level_start=levels,
            cell_offset=np.concatenate([[0], np.cumsum(rooms)]),
            leaves=np.array([_leaves(n)]),
        )
        self.state = new_grain_state(n, p, ROOM * n + 64)
        self.work = self._new_work(ROOM * n + 64)
        self.state.x[:] = given["position"][self.order]
        self.state.v[:n, :3] = given["velocity"][self.order]
        self.state.v[:n, 3:] = radius[:, None] * given["angular_velocity"][self.order]
        self.names = [item.name for item in planes]

    def _new_work(self, capacity: int) -> GrainWork:
        """Allocate scratch with room for so many contacts."""
        m = self.arrays
        n, p = len(m.radius), len(m.plane_offset)
        cells, levels = int(m.cell_offset[-1]), len(m.level_start) - 1
        return new_grain_work(n, p, capacity, cells, levels, int(m.leaves[0]))

    def run(self, steps: int) -> tuple[int, int]:
        """Take some steps, with more room for contacts when they need it."""
        from cornerlaw.kernels.grains.step import run_grains

        cores = self.method.cores
        together = self.grains.count >= TOGETHER if cores is None else cores
        accept = self.method.on_unconverged == "accept"
        taken = 0
        while True:
            kept = self.state._replace(**{k: v.copy() for k, v in self.state._asdict().items()})
            code, done = run_grains(
                self.arrays, self.state, self.work, steps - taken, accept, together
            )
            if code != codes.TOO_MANY_CONTACTS:
                return code, taken + done
            taken += self._widen(kept, done - 1, accept, together)

    def _widen(self, kept: GrainState, done: int, accept: bool, together: bool) -> int:
        """Repeat the steps before a step that ran out of room, with twice the room."""
        from cornerlaw.kernels.grains.step import run_grains

        n, p = self.grains.count, len(self.arrays.plane_offset)
        capacity = 2 * kept.partner.size
        room = new_grain_state(n, p, capacity)
        for name in ("t", "x", "v", "start"):
            getattr(room, name)[:] = getattr(kept, name)
        used = int(kept.start[n])
        room.partner[:used], room.impulse[:used] = kept.partner[:used], kept.impulse[:used]
        figures = self.work.figures.copy()
        self.state = room
        self.work = self._new_work(capacity)
        self.work.figures[:] = figures
        if done > 0:
            run_grains(self.arrays, self.state, self.work, done, accept, together)
        return done


def _only(model: Model) -> tuple[Grains]:
    """Return the grains of a model; refuse what such a model cannot contain yet."""
    found = [item for item in model.parts if isinstance(item, Grains)]
    if len(found) != 1:
        names = ", ".join(repr(item.name) for item in found)
        raise ModelError(f"A model can have one Grains part, and this one has {names}; join them.")
    for item in model.parts:
        known = isinstance(item, Grains | Ground | AllContacts) or _is_plane(item)
        if not known:
            raise ModelError(
                f"{item.label}: a model of Grains has planes on the ground and one AllContacts "
                f"rule besides, and nothing else yet"
            )
    rules = [item for item in model.parts if isinstance(item, AllContacts)]
    if len(rules) > 1:
        raise ModelError(f"{rules[1].label}: a model of Grains has one AllContacts rule")
    return (found[0],)


def _is_plane(item: Part) -> bool:
    """Tell whether a part is a plane that rests."""
    if isinstance(item, Ground):
        return item.normal is not None
    return isinstance(item, Plane) and isinstance(item.on, Ground)


def _unit(vector: Any) -> Floats:
    array = np.asarray(vector, dtype=np.float64)
    return np.asarray(array / np.linalg.norm(array))


def _laws(rule: AllContacts | None) -> Floats:
    """Return mu, eps and the speed below which nothing rebounds."""
    if rule is None:
        return np.zeros(3)
    for name in ("mu", "eps_N"):
        if not isinstance(getattr(rule, name), float | int):
            raise rule.where(name).error("must be a number for Grains")
    for name in ("eps_T", "drilling", "rolling"):
        if getattr(rule, name):
            raise rule.where(name).error("is not known to Grains yet; leave it out")
    for name in ("normal", "materials", "among", "against"):
        if getattr(rule, name) is not None:
            raise rule.where(name).error("is not known to Grains yet; leave it out")
    return np.array([rule.mu, rule.eps_N, rule.eps_speed], dtype=np.float64)


def _leaves(count: int) -> int:
    """Return the number of parts of space: what the machine is must not change the bits."""
    return int(2 ** np.searchsorted(LEAVES, count, side="right"))


def _by_size_and_place(x: Floats, radius: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return an order of the balls and where levels begin in it: a level has sizes up to twofold.

    Small levels come first, and on each of them balls lie along a curve.
    """
    level = np.minimum(np.floor(np.log2(radius.max() / radius)), MOST_LEVELS - 1).astype(np.int64)
    order = []
    for size in np.unique(level)[::-1]:
        here = np.flatnonzero(level == size)
        order.append(here[_along_a_curve(x[here], float(radius[here].max()))])
    begins = np.cumsum([0, *(len(part) for part in order)])
    return np.concatenate(order), begins


def _along_a_curve(x: Floats, radius: float) -> NDArray[np.int64]:
    """Return the order of points along a curve through space: neighbours lie near in memory."""
    cell = np.minimum((x - x.min(axis=0)) / (2.0 * radius), 2.0**20 - 1).astype(np.uint64)
    key = np.zeros(len(x), np.uint64)
    for bit in range(20):
        for a in range(3):
            level = (cell[:, a] >> np.uint64(bit)) & np.uint64(1)
            key |= level << np.uint64(3 * bit + a)
    return np.asarray(np.argsort(key, kind="stable"))


def simulate_grains(
    model: Model,
    t_end: float,
    method: Any,
    t_eval: Any,
    every: int,
    progress: bool | None,
) -> Solution:
    """Run a model of grains and return the results by name."""
    if not isinstance(method, Granular):
        shown = "none" if method is None else type(method).__name__
        raise UsageError(f"a model of Grains needs method=Granular(dt=...), got {shown}")
    scene = GrainScene(model, method)
    steps = max(0, math.ceil(t_end / method.dt - 1e-9))
    stored = _stored_steps(steps, method.dt, t_eval, every)
    rows: list[tuple[float, Floats, Floats]] = []
    contacts: list[Row] = []
    code, taken, message = codes.OK, 0, ""
    bar, began = Progress(0.0, t_end, progress), time.perf_counter()
    budget = 1
    try:
        for target in stored:
            while taken < target and code == codes.OK:
                tick = time.perf_counter()
                code, done = scene.run(min(budget, target - taken))
                taken += done
                elapsed = time.perf_counter() - tick
                budget = int(
                    np.clip(budget * PATIENCE / max(elapsed, 1e-4), 1, min(4 * budget, MOST))
                )
                bar.show(float(scene.state.t[0]))
            if code != codes.OK:
                break
            rows.append(_row(scene))
            if method.contacts:
                contacts.append(closed_contacts(scene.arrays, scene.state))
    except KeyboardInterrupt:
        message = "interrupted"
    finally:
        bar.close()
    wall = time.perf_counter() - began
    return _solution(scene, rows, contacts, code, message, wall)


def _stored_steps(steps: int, dt: float, t_eval: Any, every: int) -> list[int]:
    """Return the numbers of the steps whose ends are stored; 0 is the start."""
    if t_eval is None:
        return sorted({*range(0, steps + 1, every), steps})
    wanted = np.asarray(t_eval, dtype=np.float64) / dt
    if wanted.ndim != 1 or np.any(np.abs(wanted - np.round(wanted)) > 1e-6):
        raise UsageError("t_eval: times of Granular must be whole multiples of its dt")
    return [int(k) for k in np.round(wanted)]


def _row(scene: GrainScene) -> tuple[float, Floats, Floats]:
    s, n = scene.state, scene.grains.count
    return float(s.t[0]), s.x[scene.back].copy(), s.v[:n][scene.back].copy()


def _solution(
    scene: GrainScene,
    rows: list[Any],
    contacts: list[Row],
    code: int,
    message: str,
    wall: float,
) -> Solution:
    """Return the result of a run; raise an error for one that failed."""
    f, n, name = scene.work.figures, scene.grains.count, scene.grains.name
    word = "done"
    if message == "interrupted":
        word = "interrupted"
    elif code != codes.OK:
        word, message = "failed", _reason(scene, code)
    elif f[place.UNSOLVED]:
        word = "degraded"
        message = f"{int(f[place.UNSOLVED])} steps stayed above the tolerance"
    t = np.array([row[0] for row in rows])
    x = np.array([row[1] for row in rows]).reshape(len(rows), n, 3)
    v = np.array([row[2] for row in rows]).reshape(len(rows), n, 6)
    radius = scene.arrays.radius[scene.back]
    stored = {
        f"{name}.position": x, f"{name}.velocity": v[:, :, :3],
        f"{name}.angular_velocity": v[:, :, 3:] / radius[:, None],
        **_energies(scene, x, v),
    }  # fmt: skip
    more: list[Channel] = []
    if scene.method.contacts:
        found, more = contact_results(name, contacts)
        stored.update(found)
    info = RunInfo(
        model=scene.model.name, method=repr(scene.method), status=word, message=message,
        wall_time=wall, memory=bytes_of(scene.arrays, scene.state, scene.work, *stored.values()),
        statistics=_statistics(scene), versions=installed_versions(),
        fingerprint=hashlib.sha256(repr(scene.grains.position).encode()).hexdigest()[:16],
    )  # fmt: skip
    solution = Solution(
        t, np.zeros(len(t), np.int8), {"q": x.reshape(len(t), -1), "u": v.reshape(len(t), -1)},
        _channels(name, n, more), stored=stored, info=info,
        scene=lambda: describe_scene(scene.model),
    )  # fmt: skip
    if word == "failed":
        error = SimulationError(message)
        error.solution = solution  # type: ignore[attr-defined]
        raise error
    return solution


def _reason(scene: GrainScene, code: int) -> str:
    """Return why a run failed."""
    t, f = float(scene.state.t[0]), scene.work.figures
    if code == codes.UNSOLVED:
        return (
            f"the contact laws were not met at t = {t:g} s: after {scene.method.sweeps} sweeps the "
            f"residual is {f[place.RESIDUAL]:.2g}, the tolerance {scene.method.tolerance:g}; allow "
            f"more sweeps, or on_unconverged='accept'"
        )
    bad = np.flatnonzero(~np.isfinite(scene.state.x[scene.back]).all(axis=1))
    which = f", first ball {int(bad[0])}" if bad.size else ""
    return f"the motion is not a finite number at t = {t:g} s{which}; try a smaller dt"


def _statistics(scene: GrainScene) -> dict[str, int | float]:
    f, s = scene.work.figures, scene.state
    used = sum(a.nbytes for a in (*s, *scene.work))
    return {
        "steps": int(f[place.STEPS]), "sweeps": int(f[place.SWEEPS]),
        "contacts": int(f[place.CONTACTS]), "colours": int(f[place.COLOURS]),
        "worst_residual": float(f[place.WORST_RESIDUAL]),
        "worst_penetration": float(f[place.WORST_PENETRATION]),
        "unsolved_problems": int(f[place.UNSOLVED]), "memory": used,
    }  # fmt: skip


def _channels(name: str, n: int, more: list[Channel]) -> ChannelTable:
    many = (n, 3)
    return ChannelTable(
        [
            Channel(f"{name}.position", "m", many, kind="position"),
            Channel(f"{name}.velocity", "m/s", many, kind="velocity"),
            Channel(f"{name}.angular_velocity", "rad/s", many, kind="velocity"),
            Channel("energy.kinetic", "J", kind="energy"),
            Channel("energy.potential", "J", kind="energy"),
            *more,
        ],
        parts=[name, "energy"],
    )


def _energies(scene: GrainScene, x: Floats, v: Floats) -> dict[str, Floats]:
    """Return kinetic and potential energy; I omega^2 = 2/5 m s^2."""
    mass = (1.0 / scene.arrays.inverse_mass[: scene.grains.count])[scene.back]
    speed, spin = np.sum(v[:, :, :3] ** 2, axis=2), np.sum(v[:, :, 3:] ** 2, axis=2)
    kinetic = 0.5 * ((speed + 0.4 * spin) @ mass)
    return {
        "energy.kinetic": kinetic,
        "energy.potential": -((x @ scene.arrays.gravity) @ mass),
    }
