"""From status codes to errors that name the culprit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cornerlaw.arrays import status as codes
from cornerlaw.arrays.compact import POSED_LARGE
from cornerlaw.arrays.corner_work import LARGEST
from cornerlaw.arrays.corners import NORMAL_RIGID
from cornerlaw.arrays.state import Floats
from cornerlaw.errors import SimulationError, SingularConfiguration
from cornerlaw.simulate.jumps import element_that_jumps
from cornerlaw.simulate.large_problem import MOST_SAVED, large_problem
from cornerlaw.simulate.last_resort import save_problem
from cornerlaw.simulate.pool import label_of
from cornerlaw.simulate.redundancy import nearly_dependent
from cornerlaw.simulate.stepping import length_of

if TYPE_CHECKING:
    from cornerlaw.problems import ContactProblem
    from cornerlaw.simulate.system import System


# failures that a value of a user's function may have caused
_BY_FUNCTIONS = (
    codes.SINGULAR_MASS,
    codes.NOT_FINITE,
    codes.STEP_TOO_SMALL,
    codes.PROJECTION_FAILED,
    codes.NO_CONVERGENCE,
    codes.SINGULAR_JACOBIAN,
)


OPEN = 0.1  # of the largest violation: constraints that stay open as well
INSIDE = 1e-8  # overlaps above this fraction of the model's size are no rounding


class Moment(NamedTuple):
    """Where a run was when it failed, and the step that it tried."""

    q: Floats
    u: Floats
    x: Floats
    dt: float


def failure_text(system: System, status: int, t: float, moment: Moment | None = None) -> str:
    """Return the sentence for a failure."""
    at = f"at t = {t:.6g} s"
    if status in _BY_FUNCTIONS:
        found = failed_function(system)
        if found:
            return f"{found} {at} or in the step from there; check the function and its arguments"
    if status == codes.SINGULAR_MASS and not np.isfinite(system.work.inertia).all():
        # a state that is no number has no inertia either; the cause is what made it so
        status = codes.NOT_FINITE
    if status == codes.SINGULAR_MASS:
        name = system.compiled.name_of_u(int(system.work.culprit[0]))
        return (
            f"{name} moves no inertia {at}; give the body a mass and an inertia, an armature, "
            f"or lock the coordinate"
        )
    if status == codes.STEP_TOO_SMALL:
        return (
            f"the step size became too small {at}: the motion is not smooth there or the "
            f"tolerance is too tight; try Radau for stiff systems, or a looser tolerance"
        )
    if status == codes.NOT_FINITE:
        return (
            f"a rate is not a finite number {at}{_not_finite(system)}; check forces and functions"
        )
    if status == codes.PROJECTION_FAILED:
        n = system.arrays.n_rows
        if not n:
            return f"the closed contacts {at} exclude each other; {_crowd_text(system)}"
        i = int(np.argmax(np.abs(system.work.g[:n]) / system.arrays.row_scale[:n]))
        return (
            f"constraint '{system.row_name(i)}' cannot be met {at}, it is violated by "
            f"{abs(system.work.g[i]):.3g}; the mechanism may have reached a dead position"
        )
    if status == codes.NO_CONVERGENCE:
        jumps = "" if moment is None else element_that_jumps(system, t, *moment)
        if jumps:
            return (
                f"an implicit step did not converge {at}: the rates of '{jumps}' jump within it, "
                f"so that its equations have no solution; use a method that chooses its steps "
                f"(EventDriven, RungeKutta8, Radau) or an explicit one (RungeKutta4)"
            )
        return f"an implicit step did not converge {at}; try a smaller step"
    if status == codes.SINGULAR_JACOBIAN:
        return f"the matrix of an implicit step is singular {at}; try a smaller step"
    if status == codes.UNSOLVED:
        return _unsolved_text(system, at)
    if status == codes.TOO_MANY_EVENTS:
        return f"events pile up {at} without the motion going on; {_crowd_text(system)}"
    if status == codes.TOO_MANY_CONTACTS:
        return f"more than {LARGEST} rows of contacts are closed at once {at}"
    if status == codes.VANISHED:
        return (
            f"a contact runs over the end of its contour {at} while its state changes; it is one "
            f"of {_closed_names(system)}; try time stepping (Moreau)"
        )
    if status >= REFUSED:
        from cornerlaw.simulate.impact import REASONS

        reason = REASONS.get(status - REFUSED_SHIFT, "the impact law has no answer")
        return f"the impact {at} cannot be resolved: {reason}"
    return f"the run failed {at} with status {status}"


def _unsolved_text(system: System, at: str) -> str:
    """Return the sentence for a contact problem that no solver solved, and save the problem."""
    k = system.work.k
    if k.compact.posed[0] == POSED_LARGE and math.isfinite(k.solver.residual[0]):
        kept = _keep(large_problem(system))
        return (
            f"the contact problem {at}, {int(k.problem.n[0])} rows large, was solved to a residual "
            f"of {k.solver.residual[0]:.1e} only; it involves {_closed_names(system)}; {kept}; try "
            f"a smaller step, or on_unconverged='accept'"
        )
    if system.chosen is not None and np.isfinite(k.problem.c[: k.problem.n[0]]).all():
        name, residual, problem, guess = system.chosen.unsolved(k)
        found = f"to a residual of {residual:.1e} only" if math.isfinite(residual) else "nowhere"
        return (
            f"{name} brought the contact problem {at} {found}; it involves "
            f"{_closed_names(system)}; {_keep((problem, guess))}; leave solver out, or try "
            f"on_unconverged='accept'"
        )
    last = system.last_resort
    if last is None or last.problem is None or last.result is None:
        return (
            f"the contact problem {at} has entries that are not finite numbers: velocities or "
            f"forces grow without bounds; it involves {_closed_names(system)}; try a smaller step"
        )
    kept = _keep((last.problem, last.guess))
    if last.result.certificate is not None:
        radius = last.result.certificate.radius
        limit = f" with forces or impulses below {radius:.1e}" if math.isfinite(radius) else ""
        return (
            f"the contact problem {at} has no solution{limit}, as a certificate shows; it involves "
            f"{_closed_names(system)}; {kept}; two demands exclude each other, such as a "
            f"restitution and friction that locks: try eps_N = 0 there, "
            f"EventDriven(impact=Poisson()), or on_unconverged='accept' with time stepping"
        )
    return (
        f"no solver brought the contact problem {at} below its tolerance, the best residual is "
        f"{last.result.residual:.3g}; it involves {_closed_names(system)}; {kept}; try a smaller "
        f"step, or on_unconverged='accept' with time stepping"
    )


def _keep(posed: tuple[ContactProblem, Floats] | None) -> str:
    """Save a problem with its first guess and return what became of that, in words."""
    if posed is None:
        return f"it has more than the {MOST_SAVED} rows that are saved"
    try:
        path = save_problem(*posed)
    except OSError as error:
        return f"it cannot be saved ({error})"
    return f"it is saved, and `cornerlaw replay {path}` tries every solver on it"


REFUSED = 30
REFUSED_SHIFT = 20  # an impact's own reasons are returned with this added


def _crowd_text(system: System) -> str:
    """Tell which elements' events pile up, and of contacts that are inside each other how deep."""
    corners, k = system.arrays.corners, system.work.k
    found = []
    for c in np.flatnonzero(corners.always == 0):
        slot, row = corners.slot[c], corners.row_N[c]
        if slot >= 0 and row >= 0 and corners.normal_law[c] == NORMAL_RIGID:
            found.append((float(system.work.contact_g[slot]), label_of(system, int(c))))
    gap, name = min(found, default=(0.0, ""))
    if gap < -INSIDE * length_of(system.arrays):
        return (
            f"contact '{name}' is {-gap:.3g} m inside its partner: check the initial positions "
            f"(cl.distance(model, first, second) tells a gap), penetration='refuse' stops a run "
            f"that starts so"
        )
    names = _names(system, np.flatnonzero((k.closed != 0) | (k.fired != 0)))
    return f"they involve {names}; try time stepping (Moreau)"


