"""Points of a polytope on a surface: the list of all that were found, and which of them have slots.

A point belongs to a vertex, edge or face of the polytope, its feature; edges and faces may have
several. Scratch: gap, s, t, world position, feature and identity of every point.
"""

import math

from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.surface_forms import unit_of

_FIRST = 4000  # place in w.contact_b of the first point
_WIDTH = 8
_MOST = 256
_CHOSEN, _SLOTS = 0, 512  # places in w.contact_j: points chosen, then the point of every slot
PLACES = 256  # points of one feature that have identities of their own
_CLOSED = 1e-6  # of the size: gaps that are no different from the lowest
_BEFORE = 1.2  # what a point counts for more that was there at the last call
_MOVED = 0.1  # of the unit of a parameter: how far a point may have moved since the last call


@kernel
def point_at(i):
    """Return the place of point i in the scratch."""
    return _FIRST + _WIDTH * i


@kernel
def add_point(w, count, g, s, t, x, feature):
    """Append a point unless there is no room and all are nearer; return how many there are."""
    b, place = w.contact_b, count
    if count == _MOST:
        for i in range(_MOST):
            if place == _MOST or b[point_at(i)] > b[point_at(place)]:
                place = i
        if b[point_at(place)] <= g:
            return count
    p = point_at(place)
    b[p], b[p + 1], b[p + 2], b[p + 6], b[p + 7] = g, s, t, feature, -1.0
    b[p + 3], b[p + 4], b[p + 5] = x[0], x[1], x[2]
    return min(count + 1, _MOST)


@kernel
def is_known(b, count, feature, x, near):
    """Tell whether a point of a feature is in the list already."""
    for i in range(count):
        p = point_at(i)
        if b[p + 6] == feature:
            d = (b[p + 3] - x[0]) ** 2 + (b[p + 4] - x[1]) ** 2 + (b[p + 5] - x[2]) ** 2
            if d <= near * near:
                return True
    return False


@kernel
def sort_points(b, count):
    """Put the nearest points first."""
    for i in range(1, count):
        for j in range(i, 0, -1):
            p, q = point_at(j - 1), point_at(j)
            if b[p] <= b[q]:
                break
            for a in range(_WIDTH):
                b[p + a], b[q + a] = b[q + a], b[p + a]


@kernel
def _is_taken(m, w, k, i, name):
    """Tell whether a name belongs to one of the first i points or to a slot."""
    for l in range(i):
        if w.contact_b[point_at(l) + 7] == name:
            return True
    for j in range(k, k + m.slots.count[k]):
        if w.contact_id[j] == name:
            return True
    return False


@kernel
def name_points(m, w, k, c, count, n_v):
    """Name every point: of a feature with several the one of the slot it continues, else a new one.

    Slots keep the parameters of their points; the identity is PLACES feature + number. (T-18.53)
    """
    b, (unit_s, unit_t) = w.contact_b, unit_of(m, c)
    for i in range(count):
        p = point_at(i)
        first = PLACES * int(b[p + 6])
        name, near = -1, _MOVED
        if b[p + 6] < n_v:
            name = first
        for j in range(k, k + m.slots.count[k] if name < 0 else k):
            known = w.contact_id[j]
            if known < first or known >= first + PLACES:
                continue
            away = max(
                abs(b[p + 1] - w.contact_s[4 * j]) / unit_s,
                abs(b[p + 2] - w.contact_s[4 * j + 1]) / unit_t,
            )
            taken = False
            for l in range(i):
                taken = taken or b[point_at(l) + 7] == known
            if away < near and not taken:
                name, near = known, away
        number = 0
        while name < 0:
            if number == PLACES - 1 or not _is_taken(m, w, k, i, first + number):
                name = first + number
            number += 1
        b[p + 7] = name


@kernel
def _spread(m, w, k, count):
    """Choose of many points that are closed the deepest, then those that lie far apart."""
    b, j, room = w.contact_b, w.contact_j, m.slots.count[k]
    j[_CHOSEN] = 0
    for chosen in range(1, room):
        best, far = -1, -1.0
        for i in range(count):
            p, away = point_at(i), math.inf
            for l in range(chosen):
                q = point_at(j[_CHOSEN + l])
                d = (b[p + 3] - b[q + 3]) ** 2 + (b[p + 4] - b[q + 4]) ** 2
                away = min(away, math.sqrt(d + (b[p + 5] - b[q + 5]) ** 2))
            for s in range(k, k + room):
                if w.contact_id[s] == b[p + 7]:
                    away *= _BEFORE
                    break
            if away > far:
                best, far = i, away
        j[_CHOSEN + chosen] = best


@kernel
def choose_points(m, w, k, count, size):
    """Choose as many of the sorted points as there are slots and return their number. (T-18.54)

    The nearest; where more are closed than there are slots, those of them that lie far apart.
    """
    b, room = w.contact_b, m.slots.count[k]
    chosen = min(count, room)
    for i in range(chosen):
        w.contact_j[_CHOSEN + i] = i
    closed, level = 0, max(b[point_at(0)], 0.0) + _CLOSED * size
    while closed < count and b[point_at(closed)] <= level:
        closed += 1
    if closed > room:
        _spread(m, w, k, closed)
    return chosen


@kernel
def assign_slots(m, w, k, chosen):
    """Give every chosen point a slot: the one it was in, else a free one."""
    j, room = w.contact_j, m.slots.count[k]
    for s in range(room):
        j[_SLOTS + s] = -1
    for again in range(2):
        for l in range(chosen):
            i = j[_CHOSEN + l]
            if i < 0:
                continue
            identity = w.contact_b[point_at(i) + 7]
            for s in range(room):
                if j[_SLOTS + s] < 0 and (again == 1 or w.contact_id[k + s] == identity):
                    j[_SLOTS + s] = i
                    j[_CHOSEN + l] = -1
                    break


@kernel
def point_of_slot(w, s):
    """Return the point of slot number s of the pair, or -1."""
    return w.contact_j[_SLOTS + s]
