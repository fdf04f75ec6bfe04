"""The wall at rest in MuJoCo; prints one JSON object.

wall_mujoco.py N CG|Newton
"""

import json
import sys
import time

import mujoco
import numpy as np

BOX, MASS, MU, GAP = (0.4, 0.2, 0.2), 10.0, 0.6, 1e-3
DT, SETTLE, BATCHES, STEPS = 2e-3, 1000, 5, 20


def main():
    """Settle the wall, then time it and measure its creep over a second."""
    n, solver = int(sys.argv[1]), sys.argv[2]
    pitch, half = BOX[0] + GAP, " ".join(str(0.5 * side) for side in BOX)
    bodies = "".join(
        f'<body pos="{(k - 0.5 * (n - 1) + 0.125 * (-1) ** row) * pitch} 0 {(row + 0.5) * BOX[2]}">'
        f'<freejoint/><geom type="box" size="{half}" mass="{MASS}" friction="{MU} 0 0"/></body>'
        for row in range(n) for k in range(n)
    )  # fmt: skip
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><size memory="1G"/><option timestep="{DT}" solver="{solver}" cone="elliptic"/>'
        f'<worldbody><geom type="plane" size="0 0 1" friction="{MU} 0 0"/>{bodies}</worldbody>'
        f"</mujoco>"
    )
    data = mujoco.MjData(model)
    for _ in range(SETTLE):
        mujoco.mj_step(model, data)
    before, t0, times = data.xpos[1:].copy(), data.time, []
    for _ in range(BATCHES):
        began = time.process_time()
        for _ in range(STEPS):
            mujoco.mj_step(model, data)
        times.append((time.process_time() - began) / STEPS)
    creep = float(np.linalg.norm(data.xpos[1:] - before, axis=1).max() / (data.time - t0))
    print(json.dumps({"min": min(times), "median": float(np.median(times)), "creep": creep}))


main()
