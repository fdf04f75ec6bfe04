"""The scene "woodpecker" in Siconos; prints one JSON object.

    woodpecker_siconos.py REPEATS EVERY

Timed is Siconos' own loop over all steps (`run`), the fastest way that it offers; the heights
after every EVERY steps come from a run step by step.
"""

import json
import os
import sys
import time

from _clock import processor_seconds
from _siconos_toy import build
from _toy import DT, T_END, quiet


def main():
    """Time the loop, then note the heights."""
    repeats, every = int(sys.argv[1]), int(sys.argv[2])
    answer = os.fdopen(os.dup(1), "w")
    quiet()
    steps, times = round(T_END / DT), []
    began = time.perf_counter()
    toy, stepping = build()
    check = {"kinetic energy": toy.computeKineticEnergy()}
    stepping.run()
    warm = time.perf_counter() - began
    for _ in range(repeats):
        _, stepping = build()
        began = processor_seconds()
        stepping.run()
        times.append((processor_seconds() - began) / steps)
    toy, stepping = build()
    heights = []
    for k in range(1, steps + 1):
        stepping.computeOneStep()
        stepping.nextStep()
        if k % every == 0:
            heights.append(float(toy.q()[0]))
    found = {"times": times, "heights": heights, "warm-up": warm, "check": check}
    print(json.dumps(found), file=answer, flush=True)


main()
