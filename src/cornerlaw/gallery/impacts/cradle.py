"""Newton's cradle: one ball in, one ball out, and the laws that say otherwise.

Equal balls touch in a row and k more arrive together with the speed v. In the experiment k balls
leave at the other end. What impact laws say about one ball that hits n - 1:

    Cradle       (0, ..., 0, v): the velocities are sorted, the limit of balls with small gaps
    Newton,      ((2 - n) v, 2 v, ..., 2 v) / n: the row goes on as one body
    Poisson
    Sequential   between the two: the motion of balls with Hertzian contacts, for three of them
                 (-0.071, 0.076, 0.995) v

All three keep momentum and energy. For three balls the cradle's law is piecewise linear, gamma+ =
Q_i gamma- with six matrices, one for each order of the velocities; it is consistent, and
non-expansive in the metric G^-1: two impacts that differ a little before differ no more after.

Source: Leine and Winandy, GAMM 2015, an abstract that states the properties and prints neither the
matrices nor numbers. Every number is chosen.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter
from cornerlaw.gallery.impacts._laws import Floats, delassus, law_of, law_parameter, worst

TITLE = "Newton's cradle"
TOPIC = "impacts"
SPEC: tuple[str, ...] = ("G16", "TR-N-10")
SOURCE = "Leine and Winandy, GAMM 2015"
DOF = 15


@dataclass(frozen=True)
class Parameters:
    """Equal balls in a row; the first `arriving` ones come in together."""

    balls: int = parameter(5, "1", "chosen: the usual toy")
    arriving: int = parameter(1, "1", "chosen: the usual experiment")
    mass: float = parameter(0.1, "kg", "chosen: velocities do not depend on it")
    radius: float = parameter(0.02, "m", "chosen: a toy")
    speed: float = parameter(1.0, "m/s", "chosen: the unit of the results")
    gap: float = parameter(0.1, "m", "chosen: between the two groups at the start")
    eps_N: float = parameter(1.0, "1", "chosen: elastic")
    law: str = law_parameter("cradle", "book")


_PROPERTY = "the source: one ball in, one ball out; sorted velocities"
REFERENCE = {
    "speed of the last ball over v": Reference(1.0, 1e-12, _PROPERTY),
    "largest speed of the others over v": Reference(0.0, 1e-12, _PROPERTY),
}

MUTATIONS: tuple[dict[str, Any], ...] = (
    {"eps_N": 0.8},
    {"law": "newton"},
    {"law": "sequential"},
    {"speed": 1.2},
)

# gamma+ = Q gamma-, first row that fits: signs of gamma_1, gamma_2 and gamma_1 + gamma_2
SIX: tuple[tuple[tuple[int, int, int], Floats], ...] = (
    ((1, 1, 0), np.array([[1.0, 0.0], [0.0, 1.0]])),
    ((-1, 0, 1), np.array([[-1.0, 0.0], [1.0, 1.0]])),
    ((0, -1, 1), np.array([[1.0, 1.0], [0.0, -1.0]])),
    ((0, 1, -1), np.array([[0.0, 1.0], [-1.0, -1.0]])),
    ((1, 0, -1), np.array([[-1.0, -1.0], [1.0, 0.0]])),
    ((-1, -1, 0), np.array([[0.0, -1.0], [-1.0, 0.0]])),
)


def build(p: Parameters, order: int = 1) -> cl.Model:
    """Return the row and the balls that arrive; with `order` = -1 the last contact comes first."""
    places = 2.0 * p.radius * np.arange(p.balls) - p.gap * (np.arange(p.balls) < p.arriving)
    return _row(p, places, arriving(p), order)


def build_symmetric(p: Parameters, order: int = 1) -> cl.Model:
    """Return a row that is hit from both sides at the same time with the same speed."""
    places, speeds = 2.0 * p.radius * np.arange(p.balls), np.zeros(p.balls)
    places[[0, -1]] += (-p.gap, p.gap)
    speeds[[0, -1]] = (p.speed, -p.speed)
    # about the middle, so that rounding is symmetric as well
    return _row(p, places - places.mean(), speeds, order)


def _row(p: Parameters, places: Floats, speeds: Floats, order: int) -> cl.Model:
    balls = [
        cl.Disk(
            f"ball {k + 1}", mass=p.mass, radius=p.radius,
            position=(float(x), 0.0), velocity=(float(v), 0.0),
        )
        for k, (x, v) in enumerate(zip(places, speeds, strict=True))
    ]  # fmt: skip
    contacts = [
        cl.Contact(ahead, behind, eps_N=p.eps_N) for behind, ahead in itertools.pairwise(balls)
    ]
    return cl.Model(*balls, *contacts[::order], name="cradle")


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run over the impact, and as long again."""
    options.setdefault("t_end", 2.0 * p.gap / p.speed)
    options.setdefault("method", cl.EventDriven(impact=law_of(p.law)))
    return cl.simulate(build(p), **options)


