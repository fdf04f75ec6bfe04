"""The scene "spheres" in PyBullet; prints one JSON object."""

import json
import sys

import numpy as np
import pybullet as p
from _clock import processor_seconds

R, DT, MU = 0.05, 2e-3, 0.3
SETTLE, BATCHES, STEPS = 750, 5, 20


def main() -> None:
    """Settle the pile, then time it."""
    given = np.load(sys.argv[1])
    half, x = float(given["half"]), given["x"]
    p.connect(p.DIRECT)
    p.setGravity(0.0, 0.0, -9.81)
    p.setPhysicsEngineParameter(
        fixedTimeStep=DT, numSolverIterations=50, deterministicOverlappingPairs=1
    )
    # friction of a pair is the product of both in Bullet
    planes = [((0, 0, 1), 0.0)] + [
        (way, -half) for way in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0))
    ]
    for way, offset in planes:
        shape = p.createCollisionShape(p.GEOM_PLANE, planeNormal=way)
        place = [offset * a for a in way]
        body = p.createMultiBody(0.0, shape, basePosition=place)
        p.changeDynamics(body, -1, lateralFriction=MU**0.5, restitution=0.0)
    ball = p.createCollisionShape(p.GEOM_SPHERE, radius=R)
    mass = 2500.0 * 4.0 / 3.0 * np.pi * R**3
    bodies = []
    for place in x:
        body = p.createMultiBody(mass, ball, basePosition=place.tolist())
        p.changeDynamics(
            body, -1, lateralFriction=MU**0.5, restitution=0.0, linearDamping=0.0,
            angularDamping=0.0, activationState=p.ACTIVATION_STATE_DISABLE_SLEEPING,
        )  # fmt: skip
        bodies.append(body)
    # at the start, at rest
    masses = np.array([p.getDynamicsInfo(body, -1)[0] for body in bodies])
    heights = np.array([p.getBasePositionAndOrientation(body)[0][2] for body in bodies])
    energy = 9.81 * float(masses @ heights)
    for _ in range(SETTLE):
        p.stepSimulation()
    times, deepest, contacts = [], 0.0, 0
    for _ in range(BATCHES):
        began = processor_seconds()
        for _ in range(STEPS):
            p.stepSimulation()
        times.append((processor_seconds() - began) / STEPS)
        found = p.getContactPoints()
        contacts = len(found)
        deepest = max([deepest, *(-c[8] for c in found)])
    print(
        json.dumps(
            {
                "min": min(times), "median": float(np.median(times)), "contacts": contacts,
                "penetration": deepest / R, "check": {"energy": energy},
            }
        )
    )  # fmt: skip


main()
