"""The wall at rest in PyBullet, 50 iterations; see `_peer.stand`."""

import numpy as np
import pybullet as p
from _peer import stand


class Wall:
    """Boxes on a plane."""

    def __init__(self, scene, speed=0.0):
        p.connect(p.DIRECT)
        p.resetSimulation()
        p.setGravity(0.0, 0.0, -scene["gravity"])
        p.setPhysicsEngineParameter(
            fixedTimeStep=scene["dt"], numSolverIterations=50, deterministicOverlappingPairs=1
        )
        self.weight = scene["gravity"]
        # friction of a pair is the product of both in Bullet
        rough = {"lateralFriction": scene["mu"] ** 0.5, "restitution": 0.0}
        plane = p.createMultiBody(0.0, p.createCollisionShape(p.GEOM_PLANE))
        p.changeDynamics(plane, -1, **rough)
        half = [0.5 * side for side in scene["box"]]
        shape, self.boxes = p.createCollisionShape(p.GEOM_BOX, halfExtents=half), []
        for place in scene["places"]:
            body = p.createMultiBody(scene["mass"], shape, basePosition=place)
            p.changeDynamics(
                body, -1, linearDamping=0.0, angularDamping=0.0,
                activationState=p.ACTIVATION_STATE_DISABLE_SLEEPING, **rough,
            )  # fmt: skip
            p.resetBaseVelocity(body, [speed, 0.0, 0.0])
            self.boxes.append(body)

    def masses(self):
        """Return the masses of the boxes."""
        return np.array([p.getDynamicsInfo(body, -1)[0] for body in self.boxes])

    def energy(self):
        """Return the energy at rest."""
        return self.weight * self.masses() @ self.places()[:, 2]

    def mass(self):
        """Return the mass of all boxes."""
        return self.masses().sum()

    def contacts(self):
        """Return the number of contact points."""
        return len(p.getContactPoints())

    def places(self):
        """Return the centres of the boxes."""
        return np.array([p.getBasePositionAndOrientation(body)[0] for body in self.boxes])

    def run(self, steps):
        """Take steps."""
        for _ in range(steps):
            p.stepSimulation()


stand(Wall)
