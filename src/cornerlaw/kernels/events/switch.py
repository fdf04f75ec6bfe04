"""What happens at an event: impact if something approaches, then new states for all corners.

The states follow from the corner laws on acceleration level,

    gamma_dot = G lam + c,   -gamma_dot in N_C(lam),

over all closed corners at once: a change in one can change all others. Sliding corners enter with
the direction they slide in. (T-15.12) (T-15.13)
"""

import math

from cornerlaw.arrays.corner_work import (
    AMBIGUOUS,
    CLOSED,
    OPEN,
    PAINLEVE,
    REST,
    SLIP,
    SLIP_MINUS,
    SLIP_PLUS,
    STICK,
    WORST_RESIDUAL,
)
from cornerlaw.arrays.corners import LOAD_NORMAL
from cornerlaw.arrays.problem import SOLVED
from cornerlaw.arrays.status import OK, UNSOLVED
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.rims import stands_on_rim
from cornerlaw.kernels.corners.bounds import eval_friction, set_bounds
from cornerlaw.kernels.corners.compliance import eval_normal_force, is_compliant, is_rigid
from cornerlaw.kernels.corners.constrain import given_friction
from cornerlaw.kernels.corners.held import is_sliding
from cornerlaw.kernels.corners.loads import LOAD_ITERATIONS, note_unsettled, update_loads
from cornerlaw.kernels.corners.log import log_change, log_event
from cornerlaw.kernels.corners.problem import (
    apply_multipliers,
    dot_row,
    factor_bilateral,
    invert_row,
    release_bilateral,
    slide_factor,
)
from cornerlaw.kernels.corners.rows import eval_gap
from cornerlaw.kernels.corners.slip import (
    begin_direction,
    keep_direction,
    noise_of,
    set_slip,
    sliding_speed,
)
from cornerlaw.kernels.events.detect import SLACK, force_scale
from cornerlaw.kernels.events.indicators import LOST
from cornerlaw.kernels.events.jump import apply_impact, eval_closed_rows
from cornerlaw.kernels.events.options import GAP_TOL, V_TOL, ZENO
from cornerlaw.kernels.integrators.control import eval_packed
from cornerlaw.kernels.kinematics import eval_frame_accelerations
from cornerlaw.kernels.late import call
from cornerlaw.kernels.rates import eval_state, project_position, project_velocity, see_states

ROUNDS = 6  # impacts without collision at one time
SHOCKS = 30  # impacts at one time that drive contacts together which were about to part
ROUNDING = 1e-12  # of a friction force against its bounds
LITTLE = 1e-9  # of the way to forces that are shared evenly: none at all
FAR = 1e6  # times that way: without an end
STOPPED = 1e-6  # of the speed at the start of the step that counts as a stop


@kernel
def _touches(r, c, t, q, u):
    """Tell whether the gap of an open corner is closed, on the side it can be touched from."""
    gap = eval_gap(r.m, r.w, c, t, q, u)
    return gap <= r.options[GAP_TOL] and r.w.k.behind[c] == 0


@kernel
def _is_off(m, w, c):
    """Tell whether a state of its element has switched off a corner without a gap."""
    j = m.corners.row_T[c]
    at = m.rows.active[j] if j >= 0 else -1
    return at >= 0 and not w.x_seen[at] > 0.0


@kernel
def _mark_closed(r, t, q, u):
    """Mark all corners that touch: they are not open, or their gap is closed."""
    m, w, k, corners = r.m, r.w, r.w.k, r.m.corners
    call(m.stages.kinematics, m, w, q, u)
    if m.stages.aim != 0:
        call(m.stages.aim, m, w)
    w.n_entries[0] = 0
    for c in range(k.closed.size):
        k.hit[c] = 0
        k.rest_speed[c] = 0.0
        if corners.leader[c] >= 0:
            k.closed[c] = k.closed[corners.leader[c]]
        elif k.fired[c] == LOST:
            # in sight by a rounding still, but not for another step
            k.closed[c] = 0
            k.behind[c] = 1
        elif corners.always[c] == 1:
            # a freewheel that overruns takes part when its speed has come back to zero
            k.closed[c] = 0 if _is_off(m, w, c) else 1
        elif k.status[c] != OPEN and is_rigid(m, c):
            k.closed[c] = 1
        elif k.status[c] != OPEN:
            # a compliant contact ends where it is no longer compressed
            k.closed[c] = 0 if k.fired[c] % 2 == 1 else 1
        else:
            k.closed[c] = 1 if _touches(r, c, t, q, u) else 0


