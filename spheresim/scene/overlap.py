"""Which balls overlap each other or an obstacle, in time proportional to their number.

For a few balls the kernels run as plain Python, which is faster than loading compiled code.
"""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.broadphase.sphere_grids.hashed_grid import HashedGrid, empty_grid, neighbours, place
from spheresim.compiler.decorators import kernel
from spheresim.model.obstacle import Obstacle
from spheresim.model.periodic_space import Open, Periodic, image_near_obstacle, space_of
from spheresim.model.periodic_wrap import slide, wrapped
from spheresim.model.state import Box, State, World
from spheresim.numerics.arrays import Floats, Integers
from spheresim.numerics.rows import vector_at
from spheresim.obstacles.features.index import around
from spheresim.obstacles.nearby_obstacles import next_place, row_at
from spheresim.obstacles.table import (
    Obstacles,
    clearance,
    is_behind,
    pack,
)
from spheresim.scene.fill.no_overlaps import are_apart

TOLERANCE = 1e-9
"""Overlaps smaller than this, relative to r1 + r2 or to the radius, are rounding errors."""

MOST = 1000
"""Overlaps that are looked for at the most: of many balls in one place nobody wants all pairs."""

_FEW_PAIRS = 20_000
"""Up to so many pairs plain Python is faster than loading compiled code."""


class Overlap(NamedTuple):
    """Ball i overlaps another ball, or an obstacle, by reach − distance.

    other: its index; distance: between the centres, or from the centre to the surface; reach:
    the sum of the radii, or the radius.
    """

    i: int
    other: int
    distance: float
    reach: float


def overlaps(
    world: World, state: State, names: Sequence[str | None], obstacles: Sequence[Obstacle]
) -> list[str]:
    """What overlaps in a state, a sentence each: pairs of balls, balls and obstacles, and planes
    with balls whose centres are behind them."""
    there = state.position, world.radius
    box = world.box
    time = float(state.time[0])
    pairs = overlapping_balls(*there) if box is None else overlapping_in_box(*there, box, time)
    contacts = overlapping_obstacles(*there, obstacles, box)
    walls = [obstacle.name for obstacle in obstacles]
    sentences = [overlap_of_balls(pair, names) for pair in pairs]
    sentences += [overlap_with_obstacle(pair, names, walls) for pair in contacts.overlaps]
    for k in contacts.behind:
        gaps = obstacles[k].shape.gaps(state.position)
        across = np.flatnonzero((gaps <= 0.0) & (gaps > -world.radius))
        if len(across) > 0:
            sentences.append(behind_plane(names[across[0]], len(across), walls[k]))
    return sentences


def warn_of_overlaps(found: Sequence[str], stacklevel: int) -> None:
    """Warn, in one sentence, of what `overlaps` found; the level counts as in `warnings.warn`."""
    if found:
        more = f" (and {len(found) - 1:,} more)" if len(found) > 1 else ""
        warnings.warn(f"{found[0]}{more}", stacklevel=stacklevel + 1)


def refuse_filling(
    state: State, world: World, names: Sequence[str | None], obstacles: Sequence[Obstacle]
) -> None:
    """ValueError if a ball fills an obstacle, see `filling`."""
    for _, sentence in filling(state.position, world.radius, names, obstacles):
        raise ValueError(sentence)


def overlap_of_balls(pair: Overlap, names: Sequence[str | None]) -> str:
    """Which two balls overlap, and by how much."""
    return (
        f"{names[pair.i]} and {names[pair.other]} overlap by "
        f"{pair.reach - pair.distance:.6g}: their centres are {pair.distance:.6g} apart, "
        f"expected is at least {pair.reach:.6g}, the sum of their radii"
    )


def overlap_with_obstacle(
    pair: Overlap, names: Sequence[str | None], obstacles: Sequence[str | None]
) -> str:
    """Which ball overlaps which obstacle, and by how much."""
    return (
        f"{names[pair.i]} and {obstacles[pair.other]} overlap by "
        f"{pair.reach - pair.distance:.6g}: the centre is {pair.distance:.6g} from the "
        f"surface, expected is at least {pair.reach:.6g}, the radius"
    )


