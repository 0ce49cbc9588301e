"""Many rays as arrays, and where they first meet a plane or a cylinder: to the bits of one ray.

A ball that moves is a ray against the shape offset by its radius, so these are times of impact too.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.compiler.decorators import inlined, kernel
from spheresim.numerics.arrays import Floats, Integers
from spheresim.numerics.batch import (
    number_rows,
    question_count,
    refuse_bad_row,
    refuse_extreme_row,
    steps_of,
    vector_rows,
)
from spheresim.numerics.ray import TRay, ordinary_directions, ordinary_velocities
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.obstacles.ray_hit import Hits


class Rays(NamedTuple):
    """origin, direction: (n, 3) or (1, 3); radius: (n,) or (1,); steps: 0 where one row is for all,
    else 1."""

    origin: Floats
    direction: Floats
    radius: Floats
    steps: Integers


def times_of_balls(
    times_of: Callable[[Rays, Floats], object],
    position: npt.ArrayLike,
    velocity: npt.ArrayLike,
    radius: npt.ArrayLike,
) -> Floats:
    """Times (n,) that a function writes for the paths of balls as rays, of ordinary velocities.

    ValueError for what is not finite, or of a size at which formulas under- or overflow.
    """
    rays, n = _checked(position=position, velocity=velocity, radius=radius)
    scaled, exponent = ordinary_velocities(rays.direction)
    times = np.empty(n)
    times_of(rays._replace(direction=scaled), times)
    if exponent is None:
        return times
    with np.errstate(over="ignore", under="ignore"):  # later, or sooner, than any float
        return np.ldexp(times, exponent)


def directed_rays(origin: npt.ArrayLike, direction: npt.ArrayLike) -> tuple[Rays, int]:
    """Rays from two arrays, and how many they are.

    ValueError for what is not finite, and for a direction of length 0.
    """
    rays, n = _checked(origin=origin, direction=direction, radius=0.0)
    return rays._replace(direction=ordinary_directions(rays.direction)), n


def _checked(**given: npt.ArrayLike) -> tuple[Rays, int]:
    rows = {
        what: (number_rows if what == "radius" else vector_rows)(array, what)
        for what, array in given.items()
    }
    n = question_count(**rows)
    refuse_bad_row(**rows)
    start, along, radius = rows.values()
    refuse_extreme_row(**{what: array for what, array in rows.items() if array is not along})
    return Rays(start, along, radius, steps_of(start, along, radius)), n


def no_hits(n: int) -> Hits:
    """Room for n hits."""
    return Hits(np.empty(n), np.zeros((n, 3)), np.zeros((n, 3)))


def shape_tois(
    shape: Any, position: npt.ArrayLike, velocity: npt.ArrayLike, radius: npt.ArrayLike
) -> Floats:
    """Times (n,) at which balls are stopped by a plane or a cylinder; inf for never."""
    return times_of_balls(partial(_first_times, shape), position, velocity, radius)


def shape_hits(shape: Any, origin: npt.ArrayLike, direction: npt.ArrayLike) -> Hits:
    """Where rays first meet a plane or a cylinder."""
    rays, n = directed_rays(origin, direction)
    hits = no_hits(n)
    _first_times(shape, rays, hits.distance)
    _describe(shape, rays, hits)
    return hits


@inlined
def ray_of(rays: Rays, k: int) -> TRay:
    """Ray number k."""
    steps = rays.steps
    return TRay(
        vector_at(rays.origin, k * steps[0]),
        vector_at(rays.direction, k * steps[1]),
    )


@inlined
def radius_of(rays: Rays, k: int) -> float:
    """The radius of the ball on ray number k."""
    return rays.radius[k * rays.steps[2]]


@inlined
def is_still(ray: TRay) -> bool:
    """Whether the ball on a ray does not move."""
    v = ray.direction
    return v.x == 0.0 and v.y == 0.0 and v.z == 0.0


@kernel
def _first_times(shape: Any, rays: Rays, times: Floats) -> None:
    for k in range(len(times)):
        ray = ray_of(rays, k)
        times[k] = math.inf if is_still(ray) else shape.toi(ray, radius_of(rays, k))


@kernel
def _describe(shape: Any, rays: Rays, hits: Hits) -> None:
    """Point and normal of each hit, and distances in place of ray parameters."""
    for k in range(len(hits.distance)):
        if hits.distance[k] < math.inf:
            ray = ray_of(rays, k)
            point = ray.at_parameter(hits.distance[k])
            set_vector(hits.point, k, point)
            set_vector(hits.normal, k, shape.normal_at(point, ray.origin))
            hits.distance[k] *= ray.direction.mag()
