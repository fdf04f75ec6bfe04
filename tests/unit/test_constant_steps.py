"""Time steps of models with constant masses and rows against the general ones, on small systems.

Both add up the same numbers in another order, so that they differ by rounding: some 1e-15 of the
largest speed in a step, which impacts and some hundred steps let grow by less than a thousand.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from contact_laws import allow

import cornerlaw as cl
from cornerlaw import drives
from cornerlaw.gallery.contacts import woodpecker
from cornerlaw.kernels.bundle import Bundle
from cornerlaw.kernels.complementarity.pair import residual_pair
from cornerlaw.kernels.complementarity.verify import residual
from cornerlaw.kernels.lagrangian import binding
from cornerlaw.simulate.system import System
from tests.unit.test_single_contact import contact

CLOSE = 1e-12
DT = 2e-3
METHODS = {
    "plain": cl.Moreau(dt=DT, stabilise=False),
    "stabilised": cl.Moreau(dt=DT),
    "both restitutions": cl.Moreau(dt=DT, impact=cl.NewtonBoth()),
    "half explicit": cl.HalfExplicit(dt=DT),
    "on position level": cl.Stiegelmeyr(dt=DT),
    "adaptive": cl.Moreau(dt=DT, tolerance=1e-3),
}


def springs(
    t: float, r: Any, A: Any, v: Any, Omega: Any, q: Any, u: Any, x: Any, p: Any,
    F: Any, M: Any, Q: Any, x_dot: Any,
) -> None:  # fmt: skip
    """Pull all coordinates together; the state follows the first one."""
    for i in range(q.size):
        Q[i] = -p[0] * q[i] - x[0]
    x_dot[0] = u[0] - 2.0 * x[0]


def system(seed: int, n: int, forces: str) -> list[cl.Part]:
    """Return a random system of n coordinates that is pulled towards its contacts."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, n))
    names = tuple(f"q{i}" for i in range(n))
    weight = tuple(rng.uniform(-6.0, -2.0, n))
    if forces == "function":
        body = cl.LagrangianSystem(
            "toy", M=A @ A.T + np.eye(n), h=lambda q, u, t: -3.0 * q - 4.0, coordinates=names,
            q0=tuple(rng.uniform(0.1, 0.5, n)), u0=tuple(rng.uniform(-6.0, -3.0, n)),
        )  # fmt: skip
        return [body]
    body = cl.LagrangianSystem(
        "toy", M=A @ A.T + np.eye(n), h=weight, coordinates=names,
        q0=tuple(rng.uniform(0.1, 0.5, n)), u0=tuple(rng.uniform(-6.0, -3.0, n)),
    )  # fmt: skip
    if forces == "constant":
        return [body]
    law = cl.ForceElement(
        "springs", coordinates=tuple(f"toy.{name}" for name in names), law=springs,
        parameters={"k": 2.0}, states={"s": 0.1},
    )  # fmt: skip
    return [body, law]


def contacts(seed: int, n: int, count: int, rest: float) -> list[cl.Part]:
    """Return contacts whose rows are near to single coordinates, with laws that take turns."""
    rng = np.random.default_rng(1000 + seed)
    parts: list[cl.Part] = []
    for k in range(count):
        normal, tangent = 0.2 * rng.normal(size=n), 0.5 * rng.normal(size=n)
        normal[k % n] += 1.0
        tangent[(k + 1) % n] += 1.0
        mu: Any = (0.4, 0.0, cl.Stribeck(static=0.5, kinetic=0.3, velocity=0.1))[k % 3]
        rubs = {"tangent": tuple(tangent), "mu": mu, "eps_T": 0.5 * rest} if n > 1 else {}
        parts.append(
            cl.UserContact(
                f"contact {k}", on="toy", gap=float(rng.uniform(0.0, 0.2)), normal=tuple(normal),
                eps_N=rest if k % 2 == 0 else 0.0, eps_speed=0.05 * (k % 2), **rubs,
            )
        )  # fmt: skip
    return parts


def both(model: cl.Model, method: Any, monkeypatch: Any, **options: Any) -> list[cl.Solution]:
    """Return the run in one loop and the general one."""
    assert binding.steps_alone(System(model, cl.Moreau(dt=1e-3)).arrays)
    run = partial(cl.simulate, model, t_end=0.4, method=method, progress=False, **options)
    with allow(sinks=not method.stabilise):  # random ones do, by millimetres
        found = [run()]
        with monkeypatch.context() as patch:
            patch.setattr(binding, "steps_alone", lambda m: False)
            found.append(run())
    return found


