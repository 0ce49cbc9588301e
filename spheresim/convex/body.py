"""Convex bodies: points and a radius, in a pose.

The core of a body is the convex hull of its points, and the body is everything within `radius`
of the core. A ball has one point, a capsule two; a polygon, box or polyhedron has radius 0 unless
it is rounded. In 2D the third coordinate is always 0, and directions stay in the plane.

Points and positions are lengths. The position is that of the body's own origin, about which it
turns. Bodies do not change: `at` returns the same body in another pose, and the arrays that a body
returns cannot be written to. (Those of `Bodies` can.)
"""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from spheresim.convex.coordinates import checked_vector
from spheresim.convex.geometry.layout import POSE_SIZE
from spheresim.convex.geometry.primitives import many_boxes, many_spheres, placed
from spheresim.convex.geometry.rotation import rotation_matrix
from spheresim.convex.hull.outline import Loop
from spheresim.convex.ray_hit import RayHit, cast_rays
from spheresim.numerics.arguments import shown
from spheresim.numerics.batch import question_count, vector_rows
from spheresim.numerics.ray import TRay, checked_ray
from spheresim.numerics.rows import read_only
from spheresim.numerics.vector import TVector
from spheresim.obstacles.ray_hit import Hit, Hits


class BodyArrays:
    """The arrays of one body or many, as kernels read them; `geometry.layout` describes both.

    geometry: shape (rows, 3); poses: shape (n, 13).
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
    """One convex body, made by `polygon`, `box`, `polyhedron`, `hull`, `sphere` or `capsule`.

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
        self.points = read_only(points)
        self.faces = faces
        self.edges = edges
        self.radius = float(geometry[1, 0])

    def at(
        self, position: Sequence[float] | np.ndarray, rotation: npt.ArrayLike | None = None
    ) -> "Body":
        """The same body at another position [length]; without a rotation it keeps its own.

        `rotation`: in 2D an angle [rad]; in 3D a 3 × 3 matrix (see `rotation_about`), a quaternion
        (x, y, z, w) or a scipy `Rotation`. Raises ValueError or TypeError for what is no position
        or rotation.
        """
        poses = self.poses.copy()
        row = poses[0]
        row[1], row[2], row[3] = checked_vector(position, self.dimension)
        if rotation is not None:
            row[4:] = rotation_matrix(rotation, self.dimension).ravel()
        elsewhere = _bare(Body)  # all but its pose is the same, and known
        elsewhere.points, elsewhere.faces, elsewhere.edges = self.points, self.faces, self.edges
        elsewhere.geometry, elsewhere.poses = self.geometry, poses
        elsewhere.dimension, elsewhere.radius = self.dimension, self.radius
        return elsewhere

    @property
    def position(self) -> np.ndarray:
        """The position of the body's own origin [length], shape (3,)."""
        return read_only(self.poses[0, 1:4])

    @property
    def rotation(self) -> np.ndarray:
        """Shape (3, 3); the columns are the body's own axes, seen from the world."""
        return read_only(self.poses[0, 4:].reshape(3, 3))

    @property
    def positions(self) -> np.ndarray:
        """The position, shape (1, 3)."""
        return read_only(super().positions)

    @property
    def rotations(self) -> np.ndarray:
        """The rotation, shape (1, 3, 3)."""
        return read_only(super().rotations)

    @property
    def world_points(self) -> np.ndarray:
        """The core's points in the world [length], shape (n, 3)."""
        return np.asarray(self.points @ self.rotation.T + self.position)

    def hit(self, ray: TRay) -> Hit | None:
        """The first hit of a ray on the body, from outside or from inside, or None.

        `ray_cast` answers the same with arrays.
        """
        ray = checked_ray(ray)
        (found,) = self._cast([ray.origin], [ray.direction])
        if not found["distance"] < np.inf:
            return None
        return Hit(float(found["distance"]), TVector(found["point"]), TVector(found["normal"]))

    def hit_batch(self, origin: npt.ArrayLike, direction: npt.ArrayLike) -> Hits:
        """The first hits of many rays: starts and directions (n, 3), or one for all."""
        origins, directions = vector_rows(origin, "origin"), vector_rows(direction, "direction")
        question_count(origin=origins, direction=directions)
        found = RayHit(self._cast(origins, directions))
        return Hits(np.array(found.distance), np.array(found.point), np.array(found.normal))

    def _cast(self, origins: npt.ArrayLike, directions: npt.ArrayLike) -> np.ndarray:
        body = finite(self)
        return cast_rays(body.geometry, body.poses, body.dimension, origins, directions)

    def __repr__(self) -> str:
        position = tuple(self.position[: self.dimension].tolist())
        return f"<body of {len(self.points)} points, radius {self.radius:g}, at {position}>"


