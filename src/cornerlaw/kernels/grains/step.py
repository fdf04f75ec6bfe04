"""One time step of many balls: free motion, pairs, their laws, positions. (T-19.1)"""

import math

from cornerlaw.arrays.grains import (
    ACCELERATE,
    ACCELERATED,
    CHECK,
    CONTACTS,
    KEEP,
    LOOKED,
    MOVE,
    ORDER,
    PAIRS,
    PENETRATION,
    RESIDUAL,
    STEPS,
    SWEEP,
    SWEEPS,
    UNSOLVED,
    WORST_PENETRATION,
    WORST_RESIDUAL,
)
from cornerlaw.arrays.status import NOT_FINITE, OK, TOO_MANY_CONTACTS
from cornerlaw.arrays.status import UNSOLVED as NOT_SOLVED
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.grains.accelerate import accelerate, accelerate_together
from cornerlaw.kernels.grains.order import order_contacts
from cornerlaw.kernels.grains.pairs import find_pairs
from cornerlaw.kernels.grains.sweeps import apply_impulses, eval_residual, sweep, sweep_together
from cornerlaw.kernels.late import call

BATCH = 10  # sweeps between two looks at the residual
WATCHED = 3  # batches over which the rate is measured
FIRST = 50  # sweeps before momentum
MANY = 60  # further sweeps that are too many


@kernel
def look(w, stage):
    """Add the time since the last look at the clock to a stage, where there is a clock."""
    if w.clock[0] != 0:
        now = call(w.clock[0])
        w.spent[stage] += now - w.spent[LOOKED]
        w.spent[LOOKED] = now


@kernel
def _move_freely(m, s, w):
    """Write the velocities that gravity alone would make."""
    n, dt, g = m.radius.size, m.options[0], m.gravity
    for i in range(n):
        for a in range(3):
            w.v_free[i, a] = s.v[i, a] + dt * g[a]
            w.v_free[i, a + 3] = s.v[i, a + 3]
    for i in range(n, s.v.shape[0]):
        for a in range(6):
            w.v_free[i, a] = s.v[i, a]


@kernel
def _scale_of(m, v):
    """Return the largest velocity or what gravity makes in a step, whichever is larger."""
    fastest = 0.0
    for i in range(m.radius.size):
        fastest = max(fastest, abs(v[i, 0]), abs(v[i, 1]), abs(v[i, 2]))
    g = m.gravity
    return max(m.options[0] * math.sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), fastest)


@kernel
def _is_slow(residual, before, tolerance):
    """Tell whether sweeps at the rate of the last ones need many more to the tolerance.

    n = -log(residual / tolerance) / log(rate) with the rate of one sweep. (T-19.8)
    """
    if residual <= tolerance or before <= 0.0:
        return False
    fall = math.log(before / residual)
    return math.log(residual / tolerance) * (WATCHED * BATCH) > MANY * fall


@kernel
def _sweep(m, w, together, times):
    """Solve all contacts some times."""
    leaves = m.leaves[0]
    if together and leaves > 1:
        sweep_together(
            w.first, w.second, w.data, m.inverse_mass, w.v_free, w.node_first, w.node_last, leaves,
            times,
        )  # fmt: skip
    else:
        sweep(
            w.first, w.second, w.data, m.inverse_mass, w.v_free, w.node_first, w.node_last, leaves,
            times,
        )  # fmt: skip
    look(w, SWEEP)


@kernel
def _accelerate(m, w, count, together, times, theta):
    """Solve all contacts some times with momentum; return its weight."""
    leaves = m.leaves[0]
    if together and leaves > 1:
        theta = accelerate_together(
            w.first, w.second, w.data, m.inverse_mass, w.v_free, w.node_first, w.node_last, leaves,
            count, w.older, w.guess, w.older_v, w.partial, theta, times,
        )  # fmt: skip
    else:
        theta = accelerate(
            w.first, w.second, w.data, m.inverse_mass, w.v_free, w.node_first, w.node_last, leaves,
            count, w.older, w.guess, w.older_v, w.partial, theta, times,
        )  # fmt: skip
    w.figures[ACCELERATED] += times
    look(w, ACCELERATE)
    return theta


