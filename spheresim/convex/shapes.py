"""The functions that make bodies; what is given is checked, and errors say what is wrong."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from spheresim.convex.body import Body
from spheresim.convex.coordinates import LARGEST, checked_radius, checked_vector, coordinates
from spheresim.convex.geometry.layout import Core, geometry_rows, pose_row
from spheresim.convex.geometry.primitives import BOX_FRAMES, box_geometry, point_geometry
from spheresim.convex.geometry.rotation import rotation_matrix
from spheresim.convex.geometry.slabs import with_surface
from spheresim.convex.hull.convex_hull import convex_hull, frame_of
from spheresim.convex.hull.directions import normals_of, scaled, without_parallels
from spheresim.convex.hull.outline import Loop, newell_normal, sides
from spheresim.convex.shape_checks import check_polygon, checked_face, listed, outward_face
from spheresim.numerics.arguments import positive
from spheresim.numerics.arrays import RowsLike


def polygon(
    points: RowsLike,
    position: Sequence[float] = (0, 0),
    rotation: npt.ArrayLike | None = None,
    radius: float = 0.0,
) -> Body:
    """A convex polygon in the plane, as a convex body.

    points: the corners in order, clockwise or anticlockwise, (n, 2) [length]; rotation: an angle
    [rad]; radius: of a rounding that is added outside [length]. ValueError for fewer than three
    points, repeated points, and a polygon that is not convex.

    >>> polygon([(0, 0), (2, 0), (0, 2), (0.5, 0.5)])
    Traceback (most recent call last):
        ...
    ValueError: the polygon is not convex at point 3, (0.5, 0.5)
    """
    corners = coordinates(points, 2, "a polygon's points")
    if len(corners) < 3:
        raise ValueError(f"a polygon needs at least three points, not {len(corners)}")
    check_polygon(corners)
    area = newell_normal(corners)[2]
    loop = tuple(range(len(corners))) if area > 0.0 else tuple(range(len(corners)))[::-1]
    return _body(corners, (loop,), 2, 2, pose_of(position, rotation, 2), radius)


def box(
    half: Sequence[float],
    position: Sequence[float] | None = None,
    rotation: npt.ArrayLike | None = None,
    radius: float = 0.0,
) -> Body:
    """A rectangle or a box, as a convex body.

    half: two or three half side lengths [length]; position: of the centre [length]; rotation: in 2D
    an angle [rad], in 3D a 3 × 3 matrix, a quaternion (x, y, z, w) or a scipy `Rotation`; radius:
    of a rounding that is added outside [length].

    >>> box((1, 2)).world_points[:, :2].tolist()
    [[-1.0, -2.0], [1.0, -2.0], [-1.0, 2.0], [1.0, 2.0]]
    """
    extents = [positive(extent, "a box's half extent") for extent in listed(half, "half extents")]
    dimension = len(extents)
    if dimension not in BOX_FRAMES:
        raise ValueError(f"a box has two or three half extents, not {dimension}")
    frame, geometry = BOX_FRAMES[dimension], box_geometry(tuple(extents), checked_radius(radius))
    corners = frame.signs * (*extents, 0.0)[:3]
    pose = pose_of(position, rotation, dimension)
    return _posed(corners, frame.faces, frame.edges, geometry, pose)


def polyhedron(
    points: RowsLike,
    faces: Sequence[Sequence[int]],
    position: Sequence[float] = (0, 0, 0),
    rotation: npt.ArrayLike | None = None,
    radius: float = 0.0,
) -> Body:
    """A convex polyhedron, as a convex body.

    points: the corners, (n, 3) [length]; faces: for each face the indices of its corners in order,
    clockwise or anticlockwise; position, rotation, radius: as for `box`. ValueError for fewer than
    four points, faces that are not flat or do not close the surface, and a solid that is not
    convex.
    """
    corners = coordinates(points, 3, "a polyhedron's points")
    if len(corners) < 4:
        raise ValueError(f"a polyhedron needs at least four points, not {len(corners)}")
    given = enumerate(listed(faces, "faces"))
    loops = [checked_face(name, face, len(corners)) for name, face in given]
    frame = frame_of(corners, np.abs(corners).max(axis=0))
    if frame.points.shape[1] < 2:
        raise ValueError("face 0 has no area: all points lie on one line")
    if frame.points.shape[1] < 3:
        raise ValueError("the polyhedron has no volume: all points lie in one plane")
    outwards = [outward_face(frame, name, loop) for name, loop in enumerate(loops)]
    directed = [side for loop in outwards for side in sides(loop)]
    if not outwards or sorted(directed) != sorted((b, a) for a, b in directed):
        raise ValueError("the polyhedron's faces do not close: every edge needs exactly two")
    return _body(corners, tuple(outwards), 3, 3, pose_of(position, rotation, 3), radius)


def hull(
    points: RowsLike,
    position: Sequence[float] | None = None,
    rotation: npt.ArrayLike | None = None,
    radius: float = 0.0,
) -> Body:
    """The convex hull of points, as a convex body.

    points: (n, 2) or (n, 3) [length]; they may lie in a plane or repeat. position, rotation,
    radius: as for `box`. Points in one plane, or on one line, to the tolerance of `convex.hull`,
    make one face or one edge. Points of type float32 count as rounded to this type. A hull thinner
    than 1e-12 of its length, or than the rounding of its points, is a flat face, a segment or a
    point, and has no inside. ValueError or TypeError for arrays of other shapes, and for
    coordinates beyond 1e152.

    >>> hull([(0, 0), (2, 0), (2, 2), (1, 1), (0, 2), (0, 2)])
    <body of 4 points, radius 0, at (0.0, 0.0)>
    """
    rows = points if isinstance(points, np.ndarray) else listed(points, "points")
    dimension = 2 if len(rows) > 0 and np.shape(rows[0]) == (2,) else 3
    given = coordinates(rows, dimension, "a hull's points")
    if len(given) == 0:
        raise ValueError("a hull needs at least one point")
    pose = pose_of(position, rotation, dimension)
    return hull_of(given, pose, dimension, radius, _magnitude(points, given))[0]


def _magnitude(points: RowsLike, given: np.ndarray) -> np.ndarray:
    """The size of doubles whose rounding is as large as that of the points' own type, (3,)."""
    kind = getattr(points, "dtype", given.dtype)
    coarser = float(np.finfo(kind).eps / np.finfo(given.dtype).eps) if kind.kind == "f" else 1.0
    return np.asarray(max(1.0, coarser) * np.abs(given).max(axis=0))