@kernel
def _leave_out(r):
    """Take out of the impact what touches only by a rounding and moves apart; tell if there is any.

    An impulse at such a contact would do work on the bodies. If the impact of the others drives
    them together, they meet in an impact of their own. (T-15.16)
    """
    corners, k, found = r.m.corners, r.w.k, False
    for c in range(k.closed.size):
        i = corners.row_N[c]
        if corners.leader[c] >= 0:
            k.closed[c] = k.closed[corners.leader[c]]
        elif k.closed[c] == 1 and k.status[c] == OPEN and i >= 0 and is_rigid(r.m, c):
            if corners.always[c] == 0 and r.w.gamma[i] > r.options[V_TOL]:
                k.closed[c] = 0
                found = True
    return found


@kernel
def _mark_touching(r, t, q, u):
    """Mark open corners whose gap is closed, those left out of an impact among them."""
    m, w, k, corners = r.m, r.w, r.w.k, r.m.corners
    call(m.stages.kinematics, m, w, q, u)
    if m.stages.aim != 0:
        call(m.stages.aim, m, w)
    w.n_entries[0] = 0
    for c in range(k.closed.size):
        if corners.leader[c] >= 0:
            k.closed[c] = k.closed[corners.leader[c]]
        elif k.closed[c] == 0 and k.status[c] == OPEN and corners.always[c] == 0:
            k.closed[c] = 1 if _touches(r, c, t, q, u) else 0


@kernel
def _rims_approach(r):
    """Tell whether a rim that an impact has left moves together at its new extreme point."""
    corners, k, tolerance = r.m.corners, r.w.k, _velocity_tolerance(r, True)
    for c in range(k.closed.size):
        i = corners.row_N[c]
        if k.closed[c] == 1 and i >= 0 and is_rigid(r.m, c):
            if r.w.gamma[i] < -tolerance and stands_on_rim(r.m, corners.slot[c]):
                return True
    return False


@kernel
def _collide(r, t, q, u):
    """Apply the impact of all that touches and approaches; return a status.

    Contacts that it drives together follow one after the other; where that does not end, all of
    them take part in the last impact. A flat rim is hit again where it tips to: three of its points
    do not hold all others. (T-18.11)
    """
    for n in range(SHOCKS):
        parted = n + 1 < SHOCKS and _leave_out(r)
        code = eval_closed_rows(r, t, q, u) if parted else OK
        if code == OK:
            code = apply_impact(r, t, u, True)
        aimed = n + 1 < SHOCKS and r.m.stages.aim != 0
        if code != OK or not (parted or aimed):
            return code
        _mark_touching(r, t, q, u)
        code = eval_closed_rows(r, t, q, u)
        if code != OK or not ((parted and _approaches(r)) or _rims_approach(r)):
            return code
    return OK


@kernel
def _approaches(r):
    """Return whether a closed corner with a gap moves together."""
    corners, k = r.m.corners, r.w.k
    for c in range(k.closed.size):
        i = corners.row_N[c]
        if k.closed[c] == 1 and i >= 0 and is_rigid(r.m, c):
            if r.w.gamma[i] < -r.options[V_TOL]:
                return True
        if k.closed[c] == 1 and _must_stop(r, c):
            return True
    return False


@kernel
def _must_stop(r, c):
    """Tell whether a row of an element moves against an end of its set that is infinite."""
    m, w = r.m, r.w
    j, endless = m.corners.row_T[c], m.corners.endless[c]
    if endless == 0 or w.ends[j, 2] == 0.0 or is_compliant(m, c):
        return False
    forward = (endless & 1) == 1 and w.gamma[j] > r.options[V_TOL]
    return forward or ((endless & 2) == 2 and w.gamma[j] < -r.options[V_TOL])


