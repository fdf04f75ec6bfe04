"""Triangle meshes as plain numbers, and the convex pieces they are made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from cornerlaw.errors import FileError, MissingExtraError, ModelError
from cornerlaw.model.arguments import clear_arguments
from cornerlaw.model.quantity import Kind, Where, as_items, as_numbers, show

Points: TypeAlias = tuple[tuple[float, ...], ...]

# how far a triangle may lie below the convex hull, against the size of the mesh
_BELOW = 1e-6
_CHUNK = 1024  # triangles that are compared with the hull at once


@clear_arguments
@dataclass(frozen=True)
class Triangles:
    """A surface of triangles: points, and three places among them for every triangle."""

    vertices: Any
    faces: Any

    def __post_init__(self) -> None:
        where = Where("Triangles", "vertices")
        rows = as_items(self.vertices, where, "m", "a list of points")
        vertices = tuple(as_numbers(x, where.item(k), "m", (3,)) for k, x in enumerate(rows))
        where = Where("Triangles", "faces")
        rows = as_items(self.faces, where, "", "a list of triangles")
        faces = tuple(as_numbers(x, where.item(k), "", (3,)) for k, x in enumerate(rows))
        if len(faces) < 4:
            raise where.error(f"must be at least 4, got {len(faces)}")
        for k, face in enumerate(faces):
            if not all(x.is_integer() and 0 <= x < len(vertices) for x in face):
                raise where.item(k).error(f"must name three vertices, got {face}")
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", tuple(tuple(int(x) for x in face) for face in faces))

    @cached_property
    def is_convex(self) -> bool:
        """Whether every triangle lies on the convex hull."""
        import numpy as np
        from scipy.spatial import ConvexHull, QhullError

        points = np.array(self.vertices)
        try:
            planes = ConvexHull(points).equations
        except QhullError:
            raise ModelError("the triangles of the mesh span no volume") from None
        size = float(np.ptp(points, axis=0).max())
        # the middle of a triangle lies on the hull only if the whole triangle does
        middle = points[np.array(self.faces)].mean(axis=1)
        for k in range(0, len(middle), _CHUNK):
            height = middle[k : k + _CHUNK] @ planes[:, :3].T + planes[:, 3]
            if height.max(axis=1).min() < -_BELOW * size:
                return False
        return True

    @cached_property
    def pieces(self) -> tuple[Points, ...]:
        """The vertices of convex pieces: those of the mesh itself where it is convex."""
        if self.is_convex:
            return (self.vertices,)
        try:
            import coacd
            import numpy as np
        except ImportError:
            raise MissingExtraError(
                "cutting a mesh into convex pieces needs coacd: install it with "
                "pip install 'cornerlaw[mesh]'"
            ) from None
        coacd.set_log_level("error")
        found = coacd.run_coacd(coacd.Mesh(np.array(self.vertices), np.array(self.faces)))
        return tuple(
            tuple(tuple(float(x) for x in vertex) for vertex in vertices) for vertices, _ in found
        )


class MeshKind(Kind):
    """A file, an object of `trimesh`, or `Triangles`; stored as the latter."""

    unit = "m"

    def check(self, value: Any, where: Where) -> Triangles:
        if isinstance(value, Triangles):
            return value
        if isinstance(value, str | Path):
            value = _read(value, where)
        if not hasattr(value, "vertices") or not hasattr(value, "faces"):
            raise where.error(f"must be a file or a mesh, got {show(value)}")
        return Triangles(value.vertices, value.faces)


def _read(source: str | Path, where: Where) -> Any:
    try:
        import trimesh
    except ImportError:
        raise MissingExtraError(
            f"{where.owner} needs trimesh: install it with pip install 'cornerlaw[mesh]'"
        ) from None
    if not Path(source).is_file():
        raise FileError(f"{where.owner}: mesh file '{source}' does not exist")
    try:
        loaded = trimesh.load(source, force="mesh")
    except Exception as error:  # every mesh format raises its own kind
        raise FileError(f"{where.owner}: mesh file '{source}' cannot be read: {error}") from None
    if len(getattr(loaded, "faces", ())) == 0:
        raise FileError(f"{where.owner}: mesh file '{source}' contains no triangles")
    return loaded
