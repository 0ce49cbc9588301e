"""Kernels that put spheres where there is room for them.

Random sequential addition: try places at random, keep those where a ball touches nothing.
Lattice: walk over the sites, keep the free ones.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.broadphase.sphere_grids.hashed_grid import HashedGrid, neighbours, place
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.model.periodic_space import image_near_obstacle
from spheresim.numerics.arrays import Booleans, Floats, Integers
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.features.index import around
from spheresim.obstacles.nearby_obstacles import next_place, row_at
from spheresim.obstacles.table import gap
from spheresim.scene.fill.occupancy import Occupancy, is_excluded, occupy, touches
from spheresim.scene.fill.room import Room

CLOSE = 1.0 - 1e-10
"""Radii are reduced by this factor, so that a site that only just touches counts as free."""


class CrowdedRoom(NamedTuple):
    """A room with balls in it.

    grid: holds these balls, and a last sphere that is moved about to ask which it touches; found:
    scratch, of the size that `neighbours` needs.
    """

    room: Room
    grid: HashedGrid
    found: npt.NDArray[np.uint32]


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
def _clears_balls(crowded: CrowdedRoom, x: TVector, radius: float) -> bool:
    """Whether a ball touches none of those in a room."""
    grid = crowded.grid
    probe = len(grid.sphere) - 1
    if probe == 0:
        return True
    place(grid, probe, x, radius)
    return neighbours(grid, probe, crowded.found) == 0


@inlined
def _is_free(crowded: CrowdedRoom, x: TVector, radius: float) -> bool:
    """Whether a site for a ball is clear of obstacles and of balls."""
    r = radius * CLOSE
    return _clears_obstacles(crowded.room, x, r) and _clears_balls(crowded, x, r)


@kernel(label="the filling of boxes", parts=50)
def add_at_random(
    crowded: CrowdedRoom,
    occupancy: Occupancy,
    radius: Floats,
    trials: Floats,
    position: Floats,
    placed: int,
) -> int:
    """Random sequential addition of balls of the radii (n,), in order, by trials (m, 3) in [0, 1).

    placed: how many balls were placed before; returns how many are placed now, and writes their
    places into `position`. In the room are the balls that were there before the fill; the
    occupancy holds those that are placed.
    """
    room = crowded.room
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
        if not _clears_obstacles(room, x, r * CLOSE) or not _clears_balls(crowded, x, r):
            continue
        set_vector(position, placed, x)
        occupy(occupancy, placed, x, r)
        placed += 1
    return placed


class CubicLattice(NamedTuple):
    """first: the site with the smallest coordinates; sites: (3,), how many there are along each
    axis."""

    first: TVector
    spacing: float
    sites: Integers


@kernel
def add_on_lattice(
    crowded: CrowdedRoom, lattice: CubicLattice, radius: float, position: Floats
) -> int:
    """Write the free sites of a lattice into `position`, at most as many as it holds.

    Layers are filled in the direction of y. Returns how many sites were written.
    """
    first, spacing, sites = lattice
    taken = 0
    for j in range(sites[1]):
        for k in range(sites[2]):
            for i in range(sites[0]):
                if taken == position.shape[0]:
                    return taken
                x = first + TVector(i * spacing, j * spacing, k * spacing)
                if _is_free(crowded, x, radius):
                    set_vector(position, taken, x)
                    taken += 1
    return taken


@kernel
def place_all(grid: HashedGrid, position: Floats, radius: Floats) -> None:
    """Give the grid's first balls their spheres."""
    for i in range(radius.size):
        place(grid, i, vector_at(position, i), radius[i])


def are_free(crowded: CrowdedRoom, sites: Floats, radius: float) -> Booleans:
    """Which of the sites (m, 3) are clear of obstacles and of balls, (m,)."""
    free = np.ones(len(sites), dtype=np.bool_)
    if crowded.room.obstacles.kind.size > 0 or crowded.grid.population.sum() > 0:
        _mark_free(crowded, sites, radius, free)
    return free


@kernel
def _mark_free(crowded: CrowdedRoom, sites: Floats, radius: float, free: Booleans) -> None:
    for m in range(len(sites)):
        free[m] = _is_free(crowded, vector_at(sites, m), radius)
