"""The wall at rest in Drake, its discrete plant; see `_peer.stand`.

wall_drake.py point|hydroelastic

The hydroelastic model has a patch per pair of boxes, with Drake's default modulus. The model of
points has one point per pair: a box that slides alone rocks on it and stops after a quarter of the
way, and the wall falls; the scene does not measure it.
"""

import sys

import numpy as np
from _peer import stand
from pydrake.geometry import (
    AddCompliantHydroelasticProperties,
    AddContactMaterial,
    Box,
    ProximityProperties,
)
from pydrake.math import RigidTransform
from pydrake.multibody.math import SpatialVelocity
from pydrake.multibody.plant import AddMultibodyPlant, CoulombFriction, MultibodyPlantConfig
from pydrake.multibody.tree import SpatialInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

MODULUS = 1e7  # Pa


class Wall:
    """Boxes on a block that is part of the world."""

    def __init__(self, scene, speed=0.0):
        builder, model = DiagramBuilder(), sys.argv[1]
        given = MultibodyPlantConfig(time_step=scene["dt"], contact_model=model)
        self.plant, _ = AddMultibodyPlant(given, builder)
        self.scene, self.surface = scene, ProximityProperties()
        friction = CoulombFriction(scene["mu"], scene["mu"])
        if model == "hydroelastic":
            resolution = 0.5 * max(scene["box"])
            AddCompliantHydroelasticProperties(resolution, MODULUS, self.surface)
        AddContactMaterial(friction=friction, properties=self.surface)
        world = self.plant.world_body()
        self.shape(world, [40.0, 40.0, 1.0], [0.0, 0.0, -0.5])
        self.boxes = []
        for k in range(len(scene["places"])):
            inertia = SpatialInertia.SolidBoxWithMass(scene["mass"], *scene["box"])
            self.boxes.append(self.plant.AddRigidBody(f"box {k}", inertia))
            self.shape(self.boxes[-1], scene["box"], [0.0, 0.0, 0.0])
        self.plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, -scene["gravity"]])
        self.plant.Finalize()
        self.simulator = Simulator(builder.Build())
        self.root = self.simulator.get_mutable_context()
        self.context = self.plant.GetMyMutableContextFromRoot(self.root)
        still = SpatialVelocity(np.zeros(3), [speed, 0.0, 0.0])
        for body, place in zip(self.boxes, scene["places"], strict=True):
            self.plant.SetFreeBodyPose(self.context, body, RigidTransform(place))
            self.plant.SetFreeBodySpatialVelocity(self.context, body, still)
        self.simulator.Initialize()
        self.taken = 0

    def shape(self, body, size, place):
        """Give a body the shape of a box."""
        name = f"shape of {body.name()}"
        self.plant.RegisterCollisionGeometry(
            body, RigidTransform(place), Box(*size), name, self.surface
        )

    def energy(self):
        """Return the energy."""
        potential = self.plant.CalcPotentialEnergy(self.context)
        return potential + self.plant.CalcKineticEnergy(self.context)

    def mass(self):
        """Return the mass of all boxes."""
        return self.plant.CalcTotalMass(self.context)

    def contacts(self):
        """Return the number of contact points or patches."""
        found = self.plant.get_contact_results_output_port().Eval(self.context)
        return found.num_point_pair_contacts() + found.num_hydroelastic_contacts()

    def places(self):
        """Return the centres of the boxes."""
        found = [self.plant.EvalBodyPoseInWorld(self.context, body) for body in self.boxes]
        return np.array([pose.translation() for pose in found])

    def run(self, steps):
        """Take steps."""
        self.taken += steps
        self.simulator.AdvanceTo(self.taken * self.scene["dt"])


stand(Wall)