@kernel
def _velocity_tolerance(r, after_impact):
    """Return the relative velocity that counts as zero; solvers leave a trace of the largest."""
    k, largest = r.w.k, 0.0
    if after_impact:
        for i in range(r.m.n_rows, k.gamma_minus.size):
            largest = max(largest, abs(k.gamma_minus[i]))
        if k.settled[0] == 1:
            # the last of ever smaller impacts: what they set in motion is over as well
            return r.options[ZENO]
    return max(r.options[V_TOL], 1e-9 * largest)


@kernel
def _set_direction(r, c, tolerance, after_impact, old):
    """Note whether and how a closed corner with several friction rows slides. (T-17.8)

    A direction that has turned by a right angle since the step began ends the step as a stop does;
    what is left of the speed tells one from the other.
    """
    m, w, k = r.m, r.w, r.w.k
    speed = sliding_speed(m, w, c)
    zero = speed <= tolerance or (not after_impact and old == STICK)
    if not after_impact and old == SLIP:
        small = max(tolerance, STOPPED * k.slip_speed[c], noise_of(m, w, c))
        zero = k.fired[c] >= 2 and speed <= small
    if zero:
        k.status[c] = STICK
        return
    k.status[c] = SLIP
    k.sliding[c] = 1
    begin_direction(m, w, c, old == SLIP and not after_impact)
    set_slip(m, w, c)


@kernel
def _set_directions(r, tolerance, after_impact):
    """Drop corners that separate; note for the others whether and how they slide.

    Needs their present velocities in w.gamma.
    """
    w, k, corners = r.w, r.w.k, r.m.corners
    for c in range(k.closed.size):
        leader = corners.leader[c]
        if leader >= 0:
            k.closed[c] = k.closed[leader]
        if k.closed[c] == 0:
            k.status[c] = OPEN
            continue
        i, j = corners.row_N[c], corners.row_T[c]
        if i >= 0 and not is_rigid(r.m, c):
            if k.status[c] == OPEN:
                k.v_0[c] = -w.gamma[i]
                if w.gamma[i] >= 0.0:
                    k.closed[c] = 0
                    continue
        elif i >= 0 and w.gamma[i] > tolerance * (k.slack[c] if k.fired[c] % 2 == 1 else 1.0):
            # a gap that closes again and again within rounding does not separate that slowly
            k.closed[c] = 0
            k.status[c] = OPEN
            continue
        k.sliding[c] = 0
        if j < 0:
            k.status[c] = CLOSED
            continue
        if is_compliant(r.m, c):
            k.status[c] = SLIP_PLUS  # a force that is known
            k.sliding[c] = 1
            continue
        old = k.status[c]
        if corners.n_T[c] > 1:
            _set_direction(r, c, tolerance, after_impact, old)
            continue
        speed = w.gamma[j]
        # a sliding corner whose speed has just come to zero carries a remnant of rounding
        zero = abs(speed) <= tolerance or (not after_impact and old == STICK)
        if not after_impact and k.fired[c] >= 2 and (old == SLIP_PLUS or old == SLIP_MINUS):
            zero = True
        elif not after_impact and (old == SLIP_PLUS or old == SLIP_MINUS):
            zero = False
            speed = 1.0 if old == SLIP_PLUS else -1.0
        if zero:
            k.status[c] = STICK
        else:
            k.status[c] = SLIP_PLUS if speed > 0.0 else SLIP_MINUS
            k.sliding[c] = 1


