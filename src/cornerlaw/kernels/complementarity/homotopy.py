"""The path of solutions from a problem with one answer to the problem itself, by its arc length.

Along the path t may rise again where two solutions meet: strong friction folds it. An Euler step
along the tangent and Newton steps across it follow folds as Lemke's method follows them in the
plane, where every method that only lowers a parameter gets stuck. [AllgowerGeorg1990]
"""

import math

from cornerlaw.arrays.problem import NOT_SOLVED, SOLVED
from cornerlaw.arrays.solver_scratch import (
    MAX_PATHS,
    PATH_METRIC,
    PATH_OLD_TANGENT,
    PATH_POINT,
    PATH_TANGENT,
    PATH_TAU,
    PATH_TRIAL,
    TOLERANCE,
    V_REF,
)
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.complementarity.dense import factor_guarded, solve_factored
from cornerlaw.kernels.complementarity.newton import iterate_newton
from cornerlaw.kernels.complementarity.prox import prepare
from cornerlaw.kernels.complementarity.smoothing import assemble_smoothed, eval_smoothed
from cornerlaw.kernels.complementarity.verify import residual

PATHS = 6  # that differ in rounding, push and accuracy
FACTORISATIONS = 800  # that a path is worth

_GOLDEN = 0.6180339887498949
_LARGEST_TAU = 1e4  # of a light contact over that of the heaviest one
_LONGEST = 2.0  # step, in units of which -log t is one coordinate
_TURN = 0.7  # smallest cosine between tangents of two points
_TARGET = 0.1  # first correction that a step aims at
_NEAR = 0.05  # corrections that are never too long
_CORRECTIONS = 6
_CONTRACTION = 0.4
_CUTS = 15
_PROMISING = 1e-4  # map at which Newton is given more steps
_END = 27.0  # -log t where rounding of the laws is below that of numbers


@kernel
def _start(p, s, reference, attempt):
    """Write tau of all rows and the first point at t = 1; return the push.

    tau^2 = x gamma is the same energy for all contacts, as on the central path of the whole
    problem. Further attempts take other shapes of the path: contacts that are copies of each other
    make it branch, which different tau for every contact prevent.
    """
    n = p.n[0]
    least = math.inf
    for i in range(n):
        least = min(least, s.scale[i])
    size = 0.1 * reference if attempt == 3 else reference
    for i in range(n):
        ratio = min(math.sqrt(s.scale[i] / least), _LARGEST_TAU)
        if attempt == 4:
            ratio = 1.0
        elif attempt > 0:
            contact = s.owner[s.set_of[i]]
            ratio *= 0.3 + 1.7 * ((contact + 1) * attempt * _GOLDEN % 1.0)
        s.path[PATH_TAU, i] = size * ratio
    for i in range(n):
        s.path[PATH_POINT, i] = 0.0
    for k in range(p.n_sets[0]):
        if p.lower_0[k] == 0.0 and p.upper_0[k] == math.inf:
            for i in range(p.start[k], p.start[k] + p.size[k]):
                s.path[PATH_POINT, i] = s.path[PATH_TAU, i]
    if attempt == 1:
        return 0.03 * reference
    return reference if attempt == 4 else 0.1 * reference


@kernel
def _find_start(p, s, push):
    """Move the point onto the path at t = 1, where it is unique; return whether it was found."""
    n = p.n[0]
    X, trial = s.path[PATH_POINT], s.path[PATH_TRIAL]
    merit = eval_smoothed(p, s, X, 1.0, push, s.F)
    for iteration in range(50):
        if merit < 1e-12:
            return True
        assemble_smoothed(p, s, X, 1.0, push, s.A)
        for i in range(n):
            s.step[i] = -s.F[i]
        factor_guarded(s.A, n, s.pivot, s.row_end, 1e-14)
        solve_factored(s.A, n, s.pivot, s.row_end, s.step)
        fraction = 1.0
        value = math.inf
        for halving in range(20):
            for i in range(n):
                trial[i] = X[i] + fraction * s.step[i]
            value = eval_smoothed(p, s, trial, 1.0, push, s.F)
            if value <= (1.0 - 1e-4 * fraction) * merit:
                break
            fraction *= 0.5
        if not value < merit:
            return False
        merit = value
        for i in range(n):
            X[i] = trial[i]
    return False


