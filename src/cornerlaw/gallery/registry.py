"""Find the systems of the gallery, by name or by their id in the literature, and run them."""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import math
import pkgutil
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from cornerlaw.errors import CornerlawError, ModelError, UnknownNameError, UsageError
from cornerlaw.gallery.contract import Check, Erratum
from cornerlaw.results import Origin, Setting

if TYPE_CHECKING:
    from cornerlaw.model import Model
    from cornerlaw.results import Solution

_REQUIRED = (
    *("SPEC", "TITLE", "TOPIC", "Parameters", "build", "simulate"),
    *("REFERENCE", "check", "MUTATIONS", "show"),
)


@dataclass(frozen=True)
class Field:
    """A parameter of a system: its default value, unit and where the value comes from."""

    name: str
    default: Any
    unit: str
    origin: str


@dataclass(frozen=True)
class Mutation:
    """A deliberate change of parameters, and the checks that notice it."""

    change: Mapping[str, Any]
    checks: tuple[Check, ...]

    @property
    def caught(self) -> bool:
        """Tell whether at least one check fails, as it must."""
        return any(not check.ok for check in self.checks)


@dataclass(frozen=True)
class BrokenSystem:
    """A module of the gallery that cannot be used, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class System:
    """A system of the gallery."""

    name: str
    title: str
    topic: str
    spec: tuple[str, ...]
    module: ModuleType = dataclasses.field(repr=False, compare=False)

    @property
    def source(self) -> str:
        """Where the system comes from, in a few words; empty where the module does not say."""
        return str(getattr(self.module, "SOURCE", ""))

    @property
    def degrees_of_freedom(self) -> int | None:
        """The degrees of freedom with the default parameters, as far as the module states them."""
        return getattr(self.module, "DOF", None)

    @property
    def text(self) -> str:
        """What the system is and where it comes from."""
        return (self.module.__doc__ or "").strip()

    @property
    def errata(self) -> tuple[Erratum, ...]:
        """Where the source is wrong, as far as the module states it."""
        return tuple(getattr(self.module, "ERRATA", ()))

    @property
    def fields(self) -> tuple[Field, ...]:
        """The parameters with units and origins."""
        return tuple(
            Field(f.name, f.default, f.metadata.get("unit", "1"), f.metadata.get("origin", ""))
            for f in dataclasses.fields(self.module.Parameters)
        )

    def parameters(self, **changes: Any) -> Any:
        """Return the system's parameters with some of them changed."""
        known = {item.name: item for item in self.fields}
        values = {}
        for name, value in changes.items():
            if name not in known:
                hint = _nearest(name, list(known))
                listed = ", ".join(known) or "none"
                raise UnknownNameError(
                    f"{self.name} has no parameter {name!r}{hint}; its parameters are {listed}."
                )
            values[name] = _like(self.name, known[name], value)
        return self.module.Parameters(**values)

    def build(self, parameters: Any = None) -> Model:
        """Return the model."""
        model: Model = self.module.build(self.parameters() if parameters is None else parameters)
        return model

    def run(self, *, options: Mapping[str, Any] | None = None, **changes: Any) -> Solution:
        """Simulate with parameters changed by name; `options` go to `cornerlaw.simulate`."""
        return self.simulate(self.parameters(**changes), **dict(options or {}))

    def simulate(self, parameters: Any = None, **options: Any) -> Solution:
        """Simulate with the given parameters and options of `cornerlaw.simulate`."""
        usual = self.parameters()
        chosen = usual if parameters is None else parameters
        try:
            solution: Solution = self.module.simulate(chosen, **options)
        except (ArithmeticError, ValueError) as error:
            # a length of zero and the like, in the formulas of the system itself
            if isinstance(error, CornerlawError) or chosen == usual:
                raise
            changed = ", ".join(
                f"{item.name} = {getattr(chosen, item.name)}"
                for item in self.fields
                if getattr(chosen, item.name) != item.default
            )
            raise ModelError(f"{self.name} cannot run with {changed}: {error}.") from error
        solution.attach(scene=self._scene(chosen, solution), origin=self._origin(chosen, options))
        return solution

    def _scene(self, chosen: Any, solution: Solution) -> dict[str, Any] | None:
        """Return the module's own scene, or the usual one with its `FOLLOW`, without `HIDDEN`."""
        drawing, given = getattr(self.module, "scene", None), solution.scene
        if drawing is not None:
            return dict(drawing(chosen))
        follow, hidden = getattr(self.module, "FOLLOW", ""), getattr(self.module, "HIDDEN", ())
        if given is None or not (follow or hidden):
            return None
        bodies = [body for body in given["bodies"] if body["name"] not in hidden]
        lines = [
            line for line in given["lines"] if not any(end[0] in hidden for end in line["points"])
        ]
        kept = {"follow": follow or given.get("follow", ""), "bodies": bodies, "lines": lines}
        return {**given, **kept}

    def origin_of(self, settings: Sequence[Setting]) -> Origin:
        """Return the origin of a run with these parameters, as a result file names them."""
        known = {item.name for item in self.fields}
        values = {s.name: s.value for s in settings if s.name in known}
        return self._origin(self.parameters(**values), {})

    def _origin(self, chosen: Any, options: Mapping[str, Any]) -> Origin:
        """Return what a viewer needs to name the run and to run it again."""
        settings = tuple(
            Setting(item.name, getattr(chosen, item.name), item.unit, item.origin)
            for item in self.fields
        )
        now = {item.name: getattr(chosen, item.name) for item in self.fields}

        def rerun(changes: Mapping[str, Any]) -> Solution:
            return self.simulate(self.parameters(**{**now, **changes}), **options)

        return Origin(self.name, settings, rerun)

    def check(self, solution: Solution | None = None, parameters: Any = None) -> tuple[Check, ...]:
        """Compare a run (by default one with the default parameters) with the references."""
        chosen = self.parameters() if parameters is None else parameters
        sol = self.simulate(chosen) if solution is None else solution
        found = tuple(self.module.check(sol, chosen))
        if not found:
            raise ModelError(f"{self.name} checks nothing; every system must compare something.")
        return found

    def mutations(self) -> tuple[Mutation, ...]:
        """Run every listed mutation and check it against the unchanged references."""
        return tuple(
            Mutation(change, self._check_change(change)) for change in self.module.MUTATIONS
        )

    def _check_change(self, change: Mapping[str, Any]) -> tuple[Check, ...]:
        """Check a run with changed parameters; what the check runs itself has them too."""
        check, unchanged, ran = self.module.check, self.parameters(), self.parameters(**change)
        with_own_runs = "ran" in inspect.signature(check).parameters
        return tuple(check(self.simulate(ran), unchanged, *((ran,) if with_own_runs else ())))

    def show(self, solution: Solution, parameters: Any = None) -> Any:
        """Draw what is worth seeing of a run; returns a matplotlib Figure.

        A figure that also shows what does not depend on the run needs its parameters.
        """
        if parameters is None or len(inspect.signature(self.module.show).parameters) < 2:
            return self.module.show(solution)
        return self.module.show(solution, parameters)


