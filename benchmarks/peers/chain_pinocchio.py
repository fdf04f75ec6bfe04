"""Chains in Pinocchio; see `_peer.serve`.

In the plane, ABA and semi-implicit Euler on arrays of NumPy. In space (a scene with "axes"), ABA
alone from given angles and speeds. Either is called from Python; the seconds of the same loop with
a model that has nothing to compute are told apart.
"""

import numpy as np
import pinocchio as pin
from _peer import seconds_of, serve


class Chain:
    """The model is built joint by joint."""

    def __init__(self, scene):
        self.scene, n = scene, len(scene["angles"])
        model = pin.Model()
        model.gravity.linear = np.array([0.0, -scene["gravity"], 0.0])
        centre = scene.get("com", [0.5 * scene["length"], 0.0, 0.0])
        around = np.diag(np.broadcast_to(scene["inertia"], 3))
        inertia = pin.Inertia(scene["mass"], np.array(centre), around)
        joint = 0
        for k, axis in enumerate(scene.get("axes", "z" * n)):
            kind = pin.JointModelRY() if axis == "y" else pin.JointModelRZ()
            place = pin.SE3(np.eye(3), np.array([scene["length"] if k else 0.0, 0.0, 0.0]))
            joint = model.addJoint(joint, kind, place, f"joint {k}")
            model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
        self.model, self.data, self.tau = model, model.createData(), np.zeros(n)
        empty, self.taken = pin.Model(), 0
        self.nothing = empty, empty.createData(), np.zeros(0), np.zeros(0), np.zeros(0)
        self.restart()

    def check(self):
        """Return the energy at the start and the seconds of an empty call."""
        energy = pin.computePotentialEnergy(self.model, self.data, self.q)
        energy += pin.computeKineticEnergy(self.model, self.data, self.q, self.u)
        call = min(seconds_of(self.repeat, 200, *self.nothing) for _ in range(50)) / 200
        return {"energy": energy, "choice": "ABA", "overhead": call}

    def restart(self):
        """Go to the start."""
        self.q = np.array(self.scene["angles"])
        self.u = np.array(self.scene.get("speeds", 0.0 * self.q))
        self.u_dot = 0.0 * self.u

    def run(self, steps):
        """Take steps in the plane; in space, evaluate as often."""
        self.taken = steps
        self.repeat(steps, self.model, self.data, self.q, self.u, self.tau)

    def repeat(self, count, model, data, q, u, tau):
        """Take steps with a model, which may have no joints."""
        aba, dt = pin.aba, self.scene.get("dt")
        if dt is None:
            for _ in range(count):
                self.u_dot = aba(model, data, q, u, tau)
            return
        for _ in range(count):
            u += dt * aba(model, data, q, u, tau)
            q += dt * u

    def t(self):
        """Return the time reached."""
        return self.taken * self.scene.get("dt", 0.0)

    def angles(self):
        """Return the angles of the joints; in space the accelerations, which are what it is for."""
        return (self.q if "dt" in self.scene else self.u_dot).tolist()


serve(Chain)
