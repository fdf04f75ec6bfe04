"""The law of Liu, Zhao and Brogliato: the impulses of all contacts grow in small amounts.

Every contact stores work in compression and gives back its part eps^2 in expansion; the increments
of the impulses are to each other as the forces F = K z^eta that belong to the work stored,
E = K z^(eta + 1) / (eta + 1). Written with z in place of E the law reads

    dP_i = K_i z_i^eta ds,   dz_i = -gamma_i ds (compression) or -gamma_i / eps_i^2 ds (expansion)

and has no singular start. It ends when nothing is stored and no contact approaches.
(T-13.20) to (T-13.24) [Liu2008]
"""

from cornerlaw.arrays.problem import NOT_SOLVED, SOLVED
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.impacts.condense import (
    complete_impulses,
    condense,
    list_normal_rows,
    list_normal_velocities,
)

_TOLERANCE = 1e-13
_MAX_STEPS = 400_000
_CORNER = 1e-13  # size of a velocity or of z that counts as zero where slopes have corners
_SHORTEST = 1e-14
# a contact rests that approaches slower than this and stores less than its square: collisions that
# repeat themselves at ever smaller speeds end here
_NOTHING = 1e-11
# below, a contact gives nothing back: its store is emptied at the end of compression
_PLASTIC = 1e-3


@kernel
def _velocity(imp, count, start, y, a):
    """Return gamma of listed contact a at the impulses y. (T-13.21)"""
    i = imp.row[a]
    total = start[a]
    for b in range(count):
        total += imp.H[i, imp.row[b]] * y[b]
    return total


@kernel
def _eval_slope(imp, count, start, y, slope):
    """Write dP/ds and dz/ds of all listed contacts. (T-13.22) (T-13.23)"""
    eta = imp.exponent[0]
    for a in range(count):
        i = imp.row[a]
        gamma = _velocity(imp, count, start, y, a)
        z = y[count + a]
        slope[a] = imp.shift[i] * z**eta if z > 0.0 else 0.0
        eps = imp.eps[i]
        if gamma <= 0.0:
            slope[count + a] = -gamma
        elif eps > _PLASTIC and (z > 0.0 or imp.y[count + a] > 0.0):
            slope[count + a] = -gamma / (eps * eps)
        else:
            slope[count + a] = 0.0


@kernel
def _combine(y, h, stage, weights, used, size, out):
    """Write out = y + h sum of weights times the first slopes."""
    for a in range(size):
        total = 0.0
        for k in range(used):
            total += weights[k] * stage[k, a]
        out[a] = y[a] + h * total


@kernel
def _try_step(imp, count, start, h):
    """Write y_new one step ahead and return the error in units of the tolerance.

    The pair of order 5(4) of [DormandPrince1980]; the first slope stands in stage[0], the one at
    y_new goes to stage[6].
    """
    y, k, out = imp.y, imp.stage, imp.y_new
    n = 2 * count
    _combine(y, h, k, (0.2, 0.0, 0.0, 0.0, 0.0, 0.0), 1, n, out)
    _eval_slope(imp, count, start, out, k[1])
    _combine(y, h, k, (3 / 40, 9 / 40, 0.0, 0.0, 0.0, 0.0), 2, n, out)
    _eval_slope(imp, count, start, out, k[2])
    _combine(y, h, k, (44 / 45, -56 / 15, 32 / 9, 0.0, 0.0, 0.0), 3, n, out)
    _eval_slope(imp, count, start, out, k[3])
    _combine(y, h, k, (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0.0, 0.0), 4, n, out)
    _eval_slope(imp, count, start, out, k[4])
    _combine(
        y,
        h,
        k,
        (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0.0),
        5,
        n,
        out,
    )
    _eval_slope(imp, count, start, out, k[5])
    _combine(y, h, k, (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84), 6, n, out)
    _eval_slope(imp, count, start, out, k[6])
    error = 0.0
    for a in range(n):
        e = (
            71 / 57600 * k[0, a]
            - 71 / 16695 * k[2, a]
            + 71 / 1920 * k[3, a]
            - 17253 / 339200 * k[4, a]
            + 22 / 525 * k[5, a]
            - 1 / 40 * k[6, a]
        )
        error = max(error, abs(h * e))
    return error / _TOLERANCE


