"""Scene "hydraulics": networks by corner laws beside the same networks as stiff equations.

The brake tower with its 28 cylinders, to the last stop and beyond, by corner laws (time stepping)
and as one stiff differential equation on Radau: every junction elastic, with the volume that its
bores give it, and stiff springs for stops. Junctions of the corner-law run are rigid where the
criterion of `Network.advice` allows it for motions within 1 %: that is judged, with real oil and
without any damping that is not in the network. Beside it the tower with all junctions rigid, which
the criterion does not allow: it is the limit of stiff oil, shown with 1, 16 and 64 times the bulk
modulus and losses by which oil that is stopped does not fly back (the impact of rigid oil is
plastic). Times are processor time of a second run of the compiled model.

The growth is that of a ladder of n lines on time stepping, for every kind of junction, fed by a
source and by a pump. Last, a valve of a user beside the built-in orifice.
"""

from __future__ import annotations

import itertools
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.hydraulics import brake_tower
from cornerlaw.gallery.text_table import format_table
from cornerlaw.hydraulics import Junction, Line, Network, Orifice, Pump, Source
from cornerlaw.hydraulics.smooth import smooth_model

MOST_APART = 0.01
MOST_GROWTH = 1.2
MOST_OWN = 1.5
STIFFER = (1.0, 16.0, 64.0)
T_END = 0.1  # the last stop is at 0.08 s
ROWS = 1001
DT = 2e-5  # of the corner-law run [s]
SIZES = (100, 500, 2000)
REPEATS = 3


def timed(model: cl.Model, method: Any) -> tuple[float, cl.Solution]:
    """Return the processor time of a run of a model that is compiled, and the run."""
    t = np.linspace(0.0, T_END, ROWS)
    cl.simulate(model, 1e-4, method=method, t_eval=(0.0, 1e-4), progress=False)
    began = time.process_time()
    sol = cl.simulate(model, T_END, method=method, t_eval=t, progress=False)
    return time.process_time() - began, sol


def positions(sol: cl.Solution, p: brake_tower.Parameters) -> Any:
    """Return the positions of all cylinders over their travel, one row per cylinder."""
    names = [f"{k}.ram {s}" for k in range(1, p.modules + 1) for s in brake_tower.SIDES]
    return np.array([sol[name].position for name in names]) / p.travel


def stiff_row(
    network: Network, factor: float, ratio: float, method: Any
) -> tuple[Any, cl.Solution]:
    """Run the network as an equation, with stiffer oil and losses; return its figures and run."""
    oil = replace(network.fluid, bulk=factor * network.fluid.bulk)
    same = Network(*network.hydraulic_parts, fluid=oil, name=network.name)
    model = smooth_model(same, ratio=ratio, damping=100.0 if ratio else 10.0)
    seconds, sol = timed(model, method)
    steps = int(sol.info.statistics["steps"])
    return {"bulk": oil.bulk, "ratio": ratio, "seconds": seconds, "steps": steps}, sol


def compare(p: brake_tower.Parameters, stiffer: tuple[float, ...]) -> dict[str, Any]:
    """Run the tower by corner laws, by the criterion and all rigid, and as an equation."""
    networks = {"by criterion": brake_tower.network(p)}
    networks["all rigid"] = brake_tower.network(replace(p, band=0.0))
    runs = {name: timed(net.model(), cl.Moreau(dt=DT)) for name, net in networks.items()}
    implicit = cl.Radau(rtol=1e-5, atol=1e-9)
    cases = [(1.0, 0.0, "by criterion"), (1.0, 0.0, "all rigid")]
    cases += [(f, 1.0, "all rigid") for f in stiffer]
    found: dict[tuple[float, float], Any] = {}
    rows = []
    for factor, ratio, name in cases:
        if (factor, ratio) not in found:
            found[factor, ratio] = stiff_row(networks["all rigid"], factor, ratio, implicit)
        figures, sol = found[factor, ratio]
        ours, corner = runs[name]
        off = np.abs(positions(sol, p) - positions(corner, p))
        rows.append(
            {
                **figures, "junctions": name, "corner_law": ours,
                "speed_up": figures["seconds"] / ours, "apart": float(off.max()),
                "mean": float(off.mean()),
            }
        )  # fmt: skip
    explicit = stiff_row(networks["all rigid"], 1.0, 0.0, cl.RungeKutta5(rtol=1e-5, atol=1e-9))[0]
    corner = runs["by criterion"][1]
    elastic = len(networks["by criterion"].junctions("compressible"))
    return {
        "coordinates": len(networks["all rigid"].coordinates), "rows": rows, "explicit": explicit,
        "corner_law": runs["by criterion"][0], "steps": round(T_END / DT), "elastic": elastic,
        "junctions": len(networks["all rigid"].junctions()),
        "last_stop": max(brake_tower.stops(corner, p).values()),
    }  # fmt: skip


