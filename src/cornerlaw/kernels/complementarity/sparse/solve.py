"""Large problems of a step: last impulses, Newton, rounded laws, compliant and convex contacts."""

import math

from cornerlaw.arrays.problem import NOT_SOLVED, SOLVED
from cornerlaw.arrays.solver_scratch import ACCEPTED, TOLERANCE, V_REF
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.complementarity.sparse.convex import start_rounds, take_round
from cornerlaw.kernels.complementarity.sparse.newton import iterate_newton, write_masses
from cornerlaw.kernels.complementarity.sparse.order import order_velocities
from cornerlaw.kernels.complementarity.sparse.path import follow_path, has_coulomb_only
from cornerlaw.kernels.complementarity.sparse.proximal import (
    ENOUGH,
    SOFTEST,
    next_compliance,
    take_step,
)
from cornerlaw.kernels.complementarity.sparse.rows import prepare, reference_of
from cornerlaw.kernels.complementarity.sparse.settle import has_factors, settle
from cornerlaw.kernels.complementarity.sparse.sweeps import sweep_contacts
from cornerlaw.kernels.complementarity.sparse.verify import residual_sparse

PATH = 80  # steps along the path of rounded laws
NEAR = 1e-3  # map at its end from which compliant contacts go on
STEPS, FEWER = 400, 200  # problems with compliant contacts, and from the end of the path
SPARE = 8  # of them after the residual is accepted
DECIMALS = 16  # convex problems without friction, each a tenth as compliant as the one before
ROUNDS = 60
# compliance that a round adds, of the mobility of a contact: a share of the size of the map, above
# a bound that changes by decades, since what stands still at one moves at another
SHARES, STIFFEST, DECADES = (0.01, 0.03, 0.1), 1e-3, 3
PROMISING = 1e-2  # size of the map from which Newton's method may get to the solution
NEWTON_STEPS = 30
PATIENCE = 4  # rounds without progress before Newton's method has its turn all the same
SWEEPS, POLISHES = 100, 4  # of Gauss-Seidel before Newton's method, and how often
ATTEMPTS = 3  # of all that where the residual is accepted already


@kernel
def _check(m, w, least, best):
    """Keep p.x if it is the best point so far; return the smallest residual."""
    p, s = w.k.problem, w.k.solver
    s.residual[0] = residual_sparse(m, w, s.options[V_REF])
    if s.residual[0] < least:
        for a in range(p.n[0]):
            best[a] = p.x[a]
        return s.residual[0]
    return least


@kernel
def _polish(m, w, reference, least, best):
    """Run Newton's method from p.x, then sweeps and Newton as long as they help.

    Contacts that hardly carry make the map full of kinks near its solution; sweeps smooth them.
    Return the size of the map at p.x and the smallest residual.
    """
    p, c, s = w.k.problem, w.k.compact, w.k.solver
    tight = 0.1 * s.options[TOLERANCE]
    size = iterate_newton(m, p, c, reference, NEWTON_STEPS, tight, True)
    least = _check(m, w, least, best)
    for n in range(POLISHES):
        if least <= s.options[TOLERANCE] or size > 0.1 * PROMISING:
            break
        sweep_contacts(m, p, c, reference, SWEEPS, tight)
        # every second matrix is symmetric: its factors are good where friction stands at bounds
        found = iterate_newton(m, p, c, reference, NEWTON_STEPS, tight, n % 2 == 1)
        least = _check(m, w, least, best)
        helps = found < 0.5 * size
        size = found
        if not helps:
            break
    return size, least


@kernel
def _solve_rounds(m, w, reference, share, least, best):
    """Solve convex problems until Newton's method gets to the solution; return the residual.

    Every round adds a share of the size of the map as compliance. (T-12.27)
    """
    p, c, s, point = w.k.problem, w.k.compact, w.k.solver, w.k.z
    size, tried, attempts, idle = 1.0, PROMISING, 0, 0
    start_rounds(m, p, c)
    for n in range(ROUNDS):
        stiffest = STIFFEST * 0.1 ** (n % DECADES)
        size = take_round(m, p, c, reference, max(stiffest, share * min(size, 1.0)), size)
        s.iterations[0] += 1
        idle += 1
        if size > tried and (size > PROMISING or idle < PATIENCE):
            continue
        idle = 0
        for a in range(p.n[0]):
            point[a] = p.x[a]
        found, least = _polish(m, w, reference, least, best)
        attempts += 1
        enough = attempts >= ATTEMPTS and least <= s.options[ACCEPTED]
        if least <= s.options[TOLERANCE] or enough:
            break
        if found < size:
            size = found
            start_rounds(m, p, c)
        else:
            for a in range(p.n[0]):
                p.x[a] = point[a]
        tried = 0.3 * size
    return least


@kernel
def _has_loads(p):
    """Tell whether some set follows the load of another one."""
    for k in range(p.n_sets[0]):
        if p.master[k] >= 0:
            return True
    return False


