"""Twenty scenes of two thousand steps and more, and a program that hashes or resumes their runs.

    python scenes.py run NAME ...             # one hash per scene
    python scenes.py resume FOLDER NAME       # go on from a record, print the hash
    python scenes.py report NAME ...          # rows and events as JSON, to compare with others

Stacks, stick and slip, hydraulics, belts and conveyors, impacts, drive trains, smooth trees and
loops; flexible bodies do not exist yet.
"""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

import numpy as np
from run_hash import run_hash

import cornerlaw as cl
from cornerlaw import gallery

STEPS = 2200
SCENES: dict[str, Any] = {
    "box-stack": cl.Moreau(dt=1e-3),
    "tower": cl.Moreau(dt=1e-4),
    "dominoes": cl.Moreau(dt=1e-3),
    "box-on-slope": cl.Moreau(dt=1e-3),
    "euler-disc": cl.Moreau(dt=1e-4),
    "friction-oscillator": cl.EventDriven(max_step=1e-3),
    "stick-slip-transition": cl.Moreau(dt=1e-3),
    "chattering-chalk": cl.Moreau(dt=1e-4),
    "conveyor": cl.Moreau(dt=1e-4),
    "impulsive-control": cl.Moreau(dt=1e-4),
    "store-line-cylinder": cl.Moreau(dt=1e-4),
    "servo-cylinder": cl.Moreau(dt=1e-4),
    "woodpecker-bodies": cl.Moreau(dt=1e-4),
    "rocking-block": cl.EventDriven(max_step=1e-3),
    "vibro-impact": cl.EventDriven(max_step=1e-3),
    "cradle": cl.Moreau(dt=1e-4),
    "synchroniser": cl.Moreau(dt=1e-4),
    "bricard": cl.RungeKutta8(max_step=1e-3),
    "heavy-top": cl.RungeKutta4(dt=1e-3),
    "quarter-car": cl.RungeKutta5(max_step=1e-3),
}


def model_of(name: str) -> cl.Model:
    """Return the model of a scene with its default parameters."""
    system = gallery.find(name)
    model: cl.Model = system.build(system.parameters())
    return model


def options_of(name: str, every: int = 50) -> dict[str, Any]:
    """Return how a scene is run."""
    method = SCENES[name]
    step = getattr(method, "dt", None) or method.max_step
    return {"t_end": STEPS * step, "method": method, "every": every, "progress": False}


def run(name: str, every: int = 50, **more: Any) -> cl.Solution:
    """Run a scene."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cl.simulate(model_of(name), **options_of(name, every), **more)


def resume(folder: str, name: str) -> cl.Solution:
    """Go on from a record of a scene."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cl.resume(folder, model_of(name), progress=False)


def report(name: str) -> dict[str, Any]:
    """Return what two versions of Python are compared by."""
    sol = run(name)
    return {
        "t": sol.t.tolist(), "q": sol.q.tolist(), "u": sol.u.tolist(), "hash": run_hash(sol),
        "events": [[e.time, e.name, e.kind] for e in sol.events],
    }  # fmt: skip


def main(command: str, *arguments: str) -> None:
    """Print what a command asks for."""
    if command == "resume":
        print(run_hash(resume(*arguments)))
    elif command == "report":
        versions = {"python": sys.version.split()[0], "numpy": np.__version__}
        print(json.dumps({"versions": versions, **{name: report(name) for name in arguments}}))
    else:
        print("\n".join(run_hash(run(name)) for name in arguments))


if __name__ == "__main__":
    main(*sys.argv[1:])
