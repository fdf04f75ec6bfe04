"""The log of what happened when: impacts, stops, switches, warnings of a run."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

_PLAIN = frozenset((float, int, str, bool, type(None)))  # what most values are


def as_plain(value: Any) -> Any:
    """Turn NumPy values into plain ones and sequences into tuples, so that JSON keeps them."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, np.generic | np.ndarray):
        return as_plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): as_plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return tuple(as_plain(entry) for entry in value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


@dataclass(frozen=True)
class Event:
    """One event: when, of which part or condition, of what kind, with what data."""

    time: float
    name: str
    kind: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)  # numbers, texts and tuples of them

    def __post_init__(self) -> None:
        """Reduce everything to plain values."""
        object.__setattr__(self, "time", float(self.time))
        object.__setattr__(self, "data", as_plain(self.data))

    def to_dict(self) -> dict[str, Any]:
        """Return the event as one flat dictionary row."""
        return {"time": self.time, "name": self.name, "kind": self.kind, **self.data}


class EventLog(Sequence[Event]):
    """All events of a run in the order they happened."""

    def __init__(self, events: Iterable[Event] = ()):
        self._events = tuple(events)

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> "EventLog": ...
    def __getitem__(self, index: int | slice) -> "Event | EventLog":
        if isinstance(index, slice):
            return EventLog(self._events[index])
        return self._events[index]

    def __len__(self) -> int:
        return len(self._events)

    def __iter__(self) -> Iterator[Event]:
        return iter(self._events)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EventLog) and self._events == other._events

    def __hash__(self) -> int:
        return hash(tuple((e.time, e.name, e.kind) for e in self._events))

    def __repr__(self) -> str:
        return f"<EventLog: {len(self)} events>"

    def __str__(self) -> str:
        if not self._events:
            return "no events"
        lines = [("time [s]", "name", "kind", "data")]
        for e in self._events:
            data = ", ".join(f"{key} = {_short(value)}" for key, value in e.data.items())
            lines.append((f"{e.time:.9g}", e.name, e.kind, data))
        widths = [max(len(line[k]) for line in lines) for k in range(3)]
        return "\n".join(
            "  ".join(
                [*(f"{text:<{w}}" for text, w in zip(line, widths, strict=False)), line[3]]
            ).rstrip()
            for line in lines
        )

    @property
    def times(self) -> NDArray[np.float64]:
        """Return the times of all events."""
        return np.array([e.time for e in self._events], dtype=np.float64)

    @property
    def names(self) -> tuple[str, ...]:
        """Return every name that occurs, once, in order of appearance."""
        return tuple(dict.fromkeys(e.name for e in self._events))

    @property
    def kinds(self) -> tuple[str, ...]:
        """Return every kind that occurs, once, in order of appearance."""
        return tuple(dict.fromkeys(e.kind for e in self._events))

    def filter(self, name: str | None = None, kind: str | None = None) -> "EventLog":
        """Return the events of this name and this kind; None means any."""
        return EventLog(
            e
            for e in self._events
            if (name is None or e.name == name) and (kind is None or e.kind == kind)
        )

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dictionary per event: time, name, kind and its data."""
        return [e.to_dict() for e in self._events]


def _short(value: Any) -> str:
    """Print a value of the data column with few digits."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, tuple):
        return "(" + ", ".join(_short(entry) for entry in value) + ")"
    return str(value)
