"""Families of contact problems with fixed seeds, and an independent view of their solutions."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl

Floats = NDArray[np.float64]


class Mechanics(NamedTuple):
    """Directions W (one column per row of the problem), inverse masses and free velocity."""

    W: Floats
    inverse_mass: Floats
    v: Floats
    mu: Floats
    dim: int

    @property
    def G(self) -> Floats:
        G = self.W.T @ (self.inverse_mass[:, None] * self.W)
        return np.asarray(0.5 * (G + G.T))

    @property
    def c(self) -> Floats:
        return np.asarray(self.W.T @ self.v)

    def problem(self) -> cl.ContactProblem:
        return cl.ContactProblem.frictional(self.G, self.c, self.mu, dim=self.dim)


def _frame(normal: Floats, rng: np.random.Generator) -> list[Floats]:
    if normal.size == 2:
        return [normal, np.array([normal[1], -normal[0]])]
    tangent = np.cross(normal, rng.normal(size=3))
    tangent /= np.linalg.norm(tangent)
    return [normal, tangent, np.cross(normal, tangent)]


def _direction(
    axis: Floats, bodies: tuple[int, int], points: tuple[Floats, Floats], n_bodies: int
) -> Floats:
    """Return the column of W of a direction between points of two bodies, -1 being the ground."""
    dim = axis.size
    per_body = 3 if dim == 2 else 6
    w = np.zeros(n_bodies * per_body)
    for body, sign, r in zip(bodies, (1.0, -1.0), points, strict=True):
        if body >= 0:
            k = body * per_body
            w[k : k + dim] = sign * axis
            if dim == 2:
                w[k + 2] = sign * (r[0] * axis[1] - r[1] * axis[0])
            else:
                w[k + 3 : k + 6] = sign * np.cross(r, axis)
    return w


def _coefficient(rng: np.random.Generator) -> float:
    """Return a coefficient from 0 to 2: one in twenty is zero, a fifth is above one."""
    u = rng.random()
    if u < 0.05:
        return 0.0
    return float(rng.uniform(1.0, 2.0) if u < 0.25 else rng.uniform(0.0, 1.0))


def set_a(seed: int, max_contacts: int = 60) -> Mechanics:
    """Return a problem that is solvable by construction: c = W^T v, G = W^T M^-1 W.

    Bodies of masses over up to six decades touch each other and the ground at random points with
    random normals; a tenth of the contacts repeats another one. Two thirds of the problems have
    more rows than velocities.
    """
    rng = np.random.default_rng(seed)
    dim = int(rng.integers(2, 4))
    contacts = int(rng.integers(1, max_contacts + 1))
    per_body = 3 if dim == 2 else 6
    needed = contacts * dim / per_body
    if rng.random() < 0.65:
        bodies = max(1, int(needed * rng.uniform(0.1, 0.9)))
    else:
        bodies = max(1, math.ceil(needed * rng.uniform(1.0, 2.0)))
    ratio = 10.0 ** rng.uniform(0.0, 6.0)
    mass = ratio ** rng.random(bodies)
    mass[rng.integers(bodies)] = ratio
    inverse = np.zeros(bodies * per_body)
    for b in range(bodies):
        k = b * per_body
        inverse[k : k + dim] = 1.0 / mass[b]
        inertia = mass[b] * rng.uniform(0.05, 0.5, per_body - dim)
        inverse[k + dim : k + per_body] = 1.0 / inertia
    columns: list[Floats] = []
    mu: list[float] = []
    for i in range(contacts):
        if i and rng.random() < 0.1:
            k = int(rng.integers(i))
            columns += columns[k * dim : (k + 1) * dim]
            mu.append(mu[k])
            continue
        first, second = int(rng.integers(bodies)), int(rng.integers(-1, bodies))
        pair = (first, -1 if second == first else second)
        normal = rng.normal(size=dim)
        normal /= np.linalg.norm(normal)
        points = (rng.uniform(-1.0, 1.0, dim), rng.uniform(-1.0, 1.0, dim))
        columns += [_direction(axis, pair, points, bodies) for axis in _frame(normal, rng)]
        mu.append(_coefficient(rng))
    v = rng.normal(size=bodies * per_body)
    return Mechanics(np.array(columns).T, inverse, v, np.array(mu), dim)


def set_b(seed: int) -> cl.ContactProblem:
    """Return a problem without solution: lam >= 0 in the kernel of G with lam^T c < 0.

    Some normal directions of a problem of set A are joined by their own negative combination,
    which closes a ring of normals that no velocity can open; c asks for it all the same.
    """
    rng = np.random.default_rng(10_000_000 + seed)
    base = set_a(20_000 + seed, max_contacts=20)
    dim, contacts = base.dim, base.mu.size
    chosen = rng.choice(contacts, size=int(rng.integers(1, contacts + 1)), replace=False)
    weight = rng.uniform(0.2, 2.0, chosen.size)
    closing = -(base.W[:, chosen * dim] @ weight)
    tangents = [rng.normal(size=base.v.size) for _ in range(dim - 1)]
    W = np.column_stack([base.W, closing, *tangents])
    mu = np.append(base.mu, _coefficient(rng))
    mechanics = Mechanics(W, base.inverse_mass, base.v, mu, dim)
    lam = np.zeros(W.shape[1])
    lam[chosen * dim] = weight
    lam[contacts * dim] = 1.0
    # a gap velocity prescribed from outside, as by a moving wall, against the ring
    c = mechanics.c - rng.uniform(0.1, 2.0) * lam / float(lam @ lam)
    return cl.ContactProblem.frictional(mechanics.G, c, mu, dim=dim)


def stack(
    boxes: int,
    dim: int,
    ratio: float,
    *,
    heavy_on_top: bool,
    mu: float,
    disturbance: float,
    seed: int = 0,
    per_interface: int = 4,
) -> Mechanics:
    """Return a stack of unit boxes under gravity after one step of free fall, perhaps disturbed."""
    rng = np.random.default_rng(seed)
    per_body = 3 if dim == 2 else 6
    rank = np.arange(boxes) / max(boxes - 1, 1)
    mass = ratio ** (rank if heavy_on_top else 1.0 - rank)
    inverse = np.zeros(boxes * per_body)
    for b in range(boxes):
        k = b * per_body
        inverse[k : k + dim] = 1.0 / mass[b]
        inverse[k + dim : k + per_body] = 6.0 / mass[b]
    up = np.zeros(dim)
    up[1 if dim == 2 else 2] = 1.0
    if dim == 2:
        corners = [np.array([x, 0.0]) for x in np.linspace(-0.5, 0.5, per_interface)]
        frame = [up, np.array([1.0, 0.0])]
    else:
        corners = [np.array([x, y, 0.0]) for x in (-0.5, 0.5) for y in (-0.5, 0.5)]
        frame = [up, np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])]
    columns = []
    for b in range(boxes):
        for corner in corners:
            points = (corner - 0.5 * up, corner + 0.5 * up)
            columns += [_direction(axis, (b, b - 1), points, boxes) for axis in frame]
    v = np.zeros(boxes * per_body)
    for b in range(boxes):
        v[b * per_body : b * per_body + dim] = -9.81e-3 * up
    v += disturbance * rng.normal(size=v.size)
    count = boxes * len(corners)
    return Mechanics(np.array(columns).T, inverse, v, np.full(count, mu), dim)


def plane_stacks() -> list[Mechanics]:
    """Return 264 plane stacks: heights, contacts per interface, mass ratios, friction, disturbed."""
    family = []
    for boxes in range(1, 12):
        for per_interface in (2, 4):
            for ratio in (1.0, 1e3, 1e6):
                for disturbance in (0.0, 0.1):
                    for mu in (0.3, 0.8):
                        family.append(
                            stack(
                                boxes,
                                2,
                                ratio,
                                heavy_on_top=boxes % 2 == 0,
                                mu=mu,
                                disturbance=disturbance,
                                seed=len(family),
                                per_interface=per_interface,
                            )
                        )
    return family


def cone_stacks() -> list[Mechanics]:
    """Return 90 spatial stacks of 1 to 30 boxes with four contacts per interface."""
    family = []
    for boxes in (1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 18, 20, 25, 30):
        for ratio in (1.0, 1e3, 1e6):
            for disturbance in (0.0, 0.1):
                family.append(
                    stack(
                        boxes,
                        3,
                        ratio,
                        heavy_on_top=boxes % 2 == 0,
                        mu=0.6,
                        disturbance=disturbance,
                        seed=len(family),
                    )
                )
    return family