@kernel
def _write_metric(p, s, X):
    """Write the weights of the squared arc length: X counts relative to tau and to itself."""
    n = p.n[0]
    metric = s.path[PATH_METRIC]
    for i in range(n):
        metric[i] = 0.0
    for i in range(n):
        first = p.start[s.owner[s.set_of[i]]]
        metric[first] = max(metric[first], abs(X[i]))
    for i in range(n - 1, -1, -1):
        first = p.start[s.owner[s.set_of[i]]]
        metric[i] = metric[first]
    for i in range(n):
        metric[i] = 1.0 / (n * (s.path[PATH_TAU, i] + metric[i]) ** 2)
    metric[n] = 1.0


@kernel
def _length(s, v, n):
    total = 0.0
    for i in range(n + 1):
        total += s.path[PATH_METRIC, i] * v[i] * v[i]
    return math.sqrt(total)


@kernel
def _factor_bordered(p, s, X, t, push, direction):
    """Factor the Jacobian bordered by a direction; return the sign of its determinant.

    s.step is solved for by the caller. The sign is the same all along a path, so that a jump to
    another one is noticed.
    """
    n = p.n[0]
    assemble_smoothed(p, s, X, t, push, s.A)
    for i in range(n + 1):
        s.A[n, i] = s.path[PATH_METRIC, i] * direction[i]
    factor_guarded(s.A, n + 1, s.pivot, s.row_end, 1e-16)
    sign = 1
    for i in range(n + 1):
        if (s.A[i, i] < 0.0) != (s.pivot[i] != i):
            sign = -sign
    return sign


@kernel
def _turn(p, s, X, t, push, out):
    """Write the unit tangent at X, continuing the old one; return orientation and cosine."""
    n = p.n[0]
    old = s.path[PATH_TANGENT]
    _write_metric(p, s, X)
    sign = _factor_bordered(p, s, X, t, push, old)
    for i in range(n):
        s.step[i] = 0.0
    s.step[n] = 1.0
    solve_factored(s.A, n + 1, s.pivot, s.row_end, s.step)
    length, before = _length(s, s.step, n), _length(s, old, n)
    cosine = 0.0
    for i in range(n + 1):
        out[i] = s.step[i] / length
        cosine += s.path[PATH_METRIC, i] * out[i] * old[i]
    return sign, cosine / before


@kernel
def _correct(p, s, push, ds, tolerance):
    """Move the trial point across the tangent onto the path.

    Returns whether it got there, the length of the first correction and the work done.
    """
    n = p.n[0]
    trial, tangent = s.path[PATH_TRIAL], s.path[PATH_TANGENT]
    before, first = math.inf, 0.0
    for iteration in range(_CORRECTIONS):
        t = math.exp(-trial[n])
        size = math.sqrt(eval_smoothed(p, s, trial, t, push, s.F))
        if size < 1e-2 * tolerance or (size < tolerance and iteration > 0):
            return True, first, iteration
        if not size <= _CONTRACTION * before:
            return False, first, iteration
        before = size
        _factor_bordered(p, s, trial, t, push, tangent)
        for i in range(n):
            s.step[i] = -s.F[i]
        s.step[n] = 0.0
        solve_factored(s.A, n + 1, s.pivot, s.row_end, s.step)
        length = _length(s, s.step, n)
        if iteration == 0:
            first = length
        if not length <= max(0.5 * ds, _NEAR):
            return False, first, iteration + 1
        for i in range(n + 1):
            trial[i] += s.step[i]
    return False, first, _CORRECTIONS


@kernel
def _predict(p, s, ds, old_ds):
    """Write the trial point: along the tangent, bent as between the last two points."""
    n = p.n[0]
    bend = 0.5 * ds * ds / old_ds if old_ds > 0.0 else 0.0
    for i in range(n + 1):
        tangent = s.path[PATH_TANGENT, i]
        change = bend * (tangent - s.path[PATH_OLD_TANGENT, i])
        s.path[PATH_TRIAL, i] = s.path[PATH_POINT, i] + ds * tangent + change


