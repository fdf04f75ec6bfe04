"""The mechanism n-four-bar in MuJoCo, its RK4; prints one JSON object.

    mechanism_mujoco.py T_END ACCURACY

Loops are connect constraints made as stiff as they go; the step is halved until the tips of the
pillars are within the accuracy of the exact pendulum.
"""

import json
import math
import sys

import mujoco
import numpy as np
from _clock import processor_seconds
from scipy.special import ellipj, ellipk

N, L, M, G, V = 10, 1.0, 1.0, 9.81, 1.0


def exact(t):
    """Return the angle of the pillars, from the horizontal."""
    inertia = ((N + 1) * M / 3 + N * M) * L**2
    lift = 4.0 * ((N + 1) * M / 2 + N * M) * L * G / inertia
    fastest = math.sqrt((V / L) ** 2 + lift)
    mu = lift / fastest**2
    period = 4.0 / fastest * ellipk(mu)
    return -0.5 * math.pi - 2.0 * ellipj(0.5 * fastest * (t - 0.5 * period), mu)[3]


def build(dt):
    """Return the model: pillars up z, turning about y."""
    across = M * L**2 / 12
    rod = f'<inertial pos="{L / 2} 0 0" mass="{M}" diaginertia="1e-6 {across} {across}"/>'
    hinge = '<joint type="hinge" axis="0 -1 0"/>'
    bodies, equal = [], []
    for k in range(N + 1):
        coupler = ""
        if k < N:
            coupler = f'<body name="c{k}" pos="{L} 0 0">{hinge}{rod}</body>'
            equal.append(
                f'<connect body1="c{k}" body2="p{k + 1}" anchor="{L} 0 0" solref="{2 * dt} 1" '
                f'solimp="0.9999 0.9999 0.001 0.5 2"/>'
            )
        bodies.append(f'<body name="p{k}" pos="{k * L} 0 0">{hinge}{rod}{coupler}</body>')
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{dt}" integrator="RK4" gravity="0 0 {-G}" tolerance="1e-12"/>'
        f"<worldbody>{''.join(bodies)}</worldbody><equality>{''.join(equal)}</equality></mujoco>"
    )


def run(dt, t_end):
    """Return processor seconds and error of one run."""
    model = build(dt)
    data = mujoco.MjData(model)
    pillars = [model.joint(model.body(f"p{k}").jntadr[0]).qposadr[0] for k in range(N + 1)]
    couplers = [model.joint(model.body(f"c{k}").jntadr[0]).qposadr[0] for k in range(N)]
    data.qpos[pillars], data.qpos[couplers] = 0.5 * math.pi, -0.5 * math.pi
    data.qvel[pillars], data.qvel[couplers] = -V / L, V / L
    steps = round(t_end / dt)
    began = processor_seconds()
    for _ in range(steps):
        mujoco.mj_step(model, data)
    seconds = processor_seconds() - began
    wrong = data.qpos[pillars] - exact(steps * dt)
    return seconds, float(np.max(np.abs(2.0 * np.sin(0.5 * wrong)))) * L


def main():
    """Halve the step until the accuracy is reached."""
    t_end, accuracy = float(sys.argv[1]), float(sys.argv[2])
    for power in range(9):
        dt = 0.01 / 2**power
        _, error = run(dt, t_end)
        if error <= accuracy:
            times = [run(dt, t_end)[0] for _ in range(5)]
            found = {
                "min": min(times), "median": float(np.median(times)), "error": error,
                "choice": f"RK4 with dt = {dt:g}",
            }  # fmt: skip
            print(json.dumps(found))
            return
    sys.exit(f"the accuracy is not reached with dt = {dt:g} s, the error is {error:.1e} m")


main()
