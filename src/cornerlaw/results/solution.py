"""The result of a run: every quantity by name, evaluated when it is first asked for."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cornerlaw.errors import SimulationError, UnknownNameError, UsageError
from cornerlaw.results import registry
from cornerlaw.results.atomic import path_of
from cornerlaw.results.channels import Channel, ChannelTable, named, require_name
from cornerlaw.results.events import EventLog
from cornerlaw.results.final import FinalState
from cornerlaw.results.info import RunInfo
from cornerlaw.results.interpolation import interpolate
from cornerlaw.results.origin import Origin

Floats = NDArray[np.float64]
Scene = Mapping[str, Any]
Evaluator = Callable[[Sequence[str]], Mapping[str, NDArray[Any]]]


def _flat(names: tuple[Any, ...]) -> tuple[str, ...]:
    """Return names given one by one or as a list."""
    if len(names) == 1 and isinstance(names[0], list | tuple):
        return tuple(names[0])
    return names


class Solution:
    """Times, states and named channels of a run, its events, its status and its end.

    A row belongs to a time `t[k]`; times never decrease. At an event two rows carry the same
    time: `side` is -1 for the left limit, +1 for the right limit and 0 for a regular row.
    Channels not in `stored` come from `evaluator(names)`, once, when first asked for. Channels,
    events and the end of the run may be functions that make them when they are first asked for.
    All arrays are read-only: copy what you want to change.
    """

    def __init__(
        self,
        t: ArrayLike,
        side: ArrayLike,
        states: Mapping[str, ArrayLike],
        channels: ChannelTable | Callable[[], ChannelTable],
        evaluator: Evaluator | None = None,
        stored: Mapping[str, ArrayLike] | None = None,
        events: EventLog | Callable[[], EventLog] | None = None,
        info: RunInfo | None = None,
        final: FinalState | Callable[[], FinalState] | None = None,
        scene: Scene | Callable[[], Scene] | None = None,
        origin: Origin | None = None,
    ):
        self._t = _read_only(np.asarray(t, dtype=np.float64))
        self._side = _read_only(np.asarray(side, dtype=np.int8))
        self._channels = channels
        self._evaluator = evaluator
        self._events = EventLog() if events is None else events
        self._info = RunInfo() if info is None else info
        self._final = final
        self._scene = scene
        self._origin = origin
        _check_times(self._t, self._side)
        rows = len(self._t)
        self._states = {}
        for name, values in states.items():
            array = _read_only(np.asarray(values, dtype=np.float64))
            if array.ndim != 2 or len(array) != rows:
                raise UsageError(
                    f'State "{name}" has the shape {array.shape}; it needs {rows} rows '
                    "and one column per coordinate."
                )
            self._states[name] = array
        self._cache: dict[str, Floats] = {}
        for name, values in (stored or {}).items():
            array = np.asarray(values, np.float64)
            # a table that is made later comes from where the values do
            late = callable(channels)
            self._cache[name] = (
                _read_only(array) if late else self._checked(self.channels[name], array)
            )
        if evaluator is None and len(self._cache) < len(self.channels):
            missing = next(c.name for c in self.channels if c.name not in self._cache)
            raise UsageError(f'Channel "{missing}" is not stored and there is no evaluator.')

    @property
    def t(self) -> Floats:
        """Return the time of every row [s]."""
        return self._t

    @property
    def side(self) -> NDArray[np.int8]:
        """Return -1 for a left limit, +1 for a right limit and 0 for a regular row."""
        return self._side

    @property
    def states(self) -> Mapping[str, Floats]:
        """Return the raw states: "q" positions, "u" velocities, "x" others, one row per time."""
        return MappingProxyType(self._states)

    @property
    def q(self) -> Floats:
        """Return the positions, one row per time."""
        return self._state("q")

    @property
    def u(self) -> Floats:
        """Return the velocities, one row per time."""
        return self._state("u")

    @property
    def x(self) -> Floats:
        """Return the other states, one row per time."""
        return self._state("x")

    @property
    def channels(self) -> ChannelTable:
        """Return the table of everything that can be asked for by name."""
        if callable(self._channels):
            self._channels = self._channels()
        return self._channels

    @property
    def parts(self) -> tuple[str, ...]:
        """Name every part that has results."""
        return self.channels.parts

    @property
    def events(self) -> EventLog:
        """Return the log of events."""
        if callable(self._events):
            self._events = self._events()
        return self._events

    @property
    def info(self) -> RunInfo:
        """Return what is known about the run besides its numbers."""
        return self._info

    @property
    def final(self) -> FinalState:
        """Return the end of the run as restart data."""
        if self._final is None:
            raise UsageError("This result holds no final state to restart from.")
        if callable(self._final):
            self._final = self._final()
        return self._final

    @property
    def has_final(self) -> bool:
        """Tell whether the run can be restarted from its end."""
        return self._final is not None

    @property
    def scene(self) -> Scene | None:
        """Return what the model looks like, as plain data; None if nothing is known."""
        if callable(self._scene):
            self._scene = self._scene()
        return self._scene

    @property
    def origin(self) -> Origin | None:
        """Return which system with which parameters made the run, if one did."""
        return self._origin

    def attach(self, *, scene: Scene | None = None, origin: Origin | None = None) -> None:
        """Say what the run looks like and where it comes from; its numbers stay as they are."""
        self._scene = self._scene if scene is None else scene
        self._origin = self._origin if origin is None else origin

    @property
    def status(self) -> str:
        """Return "done", "stopped", "degraded", "interrupted" or "failed: ..."."""
        return self._info.status_text

    @property
    def ok(self) -> bool:
        """Tell whether the run reached its end or a stop condition."""
        return self._info.ok

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return what the run has to say about the model, its start and its limits."""
        return tuple(self._info.warnings)

    @property
    def statistics(self) -> Mapping[str, int | float]:
        """Return what the run cost: steps, rejected, evaluations, ..."""
        return self._info.statistics

    @property
    def profile(self) -> Mapping[str, float]:
        """Return the seconds spent in every stage."""
        return self._info.profile

    @property
    def memory(self) -> int:
        """Return the bytes that model, workspace and stored rows of the run took, 0 from a file."""
        return self._info.memory

    @property
    def energy(self) -> "PartView":
        """Return the energies: kinetic, potential, total, ..."""
        return PartView(self, "energy")

    def __getitem__(self, name: str) -> Any:
        """Return a part's view, or the array of "part.quantity" or "part.quantity.component"."""
        if require_name(name) in self._cache:
            return self._cache[name]
        if self.channels.is_part(name):
            return PartView(self, name)
        return self.array(name)

    def __contains__(self, name: object) -> bool:
        if self.channels.is_part(name):
            return True
        return isinstance(name, str) and self.channels.find(name) is not None

    def __len__(self) -> int:
        return len(self._t)

    def __iter__(self) -> Iterator[str]:
        return iter(self.channels.parts)

    def _ipython_key_completions_(self) -> list[str]:
        return [*self.channels.parts, *self.channels.names]

    def array(self, name: str) -> Floats:
        """Return one row per time of "part.quantity" or of one component of it."""
        channel, entry = self.channels.resolve(name)
        values = self.fetch([channel.name])[channel.name]
        return values if entry is None else values.reshape(len(values), -1)[:, entry]

    def fetch(self, names: Iterable[str] | None = None) -> dict[str, Floats]:
        """Return the arrays of several channels (all by default), evaluating them together."""
        if names is None:
            wanted = list(self.channels.names)
        else:
            wanted = [self.channels[n].name for n in named(names)]
        missing = [name for name in wanted if name not in self._cache]
        if missing and self._evaluator is not None:
            found = self._evaluator(missing)
            for name in missing:
                if name not in found:
                    raise SimulationError(f'The channel "{name}" was asked for and not evaluated.')
                values = np.asarray(found[name], dtype=np.float64)
                self._cache[name] = self._checked(self.channels[name], values)
        return {name: self._cache[name] for name in wanted}

    def at(
        self, t: ArrayLike, name: str, *, side: Literal["left", "right"] = "right"
    ) -> Floats | float:
        """Return the value of `name` at the time or times `t`.

        Between rows the value is interpolated linearly, entry by entry (also those of a rotation);
        never across an event. At a stored time the stored row is returned exactly; at an event
        `side` chooses the limit.
        """
        if side not in ("left", "right"):
            raise UsageError(f'side must be "left" or "right", not {side!r}.')
        return interpolate(self._t, self.array(name), t, side)

    def left(self, t: ArrayLike, name: str) -> Floats | float:
        """Return the left limit of `name` at `t`: the value just before an event."""
        return self.at(t, name, side="left")

    def right(self, t: ArrayLike, name: str) -> Floats | float:
        """Return the right limit of `name` at `t`: the value just after an event."""
        return self.at(t, name, side="right")

    @property
    def jumps(self) -> NDArray[np.int64]:
        """Return the rows k whose successor k+1 is the other limit at the same time."""
        return np.flatnonzero((self._t[1:] == self._t[:-1]) & (self._side[:-1] == -1))

    def save(
        self,
        path: str | os.PathLike[str],
        channels: Iterable[str] | None = None,
        *,
        compression: int = 1,
    ) -> None:
        """Save to a NetCDF-4 file: all channels, or those of the parts and channels named.

        `compression` runs from 0 (none) to 9. The file appears whole or not at all.
        """
        from cornerlaw.results.storage import save

        save(self, path, channels, compression=compression)

    def to_csv(self, path: str | os.PathLike[str], *names: str) -> None:
        """Write channels, components or parts (all by default) as a CSV table."""
        from cornerlaw.results.csv_export import write_csv

        write_csv(self, path, _flat(names))

    def to_xarray(self, *names: str) -> Any:
        """Return an xarray Dataset of the channels or parts named (all by default)."""
        from cornerlaw.results.tables import to_xarray

        return to_xarray(self, _flat(names))

    def to_pandas(self, *names: str) -> Any:
        """Return a pandas DataFrame with a column per component, indexed by time."""
        from cornerlaw.results.tables import to_pandas

        return to_pandas(self, names)

    def plot(self, *names: str, **options: Any) -> Any:
        """Plot channels, components or parts over time; returns a matplotlib Figure."""
        return registry.call("plot", self, *_flat(names), **options)

    def view(self, **options: Any) -> Any:
        """Show the run in a browser, served on this machine only; returns the viewer."""
        return registry.call("view", self, **options)

    def to_html(self, path: str | os.PathLike[str], **options: Any) -> None:
        """Write the run as one web page that needs neither a network nor Python."""
        registry.call("to_html", self, path_of(path), **options)

    def frame(self, t: float, **options: Any) -> Any:
        """Return the picture of one moment; `save` writes it as PNG."""
        return registry.call("frame", self, t, **options)

    def to_video(self, path: str | os.PathLike[str], **options: Any) -> None:
        """Write the run as a video (.mp4), without a display."""
        registry.call("to_video", self, path_of(path), **options)

    def _repr_html_(self) -> str | None:
        return registry.lookup("notebook")(self)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"<Solution of {self._info.model!r}: {self.status}, {len(self._t)} rows>"

    def __str__(self) -> str:
        from cornerlaw.results.summary import summarise

        return summarise(self)

    def _state(self, name: str) -> Floats:
        if name not in self._states:
            raise UnknownNameError(f'This result holds no state "{name}".')
        return self._states[name]

    def _checked(self, channel: Channel, values: Floats) -> Floats:
        """Refuse an array that does not fit its channel."""
        expected = (len(self._t), *channel.shape)
        if values.shape != expected:
            raise SimulationError(
                f'Channel "{channel.name}" has values of the shape {values.shape}, '
                f"and {expected} is declared."
            )
        return _read_only(values)


