"""The balls in a box in PyBullet; see `_peer.lie`."""

import numpy as np
import pybullet as p
from _peer import lie, planes


class Pile:
    """Balls between five planes; nothing falls asleep."""

    def __init__(self, scene, speed=0.0):
        if p.isConnected():
            p.resetSimulation()
        else:
            p.connect(p.DIRECT)
        p.setGravity(0.0, 0.0, -scene["gravity"])
        p.setPhysicsEngineParameter(
            fixedTimeStep=scene["dt"], numSolverIterations=scene["sweeps"],
            deterministicOverlappingPairs=1,
        )  # fmt: skip
        # friction of a pair is the product of both in Bullet
        rough = {"lateralFriction": scene["mu"] ** 0.5, "restitution": 0.0}
        for normal, point in planes(scene):
            plane = p.createCollisionShape(p.GEOM_PLANE, planeNormal=normal)
            body = p.createMultiBody(0.0, plane, basePosition=point)
            p.changeDynamics(body, -1, **rough)
        self.weight, self.balls = scene["gravity"], []
        ball = p.createCollisionShape(p.GEOM_SPHERE, radius=scene["radius"])
        for place in scene["places"]:
            body = p.createMultiBody(scene["mass"], ball, basePosition=place)
            p.changeDynamics(
                body, -1, linearDamping=0.0, angularDamping=0.0,
                activationState=p.ACTIVATION_STATE_DISABLE_SLEEPING, **rough,
            )  # fmt: skip
            p.resetBaseVelocity(body, [speed, 0.0, 0.0])
            self.balls.append(body)

    def masses(self):
        """Return the masses of the balls."""
        return np.array([p.getDynamicsInfo(body, -1)[0] for body in self.balls])

    def energy(self):
        """Return the energy at rest."""
        return self.weight * self.masses() @ self.places()[:, 2]

    def mass(self):
        """Return the mass of all balls."""
        return self.masses().sum()

    def contacts(self):
        """Return the number of contact points."""
        return len(p.getContactPoints())

    def places(self):
        """Return the centres of the balls."""
        return np.array([p.getBasePositionAndOrientation(body)[0] for body in self.balls])

    def run(self, steps):
        """Take steps."""
        for _ in range(steps):
            p.stepSimulation()


lie(Pile)