class Bodies(BodyArrays):
    """Many convex bodies as arrays, for the functions whose names end in `_batch`.

    Bodies of the same geometry share it. `positions` and `rotations` are views that may be written
    to. `bodies[indices]` are the bodies with these indices, in that order, as often as they occur.
    """

    __slots__ = ()

    @classmethod
    def of(cls, bodies: Iterable[BodyArrays]) -> "Bodies":
        """The bodies of a list, each a `Body` or `Bodies`, in one.

        Raises TypeError for what is no body, ValueError if only some are in the plane.
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
    def spheres(cls, positions: npt.ArrayLike, radii: npt.ArrayLike) -> "Bodies":
        """Balls at positions (n, 3), with radii (n,) or one for all [length].

        >>> Bodies.spheres([(0, 0, 0), (3, 0, 0)], [1, 2])
        <2 bodies>
        """
        return cls(*many_spheres(positions, radii))

    @classmethod
    def boxes(
        cls, half: npt.ArrayLike, positions: npt.ArrayLike, rotations: npt.ArrayLike | None = None
    ) -> "Bodies":
        """Boxes with half extents (n, 3) at positions (n, 3) [length].

        `rotations`: matrices (n, 3, 3), quaternions (n, 4), or a scipy `Rotation`. An array of one
        row counts for all boxes. Raises ValueError for arrays of other shapes.
        """
        return cls(*many_boxes(half, positions, rotations))

    @classmethod
    def copies(
        cls, body: Body, positions: npt.ArrayLike, rotations: npt.ArrayLike | None = None
    ) -> "Bodies":
        """The same body at many positions, (n, 3), with rotations as for `boxes`.

        Without rotations each copy keeps the body's own. TypeError for what is no body in space.
        """
        if not isinstance(body, Body) or body.dimension != 3:
            raise TypeError(f"copies are made of one body in space, not of {shown(body)}")
        places = vector_rows(positions, "positions")
        turned = body.rotation if rotations is None else rotations
        return cls(*placed(body.geometry[None], len(places), places, turned))

    def __repr__(self) -> str:
        return f"<{len(self)} bodies>"

    def __len__(self) -> int:
        return len(self.poses)

    def __getitem__(self, which: slice | int | np.ndarray) -> "Bodies":
        try:
            poses = self.poses[which]
        except IndexError:
            wrong = f"{len(self)} bodies have none of that index: {shown(which)}"
            raise IndexError(wrong) from None
        if poses.ndim == 0 or poses.shape[-1] != POSE_SIZE:
            raise IndexError(f"bodies are chosen by one index each, not {shown(which)}")
        return Bodies(self.geometry, np.ascontiguousarray(poses.reshape(-1, POSE_SIZE)))


_bare = object.__new__


def finite(bodies: BodyArrays) -> BodyArrays:
    """The same bodies, checked: ValueError if a pose is not finite, which users may write to."""
    # The sum alone is quick, and finite unless a number is not or the sum overflows.
    with np.errstate(all="ignore"):
        total = bodies.poses.sum()
    if not np.isfinite(total) and not np.isfinite(bodies.poses).all():
        k = int(np.flatnonzero(~np.isfinite(bodies.poses).all(axis=1))[0])
        position, rotation = bodies.positions[k].tolist(), bodies.rotations[k].tolist()
        raise ValueError(f"body {k}: its place must be finite, not {position}, {rotation}")
    return bodies
