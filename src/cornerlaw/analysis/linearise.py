"""linearise(): small motions about a state, their matrices, eigenvalues and modes."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cornerlaw.arrays.state import Floats
from cornerlaw.errors import UsageError
from cornerlaw.model import Model, UserSet
from cornerlaw.model.arguments import calls_outside, clear_call
from cornerlaw.simulate.held_corners import LeftOutWarning, held_corners
from cornerlaw.simulate.states import At, Placed, coordinate_label, place
from cornerlaw.simulate.system import System
from cornerlaw.simulate.tangent import Tangent

Complexes = NDArray[np.complex128]


@dataclass(frozen=True, eq=False)
class Mode:
    """One eigenvalue and its motion; of a conjugate pair only the one above the real axis."""

    eigenvalue: complex
    shape: Mapping[str, complex]  # every free coordinate by name, largest component 1

    @property
    def frequency(self) -> float:
        """Oscillations per second, |Im| / 2 pi [Hz]."""
        return abs(self.eigenvalue.imag) / (2.0 * np.pi)

    @property
    def natural_frequency(self) -> float:
        """The eigenvalue's magnitude over 2 pi [Hz]; equals `frequency` without damping."""
        return abs(self.eigenvalue) / (2.0 * np.pi)

    @property
    def damping_ratio(self) -> float:
        """-Re / |eigenvalue|; 0 undamped, 1 no oscillation, negative unstable."""
        size = abs(self.eigenvalue)
        return -self.eigenvalue.real / size if size > 0.0 else 0.0


@dataclass(frozen=True, eq=False)
class Linearisation:
    """M y_ddot + P y_dot + Q y = 0 about a state, y = changes of the named coordinates.

    With constraints y are independent coordinates and every other one moves by `basis` y: the null
    space of the rows in the form that is one on the independent coordinates. A acts on
    z = (y, v, x) with the independent velocities v and the other states x (currents, integrals).
    M, P and Q describe the mechanical part alone, x held; they are missing for nonholonomic
    models, where more coordinates than velocities are independent. About a running state y is the
    distance from that motion, and all matrices belong to this instant; eigenvalues then decide
    about stability only where the matrices do not change along the motion. Free and spherical
    joints measure rotations in turning body axes: model a spinning body by revolute joints.
    """

    t: float
    coordinates: tuple[str, ...]  # y
    velocities: tuple[str, ...]  # v
    states: tuple[str, ...]  # x
    all_coordinates: tuple[str, ...]  # rows of basis
    basis: Floats
    M: Floats | None
    P: Floats | None
    Q: Floats | None
    A: Floats
    eigenvalues: Complexes
    modes: tuple[Mode, ...]

    @property
    def frequencies(self) -> Floats:
        """Frequencies of the modes, |Im| / 2 pi [Hz]."""
        return np.array([mode.frequency for mode in self.modes])

    @property
    def damping_ratios(self) -> Floats:
        """Damping ratios of the modes."""
        return np.array([mode.damping_ratio for mode in self.modes])

    @property
    def stable(self) -> bool:
        """Tell whether no eigenvalue lies right of the imaginary axis, up to rounding."""
        if not self.eigenvalues.size:
            return True
        scale = float(np.abs(self.eigenvalues).max())
        return bool(self.eigenvalues.real.max() <= 1e-7 * max(scale, 1e-300))

    def __repr__(self) -> str:
        return f"<Linearisation at t = {self.t:g} s in {', '.join(self.coordinates)}>"

    def __str__(self) -> str:
        verdict = "no growing motion" if self.stable else "unstable"
        lines = [f"Linearisation at t = {self.t:g} s in {', '.join(self.coordinates)}: {verdict}"]
        lines.append("  mode   frequency [Hz]   damping ratio   eigenvalue [1/s]          shape")
        for k, mode in enumerate(self.modes):
            value = mode.eigenvalue
            number = f"{value.real:.6g}{value.imag:+.6g}j"
            largest = sorted(mode.shape.items(), key=lambda item: -abs(item[1]))[:3]
            shape = ", ".join(f"{name} {_short(part)}" for name, part in largest)
            lines.append(
                f"  {k + 1:<4}   {mode.frequency:<14.6g}   {mode.damping_ratio:<13.4g}   "
                f"{number:<24}  {shape}"
            )
        return "\n".join(lines)


def _short(value: complex) -> str:
    return f"{value.real:.4g}" if abs(value.imag) < 1e-9 else f"{value.real:.4g}{value.imag:+.4g}j"


