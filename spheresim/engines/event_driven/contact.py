"""What contact is, besides single impacts: nothing, or something that can last.

`Bounces` and `SustainedContact` are types, like those of `motion`: the compiler leaves all that
lasts out of the kernels of a run in which nothing can press anything onto anything.
"""

import math
from typing import Any, NamedTuple

from spheresim.collision.collapse import GLIDE_ANGLE, RAPID_IMPACTS, RAPID_PATH, STUCK_IMPACTS
from spheresim.collision.impacts import REST, SLIDE
from spheresim.collision.response import CollisionResult, exchange, glide, reflect
from spheresim.collision.thresholds import (
    LEAST_HOP,
    LIES_BELOW,
    NO_ROOM,
    RAPID_HOP_PATH,
    rising_speed,
    vn_after_soft_impact,
)
from spheresim.compiler.decorators import value
from spheresim.engines.event_driven.engine_state import (
    EngineState,
    Environment,
    velocity_at_clock,
)
from spheresim.engines.event_driven.holding import (
    ASLEEP,
    FREE,
    HELD,
    end_bounces,
    grazes,
    idle_rate,
    is_hopping,
    is_support,
    lie_down,
    pressing,
    settle_on_supports,
    slide_on,
    time_to_part,
    velocity_along,
)
from spheresim.engines.event_driven.pushing import pair_response
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import bend, clearance, cylinder_at, is_flat, is_tube, normal_at


class _Thresholds(NamedTuple):
    rest_height: float
    hop_height: float
    wake_height: float


@value
class Bounces(_Thresholds):
    """Impacts alone: without gravity nothing presses a ball onto a plane or onto another ball."""

    __slots__ = ()

    def short_path(self) -> float:
        """Paths below so many radii are short: impacts after them are in rapid sequence."""
        return RAPID_PATH

    def collapsing(self, rapid: int) -> int:
        """How many impacts in rapid sequence count against inelastic collapse: all."""
        return rapid

    def let_go(self, state: EngineState, i: int) -> None:
        """Nothing ever held it."""

    def limit_event(self, state: EngineState, i: int) -> None:
        """No event but those of its flight."""

    def touches_only(
        self,
        environment: Environment,
        state: EngineState,
        i: int,
        k: int,
        there: TVector,
        v: TVector,
        now: float,
    ) -> bool:
        """Whether ball i, at `there` as obstacle k sees it, only touches it, and goes along it."""
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

    def bounce(
        self,
        environment: Environment,
        state: EngineState,
        i: int,
        k: int,
        there: TVector,
        n: TVector,
        restitution: float,
    ) -> TVector:
        """The velocity after an impact on obstacle k, for a restitution that is not collapsing's.

        there: the ball as the obstacle sees it.
        """
        v, body = velocity_at_clock(state.ball[i]), state.body[i]
        after = reflect(v, n, restitution) if v.dot(n) < 0.0 else v
        # In a tube, what slides along the wall is turned inwards.
        slides = body.rapid > RAPID_IMPACTS and body.stuck <= STUCK_IMPACTS
        if slides and is_tube(environment.obstacles, k, there):
            after = glide(after, n, cylinder_at(environment.obstacles, k).axis, GLIDE_ANGLE)
        return after

    def after_bounce(
        self,
        environment: Environment,
        state: EngineState,
        i: int,
        k: int,
        n: TVector,
        vn_after: float,
        restitution: float,
        now: float,
    ) -> None:
        """What else follows from an impact on obstacle k: nothing."""

    def meet(
        self,
        environment: Environment,
        state: EngineState,
        a: Any,
        b: Any,
        n: TVector,
        restitution: float,
        now: float,
    ) -> CollisionResult:
        """The response of two balls that meet."""
        body_a, body_b = state.body[a], state.body[b]
        return exchange(
            velocity_at_clock(state.ball[a]),
            velocity_at_clock(state.ball[b]),
            body_a.mass,
            body_b.mass,
            n,
            restitution,
        )

    def after_push(self, environment: Environment, state: EngineState, i: int, now: float) -> None:
        """What else follows for ball i from an impact of another ball: nothing."""


