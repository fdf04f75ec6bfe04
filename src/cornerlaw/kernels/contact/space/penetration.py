"""Penetration of two convex cores by the expanding polytope, made exact by Newton's method.

The polytope grows inside the set of all differences x1 - x2: its nearest face is a lower bound of
the depth, the support plane of any direction an upper bound. Faces below the best upper bound are
expanded until none is left, hence the smallest depth is found, not just a local one. (T-18.19)
Scratch: vertices in w.contact_b[192 : 192 + 3 * 128], faces (normal, offset) from 576 on, 4 each;
their corners in w.contact_j[0 : 1200], rims in w.contact_j[1200 : 2000].
"""

import math

from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.geometry import (
    any_tangent,
    cross,
    dot,
    norm,
    scaled,
    sub,
)
from cornerlaw.kernels.contact.space.refine import refine
from cornerlaw.kernels.contact.space.support import difference

_VERTICES = 128
_FACES = 400
_RIM = 400
_V, _F, _R = 192, 576, 1200
_FINE = 1e-4  # of the size: support beyond a face at which Newton's method takes over
_EXACT = 1e-10  # of the size: what a better minimum must gain
_NEAR = 0.9995  # cosine within which a start leads to a minimum that is known already
_ANGLE = 0.1  # in which creases are looked for


@kernel
def _vertex(w, i):
    b, p = w.contact_b, _V + 3 * i
    return b[p], b[p + 1], b[p + 2]


@kernel
def _put_vertex(w, i, x):
    b, p = w.contact_b, _V + 3 * i
    b[p], b[p + 1], b[p + 2] = x[0], x[1], x[2]


@kernel
def _put_face(w, i, p, q, r, size):
    """Write face i with corners p, q, r, counter-clockwise from outside; a sliver has no offset."""
    j, b, k = w.contact_j, w.contact_b, _F + 4 * i
    j[3 * i], j[3 * i + 1], j[3 * i + 2] = p, q, r
    a = _vertex(w, p)
    n = cross(sub(_vertex(w, q), a), sub(_vertex(w, r), a))
    area = norm(n)
    if area <= 1e-13 * size * size:
        b[k], b[k + 1], b[k + 2], b[k + 3] = 0.0, 0.0, 0.0, math.inf
        return
    n = scaled(1.0 / area, n)
    b[k], b[k + 1], b[k + 2], b[k + 3] = n[0], n[1], n[2], dot(n, a)


@kernel
def _normal(w, i):
    b, p = w.contact_b, _F + 4 * i
    return b[p], b[p + 1], b[p + 2]


@kernel
def _furthest(m, w, c1, c2, u):
    """Return the support point of the difference in direction u."""
    return difference(m, w, c1, c2, (-u[0], -u[1], -u[2]))


@kernel
def _start(m, w, c1, c2, n, size):
    """Write a tetrahedron of support points with volume, return whether there is one."""
    p, q = difference(m, w, c1, c2, n), _furthest(m, w, c1, c2, n)
    axis = sub(q, p)
    if norm(axis) <= 1e-12 * size:
        return False
    axis = scaled(1.0 / norm(axis), axis)
    e = any_tangent(axis)
    f = cross(axis, e)
    r, best = p, 0.0
    for k in range(4):
        d = e if k == 0 else (f if k == 1 else (scaled(-1.0, e) if k == 2 else scaled(-1.0, f)))
        x = _furthest(m, w, c1, c2, d)
        away = norm(cross(axis, sub(x, p)))
        if away > best:
            r, best = x, away
    if best <= 1e-12 * size:
        return False
    d = cross(axis, sub(r, p))
    d = scaled(1.0 / norm(d), d)
    x, y = _furthest(m, w, c1, c2, d), _furthest(m, w, c1, c2, scaled(-1.0, d))
    up, down = dot(d, sub(x, p)), dot(d, sub(y, p))
    if max(up, -down) <= 1e-12 * size:
        return False
    if up >= -down:
        # seen from the fourth corner p, q, r run counter-clockwise
        p, q = q, p
        top = x
    else:
        top = y
    for i in range(4):
        _put_vertex(w, i, p if i == 0 else (q if i == 1 else (r if i == 2 else top)))
    # the base 0 1 2, then the sides 0 3 1, 1 3 2, 2 3 0
    for i in range(4):
        one, two, three = (0, 1, 2) if i == 0 else (i - 1, 3, i % 3)
        _put_face(w, i, one, two, three, size)
    return True


