"""What convex polyhedra have in common, rounded or not: cuboids, hulls and polygons."""

from collections.abc import Sequence

import numpy as np

from spheresim.numerics.arguments import length
from spheresim.numerics.arrays import Booleans, Floats
from spheresim.numerics.qhull import triangulated
from spheresim.obstacles.bounded import Bounded
from spheresim.obstacles.drawing import Drawing, flat_drawing, rounded_drawing, together, two_sided
from spheresim.obstacles.features.polyhedron import Loops, polyhedron_rows, unit_normals
from spheresim.obstacles.features.rows import FeatureRows
from spheresim.obstacles.features.surface import FeatureSurface

Faces = Sequence[tuple[int, ...]]


class ConvexPolyhedron(Bounded):
    """Vertices, faces that are anticlockwise seen from outside, and all within `rounding` of it.

    With a single face it is a thin plate, which has no inside.
    """

    __slots__ = ()

    rounding: float

    def body(self) -> tuple[Floats, Faces]:
        """The vertices, (n, 3), and the faces as loops of them."""
        raise NotImplementedError

    @property
    def is_solid(self) -> bool:
        """A rounded one is solid: no ball can be inside it."""
        return self.rounding > 0.0

    def offset(self, radius: float) -> "ConvexPolyhedron":
        """The same, rounded by that much more."""
        rounding = self.rounding + length(radius, "an offset", may_be_0=True)
        return self._replace(rounding=rounding)  # type: ignore[attr-defined]

    def features(self) -> FeatureRows:
        """Its faces, edges and corners."""
        vertices, faces = self.body()
        return polyhedron_rows(vertices, Loops.of(faces), self.rounding)

    def encloses(self, points: Floats) -> Booleans:
        """Which of the points (n, 3) are inside, (n,) bool."""
        vertices, faces = self.body()
        inside = np.zeros(len(points), dtype=bool)
        if len(faces) > 1:
            normals = unit_normals(vertices, Loops.of(faces))
            corners = np.array([vertices[face[0]] for face in faces])
            heights = points @ normals.T - np.einsum("ij,ij->i", corners, normals)
            inside = np.all(heights < 0.0, axis=1)
        if self.rounding > 0.0:
            core = polyhedron_rows(vertices, Loops.of(faces))
            for k in range(len(core.kind)):
                inside |= FeatureSurface(core, core.outline, k).gaps(points) < self.rounding
        return inside

    def drawing(self, offset: float = 0.0, inside: bool = False) -> Drawing:
        """Flat faces, or rounded ones; from inside the room that is left to a centre."""
        vertices, faces = self.body()
        normals = unit_normals(vertices, Loops.of(faces))
        if len(faces) == 1:
            normals = np.vstack([normals, -normals])
        if inside:
            return _shrunk(vertices, faces, normals, offset).turned()
        if self.rounding + offset > 0.0:
            return rounded_drawing(vertices, self.rounding + offset, normals)
        if len(faces) == 1:
            return two_sided(flat_drawing(vertices, faces, normals[:1]))
        return flat_drawing(vertices, faces, normals)


def _shrunk(vertices: Floats, faces: Faces, normals: Floats, by: float) -> Drawing:
    """The room inside, of which each wall has been moved inwards."""
    if by == 0.0:
        return flat_drawing(vertices, faces, normals)
    from scipy.spatial import HalfspaceIntersection, QhullError

    corners = np.array([vertices[face[0]] for face in faces])
    d = np.einsum("ij,ij->i", corners, normals) - by
    middle = vertices.mean(axis=0)
    if np.any(normals @ middle >= d):
        return together([])
    try:
        points = HalfspaceIntersection(np.column_stack([normals, -d]), middle).intersections
        found = triangulated(points)
    except (QhullError, ValueError):
        return together([])
    loops, outwards = found.outward(points).tolist(), found.planes[:, :3]
    return flat_drawing(points, loops, outwards)._replace(outline=np.empty((0, 2, 3)))