def ladder(n: int, kind: str, pump: bool = False) -> cl.Model:
    """Return n lines: a riser of n / 2, and a branch to the tank from each of its junctions.

    A pump delivers as much as the branches carry from the start.
    """
    parts: list[Any] = [Source("tank", 1e5)]
    count = n // 2
    each = 2e-5 if pump else 0.0
    if not pump:
        parts.append(Source("supply", 50e5))
    volume = 1e-5 if kind == "compressible" else 0.0
    for k in range(count):
        here, below, flow = f"tee {k}", f"tee {k - 1}" if k else "supply", each * (count - k)
        parts += [
            Junction(here, kind, volume=volume, pressure=20e5),
            Pump("pump", "tank", here, 0.5, 0.02, flow=flow)
            if pump and not k
            else Line(f"riser {k}", below, here, 0.5, 0.02, flow=flow, friction="none"),
            Line(f"branch {k}", here, "tank", 1.0, 0.004, flow=each),
        ]
    return Network(*parts, name=f"ladder of {n}").model()


def seconds_per_step(model: cl.Model, steps: int, dt: float = 1e-5) -> float:
    """Return the least processor time of a step over some repeats; the start is left out."""
    sim = cl.Simulation(model, method=cl.Moreau(dt=dt))
    sim.step(5)
    taken = []
    for _ in range(REPEATS):
        began = time.process_time()
        sim.step(steps)
        taken.append((time.process_time() - began) / steps)
    return min(taken)


