"""Scene "wall": boxes in running bond at rest, then a ball on a pendulum hits them.

A wall of n x n boxes (0.4 x 0.2 x 0.2 m, 10 kg, mu = 0.6) stands on the ground; every second row is
shifted by a quarter of a box, and 1 mm stays free between neighbours of a row. A ball of 50 kg
hangs beside it on a rod of 2 m. While it hangs still the wall is timed and its creep measured: the
fastest mean speed of a box, which must be zero. Released at 60 degrees, the ball hits the wall.

    ours    Moreau, every contact problem solved to its tolerance
    peers   MuJoCo (CG and Newton), PyBullet (50 iterations), Drake (hydroelastic) and DART, each in
            its own process

Times are those of the processor. Every program settles its own wall before it is timed; one whose
steps take long gets fewer of them, within a minute for settling and one for timing. A peer is
measured only if mass and energy of its wall are right and a box that slides alone stops where
friction has it.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.text_table import format_table

sys.path.insert(0, str(Path(__file__).resolve().parent))
from _results import NOT_MEASURED, check_scene, run_peer

SIZE = int(os.environ.get("CORNERLAW_BENCH_WALL", "10"))
BOX, MASS, MU, GAP = (0.4, 0.2, 0.2), 10.0, 0.6, 1e-3
DT, SETTLE, BATCHES, STEPS = 2e-3, 100, 5, 20
BALL, RADIUS, ROD, ANGLE = 50.0, 0.2, 2.0, np.pi / 3.0
PEERS = (
    "mujoco CG", "mujoco Newton", "pybullet", "drake hydroelastic", "dart FCL",
)  # fmt: skip
PEER_LIMIT, PEER_TIMEOUT = 60.0, 900.0
FALLEN = 0.05  # m; a wall that has moved so far does not stand
HIT = 0.8  # seconds after the release; the ball arrives after 0.76 s


def places(n: int) -> Any:
    """Return the centres of the boxes, row by row."""
    pitch = BOX[0] + GAP
    return np.array(
        [
            ((k - 0.5 * (n - 1) + 0.125 * (-1) ** row) * pitch, 0.0, (row + 0.5) * BOX[2])
            for row in range(n)
            for k in range(n)
        ]
    )


def build(n: int, angle: float) -> cl.Model:
    """Return wall and pendulum; the ball just does not touch the wall where it hangs."""
    ground = cl.Ground("ground", normal=(0.0, 0.0, 1.0))
    parts: list[Any] = [ground]
    hulls = []
    for k, at in enumerate(places(n)):
        body = cl.Body(f"box {k}", mass=MASS, inertia=cl.inertia.box(MASS, BOX), position=tuple(at))
        hulls.append(cl.Box(f"hull {k}", body, size=BOX))
        parts += [body, hulls[-1]]
    ball = cl.Body("ball", mass=BALL, inertia=(0.4 * BALL * RADIUS**2,) * 3, com=(0.0, 0.0, -ROD))
    shell = cl.Sphere("shell", ball, radius=RADIUS, at=(0.0, 0.0, -ROD))
    top = 0.5 * n * BOX[2] + ROD
    pivot = (0.0, 0.5 * BOX[1] + RADIUS + 0.01, top)
    parts += [
        cl.Revolute("hook", ground, ball, at=pivot, axis=(1.0, 0.0, 0.0), angle=angle),
        shell,
        cl.AllContacts("all", mu=MU),
    ]
    return cl.Model(*parts, gravity=(0.0, 0.0, -9.81), name=f"wall of {n} x {n}")


def standing(n: int) -> dict[str, Any]:
    """Return seconds per step and creep of the wall at rest."""
    sim = cl.Simulation(build(n, 0.0), method=cl.Moreau(dt=DT))
    began = time.process_time()
    sim.step(SETTLE)
    settled = time.process_time() - began
    before, t0, times = _all(sim, n), sim.t, []
    for _ in range(BATCHES):
        began = time.process_time()
        sim.step(STEPS)
        times.append((time.process_time() - began) / STEPS)
    ways = np.linalg.norm(_all(sim, n) - before, axis=1)
    return {
        "min": min(times), "median": float(np.median(times)), "warm-up": settled,
        "creep": float(ways.max() / (sim.t - t0)), "seconds": sim.t - t0,
    }  # fmt: skip


def _all(sim: Any, n: int) -> Any:
    return np.array([sim[f"box {k}.position"] for k in range(n * n)])


def hit(n: int) -> dict[str, Any]:
    """Return seconds per step and the deepest penetration while the ball goes through the wall."""
    began = time.process_time()
    sol = cl.simulate(build(n, float(ANGLE)), HIT, method=cl.Moreau(dt=DT), progress=False)
    seconds = time.process_time() - began
    statistics = dict(sol.statistics)
    return {
        "status": sol.info.status, "per step": seconds / statistics["steps"],
        "penetration": float(statistics.get("worst_penetration", np.nan)),
    }  # fmt: skip


def scene_for_peers(n: int) -> dict[str, Any]:
    """Return the scene in numbers; `limit` is in processor seconds, for settling and for timing."""
    return {
        "places": places(n).tolist(), "box": BOX, "mass": MASS, "mu": MU, "gravity": 9.81,
        "dt": DT, "settle": 1000, "batches": BATCHES, "steps": STEPS, "limit": PEER_LIMIT,
        "slide speed": 1.0, "slide time": 0.5,
    }  # fmt: skip


def run_one(name: str, n: int) -> Any:
    """Return what a peer found, if it has the wall: mass, energy, and friction of a single box."""
    program, _, choice = name.partition(" ")
    given = scene_for_peers(n)
    found = run_peer(f"wall_{program}.py", choice, scene=given, timeout=PEER_TIMEOUT)
    heights = places(n)[:, 2].sum()
    # soft contacts and their steps move the end of the slide a little, another friction by a lot
    slide = given["slide speed"] ** 2 / (2.0 * MU * given["gravity"])
    return check_scene(
        found,
        {
            "mass": (n * n * MASS, 1e-9), "energy": (MASS * given["gravity"] * heights, 1e-9),
            "slide": (slide, 0.1),
        },
    )  # fmt: skip


def measure(*, peers: bool = False, n: int = SIZE, with_hit: bool = True) -> dict[str, Any]:
    """Measure ours, and the peers with the same boxes."""
    result: dict[str, Any] = {"scene": "wall", "n": n, "rows": {"cornerlaw": standing(n)}}
    for name in PEERS:
        result["rows"][name] = run_one(name, n) if peers else NOT_MEASURED
    result["hit"] = hit(n) if with_hit else NOT_MEASURED
    return result


def _remark(found: dict[str, Any]) -> str:
    """Say what the times of a peer belong to."""
    if "settled" not in found:
        return ""
    words = [f"{found['contacts']} contacts", f"settled {found['settled']} steps"]
    if found["sunk"] > FALLEN:
        words.append("FALLEN")
    return ", ".join([*words, f"timed {found['seconds']:g} s"])


def format_result(result: dict[str, Any]) -> str:
    """Return the measurement as a table."""
    base, rows = result["rows"]["cornerlaw"]["min"], []
    for name, found in result["rows"].items():
        if isinstance(found, str):
            rows.append([name, "", "", "", "", found])
            continue
        rows.append(
            [
                name, f"{1e3 * found['min']:.2f}", f"{1e3 * found['median']:.2f}",
                f"{found['creep']:.1e}", f"{found['min'] / base:.3f}", _remark(found),
            ]
        )  # fmt: skip
    header = ["program", "ms/step", "median", "creep [m/s]", "over ours", "remark"]
    n, hit = result["n"], result["hit"]
    lines = [f"wall: {n} x {n} boxes at rest, dt = {DT:g} s", format_table(header, rows)]
    if isinstance(hit, str):
        lines.append(f"pendulum hit: {hit}")
    else:
        lines.append(
            f"pendulum hit: {hit['status']}, {1e3 * hit['per step']:.1f} ms/step, deepest "
            f"penetration {hit['penetration']:.1e} m"
        )
    return "\n".join(lines)
