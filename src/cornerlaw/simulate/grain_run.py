"""Runs of many balls: steps in calls of some tenth of a second, and results by name."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cornerlaw.arrays import grains as place
from cornerlaw.arrays import status as codes
from cornerlaw.errors import UsageError
from cornerlaw.model import Model
from cornerlaw.model.scene import describe_scene
from cornerlaw.results import (
    Channel,
    ChannelTable,
    FinalState,
    RunInfo,
    Solution,
    installed_versions,
)
from cornerlaw.simulate.arguments import as_times
from cornerlaw.simulate.grain_contacts import Row, closed_contacts, contact_results
from cornerlaw.simulate.granular import GrainScene, Granular
from cornerlaw.simulate.memory import bytes_of
from cornerlaw.simulate.progress import Progress

Floats = NDArray[np.float64]

PATIENCE = 0.1  # seconds of compiled work between two looks at the keyboard
MOST = 10**6  # steps of one compiled call


def simulate_grains(
    model: Model,
    t_end: float,
    method: Any,
    *,
    t_start: float | None = None,
    t_eval: Any = None,
    every: int = 1,
    initial: FinalState | Solution | None = None,
    progress: bool | None = None,
    max_steps: int | None = None,
    profile: bool = False,
) -> Solution:
    """Run a model of grains and return the results by name, also of a run that failed."""
    if not isinstance(method, Granular):
        shown = "none" if method is None else type(method).__name__
        raise UsageError(f"a model of Grains needs method=Granular(dt=...), got {shown}")
    began = time.perf_counter()
    scene = GrainScene(model, method)
    if t_start is not None:
        scene.state.t[0] = t_start
    if initial is not None:
        final = initial.final if isinstance(initial, Solution) else initial
        if not isinstance(final, FinalState):
            raise UsageError(
                f"initial must be a Solution or its .final, got {type(final).__name__}; initial "
                f"values of single parts belong to the model"
            )
        scene.restart(final, t_start)
    begin = float(scene.state.t[0])
    if t_end < begin:
        raise UsageError(f"t_end = {t_end:g} s lies before the start at {begin:g} s")
    steps = math.ceil((t_end - begin) / method.dt - 1e-9)
    stored = _stored_steps(steps, begin, t_end, method.dt, t_eval, every)
    spent = {"assemble": time.perf_counter() - began}
    began = time.perf_counter()
    if profile:
        scene.time_stages()
    scene.warm_up()
    spent["compile"] = time.perf_counter() - began
    run = _Run(scene, stored, steps, max_steps)
    run.execute(Progress(begin, t_end, progress))
    return _solution(run, {**spent, **scene.seconds, "integrate": run.wall})


class _Run:
    """The rows of a run, and how it ended."""

    def __init__(
        self, scene: GrainScene, stored: list[int], steps: int, max_steps: int | None
    ) -> None:
        self.scene, self.stored = scene, stored
        self.steps = steps if max_steps is None else min(steps, max_steps)
        self.is_cut = self.steps < steps
        self.rows: list[tuple[float, Floats, Floats]] = []
        self.contacts: list[Row] = []
        self.code, self.message, self.wall = codes.OK, "", 0.0
        self._taken, self._budget = 0, 1

    def execute(self, bar: Progress) -> None:
        """Take all steps in calls of some tenth of a second."""
        began = time.perf_counter()
        try:
            for target in (k for k in self.stored if k <= self.steps):
                self._reach(target, bar)
                if self.code != codes.OK:
                    break
                self._store()
            self._reach(self.steps, bar)
            if self.is_cut and self.code == codes.OK:
                self.message = f"the run was ended after max_steps = {self.steps} steps"
        except KeyboardInterrupt:
            self.message = "interrupted"
        finally:
            bar.close()
            self.wall = time.perf_counter() - began

    def _reach(self, target: int, bar: Progress) -> None:
        """Go on up to a number of steps or a failure."""
        while self._taken < target and self.code == codes.OK:
            tick = time.perf_counter()
            self.code, done = self.scene.run(min(self._budget, target - self._taken))
            self._taken += done
            # aim at PATIENCE seconds per call
            wanted = self._budget * PATIENCE / max(time.perf_counter() - tick, 1e-4)
            self._budget = int(np.clip(wanted, 1, min(4 * self._budget, MOST)))
            bar.show(float(self.scene.state.t[0]))

    def _store(self) -> None:
        scene = self.scene
        s, n = scene.state, scene.grains.count
        self.rows.append((float(s.t[0]), s.x[scene.back].copy(), s.v[:n][scene.back].copy()))
        if scene.method.contacts:
            self.contacts.append(closed_contacts(scene.arrays, s))


def _stored_steps(
    steps: int, begin: float, t_end: float, dt: float, t_eval: Any, every: int
) -> list[int]:
    """Return the numbers of the steps whose ends are stored; 0 is the start."""
    if t_eval is None:
        return sorted({*range(0, steps + 1, every), steps})
    wanted = (as_times(t_eval, begin, t_end) - begin) / dt
    if np.any(np.abs(wanted - np.round(wanted)) > 1e-6):
        raise UsageError("t_eval: times of Granular must be whole multiples of its dt")
    return [int(k) for k in np.round(wanted)]


def _solution(run: _Run, profile: dict[str, float]) -> Solution:
    """Return the result of a run."""
    scene, rows, message = run.scene, run.rows, run.message
    f, n, name = scene.work.figures, scene.grains.count, scene.grains.name
    word = "done"
    if message == "interrupted":
        word = "interrupted"
    elif run.code != codes.OK:
        word, message = "failed", _reason(scene, run.code)
    elif message:
        word = "failed"
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
        found, more = contact_results(name, run.contacts)
        stored.update(found)
    info = RunInfo(
        model=scene.model.name, method=repr(scene.method), status=word, message=message,
        wall_time=run.wall, profile=profile, warnings=tuple(scene.model.warnings),
        memory=bytes_of(scene.arrays, scene.state, scene.work, *stored.values()),
        statistics=_statistics(scene), versions=installed_versions(),
        fingerprint=scene.fingerprint(),
    )  # fmt: skip
    return Solution(
        t, np.zeros(len(t), np.int8), {"q": x.reshape(len(t), -1), "u": v.reshape(len(t), -1)},
        _channels(name, n, more), stored=stored, info=info, final=scene.final,
        scene=lambda: describe_scene(scene.model),
    )  # fmt: skip


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
        "accelerated_sweeps": int(f[place.ACCELERATED]),
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
