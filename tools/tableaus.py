"""Write the coefficients of the explicit Runge-Kutta pairs as data, from SciPy.

    python tools/tableaus.py

Importing scipy.integrate costs a first run a third of a second, for some two hundred numbers.
`tests/unit/test_tableaus.py` compares the file with SciPy, digit by digit.
"""

import json
from pathlib import Path

import scipy
from scipy.integrate import DOP853, RK45

TARGET = Path(__file__).parents[1] / "src/cornerlaw/kernels/integrators/tableaus.json"


def coefficients() -> dict[str, dict[str, list]]:
    """Return the arrays of both pairs under the names of `Tableau`."""
    return {
        "dormand_prince_5": {
            "A": RK45.A.tolist(),
            "B": RK45.B.tolist(),
            "C": RK45.C.tolist(),
            "E": [RK45.E.tolist()],
            "P": RK45.P.tolist(),
        },
        "dormand_prince_8": {
            "A": DOP853.A.tolist(),
            "B": DOP853.B.tolist(),
            "C": DOP853.C.tolist(),
            "E": [DOP853.E5.tolist(), DOP853.E3.tolist()],
            "A_extra": DOP853.A_EXTRA.tolist(),
            "C_extra": DOP853.C_EXTRA.tolist(),
            "D": DOP853.D.T.tolist(),
        },
    }


if __name__ == "__main__":
    origin = {
        "origin": f"SciPy {scipy.__version__}, scipy.integrate RK45 and DOP853; Hairer, Norsett, "
        "Wanner: Solving Ordinary Differential Equations I, II.5 and II.6",
        "licence": "BSD-3-Clause",
    }
    TARGET.write_text(json.dumps(origin | coefficients(), indent=0) + "\n", encoding="utf-8")
