"""Part of the scene "chain": one step of semi-implicit Euler of a chain in the plane.

    ours    the compiled loop of `simulate` without stored rows
    floor   floors/chain.c, a program for this chain alone, -O3 -march=native
    peers   MuJoCo, Pinocchio, DART, Drake and Exudyn, each in a process of its own

Repeats take turns. The error is the largest of an angle after 0.02 s against the same motion by
RungeKutta8 to 1e-12; a peer whose step costs much takes fewer steps. A peer whose energy at the
start is not that of the chain is not measured.
"""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from _floor import compile_floor
from _goals import goal, open_goal
from _loop import Loop, run_floor
from _results import NOT_MEASURED, Peer, check_scene
from _validity import judge

import cornerlaw as cl

SIZES = (10, 100, 1000)
LENGTH, MASS, DT = 0.2, 0.5, 1e-4
INERTIA = MASS * LENGTH**2 / 12.0
ROUNDS, BATCH, LINKS = 12, 3, 200_000  # links stepped in one batch
MOST_RATIO, MOST_GROWTH = 2.0, 1.1  # goals
GRAVITY = 9.81
PEERS = {
    "mujoco": "MuJoCo", "pinocchio": "Pinocchio", "dart": "DART", "drake": "Drake",
    "exudyn": "Exudyn",
}  # fmt: skip
PINOCCHIO = 300  # links; its data hold tensors of n^3 numbers
COMPARED = 200  # steps until the angles are compared
BATCH_SECONDS, FEW, CHECK_SECONDS, TIMEOUT = 0.05, 5, 20.0, 900.0  # of a peer
NOTHING = ("", "", "", "")  # time, median, ratio and error of what was not measured
VALID_AT, VALID_RATIO = 100, 2.0  # the floor is one only if Pinocchio takes that much longer


def angles(n: int) -> list[float]:
    """Return the angles at the start."""
    return [(-0.05 if k % 2 else 0.05) if k else 0.3 for k in range(n)]


def build(n: int) -> cl.Model:
    """Return n rods that hang one on the other, at rest and nearly straight."""
    parts: list[Any] = []
    above: Any = cl.Ground()
    for k, angle in enumerate(angles(n)):
        link = cl.Body(f"link {k}", mass=MASS, inertia=INERTIA, com=(0.5 * LENGTH, 0.0))
        at = (LENGTH, 0.0) if k else (0.0, 0.0)
        parts.append(cl.Revolute(f"joint {k}", above, link, at=at, angle=angle))
        above = link
    return cl.Model(*parts, gravity=(0.0, -GRAVITY), name=f"planar chain of {n}")


def scene_for_peers(n: int) -> dict[str, Any]:
    """Return the scene in numbers."""
    return {
        "angles": angles(n), "length": LENGTH, "mass": MASS, "inertia": INERTIA,
        "gravity": GRAVITY, "dt": DT,
    }  # fmt: skip


def energy(n: int) -> float:
    """Return the energy at the start: the heights of the centres, at rest."""
    turned = np.cumsum(angles(n))
    centres = LENGTH * (np.cumsum(np.sin(turned)) - 0.5 * np.sin(turned))
    return float(MASS * GRAVITY * centres.sum())


