"""Slide steps on curved surfaces: how long a step may last, and the velocity along the surface.

A slide step is a parabola with the acceleration that the contact gives at its start. It ends
before it strays from the surface by PENETRATION radii of the ball.
"""

import math
from typing import NamedTuple

from spheresim.compiler.decorators import inlined, routine
from spheresim.contact.ball_state import SLIDING
from spheresim.contact.supports import along_supports, present
from spheresim.contact.tolerances import PENETRATION
from spheresim.engines.event_driven.engine_state import (
    EngineState,
    Environment,
    position_at_clock,
    velocity_at_clock,
)
from spheresim.engines.event_driven.lasting_contact.support_geometry import (
    normals_where,
)
from spheresim.model.periodic_space import image_near_obstacle
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import curvature_radius, is_flat, time_to_end, turning_axis

_PART_OF_PERIOD = 2e-3
"""The longest slide step, beside the time in which the surface turns by one radian."""


class Turning(NamedTuple):
    """How the normal of a curved surface turns with a ball on it.

    radius: of curvature; speed: that of the component of the ball's velocity that turns the normal,
    which is the whole velocity, except along the axis of a tube;
    pull: what can press the ball there, gravity and speed²/radius.
    """

    radius: float
    speed: float
    pull: float


@inlined
def turning_along(environment: Environment, k: int, there: TVector, v: TVector) -> Turning:
    """How the normal of obstacle k, which is not flat, turns with a ball at a place as the obstacle
    sees it."""
    obstacles = environment.obstacles
    radius = curvature_radius(obstacles, k, there)
    speed = v.cross(turning_axis(obstacles, k, there, v)).mag()
    pull = environment.motion.gravity.mag() + speed * speed / radius
    return Turning(radius, speed, pull)


@inlined
def time_to_stray(turning: Turning, stray: float) -> float:
    """How long a constant force keeps a ball so near to the path along its surface.

    The force turns with the surface, so the third derivative of the path is about (u/R)·(g +
    u²/R) for a radius R of curvature and the speed u around it.
    """
    jerk = turning.speed / turning.radius * turning.pull
    return (6.0 * stray / jerk) ** (1.0 / 3.0) if jerk > 0.0 else math.inf


@inlined
def makes_slide_steps(state: EngineState, i: int) -> bool:
    """Whether ball i slides by slide steps, and not on a single parabola."""
    return bool((state.body[i].held == SLIDING) & (state.hold[i].step_at < math.inf))


@routine
def slide_step(environment: Environment, state: EngineState, i: int) -> float:
    """How long ball i may go on with its present acceleration; inf where all supports are flat and
    none ends.

    The force turns with the surface, and the speed grows by the acceleration: the terms of third
    (`time_to_stray`) and of fourth order in time must be below PENETRATION.
    """
    ball, step = state.ball[i], math.inf
    x, velocity = position_at_clock(ball), velocity_at_clock(ball)
    pulled = environment.motion.acceleration_of(ball)
    acceleration = pulled.mag()
    if velocity.mag_sqr() == 0.0 and acceleration == 0.0:
        return step
    for m in range(3):
        k = int(state.hold[i].support[m])
        if k < 0:
            continue
        there = image_near_obstacle(environment.space, environment.obstacles, k, x)
        if is_flat(environment.obstacles, k):
            ends = time_to_end(environment.obstacles, k, there, velocity, pulled)
            step = min(step, ends)
            continue
        turning = turning_along(environment, k, there, velocity)
        radius, _, pull = turning
        if pull == 0.0:
            continue
        stray = PENETRATION * ball.radius
        step = min(step, _PART_OF_PERIOD * math.sqrt(radius / pull))
        step = min(step, time_to_stray(turning, stray))
        step = min(step, (24.0 * stray * radius / (acceleration * pull + 1e-300)) ** 0.25)
    return step


@routine
def velocity_along(
    environment: Environment, state: EngineState, i: int, x: TVector, v: TVector
) -> TVector:
    """Ball i's velocity once a slide step has brought it to x: along its supports, with the energy
    that it had at its clock's time.

    v: the velocity of the parabola, whose direction and energy err by terms of second order in
    time. The energy is corrected in the direction in which a single surface has turned; along the
    axis of a tube nothing changes.
    """
    ball, hold, gravity = state.ball[i], state.hold[i], environment.motion.gravity
    x0, v0 = position_at_clock(ball), velocity_at_clock(ball)
    normals, before = normals_where(environment, hold, x), normals_where(environment, hold, x0)
    lies = present(normals)
    v = along_supports(v, normals, lies)
    # Along the edge of two supports there is only one direction.
    turned = v
    if lies.a + lies.b + lies.c == 1.0:
        n = normals.a + normals.b + normals.c
        n0 = before.a + before.b + before.c
        turned = n.cross(n0.cross(n))
    if turned.mag_sqr() == 0.0:
        return v
    turned = turned.unit()
    speed = v.dot(turned)
    speed_sqr = speed * speed + (v0.mag_sqr() + 2.0 * gravity.dot(x - x0) - v.mag_sqr())
    return v + turned * (math.copysign(math.sqrt(max(speed_sqr, 0.0)), speed) - speed)
