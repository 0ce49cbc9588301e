"""Sustained contact in the exact engine: sliding, islands, sleep.

`if_absent` marks what a method returns where no contact lasts: there it is a method of `Bounces`.
"""

import math
from typing import Any

import numpy as np

from spheresim.collision.impacts import REST, SLIDE
from spheresim.collision.repeated_impacts import COLLAPSE_PATH, REPEATED_PATH
from spheresim.collision.response import CollisionResult
from spheresim.compiler.decorators import inlined, value
from spheresim.compiler.null_object import if_absent
from spheresim.contact.ball_state import ASLEEP, FREE, IN_ISLAND, SLIDING
from spheresim.contact.rise import rising_speed
from spheresim.contact.thresholds import Thresholds
from spheresim.contact.tolerances import GRAZING, PENETRATION
from spheresim.engines.event_driven.engine_state import (
    BodyRecord,
    EngineState,
    Environment,
    velocity_at_clock,
)
from spheresim.engines.event_driven.impact import ObstacleImpact, PairImpact, Rebound
from spheresim.engines.event_driven.lasting_contact.contact_forces import break_contacts
from spheresim.engines.event_driven.lasting_contact.contact_onset import (
    begin_riding,
    end_bouncing,
    log_end_of_bounces,
)
from spheresim.engines.event_driven.lasting_contact.contact_response import pair_response, wake
from spheresim.engines.event_driven.lasting_contact.contact_work import note_work
from spheresim.engines.event_driven.lasting_contact.flight_log import (
    IMPLIED,
    note_cut,
    note_flight,
    slide_on_as_logged,
)
from spheresim.engines.event_driven.lasting_contact.islands import make_resting_obstacle_contact
from spheresim.engines.event_driven.lasting_contact.sliding import makes_slide_steps, velocity_along
from spheresim.engines.event_driven.lasting_contact.support_geometry import (
    has_no_clearance,
    idle_rate,
    is_support,
    passes_over,
    still_speed,
    time_to_part,
)
from spheresim.engines.event_driven.lasting_contact.supported_motion import (
    settle_after_bounce,
    settle_on_supports,
)
from spheresim.engines.event_driven.moving_ball import MovingBall
from spheresim.numerics.rounding import ROUNDING, manhattan_norm
from spheresim.numerics.vector import ZERO, TVector
from spheresim.obstacles.features.index import around
from spheresim.obstacles.table import bend, clearance, is_flat, normal_at


@inlined
def _limit_to(state: EngineState, i: int, time: float, kind: int) -> None:
    """Make an event of this time and kind ball i's next event, if that is before the present
    one."""
    event = state.event[i]
    if time < event.time:
        event.time, event.kind, event.other = time, kind, 0


