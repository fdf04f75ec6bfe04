"""Contact problems with the solvers of Siconos; prints one JSON object.

    contact_problems_siconos.py FOLDER COUNT

Every solver gets 10,000 iterations, the Newton method 500, and is not repeated beyond ten seconds;
it counts where the natural map of its answer is below 1e-8.
"""

import json
import os
import sys
from pathlib import Path

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import numpy as np
import siconos.numerics as sn
from _clock import processor_seconds

TOLERANCE, REPEATS, BUDGET = 1e-8, 5, 10.0
SOLVERS = {
    2: {"NSGS": sn.SICONOS_FRICTION_2D_NSGS, "Lemke": sn.SICONOS_FRICTION_2D_LEMKE},
    3: {
        "NSN_AC": sn.SICONOS_FRICTION_3D_NSN_AC, "NSGS": sn.SICONOS_FRICTION_3D_NSGS,
        "ADMM": sn.SICONOS_FRICTION_3D_ADMM,
    },
}  # fmt: skip


def error(G, c, mu, dim, x):
    """Return |r - P(r - u~)| / |c| with the velocity of de Saxce."""
    r, u = x.reshape(-1, dim), (G @ x + c).reshape(-1, dim).copy()
    u[:, 0] += mu * np.linalg.norm(u[:, 1:], axis=1)
    z = r - u
    length = np.linalg.norm(z[:, 1:], axis=1)
    out = np.zeros_like(z)
    inside, polar = length <= mu * z[:, 0], mu * length <= -z[:, 0]
    edge = ~inside & ~polar
    out[inside] = z[inside]
    share = (z[edge, 0] + mu[edge] * length[edge]) / (1.0 + mu[edge] ** 2)
    out[edge, 0] = share
    out[edge, 1:] = z[edge, 1:] * (mu[edge] * share / length[edge])[:, None]
    return float(np.linalg.norm(r - out) / np.linalg.norm(c))


def solve(data, code):
    """Return processor seconds of one solver, None where it does not solve."""
    G, c, mu, dim = data["G"], data["c"], data["mu"], int(data["dim"])
    driver = sn.fc2d_driver if dim == 2 else sn.fc3d_driver
    best, spent = None, 0.0
    for _ in range(REPEATS):
        problem = sn.FrictionContactProblem(dim, mu.size, G, c, mu)
        options = sn.SolverOptions(code)
        options.dparam[sn.SICONOS_DPARAM_TOL] = 0.1 * TOLERANCE
        newton = code == sn.SICONOS_FRICTION_3D_NSN_AC
        options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = 500 if newton else 10_000
        x, u = np.zeros(c.size), np.zeros(c.size)
        began = processor_seconds()
        driver(problem, x, u, options)
        seconds = processor_seconds() - began
        if not (np.isfinite(x).all() and error(G, c, mu, dim, x) <= TOLERANCE):
            return None
        best = seconds if best is None else min(best, seconds)
        spent += seconds
        if spent > BUDGET:
            break
    return best


def main():
    """Solve every problem with every solver."""
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    sn.numerics_set_verbose(0)
    folder, rows = Path(sys.argv[1]), []
    for k in range(int(sys.argv[2])):
        data = np.load(folder / f"{k}.npz")
        found = {name: solve(data, code) for name, code in SOLVERS[int(data["dim"])].items()}
        solved = [seconds for seconds in found.values() if seconds is not None]
        rows.append({"best": min(solved, default=None), "solvers": found})
    print(json.dumps({"rows": rows}), file=answer, flush=True)


main()
