"""Frictional contact problems published by other groups, and their file formats."""

from pathlib import Path

import h5py
import numpy as np
import pytest
from contact_problems import set_a
from figures import Figure

import cornerlaw as cl
from cornerlaw.io import read_fclib, read_siconos, write_fclib

DATA = Path(__file__).resolve().parents[1] / "data" / "fclib"


def natural_map_error(problem: cl.ContactProblem, x: np.ndarray) -> float:
    """Return the error FCLIB itself reports: |r - P_K(r - u~)| / |q| with the de Saxce velocity."""
    mu = np.array([item.upper_1 for item in problem.sets[1::2]])
    r = x.reshape(-1, 3)
    u = problem.gamma(x).reshape(-1, 3).copy()
    u[:, 0] += mu * np.linalg.norm(u[:, 1:], axis=1)
    z = r - u
    length = np.linalg.norm(z[:, 1:], axis=1)
    out = np.zeros_like(z)
    inside = length <= mu * z[:, 0]
    polar = mu * length <= -z[:, 0]
    out[inside] = z[inside]
    edge = ~inside & ~polar
    share = (z[edge, 0] + mu[edge] * length[edge]) / (1.0 + mu[edge] ** 2)
    out[edge, 0] = share
    out[edge, 1:] = z[edge, 1:] * (mu[edge] * share / length[edge])[:, None]
    return float(np.linalg.norm(r - out) / np.linalg.norm(problem.c))


@pytest.mark.trust("TR-N-03")
@pytest.mark.parametrize(
    ("name", "contacts"),
    [
        ("box-stack-48.hdf5", 48),
        ("Capsules-i125-1213.hdf5", 286),
        ("OneObject-i1028-138.hdf5.dat.gz", 23),
    ],
)
def test_published_problems_are_solved(name: str, contacts: int, figure: Figure) -> None:
    path = DATA / name
    problem = read_siconos(path) if ".dat" in name else read_fclib(path)
    assert problem.n == 3 * contacts
    # W = H^T M^-1 H is symmetric up to the gyroscopic terms in the other code's iteration matrix
    assert np.abs(problem.G - problem.G.T).max() <= 1e-2 * np.abs(problem.G).max()
    result = problem.solve()
    assert result.solved
    figure("residual", float(problem.residual(result.x)), 1e-8)
    assert problem.residual(result.x) <= 1e-8
    assert natural_map_error(problem, result.x) <= 1e-8


def test_all_storages_give_the_same_matrix(tmp_path: Path) -> None:
    from scipy import sparse

    problem = next(m.problem() for s in range(99) if (m := set_a(s, 6)).dim == 3)
    for nz, matrix in (
        (-2, sparse.csr_matrix(problem.G)),
        (-1, sparse.csc_matrix(problem.G)),
        (1, sparse.coo_matrix(problem.G)),
    ):
        path = tmp_path / f"{nz}.hdf5"
        write_fclib(problem, path)
        with h5py.File(path, "a") as file:
            group = file["fclib_local/W"]
            for key in ("i", "p", "x", "nz"):
                del group[key]
            triplet = nz >= 0
            group["i"] = np.asarray(matrix.row if triplet else matrix.indices, np.int32)
            group["p"] = np.asarray(matrix.col if triplet else matrix.indptr, np.int32)
            group["x"] = matrix.data
            group["nz"] = np.array([matrix.nnz if triplet else nz], np.int32)
        again = read_fclib(path)
        assert np.array_equal(again.G, problem.G) and again.sets == problem.sets


@pytest.mark.trust("TR-S-05")
def test_damaged_problems_are_refused(tmp_path: Path) -> None:
    problem = set_a(3, 4).problem()
    path = tmp_path / "p.hdf5"
    for key, value in (("i", 99), ("p", 99), ("m", 7)):
        write_fclib(problem, path)
        with h5py.File(path, "a") as file:
            file[f"fclib_local/W/{key}"][0] = value
        with pytest.raises(cl.FileError):
            read_fclib(path)
    (tmp_path / "p.dat").write_text("3 1 0 3 3 1 0 0 0 1")
    with pytest.raises(cl.FileError, match="middle"):
        read_siconos(tmp_path / "p.dat")
    clutch = cl.ContactProblem([[1.0]], [1.0], [cl.sets.interval(-1.0, 1.0)])
    with pytest.raises(cl.UsageError, match="FCLIB"):
        write_fclib(clutch, path)
