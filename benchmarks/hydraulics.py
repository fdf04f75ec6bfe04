"""Scene "hydraulics": networks by corner laws beside the same networks as stiff equations.

The brake tower with its 28 cylinders, to the last stop and beyond, by corner laws (time stepping)
and as one stiff differential equation on Radau: elastic junctions, stiff springs for stops, and
losses by which oil that is stopped does not fly back (the impact of rigid oil is plastic). The
corner-law model is the limit of stiff oil, so the distance of the pistons, over their travel, must
fall with the bulk modulus: it is measured with real oil and with 4, 16 and 64 times its modulus.
Without the losses elastic oil throws pistons back from their stops; that is measured, too. Times
are processor time of a second run of the compiled model.

The growth is that of a ladder of n lines on time stepping, for every kind of junction. Last, a
valve of a user beside the built-in orifice.
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
from cornerlaw.hydraulics import Junction, Line, Network, Orifice, Source
from cornerlaw.hydraulics.smooth import smooth_model

MOST_APART = 0.01
MOST_GROWTH = 1.2
MOST_OWN = 1.5
VOLUME = 5e-6  # of the small junctions that the corner laws take as rigid [m^3]
STIFFER = (1.0, 4.0, 16.0, 64.0)
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


def compare(p: brake_tower.Parameters, stiffer: tuple[float, ...]) -> dict[str, Any]:
    """Run the tower by corner laws, and as an equation for every stiffness of the oil."""
    network = brake_tower.network(p)
    ours, corner = timed(network.model(), cl.Moreau(dt=DT))
    x = positions(corner, p)
    rows = []
    for factor, ratio in [(f, 1.0) for f in stiffer] + [(1.0, 0.0)]:
        oil = replace(network.fluid, bulk=factor * network.fluid.bulk)
        same = Network(*network.hydraulic_parts, fluid=oil, name=network.name)
        model = smooth_model(same, volume=VOLUME, ratio=ratio, damping=100.0)
        theirs, stiff = timed(model, cl.Radau(rtol=1e-5, atol=1e-9))
        off = np.abs(positions(stiff, p) - x)
        rows.append(
            {
                "bulk": oil.bulk, "ratio": ratio, "seconds": theirs, "speed_up": theirs / ours,
                "steps": int(stiff.info.statistics["steps"]), "apart": float(off.max()),
                "mean": float(off.mean()),
            }
        )  # fmt: skip
    last = max(brake_tower.stops(corner, p).values())
    size = len(network.coordinates)
    return {"coordinates": size, "corner_law": ours, "last_stop": last, "stiff": rows}


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


def growth(kind: str, work: int) -> dict[str, Any]:
    """Return the time per step over the number of lines, and the exponent from first to last."""
    found = {n: seconds_per_step(ladder(n, kind), max(20, work // n)) for n in SIZES}
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
        "own": own_valve(),
    }


def _word(met: bool) -> str:
    return "met" if met else "MISSED"


def _tower_lines(tower: dict[str, Any]) -> list[str]:
    rows = [
        [
            f"{r['bulk']:.1e}", "yes" if r["ratio"] else "no", f"{r['seconds']:.1f}", r["steps"],
            f"{r['speed_up']:.0f}", f"{100.0 * r['apart']:.2f}", f"{100.0 * r['mean']:.3f}",
        ]
        for r in tower["stiff"]
    ]  # fmt: skip
    header = (
        "bulk modulus [Pa]", "losses", "Radau [s]", "its steps", "speed-up",
        "pistons apart at most [%]", "on average [%]",
    )  # fmt: skip
    lossy = [r["apart"] for r in tower["stiff"] if r["ratio"]]
    falls = all(b < a for a, b in itertools.pairwise(lossy))
    return [
        f"28 cylinders, {tower['coordinates']} coordinates: corner laws {tower['corner_law']:.2f} s"
        f" for {T_END} s in steps of {DT:g} s; last stop at {tower['last_stop']:.3f} s (the book's"
        " tower, with other data: 0.37 s)",
        format_table(header, rows),
        f"goal: the distance falls with the stiffness, below 1 %: "
        f"{_word(falls and lossy[-1] <= MOST_APART)}",
        "the literature has a speed-up of 6,000 to 10,000 over programs that follow every wave; an"
        " implicit method passes over what is damped, and no commercial program is compared here",
    ]


def _growth_line(kind: str, found: dict[str, Any]) -> str:
    times = ", ".join(f"n = {n}: {1e3 * t:.3f}" for n, t in found["per_step"].items())
    return (
        f"ladder of n lines, {kind} junctions, ms per step: {times}; n^{found['exponent']:.2f}, "
        f"goal n^{MOST_GROWTH}: {_word(found['exponent'] <= MOST_GROWTH)}"
    )


def format_result(result: dict[str, Any]) -> str:
    """Return the tables, and whether the goals are met."""
    own = result["own"]
    return "\n".join(
        (
            "hydraulics: corner laws beside stiff compressible equations, processor time",
            *_tower_lines(result["tower"]),
            *(_growth_line(kind, g) for kind, g in result["growth"].items()),
            f"20 valves, us per step: built in {1e6 * own['built_in']:.2f}, a user's "
            f"{1e6 * own['own']:.2f}; ratio {own['ratio']:.2f}, goal {MOST_OWN}: "
            f"{_word(own['ratio'] <= MOST_OWN)}",
        )
    )


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    print(format_result(measure()))