class PartView:
    """The results of one part, as attributes: `sol["ball"].position`."""

    def __init__(self, solution: Solution, part: str):
        self._solution = solution
        self._part = part
        self._quantities = solution.channels.of(part)

    def __getattr__(self, quantity: str) -> Floats:
        # underscored names are asked for by Python itself (copy, notebooks)
        if quantity.startswith("_"):
            raise AttributeError(quantity)
        return self[quantity]

    def __getitem__(self, quantity: str) -> Floats:
        channel = self._quantities.get(quantity)
        if channel is None:
            raise self._solution.channels.unknown_quantity(self._part, quantity)
        return self._solution.array(channel.name)

    def __contains__(self, quantity: object) -> bool:
        return quantity in self._quantities

    def __iter__(self) -> Iterator[str]:
        return iter(self._quantities)

    def __len__(self) -> int:
        return len(self._quantities)

    def __dir__(self) -> list[str]:
        return sorted(self._quantities)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._quantities)

    def __repr__(self) -> str:
        listed = ", ".join(f"{name} [{c.unit}]" for name, c in self._quantities.items())
        return f"<{self._part}: {listed}>"


def _read_only(values: NDArray[Any]) -> NDArray[Any]:
    """Return a view nobody can write through."""
    view = values.view()
    view.setflags(write=False)
    return view


def _check_times(t: Floats, side: NDArray[np.int8]) -> None:
    """Check that times and sides are what every reader of a result relies on."""
    if t.ndim != 1 or side.shape != t.shape:
        raise UsageError(
            f"Times and sides must be two lists of one length, not {t.shape} and {side.shape}."
        )
    if not np.isfinite(t).all():
        raise UsageError(f"Time of row {int(np.argmin(np.isfinite(t)))} is not a finite number.")
    falls = t[1:] < t[:-1]
    if falls.any():
        k = int(np.argmax(falls))
        raise UsageError(f"Times must not decrease: row {k} has {t[k]:g} s, the next {t[k + 1]:g}.")
    if (side < -1).any() or (side > 1).any():
        raise UsageError("The side of a row must be -1 (left limit), 0 or +1 (right limit).")