def agree(one: cl.Solution, other: cl.Solution, names: Any, contacts: Any) -> None:
    """Compare motion, impulses, states, events and statistics."""
    assert one.info.status == other.info.status == "done"
    assert np.array_equal(one.t, other.t) or np.abs(one.t - other.t).max() < CLOSE
    for name in names:
        a, b = np.asarray(one[name]), np.asarray(other[name])
        assert np.abs(a - b).max() < CLOSE * max(1.0, np.abs(b).max()), name
    for name in contacts:
        a, b = np.asarray(one[name].Lambda_N), np.asarray(other[name].Lambda_N)
        assert np.abs(a - b).max() < CLOSE * max(1.0, np.abs(b).max()), name
        assert list(one[name].state) == list(other[name].state)
    assert len(one.events) == len(other.events)
    for a, b in zip(one.events, other.events, strict=True):
        assert (a.kind, a.name) == (b.kind, b.name)
        assert abs(a.time - b.time) < CLOSE
        for key, value in b.data.items():
            assert a.data[key] == pytest.approx(value, rel=1e-9, abs=CLOSE), key
    for key, value in other.statistics.items():
        # residuals are rounding themselves
        if "residual" not in key:
            assert one.statistics[key] == pytest.approx(value, rel=1e-9, abs=CLOSE), key


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize(
    ("seed", "n", "count", "forces"),
    [(1, 1, 1, "constant"), (2, 2, 1, "law"), (3, 4, 2, "law"), (4, 4, 5, "function"),
     (5, 6, 4, "law")],
)  # fmt: skip
def test_steps_are_those_of_the_general_path(
    name: str, seed: int, n: int, count: int, forces: str, monkeypatch: Any
) -> None:
    parts = contacts(seed, n, count, 0.6)
    model = cl.Model(*system(seed, n, forces), *parts)
    one, other = both(model, METHODS[name], monkeypatch)
    names = [f"toy.q{i}" for i in range(n)] + [f"toy.q{i}_dot" for i in range(n)]
    agree(one, other, names, [part.name for part in parts])
    assert len(one.events) > 0


def test_rows_apart_and_runs_in_two_parts_are_the_same_bits() -> None:
    model, method = woodpecker.build(woodpecker.Parameters()), cl.Moreau(dt=1e-4)
    every = cl.simulate(model, t_end=0.3, method=method, progress=False)
    apart = cl.simulate(model, t_end=0.3, method=method, every=91, progress=False)
    chosen = np.isin(every.t, apart.t)
    first = cl.simulate(model, t_end=0.13, method=method, every=1000, progress=False)
    second = cl.simulate(model, t_end=0.3, method=method, initial=first, progress=False)
    for name in ("toy.y", "toy.phi_S", "toy.phi_S_dot"):
        assert np.array_equal(every[name][chosen], apart[name])
        # a new grid of times begins where the first part ended
        assert every[name][-1] == pytest.approx(second[name][-1], rel=1e-9)
    assert every.events == apart.events
    # impulses of a row are sums over its steps
    whole = np.asarray(every["lower edge"].Lambda_N).sum()
    assert np.asarray(apart["lower edge"].Lambda_N).sum() == pytest.approx(whole, rel=1e-12)


def test_drives_and_laws_of_the_interpreter(monkeypatch: Any) -> None:
    """A brake, a clutch and a freewheel: sets with given ends, laws without a gap."""
    rotors = [
        cl.LagrangianSystem(
            f"rotor {k}", M=((1.0 + k,),), h=(4.0 - 3.0 * k,), coordinates=("phi",), q0=(0.0,),
            u0=(5.0 - 2.0 * k,),
        )
        for k in range(3)
    ]  # fmt: skip
    model = cl.Model(
        *rotors,
        cl.Clutch("clutch", "rotor 0.phi", "rotor 1.phi", capacity=lambda t: 9.0 * t),
        cl.Brake("brake", on="rotor 2", capacity=2.5),
        cl.Freewheel("freewheel", "rotor 1.phi", "rotor 2.phi"),
    )
    one, other = both(model, cl.Moreau(dt=DT), monkeypatch)
    agree(one, other, [f"rotor {k}.phi" for k in range(3)], [])
    assert len(one.events) > 0
    plain = cl.Model(*system(3, 3, "law"), *contacts(3, 3, 3, 0.5))
    slow = plain.replace({"springs.law": cl.Interpreted(springs)})
    fast, interpreted = (cl.simulate(x, 0.1, method=cl.Moreau(dt=DT)) for x in (plain, slow))
    assert np.array_equal(fast["toy.q0"], interpreted["toy.q0"])


def test_check_of_a_pair_is_the_general_one() -> None:
    rng = np.random.default_rng(5)
    for k in range(200):
        A, c, x = rng.normal(size=(2, 2)), rng.normal(size=2), rng.normal(size=2)
        G = A @ A.T if k % 10 else np.zeros((2, 2))
        if k % 10 == 5:
            np.fill_diagonal(G, 0.0)  # the scale is that of the other entries
        p = contact(G, c, 0.4, 0.7)
        p.x[:] = x
        expected = residual(Bundle(p), 1e-3)
        found, gamma_N, gamma_T = residual_pair(*G.ravel(), *c, -0.28, 0.4, *x, 1e-3)
        assert found == pytest.approx(expected, rel=1e-12)
        assert (gamma_N, gamma_T) == pytest.approx(tuple(p.gamma), rel=1e-12)
    assert residual_pair(*np.eye(2).ravel(), np.nan, 0.0, -0.1, 0.1, 0.0, 0.0, 1.0)[0] == np.inf
    # no digit of the velocities is left beside multipliers of this size, in either row
    flat = (1.0, 1.0, 1.0, 1.0, 0.3, 0.3, -1.0, 1.0)
    assert residual_pair(*flat, 1e17, -1e17, 1e-3)[0] == np.inf
    assert residual_pair(*flat, 1e12, -1e12, 1e-3)[0] < np.inf


