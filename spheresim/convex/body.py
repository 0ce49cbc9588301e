"""Convex bodies: points + radius, in a pose.

A body's core is the convex hull of its points; the body is everything within `radius` of
it. A ball is one point, a capsule two, a polygon, box or polyhedron has radius 0 unless
it is rounded. In 2D the third coordinate is 0 throughout, and directions stay in the plane.

Points and positions are lengths. The position is where the body's own origin lies and the
point about which it turns. A body does not change: `at` gives the same body elsewhere.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from spheresim.convex.geometry.layout import POSE_SIZE
from spheresim.convex.geometry.rotation import rotation_matrix
from spheresim.convex.hull.outline import Loop
from spheresim.numerics.arguments import number, shown
from spheresim.numerics.ray import TRay
from spheresim.obstacles.shape import Hit, Hits

LARGEST = 1e152
"""The largest length: its square, and sums of some such squares, do not overflow."""


class BodyArrays:
    """What kernels are given: `geometry`, shape (rows, 3), and `poses`, shape (n, 13).

    Both are described in `geometry.layout`.
    """

    __slots__ = ("dimension", "geometry", "poses")

    def __init__(self, geometry: np.ndarray, poses: np.ndarray) -> None:
        self.geometry = geometry
        self.poses = poses
        self.dimension = int(geometry[1, 2]) if len(geometry) else 3

    @property
    def positions(self) -> np.ndarray:
        """Shape (n, 3)."""
        return self.poses[:, 1:4]

    @property
    def rotations(self) -> np.ndarray:
        """Shape (n, 3, 3); the columns are a body's own axes, seen from the world."""
        return np.asarray(self.poses[:, 4:].reshape(-1, 3, 3))


class Body(BodyArrays):
    """One convex body. `polygon`, `box`, `polyhedron`, `hull`, `sphere`, `capsule` make them.

    `points`: shape (n, 3), in the body's own frame; `faces`: loops of points, anticlockwise
    from outside (in 2D one, the outline); `edges`: pairs of points.
    """

    __slots__ = ("edges", "faces", "points", "radius")

    def __init__(
        self,
        points: np.ndarray,
        faces: tuple[Loop, ...],
        edges: tuple[tuple[int, int], ...],
        geometry: np.ndarray,
        poses: np.ndarray,
    ) -> None:
        super().__init__(geometry, poses)
        self.points = points
        self.faces = faces
        self.edges = edges
        self.radius = float(geometry[1, 0])

    def at(self, position: Sequence[float] | np.ndarray, rotation: Any = None) -> "Body":
        """The same body in another pose; without a rotation it keeps its own.

        `rotation`: in 2D an angle [rad], in 3D a 3 × 3 matrix (see `rotation_about`), a
        quaternion (x, y, z, w) or a scipy `Rotation`; what is accepted is said in `rotation`.
        ValueError or TypeError for what is no position or no rotation.
        """
        poses = self.poses.copy()
        row = poses[0]
        row[1], row[2], row[3] = checked_position(position, self.dimension)
        if rotation is not None:
            row[4:] = rotation_matrix(rotation, self.dimension).ravel()
        elsewhere = _bare(Body)  # all but its pose is the same, and known
        elsewhere.points, elsewhere.faces, elsewhere.edges = self.points, self.faces, self.edges
        elsewhere.geometry, elsewhere.poses = self.geometry, poses
        elsewhere.dimension, elsewhere.radius = self.dimension, self.radius
        return elsewhere

    @property
    def position(self) -> np.ndarray:
        """Where the body's own origin lies, shape (3,)."""
        return self.poses[0, 1:4]

    @property
    def rotation(self) -> np.ndarray:
        """Shape (3, 3); the columns are the body's own axes, seen from the world."""
        return np.asarray(self.poses[0, 4:].reshape(3, 3))

    @property
    def world_points(self) -> np.ndarray:
        """The core's points where they are, shape (n, 3)."""
        return np.asarray(self.points @ self.rotation.T + self.position)

    def hit(self, ray: TRay) -> Hit | None:
        """Where a ray first meets the body, from outside or from inside, or None."""
        from spheresim.convex.ray_cast import hit  # it takes bodies itself

        return hit(self, ray)

    def hit_batch(self, origin: Any, direction: Any) -> Hits:
        """`hit` of many rays: starts and directions (n, 3), or one for all."""
        from spheresim.convex.ray_cast import hit_batch

        return hit_batch(self, origin, direction)

    def __repr__(self) -> str:
        position = tuple(self.position[: self.dimension].tolist())
        return f"<body of {len(self.points)} points, radius {self.radius:g}, at {position}>"


