"""Whether any impact is still to come: what ends a run for a number of impacts, in both engines."""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.collision.toi import surely_miss
from spheresim.compiler.by_reference import by_reference
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.model.periodic_space import Periodic, image_near_obstacle
from spheresim.model.state import World
from spheresim.numerics.arrays import Floats, Records
from spheresim.numerics.ray import TRay
from spheresim.numerics.rounding import ROUNDING, manhattan_norm
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.ball_path import BallPath
from spheresim.obstacles.driven_walls.toi import LATEST, Flight
from spheresim.obstacles.features.index import swept_bounds
from spheresim.obstacles.table import Obstacles, has_images, is_receding, rests_on_plane, toi

_MEAN_FREE_TIMES = 1000.0
"""Time without an impact, in mean free times, after which no further impact is expected."""


@by_reference
class Paths(NamedTuple):
    """The paths of n balls from a time on: position, velocity and constant acceleration, (n, 3);
    radius, (n,)."""

    position: Floats
    velocity: Floats
    acceleration: Floats
    radius: Floats


@by_reference
class Surroundings(NamedTuple):
    """What balls may hit from a time on.

    space: open space is periodic along no axis; walls, places: the obstacles that move, and their
    records; slides: whether images along y slide along x, as in a sheared box.
    """

    obstacles: Obstacles
    space: Periodic
    walls: Any
    places: Records
    time: float
    slides: bool


@kernel
def nothing_meets(surroundings: Surroundings, paths: Paths) -> bool:
    """Whether it is certain that no ball will ever hit anything again.

    A ball that moves along a periodic axis may hit after any number of periods: then only the
    distance across that axis makes it certain. An accelerated ball must move away from all that it
    could hit, and not be pulled back.
    """
    for i in range(len(paths.radius)):
        if _may_hit_obstacle(surroundings, paths, i):
            return False
        for j in range(i + 1, len(paths.radius)):
            if _may_hit_ball(surroundings, paths, i, j):
                return False
    return True


def passes_by(world: World, velocity: Floats, silent: float) -> bool:
    """Whether, on periodic axes, a thousand mean free times have gone by without an impact.

    Balls that go round without end may miss each other for ever, which no formula shows. The mean
    free time is that of two of the smallest balls, at the mean speed, in the volume of the box.
    velocity: (3, n); silent: the time since the last impact.
    """
    box = world.box
    if box is None or not box.is_periodic:
        return False
    cross_section = math.pi * (2.0 * float(world.radius.min())) ** 2
    speed = float(np.sqrt((velocity**2).sum(axis=0)).mean()) + abs(box.shear_rate) * box.size.y
    swept = speed * cross_section
    return bool(silent * swept > _MEAN_FREE_TIMES * math.prod(box.size))


@routine
def _may_hit_ball(surroundings: Surroundings, paths: Paths, i: int, j: int) -> bool:
    space, slides = surroundings.space, surroundings.slides
    x, v = vector_at(paths.position, i), vector_at(paths.velocity, i)
    y, u = vector_at(paths.position, j), vector_at(paths.velocity, j)
    a = vector_at(paths.acceleration, i) - vector_at(paths.acceleration, j)
    d, w, s = space.minimum_image(x, y), v - u, paths.radius[i] + paths.radius[j]
    if a.mag_sqr() > 0.0:
        # Along the line between them, which is the shortest way, no distance is lost.
        stay_apart = d.dot(w) >= 0.0 and d.dot(a) >= 0.0
        is_periodic = slides or _moves_periodically(space, w) or _moves_periodically(space, a)
        return is_periodic or not stay_apart
    if slides or _moves_periodically(space, w):
        # Seen along the periodic axes of the motion: if they miss each other there, they always do.
        across = _across_periodic_motion(space, w, slides)
        d, w = _components(d, across), _components(w, across)
        return d.mag_sqr() <= s * s or not (w.mag_sqr() == 0.0 or surely_miss(d, w, s))
    if w.mag_sqr() == 0.0:
        return False
    if d.mag() - s <= ROUNDING * (manhattan_norm(x) + manhattan_norm(y) + s):
        # They touch: an approach within the rounding of the velocities is none.
        return d.dot(w) < -ROUNDING * (manhattan_norm(v) + manhattan_norm(u)) * d.mag()
    return not surely_miss(d, w, s)