@kernel
def _eval_free_accelerations(r, t, q, u, x, x_dot):
    """Write the accelerations without any corner, the rows of all closed corners and k.base."""
    m, w, k, corners = r.m, r.w, r.w.k, r.m.corners
    eval_state(m, w, t, q, u, x, x_dot)
    code = call(m.stages.factor, m, w)
    if code != OK:
        return code
    call(m.stages.accelerate, m, w, k.u_free)
    eval_frame_accelerations(m, w, w.acc)
    w.n_entries[0] = 0
    for j in range(m.nu):
        k.du[j] = 0.0
    if m.n_rows > 0:
        call(m.stages.rows, m, w, t, q, u, k.u_free)
        factor_bilateral(m, w)
        for b in range(m.n_rows):
            w.rhs[b] = w.gamma_dot[b]
        release_bilateral(m, w, k.du, k.base)
    for c in range(k.closed.size):
        if k.closed[c] == 0:
            continue
        if corners.slot[c] >= 0:
            call(m.stages.detect, m, w, corners.slot[c])
        call(m.stages.corner, m, w, c, t, q, u, k.u_free)
        j = corners.row_T[c]
        if j >= 0:
            speed = sliding_speed(m, w, c) if k.sliding[c] == 1 else 0.0
            k.mu[c] = eval_friction(m, w, c, t, speed)
            if corners.load[c] != LOAD_NORMAL:
                set_bounds(m, w, c, t)
        i = corners.row_N[c]
        if i >= 0 and not is_rigid(m, c):
            invert_row(m, w, i)
            force = eval_normal_force(m, w, c)
            for a in range(m.nu):
                k.du[a] += force * k.Z[i, a]
    return OK


@kernel
def _add_given_sliding(r):
    """Add to k.du what corners do that slide under a given bound."""
    m, w, k, corners = r.m, r.w, r.w.k, r.m.corners
    for c in range(k.closed.size):
        j = corners.row_T[c]
        if k.closed[c] == 1 and k.sliding[c] == 1 and corners.load[c] != LOAD_NORMAL:
            for b in range(corners.n_T[c]):
                invert_row(m, w, j + b)
                force = given_friction(m, w, c, b)
                for a in range(m.nu):
                    k.du[a] += force * k.Z[j + b, a]


@kernel
def _solve_accelerations(r, t, q, u, x, x_dot):
    """Pose and solve the problem on acceleration level; return a status.

    Where no force at all is a solution it is taken: of several solutions (Painleve) the one that
    separates.
    """
    m, w, k = r.m, r.w, r.w.k
    p = k.problem
    code = _eval_free_accelerations(r, t, q, u, x, x_dot)
    if code != OK:
        return code
    _add_given_sliding(r)
    call(m.stages.pose, m, w, 1.0)
    open_ = True
    for a in range(k.n_active[0]):
        i = k.active[a]
        p.c[a] = w.gamma_dot[i] + dot_row(m, w.W[i], k.du)
        p.x[a] = 0.0
        normal = i == m.corners.row_N[k.corner_of[i - m.n_rows]]
        open_ = open_ and normal and p.c[a] >= 0.0
    if open_ or k.n_active[0] == 0:
        for a in range(k.n_active[0]):
            p.gamma[a] = p.c[a]
        return OK
    change = 0.0
    for _ in range(LOAD_ITERATIONS):
        if call(m.stages.solve, p, k.solver) != SOLVED:
            return UNSOLVED
        k.stats[WORST_RESIDUAL] = max(k.stats[WORST_RESIDUAL], k.solver.residual[0])
        apply_multipliers(m, w, k.u_free)
        change = update_loads(m, w, 1.0)
        if change < 1e-13:
            break
    note_unsettled(k, change)
    return OK


