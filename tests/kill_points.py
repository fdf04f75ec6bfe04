"""Kill running simulations at random moments and look at what they leave behind.

As a program, `python kill_points.py COUNT SEED` warms up, then forks COUNT children that simulate
with a record; each is killed by SIGKILL at a random moment, half of them while a segment is being
written. The parent reads and resumes every record, and prints a table as JSON.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from run_hash import run_hash

import cornerlaw as cl

END = 3.0
METHOD = cl.Moreau(dt=1e-3)


def build() -> cl.Model:
    """Return a disc that bounces with spin beside a box that slides to rest."""
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    ball = cl.Disk("ball", mass=1.0, radius=0.1, position=(0.0, 0.3), velocity=(1.0, 0.0))
    box = cl.Body("box", mass=1.0, inertia=0.1, position=(5.0, 0.2), velocity=(1.0, 0.0))
    corners = ((-0.5, -0.2), (0.5, -0.2), (0.5, 0.2), (-0.5, 0.2))
    hull = cl.Polygon("hull", box, vertices=corners)
    contacts = [cl.Contact(part, floor, mu=0.3, eps_N=0.8) for part in (ball, hull)]
    return cl.Model(floor, ball, box, hull, *contacts, gravity=(0.0, -9.81))


def record(model: cl.Model, folder: Path) -> None:
    """Simulate with a segment after every compiled call, and calls that are short."""
    from cornerlaw.simulate.methods import Runner

    run = Runner.run

    def short(self: Any, *arguments: Any) -> int:
        return run(self, *arguments[:-1], min(arguments[-1], 20))

    Runner.run = short  # type: ignore[method-assign]
    cl.simulate(model, END, method=METHOD, checkpoint=folder, checkpoint_every=0.0)


def kill_one(model: cl.Model, folder: Path, delay: float, in_write: bool) -> None:
    """Kill a child after a delay from its first segment, or as soon as a file is half written."""
    child = os.fork()
    if child == 0:
        try:
            record(model, folder)
        finally:
            os._exit(0)
    try:
        limit = time.perf_counter() + 60.0
        while not (folder / "000000.seg").exists() and time.perf_counter() < limit:
            time.sleep(1e-3)
        time.sleep(delay)
        while in_write and time.perf_counter() < limit:
            if any(name.endswith(".part") for name in os.listdir(folder)):
                break
            if os.waitpid(child, os.WNOHANG)[0]:
                return
    finally:
        try:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        except (ProcessLookupError, ChildProcessError):
            pass


def main(count: int, seed: int) -> dict[str, Any]:
    """Return how many records were readable, right, cut in the midst of a write, and resumed."""
    model, rng = build(), random.Random(seed)
    began = time.perf_counter()
    whole = cl.simulate(model, END, method=METHOD)
    wanted = run_hash(whole)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "whole"
        began = time.perf_counter()
        child = os.fork()
        if child == 0:
            record(model, folder)
            os._exit(0)
        os.waitpid(child, 0)
        duration = time.perf_counter() - began
        found = dict.fromkeys(("killed", "readable", "right", "in_write", "resumed", "equal"), 0)
        for k in range(count):
            folder = Path(place) / f"run-{k}"
            kill_one(model, folder, rng.random() * duration * 0.9, in_write=k % 2 == 0)
            found["killed"] += 1
            found["in_write"] += any(n.endswith(".part") for n in os.listdir(folder))
            part = cl.load(folder)
            found["readable"] += 1
            n = max(len(part) - 1, 0)  # the last row is final with the next segment
            same = all(np.array_equal(getattr(part, a)[:n], getattr(whole, a)[:n]) for a in "tqu")
            # 20 steps make a segment; the last one may have been lost, no more
            segments = len([name for name in os.listdir(folder) if name.endswith(".seg")]) - 1
            complete = len(part) >= min(20 * segments, len(whole))
            events = list(part.events) == list(whole.events)[: len(part.events)]
            found["right"] += bool(same and complete and events)
            found["resumed"] += 1
            found["equal"] += run_hash(cl.resume(folder, model)) == wanted
            shutil.rmtree(folder)
    return found


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]), int(sys.argv[2]))))
