"""The balls in a box in Drake, its discrete plant with a point per contact; see `_peer.lie`."""

import numpy as np
from _peer import lie, planes
from pydrake.geometry import AddContactMaterial, HalfSpace, ProximityProperties, Sphere
from pydrake.math import RigidTransform
from pydrake.multibody.math import SpatialVelocity
from pydrake.multibody.plant import AddMultibodyPlant, CoulombFriction, MultibodyPlantConfig
from pydrake.multibody.tree import SpatialInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder


class Pile:
    """Balls between five half spaces."""

    def __init__(self, scene, speed=0.0):
        builder = DiagramBuilder()
        given = MultibodyPlantConfig(time_step=scene["dt"], contact_model="point")
        self.plant, _ = AddMultibodyPlant(given, builder)
        self.scene, surface = scene, ProximityProperties()
        friction = CoulombFriction(scene["mu"], scene["mu"])
        AddContactMaterial(friction=friction, properties=surface)
        for k, (normal, point) in enumerate(planes(scene)):
            pose = HalfSpace.MakePose(np.array(normal), np.array(point))
            world, shape = self.plant.world_body(), HalfSpace()
            self.plant.RegisterCollisionGeometry(world, pose, shape, f"plane {k}", surface)
        self.balls = []
        for k in range(len(scene["places"])):
            inertia = SpatialInertia.SolidSphereWithMass(scene["mass"], scene["radius"])
            ball = self.plant.AddRigidBody(f"ball {k}", inertia)
            shape = Sphere(scene["radius"])
            self.plant.RegisterCollisionGeometry(ball, RigidTransform(), shape, f"{k}", surface)
            self.balls.append(ball)
        self.plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, -scene["gravity"]])
        self.plant.Finalize()
        self.simulator = Simulator(builder.Build())
        self.root = self.simulator.get_mutable_context()
        self.context = self.plant.GetMyMutableContextFromRoot(self.root)
        still = SpatialVelocity(np.zeros(3), [speed, 0.0, 0.0])
        for ball, place in zip(self.balls, scene["places"], strict=True):
            self.plant.SetFreeBodyPose(self.context, ball, RigidTransform(place))
            self.plant.SetFreeBodySpatialVelocity(ball, still, self.context)
        self.taken = 0

    def energy(self):
        """Return the energy."""
        potential = self.plant.CalcPotentialEnergy(self.context)
        return potential + self.plant.CalcKineticEnergy(self.context)

    def mass(self):
        """Return the mass of all balls."""
        return self.plant.CalcTotalMass(self.context)

    def contacts(self):
        """Return the number of contact points."""
        found = self.plant.get_contact_results_output_port().Eval(self.context)
        return found.num_point_pair_contacts()

    def places(self):
        """Return the centres of the balls."""
        found = [self.plant.EvalBodyPoseInWorld(self.context, ball) for ball in self.balls]
        return np.array([pose.translation() for pose in found])

    def run(self, steps):
        """Take steps."""
        self.taken += steps
        self.simulator.AdvanceTo(self.taken * self.scene["dt"])


lie(Pile)
