"""Elimination of bilateral rows from the matrix G of an impact."""

from cornerlaw.arrays.impact_arrays import REFUSED_FRICTION
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.impacts.sets import has_friction, is_bilateral, is_normal

# what is left of a diagonal element of a row that depends on rows eliminated before
_DEPENDENT = 1e-10


@kernel
def _pivot(H, n, k):
    """Exchange velocity and impulse of row k in gamma = H Lambda."""
    d = 1.0 / H[k, k]
    for j in range(n):
        if j != k:
            H[k, j] *= -d
    for i in range(n):
        if i != k:
            f = H[i, k]
            for j in range(n):
                if j != k:
                    H[i, j] += f * H[k, j]
            H[i, k] = f * d
    H[k, k] = d


@kernel
def _best_bilateral_row(p, imp):
    """Return the bilateral row with most of its diagonal element left, -1 if all are dependent."""
    best, most = -1, _DEPENDENT
    for k in range(p.n_sets[0]):
        if not is_bilateral(p, k):
            continue
        i = p.start[k]
        if imp.is_out[i] == 0 and p.G[i, i] > 0.0 and imp.H[i, i] > most * p.G[i, i]:
            best, most = i, imp.H[i, i] / p.G[i, i]
    return best


@kernel
def condense(p, imp):
    """Write into H the matrix G with velocity and impulse of the bilateral rows exchanged.

        [Lambda_B]   [ G_BB^-1         -G_BB^-1 G_BU             ] [gamma_B]
        [gamma_U ] = [ G_UB G_BB^-1     G_UU - G_UB G_BB^-1 G_BU ] [Lambda_U]

    Rows that depend on others keep is_out = 0 and zero velocity. (T-13.3)
    """
    n = p.n[0]
    for i in range(n):
        imp.is_out[i] = 0
        for j in range(n):
            imp.H[i, j] = p.G[i, j]
    while True:
        k = _best_bilateral_row(p, imp)
        if k < 0:
            break
        _pivot(imp.H, n, k)
        imp.is_out[k] = 1


@kernel
def list_normal_rows(p, imp):
    """Write the normal rows into `row`; return how many, or -REFUSED_FRICTION."""
    count = 0
    for k in range(p.n_sets[0]):
        if has_friction(p, k):
            return -REFUSED_FRICTION
        if is_normal(p, k):
            imp.row[count] = p.start[k]
            count += 1
    return count


@kernel
def list_normal_velocities(p, imp, count, gamma):
    """Write into gamma the velocities of the listed rows once the bilateral rows are at rest."""
    for a in range(count):
        i = imp.row[a]
        gamma[a] = imp.gamma_minus[i]
        for b in range(p.n[0]):
            if imp.is_out[b] == 1:
                gamma[a] -= imp.H[i, b] * imp.gamma_minus[b]


@kernel
def complete_impulses(p, imp):
    """Write the impulses of the bilateral rows that belong to those of the other rows."""
    n = p.n[0]
    for b in range(n):
        if imp.is_out[b] == 0:
            continue
        total = 0.0
        for j in range(n):
            if imp.is_out[j] == 1:
                total -= imp.H[b, j] * imp.gamma_minus[j]
            else:
                total += imp.H[b, j] * imp.Lambda[j]
        imp.Lambda[b] = total
