"""The chain in the plane in MuJoCo, its Euler; see `_peer.serve`."""

import mujoco
import numpy as np
from _peer import serve


class Chain:
    """Links without shapes: nothing collides."""

    def __init__(self, scene):
        # not as text: elements of XML must not be nested as deep as a long chain
        spec, length = mujoco.MjSpec(), scene["length"]
        spec.memory = 2 * 1024**3
        spec.option.timestep = scene["dt"]
        spec.option.gravity = [0.0, -scene["gravity"], 0.0]
        spec.option.enableflags = int(mujoco.mjtEnableBit.mjENBL_ENERGY)
        body = spec.worldbody
        for k in range(len(scene["angles"])):
            body = body.add_body(
                pos=[length if k else 0.0, 0.0, 0.0], mass=scene["mass"],
                ipos=[0.5 * length, 0.0, 0.0], inertia=[scene["inertia"]] * 3,
                explicitinertial=True,
            )  # fmt: skip
            body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0.0, 0.0, 1.0])
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.start = np.array(scene["angles"])

    def check(self):
        """Return the energy at the start, then stop computing it."""
        self.restart()
        mujoco.mj_forward(self.model, self.data)
        energy = float(self.data.energy.sum())
        self.model.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_ENERGY)
        return {"energy": energy, "choice": "Euler"}

    def restart(self):
        """Go to the start."""
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:] = self.start

    def run(self, steps):
        """Take steps."""
        mujoco.mj_step(self.model, self.data, nstep=steps)

    def t(self):
        """Return the time reached."""
        return self.data.time

    def angles(self):
        """Return the angles of the joints."""
        return self.data.qpos.tolist()


serve(Chain)
