"""What the peers share: a scene comes in as one line of JSON, figures go out as such a line.

A peer runs in a process of its own, under an interpreter that has the other software but not
cornerlaw; nothing here needs more than NumPy.
"""

import json
import os
import sys

import numpy as np
from _clock import processor_seconds

# others write to stdout; the answers must stand alone there
_answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


def read_scene():
    """Return the scene, the first line that comes in."""
    return json.loads(sys.stdin.readline())


def answer(**figures):
    """Send figures."""
    print(json.dumps(figures, default=float), file=_answers, flush=True)


def seconds_of(run, *given):
    """Return the processor seconds of a call."""
    began = processor_seconds()
    run(*given)
    return processor_seconds() - began


def serve(program):
    """Build a program for the scene and run it from its start as often as asked.

    Every line that comes in is a number of steps; the answer has the seconds of one step.
    """
    built = program(read_scene())
    answer(**built.check())
    for line in sys.stdin:
        steps = int(line)
        built.restart()
        answer(seconds=seconds_of(built.run, steps) / steps, t=built.t(), q=list(built.angles()))


def settle(run, scene):
    """Let it come to rest within the time limit of the scene; return steps and seconds of one."""
    steps, spent = 0, 0.0
    while steps < scene["settle"] and spent < scene["limit"]:
        # ten at once where they cost little
        more = 10 if steps and 10 * spent / steps < 0.1 * scene["limit"] else 1
        more = min(more, scene["settle"] - steps)
        spent += seconds_of(run, more)
        steps += more
    return steps, spent / steps


def time_batches(run, scene, cost):
    """Return seconds of one step for every batch, and the steps of a batch.

    A program whose step costs so much that the batches would take longer than the time limit of
    the scene gets fewer steps.
    """
    steps = max(1, min(scene["steps"], int(scene["limit"] / (scene["batches"] * cost))))
    return [seconds_of(run, steps) / steps for _ in range(scene["batches"])], steps


def stand(program):
    """Settle a wall, then time it and measure its creep: the fastest mean speed of a box."""
    scene = read_scene()
    slide = program(one_box(scene), scene["slide speed"])
    slide.run(round(scene["slide time"] / scene["dt"]))
    slid = float(slide.places()[0][0])
    built = program(scene)
    start, energy = built.places().copy(), built.energy()
    settled, cost = settle(built.run, scene)
    before = built.places().copy()
    times, steps = time_batches(built.run, scene, cost)
    after = built.places()
    seconds = len(times) * steps * scene["dt"]
    answer(
        min=min(times), median=np.median(times), creep=_furthest(after, before) / seconds,
        seconds=seconds, settled=settled, contacts=built.contacts(), sunk=_furthest(after, start),
        check={"energy": energy, "mass": built.mass(), "slide": slid},
    )  # fmt: skip


def one_box(scene):
    """Return the scene with one box on the ground, which slides in a check of the friction."""
    return {**scene, "places": [[0.0, 0.0, 0.5 * scene["box"][2]]]}


def _furthest(places, others):
    return float(np.linalg.norm(np.asarray(places) - np.asarray(others), axis=1).max())
