"""Channels of pooled contacts: those of a pair, and of each of its contact points, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from cornerlaw.arrays.corners import MOTION_SLIDE, MOTION_SPIN
from cornerlaw.arrays.state import Floats
from cornerlaw.simulate.evaluation import Evaluation
from cornerlaw.simulate.pool import LOCAL, PAIR, class_of, point_label

if TYPE_CHECKING:
    from cornerlaw.simulate.channels import ChannelBook

DETAILS = 5000  # contact points up to which each of them has channels of its own
APART = "infinite where apart"

PATCH: tuple[tuple[str, str, np.ufunc], ...] = (
    ("patch_low", "least coordinates of the points that carry a force, nan without any", np.fmin),
    ("patch_high", "largest coordinates of the points that carry a force", np.fmax),
)
Compute = Callable[[Evaluation], Floats]
Entries = Callable[[Evaluation], Any]  # numbers of the entries of a pair or point


def add_pooled(book: ChannelBook, touches: Floats) -> None:
    """Add the channels of all pairs that have touched."""
    codes = np.unique(touches[:, [PAIR, LOCAL]].astype(np.int64), axis=0)
    pairs: dict[str, list[int]] = {}
    plan = book.system.compiled.pool
    assert plan is not None
    for code in dict.fromkeys(codes[:, 0].tolist()):
        pairs.setdefault(plan.name_of(code), []).append(code)
    if len(codes) <= DETAILS:
        for code, local in codes.tolist():
            _add_point(book, code, local)
    for name, members in pairs.items():
        _add_pair(book, name, members)


def _of_point(code: int, local: int) -> Entries:
    return lambda e: np.flatnonzero((e.pooled.pair == code) & (e.pooled.local == local))


def _of_pair(codes: list[int]) -> Entries:
    return lambda e: np.flatnonzero(np.isin(e.pooled.pair, codes))


def _series(entries: Entries, values: Callable[[Any, Any], Any], start: float = 0.0) -> Compute:
    """Return one value per row: that of the entry, or the sum of several; else `start`."""

    def rule(e: Evaluation) -> Floats:
        _ = e.outputs
        index = entries(e)
        found = values(e.pooled, index)
        total = np.zeros((len(e.q), *found.shape[1:]))
        np.add.at(total, e.pooled.row[index], found)
        if start != 0.0:
            has = np.zeros(len(e.q), bool)
            has[e.pooled.row[index]] = True
            total[~has] = start
        return total

    return rule


def _add_point(book: ChannelBook, code: int, local: int) -> None:
    """Add what the corner of a contact that is not pooled has."""
    a, pool = book.system.arrays.corners, book.system.arrays.pool
    which = class_of(book.system, code)
    c = int(pool.place_corner[pool.class_first[which]]) + local
    part, of = point_label(book.system, code, which, local), _of_point(code, local)
    n_T, motion, ratio = int(a.n_T[c]), int(a.motion[c]), float(a.ratio[c])
    if a.row_N[c] >= 0:
        book.add(part, "gap", "m", _series(of, lambda p, i: p.gap[i], np.inf), APART)
        book.add(part, "gamma_N", "m/s", _series(of, lambda p, i: p.gamma[i, 0]), "gap rate")
        book.add(part, "lam_N", "N", _series(of, lambda p, i: p.force[i, 0]), "normal force")
        book.add(part, "Lambda_N", "N*s", _series(of, lambda p, i: p.impulse[i, 0]),
                 "impulse since the row before")  # fmt: skip
    if n_T:
        slides = motion == MOTION_SLIDE
        count = 1 if n_T == 1 or motion == MOTION_SPIN else 2
        scale = np.array([1.0, ratio])[:count] if slides else np.ones(count)
        length, force = ("m", "N") if slides else ("rad", "N*m")

        def vector(name: str, factor: Floats) -> Compute:
            def values(p: Any, i: Any) -> Any:
                found = getattr(p, name)[i, 1 : 1 + count] * factor
                return found[:, 0] if count == 1 else found

            return _series(of, values)

        names = () if count == 1 else ("1", "2")
        book.add(part, "gamma_T", f"{length}/s", vector("gamma", 1.0 / scale),
                 "sliding velocity of the first against the second", names)  # fmt: skip
        book.add(part, "lam_T", force, vector("force", scale), "friction on the first", names)
        book.add(part, "Lambda_T", f"{force}*s", vector("impulse", scale),
                 "impulse since the row before", names)  # fmt: skip
    book.add(part, "state", "", _series(of, lambda p, i: p.state[i]),
             "0 open, 1 closed, 2 slip+, 3 slip-, 4 stick, 5 slip")  # fmt: skip
    if a.leader[c] < 0:
        for name, text in (("normal", "unit normal from the second to the first"),
                           ("point", "contact point on the first")):  # fmt: skip
            book.add_vector(part, name, "1" if name == "normal" else "m", _places(of, name), text)
        if n_T > 1:
            book.add_vector(part, "tangent", "1", _places(of, "tangent"),
                            "first unit tangent; the second is normal x tangent")  # fmt: skip


def _places(of: Entries, name: str) -> Compute:
    """Return a vector of an entry, not a number where there is none."""
    return _series(of, lambda p, i: getattr(p, name)[i], np.nan)


def _vectors(p: Any, index: Any, values: Floats, planar: bool) -> Floats:
    """Return n x_N + t x_T of entries, as sums of forces and impulses need them."""
    n, t, x = p.normal[index], p.tangent[index], values[index]
    if planar:
        t = np.column_stack([n[:, 1], -n[:, 0], np.zeros(len(n))])
        return np.asarray(n * x[:, :1] + t * x[:, 1:2])
    ratio = p.system.arrays.corners.ratio[p._corner[index]]
    side = np.cross(n, t)
    return np.asarray(n * x[:, :1] + t * x[:, 1:2] + side * (ratio * x[:, 2])[:, None])


def _add_pair(book: ChannelBook, name: str, codes: list[int]) -> None:
    """Add sums over all points of a pair."""
    of, planar = _of_pair(codes), book.dim == 2

    def main(p: Any, index: Any) -> Any:
        """Return which entries are contacts, not resistance to rolling or drilling."""
        return p.system.arrays.corners.leader[p._corner[index]] < 0

    def sums(field: str) -> Compute:
        def values(p: Any, i: Any) -> Any:
            return _vectors(p, i, getattr(p, field), planar) * main(p, i)[:, None]

        return _series(of, values)

    def pressed(field: str) -> Compute:
        return _series(of, lambda p, i: getattr(p, field)[i, 0])

    def least(e: Evaluation) -> Floats:
        _ = e.outputs
        index, found = of(e), np.full(len(e.q), np.inf)
        np.minimum.at(found, e.pooled.row[index], e.pooled.gap[index])
        return found

    def centre(e: Evaluation) -> Floats:
        moment = _series(of, lambda p, i: p.point[i] * (p.force[i, :1] * main(p, i)[:, None]))(e)
        total = _series(of, lambda p, i: p.force[i, 0] * main(p, i))(e)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(moment / total[:, None])

    book.add_vector(name, "force", "N", sums("force"),
                    "on the first, sum over all contact points, world axes")  # fmt: skip
    book.add_vector(name, "impulse", "N*s", sums("impulse"),
                    "on the first, sum over all contact points")  # fmt: skip
    book.add_vector(name, "centre_of_pressure", "m", centre,
                    "mean of the contact points, weighted by normal forces")  # fmt: skip

    def end(extreme: np.ufunc) -> Compute:
        def rule(e: Evaluation) -> Floats:
            _ = e.outputs
            index = of(e)
            index = index[main(e.pooled, index) & (e.pooled.force[index, 0] > 0.0)]
            found = np.full((len(e.q), 3), np.nan)
            extreme.at(found, e.pooled.row[index], e.pooled.point[index])
            return found

        return rule

    for quantity, text, extreme in PATCH:
        book.add_vector(name, quantity, "m", end(extreme), text)
    book.add(name, "closed_points", "",
             _series(of, lambda p, i: (p.force[i, 0] > 0.0).astype(float) * main(p, i)),
             "contact points that carry a force")  # fmt: skip
    book.add(name, "gap", "m", least, f"smallest of all contact points, {APART}")
    book.add(name, "lam_N", "N", pressed("force"), "sum of the normal forces")
    book.add(name, "Lambda_N", "N*s", pressed("impulse"), "sum of the normal impulses")
