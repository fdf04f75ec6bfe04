"""equilibrium(): a position at which nothing accelerates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cornerlaw.arrays import kinds
from cornerlaw.arrays.state import Floats
from cornerlaw.errors import SimulationError
from cornerlaw.model import Model, UserSet
from cornerlaw.model.arguments import clear_call
from cornerlaw.results import FinalState, Solution
from cornerlaw.simulate.arguments import as_time
from cornerlaw.simulate.redundancy import warn_redundancy
from cornerlaw.simulate.states import Placed, coordinate_label, place, solution_of
from cornerlaw.simulate.system import System
from cornerlaw.simulate.tangent import Tangent
from cornerlaw.simulate.terms import Terms, coordinate_scales, eval_terms

TOLERANCE = 1e-10  # unbalanced force over the largest force at work
ITERATIONS = 50
ATTEMPTS = 12  # starts from disturbed positions before giving up
STEP = 1e-6  # of central differences


class Equilibrium(Solution):
    """A Solution of one row at rest, with the unbalanced force and its stability."""

    residual: float = 0.0  # largest unbalanced force over the largest force at work
    eigenvalues: Any = np.zeros(0, complex)

    @property
    def stable(self) -> bool:
        """Tell whether no small motion grows, up to rounding."""
        scale = float(np.abs(self.eigenvalues).max(initial=0.0))
        return bool(self.eigenvalues.real.max(initial=0.0) <= 1e-6 * max(scale, 1e-300))

    def __repr__(self) -> str:
        verdict = "stable" if self.stable else "unstable"
        return f"<Equilibrium of {self.info.model!r}: {verdict}, residual {self.residual:.2g}>"

    def __str__(self) -> str:
        verdict = "stable" if self.stable else "unstable"
        lines = [f'Equilibrium of "{self.info.model}": {verdict}, residual {self.residual:.2g}']
        for channel in self.channels:
            if channel.name.rpartition(".")[2] in ("angle", "displacement", "position"):
                value = np.array2string(self.array(channel.name)[0], precision=6)
                lines.append(f"  {channel.name:<24} {value} {channel.unit}")
        return "\n".join(lines)


@clear_call
def equilibrium(
    model: Model,
    guess: FinalState | Solution | Mapping[str, float] | None = None,
    t: float = 0.0,
) -> Equilibrium:
    """Find a position at rest: forces and constraint forces balance, loops stay closed.

    guess   where to look: values by name ("arm.angle": 0.3), a state or a Solution; the initial
            values of the model unless given
    t       the time at which forces and drives are taken; drives hold their position of that time

    Solves h(q, 0, x) + W^T lam = 0, g(q) = 0, x_dot = 0 by damped Gauss-Newton steps. The result
    has positions, joint forces and all other channels by name, `residual`, `stable`, `eigenvalues`.
    A position that is found may be unstable: give another guess to find another one.
    """
    moment = as_time("t", t, "equilibrium")
    placed = place(model, guess, moment if guess is None or isinstance(guess, Mapping) else None)
    warn_redundancy(placed.system, placed.t, placed.q)
    placed.t = moment
    hold_drives(placed.system, placed.t)
    placed.u[:] = 0.0
    problem = _Balance(placed)
    q, x, residual, steps = problem.solve()
    placed.q, placed.x = q, x
    placed.u = np.zeros(placed.u.size)
    placed.system.work.f_ext[:] = 0.0
    result: Equilibrium = solution_of(
        placed,
        np.array([placed.t]),
        q[None].copy(),
        placed.u[None].copy(),
        x[None].copy(),
        "equilibrium",
        message=f"residual {residual:.2g}",
        statistics={"iterations": steps},
        kind=Equilibrium,
    )
    result.residual = residual
    tangent = Tangent(placed)
    A = tangent.first_order()
    result.eigenvalues = np.linalg.eigvals(A).astype(complex) if A.size else np.zeros(0, complex)
    return result


def hold_drives(system: System, t: float) -> None:
    """Replace all prescribed motions by their values at time t, so that everything can rest."""
    from cornerlaw.kernels.bundle import Bundle
    from cornerlaw.kernels.signals import eval_motion

    a = system.arrays
    signals = {int(k) for k in a.tree.driven if k >= 0}
    for k, kind in zip(a.rows.signal, a.rows.kind, strict=True):
        if k >= 0:
            signals.update(range(int(k), int(k) + (3 if kind == kinds.ROW_ROTATION else 1)))
    table, out, values = Bundle(a.signals), np.zeros(3), {}
    for k in sorted(signals):
        eval_motion(table, k, np.array([float(t)]), out)
        values[k] = float(out[0])
    if values:
        _set_constants(system, values)


def _set_constants(system: System, values: Mapping[int, float]) -> None:
    """Turn signals into constants."""
    s = system.arrays.signals
    kind, start, data = s.kind.copy(), s.start.copy(), list(s.data)
    for k, value in values.items():
        kind[k], start[k] = kinds.CONSTANT, len(data)
        data.append(value)
    system.rebind(signals=s._replace(kind=kind, start=start, data=np.array(data)))


class _Balance:
    """Unbalanced forces, open rows and rates of x as functions of position, x and row forces."""

    def __init__(self, placed: Placed) -> None:
        self.placed, self.system = placed, placed.system
        a = self.system.arrays
        self.free = np.flatnonzero(a.tree.driven < 0)
        self.holonomic = a.rows.holonomic[: a.n_rows] == 1
        self.scale = coordinate_scales(self.system)[self.free]
        self.row_scale = a.row_scale[: a.n_rows][self.holonomic]

    def terms(self, q: Floats, x: Floats) -> Terms:
        """Return the terms at rest."""
        zero = np.zeros(self.system.arrays.nu)
        return eval_terms(self.system, self.placed.t, q.copy(), zero, x, held=True)

    def moved(self, q: Floats, delta: Floats) -> Floats:
        """Return q (+) delta on the free coordinates."""
        from cornerlaw.kernels.kinematics import advance_position

        full, out = np.zeros(self.system.arrays.nu), q.copy()
        full[self.free] = delta
        advance_position(self.system.m, q, full, out)
        return out

    def row_forces(self, terms: Terms) -> Floats:
        """Return the row forces that leave the smallest unbalanced force, the smallest of them."""
        if not terms.W.size:
            return np.zeros(terms.W.shape[0])
        W = terms.W[:, self.free] * self.scale
        return np.asarray(np.linalg.lstsq(W.T, -terms.h[self.free] * self.scale, rcond=1e-12)[0])

    def residual(self, terms: Terms, lam: Floats, size: float) -> Floats:
        """Return forces times a unit motion over the largest such work, rows over their size."""
        force = (terms.h + terms.W.T @ lam)[self.free] * self.scale / size
        return np.concatenate([force, terms.g[self.holonomic] / self.row_scale, terms.x_dot])

    def work_scale(self, terms: Terms, lam: Floats) -> float:
        """Return the largest work of a force, weight or constraint force along a unit motion."""
        a = self.system.arrays
        largest = float(self.scale.max(initial=1.0))
        weight = float(a.tree.mass.sum() * np.linalg.norm(a.gravity)) * largest
        pulls = np.abs(terms.W.T * lam)[self.free] * self.scale[:, None]
        forces = np.abs(terms.h[self.free]) * self.scale
        pushed = np.abs(self.system.work.Q[self.free]) * self.scale
        sizes = [values.max(initial=0.0) for values in (pulls, forces, pushed)]
        return float(max(weight, *sizes, 1e-12))

    def solve(self) -> tuple[Floats, Floats, float, int]:
        """Return position, other states, residual and iterations; failed starts are disturbed."""
        random = np.random.default_rng(0)
        best, steps = np.inf, 0
        q0, x0 = self.placed.q, self.placed.x
        nearest = (q0, x0)
        for attempt in range(ATTEMPTS):
            start = q0
            if attempt:
                size = 0.05 * 1.5**attempt
                start = self.moved(q0, self.scale * random.normal(0.0, size, self.free.size))
            q, x, residual, n = self._newton(start, x0.copy())
            steps += n
            if residual <= TOLERANCE:
                return q, x, residual, steps
            if residual < best:
                best, nearest = residual, (q, x)
            if not attempt:  # further starts do not help where a constraint is not seen
                self._refuse_sets(q, x, constraints=True)
            if not self.free.size:
                break
        # only now: within a play no start so far may have met the force that balances
        self._refuse_sets(*nearest)
        raise SimulationError(
            f"no equilibrium was found: {self._culprit(*nearest)} stays unbalanced by {best:.3g} "
            f"of the forces at work (limit {TOLERANCE:g}); give a guess nearer to it, or check "
            f"that springs or supports can hold the model"
        )

    def _refuse_sets(self, q: Floats, x: Floats, constraints: bool = False) -> None:
        """Stop where only a corner law, which is not seen, could carry the largest lone force.

        With `constraints` only laws of sets that stand for constraints are meant.
        """
        terms = self.terms(q, x)
        lam = self.row_forces(terms)
        size = self.work_scale(terms, lam)
        r = np.abs(self.residual(terms, lam, size))[: self.free.size]
        k = int(r.argmax()) if r.size else 0
        if not r.size or r[k] <= TOLERANCE:
            return
        by_u = self._corner_of(int(self.free[k]), constraints)
        if by_u and not np.any(self._jacobian(q, x, lam, size)[k, : self.free.size + x.size]):
            c = self.system.compiled.numbering.coordinates[int(self.free[k])]
            raise SimulationError(
                f"no equilibrium was found: no position balances the force on "
                f"'{coordinate_label(c)}', and the corner law '{by_u}' that acts on it is not seen "
                f"here; make it a constraint, or let a run come to rest (Theta with theta=1)"
            )

    def _corner_of(self, u: int, constraints: bool) -> str:
        """Return the name of a corner with a row on a velocity, empty if there is none."""
        rigid = {
            p.name for p in self.system.model.corners if isinstance(p, UserSet) and p.constraint
        }
        for corner in self.system.compiled.corners:
            if constraints and corner.part not in rigid:
                continue
            for row in (corner.normal, corner.tangent):
                if row is not None and row.kind == kinds.ROW_LINEAR and u in row.items:
                    return corner.label
        return ""

    def _culprit(self, q: Floats, x: Floats) -> str:
        terms = self.terms(q, x)
        lam = self.row_forces(terms)
        r = np.abs(self.residual(terms, lam, self.work_scale(terms, lam)))
        k = int(r.argmax()) if r.size else 0
        if k < self.free.size:
            c = self.system.compiled.numbering.coordinates[int(self.free[k])]
            return f"'{coordinate_label(c)}'"
        k -= self.free.size
        rows = np.flatnonzero(self.holonomic)
        if k < rows.size:
            return f"constraint '{self.system.row_name(int(rows[k]))}'"
        part, name = self.system.compiled.x_names[k - rows.size]
        return f"'{part}.{name}'"

    def _newton(self, q: Floats, x: Floats) -> tuple[Floats, Floats, float, int]:
        """Levenberg-Marquardt on (delta, x, lam) from a start."""
        terms = self.terms(q, x)
        lam = self.row_forces(terms)
        size = self.work_scale(terms, lam)
        r = self.residual(terms, lam, size)
        damping = 1e-4
        steps = 0
        while steps < ITERATIONS and np.abs(r).max(initial=0.0) > 1e-2 * TOLERANCE:
            steps += 1
            J = self._jacobian(q, x, lam, size)
            improved = False
            factors = np.linalg.svd(J, full_matrices=False)
            for _ in range(10):
                step = _damped(factors, r, damping)
                q_new, x_new = self._apply(q, x, step)
                terms = self.terms(q_new, x_new)
                lam_new = self.row_forces(terms)
                r_new = self.residual(terms, lam_new, size)
                if float(r_new @ r_new) < float(r @ r):
                    improved = True
                    damping = max(0.1 * damping, 1e-15)
                    break
                damping = min(max(damping, 1e-10) * 10.0, 1e4)
            if not improved:
                break
            q, x, lam = q_new, x_new, lam_new
            size = self.work_scale(terms, lam)
            r = self.residual(terms, lam, size)
        return q, x, float(np.abs(r).max(initial=0.0)), steps

    def _apply(self, q: Floats, x: Floats, step: Floats) -> tuple[Floats, Floats]:
        """Take a step and return to the rows, so that the loops stay in their form."""
        from cornerlaw.kernels.rates import project_position

        n, nx = self.free.size, x.size
        largest = float(np.abs(step[:n]).max(initial=0.0))
        # at most a fifth of a radian, or of the model's size, in one step
        step = step * min(1.0, 0.2 / largest) if largest > 0.0 else step
        moved = self.moved(q, step[:n] * self.scale)
        projected = moved.copy()
        self.system.see_states(x)
        failed = project_position(self.system.m, self.system.w, self.placed.t, projected)
        return (moved if failed else projected), x + step[n : n + nx]

    def _jacobian(self, q: Floats, x: Floats, lam: Floats, size: float) -> Floats:
        """Central differences in scaled coordinates; columns of the row forces are exact."""
        n, nx = self.free.size, x.size
        base = self.terms(q, x)
        J = np.zeros((n + int(self.holonomic.sum()) + nx, n + nx + lam.size))
        for k in range(n):
            delta = np.zeros(n)
            delta[k] = STEP
            plus = self.residual(self.terms(self.moved(q, delta * self.scale), x), lam, size)
            minus = self.residual(self.terms(self.moved(q, -delta * self.scale), x), lam, size)
            J[:, k] = (plus - minus) / (2.0 * STEP)
        for k in self.system.compiled.moving_states:  # discrete states stay as they are
            change = np.zeros(nx)
            change[k] = STEP * max(1.0, abs(x[k]))
            plus = self.residual(self.terms(q, x + change), lam, size)
            minus = self.residual(self.terms(q, x - change), lam, size)
            J[:, n + k] = (plus - minus) / (2.0 * change[k])
        J[:n, n + nx :] = base.W[:, self.free].T * self.scale[:, None]
        return J


def _damped(factors: Any, r: Floats, damping: float) -> Floats:
    """Return the smallest step among those that reduce the residual most, damped."""
    U, s, Vt = factors
    if not s.size or s[0] == 0.0:
        return np.zeros(Vt.shape[1])
    keep = s / (s * s + (damping * s[0] ** 2 * 1e-2) + 1e-26 * s[0] ** 2)
    return np.asarray(-(Vt.T * keep) @ (U.T @ r))
