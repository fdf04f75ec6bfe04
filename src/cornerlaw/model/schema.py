"""Model files: plain data in TOML or JSON, references by name, functions by name and source hash.

Reading a file never runs anything in it. A function is stored as its module and qualified name with
the SHA-256 of its source; it is imported only on request, and only if its source is still the same.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import json
import os
import textwrap
from collections.abc import Callable
from dataclasses import MISSING
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cornerlaw.errors import CornerlawError, FileError, ModelError, OutputError, UsageError
from cornerlaw.model.arguments import unknown
from cornerlaw.model.contact_rules import Materials
from cornerlaw.model.element_rows import BilateralRow, Multipliers, SetRow, UnilateralRow
from cornerlaw.model.friction import Coulomb, Stribeck
from cornerlaw.model.inertia import Inertia
from cornerlaw.model.mesh import MeshKind, Triangles
from cornerlaw.model.normal_laws import HuntCrossley, KelvinVoigt, LankaraniNikravesh
from cornerlaw.model.part import PART_TYPES, Part, field_specs
from cornerlaw.model.quantity import DataKind, show
from cornerlaw.model.values import (
    Delay,
    Input,
    Interpreted,
    Motion,
    Sampled,
    ScaledInput,
    Table,
)

if TYPE_CHECKING:
    from cornerlaw.model.model import Model

SCHEMA = "cornerlaw-model/1"
MAX_BYTES = 50_000_000
SUFFIXES = (".toml", ".json")

# values written as a table with their type: (class, required keys, optional keys)
_TAGGED: dict[str, tuple[Callable[..., Any], tuple[str, ...], tuple[str, ...]]] = {
    "table": (Table, ("x", "y"), ("kind", "extrapolate")),
    "input": (Input, ("name",), ("value",)),
    "scaled-input": (ScaledInput, ("source", "factor"), ("constant", "lowest")),
    "motion": (Motion, ("position",), ("velocity", "acceleration")),
    "interpreted": (Interpreted, ("function",), ()),
    "sampled": (Sampled, ("function", "dt"), ()),
    "delay": (Delay, ("function", "delay"), ("points", "before")),
    "inertia": (Inertia, ("mass", "tensor"), ("com",)),
    "coulomb": (Coulomb, ("mu",), ("static", "radius")),
    "stribeck": (
        Stribeck,
        ("static", "kinetic", "velocity"),
        ("viscous", "exponent", "radius"),
    ),
    "materials": (Materials, ("pairs",), ()),
    "triangles": (Triangles, ("vertices", "faces"), ()),
    "kelvin-voigt": (KelvinVoigt, ("stiffness",), ("damping",)),
    "hunt-crossley": (HuntCrossley, ("stiffness",), ("damping", "exponent")),
    "lankarani-nikravesh": (LankaraniNikravesh, ("stiffness", "restitution"), ("exponent",)),
    "bilateral-row": (BilateralRow, ("function",), ("level", "active", "V", "R")),
    "unilateral-row": (
        UnilateralRow,
        ("function",),
        ("eps_N", "eps_speed", "law", "tangent", "mu", "eps_T", "active", "V", "R"),
    ),
    "set-row": (SetRow, ("function",), ("lower", "upper", "active", "V", "R")),
    "multipliers": (Multipliers, ("factors",), ("constant",)),
}
_TAGS: dict[Any, str] = {entry[0]: tag for tag, entry in _TAGGED.items()}


def save(model: Model, path: str | PathLike[str]) -> None:
    """Write the model; the file appears complete or not at all."""
    target = _target(path)
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "name": model.name,
        "coordinates": model.coordinates,
    }
    if model.gravity is not None:
        document["gravity"] = list(model.gravity)
    document["parts"] = [encode_part(item) for item in model.parts]
    if target.suffix.lower() == ".json":
        text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    else:
        import tomli_w

        text = tomli_w.dumps(document)
    _write(target, text)


def load(path: str | PathLike[str], trust: bool = False) -> Model:
    """Read a model; a file that names functions is refused unless `trust` is True."""
    from cornerlaw.model.model import Model

    if not isinstance(trust, bool):
        # a text such as "no" would count as True
        raise UsageError(f"trust must be True or False, got {show(trust)}")
    source = _target(path)
    document = _read(source)
    version = document.get("schema")
    if version != SCHEMA:
        got = "no schema" if version is None else f"the schema {show(version)}"
        raise FileError(f"'{source}' has {got}, this version reads {SCHEMA!r}")
    known = ["schema", "name", "coordinates", "gravity", "parts"]
    _check_keys(source, "the file", document, ("parts",), known)
    entries = document["parts"]
    if not isinstance(entries, list):
        raise FileError(f"'{source}': parts must be a list")
    settings = {key: document[key] for key in known[1:4] if key in document}
    try:
        parts = [_decode_part(entry, k, source, trust) for k, entry in enumerate(entries)]
        return Model(*parts, **settings)
    except ModelError as error:
        raise FileError(f"'{source}': {error}") from None


def encode_part(item: Part) -> dict[str, Any]:
    """Return a part as plain data, without the fields that have their default values."""
    entry: dict[str, Any] = {"type": type(item).__name__, "name": item.name}
    for s in field_specs(type(item))[1:]:
        value = getattr(item, s.name)
        if value is None or (s.default is not MISSING and value == s.default):
            continue
        entry[s.name] = _encode(value, f"{item.label}: {s.name}")
    return entry


def _encode(value: Any, place: str) -> Any:
    if isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Part):
        return value.name
    if isinstance(value, tuple):
        # an absent second entry of a pair is left out
        return [_encode(item, place) for item in value if item is not None]
    if isinstance(value, dict):
        return {key: _encode(item, place) for key, item in value.items()}
    tag = _TAGS.get(type(value))
    if tag is not None:
        entry: dict[str, Any] = {"type": tag}
        for key in (*_TAGGED[tag][1], *_TAGGED[tag][2]):
            if getattr(value, key) is not None:
                entry[key] = _encode(getattr(value, key), place)
        return entry
    return _encode_function(value, place)


def _encode_function(value: Any, place: str) -> dict[str, str]:
    function = getattr(value, "py_func", value)
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", None)
    if not module or not name or "<" in name:
        raise FileError(
            f"{place} is {show(value)}, which cannot be stored; only functions defined at the top "
            f"level of a module can"
        )
    try:
        found = _find(module, name)
    except (ImportError, AttributeError):
        found = None
    if getattr(found, "py_func", found) is not function:
        raise FileError(f"{place} cannot be stored: {module}:{name} does not lead to the function")
    return {"type": "function", "name": f"{module}:{name}", "source_sha256": _hash(function, place)}


def _find(module: str, name: str) -> Any:
    found: Any = importlib.import_module(module)
    for word in name.split("."):
        found = getattr(found, word)
    return found


def _hash(function: Any, place: str) -> str:
    """Return the SHA-256 of the source, independent of indentation and line endings."""
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        raise FileError(f"{place}: the source of the function cannot be read") from None
    lines = textwrap.dedent(source).splitlines()
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _decode_part(entry: Any, index: int, source: Path, trust: bool) -> Part:
    if not isinstance(entry, dict):
        raise FileError(f"'{source}': part {index} must be a table, got {show(entry)}")
    kind, name = entry.get("type"), entry.get("name")
    place = f"part {index}" if not isinstance(name, str) else f"part {name!r}"
    if not isinstance(kind, str):
        raise FileError(f"'{source}': {place} has no type")
    cls = PART_TYPES.get(kind)
    if cls is None:
        raise unknown(f"{place} has an unknown type", kind, sorted(PART_TYPES))
    specs = field_specs(cls)
    given = {key: value for key, value in entry.items() if key != "type"}
    required = tuple(s.name for s in specs if s.default is MISSING)
    _check_keys(source, f"{kind} {name!r}", given, required, [s.name for s in specs])
    values = {}
    for s in specs:
        if s.name in given:
            raw = given[s.name]
            where = f"{kind} {name!r}: {s.name}"
            if isinstance(s.kind, MeshKind) and isinstance(raw, str):
                # a file from a stranger must not lead to other files of this machine
                raise FileError(
                    f"'{source}': {where} is the path {show(raw)}; a model file holds the "
                    f"triangles themselves and reads no other file"
                )
            values[s.name] = (
                raw if isinstance(s.kind, DataKind) else _decode(raw, where, source, trust)
            )
    return cls(**values)


def _decode(raw: Any, place: str, source: Path, trust: bool) -> Any:
    if isinstance(raw, list):
        return [_decode(item, place, source, trust) for item in raw]
    if not isinstance(raw, dict):
        return raw
    tag = raw.get("type")
    if not isinstance(tag, str):
        return {key: _decode(item, place, source, trust) for key, item in raw.items()}
    given = {key: value for key, value in raw.items() if key != "type"}
    if tag == "function":
        _check_keys(source, place, given, ("name", "source_sha256"), ["name", "source_sha256"])
        return _decode_function(given, place, source, trust)
    if tag not in _TAGGED:
        raise FileError(f"'{source}': {place} has the unknown type {tag!r}")
    make, required, optional = _TAGGED[tag]
    _check_keys(source, place, given, required, [*required, *optional])
    return make(**{key: _decode(value, place, source, trust) for key, value in given.items()})


def _decode_function(given: dict[str, Any], place: str, source: Path, trust: bool) -> Any:
    full, expected = given["name"], given["source_sha256"]
    module, colon, name = str(full).partition(":")
    words = [*module.split("."), *name.split(".")]
    if not isinstance(full, str) or not colon or not all(word.isidentifier() for word in words):
        raise FileError(f"'{source}': {place} names no function, got {show(full)}")
    if not trust:
        raise FileError(
            f"'{source}': {place} is the function {full!r}; "
            f"load with trust=True if you trust the file and that module"
        )
    try:
        function = _find(module, name)
    except CornerlawError:
        raise
    except Exception as error:  # importing a module runs its code, which may fail in any way
        raise FileError(
            f"'{source}': {place}: the function {full!r} cannot be imported: {error}"
        ) from None
    plain = getattr(function, "py_func", function)
    if not callable(plain) or _hash(plain, f"'{source}': {place}") != expected:
        raise FileError(
            f"'{source}': {place}: the source of {full!r} has changed since the model was saved"
        )
    return function


def _check_keys(
    source: Path, place: str, given: dict[str, Any], required: tuple[str, ...], known: list[str]
) -> None:
    for key in given:
        if key not in known:
            error = unknown(f"{place} has an unknown key", key, known)
            raise FileError(f"'{source}': {error}")
    for key in required:
        if key not in given:
            raise FileError(f"'{source}': {place} lacks the key {key!r}")


def _target(path: str | PathLike[str]) -> Path:
    try:
        target = Path(path)
    except TypeError:
        raise FileError(f"a model file must be a path, got {show(path)}") from None
    if target.suffix.lower() not in SUFFIXES:
        raise FileError(f"a model file must end in .toml or .json, got '{target}'")
    return target


def _read(source: Path) -> dict[str, Any]:
    try:
        if source.exists() and not source.is_file():
            raise FileError(f"'{source}' is not a plain file")
        with open(source, "rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise FileError(f"cannot read '{source}': {error.strerror or error}") from None
    if len(content) > MAX_BYTES:
        raise FileError(f"'{source}' is larger than the limit of {MAX_BYTES // 1_000_000} MB")
    try:
        text = content.decode("utf-8")
        if source.suffix.lower() == ".json":
            document = json.loads(text)
        else:
            import tomllib

            document = tomllib.loads(text)
    except RecursionError:
        raise FileError(f"'{source}' is nested too deeply") from None
    except ValueError as error:  # broken text, JSON or TOML
        raise FileError(f"'{source}' is not valid {source.suffix[1:].upper()}: {error}") from None
    if not isinstance(document, dict):
        raise FileError(f"'{source}' must contain a table, got {show(document)}")
    return document


def _write(target: Path, text: str) -> None:
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, target)
    except (OSError, UnicodeError) as error:
        temporary.unlink(missing_ok=True)
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"cannot write '{target}': {reason}") from None