def behind_plane(first: str | None, many: int, plane: str | None) -> str:
    """How many balls are behind a plane, and the name of the first."""
    more = (
        f" and {many - 1:,} more start with their centres"
        if many > 1
        else " starts with its centre"
    )
    return f"{first}{more} behind {plane}, which does not stop what comes from there"


def overlapping_balls(position: Floats, radius: Floats) -> list[Overlap]:
    """Pairs i > j whose balls overlap, at most `MOST`."""
    n = len(radius)
    if n * n <= 2 * _FEW_PAIRS:
        return _overlapping_few(position, radius)
    if are_apart(position, radius, TOLERANCE):
        return []
    pairs = np.zeros((MOST, 2), dtype=np.int64)
    grid = empty_grid(n, 2.0 * float(radius.min()) * (1.0 + 1e-6))
    found = np.zeros(n + 1, dtype=np.uint32)
    count = _find_pairs(grid, position, radius, found, pairs)
    return sorted(_overlap(position, radius, i, j) for i, j in pairs[:count].tolist())


def overlapping_in_box(
    position: Floats, radius: Floats, box: Box, time: float = 0.0
) -> list[Overlap]:
    """Pairs i > j whose balls, or periodic images of them, overlap at a time, at most `MOST`."""
    if len(radius) == 0:
        return []
    low = np.array(box.low)
    inside, ball = wrapped(box, time, position), np.arange(len(radius))
    # In a sheared box images above slide along x, and are wrapped along it themselves.
    for axis in [axis for axis in (1, 0, 2) if box.periodic[axis]]:
        # Balls near the low face get an image at the high face.
        out = inside[:, axis] - low[axis] < 2.0 * radius.max()
        image = inside[out]
        image[:, axis] += box.size[axis]
        if axis == 1 and box.is_sheared:
            along = image[:, 0] + slide(box, time) - low[0]
            image[:, 0] = low[0] + np.mod(along, box.size.x)
        inside, ball = np.concatenate([inside, image]), np.concatenate([ball, ball[out]])
    pairs = overlapping_balls(inside, radius[ball])
    named = [(sorted((ball[pair.i], ball[pair.other])), pair) for pair in pairs]
    once = {(int(b), int(a)): pair for (a, b), pair in named if a != b}
    return [pair._replace(i=i, other=j) for (i, j), pair in sorted(once.items())]


def _overlapping_few(position: Floats, radius: Floats) -> list[Overlap]:
    """As `overlapping_balls`, by looking at all pairs at once."""
    apart = np.linalg.norm(position[:, None] - position, axis=2)
    touching = np.argwhere(np.tril(apart < radius[:, None] + radius, -1))
    found = (_overlap(position, radius, i, j) for i, j in touching.tolist())
    return [pair for pair in found if pair.distance < pair.reach * (1.0 - TOLERANCE)][:MOST]


def _overlap(position: Floats, radius: Floats, i: int, j: int) -> Overlap:
    distance = vector_at(position, i).dist(vector_at(position, j))
    return Overlap(i, j, distance, float(radius[i] + radius[j]))


@kernel
def _find_pairs(
    grid: HashedGrid,
    position: Floats,
    radius: Floats,
    found: npt.NDArray[np.uint32],
    pairs: Integers,
) -> int:
    """Place the balls one by one in a grid; write each overlap with an earlier ball to `pairs`."""
    count = 0
    for i in range(radius.size):
        x = vector_at(position, i)
        place(grid, i, x, radius[i])
        for n in range(neighbours(grid, i, found)):
            j = found[n]
            reach = radius[i] + radius[j]
            if x.dist(vector_at(position, j)) < reach * (1.0 - TOLERANCE):
                pairs[count, 0], pairs[count, 1] = i, j
                count += 1
                if count == pairs.shape[0]:
                    return count
    return count


class ObstacleContacts(NamedTuple):
    """Balls against obstacles.

    overlaps: at most `MOST`; behind: by the index of each plane with balls behind it, the first
    of them and how many there are.
    """

    overlaps: list[Overlap]
    behind: dict[int, tuple[int, int]]