class Bodies(BodyArrays):
    """Many bodies as arrays, for the batch form of every question.

    Bodies of the same geometry share it. `positions` and `rotations` are views that may be
    written to; `bodies[indices]` are those bodies, in that order, repeated if asked.
    """

    __slots__ = ()

    @classmethod
    def of(cls, bodies: Iterable[BodyArrays]) -> "Bodies":
        """Gather bodies that were made one by one, or several together.

        Raises TypeError for what is no body, ValueError for some in the plane, some in space.
        """
        gathered = list(bodies) if isinstance(bodies, Iterable) else [bodies]
        if not gathered:
            return cls(np.empty((0, 3)), np.empty((0, POSE_SIZE)))
        for body in gathered:
            if not isinstance(body, BodyArrays):
                raise TypeError(f"Bodies are made of bodies, not {shown(body)}")
        if len({body.dimension for body in gathered}) > 1:
            raise ValueError("bodies in the plane and in space do not mix")
        geometries = {id(body.geometry): body.geometry for body in gathered}
        heights = np.cumsum([0, *(len(geometry) for geometry in geometries.values())])
        starts = dict(zip(geometries, heights.tolist(), strict=False))
        every = [body.poses for body in gathered]
        poses = np.concatenate(every)
        own = np.array([starts[id(body.geometry)] for body in gathered])
        poses[:, 0] += own if len(poses) == len(every) else own.repeat([len(k) for k in every])
        return cls(np.concatenate(list(geometries.values())), poses)

    @classmethod
    def spheres(cls, positions: Any, radii: Any) -> "Bodies":
        """Balls at positions, (n, 3), with radii, (n,) or one for all, straight from arrays.

        >>> Bodies.spheres([(0, 0, 0), (3, 0, 0)], [1, 2])
        <2 bodies>
        """
        from spheresim.convex.many_bodies import spheres  # it makes bodies itself

        return spheres(positions, radii)

    @classmethod
    def boxes(cls, half: Any, positions: Any, rotations: Any = None) -> "Bodies":
        """Boxes with half extents (n, 3) at positions (n, 3), straight from arrays.

        `rotations`: matrices (n, 3, 3), quaternions (n, 4), or a scipy `Rotation`. One row of
        each is for all. ValueError for what are no such arrays.
        """
        from spheresim.convex.many_bodies import boxes

        return boxes(half, positions, rotations)

    @classmethod
    def copies(cls, body: Body, positions: Any, rotations: Any = None) -> "Bodies":
        """The same body at many positions, (n, 3), turned as for `boxes`; it keeps its own
        rotation without any."""
        from spheresim.convex.many_bodies import copies

        return copies(body, positions, rotations)

    def __repr__(self) -> str:
        return f"<{len(self)} bodies>"

    def __len__(self) -> int:
        return len(self.poses)

    def __getitem__(self, which: Any) -> "Bodies":
        try:
            poses = self.poses[which]
        except IndexError:
            wrong = f"{len(self)} bodies have none of that index: {shown(which)}"
            raise IndexError(wrong) from None
        if poses.ndim == 0 or poses.shape[-1] != POSE_SIZE:
            raise IndexError(f"bodies are chosen by one index each, not {shown(which)}")
        return Bodies(self.geometry, np.ascontiguousarray(poses.reshape(-1, POSE_SIZE)))


_bare = object.__new__


def checked_position(position: Any, dimension: int) -> tuple[float, float, float]:
    """A position as three finite numbers; in 2D two are given."""
    given = position.tolist() if type(position) is np.ndarray else position
    try:
        if dimension == 3:
            x, y, z = given
        else:
            (x, y), z = given, 0.0
        if -LARGEST <= x <= LARGEST and -LARGEST <= y <= LARGEST and -LARGEST <= z <= LARGEST:
            return x, y, z
    except (TypeError, ValueError, OverflowError):
        pass
    x, y, z = coordinates([position], dimension, "a position")[0].tolist()
    return x, y, z


def pose_row(position: tuple[float, float, float], matrix: np.ndarray) -> np.ndarray:
    """A pose as kernels read it, see `geometry.layout`, shape (1, 13)."""
    return np.array([[0.0, *position, *matrix.ravel().tolist()]])


def coordinates(points: Any, dimension: int, what: str, largest: float = LARGEST) -> np.ndarray:
    """Points as finite floats, shape (n, 3), with z = 0 in the plane."""
    expected = f"{what}: expected {dimension} numbers each"
    try:
        array = np.asarray(list(points) if _is_to_be_listed(points) else points)
        numbers = array.astype(np.float64) if array.dtype.kind in "iufO" else None
    except (TypeError, ValueError, OverflowError):
        numbers = None
    if numbers is None:
        raise ValueError(f"{expected}, not {shown(points)}")
    if numbers.ndim != 2 or numbers.shape[1] not in {dimension, 3}:
        raise ValueError(f"{expected}, not shape {numbers.shape}")
    if not np.isfinite(numbers).all():
        row = int(np.flatnonzero(~np.isfinite(numbers).all(axis=1))[0])
        raise ValueError(f"{what} must be finite, not {numbers[row].tolist()}")
    if np.abs(numbers).max(initial=0.0) > largest:
        raise ValueError(f"{what} must be no larger than {largest:g}: their squares are no numbers")
    if dimension == 2 and numbers.shape[1] == 3 and numbers[:, 2].any():
        raise ValueError(f"{what}: z must be 0 in the plane")
    full = np.zeros((len(numbers), 3))
    full[:, : numbers.shape[1]] = numbers
    return full


def _is_to_be_listed(points: Any) -> bool:
    """Whether something holds points, but numpy would take it for a single object."""
    return isinstance(points, Iterable) and not isinstance(points, np.ndarray | Sequence)


def checked_radius(radius: Any) -> float:
    """A radius that may be 0, checked."""
    return number(radius, "a radius", 0.0)


def sides(loop: Loop) -> Iterator[tuple[int, int]]:
    """The pairs of neighbours in a loop."""
    return zip(loop, loop[1:] + loop[:1], strict=True)
