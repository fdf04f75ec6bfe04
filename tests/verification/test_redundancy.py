"""More constraints and contacts than needed: one motion, the smallest forces, and a report."""

from __future__ import annotations

import math
import pickle
import warnings
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.gallery.mechanisms import bricard

G = 9.81
GROUND = cl.Ground()


def four_bar(planar: bool, speed: float = 2.0) -> cl.Model:
    """A four-bar linkage of four revolute joints, in the plane or in space with the same bars."""
    up = (0.0, -G) if planar else (0.0, -G, 0.0)
    place = (lambda x, y: (x, y)) if planar else (lambda x, y: (x, y, 0.0))
    more: dict[str, Any] = {} if planar else {"axis": (0.0, 0.0, 1.0)}
    links = []
    for name, length, mass in (("crank", 1.0, 1.0), ("coupler", 3.0, 2.0), ("rocker", 2.5, 1.5)):
        inertia: Any = mass * length**2 / 12.0
        inertia = inertia if planar else (1e-3, inertia, inertia + 1e-3)
        links.append(cl.Body(name, mass=mass, inertia=inertia, com=place(0.5 * length, 0.0)))
    crank, coupler, rocker = links
    if not planar:  # the inertia about z is the one of the plane
        links = [b.replace(inertia=(1e-3, b.inertia[2][2] - 1e-3, b.inertia[2][2] - 1e-3))
                 for b in links]  # fmt: skip
        crank, coupler, rocker = links
    return cl.Model(
        cl.Revolute("A", GROUND, crank, angle=1.0, speed=speed, **more),
        cl.Revolute("B", crank, coupler, at=place(1.0, 0.0), **more),
        cl.Revolute("D", GROUND, rocker, at=place(3.0, 0.0), **more),
        cl.Revolute("C", coupler, rocker, at=place(3.0, 0.0), at_second=place(2.5, 0.0), **more),
        gravity=up,
    )


def run(model: cl.Model, t_end: float = 0.5, **options: Any) -> cl.Solution:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cl.simulate(model, t_end, progress=False, **options)


@pytest.mark.trust("TR-N-11")
def test_a_spatial_four_bar_has_three_redundant_rows() -> None:
    """It moves as the plane one does, to 1e-10 of its accelerations; the report names the joint."""
    plane, space = four_bar(True), four_bar(False)
    facts = space.describe()
    assert facts.degrees_of_freedom == plane.describe().degrees_of_freedom == 1
    assert facts.rows - facts.rank == 3
    assert set(facts.redundant) <= {"A", "B", "C", "D"} and facts.redundant
    with pytest.warns(UserWarning, match=r"redundant constraints in: .* \(3 of 5 rows\)"):
        sol = cl.simulate(space, 0.5, method=cl.RungeKutta8(rtol=1e-12, atol=1e-13), progress=False)
    assert any("smallest that satisfy all" in text for text in sol.info.warnings)
    other = run(plane, method=cl.RungeKutta8(rtol=1e-12, atol=1e-13))
    for joint in "AB":
        a, b = (np.asarray(s[f"{joint}.speed_rate"])[0] for s in (sol, other))
        assert a == pytest.approx(b, rel=1e-10)
        assert sol[f"{joint}.angle"][-1] == pytest.approx(other[f"{joint}.angle"][-1], rel=1e-9)


@pytest.mark.trust("TR-N-11")
def test_accelerations_do_not_depend_on_the_order_of_parts() -> None:
    """Bricard's mechanism and the four-bar, with the joints in another order: other rows close."""
    for model, names in ((four_bar(False), "AB"), (bricard.build(bricard.Parameters()), None)):
        turned = cl.Model(*reversed(model.parts), gravity=model.gravity)
        one, two = run(model, 1e-6), run(turned, 1e-6)
        bodies = [body.name for body in model.bodies if body.name in one.parts]
        for name in bodies:
            a, b = (np.asarray(s[f"{name}.acceleration"])[0] for s in (one, two))
            assert a == pytest.approx(b, abs=1e-10 * G), (name, names)


@pytest.mark.trust("TR-N-11")
@pytest.mark.parametrize("method", [cl.Moreau(dt=1e-3), cl.EventDriven()], ids=["step", "event"])
def test_a_table_with_five_legs(method: Any) -> None:
    """Rigid legs: how the weight is shared is not unique, that it is carried is."""
    floor = cl.Ground("floor", normal=(0.0, 0.0, 1.0))
    top = cl.Body("top", mass=10.0, inertia=(1.0, 1.0, 1.8), position=(0.0, 0.0, 0.7))
    angles = [0.4 * math.pi * k for k in range(5)]
    feet = [cl.ContactPoint(f"foot{k}", top, at=(math.cos(a), math.sin(a), -0.7))
            for k, a in enumerate(angles)]  # fmt: skip
    contacts = [cl.Contact(foot, floor, name=f"leg{k}", mu=0.5) for k, foot in enumerate(feet)]
    model = cl.Model(floor, top, *feet, *contacts, gravity=(0.0, 0.0, -G))
    sol = run(model, 0.05, method=method)
    forces = np.array([sol[f"leg{k}.lam_N"][-1] for k in range(5)])
    assert forces.min() >= 0.0
    assert forces.sum() == pytest.approx(10.0 * G, rel=1e-9)
    # in balance about the middle
    assert np.cos(angles) @ forces == pytest.approx(0.0, abs=1e-8 * 10.0 * G)
    assert np.sin(angles) @ forces == pytest.approx(0.0, abs=1e-8 * 10.0 * G)
    assert np.abs(sol.u[-1]).max() < 1e-9


