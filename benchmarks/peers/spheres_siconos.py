"""The balls in a box in Siconos, NSGS with the sweeps of the scene; see `_peer.lie`.

Its own grid finds the contacts of its own balls. Bullet, its other detector, keeps points of
contact that turn with a ball that rolls: alone on the floor such a ball drifts sideways and sinks.
The grid counts in whole numbers, so the radius of a ball is the unit of length.
"""

import os

# blocks of three rows are no work for several threads
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import numpy as np
import siconos.kernel as sk
import siconos.numerics as sn
from _peer import lie, planes
from siconos.mechanics.collision.bodies import SphereNEDS
from siconos.mechanics.collision.native import SpaceFilter

REACH, CELL = 2, 2  # half the size of the box around a ball, and size of a cell, in radii


class Pile:
    """Balls between five planes."""

    def __init__(self, scene, speed=0.0):
        self.unit, self.mass_of_one = scene["radius"], scene["mass"]
        self.weight = scene["gravity"] * scene["mass"]
        self.system = sk.NonSmoothDynamicalSystem(0.0, 1e6 * scene["dt"])
        self.balls = []
        inertia = 0.4 * scene["mass"] * np.eye(3)
        for place in np.array(scene["places"]) / self.unit:
            velocity = [speed / self.unit, 0.0, 0.0, 0.0, 0.0, 0.0]
            at = [*place, 1.0, 0.0, 0.0, 0.0]
            ball = SphereNEDS(1.0, scene["mass"], inertia, at, velocity)
            ball.setFExtPtr(np.array([0.0, 0.0, -self.weight / self.unit]))
            self.system.insertDynamicalSystem(ball)
            self.balls.append(ball)
        walls = [
            [*normal, -np.dot(normal, point) / self.unit] for normal, point in planes(scene)
        ]  # fmt: skip
        # kept: a simulation does not
        self.grid = SpaceFilter(REACH, CELL, np.array(walls))
        self.grid.insertNonSmoothLaw(sk.NewtonImpactFrictionNSL(0.0, 0.0, scene["mu"], 3), 0, 0)
        self.problem = sk.FrictionContact(3, sn.SICONOS_FRICTION_3D_NSGS)
        options = self.problem.numericsSolverOptions()
        options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = scene["sweeps"]
        options.dparam[sn.SICONOS_DPARAM_TOL] = 1e-12
        self.problem.setMaxSize(100 * len(self.balls))
        self.problem.setMStorageType(sn.NM_SPARSE_BLOCK)
        self.problem.setKeepLambdaAndYState(True)
        steps = sk.TimeDiscretisation(0.0, scene["dt"])
        self.stepping = sk.TimeStepping(self.system, steps)
        self.stepping.insertIntegrator(sk.MoreauJeanOSI(0.5))
        self.stepping.insertNonSmoothProblem(self.problem)
        self.stepping.insertInteractionManager(self.grid)
        self.stepping.setNewtonOptions(sk.SICONOS_TS_LINEAR)
        self.stepping.setNewtonMaxIteration(1)
        self.stepping.setWarnOnNonConvergence(False)

    def energy(self):
        """Return the energy at rest."""
        return self.weight * self.places()[:, 2].sum()

    def mass(self):
        """Return the mass of all balls."""
        return sum(ball.scalarMass() for ball in self.balls)

    def contacts(self):
        """Return the number of contacts of the last problem."""
        return self.problem.getSizeOutput() // 3

    def places(self):
        """Return the centres of the balls."""
        return self.unit * np.array([ball.q()[:3] for ball in self.balls])

    def run(self, steps):
        """Take steps."""
        for _ in range(steps):
            self.stepping.computeOneStep()
            self.stepping.nextStep()


lie(Pile)
