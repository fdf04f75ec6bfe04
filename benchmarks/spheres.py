"""Scene "spheres": time per step of N balls that lie in a box, and how far they overlap.

N equal balls fall from a lattice into a box of five planes and come to rest; mu = 0.3, dt = 2 ms,
50 sweeps of Gauss-Seidel in every step. Every program settles its own pile, then it is timed.

    ours    Grains and Granular with a fixed number of sweeps, on one core and on both
    floor   floors/spheres.c, a program for this scene alone, -O3 -march=native
    peers   MuJoCo (CG), PyBullet, DART (matrix-free and its default, Dantzig), Drake (points) and
            Siconos (NSGS) where they are installed, each in its own process

Times are those of the processor for one core, and of the clock for both cores. The penetration is
the deepest in the timed steps, in radii. A peer gets ten minutes of the processor for settling and
one for timing; it is measured only if energy and mass of its pile are right, a ball that slides
alone is slowed by friction and then rolls as it has to, and its own pile lies when it is timed.
"""

from __future__ import annotations

import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.text_table import format_table

sys.path.insert(0, str(Path(__file__).resolve().parent))
from _floor import compile_floor
from _goals import floor_goal, goal, open_goal, why_not
from _results import NOT_MEASURED, SYSTEM_PYTHON, check_scene, half_of_memory, run_peer
from _validity import judge, verdict

SIZES = (1000, 8000)
LARGE = 64_000  # for the growth of time and memory
R, DT, MU, SWEEPS = 0.05, 2e-3, 0.3, 50
SETTLE, BATCHES, STEPS = 750, 5, 20
TIMED = BATCHES * STEPS * DT  # s
GRAVITY, DENSITY = 9.81, 2500.0
MASS = DENSITY * 4.0 / 3.0 * math.pi * R**3
PEERS = ("mujoco", "pybullet", "dart matrix-free", "dart Dantzig", "drake", "siconos")
PEER_SETTLING, PEER_LIMIT, PEER_TIMEOUT = 400.0, 60.0, 1800.0  # s of the processor
RESTING = GRAVITY * DT  # m/s; balls lie if in the mean they are slower than after a step of falling
SPEED, TIMES = 3.0, (0.25, 0.15, 0.1)  # of the ball that slides alone; it rolls after 0.29 s
VALID = 2.0  # a floor must be this many times as fast as PyBullet at N = 1,000
MOST, FASTER, TIGHTER = 1.5, 2.0, 10.0  # goals: over the floor, than every peer, penetration
MOST_GROWTH, MOST_BYTES = 1.15, 1500.0  # goals: exponent of the time of a step, bytes per contact


