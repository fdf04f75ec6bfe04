"""Integrators against closed forms and SciPy, on small equations in place of a model's rates."""

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
    "quiet",
    "radau",
)
GRAVITY = 1.0


class Indicators(NamedTuple):
    kind: np.ndarray
    source: np.ndarray
    level: np.ndarray
    direction: np.ndarray
    terminal: np.ndarray


class Rows(NamedTuple):
    kind: np.ndarray


class Elements(NamedTuple):
    jacobian_address: np.ndarray


class Problem(NamedTuple):
    kind: int
    nq: int
    nu: int
    nx: int
    n_rows: int
    n_indicators: int
    error_weight: np.ndarray
    indicators: Indicators
    rows: Rows
    elements: Elements


class Corners(NamedTuple):
    shown: np.ndarray
    Lambda: np.ndarray
    Lambda_A: np.ndarray
    n_events: np.ndarray
    event_t: np.ndarray
    event_kind: np.ndarray


NO_CORNERS = Corners(
    np.zeros(0, np.int64), np.zeros(0), np.zeros(0), np.zeros(1, np.int64), np.zeros(0),
    np.zeros(0, np.int64),
)  # fmt: skip


class Pool(NamedTuple):
    pair: np.ndarray


class Work(NamedTuple):
    unused: np.ndarray
    k: Corners
    pool: Pool
    contact_id: np.ndarray
    contact_shown: np.ndarray


def see_states(w, x):
    """Note nothing: these equations have no rows of elements."""


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


def reset_closeness(w):
    pass


def met_singularity(w):
    return False


def came_near_singularity(w):
    return False


def remove_normal(m, w, v):
    pass


