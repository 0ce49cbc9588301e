"""Obstacles as a user gives them: a shape, with what its surface is like and how it moves."""

from collections.abc import Iterable, Sequence
from types import UnionType
from typing import Any, NamedTuple

from spheresim.model.convex_obstacles import as_shape
from spheresim.model.labels import numbered_name
from spheresim.numerics.arguments import number, shown
from spheresim.obstacles.driven_walls.motions import MOTIONS, Motion, Piston, Thermal
from spheresim.obstacles.table import AnyShape


class _ShapeAndSurface(NamedTuple):
    shape: AnyShape
    restitution: float
    name: str | None
    material: str | None
    motion: Motion | None
    thermal: Thermal | None


class Obstacle(_ShapeAndSurface):
    """A shape with a restitution and a name, as an obstacle of a `Simulation`.

    shape: for example a `Plane`, or a body of `spheresim.convex`; restitution: from 0 to 1
    (elastic); an impact takes the smaller of the restitutions of ball and obstacle. name: None for
    "plane 0" and so on. material: the name of a `Material` of the simulation's `surfaces`; its
    restitution replaces that of the obstacle.
    motion: a `ConstantVelocity`, `Oscillation`, `SteadyRotation` or `PiecewiseMotion`, for a plane
    also a `Piston`; None: the obstacle stands still. thermal: a `Thermal` if the obstacle is warm.
    ValueError or TypeError for wrong values.

    >>> from spheresim.obstacles.sphere import Sphere
    >>> Obstacle(Sphere((0, 0, 0), 1), restitution=2)
    Traceback (most recent call last):
        ...
    ValueError: an obstacle's restitution must be from 0 to 1, not 2.0
    """

    __slots__ = ()

    def __new__(
        cls,
        shape: object,
        restitution: float = 1.0,
        name: str | None = None,
        material: str | None = None,
        motion: Motion | None = None,
        thermal: Thermal | None = None,
    ) -> "Obstacle":
        kinds: dict[str, tuple[Any, type | UnionType, str]] = {
            "name": (name, str, "a text"),
            "material": (material, str, "a text"),
            "motion": (motion, Motion, f"one of {', '.join(m.__name__ for m in MOTIONS.values())}"),
            "thermal": (thermal, Thermal, "a Thermal"),
        }
        for what, (given, kind, expected) in kinds.items():
            if given is not None and not isinstance(given, kind):
                raise TypeError(f"an obstacle's {what} must be {expected}, not {shown(given)}")
        e = number(restitution, "an obstacle's restitution", low=0.0, high=1.0)
        return super().__new__(cls, as_shape(shape), e, name, material, motion, thermal)

    @property
    def is_wall(self) -> bool:
        """Whether the obstacle moves or is warm."""
        return self.motion is not None or self.thermal is not None

    @property
    def is_piston_or_warm(self) -> bool:
        """Whether the obstacle is a piston, or warm."""
        return isinstance(self.motion, Piston) or self.thermal is not None


def listed_obstacles(given: object) -> list[Obstacle]:
    """Obstacles from what was given: obstacles, shapes or bodies, in a list or one alone."""
    is_one = isinstance(given, Obstacle | str) or hasattr(given, "hit")  # as all shapes have
    items = list(given) if isinstance(given, Iterable) and not is_one else [given]
    # Checked anew, because `_replace` checks nothing.
    return [Obstacle(*item) if isinstance(item, Obstacle) else Obstacle(item) for item in items]


def obstacle_names(obstacles: Sequence[Obstacle]) -> list[str]:
    """Given names, or `plane 0`, `cylinder 0`, … counted kind by kind."""
    counts: dict[str, int] = {}
    names = []
    for obstacle in obstacles:
        kind = obstacle.shape.kind
        names.append(obstacle.name or numbered_name(kind, counts.get(kind, 0)))
        counts[kind] = counts.get(kind, 0) + 1
    return names
