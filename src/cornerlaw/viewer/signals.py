"""Curves of the time plot: which are on the page from the start, which are asked for later."""

from __future__ import annotations

from typing import Any

import numpy as np

from cornerlaw.results import Solution
from cornerlaw.results.channels import Channel
from cornerlaw.viewer.sampling import Floats, Frames

BUDGET = 400_000  # numbers on a page
LISTED = 4000  # names on a page
# what people look at first
RANK = (
    "total", "kinetic", "potential", "angle", "displacement", "position", "speed", "velocity",
    "lam_N", "gap", "lam_T", "state", "tension", "angular_velocity", "Lambda_N",
)  # fmt: skip


def components(channel: Channel) -> list[tuple[str, int | None]]:
    """Return the names of the curves of a channel and which entry each is."""
    if not channel.shape:
        return [(channel.name, None)]
    return [(f"{channel.name}.{label}", k) for k, label in enumerate(channel.labels)]


def choose_signals(sol: Solution, frames: Frames) -> tuple[list[dict[str, Any]], Floats]:
    """Return the list of all curves and the values of those that fit on the page."""
    found: list[tuple[int, int, str, Channel, int | None]] = []
    for channel in sol.channels:
        quantity = sol.channels.quantity_of(channel.name)
        rank = RANK.index(quantity) if quantity in RANK else len(RANK)
        for name, entry in components(channel):
            found.append((rank, len(found), name, channel, entry))
    found.sort(key=lambda item: item[:2])
    room = min(len(found), BUDGET // max(1, len(frames)))
    chosen = found[:room]
    sol.fetch(dict.fromkeys(channel.name for _, _, _, channel, _ in chosen))
    values = [signal_values(sol, frames, channel.name, entry) for *_, channel, entry in chosen]
    # in the order of the results, so that a part's curves stand together
    place = {name: k for k, (_, _, name, _, _) in enumerate(chosen)}
    listed = sorted(found[: max(LISTED, room)], key=lambda item: item[1])
    entries = [
        {"name": name, "unit": channel.unit, "block": place.get(name, -1)}
        for _, _, name, channel, _ in listed
    ]
    return entries, np.array(values).reshape(len(values), len(frames))


def signal_values(sol: Solution, frames: Frames, name: str, entry: int | None) -> Floats:
    """Return one curve at the frames."""
    array = sol.array(name)
    column = array if entry is None else array.reshape(len(array), -1)[:, entry]
    if name.endswith(".state"):
        return frames.held(column)
    return frames.values(column)
