"""The table of the shapes that there are, and all obstacles of a world as arrays.

`SHAPES` lists the shapes. Planes and cylinders have a row each, with their place in that list as
their kind, all other obstacles one for each of their features. Each function below asks row k one
of the questions of `shape`: a kernel can choose between classes only by a branch for each kind,
and those branches stand in this file and in `features/table.py` alone.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from spheresim.compiler.by_reference import by_reference
from spheresim.compiler.decorators import inlined, routine
from spheresim.numerics.arguments import shown
from spheresim.numerics.arrays import Floats, Integers
from spheresim.numerics.ray import TRay
from spheresim.numerics.rounding import ROUNDING, manhattan_norm
from spheresim.numerics.rows import read_only, vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.ball_path import BallPath
from spheresim.obstacles.bounded import Bounded
from spheresim.obstacles.catalogue import BOUNDED
from spheresim.obstacles.compound import Compound
from spheresim.obstacles.cylinder import Cylinder
from spheresim.obstacles.features.index import Index, build_index
from spheresim.obstacles.features.rows import COLUMNS, FeatureRows, joined_rows, leaf_by_leaf
from spheresim.obstacles.features.shapes import axis_at
from spheresim.obstacles.features.table import Features, NoFeatures
from spheresim.obstacles.identity import Itself
from spheresim.obstacles.plane import Plane

AnyShape: TypeAlias = Plane | Cylinder | Bounded

SHAPES: tuple[type[AnyShape], ...] = (Plane, Cylinder, *BOUNDED, Compound)
"""All shapes; what is behind the planes and cylinders is made of features."""

SHAPE_OF: dict[str, type[AnyShape]] = {shape.kind: shape for shape in SHAPES}
"""The shape of each kind, in the order of a world's obstacles."""

_PLANE, _CYLINDER = 0, 1
_COLUMNS = 7


@by_reference
class Obstacles(NamedTuple):
    """A row for each plane, cylinder, and feature of other obstacles, in their order.

    kind: 0 for planes, 1 for cylinders, from 2 on for features (see `rows`), shape (k,); numbers:
    what it is made of, shape (k, 7) or more; restitution: (k,); owner: the index of the obstacle
    that it belongs to, (k,); unbounded: the rows that are planes or cylinders and stand still;
    features: `Features`, with an index of those that stand still, or `NoFeatures`.
    """

    kind: Integers
    numbers: Floats
    restitution: Floats
    owner: Integers
    unbounded: Integers
    features: Any

    def first_rows(self) -> Integers:
        """The first row of each obstacle, shape (obstacles,)."""
        return np.unique(self.owner, return_index=True)[1]

    def read_only(self) -> "Obstacles":
        """The same, of which no array can be written to."""
        columns: tuple[np.ndarray, ...] = self[:-1]
        features = self.features
        if isinstance(features, Features):
            tree: tuple[np.ndarray, ...] = features.tree
            features = Features(read_only(features.outline), Index._make(map(read_only, tree)))
        return Obstacles._make([*map(read_only, columns), features])


def check_shape(given: object) -> None:
    """TypeError for what is no shape."""
    if not isinstance(given, (Plane, Cylinder, Bounded)):
        raise TypeError(f"an obstacle must be one of {', '.join(SHAPE_OF)}, not {shown(given)}")


def pack(
    shapes: Sequence[AnyShape], restitution: Sequence[float], moves: Sequence[bool] | None = None
) -> Obstacles:
    """Lay shapes out as arrays, in the order given; TypeError for what is no shape.

    moves: in a world with walls, whether each shape moves: its rows are then not found by what
    looks for rows. Such a world has `Features` even without any: one kernel serves all of them.
    """
    for shape in shapes:
        check_shape(shape)
    if moves is not None or any(isinstance(shape, Bounded) for shape in shapes):
        return _packed_features(shapes, restitution, moves)
    many = len(shapes)
    numbers = np.zeros((many, _COLUMNS))
    kind = np.zeros(many, dtype=np.int64)
    for k, shape in enumerate(shapes):
        kind[k], numbers[k] = _unbounded_row(shape)
    rows = np.arange(many)
    given = np.array(restitution, dtype=np.float64)
    return Obstacles(kind, numbers, given, rows, rows.copy(), NoFeatures())