@value
class SustainedContact(_Thresholds):
    """Balls that lie and slide on obstacles, hop on each other, and sleep in piles."""

    __slots__ = ()

    def short_path(self) -> float:
        """Paths below so many radii are short: balls that make only those slide or lie."""
        return RAPID_HOP_PATH

    def collapsing(self, rapid: int) -> int:
        """How many impacts in rapid sequence count against inelastic collapse: none, for bounces
        end in contact."""
        return 0

    def let_go(self, state: EngineState, i: int) -> None:
        """Let ball i fly, whatever held it."""
        state.body[i].held = FREE
        hold = state.hold[i]
        hold.support_a, hold.support_b, hold.support_c, hold.left = -1, -1, -1, -1
        hold.rest_at, hold.step_at = math.inf, math.inf
        hold.lift_a, hold.lift_b, hold.lift_c, hold.lifted_at = 0.0, 0.0, 0.0, 0.0
        hold.shaken, hold.calm = 0, 0
        hold.press_a, hold.press_b, hold.press_c = 0.0, 0.0, 0.0

    def limit_event(self, state: EngineState, i: int) -> None:
        """Make an event of ball i's contact its next event, if that is before the present one."""
        held, event = state.body[i].held, state.event[i]
        if held == HELD:
            hold = state.hold[i]
            if hold.rest_at < event.time:
                event.time, event.kind, event.other = hold.rest_at, REST, 0
            if hold.step_at < event.time:
                event.time, event.kind, event.other = hold.step_at, SLIDE, 0
        elif held == ASLEEP:
            event.time = math.inf

    def touches_only(
        self,
        environment: Environment,
        state: EngineState,
        i: int,
        k: int,
        there: TVector,
        v: TVector,
        now: float,
    ) -> bool:
        """Whether ball i, at `there` as obstacle k sees it, only touches it, and goes along it."""
        ball = state.ball[i]
        off = clearance(environment.obstacles, k, there) - ball.radius
        if abs(off) > self.rest_height * ball.radius:
            return False
        if state.body[i].held == HELD and is_support(state.hold[i], k):
            return True
        # Nothing presses it on.
        n = normal_at(environment.obstacles, k, there)
        if not grazes(environment, state, i, k, there, n, v):
            return False
        bending = bend(environment.obstacles, k, there, v)
        rate = environment.motion.acceleration_of(ball).dot(n) + bending
        if rate < -idle_rate(environment, bending):
            return False
        # From what bends it parts, and is looked at again when it has.
        if not is_flat(environment.obstacles, k):
            parted = now + time_to_part(environment, state, i, rate)
            if parted < state.event[i].time:
                state.event[i].time, state.event[i].kind, state.event[i].other = parted, SLIDE, 0
        return True

    def velocity_at(
        self, environment: Environment, state: EngineState, i: int, x: TVector, now: float
    ) -> TVector:
        """Ball i's velocity at a time at which it is at x: on what bends, along that."""
        ball = state.ball[i]
        v: TVector = environment.motion.velocity_of(ball, now)
        slides = state.body[i].held == HELD and state.hold[i].step_at < math.inf
        if slides and now != ball.clock:
            v = velocity_along(environment, state, i, x, v)
        return v

    def move_epoch(self, state: EngineState, shift: float) -> None:
        """Count times from a later epoch."""
        for i in range(len(state.hold)):
            state.hold[i].rest_at -= shift
            state.hold[i].step_at -= shift
            state.hold[i].lifted_at -= shift

    def act(self, environment: Environment, state: EngineState, i: int, now: float) -> None:
        """An event of the contact itself: the end of bounces, or of a slide step."""
        if int(state.event[i].kind) == REST:
            end_bounces(environment, state, i, now)
        elif state.body[i].held == HELD:
            slide_on(environment, state, i, now)

    def bounce(
        self,
        environment: Environment,
        state: EngineState,
        i: int,
        k: int,
        there: TVector,
        n: TVector,
        restitution: float,
    ) -> TVector:
        """The velocity after an impact on obstacle k.

        there: the ball as the obstacle sees it.
        """
        v, g = velocity_at_clock(state.ball[i]), environment.motion.gravity.mag()
        w = -v.dot(n)
        if w <= 0.0:
            return v
        # Bounces that gravity makes end by themselves; what balls push goes on hopping.
        hop, press = 0.0, pressing(environment, state, i, k, n)
        if press <= idle_rate(environment, press):
            hop = rising_speed(g, state.ball[i].radius, self.rest_height)
        if is_hopping(state, i):
            hop = max(hop, rising_speed(g, state.ball[i].radius, self.hop_height))
        if state.body[i].stuck >= NO_ROOM:
            hop, least = 0.0, LEAST_HOP * math.sqrt(g * state.ball[i].radius)
            restitution = restitution if restitution * w > least else 0.0
        return v + n * (w + vn_after_soft_impact(w, restitution, hop))

    def after_bounce(
        self,
        environment: Environment,
        state: EngineState,
        i: int,
        k: int,
        n: TVector,
        vn_after: float,
        restitution: float,
        now: float,
    ) -> None:
        """Leave the supports from which the impact takes ball i, and lie down if it ends here."""
        if state.body[i].held == HELD:
            settle_on_supports(environment, state, i, now, False)
        # Among hopping balls it hops on, unless it hardly hops any more.
        vn, hold = velocity_at_clock(state.ball[i]).dot(n), state.hold[i]
        g, radius = environment.motion.gravity.mag(), state.ball[i].radius
        lies = not is_hopping(state, i) or vn < LIES_BELOW * rising_speed(
            g, radius, self.hop_height
        )
        hold.shaken = max(0, hold.shaken - 1)
        if lies:
            lie_down(environment, state, i, k, n, max(vn, 0.0), restitution, now)

    def meet(
        self,
        environment: Environment,
        state: EngineState,
        a: Any,
        b: Any,
        n: TVector,
        restitution: float,
        now: float,
    ) -> CollisionResult:
        """The response of two balls that meet."""
        return pair_response(environment, state, a, b, n, restitution, now)

    def after_push(self, environment: Environment, state: EngineState, i: int, now: float) -> None:
        """Let ball i leave the supports from which another ball has pushed it."""
        if state.body[i].held == HELD:
            settle_on_supports(environment, state, i, now, True)
