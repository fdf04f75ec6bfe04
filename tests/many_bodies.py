"""A made-up run of many balls that all move, turn and touch: the hardest thing for a page."""

from typing import Any

import numpy as np

from cornerlaw.results import Channel, ChannelTable, RunInfo, Solution

XYZ = ("x", "y", "z")


def many_balls(count: int, rows: int) -> Solution:
    """Return balls that hop about on a floor, with a contact of every ball."""
    random = np.random.default_rng(7)
    t = np.linspace(0.0, 10.0, rows)
    channels: list[Channel] = []
    stored: dict[str, Any] = {}
    parts: list[str] = []

    def add(name: str, unit: str, values: Any, components: tuple[str, ...] = ()) -> None:
        channels.append(Channel(name, unit, values.shape[1:], components))
        stored[name] = values

    side = int(np.ceil(np.sqrt(count)))
    for k in range(count):
        name = f"ball {k}"
        parts.append(name)
        phase, pace, turn = (
            random.uniform(0.0, 6.0),
            random.uniform(0.5, 2.0),
            random.normal(size=3),
        )
        hop = np.sin(pace * t + phase)
        x = 0.3 * (k % side) + 0.1 * np.sin(0.7 * t + phase)
        y = 0.3 * (k // side) + 0.1 * np.cos(0.9 * t + phase)
        add(f"{name}.position", "m", np.column_stack([x, y, 0.1 + 0.5 * np.maximum(hop, 0.0)]), XYZ)
        angle = pace * t
        axis = turn / np.linalg.norm(turn)
        e = np.column_stack([np.cos(0.5 * angle), *(np.sin(0.5 * angle) * a for a in axis)])
        add(f"{name}.quaternion", "1", e, ("e0", "e1", "e2", "e3"))
        contact = f"{name}-floor"
        parts.append(contact)
        down = hop <= 0.0
        add(f"{contact}.state", "", np.where(down, 2.0 + 2.0 * (np.cos(phase + t) > 0.0), 0.0))
        add(f"{contact}.point", "m", np.column_stack([x, y, 0.0 * t]), XYZ)
        add(f"{contact}.normal", "1", np.tile([0.0, 0.0, 1.0], (rows, 1)), XYZ)
        add(f"{contact}.lam_N", "N", np.where(down, 1.0 - hop, 0.0))
    bodies: list[dict[str, Any]] = [
        {
            "name": f"ball {k}",
            "role": "body",
            "pose": f"ball {k}",
            "shapes": [{"type": "sphere", "r": 0.1, "at": [0.0, 0.0, 0.0]}],
        }
        for k in range(count)
    ]
    floor = {"type": "plane", "at": [0.0, 0.0, 0.0], "normal": [0.0, 0.0, 1.0]}
    bodies.insert(0, {"name": "floor", "role": "ground", "pose": "world", "shapes": [floor]})
    scene = {
        "version": 1,
        "name": f"{count} balls",
        "dim": 3,
        "size": 1.0,
        "gravity": [0.0, 0.0, -9.81],
        "bodies": bodies,
    }
    return Solution(
        t,
        np.zeros(rows, np.int8),
        {},
        ChannelTable(channels, parts),
        stored=stored,
        info=RunInfo(model=f"{count} balls"),
        scene=scene,
    )