def _unbounded_row(shape: Any) -> tuple[int, npt.ArrayLike]:
    """A plane or cylinder as a row."""
    fields, row = np.hstack(shape), np.zeros(_COLUMNS)
    row[: len(fields)] = fields
    return (_PLANE if isinstance(shape, Plane) else _CYLINDER), row


def _packed_features(
    shapes: Sequence[AnyShape], restitution: Sequence[float], moves: Sequence[bool] | None
) -> Obstacles:
    """The same where some of the shapes are made of features, or the world has walls."""
    still = tuple(not moving for moving in moves or [False] * len(shapes))
    rows = _same_rows(tuple(map(Itself, shapes)), still)
    return rows._replace(restitution=np.array(restitution, dtype=np.float64)[rows.owner])


@lru_cache(1)
def _same_rows(shapes: tuple[Itself, ...], stands_still: tuple[bool, ...]) -> Obstacles:
    """Shapes without their restitution: kept, since a scene is packed to be checked, and again to
    be run."""
    parts = []
    for same in shapes:
        if isinstance(same.shape, Bounded):
            parts.append(leaf_by_leaf(same.shape.features()))
            continue
        kind, row = _unbounded_row(same.shape)
        wide = np.hstack([row, np.zeros(COLUMNS - _COLUMNS)])[None]
        everywhere = np.full((1, 3), np.inf)
        parts.append(FeatureRows(np.array([kind]), wide, np.zeros((0, 8)), -everywhere, everywhere))
    rows = joined_rows(parts)
    owner = np.repeat(np.arange(len(shapes)), [len(part.kind) for part in parts])
    still = np.array(stands_still, dtype=np.bool_)[owner]
    bounded = np.flatnonzero((rows.kind > _CYLINDER) & still)
    index = build_index(rows.low[bounded], rows.high[bounded], bounded)
    unbounded = np.flatnonzero((rows.kind <= _CYLINDER) & still)
    features = Features(rows.outline, index)
    return Obstacles(rows.kind, rows.numbers, np.zeros(0), owner, unbounded, features).read_only()


@inlined
def unbounded_row(obstacles: Obstacles, n: int) -> int:
    """Row number n of those that are planes or cylinders."""
    return obstacles.features.unbounded_at(obstacles, n)


@inlined
def plane_at(obstacles: Obstacles, k: int) -> Plane:
    """Obstacle k, known to be a plane."""
    return Plane(point_of(obstacles, k), axis_at(obstacles, k))


@inlined
def cylinder_at(obstacles: Obstacles, k: int) -> Cylinder:
    """Obstacle k, known to be a cylinder."""
    return Cylinder(point_of(obstacles, k), axis_at(obstacles, k), obstacles.numbers[k, 6])


@routine
def toi(obstacles: Obstacles, k: int, ray: TRay, radius: float) -> float:
    """The ray parameter at which a ball on the ray is stopped by obstacle k; inf if never."""
    if obstacles.kind[k] == _PLANE:
        return plane_at(obstacles, k).toi(ray, radius)
    if obstacles.features.has_row(obstacles, k):
        return float(obstacles.features.feature_toi(obstacles, k, ray, radius))
    return cylinder_at(obstacles, k).toi(ray, radius)


@inlined
def opposite_toi(obstacles: Obstacles, k: int, ray: TRay, radius: float) -> float:
    """When a ball that slides along obstacle k is stopped by the other side of a ring's mouth."""
    return float(obstacles.features.feature_opposite_toi(obstacles, k, ray, radius))


