"""The scene "sweep" in Siconos with multiprocessing; prints one JSON object.

sweep_siconos.py RUNS PROCESSES ROUNDS
"""

import json
import multiprocessing
import os
import sys
import time

import numpy as np
from _siconos_toy import build
from _toy import quiet


def run(mu):
    """Return height of the sleeve and angle of the bird at the end of one run.

    Siconos' own loop over all steps is the fastest way that it offers.
    """
    toy, stepping = build(mu)
    stepping.run()
    return float(toy.q()[0]), float(toy.q()[2])


def main():
    """Run all values on some processes."""
    runs, processes, rounds = map(int, sys.argv[1:])
    values = np.linspace(0.2, 0.4, runs)
    answer = os.fdopen(os.dup(1), "w")
    quiet()
    began = time.perf_counter()
    with multiprocessing.Pool(processes, quiet) as pool:
        pool.map(run, values[:processes], chunksize=1)
        warm = time.perf_counter()
        rates = []
        for _ in range(rounds):
            start = time.perf_counter()
            found = pool.map(run, values, chunksize=8)
            rates.append(runs / (time.perf_counter() - start))
    print(
        json.dumps(
            {"rate": max(rates), "median": float(np.median(rates)), "warm-up": warm - began,
             "toy.y": found[0][0], "toy.phi_S": found[0][1]}
        ), file=answer, flush=True,
    )  # fmt: skip


main()
