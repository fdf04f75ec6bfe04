"""Mass, centre of mass and inertia tensor of simple shapes and of meshes.

Each function returns an `Inertia`: the tensor about the centre of mass in body axes. Simple shapes
have their centre of mass at the origin of the body frame; a mesh keeps its own coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cornerlaw.errors import FileError, MissingExtraError, ModelError
from cornerlaw.model.arguments import clear_arguments, clear_call
from cornerlaw.model.quantity import (
    ChoiceKind,
    Matrix,
    Scalar,
    ScalarKind,
    Vector,
    Where,
    as_numbers,
    as_square,
    show,
)

# relative to the largest moment: symmetry, semidefiniteness, triangle inequality
TOLERANCE = 1e-9


@clear_arguments
@dataclass(frozen=True)
class Inertia:
    """Mass [kg], inertia tensor about the centre of mass [kg m^2] and centre of mass [m]."""

    mass: Scalar
    tensor: Matrix
    com: Vector = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", _mass(self.mass, "Inertia"))
        object.__setattr__(self, "tensor", as_tensor(self.tensor, Where("Inertia", "tensor")))
        com = as_numbers(self.com, Where("Inertia", "com"), "m", (3,))
        object.__setattr__(self, "com", com)


def as_tensor(value: Any, where: Where) -> tuple[tuple[float, ...], ...]:
    """Return a checked 3x3 tensor from 3 principal moments or a 3x3 matrix."""
    from cornerlaw.model.quantity import as_items, strip_unit

    items = as_items(value, where, "kg*m^2", "3 principal moments or a 3x3 matrix")
    # a single quantity has a length as well, which fails when it is asked for
    items = [strip_unit(item, where.item(k), "kg*m^2") for k, item in enumerate(items)]
    if len(items) == 3 and not any(hasattr(row, "__len__") for row in items):
        a, b, c = as_numbers(items, where, "kg*m^2", (3,))
        tensor: tuple[tuple[float, ...], ...] = ((a, 0.0, 0.0), (0.0, b, 0.0), (0.0, 0.0, c))
    else:
        tensor = as_square(items, where, "kg*m^2", 3)
    check_tensor(tensor, where)
    return tensor


def check_tensor(tensor: tuple[tuple[float, ...], ...], where: Where) -> None:
    """Refuse a tensor no mass distribution can have.

    Symmetric, I >= 0 and tr(I)/2 E - I >= 0 (the triangle inequality of the principal moments).
    """
    scale = max(abs(x) for row in tensor for x in row)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        if abs(tensor[i][j] - tensor[j][i]) > TOLERANCE * scale:
            raise where.error(
                f"must be symmetric, got {tensor[i][j]:g} at ({i}, {j}) "
                f"and {tensor[j][i]:g} at ({j}, {i})"
            )
    low, mid, high = principal(tensor)
    if low < -TOLERANCE * scale:
        raise where.error(f"must be positive semidefinite, got the principal moment {low:g} kg*m^2")
    if low + mid - high < -TOLERANCE * scale:
        raise where.error(
            "violates the triangle inequality: the principal moments "
            f"{low:g} + {mid:g} are less than {high:g} kg*m^2"
        )


def principal(tensor: tuple[tuple[float, ...], ...]) -> tuple[float, float, float]:
    """Return the principal moments, smallest first."""
    if tensor[0][1] == tensor[0][2] == tensor[1][2] == 0.0:
        a, b, c = sorted((tensor[0][0], tensor[1][1], tensor[2][2]))
        return a, b, c
    import numpy as np

    low, mid, high = np.linalg.eigvalsh(np.array(tensor))
    return float(low), float(mid), float(high)


@clear_call
def rod(mass: Scalar, length: Scalar, axis: str = "x") -> Inertia:
    """Return a thin rod along `axis`: m l^2 / 12 across, 0 along."""
    m, l = _mass(mass, "inertia.rod"), _length(length, "inertia.rod", "length")  # noqa: E741
    return _axial(m, 0.0, m * l * l / 12.0, axis, "inertia.rod")


@clear_call
def sphere(mass: Scalar, radius: Scalar) -> Inertia:
    """Return a solid sphere: 2/5 m r^2."""
    m, r = _mass(mass, "inertia.sphere"), _length(radius, "inertia.sphere", "radius")
    return _axial(m, 0.4 * m * r * r, 0.4 * m * r * r, "z", "inertia.sphere")


@clear_call
def shell(mass: Scalar, radius: Scalar, inner: Scalar | None = None) -> Inertia:
    """Return a hollow sphere: thin, 2/3 m r^2, or with inner radius, 2/5 m (R^5-r^5)/(R^3-r^3)."""
    owner = "inertia.shell"
    m, r = _mass(mass, owner), _length(radius, owner, "radius")
    if inner is None:
        moment = 2.0 / 3.0 * m * r * r
    else:
        a = ScalarKind("m", 0.0, False, False).check(inner, Where(owner, "inner"))
        if a >= r:
            raise ModelError(f"{owner}: inner must be < radius ({r:g} m), got {a:g} m")
        # (R^5-r^5)/(R^3-r^3) with the common factor R-r divided out: exact for thin shells too
        above = r**4 + r**3 * a + r**2 * a**2 + r * a**3 + a**4
        moment = 0.4 * m * above / (r * r + r * a + a * a)
    return _axial(m, moment, moment, "z", owner)


@clear_call
def box(mass: Scalar, size: Vector) -> Inertia:
    """Return a box with edges `size`: m (b^2 + c^2) / 12 about x, and so on."""
    owner = "inertia.box"
    m = _mass(mass, owner)
    a, b, c = as_numbers(size, Where(owner, "size"), "m", (3,))
    if min(a, b, c) < 0.0:
        raise ModelError(f"{owner}: size must be >= 0 in every direction, got {min(a, b, c):g} m")
    f = m / 12.0
    diagonal = (f * (b * b + c * c), f * (a * a + c * c), f * (a * a + b * b))
    return Inertia(m, diagonal)


@clear_call
def cylinder(
    mass: Scalar, radius: Scalar, length: Scalar, axis: str = "z", inner: Scalar = 0.0
) -> Inertia:
    """Return a cylinder: a = m (R^2 + r^2) / 2 along its axis, a / 2 + m l^2 / 12 across."""
    owner = "inertia.cylinder"
    m, r = _mass(mass, owner), _length(radius, owner, "radius")
    l = _length(length, owner, "length")  # noqa: E741
    a = ScalarKind("m", 0.0, False, False).check(inner, Where(owner, "inner"))
    if a > r:
        raise ModelError(f"{owner}: inner must be <= radius ({r:g} m), got {a:g} m")
    along = 0.5 * m * (r * r + a * a)
    return _axial(m, along, 0.5 * along + m * l * l / 12.0, axis, owner)


@clear_call
def disk(mass: Scalar, radius: Scalar, axis: str = "z") -> Inertia:
    """Return a thin disk: m r^2 / 2 about its axis, m r^2 / 4 across."""
    m, r = _mass(mass, "inertia.disk"), _length(radius, "inertia.disk", "radius")
    return _axial(m, 0.5 * m * r * r, 0.25 * m * r * r, axis, "inertia.disk")


@clear_call
def capsule(mass: Scalar, radius: Scalar, length: Scalar, axis: str = "z") -> Inertia:
    """Return a cylinder of `length` between two half spheres of the same radius, all solid."""
    owner = "inertia.capsule"
    m, r = _mass(mass, owner), _length(radius, owner, "radius")
    l = ScalarKind("m", 0.0, False, False).check(length, Where(owner, "length"))  # noqa: E741
    # masses in proportion to the volumes pi r^2 l and 4/3 pi r^3
    middle = m * l / (l + 4.0 / 3.0 * r)
    ends = m - middle
    along = 0.5 * middle * r * r + 0.4 * ends * r * r
    # a half sphere has its centre of mass 3/8 r from its flat face
    across = middle * (r * r / 4.0 + l * l / 12.0)
    across += ends * (0.4 * r * r + 0.25 * l * l + 0.375 * l * r)
    return _axial(m, along, across, axis, owner)


@clear_call
def cone(mass: Scalar, radius: Scalar, height: Scalar, axis: str = "z") -> Inertia:
    """Return a solid cone: 3/10 m r^2 along, 3/80 m (4 r^2 + h^2) across, about its centre of mass.

    The centre of mass, at the origin, lies h/4 from the base.
    """
    owner = "inertia.cone"
    m, r = _mass(mass, owner), _length(radius, owner, "radius")
    h = _length(height, owner, "height")
    return _axial(m, 0.3 * m * r * r, 3.0 / 80.0 * m * (4.0 * r * r + h * h), axis, owner)


@clear_call
def mesh(source: Any, *, density: Scalar | None = None, mass: Scalar | None = None) -> Inertia:
    """Return a closed triangle mesh filled with one material, from a file or a `trimesh` object.

    Give either the density [kg/m^3] or the mass; the centre of mass is in mesh coordinates.
    """
    owner = "inertia.mesh"
    if (density is None) == (mass is None):
        raise ModelError(f"{owner}: give either density or mass")
    solid = _read_mesh(source)
    if not solid.is_watertight:
        raise ModelError(f"{owner}: {_mesh_label(source)} is not closed, its volume is undefined")
    volume = float(solid.volume)
    if not volume > 0.0:
        raise ModelError(
            f"{owner}: {_mesh_label(source)} has the volume {volume:g} m^3; its faces must look out"
        )
    if mass is not None:
        m = _mass(mass, owner)
    else:
        m = volume * ScalarKind("kg/m^3", None, True, False).check(density, Where(owner, "density"))
    # trimesh integrates with its own density; only the shape of its tensor is used
    scale = m / (volume * float(solid.density))
    t = [[float(x) * scale for x in row] for row in solid.moment_inertia]
    tensor = tuple(tuple(0.5 * (t[i][j] + t[j][i]) for j in range(3)) for i in range(3))
    return Inertia(m, tensor, tuple(float(x) for x in solid.center_mass))


def _mesh_label(source: Any) -> str:
    return f"'{source}'" if isinstance(source, str | Path) else "the mesh"


def _read_mesh(source: Any) -> Any:
    # asked of the class, because the properties of the object compute
    if hasattr(type(source), "moment_inertia") and hasattr(type(source), "is_watertight"):
        return source
    if not isinstance(source, str | Path):
        raise ModelError(f"inertia.mesh: source must be a file or a mesh, got {show(source)}")
    try:
        import trimesh
    except ImportError:
        raise MissingExtraError(
            "inertia.mesh needs trimesh: install it with pip install 'cornerlaw[mesh]'"
        ) from None
    if not Path(source).is_file():
        raise FileError(f"mesh file '{source}' does not exist")
    try:
        loaded = trimesh.load(source, force="mesh")
    except Exception as error:  # every mesh format raises its own kind
        raise FileError(f"mesh file '{source}' cannot be read: {error}") from None
    if len(getattr(loaded, "faces", ())) == 0:
        raise FileError(f"mesh file '{source}' contains no triangles")
    return loaded


def _mass(value: Any, owner: str) -> float:
    return ScalarKind("kg", 0.0, False, False).check(value, Where(owner, "mass"))


def _length(value: Any, owner: str, name: str) -> float:
    return ScalarKind("m", None, True, False).check(value, Where(owner, name))


def _axial(mass: float, along: float, across: float, axis: str, owner: str) -> Inertia:
    ChoiceKind(("x", "y", "z")).check(axis, Where(owner, "axis"))
    diagonal = tuple(along if name == axis else across for name in "xyz")
    return Inertia(mass, diagonal)
