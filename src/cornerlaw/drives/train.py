"""Gear trains as linear relations between the speeds of their shafts; ratios follow from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cornerlaw.errors import ModelError, UnknownNameError
from cornerlaw.model import Coupling

Floats = NDArray[np.float64]
Relation = Mapping[str, float]
Pairs = Sequence[tuple[str, str]]

RANK = 1e-10  # singular values below this fraction of the largest count as zero


class Train:
    """Shafts whose speeds obey relations sum of coefficient * speed = 0. (T-20.1)

    Elements that are engaged add relations: a brake holds a shaft, a clutch joins two. What is then
    still free follows from the rank, so that no element has to be declared dependent. (T-20.2)
    `shafts` names those that no relation mentions.
    """

    def __init__(
        self, *relations: Relation | Iterable[Relation], shafts: Sequence[str] = ()
    ) -> None:
        rows: list[Relation] = []
        for item in relations:
            rows += [item] if isinstance(item, Mapping) else list(item)
        for row in rows:
            if not any(row.values()):
                raise ModelError("Train: a relation must have a coefficient that is not zero")
        self.relations = tuple(dict(row) for row in rows)
        named = [*(name for row in rows for name in row), *shafts]
        self.shafts = tuple(dict.fromkeys(named))

    def __repr__(self) -> str:
        return f"Train({len(self.shafts)} shafts, {len(self.relations)} relations)"

    def _matrix(self, held: Sequence[str], joined: Pairs) -> Floats:
        extra: list[Relation] = [{name: 1.0} for name in held]
        extra += [{first: 1.0, second: -1.0} for first, second in joined]
        place = {name: k for k, name in enumerate(self.shafts)}
        matrix = np.zeros((len(self.relations) + len(extra), len(self.shafts)))
        for i, row in enumerate((*self.relations, *extra)):
            for name, coefficient in row.items():
                if name not in place:
                    raise UnknownNameError(
                        f"Train: there is no shaft {name!r}; shafts are {', '.join(self.shafts)}"
                    )
                matrix[i, place[name]] += coefficient
        return matrix

    def motions(self, held: Sequence[str] = (), joined: Pairs = ()) -> Floats:
        """Return a basis of the speeds that are possible, one column for each freedom."""
        _, values, right = np.linalg.svd(self._matrix(held, joined))
        rank = int(np.sum(values > RANK * values[0]))
        basis: Floats = right[rank:].T
        return basis

    def freedoms(self, held: Sequence[str] = (), joined: Pairs = ()) -> int:
        """Return the number of speeds that can be chosen."""
        return int(self.motions(held, joined).shape[1])

    def jacobian(
        self, independent: Sequence[str], held: Sequence[str] = (), joined: Pairs = ()
    ) -> Floats:
        """Return J with speeds of all shafts = J times those of the independent ones. (T-20.2)"""
        basis = self.motions(held, joined)
        if len(independent) != basis.shape[1]:
            raise ModelError(
                f"Train: {basis.shape[1]} speeds can be chosen, but {len(independent)} are given"
            )
        for name in independent:
            self._place(name)
        chosen = basis[[self._place(name) for name in independent]]
        if np.linalg.matrix_rank(chosen, RANK) < len(independent):
            raise ModelError(
                f"Train: the speeds of {', '.join(independent)} cannot be chosen independently"
            )
        jacobian: Floats = basis @ np.linalg.inv(chosen)
        return jacobian

    def speeds(
        self, given: Mapping[str, float], held: Sequence[str] = (), joined: Pairs = ()
    ) -> dict[str, float]:
        """Return the speeds of all shafts from as many given ones as there are freedoms."""
        J = self.jacobian(tuple(given), held, joined)
        values = J @ np.array(list(given.values()), dtype=np.float64)
        return dict(zip(self.shafts, values.tolist(), strict=True))

    def ratio(self, first: str, second: str, held: Sequence[str] = (), joined: Pairs = ()) -> float:
        """Return speed of `first` over speed of `second`; one freedom must be left."""
        free = self.freedoms(held, joined)
        if free != 1:
            raise ModelError(
                f"Train: the ratio {first} : {second} needs one freedom, but {free} are left; "
                f"engage {'fewer' if free == 0 else 'more'} elements"
            )
        motion = self.motions(held, joined)[:, 0]
        a, b = motion[self._place(first)], motion[self._place(second)]
        if abs(b) < RANK:
            raise ModelError(f"Train: {second} stands still, {first} : {second} has no value")
        return float(a / b)

    def torques(
        self, given: Mapping[str, float], held: Sequence[str] = (), joined: Pairs = ()
    ) -> dict[str, float]:
        """Return the outer torques on the shafts listed in `given` and on those that are held.

        Without inertia and loss the power of all outer torques vanishes for every possible motion;
        the torques of `given` that are nan and the holding torques are unknown. (T-20.3)
        """
        names = [*given, *held]
        known = [name for name in given if not np.isnan(given[name])]
        unknown = [name for name in names if name not in known]
        basis = self.motions((), joined)
        A = basis[[self._place(name) for name in unknown]].T
        b = -sum((basis[self._place(n)] * given[n] for n in known), np.zeros(basis.shape[1]))
        found, _, rank, _ = np.linalg.lstsq(A, b, rcond=RANK)
        if rank < len(unknown) or not np.allclose(A @ found, b, atol=1e-9 * max(1.0, abs(b).max())):
            raise ModelError("Train: the given torques leave others undetermined or contradict")
        return {**{n: float(given[n]) for n in known}, **dict(zip(unknown, found, strict=True))}

    def _place(self, name: str) -> int:
        if name not in self.shafts:
            raise UnknownNameError(
                f"Train: there is no shaft {name!r}; shafts are {', '.join(self.shafts)}"
            )
        return self.shafts.index(name)

    def couplings(self, name: str, rotors: Mapping[str, Any]) -> tuple[Coupling, ...]:
        """Return the relations as parts of a model, between the rotors of the shafts."""
        missing = [shaft for shaft in self.shafts if shaft not in rotors]
        if missing:
            raise ModelError(f"Train {name!r}: there is no rotor for {', '.join(missing)}")
        return tuple(
            Coupling(
                f"{name}.{k + 1}",
                terms=tuple((rotors[shaft], float(c)) for shaft, c in row.items() if c),
                constant=0.0,
            )
            for k, row in enumerate(self.relations)
        )
