"""The contact rule of worlds in which nothing comes to rest: impacts alone.

`Bounces` has the methods of `SustainedContact`. The two are types, so that kernels of a world
without gravity or without loss are compiled without lasting contact. Methods that are not below
return what `if_absent` says at `SustainedContact`.
"""

import math

from spheresim.collision.collapse import count_as_collapsing_at_once
from spheresim.collision.response import CollisionResult, exchange, glide, reflect
from spheresim.compiler.decorators import value
from spheresim.compiler.null_object import stands_in_for
from spheresim.contact.rise import rising_speed
from spheresim.engines.time_stepping.engine_state import EngineState
from spheresim.engines.time_stepping.sustained_contact import ContactRule, SustainedContact
from spheresim.model.state import World
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import bend, bends_towards, turning_axis

_STEEPEST_HOP = 0.05
"""Sine of the angle to the wall of a tube at which a ball that slides round it hops at most."""


@value
@stands_in_for(SustainedContact)
class Bounces(ContactRule):
    """Impacts alone."""

    __slots__ = ()

    def end_step(self, state: EngineState, i: int) -> None:
        """Reset ball i's time and counts for the next step."""
        ball = state.ball[i]
        if ball.clock > 0.0 or ball.repeated > 0:
            ball.clock = 0.0
            ball.repeated = 0
            ball.wedged = 0

    def pair_answer(
        self, world: World, state: EngineState, a: int, b: int, n: TVector, restitution: float
    ) -> CollisionResult:
        """The velocities after an impact of balls a and b, with the normal n from b to a."""
        v_a, v_b = vector_at(state.velocity, a), vector_at(state.velocity, b)
        return exchange(v_a, v_b, world.mass[a], world.mass[b], n, restitution)

    def count_repeated(self, state: EngineState, i: int, parted: float, radius: float) -> None:
        """Update ball i's count `repeated` where obstacles move.

        parted: the largest gap since its last impact; radius: of the ball.
        """
        ball = state.ball[i]
        count_as_collapsing_at_once(ball, int(ball.repeated), parted, radius)

    def obstacle_answer(
        self,
        world: World,
        state: EngineState,
        i: int,
        k: int,
        v: TVector,
        n: TVector,
        restitution: float,
    ) -> TVector:
        """Ball i's velocity after an impact on obstacle k with the normal n; v: before, relative to
        the obstacle, as the result.

        Round a tube, in which bounces that lose energy come faster and faster, it hops as high as
        `rest_height` at last, with the speed that it has.
        """
        x, bends = vector_at(state.position, i), restitution < 1.0 and not world.walls.moves(k)
        if bends and bends_towards(world.obstacles, k, x, v):
            axis = turning_axis(world.obstacles, k, x, v)
            along = v - n * v.dot(n)
            round_it = (along - axis * along.dot(axis)).mag()
            bending = bend(world.obstacles, k, x, along)
            hop = rising_speed(max(-bending, 0.0), world.radius[i], self.limits.rest_height)
            hop = min(hop, _STEEPEST_HOP * round_it)
            if -restitution * v.dot(n) < hop:
                return glide(along, n, axis, math.asin(hop / round_it))
        return reflect(v, n, restitution)