def hull_of(
    points: np.ndarray,
    pose: np.ndarray,
    dimension: int,
    radius: float,
    magnitude: np.ndarray,
) -> tuple[Body, Loop]:
    """A hull, and which of the points, shape (n, 3), are its corners, see `convex_hull`."""
    found = convex_hull(points, magnitude)
    renamed = {old: new for new, old in enumerate(found.corners)}
    faces = tuple(tuple(renamed[i] for i in face) for face in found.faces)
    corners = points[list(found.corners)]
    body = _body(corners, faces, dimension, found.rank, pose, radius)
    return body, found.corners


def sphere(radius: float, position: Sequence[float] | None = (0, 0, 0)) -> Body:
    """A ball, as a convex body; a disc if the position has two numbers.

    radius: 0 makes a point [length]; position: of the centre [length], None is the origin.
    """
    own_radius, where = checked_radius(radius), (0, 0, 0) if position is None else position
    if not hasattr(where, "__len__"):
        where = listed(where, "a position of numbers")
    dimension = 2 if len(where) == 2 else 3
    geometry = point_geometry(dimension).copy()
    geometry[1, 0] = own_radius
    return _posed(np.zeros((1, 3)), (), (), geometry, pose_of(where, None, dimension))


def capsule(
    start: Sequence[float],
    end: Sequence[float],
    radius: float,
    position: Sequence[float] | None = None,
    rotation: npt.ArrayLike | None = None,
) -> Body:
    """A capsule, as a convex body: all points within `radius` of the segment from start to end.

    start, end: in the body's frame, (3,), or (2,) for the plane [length]; position, rotation: as
    for `box`.
    """
    named = ("a capsule's start", start), ("a capsule's end", end)
    segment = [listed(given, f"{what} of numbers") for what, given in named]
    dimension = 2 if len(segment[0]) == 2 else 3
    ends = coordinates(segment, dimension, "a capsule's ends")
    rank = int((ends[0] != ends[1]).any())
    pose = pose_of(position, rotation, dimension)
    return _body(ends[: rank + 1], (), dimension, rank, pose, radius)


def _body(
    corners: np.ndarray,
    faces: tuple[Loop, ...],
    dimension: int,
    rank: int,
    pose: np.ndarray,
    radius: float,
) -> Body:
    """A body of any kind; `rank`: 0 for a point, 1 for a segment, 2 if flat, 3 for a solid."""
    pairs = {tuple(sorted(side)) for loop in faces for side in sides(loop)}
    edges = tuple(sorted((int(a), int(b)) for a, b in pairs)) or ((0, 1),) * (rank == 1)
    ends = scaled(corners)
    if dimension == 2:
        loop = faces[0] if faces else (0, 1)
        going = [ends[b] - ends[a] for a, b in sides(loop)] if rank else []
        normals = np.array([(y, -x, 0.0) for x, y, _ in going]).reshape(-1, 3)
        along = np.empty((0, 3))
    else:
        normals = normals_of(corners, faces) if faces else np.empty((0, 3))
        which = np.array(edges, dtype=np.int64).reshape(-1, 2)
        along = ends[which[:, 1]] - ends[which[:, 0]]
    core = Core(corners, without_parallels(normals), without_parallels(along))
    geometry = geometry_rows(core, checked_radius(radius), rank == dimension, dimension)
    return _posed(corners, faces, edges, with_surface(geometry, edges), pose)


def _posed(
    points: np.ndarray,
    faces: tuple[Loop, ...],
    edges: tuple[tuple[int, int], ...],
    geometry: np.ndarray,
    pose: np.ndarray,
) -> Body:
    size = geometry[1, 0] + geometry[4, 0]
    if not size <= LARGEST:
        raise ValueError(f"a body must be no larger than {LARGEST:g}, not {size:g}")
    return Body(points, faces, edges, geometry, pose)


def pose_of(
    position: npt.ArrayLike | None, rotation: npt.ArrayLike | None, dimension: int
) -> np.ndarray:
    """A pose as kernels read it, (1, 13); without a position at the origin."""
    home = (0.0, 0.0, 0.0) if position is None else checked_vector(position, dimension)
    return pose_row(home, rotation_matrix(rotation, dimension))