RATES = (
    reset_closeness,
    met_singularity,
    came_near_singularity,
    remove_normal,
    see_states,
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
    rows, laws = Rows(np.zeros(sizes[3], np.int64)), Elements(np.zeros(0, np.int64))
    return Bundle(
        Problem(kind, *sizes, weight, Indicators(np.zeros_like(arrays[0]), *arrays), rows, laws)
    )


class Run:
    """A run from the start of a problem, cut into calls as asked; rows end up in arrays."""

    def __init__(self, method, m, *, t_eval=None, every=1, capacity=100_000, restart=False):
        self.method, self.m, self.restart = method, m, restart
        self.runner = method.prepare(m)
        self.w = Bundle(
            Work(
                np.zeros(1),
                NO_CORNERS,
                Pool(np.zeros(0, np.int64)),
                np.zeros(0, np.int64),
                np.zeros(0, np.int64),
            )
        )
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
        # stages far more accurate than the step, as far as rounding allows
        newton = max(2e-15, 1e-8 * dt**5)
        return Radau(rtol=1.0, atol=1.0, max_step=dt, first_step=dt, newton=newton)
    return method(dt)


# largest step and end time: the errors of five halvings lie between 1 and rounding
ORDER_RUNS = {
    RungeKutta5: {SMOOTH: (1 / 8, 2.0), ROWS: (1 / 4, 2.0), QUATERNION: (1 / 2, 16.0)},
    RungeKutta8: {SMOOTH: (2.0, 8.0), ROWS: (2.0, 8.0), QUATERNION: (3.0, 36.0)},
    Radau: {SMOOTH: (1 / 2, 2.0), ROWS: (5 / 16, 5.0), QUATERNION: (1.0, 8.0)},
    GeneralisedAlpha: dict.fromkeys((SMOOTH, ROWS, QUATERNION), (1 / 32, 2.0)),
    RungeKutta4: dict.fromkeys((SMOOTH, ROWS, QUATERNION), (1 / 16, 2.0)),
    SemiImplicitEuler: dict.fromkeys((SMOOTH, ROWS, QUATERNION), (1 / 128, 2.0)),
}
METHODS = tuple(ORDER_RUNS)
TYPICAL = (
    RungeKutta5(rtol=1e-5),
    RungeKutta8(rtol=1e-7),
    Radau(rtol=1e-5),
    GeneralisedAlpha(0.03),
    RungeKutta4(0.07),
    SemiImplicitEuler(0.01),
)


def by_name(value):
    return getattr(value, "__name__", type(value).__name__)


@pytest.mark.parametrize("kind", [SMOOTH, ROWS, QUATERNION])
@pytest.mark.parametrize("method", METHODS, ids=by_name)
def test_order(method, kind):
    first, t_end = ORDER_RUNS[method][kind]
    steps, errors = [first / 2**k for k in range(6)], []
    for dt in steps:
        run = Run(with_step(method, dt), new_problem(kind), every=0)
        assert run.go(t_end) == DONE
        assert run.state.t[0] == t_end
        assert run.counters.steps[0] == round(t_end / dt)
        errors.append(np.linalg.norm(run.y - reference(kind, t_end)))
    fitted = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    allowed = 0.4 if method.order == 8 else 0.15
    assert abs(fitted - method.order) < allowed, (fitted, errors)


@pytest.mark.parametrize("method", TYPICAL, ids=by_name)
@pytest.mark.parametrize("kind", [SMOOTH, ROWS, QUATERNION, DRIVEN])
@pytest.mark.parametrize("mode", ["every", "t_eval"])
def test_interruptions_change_no_bit(method, kind, mode):
    m = new_problem(kind, [(0, 0.1, 0, 0), (m_velocity(kind), 0.2, 1, 0)])
    plan = {"every": 3} if mode == "every" else {"t_eval": np.linspace(0.0, 5.0, 173)}
    whole = Run(method, m, **plan)
    assert whole.go(5.0) == DONE
    # a record of four rows, three steps per call, new scratch arrays in every call
    cut = Run(method, m, **plan, capacity=4, restart=True)
    assert cut.go(5.0, max_steps=3) == DONE
    assert np.array_equal(whole.table, cut.table)
    assert np.array_equal(whole.y, cut.y)
    assert np.array_equal(whole.state.dt, cut.state.dt)
    assert np.array_equal(whole.output.crossings, cut.output.crossings)
    assert whole.counters.steps[0] == cut.counters.steps[0]


def m_velocity(kind):
    """Return the entry of (q, u) that is the first velocity."""
    return len(STARTS[kind][0])


@pytest.mark.parametrize("method", TYPICAL, ids=by_name)
def test_rows_by_steps(method):
    run = Run(method, new_problem(SMOOTH), every=4)
    assert run.go(2.0) == DONE
    n = int(run.counters.steps[0])
    t = run.table[:, 0]
    # the start, every fourth step, and the end even if it is none of these
    assert len(t) == 1 + n // 4 + (1 if n % 4 else 0)
    assert t[0] == 0.0
    assert t[-1] == 2.0
    assert np.all(np.diff(t) > 0.0)
    assert np.array_equal(run.table[-1, 1:6], run.y)


PRECISE = (RungeKutta5(rtol=1e-12, atol=1e-13), RungeKutta8(rtol=1e-12, atol=1e-13))
# three to five times the largest errors measured
T_EVAL_ERRORS = {
    RungeKutta5: 5e-9,
    RungeKutta8: 2e-9,
    Radau: 5e-10,
    GeneralisedAlpha: 5e-3,
    RungeKutta4: 4e-5,
    SemiImplicitEuler: 0.15,
}


@pytest.mark.parametrize("method", TYPICAL, ids=by_name)
@pytest.mark.parametrize("kind", [SMOOTH, ROWS, QUATERNION])
def test_rows_at_given_times(method, kind):
    if hasattr(method, "rtol"):
        method = type(method)(rtol=1e-9, atol=1e-11)
    times = np.array([0.0, 0.3, 0.31, 1.0, math.pi / 2, 1.9, 2.0])
    run = Run(method, new_problem(kind), t_eval=times)
    assert run.go(2.0) == DONE
    table = run.table
    assert np.array_equal(table[:, 0], times)
    for row in table[1:]:
        expected = reference(kind, row[0])
        assert np.abs(row[1:-1] - expected).max() < T_EVAL_ERRORS[type(method)]
    if kind == ROWS:
        # projected to rounding, positions and velocities
        assert np.abs(np.hypot(table[:, 1], table[:, 2]) - 1.0).max() < 1e-15
        assert np.abs((table[:, 1:3] * table[:, 3:5]).sum(axis=1)).max() < 1e-15
    if kind == QUATERNION:
        assert np.abs(np.linalg.norm(table[:, 1:5], axis=1) - 1.0).max() < 1e-15


def test_given_times_do_not_change_the_steps():
    free = Run(RungeKutta8(), new_problem(SMOOTH))
    dense = Run(RungeKutta8(), new_problem(SMOOTH), t_eval=np.linspace(0.0, 2.0, 1001))
    assert free.go(2.0) == DONE
    assert dense.go(2.0) == DONE
    assert np.array_equal(free.y, dense.y)


@pytest.mark.parametrize("method", TYPICAL, ids=by_name)
def test_prescribed_coordinates_are_exact(method):
    run = Run(method, new_problem(DRIVEN), t_eval=np.linspace(0.0, 3.0, 50))
    assert run.go(3.0) == DONE
    t, q, u = run.table[:, 0], run.table[:, 1:3], run.table[:, 3:5]
    assert np.array_equal(q[:, 0], [math.sin(3.0 * s) for s in t])
    assert np.array_equal(u[:, 0], [3.0 * math.cos(3.0 * s) for s in t])
    exact = np.sin(t) - np.sin(3.0 * t) / 8.0
    assert np.abs(q[:, 1] - exact).max() < (0.1 if method.order == 1 else 2e-3)


@pytest.mark.parametrize("method", PRECISE, ids=by_name)
def test_crossings_are_located_to_rounding(method):
    # q = cos t crosses zero at pi/2 (falling), 3 pi/2 (rising), ...
    m = new_problem(OSCILLATOR, [(0, 0.0, -1, 0), (0, 0.0, 1, 0), (1, 0.0, 0, 0)])
    run = Run(method, m, every=10**6)
    assert run.go(10.0) == DONE
    events = run.table[run.table[:, -1] >= 0]
    expected = [(math.pi / 2 * k, {1: 0, 2: 2, 3: 1, 0: 2}[k % 4]) for k in range(1, 7)]
    assert np.abs(events[:, 0] - [t for t, _ in expected]).max() < 2e-12
    assert list(events[:, -1]) == [k for _, k in expected]
    # the stored state is at the zero, not only near it
    watched = np.where(events[:, -1] == 2, events[:, 2], events[:, 1])
    assert np.abs(watched).max() < 1e-14
    assert list(run.output.crossings) == [2, 1, 3]


@pytest.mark.parametrize("method", TYPICAL, ids=by_name)
def test_stop_and_go_on(method):
    m = new_problem(OSCILLATOR, [(0, 0.5, -1, 1), (1, -0.3, -1, 0)])
    times = np.linspace(0.0, 9.0, 91)
    run = Run(method, m, t_eval=times, capacity=3)
    stops = []
    while (status := run.go(9.0)) == STOPPED:
        assert run.output.stopped[0] == 0
        assert abs(run.state.q[0] - 0.5) < 1e-14
        assert run.table[-1, 0] == run.state.t[0]
        assert run.table[-1, -1] == 0
        stops.append(run.state.t[0])
    assert status == DONE
    assert np.abs(np.array(stops) - [math.pi / 3, math.pi / 3 + 2 * math.pi]).max() < 0.05
    t = run.table[:, 0]
    assert np.all(np.diff(t) > 0.0)
    assert set(times) <= set(t)
    assert list(run.output.crossings) == [2, 2]


def test_stop_in_cartesian_coordinates_satisfies_the_constraints():
    m = new_problem(ROWS, [(0, 0.0, -1, 1)])
    run = Run(RungeKutta8(), m)
    assert run.go(10.0) == STOPPED
    q, u = run.state.q, run.state.u
    assert abs(q[0]) < 1e-15
    assert abs(q[1] + 1.0) < 1e-15
    assert abs(u @ q) < 1e-15
    # energy: u^2 = 1 + 2 g
    assert abs(u @ u - 1.0 - 2.0 * GRAVITY) < 1e-8


def test_energy_of_order_8():
    run = Run(RungeKutta8(rtol=1e-10, atol=1e-12), new_problem(ROWS), every=10)
    assert run.go(100.0) == DONE
    q, u = run.table[:, 1:3], run.table[:, 3:5]
    energy = 0.5 * (u**2).sum(axis=1) + GRAVITY * q[:, 1]
    assert np.abs(energy - energy[0]).max() < 2e-9
    assert np.abs(np.linalg.norm(q, axis=1) - 1.0).max() < 1e-15
    run = Run(RungeKutta8(rtol=1e-10, atol=1e-12), new_problem(QUATERNION), every=10)
    assert run.go(100.0) == DONE
    energy = run.table[:, 5:8] ** 2 @ [1.0, 2.0, 3.0]
    assert np.abs(energy / energy[0] - 1.0).max() < 2e-9


@pytest.mark.parametrize(("method", "most"), [(Radau(), 60), (GeneralisedAlpha(0.01), 100)])
def test_stiff_forces_and_states(method, most):
    run = Run(method, new_problem(STIFF), t_eval=np.linspace(0.0, 1.0, 11))
    assert run.go(1.0) == DONE
    assert run.counters.steps[0] <= most
    t, table = run.table[:, 0], run.table
    allowed = 1e-6 if isinstance(method, Radau) else 3e-5
    for column, exact in ((1, np.cos(t)), (2, -np.sin(t)), (3, np.cos(t))):
        assert np.abs(table[:, column] - exact).max() < allowed


def test_explicit_method_survives_stiffness():
    run = Run(RungeKutta5(), new_problem(STIFF))
    assert run.go(0.1) == DONE
    assert abs(run.state.q[0] - math.cos(0.1)) < 1e-6


@pytest.mark.parametrize("method", TYPICAL[:3], ids=by_name)
def test_singularity_ends_the_run(method):
    run = Run(method, new_problem(BLOW_UP))
    assert run.go(2.0) in (STEP_TOO_SMALL, NOT_FINITE)
    assert abs(run.state.t[0] - 1.0) < 1e-3
    assert np.isfinite(run.y).all()


@pytest.mark.parametrize("method", TYPICAL, ids=by_name)
def test_nan_is_reported(method):
    run = Run(method, new_problem(SMOOTH))
    run.state.u[0] = math.nan
    assert run.go(1.0) == NOT_FINITE


@pytest.mark.parametrize("method", TYPICAL, ids=by_name)
def test_a_run_of_no_length(method):
    run = Run(method, new_problem(SMOOTH))
    assert run.go(0.0) == DONE
    assert len(run.rows) == 1


def test_last_step_of_a_fixed_method_ends_at_t_end():
    run = Run(RungeKutta4(0.3), new_problem(SMOOTH))
    assert run.go(1.0) == DONE
    assert np.allclose(run.table[:, 0], [0.0, 0.3, 0.6, 0.9, 1.0], rtol=0, atol=1e-15)
    # a new grid begins at the old end
    assert run.go(1.5) == DONE
    assert np.allclose(run.table[-2:, 0], [1.3, 1.5], rtol=0, atol=1e-15)


def test_short_last_step_does_not_shorten_the_next():
    run = Run(RungeKutta5(), new_problem(SMOOTH))
    run.go(2.0)
    planned = run.state.dt[0]
    run.go(2.0 + 1e-6)
    assert run.state.dt[0] >= planned


def test_state_changed_from_outside():
    run = Run(RungeKutta8(), new_problem(SMOOTH))
    run.go(1.0)
    run.state.u[:] = 0.0
    run.runner.restart(run.state)
    run.go(2.0)
    fresh = Run(RungeKutta8(), new_problem(SMOOTH))
    middle = run.table[run.table[:, 0] == 1.0][0]
    fresh.state.t[0] = 1.0
    fresh.state.q[:], fresh.state.u[:], fresh.state.x[:] = middle[1:3], 0.0, middle[5:6]
    fresh.go(2.0)
    # two runs with different steps at rtol = 1e-9
    assert np.abs(fresh.y - run.y).max() < 1e-8


def test_times_before_the_start_are_refused():
    run = Run(RungeKutta8(), new_problem(SMOOTH), t_eval=[-1.0, 0.0])
    with pytest.raises(UsageError, match="before the start"):
        run.go(1.0)


WRONG = [
    (lambda: RungeKutta5(rtol=0.0), "rtol"),
    (lambda: RungeKutta5(rtol=1e-17), "rtol"),
    (lambda: RungeKutta8(rtol="fine"), "rtol"),
    (lambda: RungeKutta8(atol=-1e-9), "atol"),
    (lambda: RungeKutta8(atol=math.nan), "atol"),
    (lambda: Radau(max_step=0.0), "max_step"),
    (lambda: Radau(first_step=-1.0), "first_step"),
    (lambda: Radau(newton=2.0), "newton"),
    (lambda: GeneralisedAlpha(0.01, rho_inf=1.2), "rho_inf"),
    (lambda: GeneralisedAlpha(0.0), "dt"),
    (lambda: RungeKutta4(math.inf), "dt"),
    (lambda: SemiImplicitEuler(None), "dt"),
    (lambda: SemiImplicitEuler(True), "dt"),
]


@pytest.mark.parametrize(("make", "field"), WRONG)
def test_wrong_options(make, field):
    with pytest.raises(UsageError, match=rf"^\w+: {field} .*\.$"):
        make()


def test_quantities():
    pint = pytest.importorskip("pint")
    unit = pint.UnitRegistry()
    assert RungeKutta4(2.0 * unit.ms).dt == pytest.approx(2e-3, rel=1e-15)
    assert RungeKutta8(max_step=1.0 * unit.minute).max_step == 60.0
    with pytest.raises(CornerlawError, match="dt"):
        RungeKutta4(2.0 * unit.kg)