@kernel
def _collect_rim(w, faces, x, size):
    """Take all faces that see x out of the list; write their rim, return faces and rim left."""
    j, b = w.contact_j, w.contact_b
    rim, i = 0, 0
    while i < faces:
        if dot(_normal(w, i), x) - b[_F + 4 * i + 3] <= 1e-13 * size:
            i += 1
            continue
        for k in range(3):
            p, q = j[3 * i + k], j[3 * i + (k + 1) % 3]
            # an edge met before in the opposite sense is inside the hole
            found = -1
            for s in range(rim):
                if j[_R + 2 * s] == q and j[_R + 2 * s + 1] == p:
                    found = s
            if found >= 0:
                rim -= 1
                j[_R + 2 * found], j[_R + 2 * found + 1] = j[_R + 2 * rim], j[_R + 2 * rim + 1]
            elif rim < _RIM:
                j[_R + 2 * rim], j[_R + 2 * rim + 1] = p, q
                rim += 1
        faces -= 1
        for k in range(3):
            j[3 * i + k] = j[3 * faces + k]
        for k in range(4):
            b[_F + 4 * i + k] = b[_F + 4 * faces + k]
    return faces, rim


@kernel
def _nearest_face(w, faces):
    best, offset = -1, math.inf
    for i in range(faces):
        if w.contact_b[_F + 4 * i + 3] < offset:
            best, offset = i, w.contact_b[_F + 4 * i + 3]
    return best, offset


@kernel
def search_penetration(m, w, c1, c2, n, size, preference):
    """Return the largest separation of two cores that overlap, its direction and its face code.

    n is a first guess. (T-18.19)
    """
    sigma, n, code = refine(m, w, c1, c2, n, _ANGLE, size, preference)
    if sigma > 0.0 or not _start(m, w, c1, c2, n, size):
        return sigma, n, code
    vertices, faces, tried = 4, 4, n
    while vertices < _VERTICES:
        i, offset = _nearest_face(w, faces)
        if i < 0 or offset >= -sigma - _EXACT * size:
            break
        u = _normal(w, i)
        x = _furthest(m, w, c1, c2, u)
        height = dot(u, x)
        if height - offset <= _FINE * size or vertices == _VERTICES - 1:
            w.contact_b[_F + 4 * i + 3] = math.inf
            back = (-u[0], -u[1], -u[2])
            if height < -sigma + 10.0 * _FINE * size and (
                dot(back, n) < _NEAR and dot(back, tried) < _NEAR
            ):
                tried = back
                found, n_found, code_found = refine(m, w, c1, c2, back, _ANGLE, size, preference)
                if found > sigma + preference:
                    sigma, n, code = found, n_found, code_found
            if vertices == _VERTICES - 1:
                break
            continue
        if height < -sigma:
            # a better bound at once
            sigma, n, code = -height, (-u[0], -u[1], -u[2]), 3
        _put_vertex(w, vertices, x)
        faces, rim = _collect_rim(w, faces, x, size)
        if faces + rim > _FACES:
            break
        for k in range(rim):
            p, q = w.contact_j[_R + 2 * k], w.contact_j[_R + 2 * k + 1]
            _put_face(w, faces, p, q, vertices, size)
            faces += 1
        vertices += 1
    if code == 3:
        sigma, n, code = refine(m, w, c1, c2, n, _ANGLE, size, preference)
    return sigma, n, code