def measure(
    sizes: tuple[int, ...] = SIZES, rounds: int = ROUNDS, peers: bool = False
) -> dict[str, Any]:
    """Measure all sizes; seconds per step as minimum and median."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        program = compile_floor("chain", Path(folder))
        for n in sizes:
            rows.append(_measure_size(n, rounds, program, peers))
    return {"rows": rows, "exponent": _exponent(rows)}


def _exponent(rows: list[dict[str, Any]]) -> float | None:
    """Return p in time ~ n^p between the ends of SIZES."""
    found = {row["n"]: row["ours"]["min"] for row in rows}
    low, high = SIZES[0], SIZES[-1]
    if low not in found or high not in found:
        return None
    return math.log(found[high] / found[low]) / math.log(high / low)


def _measure_size(n: int, rounds: int, program: Path | None, peers: bool) -> dict[str, Any]:
    """Measure one size."""
    loop, steps = Loop(build(n), cl.SemiImplicitEuler(dt=DT)), max(20, LINKS // n)
    others = {name: OnePeer(name, n) for name in PEERS} if peers else {}
    ours, floor = [loop.run(steps)], []
    printed: list[list[float]] = []
    for k in range(rounds):
        ours += [loop.run(steps) for _ in range(BATCH)]
        if program is not None:
            found, printed = run_floor(program, BATCH, n, BATCH, steps, DT)
            floor += found
        for other in others.values():
            other.run(k)
    row: dict[str, Any] = {"n": n, "ours": _spread(ours[1:])}
    if floor:
        row["floor"] = _spread(floor)
        row["ratio"] = row["ours"]["min"] / row["floor"]["min"]
        row["difference"] = float(np.abs(loop.q - printed[0]).max())
    loop.run(COMPARED)
    row["ours"]["error"] = error_of(n, COMPARED * DT, loop.q)
    row["peers"] = {name: other.result() for name, other in others.items()}
    return row


def error_of(n: int, t: float, q: Any) -> float:
    """Return the largest error of an angle at a time."""
    exact = cl.simulate(
        build(n), t, method=cl.RungeKutta8(rtol=1e-12, atol=1e-14), every=10**9, progress=False
    )
    return float(np.abs(np.asarray(exact.q)[-1] - np.asarray(q)).max())


class OnePeer:
    """A peer with the chain of n links; what a call from Python costs is taken off."""

    def __init__(self, name: str, n: int) -> None:
        self.n, self.why, self.cost, self.steps = n, "", math.inf, 1
        self.times: list[float] = []
        self.peer: Any = None
        if name == "pinocchio" and n > PINOCCHIO:
            self.why = f"{NOT_MEASURED}: {32e-9 * n**3:.0f} GB for its data"
            return
        self.peer = Peer(f"chain_{name}.py", scene_for_peers(n), TIMEOUT)
        for steps in (1, 20):
            # the first step may have something to prepare
            if self.peer.start is not None and (steps == 1 or self.cost < BATCH_SECONDS):
                self.cost = (self.peer.ask(steps) or {}).get("seconds", math.inf)
        self.steps = max(1, min(LINKS // n, int(BATCH_SECONDS / self.cost)))

    def run(self, k: int) -> None:
        """Take a batch of steps; one that costs seconds takes only few of them."""
        if self.peer is None or (k >= FEW and self.cost > 10.0 * BATCH_SECONDS):
            return
        found = self.peer.ask(self.steps)
        if found is not None:
            self.times.append(found["seconds"] - self.peer.start.get("overhead", 0.0))

    def result(self) -> Any:
        """Return seconds of a step and error, or why it is not measured."""
        if self.peer is None:
            return self.why
        steps = max(1, min(COMPARED, int(CHECK_SECONDS / self.cost)))
        last = self.peer.ask(steps)
        self.peer.close()
        if last is None:
            return self.peer.why
        start = self.peer.start
        found = {
            **_spread(self.times), "error": error_of(self.n, last["t"], last["q"]),
            "compared at": last["t"], "choice": start["choice"], "batches": len(self.times),
            "check": {"energy": start["energy"]},
        }  # fmt: skip
        return check_scene(found, {"energy": (energy(self.n), 1e-9)})


def _spread(times: list[float]) -> dict[str, float]:
    return {"min": min(times), "median": float(np.median(times))}


def table(result: dict[str, Any]) -> tuple[list[str], list[list[Any]]]:
    """Return header and rows of the measurement."""
    header = ["n", "program", "min [us]", "median", "over ours", "error [rad]", "how"]
    rows = []
    for row in result["rows"]:
        ours = row["ours"]
        rows.append([row["n"], "ours", *_times(ours), "", f"{ours['error']:.1e}", ""])
        rest: list[Any] = [*NOTHING, f"{NOT_MEASURED}: no C compiler"]
        if "floor" in row:
            apart = f"{row['difference']:.0e} rad from ours"
            rest = [*_times(row["floor"]), f"{1.0 / row['ratio']:.2f}", "", apart]
        rows.append([row["n"], "floor", *rest])
        for name, found in row["peers"].items():
            if isinstance(found, str):
                rows.append([row["n"], PEERS[name], *NOTHING, found])
                continue
            over = f"{found['min'] / ours['min']:.1f}"
            rows.append(
                [row["n"], PEERS[name], *_times(found), over, f"{found['error']:.1e}",
                 f"{found['choice']}, at {found['compared at']:g} s"]
            )  # fmt: skip
    return header, rows


def _times(found: dict[str, Any]) -> list[str]:
    return [f"{1e6 * found[key]:.3f}" for key in ("min", "median")]


def validity(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the verdict on the floor: Pinocchio must take at least twice as long at n = 100."""
    for row in result["rows"]:
        peer = row["peers"].get("pinocchio")
        if row["n"] == VALID_AT:
            floor = row["floor"]["min"] if "floor" in row else NOT_MEASURED
            theirs = peer["min"] if isinstance(peer, dict) else NOT_MEASURED
            return [judge(floor, theirs, PEERS["pinocchio"], VALID_RATIO)]
    return []


def goals(result: dict[str, Any]) -> list[str]:
    """Return one line per goal, if all sizes were measured."""
    if result["exponent"] is None:
        return []
    found = [("growth exponent of the step", result["exponent"], MOST_GROWTH)]
    found += [
        (f"step over the floor at n = {row['n']}", row["ratio"], MOST_RATIO)
        for row in result["rows"]
        if "ratio" in row
    ]
    lines = [
        goal(f"{name} at most {limit:g}", value <= limit, f"{value:.3f}")
        for name, value, limit in found
    ]
    return lines + [_against_peers(row) for row in result["rows"] if row["peers"]]


def _against_peers(row: dict[str, Any]) -> str:
    """Say whether ours is the fastest; a peer that is not measured leaves it open."""
    missing = [PEERS[k] for k, found in row["peers"].items() if isinstance(found, str)]
    known = {k: found["min"] for k, found in row["peers"].items() if isinstance(found, dict)}
    name = f"faster than every peer at n = {row['n']}"
    if not known:
        return open_goal(name, "none was measured")
    best = min(known, key=lambda key: known[key])
    ratio = known[best] / row["ours"]["min"]
    rest = f"; {' and '.join(missing)} not measured" if missing else ""
    return goal(name, ratio > 1.0, f"{PEERS[best]} takes {ratio:.2f} times as long{rest}")
