"""The triangle mesh: any surface, open or closed, of vertices and triangles or from a file."""

import hashlib
import math
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.numerics.arguments import LARGEST_INPUT, finite_vector, positive
from spheresim.numerics.arrays import Booleans, Floats, Integers
from spheresim.numerics.vector import VectorLike
from spheresim.obstacles.bounded import Bounded
from spheresim.obstacles.drawing import Drawing, smooth_normals, two_sided
from spheresim.obstacles.features.polyhedron import (
    Loops,
    edges_of,
    polyhedron_rows,
    unit_normals,
)
from spheresim.obstacles.features.rows import FeatureRows
from spheresim.obstacles.fields import Rotation, ShapeField
from spheresim.obstacles.identity import Itself
from spheresim.obstacles.mesh_files import file_of, read_mesh
from spheresim.obstacles.rotation import checked_rotation, matrix_of
from spheresim.obstacles.shape import Keep
from spheresim.obstacles.winding import Winding

_MOST_INLINE = 1000
"""Most triangles that a run's scene file holds itself; more go to a file beside it."""

_SHARP = 2.0 * math.sin(math.radians(12.5))
"""Where a surface turns by more, 25 degrees, it is drawn with an edge; else as if it were round."""


class _MeshFields(NamedTuple):
    vertices: Floats
    triangles: Integers