def velocities(sol: cl.Solution, balls: int) -> Floats:
    """Return the velocities of all balls at the end of a run."""
    return np.array([np.asarray(sol[f"ball {k + 1}"].velocity)[-1, 0] for k in range(balls)])


def chain(p: Parameters) -> tuple[Floats, Floats]:
    """Return the rows gamma_k = u_(k+1) - u_k and the masses of a row of balls."""
    W = np.diff(np.eye(p.balls), axis=0)
    return W, np.full(p.balls, p.mass)


def by_matrices(p: Parameters, u: Any, law: str) -> Floats:
    """Return the velocities after the impact of a closed row with the velocities u."""
    W, M = chain(p)
    before = np.asarray(u, dtype=float)
    impact = cl.solve_impact(delassus(W, M), W @ before, law_of(law), eps_N=p.eps_N)
    return np.asarray(before + W.T @ impact.Lambda / M)


def arriving(p: Parameters) -> Floats:
    """Return the velocities before the impact."""
    return np.asarray(p.speed * (np.arange(p.balls) < p.arriving))


def as_one_body(p: Parameters) -> Floats:
    """Return the velocities after one ball hits the row and the row goes on as one body."""
    n = p.balls
    return np.asarray(p.speed * np.array([2.0 - n, *np.full(n - 1, 2.0)]) / n)


def hertzian(p: Parameters) -> Floats:
    """Return the velocities after the true motion of balls with Hertzian contacts.

    Integrated over time; the result depends neither on the stiffness nor on the speed.
    """
    from scipy.integrate import solve_ivp

    n = p.balls

    def rate(t: float, y: Floats) -> Floats:
        force = np.maximum(y[: n - 1] - y[1:n], 0.0) ** 1.5
        return np.concatenate([y[n:], -np.diff(force, prepend=0.0, append=0.0)])

    start = np.concatenate([np.zeros(n), arriving(p) / p.speed])
    # unit masses and stiffness: a contact lasts about 3, the pulse passes n of them
    run = solve_ivp(rate, (0.0, 6.0 * n), start, method="DOP853", rtol=1e-11, atol=1e-13)
    return np.asarray(p.speed * run.y[n:, -1])


def six_cases(gamma: Any) -> Floats:
    """Return gamma+ of the cradle's law for three balls."""
    given = np.asarray(gamma, dtype=float)
    values = (given[0], given[1], given[0] + given[1])
    for signs, Q in SIX:
        fits = [
            sign == 0 or (value >= 0.0 if sign > 0 else value < 0.0)
            for sign, value in zip(signs, values, strict=True)
        ]
        if all(fits):
            return np.asarray(Q @ given)
    raise AssertionError("the six cases cover all velocities")


