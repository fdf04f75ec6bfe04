"""Results as xarray and pandas tables (extra "data")."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cornerlaw.results.columns import columns_of
from cornerlaw.results.dimensions import DimensionNames
from cornerlaw.results.extras import require

if TYPE_CHECKING:
    from cornerlaw.results.solution import Solution


def to_xarray(sol: "Solution", names: Sequence[str] = ()) -> Any:
    """Return a Dataset with dimensions time and components; `time` repeats at events."""
    xarray = require("xarray", "data", "to_xarray")
    channels = sol.channels.select(names or sol.channels.names)
    arrays = sol.fetch(channel.name for channel in channels)
    dimensions = DimensionNames()
    variables = {}
    for channel in channels:
        attributes = {"units": channel.unit, "long_name": channel.description or channel.name}
        dims = ("time", *dimensions.of(channel))
        variables[channel.name] = (dims, arrays[channel.name].copy(), attributes)
    coordinates: dict[str, Any] = {
        "time": ("time", sol.t.copy(), {"units": "s"}),
        "side": ("time", sol.side.copy()),
    }
    for name, labels in dimensions.labels.items():
        coordinates[name] = (name, np.array(labels))
    attributes = {"title": sol.info.model, "status": sol.status}
    return xarray.Dataset(variables, coordinates, attributes)


def to_pandas(sol: "Solution", names: Sequence[str] = ()) -> Any:
    """Return a DataFrame with a column per component; its `attrs["units"]` holds the units."""
    pandas = require("pandas", "data", "to_pandas")
    columns = columns_of(sol, names)
    index = pandas.Index(sol.t.copy(), name="time")
    frame = pandas.DataFrame({c.name: c.values for c in columns}, index=index)
    frame.attrs["units"] = {c.name: c.unit for c in columns}
    return frame
