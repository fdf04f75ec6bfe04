"""Contact detection: dispatch of every slot to the closed form or search of its pair."""

from cornerlaw.arrays.kinds import CONTOUR_ARC, CONTOUR_LINE, CONTOUR_POLYGON
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.rounds import detect_round_line, detect_rounds
from cornerlaw.kernels.late import call


@kernel
def detect_slot(m, w, k):
    """Find the contact of slot k at the marker poses of w and write its `contact_*` entries.

    Gap, unit normal from the second to the first contour, tangent (n_y, -n_x), contact points and
    homogeneous curvatures. The two slots of a pair of flats stand together; each writes both.
    (T-10.1)
    """
    c1, c2 = m.slots.contour_1[k], m.slots.contour_2[k]
    if c1 < 0:
        return OK  # a free place of the pool
    # kinds are numbered such that the simpler one of a pair comes first
    swap = m.contours.kind[c1] > m.contours.kind[c2]
    if swap:
        c1, c2 = c2, c1
    if m.contours.kind[c1] > CONTOUR_POLYGON:
        return call(m.stages.detect_curves, m, w, k)
    if m.contours.kind[c2] > CONTOUR_POLYGON:
        return call(m.stages.detect_curve, m, w, k)
    if m.contours.kind[c1] > CONTOUR_LINE:
        return call(m.stages.detect_flats, m, w, k)
    if m.contours.kind[c2] > CONTOUR_LINE:
        return call(m.stages.detect_flat, m, w, k)
    if m.contours.kind[c2] <= CONTOUR_ARC:
        detect_rounds(m, w, k, swap, c1, c2)
    else:
        detect_round_line(m, w, k, swap, c1, c2)
    return OK


@kernel
def detect_slots(m, w):
    """Find the contacts of all slots; return the first status that is not OK."""
    for k in range(m.slots.start.size):
        status = detect_slot(m, w, k)
        if status != OK:
            w.culprit[0] = k
            return status
    return OK
