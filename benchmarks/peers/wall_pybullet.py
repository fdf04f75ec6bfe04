"""The wall at rest in PyBullet, 50 iterations; prints one JSON object.

wall_pybullet.py N -
"""

import json
import sys
import time

import numpy as np
import pybullet as p

BOX, MASS, MU, GAP = (0.4, 0.2, 0.2), 10.0, 0.6, 1e-3
DT, SETTLE, BATCHES, STEPS = 2e-3, 1000, 5, 20


def main():
    """Settle the wall, then time it and measure its creep."""
    n, pitch = int(sys.argv[1]), BOX[0] + GAP
    p.connect(p.DIRECT)
    p.setGravity(0.0, 0.0, -9.81)
    p.setPhysicsEngineParameter(
        fixedTimeStep=DT, numSolverIterations=50, deterministicOverlappingPairs=1
    )
    plane = p.createMultiBody(0.0, p.createCollisionShape(p.GEOM_PLANE))
    p.changeDynamics(plane, -1, lateralFriction=MU, restitution=0.0)
    shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.5 * side for side in BOX])
    boxes = []
    for row in range(n):
        for k in range(n):
            x = (k - 0.5 * (n - 1) + 0.125 * (-1) ** row) * pitch
            body = p.createMultiBody(MASS, shape, basePosition=[x, 0.0, (row + 0.5) * BOX[2]])
            # friction of a pair is the product of both in Bullet
            p.changeDynamics(
                body, -1, lateralFriction=MU**0.5, restitution=0.0, linearDamping=0.0,
                angularDamping=0.0, activationState=p.ACTIVATION_STATE_DISABLE_SLEEPING,
            )  # fmt: skip
            boxes.append(body)
    p.changeDynamics(plane, -1, lateralFriction=MU**0.5)

    def places():
        return np.array([p.getBasePositionAndOrientation(body)[0] for body in boxes])

    for _ in range(SETTLE):
        p.stepSimulation()
    before, times = places(), []
    for _ in range(BATCHES):
        began = time.process_time()
        for _ in range(STEPS):
            p.stepSimulation()
        times.append((time.process_time() - began) / STEPS)
    creep = float(np.linalg.norm(places() - before, axis=1).max() / (BATCHES * STEPS * DT))
    print(json.dumps({"min": min(times), "median": float(np.median(times)), "creep": creep}))


main()