@cache
def _load() -> tuple[tuple[System, ...], tuple[BrokenSystem, ...]]:
    """Import every module of every topic; one that fails is put aside with its reason."""
    found: dict[str, System] = {}
    failed: list[BrokenSystem] = []
    package = import_module("cornerlaw.gallery")
    for topic in sorted(pkgutil.iter_modules(package.__path__), key=lambda info: info.name):
        if not topic.ispkg:
            continue
        prefix = f"{package.__name__}.{topic.name}"
        folder = import_module(prefix)
        for info in sorted(pkgutil.iter_modules(folder.__path__), key=lambda info: info.name):
            if info.name.startswith("_"):
                continue
            name = info.name.replace("_", "-")
            try:
                system = _as_system(name, import_module(f"{prefix}.{info.name}"))
            except Exception as error:
                failed.append(BrokenSystem(name, f"{type(error).__name__}: {error}"))
                continue
            if system is None:
                continue
            if name in found:
                failed.append(BrokenSystem(f"{topic.name}/{name}", f"{name} exists already"))
                continue
            found[name] = system
    return tuple(found.values()), tuple(failed)


def _as_system(name: str, module: ModuleType) -> System | None:
    """Return the system a module defines, or None where it defines none (shared code)."""
    missing = [item for item in _REQUIRED if not hasattr(module, item)]
    if {"TITLE", "build"} <= set(missing):
        return None
    if missing:
        raise ModelError(f"{module.__name__} does not define {', '.join(missing)}")
    return System(name, module.TITLE, module.TOPIC, tuple(module.SPEC), module)