def growth(kind: str, work: int, pump: bool = False) -> dict[str, Any]:
    """Return the time per step over the number of lines, and the exponent from first to last."""
    found = {n: seconds_per_step(ladder(n, kind, pump), max(20, work // n)) for n in SIZES}
    first, last = SIZES[0], SIZES[-1]
    exponent = float(np.log(found[last] / found[first]) / np.log(last / first))
    return {"per_step": found, "exponent": exponent}


def loss(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):  # type: ignore[no-untyped-def]
    """The orifice of a user: p = rho A^3 / (2 (alpha opening)^2)."""
    drop = p[0] * u[0] * abs(u[0])
    Q[0] = -drop
    x_dot[0] = drop * u[0]


def valves(own: bool) -> cl.Model:
    """Return twenty orifices side by side, built in or written by a user."""
    parts: list[Any] = [Source("supply", 50e5), Source("tank", 1e5)]
    laws = []
    for k in range(20):
        name = f"valve {k}"
        if not own:
            parts.append(Orifice(name, "supply", "tank", 0.2, 0.01, opening=1e-5))
            continue
        line = Line(name, "supply", "tank", 0.2, 0.01, friction="none")
        factor = 0.5 * 860.0 * line.area**3 / (0.65 * 1e-5) ** 2
        parts.append(line)
        laws.append(
            cl.ForceElement(
                f"{name}.own", coordinates=(f"{name}.position",), law=loss,
                parameters={"factor": factor}, states={"loss": 0.0},
            )
        )  # fmt: skip
    return Network(*parts, name="valves").model(*laws)


def own_valve() -> dict[str, float]:
    """Return the time per step with built-in valves and with those of a user."""
    built_in, own = (seconds_per_step(valves(x), 20000) for x in (False, True))
    return {"built_in": built_in, "own": own, "ratio": own / built_in}


def measure(*, peers: bool = False) -> dict[str, Any]:
    """Return the comparison, the growth and the valves; there is no peer."""
    work = {"compressible": 500_000, "cavitating": 100_000, "incompressible": 100_000}
    return {
        "tower": compare(brake_tower.Parameters(), STIFFER),
        "growth": {kind: growth(kind, n) for kind, n in work.items()},
        "pumped": {kind: growth(kind, n, pump=True) for kind, n in work.items()},
        "own": own_valve(),
    }


def _word(met: bool) -> str:
    return "met" if met else "MISSED"


def _micro(seconds: float, steps: int) -> str:
    return f"{1e6 * seconds / steps:.0f}"


def _tower_lines(tower: dict[str, Any]) -> list[str]:
    rows = [
        [
            r["junctions"], f"{r['bulk']:.1e}", "yes" if r["ratio"] else "no",
            f"{r['seconds']:.1f}", r["steps"], f"{r['speed_up']:.0f}",
            f"{100.0 * r['apart']:.2f}", f"{100.0 * r['mean']:.3f}",
        ]
        for r in tower["rows"]
    ]  # fmt: skip
    header = (
        "junctions", "bulk modulus [Pa]", "losses", "Radau [s]", "its steps", "speed-up",
        "pistons apart at most [%]", "on average [%]",
    )  # fmt: skip
    first, explicit = tower["rows"][0], tower["explicit"]
    limit = [r["apart"] for r in tower["rows"] if r["ratio"]]
    falls = all(b < a for a, b in itertools.pairwise(limit))
    return [
        f"28 cylinders, {tower['coordinates']} coordinates: corner laws {tower['corner_law']:.2f} s"
        f" for {T_END} s in {tower['steps']} steps; last stop at {tower['last_stop']:.3f} s (the"
        f" book's tower, with other data: {brake_tower.BOOK_STOP} s)",
        f"by the criterion {tower['elastic']} of {tower['junctions']} junctions are elastic",
        format_table(header, rows),
        f"goal: by the criterion, with real oil, within 1 %: {_word(first['apart'] <= MOST_APART)}",
        f"goal: rigid junctions are the limit of stiff oil: {_word(falls)}",
        f"why not more: a step of corner laws takes {_micro(tower['corner_law'], tower['steps'])}"
        f" us, one of Radau {_micro(first['seconds'], first['steps'])} us (a dense matrix of all"
        f" states), and it needs {first['steps']} of them to follow every wave. The explicit method"
        f" of order 5 takes {explicit['steps']} steps and {explicit['seconds']:.1f} s, a factor of"
        f" {explicit['seconds'] / tower['corner_law']:.0f}. The 6,000 to 10,000 of the literature"
        " are over commercial programs of its time, of which none is measured here",
    ]


def _growth_line(kind: str, found: dict[str, Any], feed: str) -> str:
    times = ", ".join(f"n = {n}: {1e3 * t:.3f}" for n, t in found["per_step"].items())
    return (
        f"ladder of n lines, {kind} junctions, {feed}, ms per step: {times}; "
        f"n^{found['exponent']:.2f}, "
        f"goal n^{MOST_GROWTH}: {_word(found['exponent'] <= MOST_GROWTH)}"
    )


def format_result(result: dict[str, Any]) -> str:
    """Return the tables, and whether the goals are met."""
    own = result["own"]
    return "\n".join(
        (
            "hydraulics: corner laws beside stiff compressible equations, processor time",
            *_tower_lines(result["tower"]),
            *(_growth_line(kind, g, "a source") for kind, g in result["growth"].items()),
            *(_growth_line(kind, g, "a pump") for kind, g in result["pumped"].items()),
            f"20 valves, us per step: built in {1e6 * own['built_in']:.2f}, a user's "
            f"{1e6 * own['own']:.2f}; ratio {own['ratio']:.2f}, goal {MOST_OWN}: "
            f"{_word(own['ratio'] <= MOST_OWN)}",
        )
    )


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    print(format_result(measure()))
