"""Forces of rows that depend on each other, moved into the sets of their laws.

Motion alone says what such rows do together, A x = rhs. Of all solutions inside the sets (no pull,
friction within its cone, a brake within its capacity) the one nearest to the even shares is taken,
by Dykstra's projections in the metric of the shares. (T-15.20) [Boyle1986]
"""

import math

from cornerlaw.arrays.corner_work import OPEN, STICK
from cornerlaw.arrays.corners import LOAD_NORMAL
from cornerlaw.kernels._numba import kernel


@kernel
def is_held_still(m, w, c):
    """Tell whether the friction of corner c sticks and its rows are among the held ones."""
    j, k = m.corners.row_T[c], w.k
    return j >= 0 and k.status[c] == STICK and k.held_at[j] >= 0


@kernel
def _place_of_load(m, w, c):
    """Return the place of the normal force that bounds the friction of corner c, -1: none."""
    if m.corners.load[c] != LOAD_NORMAL or not is_held_still(m, w, c):
        return -1
    return w.k.held_at[m.corners.load_row[c]]


@kernel
def _place_alone(m, w, c):
    """Return the place of the normal force of corner c, -1 where its own cone looks after it."""
    i, k = m.corners.row_N[c], w.k
    if i < 0 or k.status[c] == OPEN:
        return -1
    return -1 if k.held_at[i] == _place_of_load(m, w, c) else k.held_at[i]


@kernel
def _friction_size(m, w, c):
    """Return the length of the friction of corner c in scaled forces."""
    k, total = w.k, 0.0
    first = k.held_at[m.corners.row_T[c]]
    if m.corners.n_T[c] == 1:
        return abs(k.x[first])
    for a in range(m.corners.n_T[c]):
        total += k.x[first + a] ** 2
    return math.sqrt(total)


@kernel
def _slope(m, w, c):
    """Return the friction of corner c that its load allows per unit, on the side where it is."""
    below = m.corners.n_T[c] == 1 and w.k.x[w.k.held_at[m.corners.row_T[c]]] < 0.0
    return w.k.mu[c] * (m.corners.mu_minus[c] if below else 1.0)


@kernel
def _excess_of_friction(m, w, c):
    """Return by how much the friction of corner c is beyond what bounds it, as a force."""
    corners, k = m.corners, w.k
    first, load = k.held_at[corners.row_T[c]], _place_of_load(m, w, c)
    size = _friction_size(m, w, c) * k.share[first]
    if corners.load[c] == LOAD_NORMAL:
        normal = k.x[load] * k.share[load] if load >= 0 else 0.0
        return max(size - _slope(m, w, c) * normal, -normal)
    if corners.n_T[c] == 1:
        force = k.x[first] * k.share[first]
        return max(force - k.bound[c], k.lower[c] - force)
    return size - k.bound[c]


@kernel
def excess_of_forces(m, w, n):
    """Return by how much the forces k.share k.x leave their sets, of the largest of them."""
    k, largest, worst = w.k, 1e-300, 0.0
    for a in range(n):
        largest = max(largest, abs(k.x[a] * k.share[a]))
    for c in range(k.status.size):
        a = _place_alone(m, w, c)
        if a >= 0:
            worst = max(worst, -k.x[a] * k.share[a])
        if is_held_still(m, w, c):
            worst = max(worst, _excess_of_friction(m, w, c))
    return worst / largest


@kernel
def _shorten(k, first, n, factor):
    """Multiply the friction of one corner by a factor."""
    for a in range(n):
        k.x[first + a] *= factor


@kernel
def _meet_cone(m, w, c, load):
    """Move normal force and friction of corner c to the nearest point of |x_T| <= slope x_N."""
    k = w.k
    first, n = k.held_at[m.corners.row_T[c]], m.corners.n_T[c]
    size = _friction_size(m, w, c)
    slope = _slope(m, w, c) * k.share[load] / k.share[first]
    normal = k.x[load]
    if size <= slope * normal:
        return
    k.x[load] = max((normal + slope * size) / (1.0 + slope * slope), 0.0)
    _shorten(k, first, n, slope * k.x[load] / size if size > 0.0 else 0.0)


@kernel
def _meet_bound(m, w, c):
    """Move the friction of corner c to the nearest point within bounds of its own."""
    corners, k = m.corners, w.k
    first, n = k.held_at[corners.row_T[c]], corners.n_T[c]
    # a load that is not there lets nothing be held
    bound = 0.0 if corners.load[c] == LOAD_NORMAL else k.bound[c] / k.share[first]
    if n == 1 and corners.load[c] != LOAD_NORMAL:
        k.x[first] = min(max(k.x[first], k.lower[c] / k.share[first]), bound)
        return
    size = _friction_size(m, w, c)
    if size > bound:
        _shorten(k, first, n, bound / size)


@kernel
def _meet_friction(m, w, c):
    """Meet the set of one corner's friction from where its last move began, and keep the move."""
    k, n = w.k, m.corners.n_T[c]
    j, load = m.corners.row_T[c], _place_of_load(m, w, c)
    first = k.held_at[j]
    for a in range(n):
        k.x[first + a] += k.moved[j + a]
        k.moved[j + a] = k.x[first + a]
    if load >= 0:
        k.x[load] += k.moved_load[c]
        k.moved_load[c] = k.x[load]
        _meet_cone(m, w, c, load)
        k.moved_load[c] -= k.x[load]
    else:
        _meet_bound(m, w, c)
    for a in range(n):
        k.moved[j + a] -= k.x[first + a]


@kernel
def forget_moves(k):
    """Begin Dykstra's projections anew."""
    for i in range(k.moved.size):
        k.moved[i] = 0.0
    for c in range(k.moved_load.size):
        k.moved_load[c] = 0.0


@kernel
def meet_sets(m, w):
    """Move the scaled forces k.x into the set of one corner after the other."""
    k = w.k
    for c in range(k.status.size):
        a, i = _place_alone(m, w, c), m.corners.row_N[c]
        if a >= 0:
            begin = k.x[a] + k.moved[i]
            k.x[a] = max(begin, 0.0)
            k.moved[i] = begin - k.x[a]
        if is_held_still(m, w, c):
            _meet_friction(m, w, c)
