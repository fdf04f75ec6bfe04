"""The chain in the plane in Exudyn, its kinematic tree; see `_peer.serve`.

The quicker of its explicit Euler, which is not the semi-implicit one of the others, and its
default, generalised alpha, is taken.
"""

import exudyn as exu
import numpy as np
from _peer import seconds_of, serve
from exudyn.itemInterface import NodeGenericODE2, ObjectKinematicTree, SensorKinematicTree

CHOICES = ("ExplicitEuler", "GeneralizedAlpha")


class Chain:
    """A tree in minimal coordinates."""

    def __init__(self, scene):
        self.scene, self.n, self.steps = scene, len(scene["angles"]), 0
        # kept: a system belongs to its container
        self.container = exu.SystemContainer()
        self.system, self.choice = self.build()[0], CHOICES[0]

    def build(self, sensors=False):
        """Return the system, and sensors of the heights of the centres."""
        scene, n = self.scene, self.n
        system = self.container.AddSystem()
        node = system.AddNode(
            NodeGenericODE2(
                referenceCoordinates=[0.0] * n, initialCoordinates=scene["angles"],
                initialCoordinates_t=[0.0] * n, numberOfODE2Coordinates=n,
            )
        )  # fmt: skip
        turns, offsets = exu.Matrix3DList(), exu.Vector3DList()
        inertias, centres = exu.Matrix3DList(), exu.Vector3DList()
        for k in range(n):
            turns.Append(np.eye(3))
            offsets.Append([scene["length"] if k else 0.0, 0.0, 0.0])
            inertias.Append(scene["inertia"] * np.eye(3))
            centres.Append([0.5 * scene["length"], 0.0, 0.0])
        tree = system.AddObject(
            ObjectKinematicTree(
                nodeNumber=node, jointTypes=[exu.JointType.RevoluteZ] * n,
                linkParents=list(range(-1, n - 1)), jointTransformations=turns,
                jointOffsets=offsets, linkInertiasCOM=inertias, linkCOMs=centres,
                linkMasses=[scene["mass"]] * n, gravity=[0.0, -scene["gravity"], 0.0],
            )
        )  # fmt: skip
        heights = [
            system.AddSensor(
                SensorKinematicTree(
                    objectNumber=tree, linkNumber=k, localPosition=[0.5 * scene["length"], 0, 0],
                    writeToFile=False, outputVariableType=exu.OutputVariableType.Position,
                )
            )
            for k in range(n if sensors else 0)
        ]  # fmt: skip
        system.Assemble()
        return system, heights

    def check(self):
        """Return the energy at the start, at rest; choose the quicker method."""
        system, heights = self.build(sensors=True)
        initial = exu.ConfigurationType.Initial
        lifted = sum(system.GetSensorValues(k, initial)[1] for k in heights)
        found = {}
        for self.choice in CHOICES:
            found[self.choice] = seconds_of(self.run, 5 if self.n < 500 else 1)
        self.choice = min(found, key=found.get)
        return {
            "energy": self.scene["mass"] * self.scene["gravity"] * lifted, "choice": self.choice,
        }  # fmt: skip

    def restart(self):
        """Go to the start, which every run of its solver does."""

    def run(self, steps):
        """Take steps."""
        settings, self.steps = exu.SimulationSettings(), steps
        settings.timeIntegration.numberOfSteps = steps
        settings.timeIntegration.endTime = steps * self.scene["dt"]
        settings.solution.file.write = False
        kind = getattr(exu.DynamicSolverType, self.choice)
        self.system.SolveDynamic(settings, solverType=kind)

    def t(self):
        """Return the time reached."""
        return self.steps * self.scene["dt"]

    def angles(self):
        """Return the angles of the joints."""
        return np.asarray(self.system.systemData.GetODE2Coordinates()).tolist()


serve(Chain)
