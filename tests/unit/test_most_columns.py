"""Lists of the velocities that a row acts on have room for what a row can act on, and no more."""

from __future__ import annotations

from typing import Any

import cornerlaw as cl
from cornerlaw.arrays.workspace import most_columns
from cornerlaw.simulate.system import System

GROUND = cl.Ground("ground")


def chain(n: int) -> list[Any]:
    """Return n links on hinges, one after the other."""
    links = [cl.Body(f"link {k}", mass=1.0, inertia=0.1, com=(0.5, 0.0)) for k in range(n)]
    ends = [GROUND, *links]
    return [
        cl.Revolute(f"hinge {k}", ends[k], ends[k + 1], at=(1.0 if k else 0.0, 0.0))
        for k in range(n)
    ]


def boxes(n: int) -> list[Any]:
    """Return a pile of boxes in space, with contacts of all with all."""
    ground = cl.Ground("floor", normal=(0.0, 0.0, 1.0))
    parts: list[Any] = [ground, cl.AllContacts("all", mu=0.5)]
    for k in range(n):
        body = cl.Body(
            f"box {k}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.0, 0.0, 0.1 + 0.2 * k)
        )
        parts += [body, cl.Box(f"hull {k}", body, size=(0.2, 0.2, 0.2))]
    return parts


def test_contacts_act_on_two_bodies_and_what_carries_them() -> None:
    system = System(cl.Model(*boxes(4), gravity=(0.0, 0.0, -9.81)))
    assert system.arrays.nu == 24
    assert most_columns(system.arrays) == 12 == system.work.column.shape[1]


def test_a_chain_is_carried_by_all_of_it() -> None:
    hinges = chain(5)
    tip = cl.ContactPoint("tip", hinges[-1].second, at=(1.0, 0.0))
    floor = cl.Line("floor", GROUND, normal=(0.0, 1.0), at=(0.0, -2.0))
    contact = cl.Contact(tip, floor, mu=0.3, name="touch")
    model = cl.Model(*hinges, tip, floor, contact, gravity=(0.0, -9.81))
    assert most_columns(System(model).arrays) == 5
    # two chains: no contact acts on more than twice the longest one
    lone = [cl.Body(f"lone {k}", mass=1.0, inertia=0.1) for k in range(12)]
    axles = [cl.Revolute(f"axle {k}", GROUND, body) for k, body in enumerate(lone)]
    many = cl.Model(*hinges, tip, floor, contact, *axles, gravity=(0.0, -9.81))
    assert most_columns(System(many).arrays) == 10


def test_rows_with_lists_of_their_own_have_room_for_all() -> None:
    parts = [*chain(5), *boxes(4)]
    stop = cl.Limit("stop", "hinge 0", upper=3.0)
    for more in (stop, cl.Gear("pair", "hinge 0", "hinge 1", ratio=2.0)):
        arrays = System(cl.Model(*parts, more, gravity=(0.0, 0.0, -9.81))).arrays
        assert most_columns(arrays) == arrays.nu


def test_no_list_is_longer_than_its_room() -> None:
    sim = cl.Simulation(cl.Model(*boxes(4), gravity=(0.0, 0.0, -9.81)), method=cl.Moreau(dt=2e-3))
    sim.step(20)
    w = sim._system.work
    assert 6 < w.n_column.max() <= w.column.shape[1]
