"""Scene "chain": time per forward-dynamics evaluation of a spatial pendulum chain.

n equal links hang one on the other by revolute joints. The axes alternate (z, y, z, ...), so that
the motion is spatial; "parallel" has all axes along z. Both programs get the same model and the
same random state, their repeats take turns, and their accelerations are compared.

    ours    q_dot, u_dot from q, u, t in a compiled loop over `eval_rates`
    peer    Pinocchio's ABA in a process of its own, called from Python; the cost of an empty call
            is measured and taken off

Before that, the step of semi-implicit Euler of a chain in the plane stands beside a floor in C and
other peers; see `_planar_chain.py`.

Times are those of the processor, so that other work on the machine counts as little as possible.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.text_table import format_table

sys.path.insert(0, str(Path(__file__).resolve().parent))
import _planar_chain
from _goals import goal, open_goal
from _results import Peer
from _validity import verdict

SIZES = (10, 50, 100, 200, 500, 1000)
FIT = (50, 1000)  # the growth exponent is taken between these
MOST_GROWTH = 1.15  # goal for the exponent
MOST_RATIO = 1.2  # goal for our time over the peer's at n = 100
REPEATS = 60
SECONDS = 0.005  # aim of one repeat: short, so that many repeats are undisturbed

LENGTH, MASS = 0.2, 0.5
COM = (0.1, 0.01, -0.02)
INERTIA = (2.0e-4, 1.7e-3, 1.8e-3)
PEER_BYTES = 2.0e9  # Pinocchio's data hold four tensors of n^3 numbers, 32 GB at n = 1000
GRAVITY = (0.0, -9.81, 0.0)
AXES = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0))


def axis_of(k: int, alternating: bool) -> tuple[float, float, float]:
    """Return the axis of joint k."""
    return AXES[k % 2] if alternating else AXES[0]


def build(n: int, alternating: bool = True) -> cl.Model:
    """Return the chain as a model of ours."""
    parts = []
    above: Any = cl.Ground()
    for k in range(n):
        link = cl.Body(f"link {k}", mass=MASS, inertia=INERTIA, com=COM)
        at = (LENGTH, 0.0, 0.0) if k else (0.0, 0.0, 0.0)
        parts.append(cl.Revolute(f"joint {k}", above, link, at=at, axis=axis_of(k, alternating)))
        above = link
    return cl.Model(*parts, gravity=GRAVITY, name=f"chain of {n}")


def random_state(n: int) -> tuple[Any, Any]:
    """Return the same random angles and speeds for everybody."""
    generator = np.random.default_rng(1000 + n)
    return generator.uniform(-0.5, 0.5, n), generator.uniform(-1.0, 1.0, n)


class Ours:
    """The chain in a compiled loop."""

    name = "cornerlaw"

    def __init__(self, n: int, alternating: bool) -> None:
        from cornerlaw.simulate import System

        self.system = System(build(n, alternating))
        self.q, self.u = random_state(n)
        self.out = np.zeros(n), np.zeros(n), np.zeros(0)
        self._repeat = _compiled_loop()

    def run(self, count: int) -> float:
        """Return the seconds that `count` evaluations took."""
        s, x = self.system, np.zeros(0)
        began = time.thread_time()
        self._repeat(count, s.m, s.w, self.q, self.u, x, *self.out)
        return time.thread_time() - began

    def overhead(self) -> float:
        """Return the seconds of one call: none, the loop is compiled."""
        return 0.0

    def accelerations(self) -> Any:
        """Return u_dot."""
        self.run(1)
        return self.out[1].copy()


_loop: Any = None


def _compiled_loop() -> Any:
    """Compile the timing loop once."""
    global _loop
    if _loop is None:
        import numba

        from cornerlaw.kernels.rates import eval_rates

        @numba.njit(error_model="numpy")  # type: ignore[untyped-decorator]
        def repeat(count, m, w, q, u, x, q_dot, u_dot, x_dot):  # type: ignore[no-untyped-def]
            status = 0
            for _ in range(count):
                status += eval_rates(m, w, 0.0, q, u, x, q_dot, u_dot, x_dot)
            return status

        _loop = repeat
    return _loop


class Pinocchio:
    """The chain in Pinocchio, in a process of its own that takes turns with ours."""

    name = "pinocchio"

    def __init__(self, n: int, alternating: bool) -> None:
        q, u = random_state(n)
        axes = "".join("xyz"[int(np.argmax(axis_of(k, alternating)))] for k in range(n))
        self._peer = Peer(
            "chain_pinocchio.py",
            {
                "angles": q.tolist(), "speeds": u.tolist(), "length": LENGTH, "mass": MASS,
                "com": COM, "inertia": INERTIA, "gravity": -GRAVITY[1], "axes": axes,
            },
        )  # fmt: skip
        if self._peer.start is None:
            self._peer.close()
            raise RuntimeError(self._peer.why)

    def run(self, count: int) -> float:
        """Return the seconds that `count` evaluations took, calls included."""
        self._last = self._peer.ask(count)
        if self._last is None:
            raise RuntimeError(self._peer.why)
        return count * float(self._last["seconds"])

    def overhead(self) -> float:
        """Return the seconds of one call that has nothing to compute."""
        assert self._peer.start is not None
        return float(self._peer.start["overhead"])

    def accelerations(self) -> Any:
        """Return u_dot, then end."""
        self.run(1)
        assert self._last is not None
        self._peer.close()
        return np.array(self._last["q"])


def _count_for(run: Callable[[int], float]) -> int:
    """Return how many evaluations make one repeat."""
    run(3)
    return max(3, math.ceil(SECONDS / max(run(10) / 10, 1e-9)))


def measure(
    *,
    peers: bool = False,
    sizes: tuple[int, ...] = SIZES,
    repeats: int = REPEATS,
    alternating: bool = True,
) -> dict[str, Any]:
    """Measure all sizes; seconds per evaluation as minimum and median over the repeats."""
    planar = tuple(n for n in _planar_chain.SIZES if n in sizes)
    rows = []
    reason = "" if peers else "not asked for (--peers)"
    for n in sizes:
        programs: list[Any] = [Ours(n, alternating)]
        if peers and 32.0 * n**3 <= PEER_BYTES:
            try:
                programs.append(Pinocchio(n, alternating))
            except RuntimeError as error:
                reason = str(error)
        counts = [_count_for(program.run) for program in programs]
        times: list[list[float]] = [[] for _ in programs]
        for _ in range(repeats):
            # taking turns, a disturbance of the machine meets both
            for program, count, found in zip(programs, counts, times, strict=True):
                found.append(program.run(count) / count)
        row: dict[str, Any] = {"n": n}
        for program, found in zip(programs, times, strict=True):
            call = program.overhead()
            best, middle = min(found) - call, float(np.median(found)) - call
            row[program.name] = {"min": best, "median": middle, "overhead": call}
        if len(programs) > 1:
            a, b = (program.accelerations() for program in programs)
            row["difference"] = float(np.max(np.abs(a - b)) / np.max(np.abs(b)))
            row["ratio"] = row["cornerlaw"]["min"] / row["pinocchio"]["min"]
            row["ratio_median"] = row["cornerlaw"]["median"] / row["pinocchio"]["median"]
        rows.append(row)
    in_plane = _planar_chain.measure(planar, max(5, repeats // 5), peers)
    return {
        "scene": "chain",
        "planar": in_plane,
        "validity": _planar_chain.validity(in_plane),
        "axes": "alternating" if alternating else "parallel",
        "repeats": repeats,
        "rows": rows,
        "exponent": {
            name: _exponent(rows, name) for name in ("cornerlaw", "pinocchio") if name in rows[0]
        },
        "peer": reason or "measured where its data fit into 2 GB",
    }


def points(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Return cost and error of the step in the plane, of all programs that were measured."""
    return [
        {"program": f"{name}, n = {row['n']}", "seconds": found["min"],
         "accuracy": found["error"], "measure": "error of the angles [rad]"}
        for row in result["planar"]["rows"]
        for name, found in {"ours": row["ours"], **row["peers"]}.items()
        if isinstance(found, dict)
    ]  # fmt: skip