@routine
def _may_hit_obstacle(surroundings: Surroundings, paths: Paths, i: int) -> bool:
    ball = BallPath(
        vector_at(paths.position, i),
        vector_at(paths.velocity, i),
        vector_at(paths.acceleration, i),
    )
    radius = paths.radius[i]
    if _may_hit_feature(surroundings.obstacles, ball, radius):
        return True
    if surroundings.walls.any_move() and _may_hit_wall(surroundings, ball, radius):
        return True
    unbounded = surroundings.obstacles.unbounded
    for n in range(unbounded.size):
        if _may_hit_unbounded(surroundings, unbounded[n], ball, radius):
            return True
    return False


@routine
def _may_hit_feature(obstacles: Obstacles, ball: BallPath, radius: float) -> bool:
    x, v, a = ball
    _, ahead = obstacles.features.reach_times(x, v, a, radius)
    if ahead <= 0.0:
        return False
    if a.mag_sqr() > 0.0:
        return True
    if v.mag_sqr() == 0.0:
        return False
    corners = swept_bounds(ball, radius, 0.0, ahead)
    leaf = obstacles.features.leaf_after(0, corners)
    while leaf > 0:
        k = obstacles.features.feature_at(leaf)
        rests = rests_on_plane(obstacles, k, ball, radius)
        if not rests and toi(obstacles, k, TRay(x, v), radius) < math.inf:
            return True
        leaf = obstacles.features.leaf_after(leaf, corners)
    return False


@routine
def _may_hit_wall(surroundings: Surroundings, ball: BallPath, radius: float) -> bool:
    walls, obstacles = surroundings.walls, surroundings.obstacles
    for n in range(walls.moving_rows()):
        k, time = walls.moving_row(n), surroundings.time
        met = walls.meeting(surroundings.places, obstacles, k, Flight(ball, radius, time, LATEST))
        if met.time < LATEST:
            return True
    return False


@routine
def _may_hit_unbounded(surroundings: Surroundings, k: int, ball: BallPath, radius: float) -> bool:
    """Whether a ball may hit plane or cylinder k, or one of its images."""
    obstacles, space = surroundings.obstacles, surroundings.space
    x, v, a = ball
    if rests_on_plane(obstacles, k, ball, radius):
        return False
    if has_images(obstacles, k) and (
        _moves_periodically(space, v) or _moves_periodically(space, a)
    ):
        return True
    nearest = image_near_obstacle(space, obstacles, k, x)
    side = space.size
    for image in range(27):
        # All images beside it; along open axes `side` is 0, and they are the same.
        periods = TVector(image % 3 - 1.0, image // 3 % 3 - 1.0, image // 9 - 1.0)
        place = nearest + TVector(periods.x * side.x, periods.y * side.y, periods.z * side.z)
        if not _is_past(obstacles, k, BallPath(place, v, a), radius):
            return True
    return False


@inlined
def _is_past(obstacles: Obstacles, k: int, ball: BallPath, radius: float) -> bool:
    x, v, a = ball
    if a.mag_sqr() > 0.0:
        return is_receding(obstacles, k, x, v, a)
    return v.mag_sqr() == 0.0 or toi(obstacles, k, TRay(x, v), radius) == math.inf


@inlined
def _moves_periodically(space: Periodic, v: TVector) -> bool:
    """Whether a velocity, or acceleration, has a component along a periodic axis."""
    side = space.size
    return bool(v.x * side.x != 0.0 or v.y * side.y != 0.0 or v.z * side.z != 0.0)


@inlined
def _across_periodic_motion(space: Periodic, w: TVector, slides: bool) -> TVector:
    """0 for each periodic axis along which images of two balls move with the relative velocity w,
    x included where images slide; 1 for the other axes."""
    side = space.size
    return TVector(
        0.0 if side.x != 0.0 and (slides or w.x != 0.0) else 1.0,
        0.0 if side.y != 0.0 and w.y != 0.0 else 1.0,
        0.0 if side.z != 0.0 and w.z != 0.0 else 1.0,
    )


@inlined
def _components(vector: TVector, of: TVector) -> TVector:
    """The components of a vector along the axes that have a 1."""
    return TVector(vector.x * of.x, vector.y * of.y, vector.z * of.z)
