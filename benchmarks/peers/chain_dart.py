"""The chain in the plane in DART, the step of its world; see `_peer.serve`."""

import dartpy as dart
import numpy as np
from _peer import serve


class Chain:
    """Links without shapes: nothing collides."""

    def __init__(self, scene):
        length, around = scene["length"], scene["inertia"]
        self.world = dart.simulation.World()
        self.world.setGravity([0.0, -scene["gravity"], 0.0])
        self.world.setTimeStep(scene["dt"])
        self.chain, body = dart.dynamics.Skeleton("chain"), None
        inertia = dart.dynamics.Inertia(
            scene["mass"], np.array([0.5 * length, 0.0, 0.0]), around * np.eye(3)
        )
        for k in range(len(scene["angles"])):
            joint = dart.dynamics.RevoluteJointProperties()
            joint.mName, joint.mAxis = f"joint {k}", np.array([0.0, 0.0, 1.0])
            place = np.eye(4)
            place[0, 3] = length if k else 0.0
            joint.mT_ParentBodyToJoint = dart.math.Isometry3(place)
            _, body = self.chain.createRevoluteJointAndBodyNodePair(
                body, joint, dart.dynamics.BodyNodeProperties()
            )
            body.setInertia(inertia)
        self.world.addSkeleton(self.chain)
        self.start = np.array(scene["angles"])

    def check(self):
        """Return the energy at the start."""
        self.restart()
        energy = self.chain.computePotentialEnergy() + self.chain.computeKineticEnergy()
        return {"energy": energy, "choice": "World.step"}

    def restart(self):
        """Go to the start."""
        self.world.reset()
        self.chain.setPositions(self.start)
        self.chain.setVelocities(0.0 * self.start)

    def run(self, steps):
        """Take steps."""
        step = self.world.step
        for _ in range(steps):
            step()

    def t(self):
        """Return the time reached."""
        return self.world.getTime()

    def angles(self):
        """Return the angles of the joints."""
        return self.chain.getPositions().tolist()


serve(Chain)
