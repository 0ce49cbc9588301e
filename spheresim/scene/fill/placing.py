"""Kernels that put spheres where there is room for them.

Random sequential addition: try places at random, keep those where a ball touches nothing.
Lattice: walk over the sites, keep the free ones.
"""

import numpy as np
import numpy.typing as npt

from spheresim.broadphase.sphere_grids.hashed_grid import HashedGrid, neighbours, place
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.model.space import image_near_obstacle
from spheresim.numerics.arrays import Booleans, Floats, Integers
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.features.index import around
from spheresim.obstacles.near import next_place, row_at
from spheresim.obstacles.table import gap
from spheresim.scene.fill.occupancy import Occupancy, is_excluded, occupy, touches
from spheresim.scene.fill.room import Room

CLOSE = 1.0 - 1e-10
"""Radii are reduced by this factor, so that a site that only just touches counts as free."""


@inlined
def _clears_obstacles(room: Room, x: TVector, radius: float) -> bool:
    """Whether a ball touches no obstacle, and is inside tubes and outside pillars."""
    obstacles = room.obstacles
    corners = around(x, radius)
    place = next_place(obstacles, -1, corners)
    while place >= 0:
        k = row_at(obstacles, place)
        place = next_place(obstacles, place, corners)
        outwards = gap(obstacles, k, image_near_obstacle(room.space, obstacles, k, x))
        if (-outwards if room.tube[k] else outwards) < radius:
            return False
    return True


@routine
def _clears_balls(
    grid: HashedGrid, x: TVector, radius: float, found: npt.NDArray[np.uint32]
) -> bool:
    """Whether a ball touches none of the grid's; the grid's last sphere is moved there to ask."""
    probe = len(grid.sphere) - 1
    if probe == 0:
        return True
    place(grid, probe, x, radius)
    return neighbours(grid, probe, found) == 0


@inlined
def _is_free(
    room: Room, grid: HashedGrid, x: TVector, radius: float, found: npt.NDArray[np.uint32]
) -> bool:
    """Whether a site for a ball is clear of obstacles and of the grid's balls."""
    r = radius * CLOSE
    return _clears_obstacles(room, x, r) and _clears_balls(grid, x, r, found)


@kernel(label="the filling of boxes", parts=50)
def add_at_random(
    room: Room,
    grid: HashedGrid,
    occupancy: Occupancy,
    radius: Floats,
    trials: Floats,
    found: npt.NDArray[np.uint32],
    position: Floats,
    placed: int,
) -> int:
    """Random sequential addition of balls of the radii (n,), in order, by trials (m, 3) in [0, 1).

    placed: how many balls were placed before; returns how many are placed now, and writes their
    places into `position`. The grid holds the balls that were there before the fill, and a last
    sphere for queries; the occupancy holds those that are placed. found: scratch, of the size
    that `neighbours` needs.
    """
    low, high = room.low, room.high
    for m in range(trials.shape[0]):
        if placed == radius.size:
            break
        # Scale the trial to where a ball of this radius is wholly inside the room.
        r = radius[placed]
        x = TVector(
            low.x + r + trials[m, 0] * (high.x - low.x - 2.0 * r),
            low.y + r + trials[m, 1] * (high.y - low.y - 2.0 * r),
            low.z + r + trials[m, 2] * (high.z - low.z - 2.0 * r),
        )
        # Keep it if it touches nothing; the most likely contacts are tested first.
        if is_excluded(occupancy, x) or touches(occupancy, position, radius, x, r):
            continue
        if not _clears_obstacles(room, x, r * CLOSE) or not _clears_balls(grid, x, r, found):
            continue
        set_vector(position, placed, x)
        occupy(occupancy, placed, x, r)
        placed += 1
    return placed


@kernel
def add_on_lattice(
    room: Room,
    first: TVector,
    spacing: float,
    sites: Integers,
    grid: HashedGrid,
    radius: float,
    found: npt.NDArray[np.uint32],
    position: Floats,
) -> int:
    """Write the free sites of a cubic lattice into `position`, at most as many as it holds.

    first: the site with the smallest coordinates; sites: (3,), how many there are along each
    axis; grid, found: as in `add_at_random`. Layers are filled in the direction of y. Returns
    how many sites were written.
    """
    taken = 0
    for j in range(sites[1]):
        for k in range(sites[2]):
            for i in range(sites[0]):
                if taken == position.shape[0]:
                    return taken
                x = first + TVector(i * spacing, j * spacing, k * spacing)
                if _is_free(room, grid, x, radius, found):
                    set_vector(position, taken, x)
                    taken += 1
    return taken


@kernel
def place_all(grid: HashedGrid, position: Floats, radius: Floats) -> None:
    """Give the grid's first balls their spheres."""
    for i in range(radius.size):
        place(grid, i, vector_at(position, i), radius[i])


def are_free(room: Room, grid: HashedGrid, sites: Floats, radius: float) -> Booleans:
    """Which of the sites (m, 3) are clear of obstacles and of the grid's balls, (m,)."""
    free = np.ones(len(sites), dtype=np.bool_)
    if room.obstacles.kind.size > 0 or grid.population.sum() > 0:
        found = np.zeros(len(grid.sphere) + 1, dtype=np.uint32)
        _mark_free(room, grid, sites, radius, found, free)
    return free


@kernel
def _mark_free(
    room: Room,
    grid: HashedGrid,
    sites: Floats,
    radius: float,
    found: npt.NDArray[np.uint32],
    free: Booleans,
) -> None:
    for m in range(len(sites)):
        free[m] = _is_free(room, grid, vector_at(sites, m), radius, found)
