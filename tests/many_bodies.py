"""Runs of many balls: one made up in which all move, turn and touch, and one of a real heap."""

from collections.abc import Mapping
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.results import Channel, ChannelTable, Origin, RunInfo, Setting, Solution

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


def heap_of_balls(count: int, t_end: float, rows: int, mu: float = 0.3) -> Solution:
    """Return balls that fall into a box, with all contacts; a page can change `mu`."""
    R, side = 0.05, max(2, round((0.5 * count) ** (1.0 / 3.0)))
    gap, k = 2.1 * R, np.arange(count)
    x = np.column_stack([k % side, k // side % side, k // side**2]) * gap
    x[:, :2] -= 0.5 * gap * (side - 1)
    x[:, 2] += 1.2 * R
    x += np.random.default_rng(3).uniform(-0.05, 0.05, x.shape) * R
    walls, half = cl.Ground("walls"), 0.5 * gap * side + 0.5 * R
    ways = ((1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, -1.0, 0.0))
    model = cl.Model(
        cl.Grains("balls", position=x, radius=R, density=2500.0),
        cl.Ground("floor", normal=(0.0, 0.0, 1.0)), walls,
        *(cl.Plane(f"wall {n}", walls, normal=way, at=tuple(-half * np.array(way)))
          for n, way in enumerate(ways)),
        cl.AllContacts("all", mu=mu), gravity=(0.0, 0.0, -9.81), name=f"{count} balls",
    )  # fmt: skip
    dt = t_end / (2 * rows)
    method = cl.Granular(dt=dt, sweeps=50, on_unconverged="accept", contacts=True)
    sol = cl.simulate(model, t_end=t_end, method=method, every=2)

    def rerun(changes: Mapping[str, Any]) -> Solution:
        return heap_of_balls(count, t_end, rows, **{"mu": mu, **changes})

    sol.attach(origin=Origin("heap", (Setting("mu", mu, "1", "friction"),), rerun))
    return sol
