"""The end of a run as restart data."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cornerlaw.arrays.state import State

Floats = NDArray[np.float64]


def _none() -> Floats:
    return np.zeros(0)


@dataclass(frozen=True, eq=False)
class FinalState:
    """Everything a run needs to go on, and the fingerprint of the model it belongs to."""

    t: float
    q: Floats = field(default_factory=_none)  # positions
    u: Floats = field(default_factory=_none)  # velocities
    x: Floats = field(default_factory=_none)  # other states
    z: Floats = field(default_factory=_none)  # discrete states
    memory: Floats = field(default_factory=_none)  # what the method carries from step to step
    corners: Floats = field(default_factory=_none)  # what the contacts carry
    dt: float = 0.0  # next step size of an adaptive method, 0 = choose
    solver: int = 0  # of contact problems: the run had come to the quick one, the cascade, all
    fingerprint: str = ""  # of the model
    method: str = ""  # whose memory it is

    def __post_init__(self) -> None:
        """Copy the arrays, so that a run that goes on cannot change its past."""
        object.__setattr__(self, "t", float(self.t))
        object.__setattr__(self, "dt", float(self.dt))
        object.__setattr__(self, "solver", int(self.solver))
        for name in ("q", "u", "x", "z", "memory", "corners"):
            values = np.array(getattr(self, name), dtype=np.float64)
            values.setflags(write=False)
            object.__setattr__(self, name, values)

    @classmethod
    def from_state(
        cls,
        state: State,
        fingerprint: str = "",
        method: str = "",
        corners: Floats | None = None,
        solver: int = 0,
    ) -> "FinalState":
        """Copy a run's state."""
        return cls(
            t=float(state.t[0]),
            q=state.q,
            u=state.u,
            x=state.x,
            z=state.z,
            memory=state.memory,
            corners=_none() if corners is None else corners,
            dt=float(state.dt[0]),
            solver=solver,
            fingerprint=fingerprint,
            method=method,
        )

    def to_state(self) -> State:
        """Return a fresh mutable state to run on from."""
        return State(
            t=np.array([self.t]),
            q=self.q.copy(),
            u=self.u.copy(),
            x=self.x.copy(),
            z=self.z.copy(),
            dt=np.array([self.dt]),
            memory=self.memory.copy(),
        )