@kernel
def _polish(p, s, reference):
    """Run Newton on the sharp laws from the point of the path; return the residual."""
    for i in range(p.n[0]):
        p.x[i] = s.path[PATH_POINT, i] / s.scale[i]
    tight = 0.1 * s.options[TOLERANCE]
    # near a solution with corners that hardly carry, Newton needs patience
    if iterate_newton(p, s, reference, 20, tight) < _PROMISING:
        iterate_newton(p, s, reference, 60, tight)
    return residual(p, s.options[V_REF])


@kernel
def follow_homotopy(p, s, reference, attempt, limit):
    """Follow one path until Newton from it solves the problem; return the best residual.

    `limit` bounds the number of factorisations. Writes p.x (the best point met), p.gamma and
    s.iterations. s.scale must be ready. (T-12.17)
    """
    n = p.n[0]
    push = _start(p, s, reference, attempt)
    tolerance = 1e-3 if attempt == 3 or attempt == 4 else 1e-4
    best = math.inf
    done = 0
    found = _find_start(p, s, push)
    point, trial, tangent = s.path[PATH_POINT], s.path[PATH_TRIAL], s.path[PATH_TANGENT]
    point[n] = 0.0
    for i in range(n):
        tangent[i] = 0.0
        s.x_old[i] = point[i] / s.scale[i]
    tangent[n] = 1.0
    # p.gamma at the start belongs to the last trial, which is the point
    sign, cosine = _turn(p, s, point, 1.0, push, s.y)
    for i in range(n + 1):
        tangent[i] = s.y[i]
    ds, old_ds, next_polish = 0.2, 0.0, 2.3
    while found and done < limit and best > s.options[TOLERANCE]:
        arrived = False
        first = 0.0
        work = 0
        for cut in range(_CUTS):
            _predict(p, s, ds, old_ds)
            arrived, first, work = _correct(p, s, push, ds, tolerance)
            done += work
            if arrived:
                orientation, cosine = _turn(p, s, trial, math.exp(-trial[n]), push, s.y)
                done += 1
                arrived = orientation == sign and cosine >= _TURN
            if arrived:
                break
            ds *= 0.4
        if not arrived or trial[n] < -0.01:
            break
        for i in range(n + 1):
            s.path[PATH_OLD_TANGENT, i] = tangent[i]
            tangent[i] = s.y[i]
            point[i] = trial[i]
        old_ds = ds
        grow = (_TARGET / max(first, 1e-9)) ** (1.0 / 3.0)
        ds = min(_LONGEST, ds * min(2.5, max(0.4, grow)))
        if work >= 4:
            ds *= 0.7
        if point[n] > next_polish:
            next_polish = point[n] + 1.0
            value = _polish(p, s, reference)
            if value < best:
                best = value
                for i in range(n):
                    s.x_old[i] = p.x[i]
            if point[n] > _END:
                break
    for i in range(n):
        p.x[i] = s.x_old[i]
    s.iterations[0] = done
    return residual(p, s.options[V_REF])


@kernel
def solve_homotopy(p, s):
    """Solve by following paths; return SOLVED or NOT_SOLVED.

    Writes p.x (the best point met), p.gamma, s.residual and in s.iterations the factorisations.
    (T-12.17)
    """
    n = p.n[0]
    s.residual[0] = math.inf
    s.iterations[0] = 0
    reference = prepare(p, s)
    if not reference < math.inf:
        return NOT_SOLVED
    done = 0
    for attempt in range(min(PATHS, int(s.options[MAX_PATHS]))):
        value = follow_homotopy(p, s, reference, attempt, FACTORISATIONS)
        done += s.iterations[0]
        if value < s.residual[0]:
            s.residual[0] = value
            for i in range(n):
                s.x_start[i] = p.x[i]
        if value <= s.options[TOLERANCE]:
            break
    for i in range(n):
        p.x[i] = s.x_start[i]
    s.residual[0] = residual(p, s.options[V_REF])
    s.iterations[0] = done
    return SOLVED if s.residual[0] <= s.options[TOLERANCE] else NOT_SOLVED
