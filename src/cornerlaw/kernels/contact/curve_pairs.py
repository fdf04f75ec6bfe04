"""Two curves against each other: search for opposite normals on one line."""

import math

from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.curves import frame_of, is_inside, sample_of, size_of
from cornerlaw.kernels.contact.geometry import store_contact, store_nothing
from cornerlaw.kernels.late import call

_SAMPLES = 40
_STEPS = 40
_HALVINGS = 12
_FINE = 1e-15  # relative step at which the search has converged
_DEEP, _DISTANT = 0.3, 1e-3  # weights of penetration and distance in the choice of a root
_SHALLOW = 0.05  # penetration, per size of the curve, at which other roots are tried
_NOTHING = 1e-31  # sum of squared residuals at the level of rounding
_ALIGNED = 1e-9  # largest error of angle and relative offset of an accepted root


@kernel
def _residual(m, w, c1, c2, s1, s2, size):
    """Return F_1 = t_1 . m_2 and F_2 = t_1 . (r_2 - r_1) / size of the points at s1, s2. (T-10.20)

    The points stay in w.contact_c.
    """
    call(m.stages.curve, m, w, c1, s1, 0)
    call(m.stages.curve, m, w, c2, s2, 1)
    a, b = w.contact_c[0], w.contact_c[1]
    m1, _, _ = frame_of(a)
    m2, _, _ = frame_of(b)
    # tangent t = (-m_y, m_x)
    F1 = -m1[1] * m2[0] + m1[0] * m2[1]
    F2 = (-m1[1] * (b[0] - a[0]) + m1[0] * (b[1] - a[1])) / size
    return F1, F2


@kernel
def _gap_at(w):
    """Return gap, m_1 . m_2 and the sum of curvatures k1 + k2 + g k1 k2 at the points at hand."""
    a, b = w.contact_c[0], w.contact_c[1]
    m1, _, k1 = frame_of(a)
    m2, _, k2 = frame_of(b)
    g = m2[0] * (a[0] - b[0]) + m2[1] * (a[1] - b[1])
    return g, m1[0] * m2[0] + m1[1] * m2[1], k1 + k2 + g * k1 * k2


@kernel
def _newton_step(w, F1, F2, size):
    """Return the Newton step in (s1, s2) at the points at hand. (T-10.21)"""
    a, b = w.contact_c[0], w.contact_c[1]
    m1, v1, k1 = frame_of(a)
    m2, v2, k2 = frame_of(b)
    normals = m1[0] * m2[0] + m1[1] * m2[1]  # also t_1 . t_2
    depth = m1[0] * (b[0] - a[0]) + m1[1] * (b[1] - a[1])
    # d t_1 / d s_1 = -v1 k1 m_1 and d m_2 / d s_2 = v2 k2 t_2
    J11, J12 = -v1 * k1 * normals, v2 * k2 * normals
    J21, J22 = -v1 * (1.0 + k1 * depth) / size, v2 * normals / size
    det = J11 * J22 - J12 * J21
    return (J12 * F2 - J22 * F1) / det, (J21 * F1 - J11 * F2) / det


@kernel
def _improve(m, w, c1, c2, s1, s2, size):
    """Return the root that damped Newton steps reach from (s1, s2), and whether they did."""
    F1, F2 = _residual(m, w, c1, c2, s1, s2, size)
    merit = F1 * F1 + F2 * F2
    for _ in range(_STEPS):
        if merit <= _NOTHING:
            break
        d1, d2 = _newton_step(w, F1, F2, size)
        # a step is at most a tenth of a curve
        limit = 0.1 / max(abs(d1) / size_of(m, c1), abs(d2) / size_of(m, c2), 0.1)
        d1, d2, new = limit * d1, limit * d2, math.inf
        for _ in range(_HALVINGS):
            F1, F2 = _residual(m, w, c1, c2, s1 + d1, s2 + d2, size)
            new = F1 * F1 + F2 * F2
            if new < merit:
                break
            d1, d2 = 0.5 * d1, 0.5 * d2
        if not new < merit:
            break
        s1, s2, merit = s1 + d1, s2 + d2, new
        small = abs(d1) <= _FINE * size_of(m, c1) and abs(d2) <= _FINE * size_of(m, c2)
        if small:
            break
    F1, F2 = _residual(m, w, c1, c2, s1, s2, size)
    return s1, s2, abs(F1) <= _ALIGNED and abs(F2) <= _ALIGNED