def systems(topic: str | None = None) -> tuple[System, ...]:
    """Return all systems, or those of one topic."""
    everything = _load()[0]
    if topic is None:
        return everything
    chosen = tuple(system for system in everything if _key(system.topic) == _key(topic))
    if not chosen:
        hint = _nearest(topic, list(topics()))
        raise UnknownNameError(
            f"There is no topic {topic!r}{hint}; topics are {', '.join(topics())}."
        )
    return chosen


def topics() -> tuple[str, ...]:
    """Return the topics in alphabetic order."""
    return tuple(sorted({system.topic for system in _load()[0]}))


def broken() -> tuple[BrokenSystem, ...]:
    """Return the modules that could not be imported."""
    return _load()[1]


def find_all(name: str) -> tuple[System, ...]:
    """Return the systems with this name, or all with this id; letter case does not matter."""
    wanted = _key(name)
    everything = _load()[0]
    named = tuple(system for system in everything if _key(system.name) == wanted)
    if named:
        return named
    known = tuple(s for s in everything if wanted in {_key(entry) for entry in s.spec})
    if known:
        return known
    for entry in broken():
        if _key(entry.name) == wanted:
            raise ModelError(f"The system {entry.name} cannot be used: {entry.reason}.")
    candidates = [system.name for system in everything]
    candidates += [entry for system in everything for entry in system.spec]
    raise UnknownNameError(
        f"There is no system {name!r}{_nearest(name, candidates)}; "
        "`cornerlaw list` shows all of them."
    )


def find(name: str) -> System:
    """Return the system with this name or id; several with the same id are an error."""
    found = find_all(name)
    if len(found) > 1:
        listed = ", ".join(system.name for system in found)
        raise UsageError(f"{name!r} belongs to several systems; name one of them: {listed}.")
    return found[0]


def _key(text: str) -> str:
    """Reduce a name to what matters when it is looked up."""
    return re.sub(r"[\s_-]+", "-", text.strip().lower())


def _nearest(name: str, candidates: Sequence[str]) -> str:
    """Return a suggestion to append to an error, or nothing."""
    by_key = {_key(candidate): candidate for candidate in candidates}
    close = difflib.get_close_matches(_key(name), by_key, n=1, cutoff=0.5)
    return f" (did you mean {by_key[close[0]]!r}?)" if close else ""


def _like(system: str, item: Field, value: Any) -> Any:
    """Convert a value, perhaps a text from the command line, to the kind of the default."""
    default = item.default
    if isinstance(default, bool) and isinstance(value, str):
        words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if value.lower() in words:
            return words[value.lower()]
        raise UsageError(f"{system}: {item.name} must be true or false, got {value!r}.")
    if isinstance(default, int) and not isinstance(default, bool):
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if number != number or number in (math.inf, -math.inf) or number != int(number):
            raise UsageError(f"{system}: {item.name} must be a whole number, got {value!r}.")
        return int(number)
    if isinstance(default, float):
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            unit = "" if item.unit in ("", "1") else f" in {item.unit}"
            raise UsageError(f"{system}: {item.name} must be a number{unit}, got {value!r}.")
        return number
    if isinstance(default, tuple) and isinstance(value, str):
        try:
            return tuple(type(default[0])(part) for part in value.split(","))
        except (IndexError, ValueError):
            raise UsageError(
                f"{system}: {item.name} must be numbers separated by commas, got {value!r}."
            ) from None
    return value