@kernel
def _stick_or_slip_around(m, w, c, a):
    """Return the state of several friction rows: inside their disc where x - gamma / G is.

    Where they slip, the force gives the direction that begins. (T-17.9)
    """
    corners, k, p = m.corners, w.k, w.k.problem
    n = corners.n_T[c]
    radius = k.bound[c]
    if corners.load[c] == LOAD_NORMAL:
        radius = k.mu[c] * p.x[k.place[corners.load_row[c]]]
    curvature, size, force = 0.0, 0.0, 0.0
    for b in range(a, a + n):
        curvature = max(curvature, abs(p.G[b, b]))
    for b in range(a, a + n):
        size += (p.x[b] - p.gamma[b] / curvature) ** 2
        force += p.x[b] ** 2
    force = math.sqrt(force)
    if math.sqrt(size) <= (1.0 + 2.0 * ROUNDING) * radius:
        return STICK
    if force > 0.0:
        z = -p.x[a + 2] / force if n > 2 else 0.0
        keep_direction(m, w, c, -p.x[a] / force, -p.x[a + 1] / force, z, 0.0)
        return SLIP
    # a bound of zero: there is no force yet to tell the direction, but an acceleration
    rate = 0.0
    for b in range(a, a + n):
        rate += p.gamma[b] ** 2
    rate = math.sqrt(rate)
    if not rate > 0.0:
        return STICK
    z = p.gamma[a + 2] / rate if n > 2 else 0.0
    keep_direction(m, w, c, p.gamma[a] / rate, p.gamma[a + 1] / rate, z, 0.0)
    return SLIP


@kernel
def _stick_or_slip(m, k, c, i, a):
    """Return the state of a friction row: inside its set where x - gamma / G is. (T-15.13)"""
    corners, p = m.corners, k.problem
    if corners.load[c] == LOAD_NORMAL:
        upper = k.mu[c] * p.x[k.place[corners.load_row[c]]]
        lower = -upper * corners.mu_minus[c]
    else:
        upper, lower = k.bound[c], k.lower[c]
    point = p.x[a] - p.gamma[a] / abs(p.G[a, a])
    room = ROUNDING * min(upper - lower, max(abs(p.x[a]), 1.0) if corners.endless[c] else math.inf)
    if point > upper + room:
        return SLIP_MINUS
    if point < lower - room:
        return SLIP_PLUS
    return STICK


@kernel
def _carries_nothing(r, c, a):
    """Tell whether a contact that pulled, twice without any change, has no force in the solution.

    Forces that are not unique may be shared so that it pulls, although others hold alone what it
    would hold: a piston at its stop behind a valve that is shut. (T-15.6)
    """
    k, p, largest = r.w.k, r.w.k.problem, 0.0
    if k.fired[c] % 2 == 0 or k.slack[c] <= 1.0 or not is_rigid(r.m, c):
        return False
    for b in range(k.n_active[0]):
        largest = max(largest, abs(p.x[b]))
    return p.x[a] <= ROUNDING * largest


@kernel
def _adopt_solution(r):
    """Turn the solution into states of the corners.

    Which side of its corner a row is on follows from x and gamma together, so that the trace a
    solver leaves in one of them does not matter.
    """
    m, k, corners, p = r.m, r.w.k, r.m.corners, r.w.k.problem
    k.n_solution[0] = k.n_active[0]
    for a in range(k.n_active[0]):
        k.solution[a] = p.x[a]
        k.row_of[a] = k.active[a]
    for c in range(k.closed.size):
        if k.closed[c] == 0:
            continue
        i, j = corners.row_N[c], corners.row_T[c]
        if corners.leader[c] >= 0 and k.status[corners.leader[c]] == OPEN:
            k.status[c] = OPEN
            continue
        if i >= 0 and k.place[i] >= 0:
            a = k.place[i]
            if p.gamma[a] > abs(p.G[a, a]) * p.x[a] or _carries_nothing(r, c, a):
                k.status[c] = OPEN
                continue
        if j < 0 or k.sliding[c] == 1:
            continue
        a = k.place[j]
        width = k.mu[c] if corners.load[c] == LOAD_NORMAL else k.bound[c] - k.lower[c]
        if width == 0.0 and i >= 0 and corners.mu_signal[c] < 0:
            # no friction, ever; a coefficient that grows from zero with the speed needs a direction
            k.status[c] = CLOSED
        elif corners.n_T[c] > 1:
            k.status[c] = _stick_or_slip_around(m, r.w, c, a)
        else:
            k.status[c] = _stick_or_slip(m, k, c, i, a)


@kernel
def _bounces(r, c):
    """Tell whether the last bounces of a corner were cut short."""
    k, i = r.w.k, r.m.corners.row_N[c]
    return i >= 0 and k.closed[c] == 1 and k.rest_speed[c] > 0.0 and k.place[i] >= 0