@kernel
def _solve(m, w, together):
    """Sweep until the residual is below the tolerance or all sweeps are used; return it.

    Where sweeps alone would take long, momentum carries them on. (T-19.9)
    """
    count, v, most = int(w.figures[CONTACTS]), w.v_free, int(m.options[1])
    apply_impulses(w.first, w.second, w.data, m.inverse_mass, v, count)
    scale = _scale_of(m, v)
    residual, used, theta = 0.0, 0, 0.0
    # the residuals of the last batches, the oldest first
    a, b, c = 0.0, 0.0, 0.0
    while count > 0 and used < most:
        times = min(BATCH, most - used)
        if theta > 0.0:
            theta = _accelerate(m, w, count, together, times, theta)
        else:
            _sweep(m, w, together, times)
        used += times
        residual = eval_residual(
            w.first, w.second, w.data, v, count, w.partial, m.leaves[0], together
        )  # fmt: skip
        residual /= scale
        look(w, CHECK)
        if residual <= m.options[2]:
            break
        if theta == 0.0 and used >= FIRST and _is_slow(residual, a, m.options[2]):
            theta = 1.0
        a, b, c = b, c, residual
    w.figures[SWEEPS] += used
    return residual


@kernel
def _keep_impulses(m, s, w):
    """Keep the impulses for the next step; note which balls were touched."""
    for i in range(m.radius.size):
        w.touched[i] = 0
    for k in range(int(w.figures[CONTACTS])):
        d = w.data[w.slot[k]]
        for a in range(4):
            s.impulse[k, a] = d[7 + a]
        if d[7] > 0.0:
            w.touched[w.owner[k]] = 1
            if s.partner[k] < m.radius.size:
                w.touched[s.partner[k]] = 1


@kernel
def _advance(m, s, w):
    """Write velocities and positions at the end of the step; tell whether all are finite.

    What flies freely follows its parabola; what is touched goes where its contacts let it.
    """
    dt, g, total = m.options[0], m.gravity, 0.0
    for i in range(m.radius.size):
        bend = 0.0 if w.touched[i] else 0.5 * dt
        for a in range(3):
            s.x[i, a] += dt * (w.v_free[i, a] - bend * g[a])
            s.v[i, a], s.v[i, a + 3] = w.v_free[i, a], w.v_free[i, a + 3]
            total += s.x[i, a] + s.v[i, a] + s.v[i, a + 3]
    for p in range(m.plane_offset.size):
        o, a = s.v[m.radius.size + p], m.plane_normal[p]
        m.plane_offset[p] += dt * (a[0] * o[0] + a[1] * o[1] + a[2] * o[2])
    s.t[0] += dt
    return math.isfinite(total)


@kernel
def advance_grains(m, s, w, together):
    """Take one step; return a status."""
    _move_freely(m, s, w)
    look(w, MOVE)
    count = find_pairs(m, s, w, together)
    look(w, PAIRS)
    if count < 0:
        return TOO_MANY_CONTACTS
    order_contacts(m, s, w, count, together)
    look(w, ORDER)
    f = w.figures
    f[RESIDUAL] = _solve(m, w, together)
    f[WORST_RESIDUAL] = max(f[WORST_RESIDUAL], f[RESIDUAL])
    f[WORST_PENETRATION] = max(f[WORST_PENETRATION], f[PENETRATION])
    solved = f[RESIDUAL] <= m.options[2]
    if not solved:
        f[UNSOLVED] += 1.0
    _keep_impulses(m, s, w)
    f[STEPS] += 1.0
    finite = _advance(m, s, w)
    look(w, KEEP)
    if not finite:
        return NOT_FINITE
    return OK if solved else NOT_SOLVED


@kernel
def run_grains(m, s, w, steps, accept, together):
    """Take some steps; return a status and the number of steps taken."""
    if w.clock[0] != 0:
        w.spent[LOOKED] = call(w.clock[0])
    for k in range(steps):
        code = advance_grains(m, s, w, together)
        if code != OK and not (accept and code == NOT_SOLVED):
            return code, k + 1
    return OK, steps
