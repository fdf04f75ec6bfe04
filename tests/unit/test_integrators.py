"""Integrators against closed forms and SciPy, on small equations in place of the multibody rates."""

import importlib
import math
import sys
import types
from typing import NamedTuple

import numba
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from cornerlaw.arrays.state import new_counters, new_record, new_state
from cornerlaw.arrays.status import (
    BUFFER_FULL,
    DONE,
    NOT_FINITE,
    OK,
    PAUSED,
    STEP_TOO_SMALL,
    STOPPED,
)
from cornerlaw.errors import CornerlawError, UsageError
from cornerlaw.kernels.bundle import Bundle
from cornerlaw.simulate.methods import (
    GeneralisedAlpha,
    Radau,
    RungeKutta4,
    RungeKutta5,
    RungeKutta8,
    SemiImplicitEuler,
    new_output,
)

SMOOTH, ROWS, QUATERNION, STIFF, DRIVEN, BLOW_UP, OSCILLATOR = range(7)
REBUILT = (
    "control",
    "crossings",
    "entries",
    "explicit",
    "fixed",
    "generalised_alpha",
    "lu",
    "output",
    "radau",
)
GRAVITY = 1.0


class Indicators(NamedTuple):
    source: np.ndarray
    level: np.ndarray
    direction: np.ndarray
    terminal: np.ndarray


class Problem(NamedTuple):
    kind: int
    nq: int
    nu: int
    nx: int
    n_rows: int
    n_indicators: int
    error_weight: np.ndarray
    indicators: Indicators


class Work(NamedTuple):
    unused: np.ndarray


def eval_rates(m, w, t, q, u, x, q_dot, u_dot, x_dot):
    if m.kind == QUATERNION:
        # torque-free body with principal moments of inertia 1, 2, 3
        q_dot[0] = 0.5 * (-q[1] * u[0] - q[2] * u[1] - q[3] * u[2])
        q_dot[1] = 0.5 * (q[0] * u[0] - q[3] * u[1] + q[2] * u[2])
        q_dot[2] = 0.5 * (q[3] * u[0] + q[0] * u[1] - q[1] * u[2])
        q_dot[3] = 0.5 * (-q[2] * u[0] + q[1] * u[1] + q[0] * u[2])
        u_dot[0] = -u[1] * u[2]
        u_dot[1] = u[2] * u[0]
        u_dot[2] = -u[0] * u[1] / 3.0
        return OK
    if m.kind == DRIVEN:
        q[0], u[0] = math.sin(3.0 * t), 3.0 * math.cos(3.0 * t)
        u_dot[0] = -9.0 * q[0]
        u_dot[1] = q[0] - q[1]
    elif m.kind == SMOOTH:
        bond = 0.3 * math.sin(q[1] - q[0])
        u_dot[0] = -math.sin(q[0]) + bond - 0.1 * u[0] + 0.2 * x[0]
        u_dot[1] = -2.0 * math.sin(q[1]) - bond + 0.1 * math.cos(t)
        x_dot[0] = q[0] * u[1] - x[0]
    elif m.kind == ROWS:
        # pendulum in Cartesian coordinates, the multiplier of x^2 + y^2 = 1 eliminated
        lam = (GRAVITY * q[1] - u[0] ** 2 - u[1] ** 2) / (q[0] ** 2 + q[1] ** 2)
        u_dot[0] = lam * q[0]
        u_dot[1] = lam * q[1] - GRAVITY
    elif m.kind == STIFF:
        # solved by q = x = cos t
        u_dot[0] = -1e6 * (q[0] - math.cos(t)) - 1e3 * (u[0] + math.sin(t)) - math.cos(t)
        x_dot[0] = -1e4 * (x[0] - math.cos(t)) - math.sin(t)
    elif m.kind == BLOW_UP:
        u_dot[0] = u[0] ** 2
    else:
        u_dot[0] = -q[0]
    for i in range(m.nu):
        q_dot[i] = u[i]
    return OK


