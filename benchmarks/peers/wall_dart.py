"""The wall at rest in DART, its default solver (Dantzig); see `_peer.stand`.

wall_dart.py FCL|BULLET|ODE
"""

import sys

import dartpy as dart
import numpy as np
from _dart import allow_contacts, new_world
from _peer import stand


class Wall:
    """Boxes on a block that does not move; nothing falls asleep."""

    def __init__(self, scene, speed=0.0):
        self.world = new_world(scene)
        kind = getattr(dart.simulation.CollisionDetectorType, sys.argv[1])
        self.world.setCollisionDetector(kind)
        allow_contacts(self.world)
        ground = self.add("ground", [40.0, 40.0, 1.0], [0.0, 0.0, -0.5], scene)
        ground.setMobile(False)
        self.boxes = [
            self.add(f"box {k}", scene["box"], place, scene)
            for k, place in enumerate(scene["places"])
        ]
        for box in self.boxes:
            box.setVelocities([0.0, 0.0, 0.0, speed, 0.0, 0.0])

    def add(self, name, size, place, scene):
        """Add a box."""
        skeleton = dart.dynamics.Skeleton(name)
        _, body = skeleton.createFreeJointAndBodyNodePair()
        shape = dart.dynamics.BoxShape(size)
        node = body.createShapeNode(shape)
        node.createCollisionAspect()
        surface = node.createDynamicsAspect()
        surface.setFrictionCoeff(scene["mu"])
        surface.setRestitutionCoeff(0.0)
        inertia = shape.computeInertia(scene["mass"])
        body.setInertia(dart.dynamics.Inertia(scene["mass"], np.zeros(3), inertia))
        skeleton.setPositions([0.0, 0.0, 0.0, *place])
        self.world.addSkeleton(skeleton)
        return skeleton

    def energy(self):
        """Return the energy."""
        return sum(box.computePotentialEnergy() + box.computeKineticEnergy() for box in self.boxes)

    def mass(self):
        """Return the mass of all boxes."""
        return sum(box.getMass() for box in self.boxes)

    def contacts(self):
        """Return the number of contact points."""
        return self.world.getLastCollisionResult().getNumContacts()

    def places(self):
        """Return the centres of the boxes."""
        return np.array([box.getPositions()[3:] for box in self.boxes])

    def run(self, steps):
        """Take steps."""
        for _ in range(steps):
            self.world.step()


stand(Wall)
