"""The balls in a box in MuJoCo, its CG solver; see `_peer.lie`."""

import mujoco
from _peer import lie, planes


class Pile:
    """Balls between five planes."""

    def __init__(self, scene, speed=0.0):
        friction = f'friction="{scene["mu"]} 0 0"'
        box = "".join(
            f'<geom type="plane" size="0 0 1" pos="{_text(point)}" zaxis="{_text(normal)}" '
            f"{friction}/>"
            for normal, point in planes(scene)
        )
        balls = "".join(
            f'<body pos="{_text(place)}"><freejoint/><geom type="sphere" size="{scene["radius"]}" '
            f'mass="{scene["mass"]}" {friction}/></body>'
            for place in scene["places"]
        )
        options = f'timestep="{scene["dt"]}" solver="CG" gravity="0 0 {-scene["gravity"]}"'
        self.model = mujoco.MjModel.from_xml_string(
            f'<mujoco><size memory="4G"/><option {options}/>'
            f"<worldbody>{box}{balls}</worldbody></mujoco>"
        )
        self.data = mujoco.MjData(self.model)
        self.data.qvel[::6] = speed
        mujoco.mj_kinematics(self.model, self.data)
        self.weight = scene["gravity"]

    def energy(self):
        """Return the energy at rest."""
        return self.weight * self.model.body_mass[1:] @ self.places()[:, 2]

    def mass(self):
        """Return the mass of all balls."""
        return self.model.body_mass[1:].sum()

    def contacts(self):
        """Return the number of contact points."""
        return int(self.data.ncon)

    def places(self):
        """Return the centres of the balls."""
        return self.data.qpos.reshape(-1, 7)[:, :3].copy()

    def run(self, steps):
        """Take steps."""
        for _ in range(steps):
            mujoco.mj_step(self.model, self.data)


def _text(numbers):
    return " ".join(map(repr, numbers))


lie(Pile)
