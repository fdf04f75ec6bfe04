"""The balls in a box in DART; see `_peer.lie`.

spheres_dart.py Dantzig|matrix-free

Dantzig is the default, with a dense matrix of all contacts. The matrix-free one has to be switched
on: it sweeps over the contacts until its own tolerance (1e-3 of the change) is reached, and where
it is not, everything is solved once more by the default. With the 50 sweeps of the scene
that happens in most steps, so it may take more of them.
"""

import sys

import dartpy as dart
import numpy as np
from _dart import allow_contacts, new_world
from _peer import lie, planes

SWEEPS = 1000


class Pile:
    """Balls between five planes; nothing falls asleep."""

    def __init__(self, scene, speed=0.0):
        self.world = new_world(scene)
        self.world.setCollisionDetector(dart.simulation.CollisionDetectorType.DART)
        allow_contacts(self.world)
        if sys.argv[1] == "matrix-free":
            solver = self.world.getConstraintSolver()
            sweeps = solver.getMatrixFreeContactSolverOptions()
            sweeps.mEnabled, sweeps.mMinRows = True, 0
            sweeps.mMaxIterations = SWEEPS
            solver.setMatrixFreeContactSolverOptions(sweeps)
        for k, (normal, point) in enumerate(planes(scene)):
            plane = dart.dynamics.PlaneShape(normal, np.array(point))
            self.add(f"plane {k}", plane, scene).setMobile(False)
        ball = dart.dynamics.SphereShape(scene["radius"])
        self.balls = []
        for k, place in enumerate(scene["places"]):
            skeleton = self.add(f"ball {k}", ball, scene)
            inertia = ball.computeInertia(scene["mass"])
            body = skeleton.getBodyNode(0)
            body.setInertia(dart.dynamics.Inertia(scene["mass"], np.zeros(3), inertia))
            skeleton.setPositions([0.0, 0.0, 0.0, *place])
            skeleton.setVelocities([0.0, 0.0, 0.0, speed, 0.0, 0.0])
            self.balls.append(skeleton)

    def add(self, name, shape, scene):
        """Add a body of a shape."""
        skeleton = dart.dynamics.Skeleton(name)
        _, body = skeleton.createFreeJointAndBodyNodePair()
        node = body.createShapeNode(shape)
        node.createCollisionAspect()
        surface = node.createDynamicsAspect()
        surface.setFrictionCoeff(scene["mu"])
        surface.setRestitutionCoeff(0.0)
        self.world.addSkeleton(skeleton)
        return skeleton

    def energy(self):
        """Return the energy."""
        return sum(
            ball.computePotentialEnergy() + ball.computeKineticEnergy() for ball in self.balls
        )

    def mass(self):
        """Return the mass of all balls."""
        return sum(ball.getMass() for ball in self.balls)

    def contacts(self):
        """Return the number of contact points."""
        return self.world.getLastCollisionResult().getNumContacts()

    def places(self):
        """Return the centres of the balls."""
        return np.array([ball.getPositions()[3:] for ball in self.balls])

    def run(self, steps):
        """Take steps."""
        for _ in range(steps):
            self.world.step()


lie(Pile)
