"""Scene "hydraulics": networks by corner laws beside the same networks as stiff equations.

Store-line-cylinder, and one module of the brake tower (four of its 28 cylinders, stops included).
The other model has elastic junctions and stiff springs for stops and runs on Radau. Time is
processor time of a second run of the compiled model; beside it stands how far the pistons of the
two runs are apart over their travel, until the stop and after it. After it elastic oil throws the
piston back for some milliseconds, where the impact of rigid oil is plastic.

The growth is that of a ladder of n lines on time stepping. With elastic junctions a step has forces
only; with cavitating ones every junction is a row of one problem.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.hydraulics import brake_tower, store_line_cylinder
from cornerlaw.gallery.text_table import format_table
from cornerlaw.hydraulics import Junction, Line, Network, Source
from cornerlaw.hydraulics.smooth import smooth_model

MOST_APART = 0.01
MOST_GROWTH = 1.2
VOLUME = 5e-6  # of the small junctions that the corner laws take as rigid [m^3]
ROWS = 201
DT = 1e-4  # of the corner-law runs [s]; a tenth of the error allowed


def timed(model: cl.Model, t_end: float, method: Any) -> tuple[float, cl.Solution]:
    """Return the processor time of a run of a model that is compiled, and the run."""
    t = np.linspace(0.0, t_end, ROWS)
    cl.simulate(model, 1e-4, method=method, t_eval=(0.0, 1e-4), progress=False)
    began = time.process_time()
    sol = cl.simulate(model, t_end, method=method, t_eval=t, progress=False)
    return time.process_time() - began, sol


def compare(network: Any, pistons: tuple[str, ...], t_end: float) -> dict[str, Any]:
    """Run a network both ways; return times, speed-up and the distance of the pistons."""
    ours, corner = timed(network.model(), t_end, cl.Moreau(dt=DT))
    stiff_model = smooth_model(network, volume=VOLUME)
    theirs, stiff = timed(stiff_model, t_end, cl.Radau(rtol=1e-5, atol=1e-9))
    until, after = 0.0, 0.0
    for name in pistons:
        x, other = corner[name].position, stiff[name].position
        off = np.abs(x - other) / float(np.ptp(x))
        moving = np.cumsum(x >= x.max() - 1e-7) == 0
        until = max(until, float(off[moving].max()))
        after = max(after, float(off[~moving].max()))
    return {
        "coordinates": len(network.coordinates), "corner_law": ours, "stiff": theirs,
        "speed_up": theirs / ours, "until": until, "after": after,
        "steps": int(stiff.info.statistics["steps"]),
    }  # fmt: skip


def ladder(n: int, kind: str) -> cl.Model:
    """Return n lines: a riser of n / 2, and a branch to the tank from each of its junctions."""
    parts: list[Any] = [Source("supply", 50e5), Source("tank", 1e5)]
    below = "supply"
    volume = 1e-5 if kind == "compressible" else 0.0
    for k in range(n // 2):
        here = f"tee {k}"
        parts += [
            Junction(here, kind, volume=volume, pressure=20e5),
            Line(f"riser {k}", below, here, 0.5, 0.02),
            Line(f"branch {k}", here, "tank", 1.0, 0.004),
        ]
        below = here
    return Network(*parts, name=f"ladder of {n}").model()


def seconds_per_step(model: cl.Model, steps: int) -> float:
    """Return the processor time of a step; what a run costs besides is taken off."""
    taken = []
    for n in (2, 5, 5 + steps):
        began = time.process_time()
        ends = (0.0, n * 1e-5)
        cl.simulate(model, ends[1], method=cl.Moreau(dt=1e-5), t_eval=ends, progress=False)
        taken.append(time.process_time() - began)
    return (taken[2] - taken[1]) / steps


def growth(kind: str, sizes: tuple[int, ...], work: int) -> dict[str, Any]:
    """Return the time per step over the number of lines, and the exponent from first to last."""
    found = {n: seconds_per_step(ladder(n, kind), max(20, work // n)) for n in sizes}
    first, last = sizes[0], sizes[-1]
    exponent = float(np.log(found[last] / found[first]) / np.log(last / first))
    return {"per_step": found, "exponent": exponent}


def measure(*, peers: bool = False) -> dict[str, Any]:
    """Return the comparison of both networks; there is no peer."""
    store = store_line_cylinder.Parameters()
    tower = brake_tower.Parameters(modules=1)
    rams = tuple(f"1.ram {side}" for side in brake_tower.SIDES)
    runs = {
        "store-line-cylinder": compare(store_line_cylinder.network(store), ("piston",), 0.15),
        "brake tower, 1 of 7 modules": compare(brake_tower.network(tower), rams, 0.1),
    }
    return {
        "runs": runs,
        "growth": {
            "compressible": growth("compressible", (100, 500, 2000), 1_000_000),
            "cavitating": growth("cavitating", (100, 500, 2000), 200_000),
        },
    }


def _growth_line(kind: str, found: dict[str, Any]) -> str:
    times = ", ".join(f"n = {n}: {1e3 * t:.3f}" for n, t in found["per_step"].items())
    met = "met" if found["exponent"] <= MOST_GROWTH else "MISSED"
    return (
        f"ladder of n lines, {kind} junctions, ms per step: {times}; n^{found['exponent']:.2f}, "
        f"goal n^{MOST_GROWTH}: {met}"
    )


def format_result(result: dict[str, Any]) -> str:
    """Return the table, and whether the motions agree."""
    rows = [
        [
            name, r["coordinates"], f"{r['corner_law']:.4f}", f"{r['stiff']:.3f}", r["steps"],
            f"{r['speed_up']:.1f}", f"{100.0 * r['until']:.3f}", f"{100.0 * r['after']:.3f}",
        ]
        for name, r in result["runs"].items()
    ]  # fmt: skip
    header = (
        "network", "coordinates", "corner laws [s]", "Radau [s]", "its steps", "speed-up",
        "apart until the stop [%]", "after it [%]",
    )  # fmt: skip
    met = all(r["until"] <= MOST_APART for r in result["runs"].values())
    return "\n".join(
        (
            "hydraulics: corner laws beside stiff compressible equations, processor time",
            format_table(header, rows),
            f"goal: motions until the stop apart by at most 1 %: {'met' if met else 'MISSED'}",
            *(_growth_line(kind, g) for kind, g in result["growth"].items()),
        )
    )


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    print(format_result(measure()))
