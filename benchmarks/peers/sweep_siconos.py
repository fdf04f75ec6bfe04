"""The scene "sweep" in Siconos with multiprocessing; prints one JSON object.

sweep_siconos.py RUNS PROCESSES
"""

import json
import multiprocessing
import os
import sys
import time

import numpy as np
from _siconos_toy import build
from _toy import DT, T_END, quiet


def run(mu):
    """Return height of the sleeve and angle of the bird at the end of one run."""
    toy, stepping = build(mu)
    for _ in range(round(T_END / DT)):
        stepping.computeOneStep()
        stepping.nextStep()
    return float(toy.q()[0]), float(toy.q()[2])


def main():
    """Run all values on some processes."""
    runs, processes = int(sys.argv[1]), int(sys.argv[2])
    values = np.linspace(0.2, 0.4, runs)
    answer = os.fdopen(os.dup(1), "w")
    quiet()
    began = time.perf_counter()
    with multiprocessing.Pool(processes, quiet) as pool:
        pool.map(run, values[:processes], chunksize=1)
        warm = time.perf_counter()
        found = pool.map(run, values, chunksize=8)
        ended = time.perf_counter()
    print(
        json.dumps(
            {"rate": runs / (ended - warm), "warm-up": warm - began, "toy.y": found[0][0],
             "toy.phi_S": found[0][1]}
        ), file=answer, flush=True,
    )  # fmt: skip


main()
