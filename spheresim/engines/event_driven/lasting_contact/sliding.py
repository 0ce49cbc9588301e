"""Sliding on what bends, by steps: how long one may last, and the velocity along the surface.

A slide step is a parabola with the acceleration that the contact gives at its start. It ends
before it strays from the surface by PENETRATION radii of the ball.
"""

import math

from spheresim.compiler.decorators import routine
from spheresim.contact.supports import along_supports, present
from spheresim.contact.tolerances import PENETRATION
from spheresim.engines.event_driven.engine_state import (
    EngineState,
    Environment,
    position_at_clock,
    velocity_at_clock,
)
from spheresim.engines.event_driven.lasting_contact.support_geometry import (
    curvature_acceleration,
    normals_where,
    support_at,
)
from spheresim.model.periodic_space import image_near_obstacle
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import curvature_radius, time_to_end

_PART_OF_PERIOD = 2e-3
"""The longest slide step, beside the time in which the surface turns by one radian."""


@routine
def slide_step(environment: Environment, state: EngineState, i: int) -> float:
    """How long ball i may go on with its present acceleration; inf where nothing bends or ends.

    The force turns with the surface, so the third derivative of the path is about (v/R)·(g +
    v²/R) for a radius R of curvature and the speed v around it, and v grows by the
    acceleration: the terms of third and of fourth order in time must be below PENETRATION.
    """
    ball, step = state.ball[i], math.inf
    x, velocity = position_at_clock(ball), velocity_at_clock(ball)
    pulled = environment.motion.acceleration_of(ball)
    acceleration, gravity = pulled.mag(), environment.motion.gravity.mag()
    if velocity.mag_sqr() == 0.0 and acceleration == 0.0:
        return step
    for m in range(3):
        k = support_at(state.hold[i], m)
        if k < 0:
            continue
        there = image_near_obstacle(environment.space, environment.obstacles, k, x)
        bending = curvature_radius(environment.obstacles, k, there)
        if bending == math.inf:
            ends = time_to_end(environment.obstacles, k, there, velocity, pulled)
            step = min(step, ends)
            continue
        around = math.sqrt(abs(curvature_acceleration(environment, k, x, velocity)) * bending)
        pull, stray = gravity + around * around / bending, PENETRATION * ball.radius
        if pull == 0.0:
            continue
        step = min(step, _PART_OF_PERIOD * math.sqrt(bending / pull))
        step = min(step, (6.0 * stray * bending / (around * pull + 1e-300)) ** (1.0 / 3.0))
        step = min(step, (24.0 * stray * bending / (acceleration * pull + 1e-300)) ** 0.25)
    return step


@routine
def velocity_along(
    environment: Environment, state: EngineState, i: int, x: TVector, v: TVector
) -> TVector:
    """Ball i's velocity once a slide step has brought it to x: along its supports, with the energy
    that it had at its clock's time.

    v: that of the parabola, which is neither, by terms of second order in time. What is wrong
    with its energy is so in the direction in which a single surface has turned; along the axis
    of a tube nothing changes.
    """
    ball, hold, gravity = state.ball[i], state.hold[i], environment.motion.gravity
    x0, v0 = position_at_clock(ball), velocity_at_clock(ball)
    normals, before = normals_where(environment, hold, x), normals_where(environment, hold, x0)
    lies = present(normals)
    v = along_supports(v, normals, lies)
    # Along the edge of two there is but one direction.
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
