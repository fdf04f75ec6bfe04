"""Every axis of the gallery's figures tells its unit, or says that it counts."""

import ast
from pathlib import Path

import pytest

import cornerlaw.gallery

MODULES = sorted(Path(cornerlaw.gallery.__file__).parent.rglob("*.py"))
LABELS = {"set_xlabel", "set_ylabel", "set_zlabel"}


def bare_labels(source: str) -> list[str]:
    """Return the texts of axes that are written without a unit."""
    return [
        node.args[0].value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in LABELS
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
        and "[" not in node.args[0].value
        and not node.args[0].value.startswith("number of")
    ]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_axes_have_units(path: Path) -> None:
    assert bare_labels(path.read_text()) == []


def test_a_label_without_a_unit_is_found() -> None:
    assert bare_labels('ax.set_xlabel("torque")') == ["torque"]
    assert bare_labels('ax.set_xlabel("torque [N m]")\nax.set_ylabel(axis_label("x", "m"))') == []
