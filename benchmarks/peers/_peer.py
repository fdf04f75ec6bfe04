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


def settle(run, scene, hopeless=None):
    """Let it come to rest within the time limit of the scene; return steps and seconds of one.

    It ends at once where all steps would take `hopeless` times the limit, by those taken so far:
    steps only become dearer as balls come together.
    """
    steps, spent = 0, 0.0
    while steps < scene["settle"] and spent < scene["limit"]:
        if hopeless and steps >= 10 and spent / steps * scene["settle"] > hopeless * scene["limit"]:
            break
        # ten at once where they cost little
        more = 10 if steps and 10 * spent / steps < 0.1 * scene["limit"] else 1
        more = min(more, scene["settle"] - steps)
        spent += seconds_of(run, more)
        steps += more
    return steps, spent / steps


def time_batches(run, scene, cost, look=None):
    """Return seconds of one step for every batch, and the steps of a batch.

    A program whose step costs so much that the batches would take longer than the time limit of
    the scene gets fewer steps. `look` is called after every batch, outside of the time.
    """
    # steps that cost less than the clock can tell are all taken
    affordable = scene["limit"] / (scene["batches"] * max(cost, 1e-9))
    steps, times = max(1, min(scene["steps"], int(affordable))), []
    for _ in range(scene["batches"]):
        times.append(seconds_of(run, steps) / steps)
        if look is not None:
            look()
    return times, steps


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


def lie(program):
    """Settle a pile of balls, then time it and measure how far it overlaps.

    Before that, a ball slides alone: the way that friction takes from it in a first time, during
    which it slides, and the one that it rolls in a last time. A pile that still moves when the
    time limit for settling is over is not timed: its steps are not those of balls that lie.
    """
    scene = read_scene()
    check, found = one_ball_slides(program, scene), []
    built = program(scene)
    check.update(energy=built.energy(), mass=built.mass())
    # the last step is taken alone: it tells how fast the balls are
    given = {"settle": scene["settle"] - 1, "limit": scene["settle limit"]}
    settled, cost = settle(built.run, {**scene, **given}, hopeless=2.0)
    before = np.array(built.places())
    cost = max(cost, seconds_of(built.run, 1))
    speed = np.linalg.norm(built.places() - before, axis=1).mean() / scene["dt"]
    state = {"settled": settled + 1, "speed": speed, "check": check}
    if speed > scene["resting"]:
        answer(**state, moves=True, cost=cost, contacts=built.contacts())
        return
    times, steps = time_batches(
        built.run, scene, cost, lambda: found.append((built.contacts(), depth(built, scene)))
    )
    answer(
        **state, min=min(times), median=np.median(times), contacts=found[-1][0],
        penetration=max(deep for _, deep in found) / scene["radius"],
        seconds=len(times) * steps * scene["dt"],
    )  # fmt: skip


def one_ball_slides(program, scene):
    """Return what friction takes from the way of a ball that slides, and how far it rolls."""
    alone = {**scene, "half": 10.0, "places": [[0.0, 0.0, scene["radius"]]]}
    speed, at = scene["slide speed"], [0.0]
    ball = program(alone, speed)
    for seconds in scene["slide times"]:
        ball.run(round(seconds / scene["dt"]))
        at.append(float(ball.places()[0][0]))
    return {"slide": speed * scene["slide times"][0] - at[1], "roll": at[-1] - at[-2]}


def planes(scene):
    """Return normal and a point of the five planes of the box, which is open above."""
    ways = [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0]]
    sides = [(way, [-scene["half"] * a for a in way]) for way in ways]
    return [([0.0, 0.0, 1.0], [0.0, 0.0, 0.0]), *sides]


def depth(built, scene, part=256):
    """Return how deep two balls, or a ball and a plane of the box, are inside each other at most.

    It follows from the places of the balls, whatever contacts a program has.
    """
    x, radius = np.asarray(built.places()), scene["radius"]
    walls = scene["half"] - np.abs(x[:, :2])
    deepest = max(0.0, radius - x[:, 2].min(), radius - walls.min())
    x = x[np.argsort(x[:, 2])]
    for k in range(0, len(x), part):
        low = x[k : k + part]
        near = x[k : np.searchsorted(x[:, 2], low[-1, 2] + 2.0 * radius)]
        apart = np.linalg.norm(low[:, None] - near[None], axis=2)
        # a ball is no neighbour of itself
        apart[np.arange(len(low)), np.arange(len(low))] = np.inf
        deepest = max(deepest, 2.0 * radius - float(apart.min()))
    return deepest


def one_box(scene):
    """Return the scene with one box on the ground, which slides in a check of the friction."""
    return {**scene, "places": [[0.0, 0.0, 0.5 * scene["box"][2]]]}


def _furthest(places, others):
    return float(np.linalg.norm(np.asarray(places) - np.asarray(others), axis=1).max())
