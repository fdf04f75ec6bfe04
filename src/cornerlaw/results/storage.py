"""Save a Solution to one NetCDF-4 file and load it back, without Numba and without pickle.

The file (schema 1) opens in any NetCDF reader: dimension `time` with the coordinate `time` and the
variable `side` (-1 left limit, +1 right limit); a variable per channel with units, long_name and
its exact name as attribute `channel`; `state_q`, `state_u`, `state_x`; `event_time`, `event_name`,
`event_kind`, `event_data` (JSON); `final_*` restart data; `scene` (JSON: what the model looks
like); the attributes `cornerlaw_info` and `cornerlaw_origin` (JSON).
"""

import json
import os
import stat
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np
from numpy.typing import NDArray

from cornerlaw.errors import CornerlawError, FileError, UnknownNameError, UsageError
from cornerlaw.results.atomic import path_of, whole_file
from cornerlaw.results.channels import Channel, ChannelTable, named, short
from cornerlaw.results.dimensions import DimensionNames
from cornerlaw.results.events import Event, EventLog
from cornerlaw.results.final import FinalState
from cornerlaw.results.heaps import SIGNATURE, refuse_endless_heaps
from cornerlaw.results.info import RunInfo
from cornerlaw.results.netcdf import Reader, RefusedFile, Writer, from_characters
from cornerlaw.results.origin import Origin

if TYPE_CHECKING:
    from cornerlaw.results.solution import Solution

SCHEMA = 1
MAX_BYTES = 16 * 2**30  # of unpacked data; a file that claims more is refused before allocation
FINAL_ARRAYS = ("q", "u", "x", "z", "memory", "corners")


def save(
    sol: "Solution",
    path: str | os.PathLike[str],
    channels: Iterable[str] | None = None,
    *,
    compression: int = 1,
) -> None:
    """Save all channels, or the channels and parts named; whole or not at all."""
    if not isinstance(compression, int) or compression not in range(10):
        raise UsageError(f"compression must be 0 (none) to 9, not {short(compression)}.")
    path = path_of(path)
    chosen = sol.channels.select(sol.channels.names if channels is None else named(channels))
    # evaluate before anything is written: an error here leaves no trace
    arrays = sol.fetch(channel.name for channel in chosen)
    image = _build(sol, chosen, arrays, compression)
    with whole_file(path) as file:
        file.write(image)


def _build(
    sol: "Solution",
    chosen: tuple[Channel, ...],
    arrays: Mapping[str, NDArray[np.float64]],
    compression: int,
) -> memoryview:
    """Write the file into memory."""
    writer = Writer(compression)
    writer.attributes(
        {
            "cornerlaw_schema": SCHEMA,
            "title": sol.info.model,
            "status": sol.status,
            "cornerlaw_info": sol.info.to_json(),
            "cornerlaw_parts": json.dumps(sol.channels.parts),
            "cornerlaw_origin": "" if sol.origin is None else sol.origin.to_json(),
        }
    )
    # fixed wherever possible: some readers ask every variable for the size of an unlimited one
    labels = {"units": "s", "long_name": "time"}
    writer.coordinate("time", sol.t, labels, unlimited=not len(sol.t))
    writer.variable("side", sol.side, ("time",), {"long_name": "-1 left limit, +1 right limit"})
    used = {"time", "side"}
    for name, values in sol.states.items():
        # NetCDF has no dimension of length zero
        if values.shape[1]:
            writer.dimension(f"{name}_index", values.shape[1])
            writer.variable(f"state_{name}", values, ("time", f"{name}_index"), {})
            used |= {f"{name}_index", f"state_{name}"}
    used |= _write_events(writer, sol.events)
    if sol.has_final:
        used |= _write_final(writer, sol.final)
    used |= _write_scene(writer, sol.scene)
    dimensions = DimensionNames()
    dims = {channel.name: dimensions.of(channel) for channel in chosen}
    for name, size in dimensions.sizes.items():
        used.add(name)
        if name in dimensions.labels:
            writer.labels(name, dimensions.labels[name])
        else:
            writer.dimension(name, size)
    for channel in chosen:
        name = _legal_name(channel.name, used)
        used.add(name)
        writer.variable(
            name,
            arrays[channel.name],
            ("time", *dims[channel.name]),
            {
                "units": channel.unit,
                "long_name": channel.description or channel.name,
                "channel": channel.name,
                "kind": channel.kind,
                "components": json.dumps(channel.components) if channel.components else "",
            },
        )
    return writer.finish()


