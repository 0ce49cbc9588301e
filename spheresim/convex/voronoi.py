"""Voronoi regions: the feature of a body nearest to a point, by walking from region to region.

Each vertex, edge and face has a region of points that are nearest to it, bounded by planes;
across each plane lies the region of a neighbour. The walk crosses the plane that the point is
furthest beyond, until it is beyond none (M. C. Lin and J. F. Canny, 1991; B. Mirtich, V-Clip,
1998; the notes "Collision detection"). If the point has moved a little since the last answer,
a walk from there takes one step or two: that is coherence.

Inside a body the nearest face is instead the one over whose plane the point is highest. Features
are numbered: `Body.points`, then `Body.edges`, then `Body.faces` (in 2D: points, then edges).
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.convex.body import Body
from spheresim.convex.coordinates import coordinates
from spheresim.convex.geometry.posed_body import PosedBodies, posed_body, to_body, to_world
from spheresim.convex.hull.directions import normals_of, scaled
from spheresim.convex.hull.outline import sides
from spheresim.convex.query_result import NUMBER, VECTOR, WHOLE, Field, QueryResult
from spheresim.numerics.arguments import shown, whole_number
from spheresim.numerics.arrays import Floats, Integers, RowsLike
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector


class Regions(NamedTuple):
    """The Voronoi regions of a body's f features, in its own frame, as arrays.

    first: (f + 1,), where each feature's planes begin; planes: (p, 4), unit normal and
    height of the origin, a point is beyond if above 0; across: (p,), the feature there;
    tops: (t, 4), the planes of the last t features, which bound the body; spans: (f, 2, 3),
    of a vertex itself, of an edge both ends, of a face nothing; noise: the rounding of heights.
    """

    first: np.ndarray
    planes: np.ndarray
    across: np.ndarray
    tops: np.ndarray
    spans: np.ndarray
    noise: float


Bound: TypeAlias = tuple[np.ndarray, np.ndarray, int]
"""A plane that bounds a region: a normal, a point, and the feature beyond it."""


def regions_of(body: Body) -> Regions:
    """Work out the regions of a body's core; it must not be a flat face in space."""
    solid = bool(body.geometry[1, 1])
    if body.dimension == 3 and body.faces and not solid:
        raise ValueError("a flat face in space has no inside: its two sides are one region")
    points, own = body.points, scaled(body.points)
    edges = list(body.edges)
    if body.dimension == 2 and body.faces:
        outline = set(sides(body.faces[0]))
        edges = [edge if edge in outline else edge[::-1] for edge in edges]
    # The planes around each feature, and those that bound the body.
    bounds = _bounds_of_edges(points, own, edges)
    tops: list[tuple[np.ndarray, np.ndarray]] = []
    if body.dimension == 3:
        tops = _add_faces(bounds, body, own, edges)
    elif body.faces:
        along = [own[j] - own[i] for i, j in edges]
        tops = [
            (np.array([y, -x, 0.0]), points[i])
            for (x, y, _), (i, _) in zip(along, edges, strict=True)
        ]
    # Laid out as arrays.
    listed = [bound for around in bounds for bound in around]
    spans = np.zeros((len(bounds), 2, 3))
    spans[: len(points)] = points[:, np.newaxis]
    for k, (i, j) in enumerate(edges):
        spans[len(points) + k] = points[i], points[j]
    return Regions(
        np.cumsum([0] + [len(around) for around in bounds]),
        np.array([_plane(n, p) for n, p, _ in listed]).reshape(-1, 4),
        np.array([feature for _, _, feature in listed], dtype=np.int64),
        np.array([_plane(n, p) for n, p in tops]).reshape(-1, 4),
        spans,
        1e-14 * float(np.abs(points).max()),
    )