@routine
def falling_toi(obstacles: Obstacles, k: int, path: BallPath, radius: float, until: float) -> float:
    """The time of impact of a ball on a path and obstacle k; inf if not until then."""
    if obstacles.kind[k] == _PLANE:
        return plane_at(obstacles, k).falling_toi(path.x, path.v, path.a, radius, until)
    if obstacles.features.has_row(obstacles, k):
        return float(obstacles.features.feature_falling_toi(obstacles, k, path, radius, until))
    return cylinder_at(obstacles, k).falling_toi(path.x, path.v, path.a, radius, until)


@routine
def growing_toi(
    obstacles: Obstacles, k: int, x: TVector, v: TVector, radius: float, speed: float
) -> float:
    """The time of impact of a ball, whose radius grows at a speed, on plane or cylinder k."""
    if obstacles.kind[k] == _PLANE:
        return plane_at(obstacles, k).growing_toi(x, v, radius, speed)
    return cylinder_at(obstacles, k).growing_toi(x, v, radius, speed)


@inlined
def is_receding(
    obstacles: Obstacles, k: int, position: TVector, velocity: TVector, acceleration: TVector
) -> bool:
    """Whether a point moves away from obstacle k, no feature, and is not pulled back to it."""
    if obstacles.kind[k] == _PLANE:
        return plane_at(obstacles, k).is_receding(position, velocity, acceleration)
    return cylinder_at(obstacles, k).is_receding(position, velocity, acceleration)


@inlined
def gap(obstacles: Obstacles, k: int, point: TVector) -> float:
    """The signed distance of a point from obstacle k, negative behind or inside its surface."""
    if obstacles.kind[k] == _PLANE:
        return plane_at(obstacles, k).gap(point)
    if obstacles.features.has_row(obstacles, k):
        return float(obstacles.features.feature_gap(obstacles, k, point))
    return cylinder_at(obstacles, k).gap(point)


@inlined
def clearance(obstacles: Obstacles, k: int, point: TVector) -> float:
    """The distance of a point from the surface of obstacle k, on whichever side it is."""
    return abs(gap(obstacles, k, point))


@routine
def normal_at(obstacles: Obstacles, k: int, point: TVector) -> TVector:
    """The normal of obstacle k nearest to a point, towards that point."""
    if obstacles.kind[k] == _PLANE:
        return plane_at(obstacles, k).normal_at(point, point)
    if obstacles.features.has_row(obstacles, k):
        return obstacles.features.feature_normal(obstacles, k, point)
    return cylinder_at(obstacles, k).normal_at(point, point)


@routine
def bend(obstacles: Obstacles, k: int, point: TVector, velocity: TVector) -> float:
    """The second time derivative of a point's clearance from obstacle k, if it goes straight on."""
    if obstacles.kind[k] == _PLANE:
        return plane_at(obstacles, k).bend(point, velocity)
    if obstacles.features.has_row(obstacles, k):
        return float(obstacles.features.feature_bend(obstacles, k, point, velocity))
    return cylinder_at(obstacles, k).bend(point, velocity)


@inlined
def curvature_radius(obstacles: Obstacles, k: int, point: TVector) -> float:
    """The radius of the path of a point that goes around obstacle k; inf where that is flat."""
    if obstacles.kind[k] == _PLANE:
        return math.inf
    if obstacles.features.has_row(obstacles, k):
        return float(obstacles.features.feature_curvature_radius(obstacles, k, point))
    cylinder = cylinder_at(obstacles, k)
    return cylinder.radius + cylinder.gap(point)


@inlined
def is_tube(obstacles: Obstacles, k: int, point: TVector) -> bool:
    """Whether obstacle k bends around a point: a tube, a bowl, a drum or a ring that holds it."""
    if obstacles.kind[k] == _PLANE:
        return False
    if obstacles.features.has_row(obstacles, k):
        return bool(obstacles.features.feature_holds(obstacles, k, point))
    return cylinder_at(obstacles, k).is_tube(point)