@value
class SustainedContact(Thresholds):
    """Balls that slide on obstacles, form islands, and sleep."""

    __slots__ = ()

    @if_absent(COLLAPSE_PATH)
    def short_path(self) -> float:
        """Paths below so many radii are short: balls that make only those slide or lie."""
        return REPEATED_PATH

    @if_absent(argument="repeated")
    def collapsing(self, repeated: int) -> int:
        """Number of repeated impacts that counts against inelastic collapse: 0, because bounces
        end in contact."""
        return 0

    @if_absent(True)
    def is_hard(self, state: EngineState, i: int, j: int, speed: float) -> bool:
        """Whether an impact of balls i and j, or of ball i = j on an obstacle, with this speed of
        approach is no contact that lasts: neither is asleep after it."""
        if state.body[i].held == ASLEEP or state.body[j].held == ASLEEP:
            return False
        radius = min(state.ball[i].radius, state.ball[j].radius)
        pressing_acceleration = state.measure.pressing_acceleration
        return bool(speed > rising_speed(pressing_acceleration, radius, self.soft_height))

    @if_absent()
    def release(self, state: EngineState, i: int) -> None:
        """Make ball i free, without supports."""
        state.body[i].held = FREE
        hold = state.hold[i]
        hold.support[:], hold.reaction[:] = -1, 0.0
        hold.left, hold.rest_at, hold.step_at = -1, math.inf, math.inf

    @if_absent()
    def limit_event(self, state: EngineState, i: int) -> None:
        """Make an event of ball i's contact its next event, if that is before the present one."""
        held = state.body[i].held
        if held == SLIDING:
            _limit_to(state, i, float(state.hold[i].rest_at), REST)
            _limit_to(state, i, float(state.hold[i].step_at), SLIDE)
        elif held == IN_ISLAND:
            _limit_to(state, i, float(state.measure.step_at), SLIDE)
        elif held == ASLEEP:
            state.event[i].time = math.inf

    @if_absent(False)
    def touches_only(
        self, environment: Environment, state: EngineState, seen: MovingBall, k: int
    ) -> bool:
        """Whether a ball, as obstacle k sees it, only touches it, and goes along it.

        A sleeping ball goes nowhere.
        """
        i, now, there, v = seen
        if state.body[i].held == ASLEEP:
            return True
        is_held = state.body[i].held == SLIDING
        if is_held and passes_over(environment, state.hold[i], k, there):
            return True
        ball, features = state.ball[i], environment.obstacles.features
        reach = (1.0 + 2.0 * self.rest_height) * ball.radius
        if features.is_clear(environment.obstacles, k, around(there, reach)):
            return False
        off = clearance(environment.obstacles, k, there) - ball.radius
        if abs(off) > self.rest_height * ball.radius:
            return False
        if is_held and is_support(state.hold[i], k):
            return True
        # It goes along the obstacle, to rounding of speeds or of places.
        n, size = normal_at(environment.obstacles, k, there), ball.radius + manhattan_norm(there)
        vn, bending = v.dot(n), bend(environment.obstacles, k, there, v)
        rate = environment.motion.acceleration_of(ball).dot(n) + bending
        ends_at_once = (vn < 0.0) & (vn * vn <= 2.0 * rate * ROUNDING * size)
        is_still = abs(vn) <= still_speed(environment, state, i, v)
        if off > GRAZING * size or not (is_still | ends_at_once):
            return False
        # Nothing presses it on.
        if rate < -idle_rate(environment, bending):
            return False
        # It may approach by the rounding of its velocity, and hits when it overlaps by PENETRATION;
        # from a curved surface it parts, and is predicted again then.
        left, again = off + PENETRATION * ball.radius, math.inf
        if vn < 0.0:
            if left <= ROUNDING * size:
                return False  # a shorter way would not move it
            again = now + left / -vn
        if not is_flat(environment.obstacles, k):
            again = min(again, now + time_to_part(state, i, rate))
        _limit_to(state, i, again, SLIDE)
        return True

    def velocity_at(
        self, environment: Environment, state: EngineState, i: int, x: TVector, now: float
    ) -> TVector:
        """Ball i's velocity at a time at which it is at x: on a curved support, along it."""
        ball = state.ball[i]
        v: TVector = environment.motion.velocity_of(ball, now)
        if makes_slide_steps(state, i) and now != ball.clock:
            v = velocity_along(environment, state, i, x, v)
        return v

    @if_absent()
    def move_epoch(self, state: EngineState, shift: float) -> None:
        """Count times from a later epoch."""
        for i in range(len(state.hold)):
            state.hold[i].rest_at -= shift
            state.hold[i].step_at -= shift
        state.measure.step_at -= shift
        state.measure.whole_step_at -= shift
        state.measure.stepped_at -= shift

    @if_absent()
    def act(self, environment: Environment, state: EngineState, i: int, now: float) -> None:
        """An event of the contact itself: the end of bounces, or of a slide step."""
        if int(state.event[i].kind) == REST:
            log_end_of_bounces(environment, state, i, now)
        elif state.body[i].held == SLIDING:
            slide_on_as_logged(environment, state, i, now)

    @if_absent(math.inf)
    def step_time(self, state: EngineState) -> float:
        """The time of the next step of islands; inf if there is none."""
        when: float = state.measure.step_at
        return when

    @if_absent(False)
    def step_has_moved(self, state: EngineState) -> bool:
        """Whether islands have made a step, after which nothing has been predicted yet."""
        return bool(state.count.step_moved > 0)

    @if_absent(np.uint32(0))
    def moved_in_step(self, state: EngineState, m: int) -> Any:
        """Ball number m of those whose trajectory the step has changed."""
        return state.islands.active[m]

    @if_absent()
    def note_work(
        self, environment: Environment, state: EngineState, i: int, x: TVector, now: float
    ) -> None:
        """Count the work of what pushes ball i, from its clock to now, when it is at x."""
        note_work(environment, state, i, x, now)

    @if_absent()
    def note_flight(self, environment: Environment, state: EngineState, i: int, now: float) -> None:
        """Log ball i's flight if it begins now and no impact implies it."""
        note_flight(environment, state, i, now)

    @if_absent()
    def note_cut(self, environment: Environment, state: EngineState, i: int) -> None:
        """Log that ball i's slide step, if it makes one, goes on from the epoch."""
        note_cut(environment, state, i)

    @if_absent()
    def forget_flight(self, state: EngineState, i: int) -> None:
        """Ball i starts from a given state, which implies its trajectory."""
        state.hold[i].logged = IMPLIED

    def bounce(
        self,
        environment: Environment,
        state: EngineState,
        i: int,
        impact: ObstacleImpact,
        restitution: float,
    ) -> TVector:
        """The velocity of ball i after an impact."""
        v, n = impact.v, impact.n
        w = -v.dot(n)
        if w <= 0.0:
            return v
        # If only the rounding of its velocity leads it into the surface, it leaves at the speed of
        # this rounding: at speed 0 it would go on to approach, and hit again without end.
        still = still_speed(environment, state, i, v)
        if w <= still:
            return v + n * (w + still)
        # A hard one ends the contact forces on it.
        if self.is_hard(state, i, i, w):
            break_contacts(environment, state, i, state.measure.now)
        if restitution < 1.0 and has_no_clearance(state, i):
            restitution = 0.0
        return v + n * (w + restitution * w)

    @if_absent()
    def after_bounce(
        self, environment: Environment, state: EngineState, i: int, rebound: Rebound, now: float
    ) -> None:
        """Leave the supports from which the impact takes ball i, and end its bounces if they do."""
        k, n, vn, restitution = rebound
        if environment.walls.moves(k):
            begin_riding(environment, state, i, rebound, now)
            return
        if state.body[i].held == IN_ISLAND:
            make_resting_obstacle_contact(environment, state, i, rebound)
            return
        if state.body[i].held == SLIDING:
            settle_after_bounce(environment, state, i, k, n)
            vn = velocity_at_clock(state.ball[i]).dot(n)
        end_bouncing(environment, state, i, Rebound(k, n, max(vn, 0.0), restitution), now)

    @if_absent()
    def rouse(self, environment: Environment, state: EngineState, i: int, now: float) -> None:
        """Wake ball i, which an obstacle that moves has hit, if it is asleep."""
        wake(environment, state, i, now)

    def count_repeated(self, body: BodyRecord, before: int, parted: float, radius: float) -> None:
        """Update the count `repeated` where obstacles move, by how far the two can have parted.

        before: the count before this impact.
        """
        body.repeated = max(before, 0) + 1 if parted < self.short_path() * radius else 0

    def meet(
        self, environment: Environment, state: EngineState, impact: PairImpact, now: float
    ) -> CollisionResult:
        """The response of two balls that meet."""
        return pair_response(environment, state, impact, now)

    @if_absent()
    def after_push(self, environment: Environment, state: EngineState, i: int) -> None:
        """Let ball i leave the supports from which another ball has pushed it."""
        if state.body[i].held == SLIDING:
            settle_on_supports(environment, state, i, ZERO, True)