@pytest.mark.trust("TR-N-11")
@pytest.mark.parametrize("method", [cl.Moreau(dt=1e-3), cl.EventDriven()], ids=["step", "event"])
def test_a_hundred_duplicate_contacts(method: Any) -> None:
    """A block that slides on the same point a hundred times slows down as on one."""

    def block(n: int) -> cl.Model:
        floor = cl.Ground("floor", normal=(0.0, 1.0))
        mass = cl.PointMass("mass", mass=2.0, velocity=(1.0, 0.0))
        points = [cl.ContactPoint(f"p{k}", mass) for k in range(n)]
        pairs = [cl.Contact(p, floor, name=f"c{k}", mu=0.3) for k, p in enumerate(points)]
        return cl.Model(floor, mass, *points, *pairs, gravity=(0.0, -G))

    many, one = run(block(100), 0.05, method=method), run(block(1), 0.05, method=method)
    assert many["mass.velocity.x"][-1] == pytest.approx(one["mass.velocity.x"][-1], abs=1e-10)
    total = sum(many[f"c{k}.lam_N"][-1] for k in range(100))
    assert total == pytest.approx(2.0 * G, rel=1e-8)


@pytest.mark.trust("TR-N-12")
def test_a_parallelogram_through_its_flat_position() -> None:
    """Two equal cranks: flat, it may go on as a parallelogram or as its twin, never through NaN."""
    model = cl.Model(
        cl.Revolute("A", GROUND, crank := cl.Body("crank", mass=1.0, inertia=0.1), speed=3.0,
                    angle=0.3),
        cl.Revolute("B", crank, coupler := cl.Body("coupler", mass=1.0, inertia=0.1),
                    at=(1.0, 0.0), angle=-0.3),
        cl.Revolute("D", GROUND, rocker := cl.Body("rocker", mass=1.0, inertia=0.1),
                    at=(2.0, 0.0), angle=0.3),
        cl.Revolute("C", coupler, rocker, at=(2.0, 0.0), at_second=(1.0, 0.0)),
    )  # fmt: skip
    try:
        sol = run(model, 3.0, limits=cl.Limits(drift=1e-6), max_steps=20_000)
    except cl.SingularConfiguration as error:
        assert (
            error.joints and set(error.joints) <= set("ABCD") and f"{error.time:.6g}" in str(error)
        )
        assert np.isfinite(error.solution.q).all()  # type: ignore[attr-defined]
        return
    assert sol.ok and np.isfinite(sol.q).all()
    assert sol["A.angle"][-1] > math.pi  # both flat positions were passed


@pytest.mark.trust("TR-N-12")
@pytest.mark.parametrize(
    "method", [cl.RungeKutta8(), cl.RungeKutta4(dt=1e-3)], ids=["chosen", "fixed"]
)
def test_a_driven_crank_that_cannot_go_on_names_its_dead_position(method: Any) -> None:
    """Coupler and rocker, 0.8 m and 1 m, are stretched once the crank's end is 1.8 m from D."""
    bodies = [cl.Body(name, mass=1.0, inertia=0.1) for name in ("crank", "coupler", "rocker")]
    model = cl.Model(
        cl.Revolute("A", GROUND, bodies[0], drive=lambda t: 0.9 + t),
        cl.Revolute("B", bodies[0], bodies[1], at=(1.0, 0.0)),
        cl.Revolute("D", GROUND, bodies[2], at=(2.0, 0.0)),
        cl.Revolute("C", bodies[1], bodies[2], at=(0.8, 0.0), at_second=(1.0, 0.0)),
    )
    with pytest.raises(cl.SingularConfiguration, match="dead position") as caught:
        run(model, 3.0, method=method)
    # |B D|^2 = 5 - 4 cos(angle) = 1.8^2
    assert caught.value.time == pytest.approx(math.acos((5.0 - 1.8**2) / 4.0) - 0.9, abs=2e-3)
    assert caught.value.joints == ("C",)
    part = caught.value.solution  # type: ignore[attr-defined]
    assert np.isfinite(part.q).all() and part.final.t <= caught.value.time
    again = pickle.loads(pickle.dumps(cl.SingularConfiguration("x", 1.0, ("C",))))
    assert (str(again), again.time, again.joints) == ("x", 1.0, ("C",))
