"""The scene "woodpecker" in cardillo, its rule of Moreau; prints one JSON object.

    woodpecker_cardillo.py REPEATS EVERY

Timed is cardillo's own loop over all steps (`Moreau.solve`). Its options are the defaults: contact
problems are solved by a fixed point to 1e-6, absolute and relative.
"""

import json
import os
import sys
import time

# a matrix of three rows is no work for several threads
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import numpy as np
from _clock import processor_seconds
from _toy import DT, Q0, T_END, U0, contacts, mass, quiet, stiffness, weight

try:
    from cardillo import System
    from cardillo.math.prox import Sphere
    from cardillo.solver import Moreau, SolverOptions
except ImportError:
    sys.exit("cardillo cannot be imported")


class Toy:
    """The toy as a part of a system, with the functions that cardillo asks for."""

    nq, nu, nla_N, nla_F = 3, 3, 3, 3
    constant_mass_matrix = True

    def __init__(self):
        self.q0, self.u0 = np.array(Q0), np.array(U0)
        gaps, normals, tangents, friction, restitution = zip(*contacts(), strict=True)
        self.gaps, self.e_N, self.e_F = np.array(gaps), np.array(restitution), np.zeros(3)
        self.normals, self.tangents = np.array(normals, float), np.array(tangents, float)
        # force k of friction belongs to contact k
        self.friction_laws = [([k], [k], Sphere(mu)) for k, mu in enumerate(friction)]
        self.mass, self.spring, self.weight = mass(), stiffness(), weight()

    def q_dot(self, t, q, u):
        """Return the rates of the coordinates."""
        return u

    def M(self, t, q):
        """Return the mass matrix."""
        return self.mass

    def h(self, t, q, u):
        """Return the forces."""
        return self.weight - self.spring @ q

    def E_kin(self, t, q, u):
        """Return the kinetic energy."""
        return 0.5 * u @ self.mass @ u

    def g_N(self, t, q):
        """Return the gaps."""
        return self.gaps + self.normals @ q

    def g_N_dot(self, t, q, u):
        """Return the rates of the gaps."""
        return self.normals @ u

    def W_N(self, t, q):
        """Return the directions of the normal forces."""
        return self.normals.T

    def gamma_F(self, t, q, u):
        """Return the sliding velocities."""
        return self.tangents @ u

    def W_F(self, t, q):
        """Return the directions of friction."""
        return self.tangents.T


def build(t_end):
    """Return the assembled system and the solver that runs it."""
    system = System()
    system.add(Toy())
    # the rule of Moreau needs no accelerations at the start
    system.assemble(options=SolverOptions(compute_consistent_initial_conditions=False))
    return system, Moreau(system, t_end, DT)


def main():
    """Time the loop, then note the heights."""
    repeats, every = int(sys.argv[1]), int(sys.argv[2])
    answer = os.fdopen(os.dup(1), "w")
    quiet()
    steps, times = round(T_END / DT), []
    began = time.perf_counter()
    system, solver = build(20 * DT)
    solver.solve()
    warm = time.perf_counter() - began
    check = {"kinetic energy": float(system.E_kin(0.0, system.q0, system.u0))}
    for _ in range(repeats):
        # it goes on as long as a sum of rounded steps stays below the end and one step more
        _, solver = build(T_END - 0.5 * DT)
        began = processor_seconds()
        solution = solver.solve()
        times.append((processor_seconds() - began) / (len(solution.q) - 1))
    heights = solution.q[every : steps + 1 : every, 0].tolist()
    found = {"times": times, "heights": heights, "warm-up": warm, "check": check}
    print(json.dumps(found), file=answer, flush=True)


main()