def project_position(m, w, t, q):
    length = math.sqrt(q[0] ** 2 + q[1] ** 2)
    q[0] /= length
    q[1] /= length
    return OK


def project_velocity(m, w, t, q, u):
    gamma = q[0] * u[0] + q[1] * u[1]
    u[0] -= gamma * q[0]
    u[1] -= gamma * q[1]
    return OK


def normalise_position(m, q):
    if m.kind == QUATERNION:
        length = math.sqrt(q[0] ** 2 + q[1] ** 2 + q[2] ** 2 + q[3] ** 2)
        for i in range(4):
            q[i] /= length


def advance_position(m, q, delta, q_out):
    if m.kind != QUATERNION:
        for i in range(m.nq):
            q_out[i] = q[i] + delta[i]
        return
    angle = math.sqrt(delta[0] ** 2 + delta[1] ** 2 + delta[2] ** 2)
    c, s = math.cos(0.5 * angle), 0.5 * np.sinc(0.5 * angle / math.pi)
    a, b, d = s * delta[0], s * delta[1], s * delta[2]
    e0, e1, e2, e3 = q[0], q[1], q[2], q[3]
    q_out[0] = e0 * c - e1 * a - e2 * b - e3 * d
    q_out[1] = e0 * a + e1 * c + e2 * d - e3 * b
    q_out[2] = e0 * b - e1 * d + e2 * c + e3 * a
    q_out[3] = e0 * d + e1 * b - e2 * a + e3 * c


def eval_indicators(m, w, t, q, u, x, out):
    for k in range(m.n_indicators):
        i = m.indicators.source[k]
        out[k] = (q[i] if i < m.nq else u[i - m.nq]) - m.indicators.level[k]


RATES = (
    eval_rates,
    project_position,
    project_velocity,
    normalise_position,
    advance_position,
    eval_indicators,
)


@pytest.fixture(scope="module", autouse=True)
def small_equations():
    """Build the integrators on the equations above, without a cache that others would read."""
    package = "cornerlaw.kernels"
    # what both share is loaded before
    importlib.import_module(f"{package}.late")
    names = [f"{package}.integrators.{name}" for name in REBUILT]
    kept = {name: sys.modules.pop(name, None) for name in names}
    rates, compiler = types.ModuleType(f"{package}.rates"), types.ModuleType(f"{package}._numba")
    compiler.kernel = numba.njit(error_model="numpy")
    for function in RATES:
        setattr(rates, function.__name__, compiler.kernel(function))
    for module in (rates, compiler):
        kept[module.__name__] = sys.modules.get(module.__name__)
        sys.modules[module.__name__] = module
    yield
    for name, module in kept.items():
        sys.modules.pop(name, None)
        if module is not None:
            sys.modules[name] = module


STARTS = {
    SMOOTH: ((0.7, -0.4), (0.2, 0.5), (0.3,)),
    ROWS: ((1.0, 0.0), (0.0, -1.0), ()),
    QUATERNION: ((1.0, 0.0, 0.0, 0.0), (0.4, 1.1, 0.3), ()),
    STIFF: ((1.0,), (0.0,), (1.0,)),
    DRIVEN: ((0.0, 0.0), (3.0, 1.0 - 3.0 / 8.0), ()),
    BLOW_UP: ((0.0,), (1.0,), ()),
    OSCILLATOR: ((1.0,), (0.0,), ()),
}


def new_problem(kind, indicators=()):
    """Return the problem; an indicator is (entry of (q, u), level, direction, terminal)."""
    q, u, x = STARTS[kind]
    weight = np.ones(len(q) + len(u) + len(x))
    if kind == DRIVEN:
        weight[[0, 2]] = 0.0
    columns = list(zip(*indicators, strict=True)) if indicators else [(), (), (), ()]
    kinds = (np.int64, np.float64, np.int64, np.int64)
    arrays = [np.array(c, k) for c, k in zip(columns, kinds, strict=True)]
    rows = 1 if kind == ROWS else 0
    sizes = (len(q), len(u), len(x), rows, len(indicators))
    return Bundle(Problem(kind, *sizes, weight, Indicators(*arrays)))


