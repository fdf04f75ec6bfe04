"""Measure what starting up costs, against the budgets; run it alone on a machine.

    python tools/startup.py [--repeat 5] [--functions 15] [--skip-cold]

import      `import cornerlaw` in a fresh interpreter
warm        a first run of a small model, all compiled before: from the import to the result
cold        the same in an empty cache (CORNERLAW_CACHE_DIR), and the look at the results; with the
            functions that take longest in the first process

The best of several runs counts, as others on the machine can only make it slower; processor time of
all processes beside wall time tells whether they did. The exit status is 1 if a budget is exceeded.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

Times = tuple[float, float]  # wall, processor

BUDGETS = {"import": 0.2, "warm": 1.5, "cold": 45.0}

IMPORT = """
import time
began, used = time.perf_counter(), time.process_time()
import cornerlaw
print([time.perf_counter() - began, time.process_time() - used])
"""

# first runs of a user, and the look at their results; helpers are waited for when all is measured
FIRST_STEP = """
import time
began, used = time.perf_counter(), time.process_time()
import json
import math
import resource
import sys
import cornerlaw as cl

listing = dict()
if {listed}:
    from numba.core import event

    class Listener(event.Listener):
        def __init__(self):
            self.open = []

        def on_start(self, data):
            self.open.append([data.data["dispatcher"].py_func, time.process_time(), 0.0])

        def on_end(self, data):
            function, start, inner = self.open.pop()
            spent = time.process_time() - start
            name = f"{{function.__module__}}.{{function.__name__}}"
            listing[name] = listing.get(name, 0.0) + spent - inner
            if self.open:
                self.open[-1][2] += spent

    event.register("numba:compile", Listener())

{model}
sol = cl.simulate(model, {run}, progress=False)
if {results}:
    str(sol)
wall, cpu = time.perf_counter() - began, time.process_time() - used
from cornerlaw.simulate.precompile import _helpers
for helper in _helpers:
    helper.wait()
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([wall, cpu, usage.ru_utime + usage.ru_stime, listing]))
"""

_BALL = """
ball = cl.Disk("ball", mass=1.0, radius=0.1, position=(0.0, 1.0), velocity=(1.0, 0.0), spin=-50.0)
floor = cl.Ground("floor", normal=(0.0, 1.0))
contact = cl.Contact(ball, floor, mu=0.2, eps_N=0.8)
model = cl.Model(ball, floor, contact, gravity=(0.0, -9.81))
"""

MODELS = {
    "pendulum": (
        """
arm = cl.Body("arm", mass=1.0, inertia=0.1, com=(0.5, 0.0))
model = cl.Model(cl.Revolute("hinge", cl.Ground(), arm, angle=0.3), gravity=(0.0, -9.81))
""",
        "1e-3, method=cl.RungeKutta8(first_step=1e-3)",
    ),
    "four-bar with spring": (
        """
ground = cl.Ground()
a = cl.Body("a", mass=1.0, inertia=0.1, com=(0.5, 0.0))
b = cl.Body("b", mass=2.0, inertia=0.3, com=(1.0, 0.0))
c = cl.Body("c", mass=1.5, inertia=0.2, com=(0.75, 0.0))
model = cl.Model(
    cl.Revolute("A", ground, a, angle=1.0, speed=2.0),
    cl.Revolute("B", a, b, at=(1.0, 0.0)),
    cl.Revolute("C", b, c, at=(2.0, 0.0), at_second=(1.5, 0.0)),
    cl.Revolute("D", ground, c, at=(2.0, 0.0)),
    cl.Spring("spring", ground, b, at=(0.0, 3.0), stiffness=20.0),
    gravity=(0.0, -9.81),
)
""",
        "1e-3, method=cl.RungeKutta8(first_step=1e-3)",
    ),
    "ball, event-driven": (_BALL, "6.0, method=cl.EventDriven()"),
    "ball, Moreau": (_BALL, "6.0, method=cl.Moreau(dt=1e-3)"),
    "box on slope, Moreau": (
        """
ground, angle, size = cl.Ground("ground"), math.radians(10.0), (0.4, 0.3, 0.2)
normal = math.sin(angle), 0.0, math.cos(angle)
slope = cl.Plane("slope", ground, normal=normal)
box = cl.Body(
    "box", inertia=cl.inertia.box(1.0, size), position=(0.1 * normal[0], 0.0, 0.1 * normal[2]),
    rotation=cl.rotation.about((0.0, 1.0, 0.0), angle),
)
hull = cl.Box("hull", box, size=size)
contact = cl.Contact(hull, slope, mu=0.5)
model = cl.Model(ground, box, slope, hull, contact, gravity=(0.0, 0.0, -9.81))
""",
        "0.1, method=cl.Moreau(dt=1e-3)",
    ),
}


def run(script: str, cache: Path | None = None) -> str:
    """Run a script in a fresh interpreter and return its last line."""
    # without its bytecode the interpreter would read every source again, which no user's does
    environment = {x: os.environ[x] for x in os.environ if x != "PYTHONDONTWRITEBYTECODE"}
    if cache is not None:
        environment["CORNERLAW_CACHE_DIR"] = str(cache)
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return done.stdout.splitlines()[-1]


def first_step(
    model: str, cache: Path | None, listed: bool, results: bool = True
) -> tuple[Times, dict[str, float]]:
    """Return wall and processor seconds of a first run, and compile times by function.

    Processor seconds are those of all processes; functions those of the first one.
    """
    text, call = MODELS[model]
    script = FIRST_STEP.format(model=text, run=call, listed=listed, results=results)
    wall, used, helpers, listing = json.loads(run(script, cache))
    return (float(wall), float(used) + float(helpers)), dict(listing)


def show(what: str, times: Times, budget: float) -> bool:
    """Print wall and processor seconds against a budget and return whether the wall keeps it."""
    wall, used = times
    verdict = "ok" if wall < budget else "EXCEEDED"
    print(f"{what:38s} {wall:8.3f} s (cpu {used:.3f} s)   budget {budget:4.1f} s   {verdict}")
    return wall < budget


def main() -> int:
    """Measure, print and return the exit status."""
    parser = argparse.ArgumentParser(description="Measure what starting up costs.")
    parser.add_argument("--repeat", type=int, default=5, help="runs of which the best counts")
    parser.add_argument("--functions", type=int, default=15, help="lines of the compile profile")
    parser.add_argument("--skip-cold", action="store_true", help="only import and warm runs")
    parser.add_argument("--only", choices=[*MODELS], help="one of the models")
    options = parser.parse_args()
    times: Times = min(tuple(json.loads(run(IMPORT))) for _ in range(options.repeat))
    kept = show("import", times, BUDGETS["import"])
    with tempfile.TemporaryDirectory() as folder:
        for k, model in enumerate(MODELS):
            if options.only not in (None, model):
                continue
            cache = Path(folder) / str(k)
            if not options.skip_cold:
                times, listing = first_step(model, cache, listed=True)
                kept &= show(f"cold, {model}", times, BUDGETS["cold"])
                longest = sorted(listing.items(), key=lambda item: -item[1])
                for name, spent in longest[: options.functions]:
                    print(f"    {spent:7.2f} s  {name}")
            else:
                first_step(model, cache, listed=False)
            warm = range(options.repeat)
            times = min(first_step(model, cache, listed=False, results=False)[0] for _ in warm)
            kept &= show(f"warm first step, {model}", times, BUDGETS["warm"])
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