class Mesh(Bounded, _MeshFields):
    """A surface of triangles; it stops balls on both sides.

    vertices: (n, 3) [length]; triangles: (m, 3), indices of vertices. Vertices at the same place
    count as one. A closed mesh, whose triangles are all anticlockwise seen from outside, has an
    inside. A mesh with a gap, or whose triangles are not all oriented alike, has none:
    `is_closed` is then False.

    >>> roof = Mesh([(0, 0, 0), (4, 0, 0), (0, 4, 0), (0, 0, 4)], [(0, 2, 1), (0, 3, 2)])
    >>> round(roof.clearance((0, 1, 3)), 12), roof.is_closed
    (0.0, False)
    """

    __slots__ = ()

    kind: ClassVar[str] = "mesh"
    title: ClassVar[str] = "Triangle meshes, from STL and OBJ files"
    fields: ClassVar[dict[str, ShapeField]] = {
        "path": ShapeField("text", "An STL or OBJ file, relative to the scene's folder", None),
        "vertices": ShapeField("points", "In place of a file: the corners [length]", None),
        "triangles": ShapeField("triples", "Three indices of vertices each, from 0 on", None),
        "scale": ShapeField("positive", "Factor on its lengths", 1.0),
        "position": ShapeField("vector", "Where its origin lies [length]", [0.0, 0.0, 0.0]),
        "rotation": ShapeField("rotation", "Rotation about its origin [none]", Rotation()),
    }

    def __new__(cls, vertices: npt.ArrayLike, triangles: npt.ArrayLike) -> "Mesh":
        try:
            points, corners = np.array(vertices, dtype=np.float64), np.array(triangles)
        except (TypeError, ValueError):
            raise ValueError(
                "a mesh is made of vertices, three numbers each, and triangles, three indices each"
            ) from None
        if points.ndim != 2 or points.shape[1] != 3:
            raise ValueError(f"a mesh's vertices must have the shape (n, 3), not {points.shape}")
        if corners.size == 0:
            raise ValueError("a mesh needs at least one triangle")
        if corners.ndim != 2 or corners.shape[1] != 3 or corners.dtype.kind not in "iu":
            raise ValueError(
                "a mesh's triangles must be whole numbers of the shape (m, 3), not "
                f"{corners.dtype} of {corners.shape}"
            )
        wrong = np.flatnonzero(~(np.abs(points) <= LARGEST_INPUT).all(axis=1))
        if len(wrong):
            raise ValueError(
                f"a mesh's vertices must be from {-LARGEST_INPUT:g} to {LARGEST_INPUT:g}; vertex "
                f"{wrong[0]} is {points[wrong[0]].tolist()}"
            )
        if corners.min() < 0 or corners.max() >= len(points):
            raise ValueError(
                f"a mesh's triangles must be indices of its vertices, 0 to {len(points) - 1}, not "
                f"{corners.max() if corners.min() >= 0 else corners.min()}"
            )
        points, same = np.unique(points, axis=0, return_inverse=True)
        corners = same.reshape(-1)[corners].astype(np.int64)
        unit_normals(points, Loops.of_triangles(corners))
        for array in (points, corners):
            array.flags.writeable = False
        return super().__new__(cls, points, corners)

    @classmethod
    def load(
        cls,
        path: str | Path,
        scale: float = 1.0,
        position: VectorLike = (0, 0, 0),
        rotation: npt.ArrayLike | None = None,
    ) -> "Mesh":
        """Read a mesh from an STL or OBJ file; then scale, turn about the origin, and move it.

        path: a file, or a mesh in an archive that a run wrote: "meshes.npz/0" is the first mesh in
        it. scale: a factor on all coordinates; position: a displacement, (3,) [length]; rotation:
        (axis, degrees), by the right-hand rule. Triangles without an area are left out, see
        `mesh_files`. ValueError for a file of another kind, and for one without any other
        triangles; ImportError if trimesh is not installed.
        """
        vertices, triangles = read_mesh(Path(path))
        return cls(_moved(vertices, scale, position, rotation), triangles)

    @classmethod
    def of_table(cls, given: dict[str, Any], folder: Path) -> "Mesh":
        """The mesh of a table in a scene file, which names a file or holds it all."""
        inline = "vertices" in given and "triangles" in given
        if inline == ("path" in given):
            raise ValueError("it needs either path, or vertices and triangles")
        if inline:
            vertices, triangles = np.array(given.pop("vertices")), given.pop("triangles")
            return cls(_moved(vertices, **given), triangles)
        return cls.load(folder / given.pop("path"), **given)

    @classmethod
    def files_of(cls, item: Any) -> list[Path]:
        """The file in which the triangles are, if they are in one."""
        return [file_of(Path(item.path))] if item.path else []

    def __eq__(self, other: object) -> bool:
        """Whether the other is a mesh of the same triangles in the same order."""
        return (
            isinstance(other, Mesh)
            and np.array_equal(self.vertices, other.vertices)
            and np.array_equal(self.triangles, other.triangles)
        )

    def __hash__(self) -> int:
        vertices = self.vertices + 0.0  # -0.0 is equal to 0.0, so both need the same hash
        return hash((vertices.tobytes(), self.triangles.tobytes()))

    @property
    def is_large(self) -> bool:
        """A mesh may have any number of triangles."""
        return True

    def __repr__(self) -> str:
        arrays = np.ascontiguousarray(self.vertices), np.ascontiguousarray(self.triangles)
        code = hashlib.sha256(arrays[0].tobytes() + arrays[1].tobytes()).hexdigest()[:16]
        many = len(self.triangles)
        return f"<Mesh of {many:,} triangle{'s' * (many != 1)}, sha256 {code}>"

    def table(self, keep: Keep | None = None) -> dict[str, Any]:
        """Its vertices and triangles, as they lie."""
        if keep is not None and len(self.triangles) > _MOST_INLINE:
            return {"path": keep(self.vertices, self.triangles)}
        return {"vertices": self.vertices.tolist(), "triangles": self.triangles.tolist()}

    def features(self) -> FeatureRows:
        """Triangles, and the edges and corners that can be touched."""
        return _rows_of(Itself(self))

    def encloses(self, points: Floats) -> Booleans:
        """Which of the points (n, 3) are inside, (n,) bool, see `winding`: none, if it is open."""
        places = np.ascontiguousarray(points, dtype=np.float64).reshape(-1, 3)
        winding = _winding_of(Itself(self))
        return np.zeros(len(places), dtype=bool) if winding is None else winding.encloses(places)

    @property
    def is_closed(self) -> bool:
        """Whether each side of a triangle is that of one other, which goes the other way."""
        loops = Loops.of_triangles(self.triangles)
        n = len(self.vertices)
        forth = np.sort(loops.corner * n + loops.next_corner)
        back = np.sort(loops.next_corner * n + loops.corner)
        return bool(np.all(np.diff(forth) > 0) and np.array_equal(forth, back))

    def drawing(self, offset: float = 0.0, inside: bool = False) -> Drawing:
        """The triangles, moved by the offset to the side that is seen; both sides if it is open."""
        loops = Loops.of_triangles(self.triangles)
        flat = unit_normals(self.vertices, loops)
        edges = edges_of(self.vertices, loops, flat)
        normals = smooth_normals(self.triangles, flat, edges, _SHARP)
        places = self.vertices[self.triangles.reshape(-1)]
        places = places + (-offset if inside else offset) * normals
        sharp = edges.ends[edges.bend >= _SHARP] if offset == 0.0 else np.empty((0, 2), np.int64)
        corners = np.arange(3 * len(self.triangles)).reshape(-1, 3)
        drawing = Drawing(places, normals, corners, self.vertices[sharp])
        if not self.is_closed:
            return two_sided(drawing)
        return drawing.turned() if inside else drawing


@lru_cache(4)
def _rows_of(mesh: Itself) -> FeatureRows:
    """Kept, because large meshes take a second, and a simulation needs them more than once."""
    shape: Mesh = mesh.shape
    # A triangle that is given twice, as files of doubled walls do, has no seams with itself.
    _, first = np.unique(np.sort(shape.triangles, axis=1), axis=0, return_index=True)
    return polyhedron_rows(shape.vertices, Loops.of_triangles(shape.triangles[np.sort(first)]))


@lru_cache(4)
def _winding_of(mesh: Itself) -> Winding | None:
    """The winding numbers of a mesh, None if it is open; kept as well, because it needs a tree."""
    shape: Mesh = mesh.shape
    return Winding(shape.vertices[shape.triangles]) if shape.is_closed else None


def _moved(
    vertices: Floats,
    scale: float = 1.0,
    position: VectorLike = (0, 0, 0),
    rotation: npt.ArrayLike | None = None,
) -> Floats:
    """Vertices scaled, turned about the origin, and moved."""
    factor, turn = positive(scale, "a mesh's scale"), rotation or Rotation()
    turned = factor * vertices @ matrix_of(checked_rotation(turn, "a mesh's rotation")).T
    return turned + np.array(finite_vector(position, "a mesh's position"))
