"""Derivatives of a law that the user gives: the same motion with fewer calls of the law."""

from typing import Any

import numpy as np
import pytest

import cornerlaw as cl

N = 5
COORDINATES = tuple(f"m{k}.position" for k in range(N))


class Counted:
    """A function that counts its calls."""

    def __init__(self, function: Any) -> None:
        self.function, self.calls = function, 0

    def __call__(self, *arguments: Any) -> Any:
        self.calls += 1
        return self.function(*arguments)


def chain_law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    for k in range(Q.size):
        left = q[k] - q[k - 1] if k else q[0]
        rate = u[k] - u[k - 1] if k else u[0]
        force = p[0] * left**3 + p[1] * rate
        Q[k] -= force
        if k:
            Q[k - 1] += force
    Q[0] -= x[0]
    x_dot[0] = 1e3 * (u[0] - x[0])


def chain_jacobian(t, r, A, v, Omega, q, u, x, p, D):
    n = q.size
    for k in range(n):
        left = q[k] - q[k - 1] if k else q[0]
        for column, slope in ((0, 3.0 * p[0] * left**2), (n, p[1])):
            D[k, column + k] -= slope
            if k:
                D[k, column + k - 1] += slope
                D[k - 1, column + k] += slope
                D[k - 1, column + k - 1] -= slope
    D[0, 2 * n] -= 1.0
    D[n, n] = 1e3
    D[n, 2 * n] = -1e3


def chain(law: Any, jacobian: Any) -> cl.Model:
    masses = [cl.Slider(f"m{k}", mass=1.0, position=0.1 * (k + 1) ** 1.5) for k in range(N)]
    element = cl.ForceElement(
        "chain", coordinates=COORDINATES, law=law, force_jacobian=jacobian,
        states={"film": 0.0}, parameters={"stiffness": 1e4, "damping": 200.0},
    )  # fmt: skip
    return cl.Model(*masses, element)


@pytest.mark.parametrize(
    ("method", "error"),
    [
        (cl.Radau(rtol=1e-8, atol=1e-10), 1e-8),
        (cl.GeneralisedAlpha(dt=1e-3), 1e-10),
        (cl.Theta(dt=1e-3), 1e-10),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, float) else "",
)
def test_own_derivatives_give_the_same_with_fewer_calls(method: Any, error: float) -> None:
    calls, ends = [], []
    for with_jacobian in (False, True):
        law, jacobian = Counted(chain_law), Counted(chain_jacobian)
        model = chain(cl.Interpreted(law), cl.Interpreted(jacobian) if with_jacobian else None)
        sol = cl.simulate(model, 0.2, method=method)
        assert not sol.info.warnings
        # at the start the derivatives are compared with differences: two calls per argument
        calls.append(law.calls - (2 * (2 * N + 1) if with_jacobian else 0))
        ends.append([sol[name][-1] for name in COORDINATES])
    assert np.abs(np.subtract(*ends)).max() < error
    # a matrix of differences needs a call for (almost) every coordinate, rate and state
    matrices = jacobian.calls - 1
    assert matrices > 0
    assert calls[1] <= calls[0] - matrices * (N - 1)
    compiled = cl.simulate(chain(chain_law, chain_jacobian), 0.2, method=method)
    assert np.abs(np.subtract([compiled[name][-1] for name in COORDINATES], ends[1])).max() < error


def mount(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    """A spring-damper on position and rotation; the moment is -k/2 vee(A - A^T) - d Omega."""
    for k in range(3):
        a, b = (k + 1) % 3, (k + 2) % 3
        F[0, k] = -p[0] * r[0, k] - p[1] * v[0, k]
        M[0, k] = -0.5 * p[0] * (A[0, b, a] - A[0, a, b]) - p[1] * Omega[0, k]


def mount_jacobian(t, r, A, v, Omega, q, u, x, p, D):
    trace = A[0, 0, 0] + A[0, 1, 1] + A[0, 2, 2]
    for i in range(3):
        D[i, i] = -p[0]
        D[i, 6 + i] = D[3 + i, 9 + i] = -p[1]
        for j in range(3):
            # vee([phi] A + A^T [phi]) = (tr A - A) phi
            D[3 + i, 3 + j] = -0.5 * p[0] * ((trace if i == j else 0.0) - A[0, i, j])


def transposed(t, r, A, v, Omega, q, u, x, p, D):
    mount_jacobian_plain(t, r, A, v, Omega, q, u, x, p, D)
    D[3, 4], D[4, 3] = D[4, 3], D[3, 4] + 1.0


mount_jacobian_plain = mount_jacobian


def mounted(jacobian: Any) -> cl.Model:
    body = cl.Body(
        "body", mass=1.0, inertia=(0.1, 0.2, 0.3), position=(0.1, 0.0, 0.2),
        rotation=cl.rotation.cardan(0.3, -0.5, 0.8), velocity=(0.0, 1.0, 0.0),
        angular_velocity=(2.0, -1.0, 3.0),
    )  # fmt: skip
    element = cl.ForceElement(
        "mount", frames=(body,), law=mount, force_jacobian=jacobian,
        parameters={"stiffness": 500.0, "damping": 100.0},
    )  # fmt: skip
    return cl.Model(body, element)


def test_derivatives_with_respect_to_rotations() -> None:
    method = cl.Radau(rtol=1e-9, atol=1e-11)
    own = cl.simulate(mounted(mount_jacobian), 0.3, method=method)
    known = cl.simulate(mounted(None), 0.3, method=method)
    assert not own.info.warnings
    assert np.abs(own["body"].position[-1] - known["body"].position[-1]).max() < 1e-8
    assert np.abs(own["body"].rotation[-1] - known["body"].rotation[-1]).max() < 1e-7
    # what both say about the matrix is the same, so that they converge alike
    assert own.info.statistics["evaluations"] == pytest.approx(
        known.info.statistics["evaluations"], rel=0.05
    )


def test_wrong_derivatives_are_told_and_change_no_result() -> None:
    method = cl.Radau(rtol=1e-9, atol=1e-11)
    wrong = cl.simulate(mounted(cl.Interpreted(transposed)), 0.3, method=method)
    known = cl.simulate(mounted(None), 0.3, method=method)
    assert "'mount': force_jacobian differs from differences of the law" in wrong.info.warnings[0]
    assert "D[3, 4]" in wrong.info.warnings[0] or "D[4, 3]" in wrong.info.warnings[0]
    assert np.abs(wrong["body"].position[-1] - known["body"].position[-1]).max() < 1e-7


def switched(t, r, A, v, Omega, q, u, x, z, d, p, F, M, Q, x_dot):
    Q[0] = -p[0] * q[0] * z[0] - 0.1 * d[0]


def switched_jacobian(t, r, A, v, Omega, q, u, x, z, d, p, D):
    D[0, 0] = -p[0] * z[0]


def speed(t, r, A, v, Omega, q, u, x, z, p):
    return u[0]


def test_discrete_states_and_delays_beside_derivatives() -> None:
    def model(jacobian: Any) -> cl.Model:
        element = cl.ForceElement(
            "e", coordinates=("s.position",), law=switched, force_jacobian=jacobian,
            discrete={"on": 2.0}, delays={"late": cl.Delay(speed, 0.1)}, parameters={"k": 50.0},
        )  # fmt: skip
        return cl.Model(cl.Slider("s", mass=1.0, position=1.0), element)

    method = cl.Radau(rtol=1e-9, atol=1e-11)
    ends = [
        cl.simulate(model(f), 1.0, method=method)["s"].position[-1]
        for f in (None, switched_jacobian)
    ]
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)
