"""The chain in the plane in MuJoCo, its Euler; see `_peer.serve`."""

import mujoco
import numpy as np
from _peer import serve


class Chain:
    """Links without shapes: nothing collides."""

    def __init__(self, scene):
        angles, length, mass = scene["angles"], scene["length"], scene["mass"]
        around = scene["inertia"]
        # no thickness: the inertia about the link's own axis plays no part in the plane
        inertial = (
            f'<inertial pos="{length / 2} 0 0" mass="{mass}" diaginertia="{around} {around} '
            f'{around}"/>'
        )
        opened = "".join(
            f'<body pos="{length if k else 0.0} 0 0"><joint type="hinge" axis="0 0 1"/>{inertial}'
            for k in range(len(angles))
        )
        self.model = mujoco.MjModel.from_xml_string(
            f'<mujoco><size memory="2G"/><option timestep="{scene["dt"]}" integrator="Euler" '
            f'gravity="0 {-scene["gravity"]} 0"><flag energy="enable"/></option>'
            f"<worldbody>{opened}{'</body>' * len(angles)}</worldbody></mujoco>"
        )
        self.data = mujoco.MjData(self.model)
        self.start = np.array(angles)

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
