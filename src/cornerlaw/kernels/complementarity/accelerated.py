"""Accelerated projected gradient with adaptive restart."""

import math

from cornerlaw.arrays.problem import NOT_SOLVED, SOLVED
from cornerlaw.arrays.solver_scratch import MAX_SWEEPS, TOLERANCE, V_REF
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.complementarity.prox import (
    eval_gamma,
    eval_natural_map,
    largest_entry,
    prepare,
    project_all,
)
from cornerlaw.kernels.complementarity.verify import residual


@kernel
def _spectral_radius(p, s):
    """Estimate the largest eigenvalue of G / g from above by the power method."""
    n = p.n[0]
    for i in range(n):
        # no row is left out, and no symmetry of the problem is met by accident
        s.y[i] = 1.0 + 0.1 * ((i * 7) % 5)
    value = 0.0
    for step in range(30):
        length = 0.0
        for i in range(n):
            length = max(length, abs(s.y[i]))
        if not length > 0.0:
            break
        value = 0.0
        for i in range(n):
            s.y[i] /= length
        for i in range(n):
            total = 0.0
            for j in range(n):
                total += p.G[i, j] * s.y[j]
            s.step[i] = total / s.scale[i]
            value = max(value, abs(s.step[i]))
        for i in range(n):
            s.y[i] = s.step[i]
    # thirty steps come near from below
    return 1.1 * value if value > 0.0 else 1.0


@kernel
def solve_accelerated(p, s):
    """Solve by Nesterov's gradient method with restart; return SOLVED or NOT_SOLVED.

        y = x_k + beta_k (x_k - x_(k-1)),     x_(k+1) = prox(y - r gamma(y))

    r is one over the largest eigenvalue of G in the scale of the contacts, and falls where a step
    shows that it was underestimated. Momentum is dropped when it points uphill. Writes p.x,
    p.gamma, s.residual, s.iterations. (T-12.3) (T-12.4) [Mazhar2015; ODonoghue2015]
    """
    n = p.n[0]
    reference = prepare(p, s)
    radius = _spectral_radius(p, s)
    tolerance = s.options[TOLERANCE]
    project_all(p, p.x)
    for i in range(n):
        s.y[i] = p.x[i]
    theta = 1.0
    done = 0
    best = math.inf
    for i in range(n):
        s.x_best[i] = p.x[i]
    for sweep in range(int(s.options[MAX_SWEEPS])):
        eval_gamma(p, s.y, p.gamma)
        uphill = 0.0
        for i in range(n):
            s.x_trial[i] = s.y[i] - p.gamma[i] / (radius * s.scale[i])
        project_all(p, s.x_trial)
        for i in range(n):
            uphill += (s.y[i] - s.x_trial[i]) * (s.x_trial[i] - p.x[i]) * s.scale[i]
        following = 0.5 * (theta * math.sqrt(theta * theta + 4.0) - theta * theta)
        beta = theta * (1.0 - theta) / (theta * theta + following)
        theta = following
        if uphill > 0.0:
            theta, beta = 1.0, 0.0
        for i in range(n):
            s.y[i] = s.x_trial[i] + beta * (s.x_trial[i] - p.x[i])
            p.x[i] = s.x_trial[i]
        done = sweep + 1
        if done % 5 == 0:
            eval_gamma(p, p.x, p.gamma)
            eval_natural_map(p, s, p.x, p.gamma, s.F)
            worst = largest_entry(s.F, n)
            if worst < best:
                best = worst
                for i in range(n):
                    s.x_best[i] = p.x[i]
            elif not worst < 1e3 * best:
                radius *= 2.0
                for i in range(n):
                    p.x[i] = s.x_best[i]
                    s.y[i] = p.x[i]
                theta = 1.0
            if best <= 0.5 * tolerance * reference:
                break
    for i in range(n):
        p.x[i] = s.x_best[i] if best < math.inf else p.x[i]
    s.iterations[0] = done
    s.residual[0] = residual(p, s.options[V_REF])
    return SOLVED if s.residual[0] <= tolerance else NOT_SOLVED
