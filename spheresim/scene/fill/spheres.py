"""The balls that are there before a fill, as plain spheres, with periodic images of them."""

import math
from typing import NamedTuple

import numpy as np

from spheresim.broadphase.sphere_grids.hashed_grid import empty_grid
from spheresim.model.balls import Balls
from spheresim.model.state import Box
from spheresim.numerics.arrays import Floats
from spheresim.numerics.vector import TVector
from spheresim.scene.fill.placing import CrowdedRoom, place_all
from spheresim.scene.fill.room import Room


class Spheres(NamedTuple):
    """Position (n, 3) and radius (n,)."""

    position: Floats
    radius: Floats


def spheres_of(balls: Balls) -> Spheres:
    """Positions and radii of balls, as arrays of the type that kernels are compiled for."""
    return Spheres(np.array(balls.position), np.array(balls.radius))


def with_images(spheres: Spheres, box: Box, low: TVector, high: TVector) -> Spheres:
    """All images of spheres in a periodic box that reach into the region from low to high."""
    position, radius = spheres
    for axis in np.flatnonzero(box.periodic):
        period = box.size[axis]
        x = position[:, axis]
        # The first image that reaches into the region, in periods, and how many do.
        first = np.ceil((low[axis] - radius - x) / period)
        last = np.ceil((high[axis] + radius - x) / period)
        many = np.maximum(0.0, last - first).astype(int)
        # Repeat each sphere as often, and shift its k-th image by k more periods than the first.
        ball = np.repeat(np.arange(len(x)), many)
        k = np.arange(len(ball)) - np.repeat(np.cumsum(many) - many, many)
        position, radius = position[ball], radius[ball]
        position[:, axis] += (first[ball] + k) * period
    return Spheres(position, radius)


def reaching_into(spheres: Spheres, low: TVector, high: TVector) -> Spheres:
    """The spheres that reach into the region from low to high."""
    outside = spheres.position - np.clip(spheres.position, low, high)
    near = (outside**2).sum(axis=1) < spheres.radius**2
    return Spheres(spheres.position[near], spheres.radius[near])


def crowded_room(room: Room, spheres: Spheres, radius: float) -> CrowdedRoom:
    """A room with spheres in it, in which there is to be room for balls of about this radius."""
    smallest = min(radius, spheres.radius.min(initial=math.inf))
    grid = empty_grid(len(spheres.radius) + 1, 2.0 * smallest * (1.0 + 1e-6))
    if len(spheres.radius) > 0:
        place_all(grid, spheres.position, spheres.radius)
    return CrowdedRoom(room, grid, np.zeros(len(spheres.radius) + 2, dtype=np.uint32))
