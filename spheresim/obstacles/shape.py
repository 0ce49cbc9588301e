"""What every obstacle is asked, and what all of them answer alike.

Signs, the same for all shapes:

gap         signed distance of a point from the surface: positive in front of a plane and
            outside a cylinder, negative behind the plane and inside the cylinder
clearance   distance of a point from the surface, on whichever side it is; never negative
normal      unit vector from the surface to the side on which the point is

A cylinder is solid to what is outside and a tube to what is inside: a ball in a tube has a
negative gap, and the clearance is what it can move before it touches the wall.
"""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from spheresim.numerics.arguments import place
from spheresim.numerics.arrays import Booleans, Floats, Integers
from spheresim.numerics.bounds import Bounds
from spheresim.numerics.ray import TRay, checked_ray
from spheresim.numerics.vector import TVector
from spheresim.obstacles.fields import ShapeField, plain
from spheresim.obstacles.many_rays import shape_hits, shape_tois
from spheresim.obstacles.ray_hit import Hit, Hits

ALIGNED = 1e-12
"""A unit vector of which a component is no larger than this is at right angles to that axis."""

Keep = Callable[[Floats, Integers], str]
"""Takes vertices (n, 3) and triangles (m, 3), and says by which path a scene file finds them."""


class Shape:
    """A surface that stops balls, with the fields of its table in a scene file."""

    __slots__ = ()

    kind: ClassVar[str]
    """The name of its table in a scene file, as in `[[sphere]]`."""

    title: ClassVar[str]
    """What it is, in a line."""

    fields: ClassVar[dict[str, ShapeField]]
    """The fields of its table, which are the arguments that make it."""

    # --- Comparison ----------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        """Whether the other is of the same kind and has equal fields."""
        return type(self) is type(other) and tuple.__eq__(self, other)  # type: ignore[operator]

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__

    # --- In a scene file ---------------------------------------------------------------

    @classmethod
    def of_table(cls, given: dict[str, Any], folder: Path) -> Self:
        """The obstacle of a table in a scene file, which lies in a folder.

        ValueError if there is no such obstacle, in words that follow "cannot be used: ".
        """
        del folder  # only of those that are read from files
        return cls(**given)

    @classmethod
    def files_of(cls, item: Any) -> list[Path]:
        """The files that an obstacle's table names, as it stands there, with attributes."""
        del item
        return []

    def table(self, keep: Keep | None = None) -> dict[str, Any]:
        """Its fields as they stand in a scene file, but those that are as by default.

        Many triangles are given to `keep` instead, if there is one, which says their path.
        """
        values = self._asdict()  # type: ignore[attr-defined]
        return {
            name: plain(values[name])
            for name, field in self.fields.items()
            if values[name] != field.default
        }

    @property
    def pieces(self) -> tuple[Any, ...]:
        """The closed shapes that it is put together from, each with an inside of its own."""
        return ()

    @property
    def bore(self) -> float | None:
        """The radius of its round inside, as of a tube or a bowl; None if it has none."""
        return None

    # --- Questions ---------------------------------------------------------------------

    def offset(self, radius: float) -> "Shape":
        """The shape grown by a radius: the centre of a ball outside stops at its surface."""
        raise NotImplementedError

    def gap(self, point: TVector) -> float:
        """The signed distance of a point from the surface, negative behind or inside it."""
        raise NotImplementedError

    def gaps(self, points: Floats) -> Floats:
        """The gap of many points (n, 3) at once, shape (n,)."""
        raise NotImplementedError

    def encloses(self, points: Floats) -> Booleans:
        """Which of the points (n, 3) are inside it, (n,) bool: none, if it is open."""
        return np.zeros(len(points), dtype=bool)

    def is_tube_to_most(self, points: Floats, tie: bool = False) -> bool:
        """Whether more than half of the points (n, 3) are inside; `tie`, if just half of them."""
        within = int(np.count_nonzero(self.encloses(np.asarray(points))))
        return tie if 2 * within == len(points) else 2 * within > len(points)

    def clearance(self, point: TVector) -> float:
        """The distance of a point from the surface, on whichever side it is."""
        raise NotImplementedError

    def normal_at(self, point: TVector, seen_from: TVector) -> TVector:
        """The normal of the surface at a point on or near it, towards where it is seen from."""
        raise NotImplementedError

    def bounds(self) -> Bounds:
        """The axis-aligned box around the solid part."""
        raise NotImplementedError

    def toi(self, ray: TRay, radius: float) -> float:
        """The ray parameter at which a ball with its centre on the ray is stopped; inf if never.

        With the velocity as the ray's direction it is the time of impact.
        """
        raise NotImplementedError

    def falling_toi(self, x: TVector, v: TVector, g: TVector, radius: float, until: float) -> float:
        """The time of impact of a ball at x with velocity v and acceleration g; inf if never.

        For an impact later than `until` the result may be inf.
        """
        raise NotImplementedError

    def toi_batch(
        self, position: npt.ArrayLike, velocity: npt.ArrayLike, radius: npt.ArrayLike
    ) -> Floats:
        """`toi` of many balls, to the bit, shape (n,): vectors (n, 3), radii (n,), or one for all.

        inf for a ball that does not move.
        """
        return shape_tois(self, position, velocity, radius)

    def hit(self, ray: TRay) -> Hit | None:
        """Where a ray first meets the surface, from a side that stops balls, or None."""
        ray = checked_ray(ray)
        place(ray.origin, "a ray's start")
        parameter = self.toi(ray, 0.0)
        if parameter == math.inf:
            return None
        point = ray.at_parameter(parameter)
        return Hit(parameter * ray.direction.mag(), point, self.normal_at(point, ray.origin))

    def hit_batch(self, origin: npt.ArrayLike, direction: npt.ArrayLike) -> Hits:
        """`hit` of many rays, to the bit: starts and directions (n, 3), or one for all.

        ValueError for other shapes, what is not finite, and a direction of length 0.
        """
        return shape_hits(self, origin, direction)
