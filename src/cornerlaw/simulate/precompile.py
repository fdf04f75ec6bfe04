"""A second process that helps to compile the kernels while the cache is empty.

Both processes write to the same cache and look there before they compile a function. The helper
begins with what the first process needs last, so that the two meet in the middle; without a second
core, or if the helper fails, the first process compiles everything itself. The helper belongs to
the same process group, so that Ctrl-C on the terminal ends it as well.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from typing import Any

LOCK = "helper.nbi.tmp.0"  # a name that is pruned together with the cache files
_helpers: list[subprocess.Popen[bytes]] = []  # kept: a collected Popen of a living process warns


def start_helper(method: str = "") -> None:
    """Start the helper once per empty cache, where there is a core for it.

    `method` is the name of the method the run will use, if that is known.
    """
    from cornerlaw.kernels._numba import CACHE_FOLDER

    if not sys.executable or getattr(sys, "frozen", False) or not hasattr(os, "sched_getaffinity"):
        return
    if len(os.sched_getaffinity(0)) < 2:
        return
    # no helper is no loss: a folder that cannot be written to, a system without processes
    with contextlib.suppress(OSError):
        lock = os.open(CACHE_FOLDER / LOCK, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        os.close(lock)
        helper = subprocess.Popen(
            [
                sys.executable,
                "-c",
                f"from cornerlaw.simulate.precompile import main; main({method!r})",
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _helpers.append(helper)


def _small_model() -> Any:
    """Return a model with a tree, a loop and a force; all models share the types of its arrays."""
    from cornerlaw.model import Body, Ground, Model, Revolute, Spring

    ground = Ground()
    links = [Body(f"link {k}", mass=1.0, inertia=1.0, com=(0.5, 0.0)) for k in range(3)]
    return Model(
        Revolute("a", ground, links[0]),
        Revolute("b", links[0], links[1], at=(1.0, 0.0)),
        Revolute("c", links[1], links[2], at=(1.0, 0.0), at_second=(1.0, 0.0)),
        Revolute("d", ground, links[2], at=(1.0, 0.0)),
        Spring("spring", ground, links[1], stiffness=1.0, at_second=(0.5, 0.0)),
    )


def _contact_model() -> Any:
    """Return a small model with a contact."""
    from cornerlaw.model import Contact, Disk, Ground, Model

    ball, floor = Disk("ball", mass=1.0, radius=0.1), Ground("floor", normal=(0.0, 1.0))
    return Model(ball, floor, Contact(ball, floor, mu=0.1), gravity=(0.0, -9.81))


def _method(name: str) -> Any:
    """Return the method a run asked for, or the default one of smooth motion."""
    from cornerlaw.simulate.event_driven import EventDriven
    from cornerlaw.simulate.methods import RungeKutta8
    from cornerlaw.simulate.stepping import HalfExplicit, Moreau, Stiegelmeyr

    if name in ("Moreau", "HalfExplicit", "Stiegelmeyr"):
        found = {"Moreau": Moreau, "HalfExplicit": HalfExplicit, "Stiegelmeyr": Stiegelmeyr}[name]
        return found(dt=1e-3)
    return EventDriven() if name == "EventDriven" else RungeKutta8()


def main(name: str = "") -> None:
    """Compile the driver of a method, the evaluation of results, then the stages, last one first.

    Contacts are part of the work where the method knows them.
    """
    from numba import types

    from cornerlaw.arrays.outputs import new_outputs
    from cornerlaw.arrays.state import new_counters, new_record, new_state
    from cornerlaw.compile import compile_model
    from cornerlaw.kernels.bundle import Bundle
    from cornerlaw.kernels.outputs import run_outputs
    from cornerlaw.kernels.stages import compile_stages
    from cornerlaw.simulate.methods import new_output

    method = _method(name)
    contacts = getattr(method, "CONTACTS", False)
    compiled = compile_model(_contact_model() if contacts else _small_model())
    a, work = compiled.arrays, compiled.workspace()
    m, w = Bundle(a), Bundle(work)
    runner = method.prepare(m)
    state = new_state(a.nq, a.nu, a.nx, memory=runner.memory_size)
    record = new_record(1, a.nq, a.nu, a.nx)
    runner.compile(m, w, state, record, new_counters(), new_output(a, 1))
    vector, rows = types.float64[::1], types.float64[:, ::1]
    outputs = Bundle(new_outputs(a, 1))
    run_outputs.compile(  # type: ignore[attr-defined]
        (m._numba_type, w._numba_type, outputs._numba_type, vector, rows, rows, rows)
    )
    compile_stages(a, work)