class Run:
    """A run from the start of a problem, cut into calls as asked; rows end up in arrays."""

    def __init__(self, method, m, *, t_eval=None, every=1, capacity=100_000, restart=False):
        self.method, self.m, self.restart = method, m, restart
        self.runner = method.prepare(m)
        self.w = Bundle(Work(np.zeros(1)))
        self.state = new_state(m.nq, m.nu, m.nx, memory=self.runner.memory_size)
        for target, values in zip(self.state[1:4], STARTS[m.kind], strict=True):
            target[:] = values
        self.record = new_record(capacity, m.nq, m.nu, m.nx)
        self.counters = new_counters()
        self.output = new_output(m, capacity, t_eval, every)
        self.rows = []

    def go(self, t_end, max_steps=10**9):
        """Run until something else than a pause or a full record comes back."""
        while True:
            if self.restart:
                self.runner = self.method.prepare(self.m)
            status = self.runner.run(
                self.m,
                self.w,
                self.state,
                self.record,
                self.counters,
                t_end,
                self.output,
                max_steps,
            )
            n = self.record.n[0]
            parts = (self.record.t, self.record.q, self.record.u, self.record.x, self.output.event)
            self.rows += [
                np.concatenate([np.atleast_1d(part[k]) for part in parts]) for k in range(n)
            ]
            self.record.n[0] = 0
            if status not in (PAUSED, BUFFER_FULL):
                return status

    @property
    def y(self):
        return np.concatenate(self.state[1:4])

    @property
    def table(self):
        return np.array(self.rows)


_references = {}


def reference(kind, t_end):
    """Return (q, u, x) at t_end by SciPy at the limit of double precision."""
    if (kind, t_end) not in _references:
        m = new_problem(kind)
        a, b = m.nq, m.nq + m.nu

        def rates(t, y):
            f = np.zeros_like(y)
            eval_rates(m, None, t, y[:a], y[a:b], y[b:], f[:a], f[a:b], f[b:])
            return f

        start = np.concatenate([np.array(part) for part in STARTS[kind]])
        found = solve_ivp(rates, (0.0, t_end), start, method="DOP853", rtol=3e-14, atol=1e-15)
        _references[kind, t_end] = found.y[:, -1]
    return _references[kind, t_end]


def with_step(method, dt):
    """Return the method with this step; adaptive ones get a tolerance that accepts every step."""
    if method in (RungeKutta5, RungeKutta8):
        return method(rtol=1e3, atol=1e3, max_step=dt, first_step=dt)
    if method is Radau:
        return Radau(rtol=1.0, atol=1.0, max_step=dt, first_step=dt, newton=2e-15)
    return method(dt)


FIRST_STEPS = {
    RungeKutta5: 1 / 4,
    RungeKutta8: 2 / 3,
    Radau: 1 / 3,
    GeneralisedAlpha: 1 / 40,
    RungeKutta4: 1 / 10,
    SemiImplicitEuler: 1 / 100,
}


@pytest.mark.parametrize("kind", [SMOOTH, ROWS, QUATERNION])
@pytest.mark.parametrize("method", FIRST_STEPS, ids=lambda method: method.__name__)
def test_order(method, kind):
    steps, errors = [], []
    for k in range(6):
        dt = FIRST_STEPS[method] / 2**k
        run = Run(with_step(method, dt), new_problem(kind))
        assert run.go(2.0) == DONE
        assert run.state.t[0] == 2.0
        assert run.counters.steps[0] == round(2.0 / dt)
        steps.append(dt)
        errors.append(np.linalg.norm(run.y - reference(kind, 2.0)))
    fitted = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    allowed = 0.4 if method.order == 8 else 0.15
    assert abs(fitted - method.order) < allowed, (fitted, errors)
