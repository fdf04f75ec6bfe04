"""Formulas of docstrings on the pages of the gallery."""

import re
import sys
from html import unescape
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from formulas import lines, sentence, symbols  # noqa: E402
from gallery_pages import with_unit  # noqa: E402


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("omega_0^2 = g / l", "ω<sub>0</sub><sup>2</sup> = g / l"),
        (
            "gamma_N_dot <= phi_dd",
            '<span class="dot">γ</span><sub>N</sub> ≤ <span class="ddot">φ</span>',
        ),
        ("omega_plus / omega_minus", "ω<sup>+</sup> / ω<sup>−</sup>"),
        ("k_d q_ddot sqrt(x)", 'k<sub>d</sub> <span class="ddot">q</span> √(x)'),
        ("int_0^{a_1} F dx", "∫<sub>0</sub><sup>a<sub>1</sub></sup> F dx"),
        ("S^- - E", "S<sup>−</sup> - E"),
        ("t_(k+1) and a < b", "t<sub>k+1</sub> and a &lt; b"),
        ("the k-th of the sum, an alphabet", "the k-th of the sum, an alphabet"),
        ("half_length of build_guided", "half_length of build_guided"),
    ],
)
def test_symbols(written: str, shown: str) -> None:
    assert symbols(written) == shown


def test_names_stay_as_they_are_and_nothing_becomes_markup() -> None:
    assert sentence('`eps_N` of "beta", mu') == '<code>eps_N</code> of "beta", μ'
    assert sentence("<script>alpha</script>") == "&lt;script&gt;α&lt;/script&gt;"


def test_columns_stay_below_each_other() -> None:
    rows = ("A omega^2 = g cos alpha / sin beta", "leaves"), ("A = g", "stays")
    text = "\n".join(f"{left:<40}{right}" for left, right in rows)
    plain = [unescape(re.sub("<[^>]+>", "", line)) for line in lines(text).split("\n")]
    assert plain[0].index("leaves") == plain[1].index("stays") == text.index("leaves")


def test_units_of_checks_are_those_of_figures() -> None:
    assert with_unit("gap acceleration [m/s^2]") == "gap acceleration [m/s²]"
    assert with_unit("impulse [N*s]") == "impulse [N·s]"
    assert with_unit("difference [m or rad]") == "difference [m or rad]"
    assert with_unit("joint[0] leaves") == "joint[0] leaves"
