"""The stored coefficients of the Runge-Kutta pairs are SciPy's."""

import numpy as np
from scipy.integrate import DOP853, RK45

from cornerlaw.kernels.integrators.tableaus import dormand_prince_5, dormand_prince_8


def test_order_5_is_that_of_scipy() -> None:
    tableau = dormand_prince_5()
    np.testing.assert_array_equal(tableau.A[:, : RK45.A.shape[1]], RK45.A)
    np.testing.assert_array_equal(tableau.A[:, RK45.A.shape[1] :], 0.0)
    for mine, theirs in (
        (tableau.B, RK45.B),
        (tableau.C, RK45.C),
        (tableau.E, RK45.E[None, :]),
        (tableau.P, RK45.P),
    ):
        np.testing.assert_array_equal(mine, theirs)


def test_order_8_is_that_of_scipy() -> None:
    tableau = dormand_prince_8()
    for mine, theirs in (
        (tableau.A, DOP853.A),
        (tableau.B, DOP853.B),
        (tableau.C, DOP853.C),
        (tableau.E, np.stack([DOP853.E5, DOP853.E3])),
        (tableau.A_extra, DOP853.A_EXTRA),
        (tableau.C_extra, DOP853.C_EXTRA),
        (tableau.D, DOP853.D.T),
    ):
        np.testing.assert_array_equal(mine, theirs)
