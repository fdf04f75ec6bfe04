"""Restitution at the approach speed of a contact."""

from cornerlaw.kernels._numba import kernel


@kernel
def eval_restitution(eps, gamma_N, speed):
    """Return the restitution of a contact, zero if it approaches slower than a threshold speed.

        eps(gamma_N) = eps  if -gamma_N >= speed,  else 0

    A threshold of zero means none. (T-13.4)
    """
    if speed > 0.0 and -gamma_N < speed:
        return 0.0
    return eps
