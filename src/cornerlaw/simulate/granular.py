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
from cornerlaw.errors import ModelError, UsageError
from cornerlaw.model import AllContacts, Ground, Model, Part, Plane
from cornerlaw.model.arguments import clear_arguments
from cornerlaw.model.grains import Grains
from cornerlaw.results import FinalState
from cornerlaw.simulate.arguments import as_flag
from cornerlaw.simulate.core_choice import CoreChoice

Floats = NDArray[np.float64]

ROOM = 8  # contacts for every ball; more are found anew with twice the room
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
    cores           True, False, or None: of one core and all what takes less time, which a run of
                    some hundred balls tries now and then; the results are the same to the last bit
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
        if self.cores is not None:
            as_flag("Granular: cores", self.cores)
        as_flag("Granular: contacts", self.contacts)
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
        self.cores = CoreChoice(method.cores, n)

    def _new_work(self, capacity: int) -> GrainWork:
        """Allocate scratch with room for so many contacts."""
        m = self.arrays
        n, p = len(m.radius), len(m.plane_offset)
        cells, levels = int(m.cell_offset[-1]), len(m.level_start) - 1
        return new_grain_work(n, p, capacity, cells, levels, int(m.leaves[0]))

    def warm_up(self) -> None:
        """Compile the kernels, or load them."""
        self._advance(0, self.cores.choose())

    def time_stages(self) -> None:
        """Let every stage of a step note its time."""
        from cornerlaw.kernels.stopwatch import Clock

        self._clock = Clock()
        self.work.clock[0] = self._clock.address

    @property
    def seconds(self) -> dict[str, float]:
        """The time of every stage that had any."""
        return {
            name: 1e-9 * int(spent)
            for name, spent in zip(place.STAGES, self.work.spent, strict=False)
            if spent > 0
        }

    def run(self, steps: int) -> tuple[int, int]:
        """Take some steps, with more room for contacts when they need it."""
        taken = 0
        while True:
            kept = self.state._replace(**{k: v.copy() for k, v in self.state._asdict().items()})
            figures = self.work.figures.copy()
            both = self.cores.choose()
            began = time.perf_counter()
            code, done = self._advance(steps - taken, both)
            elapsed = time.perf_counter() - began
            if code != codes.TOO_MANY_CONTACTS:
                f = self.work.figures
                solved = (f[place.SWEEPS] - figures[place.SWEEPS]) * f[place.CONTACTS]
                self.cores.learn(both, elapsed, float(solved) + done * self.grains.count)
                return code, taken + done
            # the steps before the one that ran out of room are taken again
            self._widen(kept, figures)
            if done > 1:
                self._advance(done - 1, both)
                taken += done - 1

    def _advance(self, steps: int, both: bool) -> tuple[int, int]:
        from cornerlaw.kernels.grains.step import run_grains

        accept = self.method.on_unconverged == "accept"
        code, done = run_grains(self.arrays, self.state, self.work, steps, accept, both)
        return int(code), int(done)

    def _widen(self, kept: GrainState, figures: Floats) -> None:
        """Go back to a state, with twice the room for contacts."""
        n, p = self.grains.count, len(self.arrays.plane_offset)
        capacity = 2 * kept.partner.size
        room = new_grain_state(n, p, capacity)
        for name in ("t", "x", "v", "start"):
            getattr(room, name)[:] = getattr(kept, name)
        used = int(kept.start[n])
        room.partner[:used], room.impulse[:used] = kept.partner[:used], kept.impulse[:used]
        clock, spent = self.work.clock[0], self.work.spent.copy()
        self.state, self.work = room, self._new_work(capacity)
        self.work.figures[:], self.work.clock[0], self.work.spent[:] = figures, clock, spent

    def fingerprint(self) -> str:
        """Return a short hash of all that shapes the motion but the initial state."""
        m = self.arrays
        digest = hashlib.sha256(self.order.tobytes())
        for name in ("radius", "inverse_mass", "gravity", "laws", "plane_normal", "plane_offset"):
            digest.update(name.encode() + getattr(m, name).tobytes())
        return digest.hexdigest()[:16]

    def final(self) -> FinalState:
        """Return what a run needs to go on; the memory is what the contacts carry."""
        s, n = self.state, self.grains.count
        used = int(s.start[n])
        memory = np.concatenate([s.start, s.partner[:used], s.impulse[:used].ravel()])
        q, u = s.x[self.back].ravel(), s.v[:n][self.back].ravel()
        return FinalState(
            t=float(s.t[0]), q=q, u=u, memory=memory, dt=self.method.dt,
            fingerprint=self.fingerprint(), method=repr(self.method),
        )  # fmt: skip

    def restart(self, final: FinalState, t_start: float | None) -> None:
        """Begin at the end of another run; the same run goes on with the same bits."""
        n = self.grains.count
        if (final.q.size, final.u.size) != (3 * n, 6 * n):
            raise UsageError(
                f"the initial state has {final.q.size} positions and {final.u.size} velocities, "
                f"the model {3 * n} and {6 * n}"
            )
        if not all(np.isfinite(array).all() for array in (final.q, final.u, final.t)):
            raise UsageError("the initial state has a number that is not finite")
        s = self.state
        s.t[0] = final.t if t_start is None else t_start
        s.x[:] = final.q.reshape(n, 3)[self.order]
        s.v[:n] = final.u.reshape(n, 6)[self.order]
        same = final.fingerprint == self.fingerprint() and final.method == repr(self.method)
        if not same or final.memory.size <= n:
            return
        self._check_memory(final.memory)
        used = int(final.memory[n])
        while used > self.state.partner.size:
            self._widen(self.state, self.work.figures.copy())
        s, memory = self.state, final.memory[n + 1 :]
        s.start[:] = final.memory[: n + 1]
        s.partner[:used] = memory[:used]
        s.impulse[:used] = memory[used:].reshape(used, 4)

    def _check_memory(self, memory: Floats) -> None:
        """Refuse what contacts carry where a place in it cannot be: compiled code follows them."""
        n, planes = self.grains.count, len(self.arrays.plane_offset)
        start = memory[: n + 1]
        rises = start[0] == 0.0 and bool(np.all(np.diff(start) >= 0.0))
        if not rises or not np.all(start == np.floor(start)) or not math.isfinite(start[n]):
            raise UsageError("the contacts of the initial state: start has a number that cannot be")
        used = int(start[n])
        if memory.size != n + 1 + 5 * used:
            raise UsageError(
                f"the contacts of the initial state: {used} need {n + 1 + 5 * used} numbers, "
                f"there are {memory.size}"
            )
        partner, impulse = memory[n + 1 : n + 1 + used], memory[n + 1 + used :]
        known = (partner >= 0.0) & (partner < n + planes) & (partner == np.floor(partner))
        if not np.all(known):
            raise UsageError(
                "the contacts of the initial state: partner has a number that cannot be"
            )
        if not np.isfinite(impulse).all():
            raise UsageError(
                "the contacts of the initial state: impulse has a number that is not finite"
            )


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
