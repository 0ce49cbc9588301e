"""The visible box: the part of the world around the balls and the obstacles near them.

An axis-aligned wall is exactly a side of the box. The other sides are open: the box ends
there, but the world goes on.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spheresim.obstacles.bounded import Bounded
from spheresim.obstacles.plane import Plane, walled_room
from spheresim.obstacles.table import AnyShape

Array = NDArray[np.float64]

FAR = 20.0  # obstacles that would stretch the box more, in extents of the rest, are left out
OUTLYING = 5.0  # balls further away, in spreads of the balls, do not stretch the box
MARGIN_SHOWN = 0.3  # part of the margin around balls and obstacles that is framed
MARGIN_ALONE = 0.5  # and of that around balls without obstacles, which fly away
FACING_UP = 0.1  # cosine of the angle between a floor's normal and the vertical, at least
ROOM_PER_BALL = 20.0  # radii: the least extent assumed, for example around a single ball


class Box(NamedTuple):
    """The visible box.

    low, high: corners, shape (3,); walls: indices of the planes that bound it; open_low,
    open_high: shape (3,), which sides at `low` and at `high` are bounded by no plane;
    subject_low, subject_high: corners of what a picture must show, without most of the margin;
    tight_low, tight_high: without any; floors: indices of the walls that keep balls from falling.
    """

    low: Array
    high: Array
    subject_low: Array
    subject_high: Array
    tight_low: Array
    tight_high: Array
    floors: tuple[int, ...]
    walls: tuple[int, ...]
    open_low: NDArray[np.bool_]
    open_high: NDArray[np.bool_]


class _Extent(NamedTuple):
    """A box that must be visible, and whether an obstacle made it larger."""

    low: Array
    high: Array
    has_obstacles: bool

    @property
    def largest(self) -> float:
        return float(np.max(self.high - self.low))


def visible_box(
    shapes: Sequence[AnyShape], position: Array, radius: Array, up: Array, falling: bool
) -> Box:
    """The box around balls, position (n, 3) and radius (n,), and the obstacles near them.

    up: unit vector; falling: whether gravity acts against it.
    """
    # The walls, and the balls in front of them
    if len(position) == 0:  # as if one ball lay at the origin
        position, radius = np.zeros((1, 3)), np.ones(1)
    walls = _walls(shapes, position)
    shown = _in_front(shapes, walls, position)
    shown[shown] = _not_outlying(position[shown], radius[shown])
    position, radius = position[shown], radius[shown]

    # What must be visible: these balls, and the obstacles near them
    size_of_balls = float(np.median(radius))
    low = np.min(position - radius[:, None], axis=0)
    high = np.max(position + radius[:, None], axis=0)
    balls = _Extent(low, high, has_obstacles=False)
    seen = _with_obstacles(balls, shapes, size_of_balls, alone=len(position) == 1)
    floors = tuple(k for k in walls if _faces_up(shapes[k], up))
    # A margin, but not beyond an axis-aligned wall
    wall_low, wall_high = _wall_sides(shapes, walls, position)
    has_low, has_high = wall_low >= seen.low - _slack(seen), wall_high <= seen.high + _slack(seen)
    climb = up if falling else None
    below, above = _margins(
        seen, (has_low, has_high), size_of_balls, climb, has_floor=len(floors) > 0
    )
    low, high = seen.low - below, seen.high + above
    has_low, has_high = has_low | (wall_low >= low), has_high | (wall_high <= high)
    low, high = np.where(has_low, wall_low, low), np.where(has_high, wall_high, high)
    part = MARGIN_SHOWN if seen.has_obstacles else MARGIN_ALONE
    if _all_enclosed(shapes, position):
        part = 0.0
    subject_low = np.where(has_low, wall_low, seen.low - part * below)
    subject_high = np.where(has_high, wall_high, seen.high + part * above)
    tight_low = np.where(has_low, wall_low, seen.low)
    tight_high = np.where(has_high, wall_high, seen.high)
    return Box(
        *(low, high, subject_low, subject_high, tight_low, tight_high),
        *(floors, walls, ~has_low, ~has_high),
    )


def _faces_up(shape: AnyShape, up: Array) -> bool:
    """Whether a wall keeps balls from falling."""
    return isinstance(shape, Plane) and float(up @ np.array(shape.normal)) > FACING_UP


def _walls(shapes: Sequence[AnyShape], position: Array) -> tuple[int, ...]:
    """Indices of the planes that more than half of the balls are in front of.

    Only these bound the box. If no ball is in front of all of them, none does.
    """
    walls = tuple(
        index
        for index, shape in enumerate(shapes)
        if isinstance(shape, Plane) and 2 * np.sum(shape.gaps(position) > 0.0) > len(position)
    )
    return walls if np.any(_in_front(shapes, walls, position)) else ()


def _in_front(
    shapes: Sequence[AnyShape], walls: Sequence[int], position: Array
) -> NDArray[np.bool_]:
    """Whether each point is in front of all walls, shape (n,)."""
    inside = np.ones(len(position), dtype=np.bool_)
    for index in walls:
        inside &= shapes[index].gaps(position) > 0.0
    return inside


def _not_outlying(position: Array, radius: Array) -> NDArray[np.bool_]:
    """Whether each ball is not far outside of the middle half of all balls, shape (n,)."""
    if len(position) < 5:
        return np.ones(len(position), dtype=np.bool_)
    low, high = np.quantile(position, (0.25, 0.75), axis=0)
    reach = OUTLYING * (np.max(high - low) + 2.0 * np.median(radius))
    return np.all((position >= low - reach) & (position <= high + reach), axis=1)


def _with_obstacles(
    balls: _Extent, shapes: Sequence[AnyShape], size_of_balls: float, alone: bool
) -> _Extent:
    """The extent widened by obstacles, the nearest first, up to those that are too far away.

    A single ball always gets its nearest obstacle, however far that is.
    """
    middle = 0.5 * (balls.low + balls.high)
    least = ROOM_PER_BALL * size_of_balls
    pieces = [_piece(shape, middle, FAR * max(balls.largest, least)) for shape in shapes]

    def growth(piece: tuple[Array, Array]) -> float:
        return float(np.max(np.maximum(balls.low - piece[0], piece[1] - balls.high)))

    seen = balls
    for low, high in sorted(pieces, key=growth):
        if growth((low, high)) > FAR * max(seen.largest, least) and (
            seen.has_obstacles or not alone
        ):
            break
        seen = _Extent(np.minimum(seen.low, low), np.maximum(seen.high, high), True)
    return seen


def _piece(shape: AnyShape, middle: Array, far: float) -> tuple[Array, Array]:
    """The box around the part of an obstacle that should be visible, near the middle of the balls.

    Of a plane it is the nearest point; of a cylinder a piece as long as wide, or the nearest
    point if its radius is far larger than the rest.
    """
    if isinstance(shape, Bounded):
        return np.array(shape.bounds().low), np.array(shape.bounds().high)
    point, direction = np.array(shape[0]), np.array(shape[1])
    along = np.dot(middle - point, direction)
    if isinstance(shape, Plane):
        foot = middle - along * direction
        return foot, foot
    centre = point + along * direction
    distance = float(np.linalg.norm(middle - centre))
    if shape.radius > max(far, FAR * abs(distance - shape.radius)):
        foot = centre + (middle - centre) * (shape.radius / distance)
        return foot, foot
    return centre - shape.radius, centre + shape.radius


def _wall_sides(
    shapes: Sequence[AnyShape], walls: Sequence[int], position: Array
) -> tuple[Array, Array]:
    """Where axis-aligned walls bound the room, or what has all balls inside, shape (3,) each.

    ∓inf where none does.
    """
    planes = [shape for shape in (shapes[index] for index in walls) if isinstance(shape, Plane)]
    low, high = (np.array(corner) for corner in walled_room(planes))
    for shape in shapes:
        if isinstance(shape, Bounded) and bool(np.all(shape.encloses(position))):
            around = shape.bounds()
            low, high = np.maximum(low, around.low), np.minimum(high, around.high)
    return low, high


def _all_enclosed(shapes: Sequence[AnyShape], position: Array) -> bool:
    """Whether every ball is inside an obstacle that keeps it in."""
    inside = np.zeros(len(position), np.bool_)
    for shape in shapes:
        if isinstance(shape, Bounded):
            inside |= shape.encloses(position)
    return bool(inside.all())


def _slack(seen: _Extent) -> float:
    """A bound of the rounding error in a wall's position seen from the middle of the balls."""
    return 1e-9 * seen.largest