def _write_events(writer: Writer, events: EventLog) -> set[str]:
    """Write the event log as four variables along the dimension `event`."""
    if not events:
        return set()
    writer.dimension("event", len(events))
    writer.variable("event_time", events.times, ("event",), {"units": "s"})
    writer.texts("event_name", [e.name for e in events], "event", {})
    writer.texts("event_kind", [e.kind for e in events], "event", {})
    data = [json.dumps(e.data, sort_keys=True) for e in events]
    writer.texts("event_data", data, "event", {"long_name": "JSON"})
    return {"event", "event_time", "event_name", "event_kind", "event_data"}


def _write_final(writer: Writer, final: FinalState) -> set[str]:
    """Write the restart data."""
    used = {"final_t", "final_dt"}
    labels = {"units": "s", "fingerprint": final.fingerprint, "method": final.method}
    labels["solver"] = str(final.solver)
    writer.variable("final_t", np.array(final.t), (), labels)
    writer.variable("final_dt", np.array(final.dt), (), {"units": "s"})
    for name in FINAL_ARRAYS:
        values = getattr(final, name)
        if values.size:
            # its own dimension: a failed run may end before its states have rows of this length
            writer.dimension(f"final_{name}_index", values.size)
            writer.variable(f"final_{name}", values, (f"final_{name}_index",), {})
            used |= {f"final_{name}_index", f"final_{name}"}
    return used


def _write_scene(writer: Writer, scene: Mapping[str, Any] | None) -> set[str]:
    """Write what the model looks like as one text."""
    if scene is None:
        return set()
    writer.dimension("scene_count", 1)
    text = json.dumps(scene, separators=(",", ":"))
    writer.texts("scene", [text], "scene_count", {"long_name": "JSON"})
    return {"scene", "scene_count"}


def _legal_name(name: str, used: set[str]) -> str:
    """Make a name NetCDF accepts: no slash, no control characters, a letter or digit in front."""
    legal = "".join("_" if c == "/" or not c.isprintable() else c for c in name).rstrip() or "_"
    if not (legal[0].isalnum() or legal[0] == "_"):
        legal = f"_{legal}"
    while legal in used:
        legal = f"{legal}_"
    return legal


def load(
    path: str | os.PathLike[str],
    channels: Iterable[str] | None = None,
    *,
    max_bytes: int = MAX_BYTES,
) -> "Solution":
    """Load a result file as plain data; `channels` limits what is read to the names given."""
    shown = path_of(path)
    try:
        about = os.stat(shown)
        if not stat.S_ISREG(about.st_mode) and not stat.S_ISDIR(about.st_mode):
            raise FileError(f'"{shown}" is not a plain file.')
        size = about.st_size
        with open(shown, "rb") as file:
            head = file.read(len(SIGNATURE))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileError(f'Cannot read "{shown}": {reason}.') from None
    if head != SIGNATURE:
        raise FileError(f'"{shown}" is not a cornerlaw result file: it is no NetCDF-4 file at all.')
    try:
        refuse_endless_heaps(shown)
        with h5py.File(shown, "r", locking="best-effort") as file:
            return _read(file, shown, size, channels, max_bytes)
    except RefusedFile as error:
        raise FileError(f'"{shown}" was refused: {error}, and results are plain data.') from None
    except MemoryError:
        raise FileError(
            f'"{shown}" does not fit into memory; read part of it with channels=[...].'
        ) from None
    except (FileError, UnknownNameError):
        raise
    except (OSError, RuntimeError, ValueError, LookupError, TypeError, CornerlawError) as error:
        # whatever HDF5, JSON or UTF-8 say about the bytes: the user needs one sentence
        raise FileError(
            f'"{shown}" is damaged or was cut short ({_first_line(error)}); '
            "use an earlier copy or run it again."
        ) from None