def overlapping_obstacles(
    position: Floats, radius: Floats, obstacles: Sequence[Obstacle], box: Box | None = None
) -> ObstacleContacts:
    """The overlaps of balls at (n, 3) with obstacles, and the balls behind planes."""
    if not obstacles:
        return ObstacleContacts([], {})
    packed = pack([obstacle.shape for obstacle in obstacles], [1.0] * len(obstacles))
    pairs = np.zeros((MOST, 2), dtype=np.int64)
    gaps = np.zeros(MOST)
    behind = np.zeros((len(packed.kind), 2), dtype=np.int64)
    few = len(radius) * len(obstacles) <= _FEW_PAIRS
    find = getattr(_find_at_obstacles, "py_func", _find_at_obstacles) if few else _find_at_obstacles
    count = find(space_of(box), packed, position, radius, pairs, gaps, behind)
    overlaps = _worst_of_each(
        Overlap(i, int(packed.owner[k]), distance, float(radius[i]))
        for (i, k), distance in zip(pairs[:count].tolist(), gaps[:count].tolist(), strict=True)
    )
    return ObstacleContacts(
        overlaps + _inside_solids(position, radius, obstacles),
        {
            int(packed.owner[k]): (int(behind[k, 0]), int(behind[k, 1]))
            for k in np.flatnonzero(behind[:, 1])
        },
    )


def _worst_of_each(overlaps: Iterable[Overlap]) -> list[Overlap]:
    """Of all features of an obstacle that a ball overlaps, the one that it overlaps most."""
    worst: dict[tuple[int, int], Overlap] = {}
    for found in overlaps:
        known = worst.setdefault((found.i, found.other), found)
        if found.distance < known.distance:
            worst[found.i, found.other] = found
    return list(worst.values())


def filling(
    position: Floats,
    radius: Floats,
    names: Sequence[str | None],
    obstacles: Sequence[Obstacle],
) -> Iterator[tuple[int, str]]:
    """Balls that fill a tube or a bowl to `TOLERANCE`, at most `MOST` of each, by their indices,
    and a sentence: in so little room rounding alone decides where they are stopped."""
    for obstacle in obstacles:
        bore = obstacle.shape.bore
        if bore is None:
            continue
        fit = np.flatnonzero(np.abs(radius - bore) <= TOLERANCE * bore)
        for i in fit[obstacle.shape.encloses(position[fit])][:MOST].tolist():
            yield (
                i,
                f"{names[i]} fills {obstacle.name}: its radius, {float(radius[i])!r}, must be "
                f"smaller than that of the obstacle, {bore!r}, by more than a billionth of it",
            )


def _inside_solids(
    position: Floats, radius: Floats, obstacles: Sequence[Obstacle]
) -> list[Overlap]:
    """Balls with their centres in a body, or a part of one, that is solid all through."""
    return [
        Overlap(int(i), k, 0.0, float(radius[i]))
        for k, obstacle in enumerate(obstacles)
        for piece in obstacle.shape.pieces
        if piece.is_solid
        for i in np.flatnonzero(piece.encloses(position))[:MOST]
    ]


@kernel
def _find_at_obstacles(
    space: Open | Periodic,
    obstacles: Obstacles,
    position: Floats,
    radius: Floats,
    pairs: Integers,
    gaps: Floats,
    behind: Integers,
) -> int:
    count = 0
    for i in range(radius.size):
        x = vector_at(position, i)
        place = next_place(obstacles, -1, around(x, radius[i]))
        while place >= 0:
            k = row_at(obstacles, place)
            place = next_place(obstacles, place, around(x, radius[i]))
            there = image_near_obstacle(space, obstacles, k, x)
            distance = clearance(obstacles, k, there)
            if is_behind(obstacles, k, there):
                if behind[k, 1] == 0:
                    behind[k, 0] = i
                behind[k, 1] += 1
            elif distance < radius[i] * (1.0 - TOLERANCE) and count < pairs.shape[0]:
                pairs[count, 0], pairs[count, 1] = i, k
                gaps[count] = distance
                count += 1
    return count
