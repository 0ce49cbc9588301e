"""The geometries of points, balls and boxes, which need no convex hull; and poses for many."""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from spheresim.convex.coordinates import LARGEST, coordinates
from spheresim.convex.geometry.layout import POSE_SIZE, Core, box_balls, geometry_rows
from spheresim.convex.geometry.rotation import rotation_matrices
from spheresim.convex.geometry.slabs import with_surface
from spheresim.convex.hull.outline import Loop, sides
from spheresim.numerics.batch import number_rows, question_count, refuse_bad_row, vector_rows
from spheresim.numerics.box_faces import FACES, SIGNS

_NONE = np.empty((0, 3))


@lru_cache
def point_geometry(dimension: int) -> np.ndarray:
    """The geometry of a point at the origin; a copy with a radius in row 1 is that of a ball."""
    rows = geometry_rows(Core(np.zeros((1, 3)), _NONE, _NONE), 0.0, False, dimension)
    return with_surface(rows, ())


class BoxFrame:
    """What all boxes of a dimension share.

    signs: of the corners, (2^dimension, 3); faces: loops of corners; edges: pairs of corners;
    normals, along: of the faces and edges, each direction once.
    """

    def __init__(self, dimension: int, faces: tuple[Loop, ...]) -> None:
        axes = np.eye(3)[:dimension]
        self.signs = np.where(np.arange(3) < dimension, SIGNS[: 2**dimension], 0.0)
        self.faces = faces
        self.edges = tuple(
            sorted({(min(side), max(side)) for face in faces for side in sides(face)})
        )
        self.normals = axes if dimension == 2 else -axes
        self.along = axes[:0] if dimension == 2 else axes


BOX_FRAMES = {2: BoxFrame(2, ((1, 3, 2, 0),)), 3: BoxFrame(3, FACES)}
"""By dimension."""


def box_geometry(half: tuple[float, ...], radius: float) -> np.ndarray:
    """The geometry of a rectangle of two half extents, or a box of three, about the origin."""
    dimension, whole = len(half), (*half, 0.0)[:3]
    frame = BOX_FRAMES[dimension]
    core = Core(frame.signs * whole, frame.normals, frame.along)
    rows = geometry_rows(core, radius, True, dimension, whole)
    return with_surface(rows, frame.edges)


# --- Many, straight from arrays -----------------------------------------------------------
#
# The same arrays, to the bit, as those of bodies that are made one by one and gathered. A geometry
# is laid out once for each kind; what sizes change in it is filled in.


def many_spheres(positions: npt.ArrayLike, radii: npt.ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Geometries and poses of balls, see `Bodies.spheres`."""
    places, sizes = vector_rows(positions, "positions"), number_rows(radii, "radii")
    n = question_count(positions=places, radii=sizes)
    refuse_bad_row(radii=sizes)
    geometry = np.repeat(point_geometry(3)[None], len(sizes), axis=0)
    geometry[:, 1, 0] = sizes
    return placed(geometry, n, places, None)


def many_boxes(
    half: npt.ArrayLike, positions: npt.ArrayLike, rotations: npt.ArrayLike | None
) -> tuple[np.ndarray, np.ndarray]:
    """Geometries and poses of boxes, see `Bodies.boxes`."""
    extents, places = vector_rows(half, "half"), vector_rows(positions, "positions")
    n = question_count(half=extents, positions=places)
    fine = (extents > 0.0) & (extents <= LARGEST)
    if not fine.all():
        k = int(np.flatnonzero(~fine.all(axis=1))[0])
        raise ValueError(f"half: row {k} must be greater than 0, not {extents[k].tolist()}")
    # All but the balls' radii is proportional to one of the three half extents, or constant.
    unit = box_geometry((1.0, 1.0, 1.0), 0.0)
    geometry = np.repeat(unit[None], len(extents), axis=0)
    for axis, doubled in enumerate(np.eye(3) + 1.0):
        of_axis = box_geometry(tuple(doubled.tolist()), 0.0) != unit
        of_axis[4] = False
        geometry[:, of_axis] = unit[of_axis] * extents[:, axis, None]
    geometry[:, 4] = [box_balls(row, 3) for row in extents.tolist()]
    return placed(geometry, n, places, rotations)


def placed(
    geometry: np.ndarray, n: int, positions: npt.ArrayLike, rotations: npt.ArrayLike | None
) -> tuple[np.ndarray, np.ndarray]:
    """Geometries (n, rows, 3), or one for all, as rows of one array, and their poses (n, 13)."""
    kinds, rows, _ = geometry.shape
    poses = np.empty((n, POSE_SIZE))
    poses[:, 0] = np.arange(n) * rows if kinds == n else 0.0
    poses[:, 1:4] = coordinates(positions, 3, "positions")
    turns = np.eye(3)[None] if rotations is None else rotation_matrices(rotations, n)
    poses[:, 4:] = turns.reshape(-1, 9)
    return geometry.reshape(-1, 3).copy(), poses
