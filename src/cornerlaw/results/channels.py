"""The names of a result: channels "part.quantity", found by name with suggestions."""

import difflib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from cornerlaw.errors import DuplicateNameError, UnknownNameError, UsageError

LISTED = 8  # names shown in an error sentence before it becomes unreadable


class UnknownQuantityError(UnknownNameError, AttributeError):
    """A part has no such quantity; also an AttributeError, so that `hasattr` works."""


@dataclass(frozen=True)
class Channel:
    """One named signal of a run: an array of `shape` for every stored time."""

    name: str  # "crank pin.force"
    unit: str = "1"  # SI, "1" for a pure number
    shape: tuple[int, ...] = ()  # of one row
    components: tuple[str, ...] = ()  # a label for every entry of a row, or none
    description: str = ""
    kind: str = "signal"  # position, velocity, acceleration, force, energy, power, error, ...

    def __post_init__(self) -> None:
        """Check that the labels fit the shape."""
        object.__setattr__(self, "shape", tuple(int(n) for n in self.shape))
        object.__setattr__(self, "components", tuple(str(c) for c in self.components))
        if not self.name:
            raise UsageError("A channel needs a name, and an empty one was given.")
        if self.components and len(self.components) != math.prod(self.shape):
            raise UsageError(
                f'Channel "{self.name}" has {len(self.components)} component labels '
                f"and {math.prod(self.shape)} entries per row; give one label for each or none."
            )

    @property
    def labels(self) -> tuple[str, ...]:
        """Label every entry of a row: the components, or counted indices; none for a scalar."""
        if self.components or not self.shape:
            return self.components
        if len(self.shape) == 1:
            return tuple(str(k) for k in range(self.shape[0]))
        return tuple(
            ",".join(str(k) for k in _unravel(entry, self.shape))
            for entry in range(math.prod(self.shape))
        )


