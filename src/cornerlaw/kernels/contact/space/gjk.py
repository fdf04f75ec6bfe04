"""Distance of two convex cores by the search of Gilbert, Johnson and Keerthi.

The set of all differences x1 - x2 is convex; the search walks along simplices of its support points
towards the origin. It delivers a direction only: refine.py makes it exact. Scratch: the simplex in
w.contact_b[0:12].
"""

import math

from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.geometry import add, cross, dot, norm, scaled, sub
from cornerlaw.kernels.contact.space.support import difference

_ROUNDS = 48
_RELATIVE = 1e-11  # of the distance: upper minus lower bound at which the search ends
_INSIDE = 1e-10  # of the size: a distance that cannot give a direction


@kernel
def _corner(b, i):
    return b[3 * i], b[3 * i + 1], b[3 * i + 2]


@kernel
def _put(b, i, x):
    b[3 * i], b[3 * i + 1], b[3 * i + 2] = x[0], x[1], x[2]


@kernel
def _on_segment(p, q):
    """Return weights of p and q of the point of their segment nearest to the origin."""
    d = sub(q, p)
    size = dot(d, d)
    s = -dot(p, d) / size if size > 0.0 else 0.0
    s = min(max(s, 0.0), 1.0)
    return 1.0 - s, s


@kernel
def _on_triangle(p, q, r):
    """Return weights of p, q and r of the point of their triangle nearest to the origin.

    The weights of the plane's foot are ratios of areas; where one is negative the nearest point is
    on the border.
    """
    n = cross(sub(q, p), sub(r, p))
    size = dot(n, n)
    if size > 0.0:
        a = dot(n, cross(q, r)) / size
        b = dot(n, cross(r, p)) / size
        c = 1.0 - a - b
        if a >= 0.0 and b >= 0.0 and c >= 0.0:
            return a, b, c
    best, weights = math.inf, (1.0, 0.0, 0.0)
    for side in range(3):
        if side == 0:
            s, t = _on_segment(p, q)
            found = (s, t, 0.0)
        elif side == 1:
            s, t = _on_segment(q, r)
            found = (0.0, s, t)
        else:
            s, t = _on_segment(r, p)
            found = (t, 0.0, s)
        x = add(add(scaled(found[0], p), scaled(found[1], q)), scaled(found[2], r))
        d = dot(x, x)
        if d < best:
            best, weights = d, found
    return weights


@kernel
def _on_tetrahedron(b):
    """Return weights of the four corners of the point nearest to the origin; inside: all 0.25."""
    best, weights, inside = math.inf, (0.25, 0.25, 0.25, 0.25), True
    for k in range(4):
        # the face opposite to corner k
        i, j, l = (k + 1) % 4, (k + 2) % 4, (k + 3) % 4
        p, q, r, top = _corner(b, i), _corner(b, j), _corner(b, l), _corner(b, k)
        n = cross(sub(q, p), sub(r, p))
        to_top, to_origin = dot(n, sub(top, p)), -dot(n, p)
        if to_top * to_origin > 0.0:
            continue
        inside = False
        s, t, u = _on_triangle(p, q, r)
        x = add(add(scaled(s, p), scaled(t, q)), scaled(u, r))
        d = dot(x, x)
        if d < best:
            best = d
            if k == 0:
                weights = (0.0, s, t, u)
            elif k == 1:
                weights = (u, 0.0, s, t)
            elif k == 2:
                weights = (t, u, 0.0, s)
            else:
                weights = (s, t, u, 0.0)
    return inside, weights


@kernel
def _reduce(b, n):
    """Keep the corners that carry the point nearest to the origin; return n, the point, inside."""
    inside = False
    if n == 1:
        return 1, _corner(b, 0), inside
    if n == 2:
        s, t = _on_segment(_corner(b, 0), _corner(b, 1))
        weights = (s, t, 0.0, 0.0)
    elif n == 3:
        s, t, u = _on_triangle(_corner(b, 0), _corner(b, 1), _corner(b, 2))
        weights = (s, t, u, 0.0)
    else:
        inside, weights = _on_tetrahedron(b)
    x, kept = (0.0, 0.0, 0.0), 0
    for i in range(n):
        if weights[i] > 0.0:
            x = add(x, scaled(weights[i], _corner(b, i)))
            _put(b, kept, _corner(b, i))
            kept += 1
    return kept, x, inside


@kernel
def search_distance(m, w, c1, c2, n, size):
    """Search the distance of two cores from direction n; size is a length of their order.

    Returns whether they are apart, the unit vector that separates most, and the angle by which it
    may be wrong; overlapping cores give the best direction met. (T-18.15)
    """
    b = w.contact_b
    x = difference(m, w, c1, c2, n)
    _put(b, 0, x)
    count, apart, best, kept = 1, False, -math.inf, n
    lower = 0.0
    for _ in range(_ROUNDS):
        length = norm(x)
        if length <= _INSIDE * size:
            break
        n = scaled(1.0 / length, x)
        y = difference(m, w, c1, c2, n)
        sigma = dot(n, y)
        if sigma > best:
            best, kept = sigma, n
        apart = best > 0.0
        if length - best <= _RELATIVE * length:
            break
        # a corner that comes again, or no way down: rounding ends the search
        known = False
        for i in range(count):
            d = sub(_corner(b, i), y)
            known = known or dot(d, d) <= 1e-30 * size * size
        if known:
            break
        _put(b, count, y)
        count, x, inside = _reduce(b, count + 1)
        if inside:
            apart = best > 0.0
            break
        if dot(x, x) >= length * length * (1.0 - 1e-15):
            break
    lower = max(best, 0.0)
    length = norm(x)
    angle = 1.0
    if apart and length > 0.0:
        angle = math.sqrt(max(2.0 * (length - lower) / length, 0.0))
    return apart, kept, angle
