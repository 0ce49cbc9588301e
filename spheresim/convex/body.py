"""Convex bodies: points + radius, in a place.

A body's core is the convex hull of its points; the body is everything within `radius` of
it. A ball is one point, a capsule two, a polygon, box or polyhedron has radius 0 unless
it is rounded. In 2D the third coordinate is 0 throughout, and directions stay in the plane.

Points and positions are lengths. The position is where the body's own origin lies and the
point about which it turns. A body does not change: `at` gives the same body elsewhere.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from spheresim.arguments import number
from spheresim.convex.form import PLACE
from spheresim.convex.rotation import rotation_matrix
from spheresim.ray import TRay
from spheresim.shapes.questions import Hit

Loop = tuple[int, ...]


class Placing:
    """What kernels are given: `forms`, shape (rows, 3), and `places`, shape (n, 13)."""

    __slots__ = ("dimension", "forms", "places")

    def __init__(self, forms: np.ndarray, places: np.ndarray) -> None:
        self.forms = forms
        self.places = places
        self.dimension = int(forms[1, 2]) if len(forms) else 3

    @property
    def positions(self) -> np.ndarray:
        """Shape (n, 3)."""
        return self.places[:, 1:4]

    @property
    def rotations(self) -> np.ndarray:
        """Shape (n, 3, 3); the columns are a body's own axes, seen from the world."""
        return np.asarray(self.places[:, 4:].reshape(-1, 3, 3))


class Body(Placing):
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
        forms: np.ndarray,
        places: np.ndarray,
    ) -> None:
        super().__init__(forms, places)
        self.points = points
        self.faces = faces
        self.edges = edges
        self.radius = float(forms[1, 0])

    def at(self, position: Sequence[float] | np.ndarray, rotation: Any = None) -> "Body":
        """The same body in another place; without a rotation it keeps its own.

        `rotation`: in 2D an angle [rad], in 3D a 3 × 3 matrix (see `rotation_about`).
        """
        matrix = self.rotation if rotation is None else rotation_matrix(rotation, self.dimension)
        places = place_row(place(position, self.dimension), matrix)
        return Body(self.points, self.faces, self.edges, self.forms, places)

    @property
    def position(self) -> np.ndarray:
        """Where the body's own origin lies, shape (3,)."""
        return self.places[0, 1:4]

    @property
    def rotation(self) -> np.ndarray:
        """Shape (3, 3); the columns are the body's own axes, seen from the world."""
        return np.asarray(self.places[0, 4:].reshape(3, 3))

    @property
    def world_points(self) -> np.ndarray:
        """The core's points where they are, shape (n, 3)."""
        return np.asarray(self.points @ self.rotation.T + self.position)

    def hit(self, ray: TRay) -> Hit | None:
        """Where a ray first meets the body, from outside or from inside, or None."""
        from spheresim.convex.ray_cast import hit  # it takes bodies itself

        return hit(self, ray)

    def __repr__(self) -> str:
        position = tuple(self.position[: self.dimension].tolist())
        return f"<body of {len(self.points)} points, radius {self.radius:g}, at {position}>"


class Bodies(Placing):
    """Many bodies as arrays, for the batch form of every question.

    Bodies of the same form share it. `positions` and `rotations` are views that may be
    written to; `bodies[indices]` are those bodies, in that order, repeated if asked.
    """

    __slots__ = ()

    @classmethod
    def of(cls, bodies: Sequence[Body]) -> "Bodies":
        """Gather bodies that were made one by one."""
        stacks: list[np.ndarray] = []
        starts: dict[int, int] = {}
        height = 0
        for body in bodies:
            if id(body.forms) not in starts:
                starts[id(body.forms)] = height
                stacks.append(body.forms)
                height += len(body.forms)
        if len({body.dimension for body in bodies}) > 1:
            raise ValueError("bodies in the plane and in space do not mix")
        places = np.vstack([body.places for body in bodies]) if bodies else np.empty((0, PLACE))
        places[:, 0] = [starts[id(body.forms)] for body in bodies]
        return cls(np.vstack(stacks) if stacks else np.empty((0, 3)), places)

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, which: Any) -> "Bodies":
        return Bodies(self.forms, np.ascontiguousarray(np.atleast_2d(self.places[which])))


def asked(a: Placing, b: Placing) -> int:
    """How many pairs are asked about; both sides must fit together."""
    count = len(a.places)
    if count != len(b.places):
        raise ValueError(f"pairs need as many bodies on both sides: {count}, {len(b.places)}")
    if count and a.dimension != b.dimension:
        raise ValueError("a body in the plane and one in space do not meet")
    return count


def place(position: Any, dimension: int) -> np.ndarray:
    """A position as three finite numbers; in 2D two are given."""
    return np.asarray(coordinates([position], dimension, "a position")[0])


def place_row(position: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """The row that kernels read, see `form`."""
    return np.concatenate(([0.0], position, matrix.ravel()))[np.newaxis]


def coordinates(points: Any, dimension: int, what: str) -> np.ndarray:
    """Points as finite floats, shape (n, 3), with z = 0 in the plane."""
    try:
        array = np.array(points, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{what}: expected {dimension} numbers each, not {points!r}") from None
    if array.ndim != 2 or array.shape[1] not in {dimension, 3}:
        raise ValueError(f"{what}: expected {dimension} numbers each, not shape {array.shape}")
    if not np.isfinite(array).all():
        row = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
        raise ValueError(f"{what} must be finite, not {array[row].tolist()}")
    if dimension == 2 and array.shape[1] == 3 and array[:, 2].any():
        raise ValueError(f"{what}: z must be 0 in the plane")
    full = np.zeros((len(array), 3))
    full[:, : array.shape[1]] = array
    return full


def rounding(radius: Any) -> float:
    """A radius that may be 0."""
    return number(radius, "a radius", 0.0)


def sides(loop: Loop) -> Iterator[tuple[int, int]]:
    """The pairs of neighbours in a loop."""
    return zip(loop, loop[1:] + loop[:1], strict=True)
