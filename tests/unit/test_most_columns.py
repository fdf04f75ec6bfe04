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


def touching(*more: Any, axles: int = 0) -> cl.Model:
    """Return a chain of five links whose tip may touch the floor, and bodies on axles."""
    hinges = chain(5)
    tip = cl.ContactPoint("tip", hinges[-1].second, at=(1.0, 0.0))
    floor = cl.Line("floor", GROUND, normal=(0.0, 1.0), at=(0.0, -2.0))
    contact = cl.Contact(tip, floor, mu=0.3, name="touch")
    for k in range(axles):
        hinges.append(cl.Revolute(f"axle {k}", GROUND, cl.Body(f"lone {k}", mass=1.0, inertia=0.1)))
    return cl.Model(*hinges, tip, floor, contact, *more, gravity=(0.0, -9.81))


def test_a_contact_acts_on_all_of_two_chains_at_most() -> None:
    assert most_columns(System(touching()).arrays) == 5
    assert most_columns(System(touching(axles=12)).arrays) == 10


def test_rows_with_lists_of_their_own_have_room_for_all() -> None:
    stop = cl.Limit("stop", "hinge 0", upper=3.0)
    for more in (stop, cl.Gear("pair", "hinge 0", "hinge 1", ratio=2.0)):
        assert most_columns(System(touching(more, axles=12)).arrays) == 17


def test_no_list_is_longer_than_its_room() -> None:
    sim = cl.Simulation(cl.Model(*boxes(4), gravity=(0.0, 0.0, -9.81)), method=cl.Moreau(dt=2e-3))
    sim.step(20)
    w = sim._system.work
    assert 6 < w.n_column.max() <= w.column.shape[1]
