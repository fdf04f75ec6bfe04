"""Stored rows show every force of a time step at the point of its pair at which it was found."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import cornerlaw as cl

Floats = NDArray[np.float64]
MASS, SIZE = 2.0, (0.3, 0.2, 0.1)


def tumbling(seed: int, pooled: bool = False) -> cl.Model:
    """Return a box that falls on a block without friction; its points come and go."""
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=3)
    ground = cl.Ground()
    body = cl.Body(
        "box", mass=MASS, inertia=cl.inertia.box(MASS, SIZE), position=(0.0, 0.0, 0.45),
        rotation=cl.rotation.about(tuple(axis / np.linalg.norm(axis)), rng.uniform(0.0, 3.0)),
        velocity=tuple(0.3 * rng.normal(size=3)), angular_velocity=tuple(4.0 * rng.normal(size=3)),
    )  # fmt: skip
    block = cl.Box("block", ground, size=(0.5, 0.5, 0.4))
    hull = cl.Box("hull", body, size=SIZE)
    if pooled:
        contact: cl.AllContacts | cl.Contact = cl.AllContacts("all", mu=0.0, eps_N=0.4, pooled=True)
    else:
        contact = cl.Contact(hull, block, name="c", mu=0.0, eps_N=0.4)
    return cl.Model(ground, block, body, hull, contact, gravity=(0.0, 0.0, -9.81))


def missing_arms(sol: cl.Solution) -> Floats:
    """Return what moments of the stored forces leave of the change of spin, over the impulse [m].

    A force at its own point leaves what its arm changes from the middle of a step to its end.
    """
    box = sol["box"]
    A, r, spin = np.asarray(box.rotation), np.asarray(box.position), box.angular_velocity
    inertia = MASS / 12.0 * np.diag(sum(np.square(SIZE)) - np.square(SIZE))
    L = np.einsum("tab,bc,tdc,td->ta", A, inertia, A, np.asarray(spin))
    off, impulse = np.diff(L, axis=0), np.zeros(len(sol.t) - 1)
    for name in sol.parts:
        if f"{name}.normal" not in sol:
            continue
        size = np.nan_to_num(sol[f"{name}.lam_N"][1:]) * np.diff(sol.t)
        on = size > 0.0
        # the force on the box, whichever of the two contours it is
        n = np.asarray(sol[f"{name}.normal"])[1:][on]
        up = np.sign(np.einsum("ta,ta->t", n, (r[1:] - sol[f"{name}.point"][1:])[on]))[:, None]
        force = size[on, None] * up * n
        off[on] -= np.cross(sol[f"{name}.point"][1:][on] - r[1:][on], force)
        impulse += size
    return np.asarray(np.linalg.norm(off, axis=1)[impulse > 0.0] / impulse[impulse > 0.0])


# in the second, points come and go between the middle of a step and its end
@pytest.mark.parametrize("pooled", [False, True])
@pytest.mark.parametrize("seed", [0, 1])
def test_forces_have_the_arms_of_their_points(seed: int, pooled: bool) -> None:
    model = tumbling(seed, pooled)
    sol = cl.simulate(model, t_end=0.6, method=cl.Moreau(dt=1e-3), progress=False)
    arms = missing_arms(sol)
    assert arms.size > 50
    # 4 rad/s in half a step of 1 ms with an arm of 0.2 m is 0.4 mm; another corner is 100 mm away
    assert arms.max() < 4e-3