@kernel
def _best_samples(m, w, c1, c2, size, shift):
    """Return the samples nearest to a contact: opposite normals on one line, not the far sides.

    Samples whose curvatures do not make a least distance belong to other roots, and so do deep
    penetrations where there is anything else. (T-10.22)
    """
    best_1, best_2, least = 0.0, 0.0, math.inf
    for i in range(_SAMPLES):
        for j in range(_SAMPLES):
            s1 = sample_of(m, c1, i + shift, _SAMPLES)
            s2 = sample_of(m, c2, j + shift, _SAMPLES)
            _, F2 = _residual(m, w, c1, c2, s1, s2, size)
            g, cosine, curvature = _gap_at(w)
            if cosine > -0.5 or curvature <= 0.0:
                continue
            depth = g / size
            weight = _DEEP if depth < 0.0 else _DISTANT
            score = F2 * F2 + (1.0 + cosine) + weight * depth * depth
            if score < least:
                best_1, best_2, least = s1, s2, score
    return best_1, best_2


@kernel
def _gap_of_root(m, w, c1, c2, s1, s2, found):
    """Return the gap of the root at hand, -inf if it is no contact.

    A contact is on both curves, with opposite normals, and a least distance.
    """
    g, cosine, curvature = _gap_at(w)
    inside = is_inside(m, c1, s1) and is_inside(m, c2, s2)
    return g if found and inside and cosine < 0.0 and curvature > 0.0 else -math.inf


@kernel
def _search_pair(m, w, c1, c2, s1, s2, size):
    """Return both parameters of the contact and the gap, -inf where there is none.

    Newton from the last points; where that fails or ends deep inside, from the best samples. The
    root with the largest gap is the nearest side.
    """
    best_1, best_2, gap = s1, s2, -math.inf
    for attempt in range(4):
        if attempt > 0:
            s1, s2 = _best_samples(m, w, c1, c2, size, 0.3 * (attempt - 1))
        if s1 == s1 and s2 == s2:
            s1, s2, found = _improve(m, w, c1, c2, s1, s2, size)
            g = _gap_of_root(m, w, c1, c2, s1, s2, found)
            if g > gap:
                best_1, best_2, gap = s1, s2, g
        if gap > -_SHALLOW * size:
            break
    return best_1, best_2, gap


@kernel
def detect_curves(m, w, k):
    """Find the contact of two curves. (T-10.20)"""
    c1, c2 = m.slots.contour_1[k], m.slots.contour_2[k]
    place = m.slots.start[k]
    call(m.stages.curve, m, w, c1, sample_of(m, c1, 0, _SAMPLES), 0)
    call(m.stages.curve, m, w, c1, sample_of(m, c1, _SAMPLES // 2, _SAMPLES), 1)
    a, b = w.contact_c[0], w.contact_c[1]
    size = math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2)
    s1, s2 = w.contact_s[place], w.contact_s[place + 1]
    s1, s2, g = _search_pair(m, w, c1, c2, s1, s2, size)
    if g == -math.inf:
        w.contact_s[place], w.contact_s[place + 1] = math.nan, math.nan
        store_nothing(w, k)
        return OK
    w.contact_s[place], w.contact_s[place + 1] = s1, s2
    _residual(m, w, c1, c2, s1, s2, size)
    n, _, k2 = frame_of(b)
    _, _, k1 = frame_of(a)
    g, _, _ = _gap_at(w)
    r1, r2 = (a[0], a[1]), (b[0], b[1])
    store_contact(w, k, False, g, n, r1, r2, (k1, 1.0), (k2, 1.0))
    return OK
