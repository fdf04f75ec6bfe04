"""Which corners with constant rows take part in a step; the rules are those of stepping/step.py."""

from cornerlaw.arrays.constant_rows import HAS_GAP, ON_POSITION
from cornerlaw.arrays.corner_work import OPEN
from cornerlaw.kernels._inlined import inlined
from cornerlaw.kernels.lagrangian.fours import least
from cornerlaw.kernels.lagrangian.products import row_times, row_times_and_size, write_gaps
from cornerlaw.kernels.stepping.options import ACTIVATION, POSITION_LEVEL, STABILISE
from cornerlaw.kernels.stepping.step import NOISE, closes_plastically


@inlined
def _reaches(r, i, gap, dt):
    """Tell whether an open contact takes part: in a scheme on position level, or kept closed.

    (T-14.5)
    """
    fixed, limit = r.s.fixed, r.options[ACTIVATION]
    rate = row_times(fixed, i, fixed.u)
    if r.options[POSITION_LEVEL] == 1.0:
        reach = gap + dt * min(0.0, rate)
        return reach <= abs(gap - reach) + limit
    # a contact that was closed stays so: its point may rotate away by a trace
    if gap <= limit + dt * abs(rate):
        return True
    return gap + dt * (rate + row_times(fixed, i, fixed.du)) <= 0.0


@inlined
def _leaves(r, i, dt):
    """Tell whether the bodies of a contact move apart for good. (T-14.17)"""
    fixed = r.s.fixed
    rate = row_times(fixed, i, fixed.u)
    if rate * dt <= r.options[ACTIVATION]:
        return False
    _, speed = row_times_and_size(fixed, i, fixed.du)
    return rate > NOISE * speed


@inlined
def select_constant(r, dt):
    """Write all gaps and mark the corners that take part; return their number and the last one."""
    k, fixed, corners = r.w.k, r.s.fixed, r.m.corners
    limit, settle = r.options[ACTIVATION], r.options[STABILISE] == 1.0
    on_position, count, last = r.options[POSITION_LEVEL] == 1.0, 0, -1
    write_gaps(fixed, corners, fixed.gap_begin, fixed.q_M)
    known = fixed.written[0] == 0 or not settle
    if known and not on_position and least(fixed.gaps) > limit:
        return 0, -1
    for c in range(fixed.kind.size):
        k.closed[c] = 0
        gap, kind = fixed.gaps[c], fixed.kind[c]
        near = gap <= limit
        if kind & HAS_GAP:
            i = corners.row_N[c]
            if on_position or (settle and not near and k.before[c] != OPEN):
                near = _reaches(r, i, gap, dt)
            free = settle and kind & ON_POSITION and not closes_plastically(r, c)
            if near and free and _leaves(r, i, dt):
                near = False
        if near:
            k.closed[c] = 1
            count += 1
            last = c
    return count, last
