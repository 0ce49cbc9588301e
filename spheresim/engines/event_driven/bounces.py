"""Impacts alone: what contact is where nothing presses anything onto anything.

`Bounces` and `SustainedContact` (in `lasting_contact`) are types, like those of `motion`: the
compiler leaves all that lasts out of the kernels of a run without gravity.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.collision.collapse import GLIDE_ANGLE, count_as_collapsing_at_once
from spheresim.collision.repeated_impacts import COLLAPSE_IMPACTS, COLLAPSE_PATH, WEDGED_IMPACTS
from spheresim.collision.response import CollisionResult, exchange, glide, reflect
from spheresim.compiler.decorators import value
from spheresim.engines.event_driven.engine_state import (
    BodyRecord,
    EngineState,
    Environment,
    position_at_clock,
    velocity_at_clock,
)
from spheresim.engines.event_driven.impact import ObstacleImpact, PairImpact, Rebound
from spheresim.engines.event_driven.moving_ball import MovingBall
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import bends_towards, turning_axis


class ContactThresholds(NamedTuple):
    """Those of `contact.thresholds` that kernels look at."""

    rest_height: float
    soft_height: float
    wake_height: float
    sleep_height: float


@value
class Bounces(ContactThresholds):
    """Impacts alone: without gravity nothing presses a ball onto a plane or onto another ball."""

    __slots__ = ()

    def short_path(self) -> float:
        """Paths below so many radii are short: impacts after them are repeated."""
        return COLLAPSE_PATH

    def collapsing(self, repeated: int) -> int:
        """How many repeated impacts count against inelastic collapse: all."""
        return repeated

    def is_hard(self, state: EngineState, i: int, j: int, speed: float) -> bool:
        """Whether an impact of balls i and j, or of ball i = j on an obstacle, with this speed of
        approach is no contact that lasts: always."""
        return True

    def release(self, state: EngineState, i: int) -> None:
        """Nothing held it."""

    def limit_event(self, state: EngineState, i: int) -> None:
        """No event but those of its flight."""

    def touches_only(
        self, environment: Environment, state: EngineState, seen: MovingBall, k: int
    ) -> bool:
        """Whether a ball, as obstacle k sees it, only touches it, and goes along it."""
        return False

    def velocity_at(
        self, environment: Environment, state: EngineState, i: int, x: TVector, now: float
    ) -> TVector:
        """Ball i's velocity at a time at which it is at x: that of its flight."""
        v: TVector = environment.motion.velocity_of(state.ball[i], now)
        return v

    def move_epoch(self, state: EngineState, shift: float) -> None:
        """Count times from a later epoch."""

    def act(self, environment: Environment, state: EngineState, i: int, now: float) -> None:
        """An event of the contact itself."""

    def step_time(self, state: EngineState) -> float:
        """The time of the next step of islands: never."""
        return math.inf

    def step_has_moved(self, state: EngineState) -> bool:
        """Whether islands have made a step, after which nothing has been predicted yet: never."""
        return False

    def moved_in_step(self, state: EngineState, m: int) -> Any:
        """Ball number m of those of which the step has changed the flight."""
        return np.uint32(m)

    def note_work(
        self, environment: Environment, state: EngineState, i: int, x: TVector, now: float
    ) -> None:
        """Nothing pushes balls on their way."""

    def note_flight(self, environment: Environment, state: EngineState, i: int, now: float) -> None:
        """Impacts imply all flights."""

    def note_cut(self, environment: Environment, state: EngineState, i: int) -> None:
        """Nothing slides."""

    def forget_flight(self, state: EngineState, i: int) -> None:
        """Impacts imply all flights."""

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

    def after_bounce(
        self, environment: Environment, state: EngineState, i: int, rebound: Rebound, now: float
    ) -> None:
        """What else follows from an impact on an obstacle: nothing."""

    def rouse(self, environment: Environment, state: EngineState, i: int, now: float) -> None:
        """Nothing sleeps."""

    def count_repeated(self, body: BodyRecord, before: int, parted: float, radius: float) -> None:
        """Update the count `repeated` where obstacles move, by how far the two can have parted."""
        count_as_collapsing_at_once(body, parted, radius)

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

    def after_push(self, environment: Environment, state: EngineState, i: int, now: float) -> None:
        """What else follows for ball i from an impact of another ball: nothing."""
