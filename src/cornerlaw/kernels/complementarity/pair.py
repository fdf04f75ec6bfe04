"""The independent check of one contact with one friction row; shares no code with the solvers.

It gives what `verify.residual` gives for the same problem of two rows.
"""

import math

from cornerlaw.kernels._inlined import inlined

ROUNDING = 2.0**-53  # of a sum, relative to the largest of what is summed


@inlined
def residual_pair(G_NN, G_NT, G_TN, G_TT, c_N, c_T, low, high, x_N, x_T, v_ref):
    """Return the residual of x and gamma_N, gamma_T = G x + c; the ends are low x_N and high x_N.

    scale |x - prox(x - gamma / scale)| / max(|c|_inf, v_ref), scale = max |G_ii|. (T-11.9)
    """
    gamma_N = c_N + G_NN * x_N + G_NT * x_T
    gamma_T = c_T + G_TN * x_N + G_TT * x_T
    scale = max(abs(G_NN), abs(G_TT))
    if scale == 0.0:
        scale = max(abs(G_NT), abs(G_TN))
        scale = scale if scale > 0.0 else 1.0
    load = max(x_N, 0.0)
    d_N = x_N - max(x_N - gamma_N / scale, 0.0)
    d_T = x_T - min(max(x_T - gamma_T / scale, low * load), high * load)
    worst = scale * math.sqrt(d_N * d_N + d_T * d_T)
    if not worst < math.inf:
        return math.inf, gamma_N, gamma_T
    reference = max(v_ref, max(abs(c_N), abs(c_T)))
    size_N = abs(G_NN * x_N) + abs(G_NT * x_T)
    size_T = abs(G_TN * x_N) + abs(G_TT * x_T)
    if ROUNDING * max(size_N, size_T) > reference:
        return math.inf, gamma_N, gamma_T
    if worst == 0.0:
        return 0.0, gamma_N, gamma_T
    return worst / reference if reference > 0.0 else math.inf, gamma_N, gamma_T