def check(sol: cl.Solution, p: Parameters, ran: Parameters | None = None) -> list[Check]:
    """Compare all laws with what they must say, for three to five balls."""
    found = velocities(sol, p.balls) / p.speed
    checks = [
        check_reference("speed of the last ball over v", float(found[-1]), REFERENCE),
        check_reference("largest speed of the others over v", worst(found[:-1], 0.0), REFERENCE),
    ]
    unit = replace(p, speed=1.0, eps_N=1.0)
    # runs of its own have the parameters of the given one, in the same units
    ran = ran or p
    used = replace(unit, speed=ran.speed / p.speed, eps_N=ran.eps_N / p.eps_N)
    return [*checks, *_laws(unit, used), *_three_balls(unit, used)]


@cache
def _laws(p: Parameters, ran: Parameters) -> tuple[Check, ...]:
    """Compare runs and matrices of three to five balls with what each law must say."""
    checks = []
    for n in (3, 4, 5):
        one = replace(p, balls=n, arriving=1)
        used = replace(ran, balls=n, arriving=1)
        expected = {
            "cradle": (np.sort(arriving(one)), 1e-12),
            "newton": (as_one_body(one), 1e-12),
            "poisson coulomb": (as_one_body(one), 1e-12),
            # two integrations with local errors of 1e-11 to 1e-13
            "sequential": (hertzian(one), 1e-8),
        }
        for law, (after, tolerance) in expected.items():
            run = velocities(simulate(replace(used, law=law), progress=False), n)
            error = max(worst(run, after), worst(by_matrices(used, arriving(used), law), after))
            checks.append(compare(f"{law}, 1 of {n} balls [m/s]", error, 0.0, tolerance))
        two = replace(p, balls=n, arriving=2)
        run = velocities(simulate(replace(used, arriving=2, law="cradle"), progress=False), n)
        error = worst(run, np.sort(arriving(two)))
        checks.append(compare(f"cradle, 2 of {n} balls [m/s]", error, 0.0, 1e-12))
    return tuple(checks)


@cache
def _three_balls(p: Parameters, ran: Parameters) -> tuple[Check, ...]:
    """Compare the cradle's law with its six matrices and look at its properties."""
    p = replace(p, balls=3)
    W, M = chain(p)
    G = delassus(W, M)
    metric = np.linalg.inv(G)

    def after(gamma: Floats) -> Floats:
        return cl.solve_impact(G, gamma, cl.Cradle(), eps_N=ran.eps_N).gamma_plus

    angles = np.linspace(0.0, 2.0 * np.pi, 181)
    directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    error = max(worst(after(g), six_cases(g)) for g in directions)
    lowest = min(float(after(g).min()) for g in directions)
    pairs = np.random.default_rng(16).normal(size=(200, 2, 2))
    growth = -np.inf
    for first, second in pairs:
        before, behind = first - second, after(first) - after(second)
        growth = max(growth, float(behind @ metric @ behind - before @ metric @ before))
    return (
        compare("six cases of three balls", error, 0.0, 1e-12),
        compare("closing velocity after the impact", min(lowest, 0.0), 0.0, 1e-12),
        compare("growth of a difference in the metric", max(growth, 0.0), 0.0, 1e-12),
    )


def show(sol: cl.Solution, p: Parameters = Parameters()) -> Any:
    """Draw the positions over time, and the velocities after the impact by law."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

    laws = ("cradle", "newton", "sequential")
    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2)
        for k in range(p.balls):
            position = np.asarray(sol[f"ball {k + 1}"].position)[:, 0]
            left.plot(sol.t, position, color=COLOURS[k % len(COLOURS)])
        left.set_xlabel(axis_label("time", "s"))
        left.set_ylabel(axis_label("position", "m"))
        for shift, law, colour in zip((-0.25, 0.0, 0.25), laws, COLOURS, strict=False):
            after = by_matrices(replace(p, eps_N=1.0), arriving(p), law) / p.speed
            places = np.arange(1, p.balls + 1) + shift
            right.bar(places, after, width=0.22, color=colour, label=law)
        right.set_xlabel("number of the ball")
        right.set_ylabel(axis_label("velocity after, over v", "1"))
        add_legend(right)
    return figure