def _read(
    file: Any, shown: str, size: int, channels: Iterable[str] | None, max_bytes: int
) -> "Solution":
    """Read an open file."""
    from cornerlaw.results.solution import Solution

    schema = file.attrs.get("cornerlaw_schema")
    if schema is None:
        raise FileError(
            f'"{shown}" is not a cornerlaw result file: it is NetCDF or HDF5 of another kind.'
        )
    if not isinstance(schema, np.integer) or schema != SCHEMA:
        raise FileError(
            f'"{shown}" has the result schema {_first_line(schema)}, and this version of cornerlaw '
            f"reads schema {SCHEMA}; use the version that wrote it."
        )
    reader = Reader(file, size, max_bytes)
    root = reader.attributes()
    table, variables = _read_channels(reader, file, json.loads(root["cornerlaw_parts"]))
    if channels is not None:
        chosen = table.select([channels] if isinstance(channels, str) else channels)
        table = ChannelTable(chosen, table.parts)
    t = reader.read("time").astype(np.float64)
    states = {}
    for name in ("q", "u", "x"):
        stored = f"state_{name}" in reader
        states[name] = reader.read(f"state_{name}") if stored else np.zeros((len(t), 0))
    return Solution(
        t=t,
        side=reader.read("side"),
        states=states,
        channels=table,
        stored={channel.name: reader.read(variables[channel.name]) for channel in table},
        events=_read_events(reader),
        info=RunInfo.from_json(root["cornerlaw_info"]),
        final=_read_final(reader),
        scene=_read_scene(reader),
        origin=Origin.from_json(root["cornerlaw_origin"]) if "cornerlaw_origin" in root else None,
    )


def _read_channels(
    reader: Reader, file: Any, parts: list[str]
) -> tuple[ChannelTable, dict[str, str]]:
    """Rebuild the channel table; also return which variable holds which channel."""
    found = []
    variables = {}
    for name in reader.names:
        attributes = reader.attributes(name)
        if "channel" not in attributes:
            continue
        exact = attributes["channel"]
        title = attributes.get("long_name", exact)
        channel = Channel(
            name=exact,
            unit=attributes.get("units", ""),
            shape=file[name].shape[1:],
            components=tuple(json.loads(attributes.get("components", "[]"))),
            description="" if title == exact else title,
            kind=attributes.get("kind", ""),
        )
        found.append(channel)
        variables[channel.name] = name
    return ChannelTable(found, parts), variables


def _read_events(reader: Reader) -> EventLog:
    if "event_time" not in reader:
        return EventLog()
    times = reader.read("event_time").tolist()
    columns = [
        from_characters(reader.read(name)) for name in ("event_name", "event_kind", "event_data")
    ]
    rows = zip(times, *columns, strict=True)
    return EventLog(
        Event(time, name, kind, dict(json.loads(data))) for time, name, kind, data in rows
    )


def _read_final(reader: Reader) -> FinalState | None:
    if "final_t" not in reader:
        return None
    labels = reader.attributes("final_t")
    arrays: dict[str, Any] = {
        n: reader.read(f"final_{n}") for n in FINAL_ARRAYS if f"final_{n}" in reader
    }
    return FinalState(
        t=float(reader.read("final_t")),
        dt=float(reader.read("final_dt")),
        solver=int(labels.get("solver", "0")),
        **arrays,
        fingerprint=labels.get("fingerprint", ""),
        method=labels.get("method", ""),
    )


def _read_scene(reader: Reader) -> dict[str, Any] | None:
    if "scene" not in reader or "channel" in reader.attributes("scene"):
        return None
    found = json.loads(from_characters(reader.read("scene"))[0])
    return found if isinstance(found, dict) else None


def _first_line(value: object) -> str:
    """Shorten what a library says to something that fits into a sentence."""
    text = str(value).strip().splitlines()
    return text[0][:200].rstrip(".") if text else type(value).__name__
