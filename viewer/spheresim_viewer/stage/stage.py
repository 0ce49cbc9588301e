"""The stage: the visible box, its scale, and the surfaces in it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from spheresim.model.obstacle import Obstacle
from spheresim.model.state import Box
from spheresim.numerics.arrays import Floats
from spheresim.numerics.vector import VectorLike
from spheresim.obstacles.bounded import Bounded
from spheresim.obstacles.cylinder import Cylinder
from spheresim.obstacles.plane import Plane
from spheresim_viewer.stage.bounded import bounded_surface
from spheresim_viewer.stage.box import Box as Seen
from spheresim_viewer.stage.box import visible_box
from spheresim_viewer.stage.clip import Array, Region
from spheresim_viewer.stage.cylinder import cylinder_surface
from spheresim_viewer.stage.glass_plates import panes_among
from spheresim_viewer.stage.images import images_of, nearest_images
from spheresim_viewer.stage.outermost import outermost_points
from spheresim_viewer.stage.plane import plane_surface
from spheresim_viewer.stage.section_faces import cuts_of_cylinder
from spheresim_viewer.stage.surface import Fading, Owner, StageCylinder, Surface

FADING_PART = 0.25  # of the box's extent


@dataclass(frozen=True, eq=False)
class Stage:
    """The part of a world that is shown.

    low, high: corners of the visible box, shape (3,); up: unit vector, shape (3,); walls:
    indices of the planes that bound it; tubes: indices of the obstacles that are seen from
    inside; panes: indices of the plates that are drawn as glass; open_low, open_high: the sides
    that no wall bounds, shape (3,); subject: the outermost points (m, 3) that a picture must
    show; box: the periodic box, or None. If there is one it is the visible box, and obstacles
    that leave it at one side come in at the other.
    """

    obstacles: tuple[Obstacle, ...]
    low: Array
    high: Array
    up: Array
    walls: tuple[int, ...]
    tubes: frozenset[int]
    panes: frozenset[int]
    open_low: NDArray[np.bool_]
    open_high: NDArray[np.bool_]
    subject: Array
    box: Box | None = None

    @classmethod
    def of(
        cls,
        obstacles: Sequence[Obstacle],
        position: Floats,
        radius: Floats,
        gravity: VectorLike = (0, 0, 0),
        box: Box | None = None,
    ) -> "Stage":
        """The stage for balls with position (n, 3) and radius (n,) and for obstacles."""
        # Clean arrays, and which way is up
        position = np.asarray(position, dtype=np.float64).reshape(-1, 3)
        radius = np.asarray(radius, dtype=np.float64).reshape(-1)
        up, falling = _upward(np.asarray(tuple(gravity), dtype=np.float64))
        shapes = [obstacle.shape for obstacle in obstacles]
        # The visible box
        seen = visible_box(shapes, position, radius, up, falling)
        low, high = seen.low, seen.high
        if box is not None:
            low, high = np.array(box.low), np.array(box.low + box.size)
        # The cylinders that are seen from inside
        tubes = frozenset(
            index
            for index, shape in enumerate(shapes)
            if not isinstance(shape, Plane) and _is_tube(shape, position, 0.5 * (low + high), box)
        )
        stage = cls(
            *(tuple(obstacles), low, high, up, seen.walls, tubes),
            panes_among(shapes, position, up if falling else None),
            *(seen.open_low, seen.open_high, box_corners(low, high), box),
        )
        if box is not None:
            return stage
        return replace(stage, subject=_subject(stage, seen, position, radius, falling))

    @cached_property
    def moving(self) -> frozenset[int]:
        """The indices of the obstacles that move."""
        return frozenset(k for k, o in enumerate(self.obstacles) if o.motion is not None)

    @cached_property
    def centre(self) -> Array:
        """The middle of the box, shape (3,)."""
        return 0.5 * (self.low + self.high)

    @cached_property
    def size(self) -> float:
        """Half the diagonal of the box."""
        return float(np.linalg.norm(self.high - self.centre))

    @cached_property
    def corners(self) -> Array:
        """The corners of the box, shape (8, 3)."""
        return box_corners(self.low, self.high)

    def holds(self, points: Array) -> NDArray[np.bool_]:
        """Which points (m, 3) lie in the box, or on its border."""
        slack = 1e-9 * self.size
        return np.all((points >= self.low - slack) & (points <= self.high + slack), axis=1)

    @cached_property
    def grid(self) -> float:
        """The spacing of a readable grid: 1, 2 or 5 times a power of ten, size/20 to size/8."""
        target = self.size / 8.0
        power = 10.0 ** math.floor(math.log10(target))
        readable = [step * power for step in (1.0, 2.0, 5.0) if step * power <= target]
        return readable[-1] if readable else power  # 10ⁿ itself, rounded

    def to_units(self, points: npt.ArrayLike) -> Array:
        """Points in stage units: the centre becomes the origin, corners get the distance 1."""
        return (np.asarray(points, dtype=np.float64) - self.centre) / self.size

    def to_world(self, points: np.ndarray) -> Array:
        """Points in world coordinates, from stage units."""
        return self.centre + self.size * np.asarray(points, dtype=np.float64)

    def surfaces(self, offset: float = 0.0) -> list[Surface]:
        """The visible part of every obstacle that has one.

        With an offset, they are the offset primitives, which centres of balls of that radius
        meet: planes moved along their normals, pillars grown, tubes shrunk. The visible box
        stays the same.
        """
        found = [
            self._surface(index, offset, image)
            for index, obstacle in enumerate(self.obstacles)
            for image in images_of(obstacle.shape, self.box, offset)
        ]
        seen = [surface for surface in found if surface and len(surface.triangles)]
        return [surface.in_world(self.centre, self.size) for surface in seen]

    def cuts(self) -> list[Surface]:
        """The faces at which the border of the stage cuts pillars open."""
        found = [
            cut
            for index, obstacle in enumerate(self.obstacles)
            if isinstance(obstacle.shape, Cylinder) and index not in self.tubes
            for image in images_of(obstacle.shape, self.box, 0.0)
            for cut in self._cuts(index, obstacle.shape, image)
        ]
        return [surface.in_world(self.centre, self.size) for surface in found]

    def _cuts(self, index: int, shape: Cylinder, image: Array) -> list[Surface]:
        point, axis = self.to_units(np.array(shape.point) + image), np.array(shape.axis)
        cylinder = StageCylinder(point, axis, shape.radius / self.size)
        return cuts_of_cylinder(self._owner(index), cylinder, self._region)

    def _owner(self, index: int) -> Owner:
        obstacle = self.obstacles[index]
        return Owner(index, obstacle.name or f"{obstacle.shape.kind} {index}")

    def _surface(self, index: int, offset: float, image: Array) -> Surface | None:
        shape, owner = self.obstacles[index].shape, self._owner(index)
        is_tube = index in self.tubes
        if isinstance(shape, Bounded):
            kind = "tube" if is_tube else "pane" if index in self.panes else "pillar"
            return bounded_surface(owner, shape, offset, kind, self.to_units)
        direction = np.array(shape[1])
        point = self.to_units(np.array(shape[0]) + image)
        fading = self._fading
        if isinstance(shape, Plane):
            point = point + direction * (offset / self.size)
            return plane_surface(owner, point, direction, self._region, fading, self.up)
        radius = (shape.radius + (-offset if is_tube else offset)) / self.size
        if radius <= 0.0:
            return None
        cylinder = StageCylinder(point, direction, radius)
        return cylinder_surface(owner, cylinder, is_tube, self._region, fading)

    @cached_property
    def _region(self) -> Region:
        """The intersection of the box and the front sides of all walls, in stage units."""
        shapes = [self.obstacles[index].shape for index in self.walls]
        walls = [shape for shape in shapes if isinstance(shape, Plane)]
        normals = [np.array(shape.normal) for shape in walls]
        points = [self.to_units(shape.point) for shape in walls]
        sides = _sides_of_box(self, np.ones(3, np.bool_), np.ones(3, np.bool_))
        return Region(
            np.vstack([sides.normal, *normals]),
            np.append(sides.d, [np.dot(n, x) for n, x in zip(normals, points, strict=True)]),
        )

    @cached_property
    def _fading(self) -> Fading:
        """Fading towards open sides, except along the axes of which each period is the same."""
        periodic = np.array(self.box.periodic if self.box is not None else (False,) * 3)
        open_low, open_high = self.open_low & ~periodic, self.open_high & ~periodic
        extent = (self.high - self.low) / self.size
        depth = FADING_PART * np.concatenate([extent[open_low], extent[open_high]])
        return Fading(_sides_of_box(self, open_low, open_high), depth)


def box_corners(low: Array, high: Array) -> Array:
    """The corners of a box, shape (8, 3)."""
    return np.array(list(product(*zip(low, high, strict=True))))


def _subject(stage: Stage, seen: Seen, position: Array, radius: Array, falling: bool) -> Array:
    """The points (m, 3) that a picture must show.

    They are corners of a box with part of the margin, into which balls fly. Where gravity keeps
    them from that, or where nothing is without an end, they are the outermost points of balls and
    obstacles: floors are shown with that margin, for balls roll away, and side walls without.
    """
    shapes = [obstacle.shape for obstacle in stage.obstacles]
    with_margin = replace(stage, low=seen.subject_low, high=seen.subject_high)
    is_bounded = bool(shapes) and all(isinstance(shape, Bounded) for shape in shapes)
    if not is_bounded and not (falling and seen.walls):
        return with_margin.corners
    tight = replace(stage, low=seen.tight_low, high=seen.tight_high)
    surfaces = [
        *(surface for surface in with_margin.surfaces() if surface.index in seen.floors),
        *(surface for surface in tight.surfaces() if surface.index not in seen.floors),
    ]
    vertices = np.concatenate([np.empty((0, 3)), *(surface.vertices for surface in surfaces)])
    near = stage.holds(position)
    return outermost_points(vertices[stage.holds(vertices)], position[near], radius[near])


def _sides_of_box(stage: Stage, low: NDArray[np.bool_], high: NDArray[np.bool_]) -> Region:
    """Some sides of the box, in stage units."""
    towards = np.eye(3)
    return Region(
        np.vstack([towards[low], -towards[high]]),
        np.concatenate([stage.to_units(stage.low)[low], -stage.to_units(stage.high)[high]]),
    )


def _upward(gravity: Array) -> tuple[Array, bool]:
    """The unit vector against gravity, or y; and whether there is gravity."""
    largest = float(np.max(np.abs(gravity)))
    if largest == 0.0:
        return np.array([0.0, 1.0, 0.0]), False
    scaled = -gravity / largest  # first, since the squares in the norm could overflow or underflow
    return scaled / np.linalg.norm(scaled) + 0.0, True


def _is_tube(shape: Cylinder | Bounded, position: Array, centre: Array, box: Box | None) -> bool:
    """Whether a cylinder, or another obstacle, is shown from inside.

    It is, if more balls have their centres inside than outside; if equally many, then if the
    centre of the stage is inside. An obstacle of finite size with a single ball inside is, too:
    else nobody would see that ball.
    """
    if isinstance(shape, Bounded):
        if len(position) and bool(np.any(shape.encloses(position))):
            return True
        return shape.is_tube_to_most(position, tie=bool(shape.encloses(centre[None])[0]))
    foot = np.array(shape.point)
    middle = foot + nearest_images(centre[None, :] - foot, box)[0]
    balls = foot + nearest_images(position - foot, box)
    return shape.is_tube_to_most(balls, tie=shape.is_tube(middle))