@inlined
def bends_towards(obstacles: Obstacles, k: int, point: TVector, velocity: TVector) -> bool:
    """Whether obstacle k bends towards a ball that slides along it, as the wall of a tube does and
    the mouth of a ring; also on the axis of a tube, where any way leads to the wall."""
    return is_tube(obstacles, k, point) or bend(obstacles, k, point, velocity) < 0.0


@inlined
def turning_axis(obstacles: Obstacles, k: int, point: TVector, velocity: TVector) -> TVector:
    """The axis about which a ball turns that slides along obstacle k, which bends towards it.

    That of a tube or drum; in a bowl and elsewhere it is at right angles to the velocity.
    """
    if obstacles.kind[k] == _CYLINDER:
        return cylinder_at(obstacles, k).axis
    return obstacles.features.feature_axis(obstacles, k, point, velocity)


@inlined
def is_behind(obstacles: Obstacles, k: int, point: TVector) -> bool:
    """Whether obstacle k lets through a ball with its centre there: it is behind a plane."""
    return obstacles.kind[k] == _PLANE and plane_at(obstacles, k).gap(point) <= 0.0


@inlined
def is_flat(obstacles: Obstacles, k: int) -> bool:
    """Whether obstacle k is a plane or a face: a ball can lie on it, and its normal is everywhere
    the same.

    All others bend away from a ball, or towards it.
    """
    return bool(obstacles.kind[k] == _PLANE) or obstacles.features.is_flat_feature(obstacles, k)


@inlined
def flat_plane(obstacles: Obstacles, k: int, point: TVector) -> Plane:
    """Obstacle k, known to be flat, as the plane that it is to a ball at a point."""
    if obstacles.kind[k] == _PLANE:
        return plane_at(obstacles, k)
    return obstacles.features.feature_plane(obstacles, k, point)


@inlined
def rests_on_plane(obstacles: Obstacles, k: int, path: BallPath, radius: float) -> bool:
    """Whether a ball touches plane or face k, and moves and is pulled along it, to rounding."""
    x, v, acceleration = path
    if not is_flat(obstacles, k):
        return False
    plane = flat_plane(obstacles, k, x)
    vn, an = v.dot(plane.normal), acceleration.dot(plane.normal)
    return bool(
        (abs(vn) <= ROUNDING * manhattan_norm(v))
        & (abs(an) <= ROUNDING * manhattan_norm(acceleration))
        & (plane.gap(x) <= radius + ROUNDING * (manhattan_norm(x) + radius))
    )


@inlined
def time_to_end(
    obstacles: Obstacles, k: int, x: TVector, v: TVector, acceleration: TVector
) -> float:
    """When a ball that slides on a face goes over its end; inf for all that has none."""
    return float(obstacles.features.feature_end(obstacles, k, x, v, acceleration))


@inlined
def has_ended(obstacles: Obstacles, k: int, x: TVector) -> bool:
    """Whether a ball is over the end of a face, or of a line."""
    return bool(obstacles.features.has_feature_ended(obstacles, k, x))


@inlined
def is_below(obstacles: Obstacles, k: int, plane: Plane) -> bool:
    """Whether obstacle k is a feature that reaches no higher than a plane, to rounding."""
    return bool(obstacles.features.is_feature_below(obstacles, k, plane))


@inlined
def has_images(obstacles: Obstacles, k: int) -> bool:
    """Whether a periodic box holds images of obstacle k besides itself.

    A plane goes along all periodic axes, and is its own image; features are in no periodic box.
    """
    return bool(obstacles.kind[k] == _CYLINDER)


@inlined
def point_of(obstacles: Obstacles, k: int) -> TVector:
    """The point by which obstacle k was given."""
    return vector_at(obstacles.numbers, k)