def _bounds_of_edges(
    points: np.ndarray, own: np.ndarray, edges: list[tuple[int, int]]
) -> list[list[Bound]]:
    """The planes across which vertices and edges are neighbours, for each of them."""
    bounds: list[list[Bound]] = [[] for _ in points]
    for name, (i, j) in enumerate(edges):
        along = own[j] - own[i]
        along = along / np.linalg.norm(along)
        feature = len(points) + name
        bounds[i].append((along, points[i], feature))
        bounds[j].append((-along, points[j], feature))
        bounds.append([(-along, points[i], i), (along, points[j], j)])
    return bounds


def _add_faces(
    bounds: list[list[Bound]], body: Body, own: np.ndarray, edges: list[tuple[int, int]]
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Add the planes across which edges and faces are neighbours; the planes of the faces."""
    points, tops = body.points, []
    names = {frozenset(edge): len(points) + k for k, edge in enumerate(edges)}
    for loop, normal in zip(body.faces, normals_of(own, body.faces), strict=True):
        tops.append((normal, points[loop[0]]))
        feature, around = len(bounds), []
        for i, j in sides(loop):
            inwards = np.cross(normal, own[j] - own[i])
            edge = names[frozenset((i, j))]
            bounds[edge].append((inwards, points[i], feature))
            around.append((-inwards, points[i], edge))
        bounds.append(around)
    return tops


def _plane(normal: np.ndarray, point: np.ndarray) -> list[float]:
    unit = normal / np.linalg.norm(normal)
    return [*unit, -float(unit @ point)]


@inlined
def _height(planes: Floats, i: int, point: TVector) -> float:
    return vector_at(planes, i).dot(point) + planes[i, 3]


@routine
def _step(known: Regions, feature: int, point: TVector) -> int:
    """The neighbour across the plane that the point is furthest beyond; the feature if none."""
    worst, following = known.noise, feature
    for i in range(known.first[feature], known.first[feature + 1]):
        beyond = _height(known.planes, i, point)
        if beyond > worst:
            worst, following = beyond, int(known.across[i])
    return following


@routine
def _highest(known: Regions, point: TVector) -> int:
    """The feature number of the bounding plane over which a point is highest."""
    best = 0
    for i in range(1, len(known.tops)):
        if _height(known.tops, i, point) > _height(known.tops, best, point):
            best = i
    return len(known.spans) - len(known.tops) + best


@routine
def _on_feature(known: Regions, feature: int, point: TVector) -> TVector:
    """The point of a feature that is nearest to a point."""
    top = feature - (len(known.spans) - len(known.tops))
    if top >= 0:
        return point - vector_at(known.tops, top) * _height(known.tops, top, point)
    start, end = vector_at(known.spans[feature], 0), vector_at(known.spans[feature], 1)
    along = end - start
    if along.mag_sqr() == 0.0:
        return start
    return start + along * min(1.0, max(0.0, (point - start).dot(along) / along.mag_sqr()))


@routine
def walk_to(known: Regions, feature: int, point: TVector) -> tuple[int, int]:
    """Walk from any feature to that nearest to a point of the body's frame; also the steps."""
    first_top = len(known.spans) - len(known.tops)
    most = 4 * len(known.spans) + 16
    for steps in range(1, most):
        following = _step(known, feature, point)
        if following == feature:
            if feature < first_top or _height(known.tops, feature - first_top, point) >= 0.0:
                return feature, steps
            following = _highest(known, point)
            if _height(known.tops, following - first_top, point) <= known.noise:
                return following, steps
        feature = following
    return feature, most


class NearestFeature(QueryResult):
    """The feature nearest to one point; for many points, every field has a leading axis."""

    __slots__ = ()

    feature = Field(WHOLE, "Its number: vertices, then edges, faces; see `VoronoiRegions.kind`.")
    gap = Field(NUMBER, "The point's distance from the body [length], negative inside.")
    point = Field(VECTOR, "The nearest point of the core's surface.")
    steps = Field(WHOLE, "Number of regions visited.")


@kernel
def _nearest(
    bodies: PosedBodies, known: Regions, points: Floats, start: Integers, records: np.ndarray
) -> None:
    body = posed_body(bodies.geometry, bodies.poses, 0)
    first_top = len(known.spans) - len(known.tops)
    for k in range(len(points)):
        point = to_body(body, vector_at(points, k) - body.position)
        feature, steps = walk_to(known, start[k], point)
        nearest = _on_feature(known, feature, point)
        gap = point.dist(nearest)
        if feature >= first_top:
            gap = _height(known.tops, feature - first_top, point)
        records[k]["feature"], records[k]["steps"] = feature, steps
        records[k]["gap"] = gap - body.radius
        set_vector(records["point"], k, to_world(body, nearest) + body.position)


def _feature_of(start: NearestFeature | None) -> Integers | None:
    if start is not None and not isinstance(start, NearestFeature):
        raise TypeError(f"a start is the last answer, not {shown(start)}")
    return None if start is None else start.feature


class VoronoiRegions:
    """The Voronoi regions of a body's corners, edges and faces, computed once for many points.

    `nearest` returns the feature of the body that is nearest to a point.

    >>> from spheresim.convex import box
    >>> square = VoronoiRegions(box((1, 1)))
    >>> answer = square.nearest((4, 5))
    >>> square.kind(answer.feature), float(answer.gap), answer.point.tolist()
    ('vertex', 5.0, [1.0, 1.0, 0.0])
    >>> square.kind(square.nearest((1.5, 0.5), start=answer).feature)
    'edge'
    """

    __slots__ = ("arrays", "body")

    def __init__(self, body: Body) -> None:
        if not isinstance(body, Body):
            raise TypeError(f"Voronoi regions are of one body, not {shown(body)}")
        self.body = body
        self.arrays = regions_of(body)

    def kind(self, feature: int) -> str:
        """The kind of a feature, by its index: "vertex", "edge" or "face"."""
        if isinstance(feature, bool) or not hasattr(feature, "__index__"):
            raise TypeError(f"a feature is named by its index, not by {shown(feature)}")
        name = int(feature)
        if not 0 <= name < len(self.arrays.spans):
            raise ValueError(f"the body has no feature {name}")
        if name < len(self.body.points):
            return "vertex"
        return "edge" if name < len(self.body.points) + len(self.body.edges) else "face"

    def at(
        self, position: Sequence[float], rotation: npt.ArrayLike | None = None
    ) -> "VoronoiRegions":
        """The same regions for the body at another position [length] and rotation."""
        elsewhere = object.__new__(VoronoiRegions)
        elsewhere.body = self.body.at(position, rotation)
        elsewhere.arrays = self.arrays
        return elsewhere

    def nearest(
        self, point: Sequence[float], start: NearestFeature | None = None
    ) -> NearestFeature:
        """The feature nearest to a point, as a `NearestFeature`.

        start: the answer for an earlier point near this one; it makes the search shorter.
        """
        return NearestFeature(self._ask([point], _feature_of(start))[0])

    def nearest_batch(
        self, points: RowsLike, start: NearestFeature | None = None
    ) -> NearestFeature:
        """The features nearest to many points, (n, dimension); row k is `nearest` of point k."""
        return NearestFeature(self._ask(points, _feature_of(start)))

    def _ask(self, points: RowsLike, start: npt.ArrayLike | None) -> np.ndarray:
        given = coordinates(points, self.body.dimension, "points")
        features = np.zeros(len(given), dtype=np.int64)
        if start is not None:
            if np.shape(start) not in {(), (1,), (len(given),)}:
                raise ValueError(
                    f"a start needs an answer for each of {len(given)} points, not {np.size(start)}"
                )
            features[:] = start
            whole_number(int(features.min(initial=0)), "a feature", 0)
            self.kind(int(features.max(initial=0)))
        records = np.empty(len(given), NearestFeature.dtype)
        body = PosedBodies(self.body.geometry, self.body.poses)
        _nearest(body, self.arrays, given, features, records)
        return records