@kernel
def _crossing(before, after, part):
    """Return the part of the step up to a change of sign, or the given part if that is earlier."""
    if before * after < 0.0 and min(abs(before), abs(after)) > _CORNER:
        return min(part, before / (before - after))
    return part


@kernel
def _part_to_corner(imp, count, start):
    """Return the part of the step up to the first corner of the slopes, 1 if there is none.

    A contact ends or restarts compression, or has given back what it stored.
    """
    part = 1.0
    for a in range(count):
        before = _velocity(imp, count, start, imp.y, a)
        after = _velocity(imp, count, start, imp.y_new, a)
        part = _crossing(before, after, part)
        part = _crossing(imp.y[count + a], imp.y_new[count + a], part)
    return part


@kernel
def _accept(imp, count, start):
    """Take y_new, empty stores that ran out, and tell whether the impact is over. (T-13.24)"""
    over = True
    power = imp.exponent[0] + 1.0
    for a in range(2 * count):
        imp.y[a] = imp.y_new[a]
    for a in range(count):
        i = imp.row[a]
        gamma = _velocity(imp, count, start, imp.y, a)
        z = imp.y[count + a]
        if z <= 0.0 or (gamma > -_CORNER and imp.eps[i] <= _PLASTIC):
            imp.y[count + a] = 0.0
            over = over and gamma > -_NOTHING
        elif gamma <= -_NOTHING or imp.shift[i] * imp.H[i, i] * z**power > _NOTHING * _NOTHING:
            over = False
    return over


@kernel
def _integrate(imp, count, start):
    """Let the impulses grow until the impact is over."""
    h = 1e-3
    for _ in range(_MAX_STEPS):
        _eval_slope(imp, count, start, imp.y, imp.stage[0])
        error = _try_step(imp, count, start, h)
        if error <= 1.0:
            part = _part_to_corner(imp, count, start)
            if part < 1.0 and h > _SHORTEST:
                # the secant may end early or late; it converges from both sides
                h = max(part * h, _SHORTEST)
                continue
            if _accept(imp, count, start):
                return SOLVED
        h *= min(5.0, max(0.2, 0.9 * max(error, 1e-10) ** -0.2))
    return NOT_SOLVED


@kernel
def _scale(imp, count, start):
    """Write forces per unit of z into `shift` and divide velocities by the largest; return it.

    The law knows no unit of z nor of s: velocities and the largest K H_ii are made one.
    """
    speed, largest = 0.0, 0.0
    for a in range(count):
        i = imp.row[a]
        speed = max(speed, abs(start[a]))
        largest = max(largest, imp.stiffness[i] * imp.H[i, i])
    for a in range(count):
        i = imp.row[a]
        imp.shift[i] = imp.stiffness[i] / largest
        if speed > 0.0:
            start[a] /= speed
    return speed


@kernel
def _solve_alone(imp, gamma):
    """Write Lambda = -(1 + eps) gamma / H of the only listed contact. (T-13.24)"""
    i = imp.row[0]
    imp.Lambda[i] = -(1.0 + imp.eps[i]) * min(gamma, 0.0) / imp.H[i, i]


@kernel
def solve_sequential_impact(law, p, imp, s):
    """Solve an impact with the law of Liu, Zhao and Brogliato. (T-13.20) to (T-13.24)"""
    count = list_normal_rows(p, imp)
    if count <= 0:
        return -count
    condense(p, imp)
    start = imp.stage[7]
    list_normal_velocities(p, imp, count, start)
    if count == 1 and imp.H[imp.row[0], imp.row[0]] > 0.0:
        # nothing is shared: the integral is known, and exact
        _solve_alone(imp, start[0])
        complete_impulses(p, imp)
        return SOLVED
    speed = _scale(imp, count, start)
    for a in range(2 * count):
        imp.y[a] = 0.0
        imp.y_new[a] = 0.0
    status = SOLVED
    if speed > 0.0 and not _accept(imp, count, start):
        status = _integrate(imp, count, start)
    for a in range(count):
        imp.Lambda[imp.row[a]] = speed * imp.y[a]
    complete_impulses(p, imp)
    return status