@kernel
def _solve_stiffer(m, w, reference, least, best):
    """Solve problems without loads, each stiffer than the one before; return the residual.

    They are convex: every round gets to its minimum. (T-12.27)
    """
    p, c, s = w.k.problem, w.k.compact, w.k.solver
    size, eta = 1.0, 1e-2
    start_rounds(m, p, c)
    for n in range(DECIMALS):
        size = take_round(m, p, c, reference, eta, size)
        s.iterations[0] += 1
        if size <= s.options[ACCEPTED]:
            least = _check(m, w, least, best)
        if least <= s.options[TOLERANCE]:
            break
        eta = max(0.1 * eta, 1e-9)
    # without the rest of the compliance
    for a in range(p.n[0]):
        p.x[a] = best[a]
    iterate_newton(m, p, c, reference, NEWTON_STEPS, 0.1 * s.options[TOLERANCE], True)
    return _check(m, w, least, best)


@kernel
def _solve_compliant(m, w, reference, first, eta, limit, least, best):
    """Solve problems with compliant contacts until one is that of rigid ones; return the residual.

    They begin at p.x with the compliance `eta`, `first` being the size of the map there. (T-12.32)
    """
    p, c, s = w.k.problem, w.k.compact, w.k.solver
    size, ahead, spare, smallest = first, 0.0, SPARE, math.inf
    start_rounds(m, p, c)
    for n in range(limit):
        found = take_step(m, p, c, reference, eta, ahead, size, w.k.z)
        s.iterations[0] += 1
        if found < smallest:
            smallest = found
            least = _check(m, w, least, best)
        eta, ahead = next_compliance(eta, ahead, found, size)
        if found < math.inf:
            size = found
        if least <= s.options[ACCEPTED]:
            spare -= 1
        if least <= s.options[TOLERANCE] or spare == 0:
            break
    return least


@kernel
def _solve_with_loads(m, w, reference, guess, least, best):
    """Solve a problem with friction by rounded laws and compliant contacts; return the residual.

    What is accepted already gets some more rounds from where it is. The end of the path is close to
    a solution or far off; from the first guess compliant contacts find others. (T-12.32) (T-12.34)
    """
    p, c, s = w.k.problem, w.k.compact, w.k.solver
    if least <= s.options[ACCEPTED]:
        for a in range(p.n[0]):
            p.x[a] = best[a]
        return _solve_compliant(m, w, reference, least, ENOUGH, STEPS, least, best)
    if has_coulomb_only(p):
        size = follow_path(m, p, c, reference, PATH)
        least = _check(m, w, least, best)
        if size < NEAR and least > s.options[TOLERANCE]:
            least = _solve_compliant(m, w, reference, size, ENOUGH, FEWER, least, best)
    if least > s.options[ACCEPTED]:
        for a in range(p.n[0]):
            p.x[a] = guess[a]
        least = _solve_compliant(m, w, reference, 1.0, SOFTEST, STEPS, least, best)
    return least


@kernel
def solve_sparse(m, w):
    """Solve the compact problem from the first guess p.x; return SOLVED or NOT_SOLVED.

    The best point counts as solved when it is accepted, as in `solve_auto`. Writes p.x, p.gamma,
    s.residual, and in s.iterations 0, or one more than the number of compliant and
    convex problems. (T-12.26)
    """
    p, c, s = w.k.problem, w.k.compact, w.k.solver
    s.iterations[0] = 0
    tight, best = 0.1 * s.options[TOLERANCE], w.k.y
    known = has_factors(w)
    reference = reference_of(p, s.options[V_REF])
    if not known:
        prepare(m, p, c)
    if not reference < math.inf:
        return NOT_SOLVED
    if settle(m, w, reference, 1e-2 * tight):
        s.residual[0] = residual_sparse(m, w, s.options[V_REF])
        if s.residual[0] <= s.options[TOLERANCE]:
            return SOLVED
    c.n_kept[0] = 0  # Newton's method needs the room of the factors
    if known:
        prepare(m, p, c)
    order_velocities(m, p, c)
    write_masses(m, c)
    s.iterations[0] = 1
    guess = w.k.x
    for a in range(p.n[0]):
        guess[a] = p.x[a]
    least = _check(m, w, math.inf, best)
    iterate_newton(m, p, c, reference, 8, tight, True)
    least = _check(m, w, least, best)
    if least > s.options[TOLERANCE]:
        for a in range(p.n[0]):
            p.x[a] = guess[a]
        if _has_loads(p):
            least = _solve_with_loads(m, w, reference, guess, least, best)
        else:
            least = _solve_stiffer(m, w, reference, least, best)
    if least > s.options[TOLERANCE]:
        for a in range(p.n[0]):
            p.x[a] = best[a]
        _, least = _polish(m, w, reference, least, best)
    for share in SHARES:
        # what is accepted and did not get further by now would not get further here
        if least <= s.options[ACCEPTED]:
            break
        for a in range(p.n[0]):
            p.x[a] = guess[a]
        least = _solve_rounds(m, w, reference, share, least, best)
    for a in range(p.n[0]):
        p.x[a] = best[a]
    s.residual[0] = residual_sparse(m, w, s.options[V_REF])
    return SOLVED if s.residual[0] <= s.options[ACCEPTED] else NOT_SOLVED
