"""Models with contacts in the plane and in space, on both roads, and a program that hashes them.

    python contact_cases.py NAME ...          # one hash per case

The falling arch needs the stronger solver of contact problems on its way, at step 437.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any, NamedTuple

from run_hash import run_hash

import cornerlaw as cl
from cornerlaw import gallery

MOREAU = cl.Moreau(dt=1e-3)
EVENTS = cl.EventDriven(rtol=1e-7, atol=1e-10)


class Case(NamedTuple):
    """A system of the gallery with some parameters, a method and an end time."""

    system: str
    method: Any
    t_end: float
    parameters: dict[str, float]


CASES = {
    "falling arch": Case("arch", MOREAU, 0.46, {"margin": -0.2}),
    "dominoes": Case("dominoes", MOREAU, 0.1, {}),
    "break": Case("billiards-break", MOREAU, 0.1, {}),
    "rolling sphere": Case("rolling-sphere", EVENTS, 0.5, {}),
    "coin": Case("spinning-coin", EVENTS, 0.1, {}),
    "woodpecker": Case("woodpecker-bodies", cl.Moreau(dt=1e-4), 0.05, {}),
    "tower": Case("tower", MOREAU, 0.1, {}),
    "rocking block": Case("rocking-block", EVENTS, 1.0, {}),
    "rod": Case("sliding-rod", EVENTS, 1.0, {}),
}


def build(name: str) -> cl.Model:
    """Return the model of a case."""
    case, system = CASES[name], gallery.find(CASES[name].system)
    module: Any = system.module
    model: cl.Model = module.build(module.Parameters(**case.parameters))
    return model


def run(name: str, **options: Any) -> cl.Solution:
    """Run a case."""
    case = CASES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        given = {"method": case.method, "progress": False, "t_end": case.t_end, **options}
        return cl.simulate(build(name), **given)


if __name__ == "__main__":
    print("\n".join(run_hash(run(name)) for name in sys.argv[1:]))
