"""Wrong rows, masses and derivatives of a user's element: one sentence that names the element."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl

GROUND = cl.Frame("pivot", cl.Ground(), at=(0.0, 0.0, 0.0))
BOB = cl.PointMass("bob", mass=1.0, position=(1.0, 0.0, 0.0), velocity=(0.0, 0.5, 0.0))


def flat(t, r, A, v, Omega, q, u, p, F, M, Q):
    F[1, 2] = 1.0
    return r[1, 2], 0.0, 0.0


def along(t, r, A, v, Omega, q, u, p, F, M, Q):
    F[1, 0] = 1.0
    return 0.0, 0.0, 0.0


def spring(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    F[1, 0] = -10.0 * r[1, 0]


def spring_jacobian(t, r, A, v, Omega, q, u, x, p, D):
    D[3, 3] = -10.0


def lumped(t, r, A, q, p, M):
    M[6, 6] = 1.0


def element(**options: Any) -> cl.ForceElement:
    return cl.ForceElement("own", frames=(GROUND, BOB), **options)


def run(method: Any = None, **options: Any) -> cl.Solution:
    return cl.simulate(cl.Model(BOB, element(**options)), 0.1, method=method)


def two(t, r, A, v, Omega, q, u, p, F, M, Q):
    return 0.0, 0.0


def none(t, r, A, v, Omega, q, u, p, F, M, Q):
    F[0, 0] = 1.0


def root(t, r, A, v, Omega, q, u, p, F, M, Q):
    F[1, 0] = 1.0
    return np.sqrt(r[1, 0] - 100.0), 0.0, 0.0


def outside(t, r, A, v, Omega, q, u, p, F, M, Q):
    F[7, 0] = 1.0
    return 0.0, 0.0, 0.0


def skew(t, r, A, q, p, M):
    M[6, 7] = 1.0


def negative(t, r, A, q, p, M):
    M[6, 6] = math.sqrt(-1.0 - r[0, 0])


def far(t, r, A, v, Omega, q, u, x, p, D):
    D[99, 0] = 1.0


@pytest.mark.parametrize(
    ("error", "options", "sentence"),
    [
        (cl.ModelError, {}, "law must be given, or rows, mass or indicators"),
        (cl.ModelError, {"rows": {"a": 3}}, r"rows\[a\] must be a function, BilateralRow"),
        (cl.ModelError, {"rows": flat}, "rows must be a dict"),
        (cl.ModelError, {"mass": 3.0}, "mass must be a function, got 3"),
        (cl.ModelError, {"mass": lumped, "states": {"s": 0.0}}, "law must be given next to states"),
        (
            cl.ModelError,
            {"rows": {"a": flat}, "force_jacobian": spring_jacobian},
            "law must be given next to force_jacobian",
        ),
        (
            cl.ModelError,
            {"law": cl.Sampled(spring, 0.1), "force_jacobian": spring_jacobian},
            "force_jacobian has no meaning for a Sampled law",
        ),
        (cl.CompileError, {"rows": {"a": two}}, r"rows\[a\] .*must return 3 numbers, it returns 2"),
        (cl.CompileError, {"rows": {"a": none}}, r"rows\[a\] cannot be compiled: "),
        (
            cl.CompileError,
            {"rows": {"a": lambda t: 0.0}},
            r"must be a function of 11 arguments .* or of 12 with x behind u, it takes 1",
        ),
        (cl.CompileError, {"rows": {"a": cl.Sampled(flat, 0.1)}}, r"rows\[a\] cannot be Sampled"),
        (cl.CompileError, {"mass": lambda t: 0.0}, r"mass .*it takes \(t\) but gets 6 arguments"),
        (cl.AssemblyError, {"rows": {"a": root}}, r"rows\[a\] gives nan at the start"),
        (cl.AssemblyError, {"rows": {"a": outside}}, r"rows\[a\] fails with IndexError"),
        (cl.SimulationError, {"mass": skew}, r"mass must be symmetric, M\[6, 7\] = 1 but"),
        (cl.SimulationError, {"mass": negative}, "mass gives nan at t = 0 s"),
        (
            cl.SimulationError,
            {"law": spring, "force_jacobian": far, "method": cl.Radau()},
            "force_jacobian fails with IndexError",
        ),
    ],
)
def test_wrong_callbacks(error: Any, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(error, match=sentence) as found:
        run(**options)
    assert "ForceElement 'own': " in str(found.value)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: cl.BilateralRow(3), "BilateralRow: function must be a function"),
        (lambda: cl.BilateralRow(flat, level="speed"), 'level must be "position" or "velocity"'),
        (lambda: cl.UnilateralRow(flat, eps_N=2.0), "eps_N must be from 0 to 1"),
        (lambda: cl.UnilateralRow(flat, mu=0.1), "tangent must be given, as mu or eps_T is"),
        (lambda: cl.UnilateralRow(flat, tangent=along, eps_T=2.0), "eps_T must be <= 1"),
        (lambda: cl.UnilateralRow(flat, law=3), "law must be KelvinVoigt"),
        (lambda: cl.SetRow(along, lower=1.0), "lower must be 0 if upper is not given"),
        (lambda: cl.SetRow(along, lower=1.0, upper=0.0), "upper must be >= lower = 1, got 0"),
        (lambda: cl.SetRow(along, lower=cl.Input("a"), upper=1.0), "must be a number, Table or"),
        (lambda: cl.SetRow(along), "lower must be given"),
        (lambda: cl.BilateralRow(flat, eps_N=1.0), "has no field 'eps_N'"),
    ],
)
def test_wrong_rows(make: Any, sentence: str) -> None:
    with pytest.raises(cl.ModelError, match=sentence):
        make()


def test_rows_and_masses_need_something_to_act_on() -> None:
    for name, value in (("rows", {"a": flat}), ("mass", lumped)):
        with pytest.raises(cl.ModelError, match=f"{name} needs frames or coordinates"):
            cl.ForceElement("own", **{name: value})


def wrong_rate(t, r, A, v, Omega, q, u, p, F, M, Q):
    F[1, 2] = 2.0
    return r[1, 2], 0.0, 0.0


def wrong_bias(t, r, A, v, Omega, q, u, p, F, M, Q):
    F[1, 2] = 1.0
    return r[1, 2] - 0.1 * t * t, -0.2 * t, 0.0


@pytest.mark.parametrize(
    ("row", "sentence"),
    [(wrong_rate, "gamma, from its directions and w_tilde, does not follow from g"),
     (wrong_bias, "w_bar does not follow from gamma"),
     (cl.UnilateralRow(wrong_bias), "w_bar does not follow from gamma")],
)  # fmt: skip
def test_rows_that_contradict_themselves_are_told(row: Any, sentence: str) -> None:
    method = cl.EventDriven() if isinstance(row, cl.UnilateralRow) else None
    sol = run(method, rows={"a": row})
    assert sol.info.warnings[0].startswith(f"'own.a': {sentence}")
    with pytest.raises(cl.SimulationError, match=r"strict: 'own\.a'"):
        cl.simulate(cl.Model(BOB, element(rows={"a": row})), 0.1, method=method, strict=True)


def test_smooth_methods_refuse_set_valued_rows() -> None:
    with pytest.raises(cl.CornerlawError, match=r"own\.a|EventDriven"):
        run(cl.RungeKutta8(), rows={"a": cl.UnilateralRow(flat)})


def beside(t, r, A, v, Omega, q, u, p, F, M, Q):
    F[1, 0] = 0.1


def gate(t, r, A, v, Omega, q, u, x, p):
    return 1.0


def everything() -> cl.Model:
    rows = {
        "held": cl.BilateralRow(flat),
        "plain": along,
        "stop": cl.UnilateralRow(flat, eps_N=0.5, tangent=along, mu=cl.Coulomb(0.2)),
        "soft": cl.UnilateralRow(flat, law=cl.KelvinVoigt(100.0)),
        "rub": cl.SetRow(along, lower=-1.0, upper=cl.Table((0.0, 1.0), (1.0, 2.0))),
        "shut": cl.BilateralRow(flat, level="velocity", active=gate, V=beside, R=0.5),
        "grip": cl.SetRow(along, upper=cl.Multipliers({"own.held": 0.3}, constant=1.0), R=0.1),
        "pump": cl.SetRow(along, upper="own.pull"),
    }
    return cl.Model(
        BOB,
        element(
            law=spring,
            rows=rows,
            mass=lumped,
            force_jacobian=spring_jacobian,
            outputs={"pull": gate},
        ),
    )


@pytest.mark.parametrize("suffix", [".toml", ".json"])
def test_files_keep_rows_masses_and_derivatives(suffix: str, tmp_path: Path) -> None:
    model = everything()
    path = tmp_path / f"model{suffix}"
    model.save(path)
    with pytest.raises(cl.FileError, match="trust=True"):
        cl.Model.load(path)
    again = cl.Model.load(path, trust=True)
    assert again == model
    assert again.part("own").rows["stop"] == model.part("own").rows["stop"]  # type: ignore[attr-defined]
    assert again.part("own").rows["plain"] == cl.BilateralRow(along)  # type: ignore[attr-defined]


def test_other_functions_of_rows_and_masses_are_another_model() -> None:
    """A restart with another row must not go on with the history of the first."""
    first = run(rows={"a": flat})
    assert first.final.fingerprint != run(rows={"a": wrong_rate}).final.fingerprint
    assert first.final.fingerprint != run(rows={"a": flat}, mass=lumped).final.fingerprint
    assert first.final.fingerprint == run(rows={"a": flat}).final.fingerprint


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (cl.SetRow(along, upper="own.pul"), r"'own' has no output 'pul'; did you mean 'pull'"),
        (cl.SetRow(along, upper="owm.pull"), r"unknown element 'owm'; did you mean 'own'"),
        (cl.SetRow(along, upper=cl.Multipliers({"own.hold": 1.0})),
         r"'own\.a': upper follows a multiplier of an unknown row 'own\.hold'; .*'own\.held'"),
    ],
)  # fmt: skip
def test_names_in_the_sizes_of_sets_are_checked(row: Any, message: str) -> None:
    own = element(rows={"held": flat, "a": row}, outputs={"pull": gate})
    with pytest.raises(cl.CornerlawError, match=message):
        cl.simulate(cl.Model(BOB, own), 0.1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: element(rows={"a": cl.SetRow(along, upper=1.0, active="opn")},
                         discrete={"open": 0.0}),
         r"rows\[a\] is switched by an unknown discrete state 'opn'; did you mean 'open'"),
        (lambda: element(rows={"a": cl.SetRow(along, upper=1.0, active=gate)},
                         discrete={"a_active": 0.0}), r"has a state 'a_active' of its own"),
        (lambda: cl.BilateralRow(along, active=3.0), "active must be the name of a discrete state"),
        (lambda: cl.BilateralRow(along, R=-1.0), "R must be >= 0"),
        (lambda: cl.UnilateralRow(along, R=1.0, eps_N=0.5), "together with eps_N"),
        (lambda: cl.SetRow(along, upper=-1.0), "upper must be >= lower = 1"),
        (lambda: cl.SetRow(along, lower=0.0, upper=cl.Multipliers({"a": 1.0})),
         "lower must not be given if upper is Multipliers"),
        (lambda: cl.Multipliers({}), "factors must be a dict of names and numbers"),
        (lambda: cl.Multipliers({"a": math.nan}), r"factors\['a'\]"),
    ],
)  # fmt: skip
def test_wrong_switches_and_sizes(make: Any, message: str) -> None:
    with pytest.raises(cl.CornerlawError, match=message):
        make()