def _modes(A: Floats, basis: Floats, names: tuple[str, ...]) -> tuple[Complexes, tuple[Mode, ...]]:
    """Return all eigenvalues, and the modes in the order of their size."""
    values, vectors = np.linalg.eig(A)
    order = np.lexsort((-values.imag, values.real, np.abs(values)))
    values, vectors = values[order].astype(complex), vectors[:, order]
    modes = []
    for value, found in zip(values, vectors.T, strict=True):
        if value.imag < 0.0:
            continue
        z = _refined(A, value, found)
        y = z[: basis.shape[1]]
        # far below the rest of the eigenvector only other states move
        shape = basis @ y if np.abs(y).max(initial=0.0) > 1e-12 * np.abs(z).max() else None
        parts: dict[str, complex] = {}
        if shape is not None:
            shape = shape / shape[int(np.abs(shape).argmax())]
            parts = {name: complex(part) for name, part in zip(names, shape, strict=True)}
        modes.append(Mode(complex(value), parts))
    return values, tuple(modes)


def _refined(A: Floats, value: complex, z: Complexes) -> Complexes:
    """Return an eigenvector, improved by inverse iteration where it is not one.

    LAPACK scales rows and columns before it begins; rounding in place of zeros (a chain of
    integrators without stiffness) then counts as much as the rest and spoils small components.
    """
    size = np.abs(A).max()
    if np.abs(A @ z - value * z).max() <= 1e-12 * size * np.abs(z).max():
        return z
    shift = value + 1e-10 * size
    for _ in range(2):
        better = np.linalg.solve(A - shift * np.eye(len(z)), z)
        z = np.asarray(better / np.linalg.norm(better), dtype=np.complex128)
    return z


def _refuse_delays(system: System) -> None:
    """A delay has infinitely many eigenvalues; those without it would mislead."""
    for element in system.compiled.elements:
        if getattr(system.model.part(element.part), "delays", None):
            raise UsageError(
                f"ForceElement '{element.part}' has delays, which no finite set of eigenvalues "
                f"describes; study this model with simulate"
            )


def _report_corners(placed: Placed) -> None:
    """Name the corner laws that hold and are left out; refuse sets in place of constraints."""
    model = placed.system.model
    for part in model.corners:
        if isinstance(part, UserSet) and part.constraint:
            raise UsageError(
                f"{part.label} stands for a constraint that linearise would leave out; make it a "
                f"constraint (of a network: net.model(constraints=True))"
            )
    names = held_corners(placed)
    if names:
        shown = ", ".join(f"'{name}'" for name in names[:4])
        more = f" and {len(names) - 4} more" if len(names) > 4 else ""
        warnings.warn(
            f"linearise leaves corner laws out that hold at this state: {shown}{more}; make them "
            f"constraints if they are to hold in the small motion",
            LeftOutWarning, stacklevel=calls_outside(),
        )  # fmt: skip


@clear_call
def linearise(model: Model, at: At = None, t: float | None = None) -> Linearisation:
    """Linearise a model about a state, resting or running, and return matrices and modes.

    at   None (the assembled initial values), a state (`sol.final`, `sim.get_state()`), a Solution
         (last row, or with `t` the stored row nearest to it), an equilibrium, or values by name
    t    time [s], 0 unless given

    Derivatives are five-point central differences along motions that meet all constraints; their
    error is below 1e-9 of the largest entry for smooth forces. A ForceElement with `force_jacobian`
    enters with the derivatives given there. Drives follow their time functions.

    Corner laws are left out: stops, contacts, friction, clutches, sets. Those that are closed or
    stick at the state are named in a `LeftOutWarning`; a set in place of a constraint is an error.
    """
    placed = place(model, at, t)
    system = placed.system
    _refuse_delays(system)
    _report_corners(placed)
    tangent = Tangent(placed)
    by_u = {c.u: c for c in system.compiled.numbering.coordinates}
    f_q = tangent.position.independent.size
    f_u = tangent.velocity.independent.size
    if f_q + f_u + tangent.moving.size == 0:
        raise UsageError(
            f"the model '{model.name}' has no degree of freedom left to linearise: all motion is "
            f"prescribed"
        )
    A = tangent.first_order()
    M = P = Q = None
    if f_q == f_u:
        M, P, Q = tangent.second_order(A)
    names = tuple(coordinate_label(by_u[int(j)]) for j in tangent.free)
    basis = tangent.position.basis[tangent.free]
    values, modes = _modes(A, basis, names)
    return Linearisation(
        t=placed.t,
        coordinates=tuple(coordinate_label(by_u[int(j)]) for j in tangent.position.independent),
        velocities=tuple(system.compiled.name_of_u(int(j)) for j in tangent.velocity.independent),
        states=tuple(".".join(system.compiled.x_names[j]) for j in tangent.moving),
        all_coordinates=names,
        basis=basis,
        M=M,
        P=P,
        Q=Q,
        A=A,
        eigenvalues=values,
        modes=modes,
    )