def layout(n: int) -> tuple[float, Any]:
    """Return half the width of the box and the places of the balls at the start."""
    side = math.ceil((n / 1.5) ** (1.0 / 3.0))
    k, gap = np.arange(n), 2.1 * R
    x = np.column_stack([k % side, k // side % side, k // side**2]) * gap
    x[:, :2] -= 0.5 * gap * (side - 1)
    x[:, 2] += 1.2 * R
    x += np.random.default_rng(0).uniform(-0.04, 0.04, (n, 3)) * R
    return 0.5 * gap * side, x


def build(n: int) -> cl.Model:
    """Return the pile as a model of ours."""
    half, x = layout(n)
    ground = cl.Ground("walls")
    ways = ((1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, -1.0, 0.0))
    walls = [
        cl.Plane(f"wall {k}", ground, normal=way, at=tuple(-half * np.array(way)))
        for k, way in enumerate(ways)
    ]
    return cl.Model(
        cl.Grains("balls", position=x, radius=R, density=DENSITY),
        cl.Ground("floor", normal=(0.0, 0.0, 1.0)), ground, *walls,
        cl.AllContacts("all", mu=MU), gravity=(0.0, 0.0, -GRAVITY),
    )  # fmt: skip


def _method(cores: bool) -> cl.Granular:
    """Return ours with a fixed number of sweeps."""
    return cl.Granular(dt=DT, sweeps=SWEEPS, tolerance=1e-9, on_unconverged="accept", cores=cores)


def ours(n: int, cores: bool, settle: int = SETTLE) -> dict[str, Any]:
    """Return seconds per step, penetration and memory of ours."""
    from cornerlaw.arrays.grains import CONTACTS, WORST_PENETRATION
    from cornerlaw.simulate.granular import GrainScene

    began = time.perf_counter()
    scene = GrainScene(build(n), _method(cores))
    scene.run(settle)
    warm = time.perf_counter() - began
    figures = scene.work.figures
    figures[WORST_PENETRATION] = 0.0
    clock = time.perf_counter if cores else time.process_time
    times = []
    for _ in range(BATCHES):
        began = clock()
        scene.run(STEPS)
        times.append((clock() - began) / STEPS)
    contacts = int(figures[CONTACTS])
    used = sum(a.nbytes for a in (*scene.state, *scene.work))
    return {
        "min": min(times), "median": float(np.median(times)), "contacts": contacts,
        "penetration": float(figures[WORST_PENETRATION]) / R, "bytes_per_contact": used / contacts,
        "warm-up": warm,
    }  # fmt: skip


def floor(n: int) -> dict[str, Any] | None:
    """Return seconds per step and penetration of the program in C."""
    half, x = layout(n)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = compile_floor("spheres", folder)
        if program is None:
            return None
        places = folder / "places.bin"
        places.write_bytes(np.float64(half).tobytes() + np.ascontiguousarray(x).tobytes())
        given = (n, SETTLE, BATCHES, STEPS, SWEEPS)
        lines = subprocess.run(
            [str(program), *map(str, given), str(places)],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.splitlines()
    times = [float(line) for line in lines[:-1]]
    words = lines[-1].split()
    return {
        "min": min(times), "median": float(np.median(times)), "contacts": int(words[1]),
        "penetration": float(words[3]),
    }  # fmt: skip


def scene_for_peers(n: int) -> dict[str, Any]:
    """Return the scene in numbers; limits are in processor seconds."""
    half, x = layout(n)
    return {
        "half": half, "places": x.tolist(), "radius": R, "mass": MASS, "mu": MU,
        "gravity": GRAVITY, "dt": DT, "sweeps": SWEEPS, "settle": SETTLE, "batches": BATCHES,
        "steps": STEPS, "settle limit": PEER_SETTLING, "limit": PEER_LIMIT, "resting": RESTING,
        "slide speed": SPEED, "slide times": TIMES,
    }  # fmt: skip


def peer(name: str, n: int) -> dict[str, Any] | str:
    """Return what a peer found in its own process, or why it was not measured."""
    program, _, choice = name.partition(" ")
    given = scene_for_peers(n)
    found = run_peer(
        f"spheres_{program}.py", *choice.split(), scene=given, timeout=PEER_TIMEOUT,
        python=SYSTEM_PYTHON if program == "siconos" else None, memory=half_of_memory(),
    )  # fmt: skip
    return lying(check_scene(found, expected(given)))


def expected(given: dict[str, Any]) -> dict[str, tuple[float, float]]:
    """Return the figures that the pile and the single ball have, with relative tolerances."""
    n, heights = len(given["places"]), sum(place[2] for place in given["places"])
    # schemes of first order differ by the way of half a step, which is 0.8 % of what friction takes
    # from the way; soft contacts, which have to sink in before they carry, by as much once more
    return {
        "energy": (MASS * GRAVITY * heights, 1e-6), "mass": (n * MASS, 1e-6),
        "slide": (0.5 * MU * GRAVITY * TIMES[0] ** 2, 0.03),
        "roll": (5.0 / 7.0 * SPEED * TIMES[-1], 0.01),
    }  # fmt: skip


def lying(found: dict[str, Any] | str) -> dict[str, Any] | str:
    """Return what was found, or that the pile still moves when the time for settling is over."""
    if isinstance(found, str) or not found.get("moves"):
        return found
    return (
        f"{NOT_MEASURED}: its balls move at {found['speed']:.2g} m/s after {found['settled']} of "
        f"{SETTLE} steps, {found['cost']:.2g} s a step"
    )


def measure(
    *, peers: bool = False, sizes: tuple[int, ...] = SIZES, large: int | None = LARGE
) -> dict[str, Any]:
    """Measure all sizes; seconds per step as minimum and median over the batches."""
    rows = []
    for n in sizes:
        row: dict[str, Any] = {"n": n, "one core": ours(n, False), "both cores": ours(n, True)}
        row["floor"] = floor(n) or f"{NOT_MEASURED}: no C compiler"
        for name in PEERS if peers else ():
            row[name] = peer(name, n)
        rows.append(row)
    result: dict[str, Any] = {"scene": "spheres", "sweeps": SWEEPS, "rows": rows}
    smallest = rows[0]
    result["validity"] = [
        judge(*(_seconds(smallest.get(key)) for key in ("floor", "pybullet")), "PyBullet", VALID)
    ]
    if large is not None:
        found = ours(large, True)
        growth = math.log(found["min"] / _fastest(rows[0])["min"]) / math.log(large / rows[0]["n"])
        result["large"] = {"n": large, **found, "exponent": growth, "status": status(rows[0]["n"])}
    return result


def status(n: int) -> str:
    """Return what a run says of itself that accepts whatever the sweeps leave."""
    method = _method(cores=False)
    sol = cl.simulate(build(n), STEPS * DT, method=method, progress=False)
    return str(sol.info.status)


def _fastest(row: dict[str, Any]) -> dict[str, Any]:
    """Return ours on one core or on both, whichever is faster."""
    fastest: dict[str, Any] = min(
        row["one core"], row["both cores"], key=lambda found: found["min"]
    )  # fmt: skip
    return fastest


def _seconds(found: Any) -> Any:
    """Return the shortest time of a program that was measured."""
    return found["min"] if isinstance(found, dict) else None


def points(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Return cost and accuracy of all programs."""
    return [
        {"program": f"{name}, N = {row['n']}", "seconds": found["min"],
         "accuracy": found["penetration"], "measure": "penetration / radius"}
        for row in result["rows"] for name, found in row.items() if isinstance(found, dict)
    ]  # fmt: skip


def _goals(row: dict[str, Any], validity: dict[str, Any]) -> list[str]:
    """Return one line per goal of a size; what was not measured leaves it open."""
    ours, n, floor = _fastest(row), row["n"], row["floor"]
    ratio = ours["min"] / floor["min"] if isinstance(floor, dict) else None
    lines = [floor_goal(f"N = {n} at most {MOST:g} times the floor", MOST, ratio, validity)]
    for name in PEERS:
        what = (
            f"N = {n} {FASTER:g} times as fast as {name} at a penetration {TIGHTER:g} times smaller"
        )
        if not isinstance(row.get(name), dict):
            lines.append(open_goal(what, why_not(name, row.get(name))))
            continue
        faster = row[name]["min"] / ours["min"]
        # a run that does not penetrate at all is infinitely better
        depth = ours["penetration"]
        tighter = row[name]["penetration"] / depth if depth > 0.0 else math.inf
        met = faster >= FASTER and tighter >= TIGHTER
        lines.append(goal(what, met, f"{faster:.1f}, {tighter:.1f}"))
    return lines


def _goals_of_the_large(big: dict[str, Any]) -> list[str]:
    """Return the goals of growth and memory, and of the status of runs that accept."""
    n, growth, size = big["n"], big["exponent"], big["bytes_per_contact"]
    what = (
        f"N = {n} time of a step grows from N = {SIZES[0]} with an exponent below {MOST_GROWTH:g}"
    )
    return [
        goal(what, growth < MOST_GROWTH, f"{growth:.2f}"),
        goal(f"N = {n} below {MOST_BYTES:g} bytes per contact", size < MOST_BYTES, f"{size:.0f}"),
        goal("such runs call themselves degraded", big["status"] == "degraded", big["status"]),
    ]


def _remark(found: dict[str, Any]) -> str:
    """Say what the times of a peer belong to, where it took fewer steps than the others."""
    if found.get("settled", SETTLE) == SETTLE and found.get("seconds", 1.0) > 0.99 * TIMED:
        return ""
    return f"settled {found['settled']} steps, timed {found['seconds']:g} s"


def format_result(result: dict[str, Any]) -> str:
    """Return the measurement as a table."""
    rows = []
    for row in result["rows"]:
        base = row["both cores"]["min"]
        for name, found in row.items():
            if name == "n":
                continue
            if isinstance(found, str):
                rows.append([row["n"], name, "", "", "", "", "", found])
                continue
            rows.append(
                [
                    row["n"], name, f"{1e3 * found['min']:.2f}", f"{1e3 * found['median']:.2f}",
                    f"{found['penetration']:.1e}", found["contacts"], f"{found['min'] / base:.2f}",
                    _remark(found),
                ]
            )  # fmt: skip
    header = ["N", "program", "ms/step", "median", "penetration/R", "contacts", "over ours (both)"]
    header.append("remark")
    lines = [f"spheres: {result['sweeps']} sweeps, dt = {DT:g} s", format_table(header, rows)]
    if "large" in result:
        big = result["large"]
        lines.append(
            f"N = {big['n']}: {1e3 * big['min']:.1f} ms/step on both cores, penetration "
            f"{big['penetration']:.1e} R, {big['contacts']} contacts"
        )
    for row in result["rows"]:
        gain = row["one core"]["min"] / row["both cores"]["min"]
        lines.append(f"N = {row['n']}: both cores {gain:.2f} times as fast as one, on the clock")
        lines += _goals(row, result["validity"][0])
    if "large" in result:
        lines += _goals_of_the_large(result["large"])
    lines += [verdict(found) for found in result["validity"]]
    return "\n".join(lines)
