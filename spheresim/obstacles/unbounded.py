"""What planes and cylinders have in common, of the methods that only Python calls."""

from pathlib import Path
from typing import Any

import numpy.typing as npt

from spheresim.numerics.arrays import Floats
from spheresim.numerics.ray import TRay
from spheresim.obstacles.fields import plain
from spheresim.obstacles.many_rays import shape_hits, shape_tois
from spheresim.obstacles.shape import Hit, Hits, first_hit


class Unbounded:
    """An obstacle without ends, whose fields are those of its table in a scene file."""

    __slots__ = ()

    pieces: tuple[()] = ()
    """The closed shapes that it is put together from, see `Bounded`: none."""

    @classmethod
    def files_of(cls, item: object) -> list[Path]:
        """The files that its table names: none."""
        del item
        return []

    def table(self, keep: Any = None) -> dict[str, Any]:
        """Its fields as they stand in a scene file."""
        del keep  # only of those that have many triangles
        fields: dict[str, Any] = self._asdict()  # type: ignore[attr-defined]
        return {name: plain(value) for name, value in fields.items()}

    def hit(self, ray: TRay) -> Hit | None:
        """Where a ray first meets the surface, from the side that stops balls, or None."""
        return first_hit(self, ray)  # type: ignore[arg-type]

    def hit_batch(self, origin: npt.ArrayLike, direction: npt.ArrayLike) -> Hits:
        """`hit` of many rays at once: starts and directions (n, 3), or one for all."""
        return shape_hits(self, origin, direction)

    def toi_batch(
        self, position: npt.ArrayLike, velocity: npt.ArrayLike, radius: npt.ArrayLike
    ) -> Floats:
        """`toi` of many balls at once, shape (n,)."""
        return shape_tois(self, position, velocity, radius)