def rattling(count: int, backlash: float, rest: float) -> cl.Model:
    """Return geared rotors in a row of which the first is shaken."""
    rotors = [cl.Rotor(f"r{k}", inertia=1e-3 * (1 + k % 3)) for k in range(count)]
    parts: list[Any] = list(rotors)
    for k in range(count - 1):
        parts += drives.gear_flanks(
            f"m{k}", rotors[k], rotors[k + 1], radius_1=0.05, radius_2=0.04, backlash=backlash,
            eps_N=rest,
        )  # fmt: skip
        parts.append(cl.TorsionSpring(f"d{k}", rotors[k + 1], damping=1e-3))
    parts.append(drives.harmonic("drive", rotors[0], amplitude=2.0, frequency=200.0))
    return cl.Model(*parts, name="rattling chain")


def compare_runs(model: cl.Model, method: Any, monkeypatch: Any, t_end: float) -> Any:
    """Compare motion, impulses and impacts of both paths; return the runs.

    What carries an impulse of rounding counts as closed on one path and as open on the other.
    """
    assert binding.steps_alone(System(model, cl.Moreau(dt=1e-3)).arrays)
    options: dict[str, Any] = {"t_end": t_end, "method": method, "progress": False}
    with allow(sinks=not method.stabilise):
        one = cl.simulate(model, **options)
        with monkeypatch.context() as patch:
            patch.setattr(binding, "steps_alone", lambda m: False)
            other = cl.simulate(model, **options)
    q, u = np.asarray(other.q), np.asarray(other.u)
    assert np.abs(np.asarray(one.q) - q).max() < CLOSE * np.abs(q).max()
    assert np.abs(np.asarray(one.u) - u).max() < 1e3 * CLOSE * np.abs(u).max()
    for key in ("impact_loss", "steps"):
        assert one.statistics[key] == pytest.approx(other.statistics[key], rel=1e-9), key
    assert one.statistics["worst_residual"] < 1e-10
    return one, other


@pytest.mark.parametrize("name", ["plain", "stabilised", "half explicit", "on position level"])
@pytest.mark.parametrize(("count", "backlash"), [(10, 1e-4), (24, 1e-4), (24, 1e-6)])
def test_rows_without_zeros(name: str, count: int, backlash: float, monkeypatch: Any) -> None:
    model = rattling(count, backlash, 0.4)
    assert binding.is_sparse(System(model, cl.Moreau(dt=1e-3)).arrays)
    method = type(METHODS[name])(dt=1e-4, stabilise=METHODS[name].stabilise)
    one, _ = compare_runs(model, method, monkeypatch, 0.03)
    assert sum(event.kind == "impact" for event in one.events) > 10


def test_dense_rows_after_a_correction_of_many(monkeypatch: Any) -> None:
    """A correction of more than eight rows poses compact ones; the next step has a matrix again."""
    monkeypatch.setattr(binding, "is_sparse", lambda m: False)
    compare_runs(rattling(10, 1e-4, 0.5), cl.Moreau(dt=1e-4), monkeypatch, 0.03)


def test_equal_stops_are_left_to_the_general_step(monkeypatch: Any) -> None:
    """Impulses that are not determined are shared as in any other model."""
    model = rattling(12, 1e-4, 0.0)
    twins = [
        cl.UserContact(
            f"twin {k}", coordinates=("r3.angle",), gap=1e-5, normal=(-0.05,), eps_N=0.0
        )
        for k in range(2)
    ]  # fmt: skip
    model = cl.Model(*model.parts, *twins, name="twins")
    one, other = compare_runs(model, cl.Moreau(dt=1e-4), monkeypatch, 0.03)
    for k in range(2):
        a, b = (np.asarray(sol[f"twin {k}"].Lambda_N) for sol in (one, other))
        assert a.sum() > 0.0
        assert np.abs(a - b).max() < CLOSE * b.max()


def test_runs_of_rows_without_zeros_in_two_parts_are_the_same_bits() -> None:
    model, method = rattling(20, 1e-4, 0.4), cl.Moreau(dt=1e-4)
    every = cl.simulate(model, t_end=0.03, method=method, progress=False)
    apart = cl.simulate(model, t_end=0.03, method=method, every=61, progress=False)
    chosen = np.isin(every.t, apart.t)
    assert np.array_equal(np.asarray(every.q)[chosen], np.asarray(apart.q))
    assert every.events == apart.events
