"""The wall at rest in MuJoCo; see `_peer.stand`.

wall_mujoco.py CG|Newton
"""

import sys

import mujoco
from _peer import stand


class Wall:
    """Boxes on a plane; all have the same friction, of which MuJoCo takes the larger."""

    def __init__(self, scene, speed=0.0):
        half = " ".join(str(0.5 * side) for side in scene["box"])
        friction = f'friction="{scene["mu"]} 0 0"'
        bodies = "".join(
            f'<body pos="{x} {y} {z}"><freejoint/>'
            f'<geom type="box" size="{half}" mass="{scene["mass"]}" {friction}/></body>'
            for x, y, z in scene["places"]
        )
        self.model = mujoco.MjModel.from_xml_string(
            f'<mujoco><size memory="1G"/><option timestep="{scene["dt"]}" solver="{sys.argv[1]}" '
            f'cone="elliptic" gravity="0 0 {-scene["gravity"]}"><flag energy="enable"/></option>'
            f'<worldbody><geom type="plane" size="0 0 1" {friction}/>{bodies}</worldbody></mujoco>'
        )
        self.data = mujoco.MjData(self.model)
        self.data.qvel[::6] = speed
        mujoco.mj_forward(self.model, self.data)

    def energy(self):
        """Return the energy, then stop computing it."""
        energy = float(self.data.energy.sum())
        self.model.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_ENERGY)
        return energy

    def mass(self):
        """Return the mass of all boxes."""
        return self.model.body_mass.sum()

    def contacts(self):
        """Return the number of contact points."""
        return self.data.ncon

    def places(self):
        """Return the centres of the boxes."""
        return self.data.xpos[1:]

    def run(self, steps):
        """Take steps."""
        mujoco.mj_step(self.model, self.data, nstep=steps)


stand(Wall)
