"""Kernels that put spheres where there is room for them.

Random sequential addition: throw a ball in, keep it if it touches nothing.
Lattice: walk over the sites, keep the free.
"""

from typing import Any

import numpy as np

from spheresim.broadphase.grid import Grid, neighbours, place
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.engines.event_driven.space import image_near_obstacle
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import CYLINDER, Obstacles, gap, is_tube
from spheresim.scene.fill.occupancy import Crowd, is_in_shade, join, touches
from spheresim.scene.fill.room import Room

CLOSE = 1.0 - 1e-10
"""Radii are taken so much smaller that what only touches is free, whatever the rounding."""


@inlined
def _is_clear(space: Any, obstacles: Obstacles, tube: Any, x: TVector, radius: float) -> bool:
    """Whether a ball is clear of all obstacles, on the right side of each."""
    for k in range(obstacles.kind.size):
        there = image_near_obstacle(space, obstacles, k, x)
        if gap(obstacles, k, there) < radius:
            return False
        if obstacles.kind[k] == CYLINDER and is_tube(obstacles, k, there) != tube[k]:
            return False
    return True


@routine
def _is_free(grid: Grid, asker: int, x: TVector, radius: float, found: Any) -> bool:
    """Whether a ball at x touches none of the grid's but its last, which is put there to ask."""
    if asker == 0:
        return True
    place(grid, asker, x, radius)
    return neighbours(grid, asker, found) == 0


@kernel
def add_at_random(
    space: Any,
    obstacles: Obstacles,
    tube: Any,
    low: TVector,
    high: TVector,
    grid: Grid,
    crowd: Crowd,
    radius: Any,
    throws: Any,
    found: Any,
    position: Any,
    placed: int,
) -> int:
    """Throw balls (n,) into a box, in order, once for each of the throws (m, 3).

    Takes and gives how many are placed. The grid holds the balls that were there before, and
    a last one that is moved about to ask; the crowd, those that are placed.
    """
    asker = len(grid.sphere) - 1
    for m in range(throws.shape[0]):
        if placed == radius.size:
            break
        r = radius[placed]
        x = TVector(
            low.x + r + throws[m, 0] * (high.x - low.x - 2.0 * r),
            low.y + r + throws[m, 1] * (high.y - low.y - 2.0 * r),
            low.z + r + throws[m, 2] * (high.z - low.z - 2.0 * r),
        )
        if is_in_shade(crowd, x) or touches(crowd, position, radius, x, r):
            continue
        if not _is_clear(space, obstacles, tube, x, r * CLOSE):
            continue
        if not _is_free(grid, asker, x, r, found):
            continue
        set_vector(position, placed, x)
        join(crowd, placed, x, r)
        placed += 1
    return placed


@kernel
def add_on_lattice(
    space: Any,
    obstacles: Obstacles,
    tube: Any,
    first: TVector,
    spacing: float,
    sites: Any,
    grid: Grid,
    radius: float,
    found: Any,
    position: Any,
) -> int:
    """Write the free sites of a lattice into `position`, at most as many as it holds; how many.

    Layers are filled in the direction of y. The last ball of the grid is moved about to ask.
    """
    taken, asker = 0, len(grid.sphere) - 1
    for j in range(sites[1]):
        for k in range(sites[2]):
            for i in range(sites[0]):
                if taken == position.shape[0]:
                    return taken
                x = first + TVector(i * spacing, j * spacing, k * spacing)
                if _is_clear(space, obstacles, tube, x, radius * CLOSE) and _is_free(
                    grid, asker, x, radius * CLOSE, found
                ):
                    set_vector(position, taken, x)
                    taken += 1
    return taken


@kernel
def place_all(grid: Grid, position: Any, radius: Any) -> None:
    """Give the grid's first balls their spheres."""
    for i in range(radius.size):
        place(grid, i, vector_at(position, i), radius[i])


def are_clear(room: Room, grid: Grid, sites: Any, radius: float) -> Any:
    """Which of the sites (m, 3) are clear of obstacles and of the balls that are in the grid."""
    clear = np.ones(len(sites), dtype=np.bool_)
    if room.obstacles.kind.size > 0 or grid.population.sum() > 0:
        found = np.zeros(len(grid.sphere) + 1, dtype=np.uint32)
        _keep_clear(room.space, room.obstacles, room.tube, grid, sites, radius, found, clear)
    return clear


@kernel
def _keep_clear(
    space: Any,
    obstacles: Obstacles,
    tube: Any,
    grid: Grid,
    sites: Any,
    radius: float,
    found: Any,
    clear: Any,
) -> None:
    asker = len(grid.sphere) - 1
    for m in range(len(sites)):
        x = vector_at(sites, m)
        clear[m] = _is_clear(space, obstacles, tube, x, radius * CLOSE) and _is_free(
            grid, asker, x, radius * CLOSE, found
        )
