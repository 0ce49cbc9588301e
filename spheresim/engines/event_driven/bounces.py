"""Impacts alone: what contact is where nothing presses anything onto anything.

`Bounces` and `SustainedContact` (in `lasting_contact`) are types, like those of `motion`: the
compiler leaves all that lasts out of the kernels of a run without gravity. What a method of
`Bounces` returns is written at the same method of `SustainedContact`, except for the few below.
"""

from spheresim.collision.collapse import GLIDE_ANGLE, count_as_collapsing_at_once
from spheresim.collision.repeated_impacts import COLLAPSE_IMPACTS, WEDGED_IMPACTS
from spheresim.collision.response import CollisionResult, exchange, glide, reflect
from spheresim.compiler.decorators import value
from spheresim.compiler.null_object import stands_in_for
from spheresim.contact.thresholds import Thresholds
from spheresim.engines.event_driven.engine_state import (
    BodyRecord,
    EngineState,
    Environment,
    position_at_clock,
    velocity_at_clock,
)
from spheresim.engines.event_driven.impact import ObstacleImpact, PairImpact
from spheresim.engines.event_driven.lasting_contact.sustained_contact import SustainedContact
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import bends_towards, turning_axis


@value
@stands_in_for(SustainedContact)
class Bounces(Thresholds):
    """Impacts alone: without gravity nothing presses a ball onto a plane or onto another ball."""

    __slots__ = ()

    def velocity_at(
        self, environment: Environment, state: EngineState, i: int, x: TVector, now: float
    ) -> TVector:
        """Ball i's velocity at a time at which it is at x: that of its flight."""
        v: TVector = environment.motion.velocity_of(state.ball[i], now)
        return v

    def bounce(
        self,
        environment: Environment,
        state: EngineState,
        i: int,
        impact: ObstacleImpact,
        restitution: float,
    ) -> TVector:
        """The velocity of ball i after an impact, relative to the obstacle.

        restitution: that of the collapse rule.
        """
        k, frame, there, v, n = impact
        body, growth = state.body[i], environment.growth.speed(state.ball[i].radius)
        after = reflect(v, n, restitution, growth) if v.dot(n) < growth else v
        # In a tube, what slides along the wall is turned inwards.
        if body.repeated > COLLAPSE_IMPACTS and body.wedged <= WEDGED_IMPACTS:
            along = frame.turned_back(after)
            if bends_towards(environment.obstacles, k, there, along):
                axis = frame.turned(turning_axis(environment.obstacles, k, there, along))
                after = glide(after, n, axis, GLIDE_ANGLE)
        return after

    def count_repeated(self, body: BodyRecord, before: int, parted: float, radius: float) -> None:
        """Update the count `repeated` where obstacles move, by how far the two can have parted."""
        count_as_collapsing_at_once(body, before, parted, radius)

    def meet(
        self, environment: Environment, state: EngineState, impact: PairImpact, now: float
    ) -> CollisionResult:
        """The response of two balls that meet, ball b as its image that is met."""
        a, b = impact.a, impact.b
        ball_a, ball_b, body_a, body_b = state.ball[a], state.ball[b], state.body[a], state.body[b]
        x, y = position_at_clock(ball_a), position_at_clock(ball_b)
        u = environment.shear.image_velocity(environment, x, y, velocity_at_clock(ball_b))
        return exchange(
            velocity_at_clock(ball_a),
            u,
            body_a.mass,
            body_b.mass,
            impact.n,
            impact.restitution,
            environment.growth.speed(ball_a.radius + ball_b.radius),
        )