def _margins(
    seen: _Extent,
    walled: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    size_of_balls: float,
    up: Array | None,
    has_floor: bool,
) -> tuple[Array, Array]:
    """How far the box extends beyond what must be visible, at `low` and `high`, shape (3,) each.

    Under gravity balls fall and roll away but hardly rise: to each side the floor, if there is
    one, is shown as wide as the balls fall. Without gravity balls leave through the open end of a
    room, and to all sides if there are no obstacles.

    walled: whether there are walls at `low` and at `high`, (3,) each; up: against gravity, None
    without it.
    """
    # Each side by its direction: up, down or level
    largest = max(seen.largest, 6.0 * size_of_balls)
    height = 0.0 if up is None else float(np.abs(up) @ (seen.high - seen.low))
    sides = []
    for sign, opposite in ((-1.0, walled[1]), (1.0, walled[0])):
        if up is not None:
            climb = sign * up
            aside = np.full(3, max(height if has_floor else 0.0, 0.2 * largest))
            sides.append(
                np.where(climb > 0.7, 0.02 * largest, np.where(climb < -0.7, 0.5 * largest, aside))
            )
        else:
            free = opposite | (not seen.has_obstacles)
            sides.append(np.where(free, 0.5 * largest, 0.2 * largest))
    # If balls are smaller than the rounding of their positions, the box still must not be flat.
    least = 1e-9 * np.maximum(np.abs(seen.low), np.abs(seen.high))
    return np.maximum(sides[0], least), np.maximum(sides[1], least)