@kernel
def _limit_bouncing(r, force):
    """Give the sets of all corners whose bounces were cut short this upper end."""
    k, p = r.w.k, r.w.k.problem
    for n in range(p.n_sets[0]):
        c = k.corner_of[k.active[p.start[n]] - r.m.n_rows]
        if k.active[p.start[n]] == r.m.corners.row_N[c] and _bounces(r, c):
            p.upper_0[n] = force


@kernel
def _eval_bounces(r):
    """Write the accelerations of all rows with corners open that are about to rest to `shift`.

    What stays closed carries its part meanwhile: a ball falls back on another one that rests.
    """
    k, p, imp = r.w.k, r.w.k.problem, r.w.k.impact
    bouncing, carried = False, False
    for c in range(k.closed.size):
        i = r.m.corners.row_N[c]
        if _bounces(r, c):
            bouncing = True
        elif i >= 0 and k.closed[c] == 1 and k.place[i] >= 0 and p.x[k.place[i]] != 0.0:
            carried = True
    for a in range(p.n[0]):
        imp.shift[a] = p.c[a]
    if not (bouncing and carried):
        return
    for a in range(p.n[0]):
        imp.y[a], imp.y_new[a] = p.x[a], p.gamma[a]
    _limit_bouncing(r, 0.0)
    if call(r.m.stages.solve, p, k.solver) == SOLVED:
        for a in range(p.n[0]):
            imp.shift[a] = p.gamma[a]
    _limit_bouncing(r, math.inf)
    for a in range(p.n[0]):
        p.x[a], p.gamma[a] = imp.y[a], imp.y_new[a]


@kernel
def _log_rest(r, t):
    """Log where bounces that were cut short would have come to rest.

    t + 2 v / (a (1 - eps)) with v the speed of the first bounce left out. (T-15.15)
    """
    k = r.w.k
    _eval_bounces(r)
    for c in range(k.closed.size):
        if _bounces(r, c):
            a = -k.impact.shift[k.place[r.m.corners.row_N[c]]]
            delay = 2.0 * k.rest_speed[c] / a if a > 0.0 else 0.0
            log_event(k, t + delay, c, REST)


@kernel
def _log_painleve(r, t, all_sliding):
    """Log the corners whose sliding leaves no solution; return whether there are any.

    Surely those whose normal force would pull itself in; of a problem without a solution
    otherwise all that slide.
    """
    k, p = r.w.k, r.w.k.problem
    found = False
    for c in range(k.closed.size):
        i = r.m.corners.row_N[c]
        if k.closed[c] == 1 and i >= 0 and k.sliding[c] == 1 and k.place[i] >= 0:
            if all_sliding or p.G[k.place[i], k.place[i]] <= 0.0:
                log_event(k, t, c, PAINLEVE)
                found = True
    return found


@kernel
def _has_twin(m, k, a):
    """Return whether the problem has another solution that differs from x in row a alone.

    With G_aa < 0 both x_a = 0 and x_a = -gamma_a / G_aa > 0 close row a, if no other row feels the
    difference but those that carry nothing and open the more.
    """
    p = k.problem
    if not p.G[a, a] < 0.0:
        return False
    change = -p.x[a] if p.x[a] > 0.0 else -p.gamma[a] / p.G[a, a]
    if change == 0.0:
        return False
    for b in range(k.n_active[0]):
        if b == a or abs(p.G[b, a]) <= ROUNDING * abs(p.G[a, a]):
            continue
        i = k.active[b]
        normal = i == m.corners.row_N[k.corner_of[i - m.n_rows]]
        if not normal or p.x[b] > 0.0 or p.gamma[b] + p.G[b, a] * change < 0.0:
            return False
    return True


@kernel
def _log_ambiguous(r, t):
    """Log the sliding corners that some force would hold as well as none. (T-15.21)"""
    k = r.w.k
    for c in range(k.closed.size):
        i = r.m.corners.row_N[c]
        if k.closed[c] == 1 and i >= 0 and k.sliding[c] == 1 and k.place[i] >= 0:
            if _has_twin(r.m, k, k.place[i]):
                log_event(k, t, c, AMBIGUOUS)


