"""The scene "spheres" in MuJoCo, its CG solver; prints one JSON object."""

import json
import sys

import mujoco
import numpy as np
from _clock import processor_seconds

R, DT, MU = 0.05, 2e-3, 0.3
SETTLE, BATCHES, STEPS = 750, 5, 20


def main() -> None:
    """Settle the pile, then time it."""
    given = np.load(sys.argv[1])
    half, x = float(given["half"]), given["x"]
    friction = f"{MU} 0 0"
    planes = [
        ("0 0 0", "0 0 1"), (f"{-half} 0 0", "1 0 0"), (f"{half} 0 0", "-1 0 0"),
        (f"0 {-half} 0", "0 1 0"), (f"0 {half} 0", "0 -1 0"),
    ]  # fmt: skip
    geoms = "".join(
        f'<geom type="plane" size="0 0 1" pos="{p}" zaxis="{z}" friction="{friction}"/>'
        for p, z in planes
    )
    bodies = "".join(
        f'<body pos="{a} {b} {c}"><freejoint/><geom type="sphere" size="{R}" density="2500" '
        f'friction="{friction}"/></body>'
        for a, b, c in x
    )
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><size memory="4G"/><option timestep="{DT}" solver="CG" gravity="0 0 -9.81"/>'
        f"<worldbody>{geoms}{bodies}</worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    # at the start, at rest
    energy = 9.81 * float(model.body_mass[1:] @ data.xpos[1:, 2])
    for _ in range(SETTLE):
        mujoco.mj_step(model, data)
    times, deepest = [], 0.0
    for _ in range(BATCHES):
        began = processor_seconds()
        for _ in range(STEPS):
            mujoco.mj_step(model, data)
        times.append((processor_seconds() - began) / STEPS)
        deepest = max(deepest, -float(data.contact.dist[: data.ncon].min(initial=0.0)))
    found = {
        "min": min(times), "median": float(np.median(times)), "contacts": int(data.ncon),
        "penetration": deepest / R, "check": {"energy": energy},
    }  # fmt: skip
    print(json.dumps(found))


main()
