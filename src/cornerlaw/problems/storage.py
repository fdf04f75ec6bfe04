"""Contact problems in HDF5 files: our own format, plain arrays only."""

import io
import os
from typing import Any

import numpy as np

from cornerlaw.arrays.state import Floats
from cornerlaw.errors import FileError, ModelError
from cornerlaw.problems.plain import open_plain, plain_array
from cornerlaw.problems.problem import ContactProblem
from cornerlaw.problems.sets import ContactSet
from cornerlaw.results.atomic import whole_file

FORMAT = "cornerlaw contact problem"
VERSION = 1
MAX_ROWS = 10_000  # a dense G of this size has 0.8 GB; anything above is a damaged or hostile file
_INTS = ("kind", "size", "master")
_FLOATS = ("lower_0", "lower_1", "upper_0", "upper_1")


def save(problem: ContactProblem, path: str | os.PathLike[str], x: Any = None) -> None:
    """Write a problem, whole or not at all."""
    import h5py

    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as file:
        file.attrs["format"] = FORMAT
        file.attrs["version"] = VERSION
        file.attrs["v_ref"] = problem.v_ref
        file["G"] = problem.G
        file["c"] = problem.c
        for name in (*_INTS, *_FLOATS):
            values = [getattr(item, name) for item in problem.sets]
            file[f"sets/{name}"] = np.array(values, np.int64 if name in _INTS else float)
        if x is not None:
            guess = np.asarray(x, dtype=float)
            if guess.shape != (problem.n,):
                raise ModelError(f"x has the shape {guess.shape}, not ({problem.n},).")
            file["x"] = guess
    with whole_file(path) as out:
        out.write(buffer.getvalue())


def is_problem_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is HDF5 in our format."""
    try:
        with open_plain(path) as file:
            return bool(file.attrs.get("format", "") == FORMAT)
    except FileError:
        return False


def load(path: str | os.PathLike[str]) -> tuple[ContactProblem, Floats | None]:
    """Read a problem and the first guess stored with it, if any."""
    with open_plain(path) as file:
        return _read(file, path)


def _read(file: Any, path: str | os.PathLike[str]) -> tuple[ContactProblem, Floats | None]:
    name = os.fspath(path)
    if file.attrs.get("format", "") != FORMAT:
        raise FileError(f'"{name}" is not a contact problem saved by cornerlaw.')
    if int(file.attrs.get("version", 0)) != VERSION:
        raise FileError(
            f'"{name}" has version {file.attrs.get("version")} of the format, not {VERSION}.'
        )
    c = _numbers(file, "c", 1, name)
    if c.size > MAX_ROWS:
        raise FileError(f'"{name}" claims {c.size} rows; the limit is {MAX_ROWS}.')
    n_sets = _shape(file, "sets/kind", 1, name)[0]
    if n_sets > c.size or _shape(file, "G", 2, name) != (c.size, c.size):
        raise FileError(f'"{name}" has arrays of sizes that do not fit together.')
    columns = {key: _numbers(file, f"sets/{key}", 1, name) for key in (*_INTS, *_FLOATS)}
    if any(column.size != n_sets for column in columns.values()):
        raise FileError(f'"{name}" has arrays of sizes that do not fit together.')
    try:
        items = [
            ContactSet(
                *(int(columns[key][k]) for key in _INTS),
                *(float(columns[key][k]) for key in _FLOATS),
            )
            for k in range(n_sets)
        ]
        v_ref = float(file.attrs.get("v_ref", 1e-9))
        problem = ContactProblem(_numbers(file, "G", 2, name), c, items, v_ref=v_ref)
    except (ModelError, ValueError, OverflowError) as error:
        raise FileError(f'"{name}" holds no valid problem: {error}') from None
    guess = _numbers(file, "x", 1, name) if "x" in file else None
    if guess is not None and guess.shape != c.shape:
        raise FileError(f'"{name}" has arrays of sizes that do not fit together.')
    return problem, guess


def _shape(file: Any, key: str, ndim: int, name: str) -> tuple[int, ...]:
    import h5py

    entry = file.get(key)
    if not isinstance(entry, h5py.Dataset) or entry.ndim != ndim or entry.dtype.kind not in "fiu":
        raise FileError(f'"{name}" has no array of numbers "{key}" with {ndim} dimensions.')
    shape: tuple[int, ...] = entry.shape
    return shape


def _numbers(file: Any, key: str, ndim: int, name: str) -> Floats:
    if max(_shape(file, key, ndim, name), default=0) > MAX_ROWS:
        raise FileError(f'"{name}" has an array "{key}" beyond the limit of {MAX_ROWS} rows.')
    return np.asarray(plain_array(file, key, name), dtype=float)