@kernel
def _room_in_disc(r, c, step, sign):
    """Return how far of that way |a + s b| stays below the radius, which changes along it, too."""
    k, corners = r.w.k, r.m.corners
    i, j = corners.load_row[c], corners.row_T[c]
    radius, slope = k.bound[c], 0.0
    if corners.load[c] == LOAD_NORMAL:
        radius, slope = k.mu[c] * k.lam_ref[i], sign * k.mu[c] * (k.lam[i] - k.lam_ref[i])
    aa, ab, bb = -radius * radius, -radius * slope, -slope * slope
    for n in range(corners.n_T[c]):
        a, b = k.lam_ref[j + n], sign * (k.lam[j + n] - k.lam_ref[j + n])
        aa, ab, bb = aa + a * a, ab + a * b, bb + b * b
    # aa + 2 ab s + bb s^2 <= 0 holds at s = 0
    aa = min(aa, 0.0)
    if aa + 2.0 * ab * step + bb * step * step <= 0.0:
        return step
    root = math.sqrt(max(ab * ab - aa * bb, 0.0))
    if ab > 0.0:
        return min(step, max(0.0, -aa / (ab + root)))
    return min(step, max(0.0, (root - ab) / bb)) if bb > 0.0 else 0.0


@kernel
def _room_along(r, c, step, sign):
    """Return how far of the way from the solution to k.lam the forces of corner c stay allowed.

    k.lam_ref holds the solution, k.lam the forces that are shared evenly; with sign = -1 the way
    leads away from them.
    """
    k, corners = r.w.k, r.m.corners
    i, j = corners.row_N[c], corners.row_T[c]
    if i >= 0 and k.status[c] != OPEN and is_rigid(r.m, c):
        fall = sign * (k.lam_ref[i] - k.lam[i])
        # an even share that pulls by less than ends a contact is a rounding
        if fall > 0.0 and (sign < 0.0 or k.lam[i] < -SLACK * force_scale(k)):
            step = min(step, max(0.0, k.lam_ref[i]) / fall)
    if j < 0 or k.status[c] != STICK:
        return step
    if corners.n_T[c] > 1:
        return _room_in_disc(r, c, step, sign)
    a, b = k.lam_ref[j], sign * (k.lam[j] - k.lam_ref[j])
    if corners.load[c] == LOAD_NORMAL:
        i = corners.load_row[c]
        upper, slope = k.mu[c] * k.lam_ref[i], sign * k.mu[c] * (k.lam[i] - k.lam_ref[i])
        lower, fall = -upper * corners.mu_minus[c], -slope * corners.mu_minus[c]
    else:
        upper, lower, slope, fall = k.bound[c], k.lower[c], 0.0, 0.0
    if b > slope:
        step = min(step, max(0.0, (upper - a) / (b - slope)))
    if b < fall:
        step = min(step, max(0.0, (lower - a) / (b - fall)))
    return step


@kernel
def _room(r, step, sign):
    """Return how far of that way, at most `step`, all forces stay allowed."""
    for c in range(r.w.k.status.size):
        step = _room_along(r, c, step, sign)
    return step


@kernel
def _refer_bilateral(r, t, y):
    """Let the reference of bilateral rows be what they carry beside that of the corners.

    A split among corners may load them, too: with a reference of their own at zero the forces
    nearest to it would be others. Return a status.
    """
    m, w, k, corners = r.m, r.w, r.w.k, r.m.corners
    for c in range(k.status.size):
        i, j = corners.row_N[c], corners.row_T[c]
        if i >= 0 and is_rigid(m, c):
            k.lam[i] = k.lam_ref[i]
        for a in range(corners.n_T[c]):
            if k.status[c] == STICK:
                k.lam[j + a] = k.lam_ref[j + a]
            elif corners.load[c] == LOAD_NORMAL and is_sliding(k.status[c]):
                k.lam[j + a] = slide_factor(m, w, c, a) * k.lam_ref[corners.load_row[c]]
    k.given[0] = 1
    code = eval_packed(r, t, y, r.s.f_row)
    k.given[0] = 0
    for b in range(m.n_rows):
        k.lam_ref[b] = w.lam[b]
    return code