def _exponent(rows: list[dict[str, Any]], name: str) -> float | None:
    """Return p in time ~ n^p between the two sizes of FIT."""
    found = {row["n"]: row[name]["min"] for row in rows if name in row}
    if not all(n in found for n in FIT):
        return None
    return math.log(found[FIT[1]] / found[FIT[0]]) / math.log(FIT[1] / FIT[0])


def format_result(result: dict[str, Any]) -> str:
    """Return the measurement as a table."""
    rows = []
    for row in result["rows"]:
        n, ours, peer = row["n"], row["cornerlaw"], row.get("pinocchio")
        rows.append(
            [
                n,
                f"{1e6 * ours['min']:.2f}",
                f"{1e6 * ours['median']:.2f}",
                f"{1e6 * ours['min'] / n:.3f}",
                f"{1e6 * peer['min']:.2f}" if peer else "not measured",
                f"{1e6 * peer['median']:.2f}" if peer else "",
                f"{1e6 * peer['min'] / n:.3f}" if peer else "",
                f"{row['ratio']:.2f}" if peer else "",
                f"{row['difference']:.1e}" if peer else "",
            ]
        )
    header = [
        *("n", "ours min [us]", "median", "us/joint"),
        *("Pinocchio min [us]", "median", "us/joint", "ratio", "difference"),
    ]
    lines = [
        "chain in the plane: one step of semi-implicit Euler",
        format_table(*_planar_chain.table(result["planar"])),
        *_planar_chain.goals(result["planar"]),
        *map(verdict, result["validity"]),
        f"chain: forward dynamics of n links, axes {result['axes']}, {result['repeats']} repeats",
        format_table(header, rows),
    ]
    for name, exponent in result["exponent"].items():
        if exponent is not None:
            lines.append(f"growth exponent of {name} from n = {FIT[0]} to {FIT[1]}: {exponent:.3f}")
    lines += _goals(result)
    lines.append(f"peer: {result['peer']}")
    return "\n".join(lines)


def _goals(result: dict[str, Any]) -> list[str]:
    """Return one line per goal whose quantity was measured."""
    found = [("growth exponent", result["exponent"]["cornerlaw"], MOST_GROWTH)]
    found += [
        ("ratio at n = 100", r.get("ratio"), MOST_RATIO) for r in result["rows"] if r["n"] == 100
    ]
    if result["exponent"]["cornerlaw"] is None:
        return []  # not all sizes were measured
    return [
        open_goal(f"{name} at most {limit:g}", "Pinocchio not measured")
        if value is None
        else goal(f"{name} at most {limit:g}", value <= limit, f"{value:.3f}")
        for name, value, limit in found
    ]
