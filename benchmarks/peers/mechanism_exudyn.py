"""The mechanism n-four-bar in Exudyn: bodies and joints in the plane; prints one JSON object.

    mechanism_exudyn.py T_END ACCURACY

Its generalised alpha and its trapezoidal rule of index 2; the step is halved until the tips of the
pillars are within the accuracy of the exact pendulum. A method is given up when a run takes more
than LIMIT processor seconds.
"""

import math
import sys

import exudyn as exu
import numpy as np
from _peer import answer, seconds_of
from exudyn.itemInterface import (
    LoadForceVector,
    MarkerBodyPosition,
    NodeRigidBody2D,
    ObjectGround,
    ObjectJointRevolute2D,
    ObjectRigidBody2D,
)
from scipy.special import ellipj, ellipk

N, L, M, G, V = 10, 1.0, 1.0, 9.81, 1.0
COARSEST, HALVINGS, REPEATS, LIMIT = 0.01, 9, 5, 20.0
CHOICES = ("GeneralizedAlpha", "TrapezoidalIndex2")


def exact(t):
    """Return the angle of the pillars, from the horizontal."""
    inertia = ((N + 1) * M / 3 + N * M) * L**2
    lift = 4.0 * ((N + 1) * M / 2 + N * M) * L * G / inertia
    fastest = math.sqrt((V / L) ** 2 + lift)
    mu = lift / fastest**2
    period = 4.0 / fastest * ellipk(mu)
    return -0.5 * math.pi - 2.0 * ellipj(0.5 * fastest * (t - 0.5 * period), mu)[3]


class Mechanism:
    """Pillars upright, couplers level, tips that move with V to the right."""

    def __init__(self):
        self.container = exu.SystemContainer()
        self.system = self.container.AddSystem()
        ground = self.system.AddObject(ObjectGround())
        self.pillars = []
        before = None
        for k in range(N + 1):
            pillar = self.rod([k * L, 0.5 * L, 0.5 * math.pi], [0.5 * V, 0.0, -V / L])
            self.pillars.append(pillar[0])
            self.join(ground, [k * L, 0.0, 0.0], pillar[1], [-0.5 * L, 0.0, 0.0])
            if before is not None:
                coupler = self.rod([(k - 0.5) * L, L, 0.0], [V, 0.0, 0.0])
                self.join(before[1], [0.5 * L, 0.0, 0.0], coupler[1], [-0.5 * L, 0.0, 0.0])
                self.join(coupler[1], [0.5 * L, 0.0, 0.0], pillar[1], [0.5 * L, 0.0, 0.0])
            before = pillar
        self.system.Assemble()

    def rod(self, place, speed):
        """Add a uniform rod; return its node and body."""
        around = M * L**2 / 12.0
        node = self.system.AddNode(
            NodeRigidBody2D(referenceCoordinates=place, initialVelocities=speed)
        )
        body = self.system.AddObject(
            ObjectRigidBody2D(physicsMass=M, physicsInertia=around, nodeNumber=node)
        )
        centre = self.system.AddMarker(MarkerBodyPosition(bodyNumber=body))
        self.system.AddLoad(LoadForceVector(markerNumber=centre, loadVector=[0.0, -M * G, 0.0]))
        return node, body

    def join(self, one, at_one, other, at_other):
        """Add a revolute joint."""
        markers = [
            self.system.AddMarker(MarkerBodyPosition(bodyNumber=body, localPosition=at))
            for body, at in ((one, at_one), (other, at_other))
        ]
        self.system.AddObject(ObjectJointRevolute2D(markerNumbers=markers))

    def run(self, dt, t_end, kind):
        """Make a run."""
        settings = exu.SimulationSettings()
        settings.timeIntegration.numberOfSteps = round(t_end / dt)
        settings.timeIntegration.endTime = t_end
        settings.solution.file.write = False
        settings.timeIntegration.newton.useModifiedNewton = True
        solver = getattr(exu.DynamicSolverType, kind)
        self.system.SolveDynamic(settings, solverType=solver)

    def error(self, t):
        """Return the largest error of a tip."""
        angles = [
            0.5 * math.pi + self.system.GetNodeOutput(node, exu.OutputVariableType.Coordinates)[2]
            for node in self.pillars
        ]
        return float(np.max(np.abs(2.0 * np.sin(0.5 * (np.array(angles) - exact(t)))))) * L


def try_out(kind, t_end, accuracy):
    """Return figures of the coarsest step that is good enough, or the best error found."""
    mechanism, best = Mechanism(), math.inf
    for power in range(HALVINGS):
        dt = COARSEST / 2**power
        try:
            spent = seconds_of(mechanism.run, dt, t_end, kind)
        except Exception:  # its solver has errors of its own kind; a finer step may do
            continue
        error = mechanism.error(t_end)
        best = min(best, error)
        if error <= accuracy:
            few = REPEATS if spent < LIMIT / REPEATS else 1
            times = [spent, *(seconds_of(mechanism.run, dt, t_end, kind) for _ in range(few))]
            return {
                "min": min(times), "median": float(np.median(times)), "error": error,
                "choice": f"{kind} with dt = {dt:g}",
            }  # fmt: skip
        if spent > LIMIT:
            break
    return best


def main():
    """Take the cheaper of both methods."""
    t_end, accuracy = float(sys.argv[1]), float(sys.argv[2])
    found = [try_out(kind, t_end, accuracy) for kind in CHOICES]
    reached = [figures for figures in found if isinstance(figures, dict)]
    if not reached:
        sys.exit(f"the accuracy is not reached, the smallest error is {min(found):.1e} m")
    answer(**min(reached, key=lambda figures: figures["min"]))


main()