@kernel
def _choose_reference(r, t, y):
    """Let forces that are not unique lie inside their sets, between the solution and even shares.

    Half of the way that is allowed leaves room on both sides. A solver may return a corner of the
    set of solutions: where that way leads out of it at once, the opposite one leads in. Needs the
    solution of the problem; return a status. (T-15.6)
    """
    m, k = r.m, r.w.k
    for i in range(k.lam_ref.size):
        k.lam_ref[i] = 0.0
    n = k.n_solution[0]
    code = eval_packed(r, t, y, r.s.f_row)
    if code != OK:
        return code
    for i in range(m.n_rows, k.lam.size):
        k.lam_ref[i] = 0.0
    for a in range(n):
        k.lam_ref[k.row_of[a]] = k.solution[a]
    step = _room(r, 1.0, 1.0)
    if step < LITTLE:
        step = -_room(r, FAR, -1.0)
        step = step if step > -FAR else -1.0
    if step >= 1.0:
        for i in range(k.lam_ref.size):
            k.lam_ref[i] = 0.0
        return OK
    for i in range(m.n_rows, k.lam.size):
        k.lam_ref[i] += 0.5 * step * (k.lam[i] - k.lam_ref[i])
    return _refer_bilateral(r, t, y) if m.n_rows > 0 else OK


@kernel
def _hold_beginnings(k):
    """Hold the corners that begin to slide after an impact as if they stuck.

    What it leaves of their speed counts as zero, so it has to be: friction of the direction that
    begins would else drive what is left of the other one.
    """
    for c in range(k.status.size):
        if k.closed[c] == 1 and k.sliding[c] == 0 and is_sliding(k.status[c]):
            k.status[c] = STICK


@kernel
def switch_states(r, t, y, x_dot):
    """Handle the event at y: impacts, then new states; u may jump; return a status."""
    m, w, k = r.m, r.w, r.w.k
    q, u, x = y[: m.nq], y[m.nq : m.nq + m.nu], y[m.nq + m.nu :]
    k.implicit[0] = 0
    see_states(w, x)
    for c in range(k.status.size):
        k.before[c] = k.status[c]
    _mark_closed(r, t, q, u)
    code = eval_closed_rows(r, t, q, u)
    if code != OK:
        return code
    jumped = False
    k.settled[0] = 0
    if _approaches(r):
        jumped = True
        code = _collide(r, t, q, u)
        if code != OK:
            return code
    for n in range(ROUNDS):
        if jumped:
            code = eval_closed_rows(r, t, q, u)
            if code != OK:
                return code
        _set_directions(r, _velocity_tolerance(r, jumped), jumped)
        code = _solve_accelerations(r, t, q, u, x, x_dot)
        if code == OK:
            break
        if code != UNSOLVED:
            return code
        if not _log_painleve(r, t, False):
            if k.cascade[0] == 0:
                return code  # not all solvers have been asked yet
            _log_painleve(r, t, True)
        # no contact forces exist: the velocities jump although nothing approaches
        code = eval_closed_rows(r, t, q, u)
        if code == OK:
            code = apply_impact(r, t, u, False)
        if code != OK:
            return code
        jumped = True
    if code != OK:
        return code
    _log_rest(r, t)
    _log_ambiguous(r, t)
    _adopt_solution(r)
    for c in range(k.status.size):
        if k.hit[c] == 0 or k.before[c] != OPEN:
            log_change(k, t, c, k.before[c], k.status[c])
        k.shown[c] = k.status[c]
    code = project_position(m, w, t, q)
    if code == OK and jumped:
        _hold_beginnings(k)
        code = project_velocity(m, w, t, q, u)
        for c in range(k.status.size):
            k.status[c] = k.shown[c]
    if code == OK:
        code = project_velocity(m, w, t, q, u)
    if code == OK:
        code = _choose_reference(r, t, y)
    return code
