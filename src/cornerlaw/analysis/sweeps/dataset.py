"""The result of a sweep: rows as an xarray Dataset over the varied parameters."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from cornerlaw.analysis.sweeps.design import Design, coordinate
from cornerlaw.analysis.sweeps.record import read_plan, read_rows
from cornerlaw.analysis.sweeps.task import Row
from cornerlaw.analysis.sweeps.untrusted import MOST
from cornerlaw.errors import FileError
from cornerlaw.results.extras import missing_extra, require

MISSING = "not run"


def make_dataset(design: Design, rows: dict[int, Row], attributes: dict[str, Any]) -> Any:
    """Return the rows over the parameters; what was not run or failed is nan, with a status."""
    xarray = require("xarray", "data", "a sweep")
    status = np.full(len(design), MISSING, dtype=object)
    message = np.full(len(design), "", dtype=object)
    arrays: dict[str, Any] = {}
    for k in sorted(rows):
        row = rows[k]
        status[k], message[k] = row["status"], row["message"]
        for name, value in row["values"].items():
            found = np.asarray(value)
            if name not in arrays:
                # whole numbers and truths have no nan and become numbers
                arrays[name] = np.full((len(design), *found.shape), np.nan)
            if arrays[name].shape[1:] != found.shape:
                expected = arrays[name].shape[1:]
                status[k] = "failed"
                message[k] = f"measure {name!r} has the shape {found.shape}, elsewhere {expected}"
                continue
            arrays[name][k] = found
    variables = {name: _over(design, name, values) for name, values in arrays.items()}
    variables["status"] = _over(design, "status", status.astype(str))
    variables["message"] = _over(design, "message", message.astype(str))
    return xarray.Dataset(variables, coords=_coordinates(design), attrs=attributes)


def _over(design: Design, name: str, values: Any) -> tuple[tuple[str, ...], Any]:
    """Return dimensions and values of a variable."""
    inner = values.shape[1:]
    dims = (*design.dims, *(f"{name} {i}" for i in range(len(inner))))
    return dims, values.reshape(*design.shape, *inner)


def _coordinates(design: Design) -> dict[str, Any]:
    if design.grid:
        return {
            name: coordinate(values)
            for name, values in zip(design.names, design.values, strict=True)
        }
    return {
        name: (design.dims, coordinate(values))
        for name, values in zip(design.names, design.values, strict=True)
    }


def save_dataset(dataset: Any, path: Path) -> None:
    """Write a dataset to a NetCDF file, whole or not at all."""
    temporary = path.with_name(path.name + ".part")
    try:
        dataset.to_netcdf(temporary, engine="h5netcdf", invalid_netcdf=False)
    except ImportError as error:
        raise missing_extra(error, "h5netcdf", "data", "a file of a sweep") from None
    os.replace(temporary, path)


def read_sweep(folder: str | os.PathLike[str]) -> Any:
    """Return what a folder of a sweep holds so far, while it goes on or after it was killed.

    Runs that are not finished have the status "not run".
    """
    plan = read_plan(folder)
    names, values = tuple(plan["names"]), plan["values"]
    design = Design(
        names, tuple(tuple(_frozen(v) for v in given) for given in values), plan["grid"]
    )
    rows = read_rows(folder)
    try:
        for k, row in rows.items():
            numbers = max((np.size(value) for value in row["values"].values()), default=0)
            if k >= len(design) or numbers * len(design) > MOST:
                raise FileError(f'"{folder}" holds row {k}, which its plan has no room for.')
        return make_dataset(design, rows, attributes_of(plan))
    except (ValueError, TypeError, OverflowError) as error:
        raise FileError(f'"{folder}" holds no sweep: {str(error)[:200]}.') from None


def _frozen(value: Any) -> Any:
    return tuple(_frozen(entry) for entry in value) if isinstance(value, list) else value


def attributes_of(plan: dict[str, Any]) -> dict[str, Any]:
    """Return what a dataset says about its runs."""
    return {
        "model": plan["model"],
        "t_end": plan["t_end"],
        "method": plan["method"],
        "versions": json.dumps(plan["versions"], sort_keys=True),
    }
