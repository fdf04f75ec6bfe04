"""A description of a model: bodies, coordinates, loops, degrees of freedom, redundancies."""

from __future__ import annotations

from dataclasses import dataclass

from cornerlaw.compile.coordinates import node_sizes
from cornerlaw.model import Model
from cornerlaw.simulate.arguments import as_time
from cornerlaw.simulate.assembly import initial_state
from cornerlaw.simulate.redundancy import find_mobility
from cornerlaw.simulate.system import System


@dataclass(frozen=True)
class Description:
    """What a model consists of; print it."""

    name: str
    dim: int
    bodies: int
    joints: int
    tree_joints: tuple[str, ...]
    closures: tuple[str, ...]
    positions: int
    velocities: int
    states: int
    prescribed: int
    rows: int
    rank: int
    degrees_of_freedom: int
    gruebler: int
    redundant: tuple[str, ...]
    contacts: int = 0
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        space = "planar" if self.dim == 2 else "spatial"
        lines = [
            f"{self.name}: {space} model",
            f"  bodies               {self.bodies}",
            f"  joints               {self.joints}"
            + (f", loops closed by: {', '.join(self.closures)}" if self.closures else ""),
            f"  coordinates          q {self.positions}, u {self.velocities}, x {self.states}"
            + (f", of which prescribed {self.prescribed}" if self.prescribed else ""),
            f"  constraint rows      {self.rows}, independent {self.rank}",
            f"  degrees of freedom   {self.degrees_of_freedom}",
            f"  Gruebler count       {self.gruebler}",
        ]
        if self.redundant:
            lines.append(f"  redundant            {', '.join(self.redundant)}")
        if self.contacts:
            lines.append(f"  contacts             {self.contacts}")
        lines += [f"  {text}" for text in self.warnings]
        return "\n".join(lines)


def describe(model: Model, t: float = 0.0) -> Description:
    """Compile and assemble a model at a time and describe it."""
    t = as_time("t", t, "describe")
    system = System(model)
    q, _, _ = initial_state(system, t=t)
    mobility = find_mobility(system, t, q)
    c = system.compiled
    return Description(
        name=model.name,
        dim=model.dim,
        bodies=len(model.bodies),
        joints=len(model.joints),
        tree_joints=tuple(n.joint.name for n in c.tree.nodes if n.joint is not None),
        closures=tuple(joint.name for joint in c.tree.closures),
        positions=c.arrays.nq,
        velocities=c.arrays.nu,
        states=c.arrays.nx,
        prescribed=sum(
            1
            for i, node in enumerate(c.tree.nodes)
            for k in range(node_sizes(node)[1])
            if c.arrays.tree.driven[c.numbering.u_start[i] + k] >= 0
        ),
        rows=c.arrays.n_rows,
        rank=mobility.rank,
        degrees_of_freedom=mobility.degrees_of_freedom,
        gruebler=mobility.coordinates - mobility.rows,  # as if all rows were independent
        redundant=mobility.redundant,
        contacts=len(model.contacts),
        warnings=model.warnings,
    )