def _closed_names(system: System) -> str:
    """Name the set-valued elements of the problem at hand."""
    return _names(system, np.flatnonzero(system.work.k.closed))


def _names(system: System, corners: Any) -> str:
    """Name some set-valued elements."""
    names = [label_of(system, int(c)) for c in corners]
    if len(names) > 4:
        return ", ".join(f"'{name}'" for name in names[:4]) + f" and {len(names) - 4} more"
    return ", ".join(f"'{name}'" for name in names) or "no element"


def failed_function(system: System) -> str:
    """Name the user's function whose last call failed, with what it did."""
    from cornerlaw.kernels.slots import failure_of

    for address, labels in system.compiled.functions.labels.items():
        text = failure_of(address)
        if text:
            return f"{' or '.join(labels)} {text}"
    return ""


def _raised_by_function(system: System) -> BaseException | None:
    """Return what a user's function has raised in the interpreter, with its own traceback."""
    from cornerlaw.kernels import slots

    for address in system.compiled.functions.labels:
        error: BaseException | None = slots._slots[address].error
        if error is not None and error.__traceback__ is not None:
            return error
    return None


def _not_finite(system: System) -> str:
    """Name the first motion or force that is not a number, if one is at hand."""
    driven = np.flatnonzero(~np.isfinite(system.work.u_dot_driven))
    if driven.size:
        return f" (prescribed motion of {system.compiled.name_of_u(int(driven[0]))})"
    bad = np.flatnonzero(~np.isfinite(system.work.Q))
    if bad.size:
        return f" (force on {system.compiled.name_of_u(int(bad[0]))})"
    for i, node in enumerate(system.compiled.tree.nodes):
        if not np.isfinite(system.work.f_ext[i]).all():
            return f" (force on '{node.body.name if node.body else node.owner}')"
    return ""


def _open_joints(system: System) -> tuple[str, ...]:
    """Return the names of the parts whose constraints stay open, the worst one first."""
    n = system.arrays.n_rows
    sizes = np.abs(system.work.g[:n]) / system.arrays.row_scale[:n]
    order = [int(i) for i in np.argsort(-sizes, kind="stable") if sizes[i] > OPEN * sizes.max()]
    return tuple(dict.fromkeys(system.row_name(i) for i in order))


def failure(system: System, status: int, t: float, moment: Moment | None = None) -> SimulationError:
    """Return the error for a failure status."""
    text = failure_text(system, status, t, moment)
    if status == codes.STEP_TOO_SMALL and moment is not None and not failed_function(system):
        joints = nearly_dependent(system, t, moment.q)
        if joints:
            text = (
                f"the step size became too small at t = {t:.6g} s: the mechanism may have reached "
                f"a dead position of {', '.join(map(repr, joints))}"
            )
            return SingularConfiguration(text, t, joints)
    if status == codes.PROJECTION_FAILED and system.arrays.n_rows and not failed_function(system):
        return SingularConfiguration(text, t, _open_joints(system))
    error = SimulationError(text)
    error.__cause__ = _raised_by_function(system)
    return error


def check_status(system: System, status: int, t: float, moment: Moment | None = None) -> None:
    """Raise SimulationError for a failure status."""
    if status >= codes.STEP_TOO_SMALL:
        raise failure(system, status, t, moment)
