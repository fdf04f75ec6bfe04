"""The stages of trees in the plane that have rows against the stages of space."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from dense_tree import build_model, random_tree, state_of

import cornerlaw as cl
from cornerlaw.gallery.contacts import woodpecker_bodies
from cornerlaw.kernels.dynamics import accelerate_by_tree, factor_by_tree, invert_by_tree
from cornerlaw.kernels.kinematics import eval_kinematics
from cornerlaw.kernels.planar import nodes
from cornerlaw.kernels.planar import stages as planar
from cornerlaw.kernels.planar.binding import is_planar_tree, moves_in_plane
from cornerlaw.kernels.prescribed import set_driven
from cornerlaw.simulate.system import System
from tests.unit.test_planar_tree import TREES, loaded_tree

SPACE = eval_kinematics, factor_by_tree, accelerate_by_tree, invert_by_tree
PLANE = (
    planar.eval_planar_kinematics, planar.factor_planar, planar.accelerate_planar,
    planar.invert_planar,
)  # fmt: skip
STATE = ("r", "A", "v", "Omega", "d", "S", "zeta", "frame_r", "frame_A", "frame_v", "frame_Omega")


def results(system: System, stages: Any, q: Any, u: Any, b: Any, spoil: float) -> dict[str, Any]:
    """Return all that the stages write for given forces and a row b."""
    w, nb = system.work, system.arrays.n_bodies
    for name in ("IA", "U", "D_inverse", "wrench", "tau"):
        getattr(w, name)[...] = spoil
    kinematics, factor, accelerate, invert = stages
    u_dot, y = np.full(u.size, np.nan), np.full(u.size, np.nan)
    assert kinematics(system.m, system.w, q, u) == 0
    assert factor(system.m, system.w) == 0
    accelerate(system.m, system.w, u_dot)
    found = {name: getattr(w, name).copy() for name in STATE} | {"acc": w.acc[:nb].copy()}
    invert(system.m, system.w, b, y)
    return found | {"u_dot": u_dot, "y": y}


def compare(system: System, t: float, q: Any, u: Any) -> None:
    """Compare both ways, to the rounding of sums along the tree."""
    assert is_planar_tree(system.arrays)
    rng = np.random.default_rng(2)
    w = system.work
    set_driven(system.m, system.w, t, q, u)
    w.Q[:] = rng.normal(size=u.size)
    w.f_ext[:] = 0.0
    w.f_ext[:-1, [0, 1, 5]] = rng.normal(size=(system.arrays.n_bodies, 3))
    b = rng.normal(size=u.size)
    flat = results(system, PLANE, q, u, b, np.nan)
    full = results(system, SPACE, q, u, b, 0.0)
    again = results(system, PLANE, q, u, b, 0.0)
    for name, wanted in full.items():
        limit = 1e-12 * max(1.0, np.abs(wanted).max(initial=0.0))
        assert np.abs(flat[name] - wanted).max(initial=0.0) <= limit, name
        assert np.abs(again[name] - wanted).max(initial=0.0) <= limit, name


@pytest.mark.parametrize(("seed", "n"), TREES)
def test_random_trees(seed: int, n: int) -> None:
    """Joints of all kinds of the plane: turned, against their direction, driven, locked."""
    tree = random_tree(seed, n, dim=2)
    system = System(build_model(tree))
    q, u = state_of(tree, system)
    compare(system, tree.t, q.copy(), u.copy())


def test_markers() -> None:
    system = System(loaded_tree())
    assert system.arrays.frames.body.size > 0
    rng = np.random.default_rng(4)
    for _ in range(5):
        compare(system, 0.3, *rng.uniform(-2.0, 2.0, (2, 5)))


def test_which_models_have_them() -> None:
    """Trees in the plane with contacts or loops; axes of a closing slide are none of the plane."""
    toy = System(woodpecker_bodies.build(woodpecker_bodies.Parameters()))
    ground = cl.Ground()
    crank, rod, piston = (cl.Body(name, mass=1.0, inertia=0.1) for name in ("a", "b", "c"))
    loop = System(
        cl.Model(
            cl.Revolute("bearing", ground, crank, angle=0.3, speed=2.0),
            cl.Revolute("pin", crank, rod, at=(0.15, 0.0)),
            cl.Revolute("piston pin", rod, piston, at=(0.6, 0.0)),
            cl.Prismatic("guide", ground, piston, axis=(1.0, 0.0), closure=True),
        )
    )
    for system in (toy, loop):
        assert is_planar_tree(system.arrays) and not moves_in_plane(system.arrays)
        rng = np.random.default_rng(5)
        nq, nu, _ = system.sizes
        compare(system, 0.0, rng.uniform(-1.0, 1.0, nq), rng.uniform(-1.0, 1.0, nu))
    assert any(abs(A[2, 2]) < 0.5 for A in loop.arrays.frames.A)


def compare_places(system: System, rng: Any) -> None:
    """Compare places alone, after the kinematics of another state, with the whole kinematics."""
    nq, nu, _ = system.sizes
    m, w, work, still = system.m, system.w, system.work, np.zeros(nu)
    assert planar.eval_planar_kinematics(m, w, *(rng.uniform(-1.0, 1.0, n) for n in (nq, nu))) == 0
    q, pose = rng.uniform(-1.0, 1.0, nq), int(work.pose[0])
    assert planar.eval_planar_places(m, w, q, still) == 0
    assert work.pose[0] == pose + 1  # contacts found before are not taken for those of this pose
    seen = system.arrays.n_seen
    found = {name: getattr(work, name).copy() for name in ("r", "A", "frame_r", "frame_A")}
    assert planar.eval_planar_kinematics(m, w, q, still) == 0
    for name, places in found.items():
        n = seen if name.startswith("frame") else len(places)
        wanted = getattr(work, name)[:n]
        # the same operations, of which the compiler may round some together
        limit = 1e-14 * max(1.0, np.abs(wanted).max(initial=0.0))
        assert np.abs(places[:n] - wanted).max(initial=0.0) <= limit, name


@pytest.mark.parametrize(("seed", "n"), TREES)
def test_places_alone_in_random_trees(seed: int, n: int) -> None:
    system = System(build_model(random_tree(seed, n, dim=2)))
    compare_places(system, np.random.default_rng(seed))


def test_places_alone_serve_contacts_of_given_pairs() -> None:
    toy = System(woodpecker_bodies.build(woodpecker_bodies.Parameters()), cl.Moreau(dt=1e-4))
    assert toy.arrays.stages.places != toy.arrays.stages.kinematics
    compare_places(toy, np.random.default_rng(3))
    # the row of a stop is written on the way to its gap, with velocities and columns
    ground, arm = cl.Ground(), cl.Body("arm", mass=1.0, inertia=0.1, com=(0.5, 0.0))
    hinge = cl.Revolute("hinge", ground, arm)
    stopped = cl.Model(hinge, cl.Limit("stop", hinge, upper=0.5), gravity=(0.0, -9.81))
    arrays = System(stopped, cl.Moreau(dt=1e-3)).arrays
    assert arrays.stages.places == arrays.stages.kinematics


def test_markers_of_channels_wait_for_a_row() -> None:
    """Between quiet steps only what contours and forces look at is placed."""
    system = System(woodpecker_bodies.build(woodpecker_bodies.Parameters()), cl.Moreau(dt=1e-4))
    seen, work = system.arrays.n_seen, system.work
    assert set(system.arrays.contours.frame) == set(range(seen))
    assert seen < system.arrays.frames.body.size
    q, u = np.array([0.1, -0.2, 0.3]), np.array([1.0, 2.0, -3.0])
    for quiet in (1, 0):
        work.quiet[0] = quiet
        work.frame_r[:] = np.nan
        planar.eval_planar_kinematics(system.m, system.w, q, u)
        assert np.isfinite(work.frame_r[:seen]).all()
        assert np.isfinite(work.frame_r[seen:]).all() == (quiet == 0)


def test_channels_after_quiet_steps() -> None:
    p = woodpecker_bodies.Parameters()
    sim = cl.Simulation(woodpecker_bodies.build(p), method=cl.Moreau(dt=1e-4))
    sim.step(57)
    tilt, way = float(sim["tilt.angle"]), float(sim["slide.displacement"])
    x, y = p.l_M * np.cos(tilt), way + p.l_M * np.sin(tilt)  # the hinge is the bird's origin
    # rounding of sums of numbers below 0.1
    assert np.abs(np.asarray(sim["bird.position"])[:2] - (x, y)).max() < 1e-15


@pytest.mark.parametrize("rotors", [0, 5, 40])
def test_rows_and_sines_have_room_whatever_else_moves(rotors: int) -> None:
    """A rotor is a coordinate without a body: forty of them ran over the end of the memory."""
    ground, bob = cl.Ground("ground"), cl.PointMass("bob", mass=1.0, position=(1.0, 0.0))
    others = [cl.Rotor(f"rotor {k}", inertia=1.0) for k in range(rotors)]
    system = System(cl.Model(ground, bob, *others, gravity=(0.0, -9.81)), cl.Moreau(dt=1e-3))
    assert is_planar_tree(system.arrays)
    rows, sines = nodes.rows_of(system.m, system.w), nodes.sines_of(system.m, system.w)
    assert rows.size + sines.size <= system.work.IA.size