def _unravel(entry: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Split a flat index into one index per axis, the last axis running fastest."""
    indices: list[int] = []
    for n in reversed(shape):
        entry, index = divmod(entry, n)
        indices.append(index)
    return tuple(reversed(indices))


class ChannelTable:
    """All channels of a run in order, with the part each one belongs to.

    Part names may hold spaces and dots ("left.crank pin"), so a channel belongs to the longest
    name of `parts` it starts with; one that starts with none stands for itself (a sensor).
    Without `parts` the text up to the last dot is the part. `silent` tells why a name that makes
    sense has no results.
    """

    def __init__(
        self,
        channels: Iterable[Channel] = (),
        parts: Iterable[str] | None = None,
        silent: Callable[[str], str] | None = None,
    ):
        self._silent = silent
        self._channels: dict[str, Channel] = {}
        self._parts: dict[str, dict[str, Channel]] = {}
        self._owner: dict[str, tuple[str, str]] = {}
        known = None if parts is None else frozenset(parts)
        for channel in channels:
            if channel.name in self._channels:
                raise DuplicateNameError(f'There are two channels named "{channel.name}".')
            part, quantity = _split(channel.name, known)
            self._channels[channel.name] = channel
            self._owner[channel.name] = (part, quantity)
            if part:
                self._parts.setdefault(part, {})[quantity] = channel
        for part in self._parts:
            if part in self._channels:
                raise DuplicateNameError(f'"{part}" is both a part and a channel; rename one.')

    def __iter__(self) -> Iterator[Channel]:
        return iter(self._channels.values())

    def __len__(self) -> int:
        return len(self._channels)

    def __contains__(self, name: object) -> bool:
        return name in self._channels

    def __getitem__(self, name: str) -> Channel:
        channel = self._channels.get(require_name(name))
        if channel is None:
            raise self.unknown(name)
        return channel

    def __repr__(self) -> str:
        return f"<ChannelTable: {len(self._channels)} channels of {len(self._parts)} parts>"

    def __str__(self) -> str:
        rows = [(c.name, f"[{c.unit}]", " ".join(c.labels), c.description) for c in self]
        widths = [max((len(row[k]) for row in rows), default=0) for k in range(3)]
        return "\n".join(
            "  ".join(
                [*(f"{text:<{w}}" for text, w in zip(row, widths, strict=False)), row[3]]
            ).rstrip()
            for row in rows
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Name every channel, in order."""
        return tuple(self._channels)

    @property
    def parts(self) -> tuple[str, ...]:
        """Name every part that has channels, in order."""
        return tuple(self._parts)

    def is_part(self, name: object) -> bool:
        """Tell whether a part of this name has channels."""
        return isinstance(name, str) and name in self._parts

    def of(self, part: str) -> dict[str, Channel]:
        """Return the channels of one part by quantity."""
        if require_name(part) not in self._parts:
            raise self.unknown(part)
        return dict(self._parts[part])

    def part_of(self, name: str) -> str:
        """Name the part a channel belongs to; empty for one that stands for itself."""
        return self._owner[self[name].name][0]

    def quantity_of(self, name: str) -> str:
        """Name the quantity of a channel: its name without the part."""
        return self._owner[self[name].name][1]

    def resolve(self, name: str) -> tuple[Channel, int | None]:
        """Find a channel by "part.quantity", or one entry of it by "part.quantity.component"."""
        found = self.find(name)
        if found is None:
            raise self.unknown(name)
        return found

    def find(self, name: str) -> tuple[Channel, int | None] | None:
        """Find what `resolve` does, or nothing: without the search for names that are alike."""
        require_name(name)
        if name in self._channels:
            return self._channels[name], None
        cut = name.rfind(".")
        while cut > 0:
            channel, label = self._channels.get(name[:cut]), name[cut + 1 :]
            if channel is not None:
                if label in channel.labels:
                    return channel, channel.labels.index(label)
                break
            cut = name.rfind(".", 0, cut)
        return None

    def select(self, names: Iterable[str]) -> tuple[Channel, ...]:
        """List the channels meant by names of channels and of whole parts, each once."""
        chosen: dict[str, Channel] = {}
        for name in map(require_name, names):
            found = self._parts[name].values() if name in self._parts else (self[name],)
            chosen.update((channel.name, channel) for channel in found)
        return tuple(chosen.values())

    def unknown(self, name: str) -> UnknownNameError:
        """Build the error for a name that does not exist, with the nearest one that does."""
        part, quantity = _split(name, frozenset(self._parts))
        reason = self._silent(name) if self._silent is not None and not part else ""
        if reason:
            return UnknownNameError(reason)
        if name in self._parts:
            example = f"{name}.{next(iter(self._parts[name]))}"
            return UnknownNameError(
                f'"{name}" is a part, and one of its results is needed here, such as "{example}".'
            )
        if part and part not in self._channels:
            return self.unknown_quantity(part, quantity)
        near = difflib.get_close_matches(name, [*self._channels, *self._parts], n=1)
        if near:
            return UnknownNameError(f'There is no result "{name}"; did you mean "{near[0]}"?')
        known = [*self._parts, *(c for c, (owner, _) in self._owner.items() if not owner)]
        return UnknownNameError(f'There is no result "{name}"; there are: {_listed(known)}.')

    def unknown_quantity(self, part: str, quantity: str) -> UnknownQuantityError:
        """Build the error for a quantity a part does not have."""
        known = list(self._parts[part])
        near = difflib.get_close_matches(quantity, known, n=1)
        hint = f'did you mean "{near[0]}"?' if near else f"it has: {_listed(known)}."
        return UnknownQuantityError(f'"{part}" has no result "{quantity}"; {hint}')


def require_name(name: Any) -> str:
    """Return a name; refuse what is none."""
    if isinstance(name, str):
        return name
    raise UsageError(f"Results are found by name, and {short(name)} is not a text.")


def named(names: Any) -> list[str]:
    """Return one name or several as a list; refuse what holds none."""
    if isinstance(names, str):
        return [names]
    try:
        return [require_name(name) for name in names]
    except TypeError:
        raise UsageError(f"Names must be a list of texts, got {short(names)}.") from None


def short(value: object) -> str:
    """Return a value in one short line, whatever it is."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # the object is the user's
        text = f"a {type(value).__name__}"
    return text if len(text) <= 70 else text[:67] + "..."


def _split(name: str, parts: frozenset[str] | None) -> tuple[str, str]:
    """Split a name into part and quantity at the last dot whose left side is a known part."""
    cut = name.rfind(".")
    while cut > 0:
        if parts is None or name[:cut] in parts:
            return name[:cut], name[cut + 1 :]
        cut = name.rfind(".", 0, cut)
    return "", name


def _listed(names: Sequence[str]) -> str:
    """Join names for a sentence, cut short when there are many."""
    if not names:
        return "none at all"
    shown = ", ".join(names[:LISTED])
    return shown if len(names) <= LISTED else f"{shown} and {len(names) - LISTED} more"
