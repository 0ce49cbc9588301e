"""Contact that lasts, in fixed steps: balls that lie, slide, move in piles, and sleep.

It answers the same questions as `Bounces`, see there. A bounce that gravity's kick would undo
within one step cannot be told from contact, and is none: the ball is *held* from then on, and each
step begins by pushing held balls so that they enter nothing (`contact_step`).
"""

import math

from spheresim.collision.collapse import RAPID_IMPACTS, count_rapid_impacts
from spheresim.collision.impacts import WAKE
from spheresim.collision.journal import NOW, SOFT_IMPACTS, log_event
from spheresim.collision.response import CollisionResult, exchange, part
from spheresim.compiler.decorators import inlined, routine, value
from spheresim.contact.thresholds import PARTING, RAPID_BOUNCES, RAPID_PATH, rising_speed
from spheresim.engines.time_stepping.bounces import ContactRule
from spheresim.engines.time_stepping.contact_search import CREEP, call, is_crammed
from spheresim.engines.time_stepping.contact_step import hold_again, hold_balls, tell_next_slide
from spheresim.engines.time_stepping.engine_state import (
    ASLEEP,
    FREE,
    HELD,
    PROOF_DUE,
    PUSHED,
    SLEEPERS,
    SOFT,
    STEP,
    EngineState,
    StepParameters,
)
from spheresim.model.state import World
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import bend

_MOST_NOISE = 6.0
"""In units of a kick: bounces below this noise of the integrator are contact, if it is not more."""

_MOST_CREEP = 3.0
"""In units of `CREEP`: what overlaps more does not creep any further."""

_STUCK = 1e-11
"""Slower than this, in units of √(g·r), a ball between things that it hits stands still."""

_HOPELESS = 128
"""After so many impacts in a step, from each to the next hardly any way, a soft one stops a ball
until the next step; slow balls then stay together even if they lose nothing."""

_FEW = 4
"""After so many soft impacts in a step they are done together, as at its start."""


@value
class SustainedContact(ContactRule):
    """Balls that lie and slide on obstacles, move in piles, and sleep there."""

    __slots__ = ()

    def collapsing(self, rapid: int) -> int:
        """How many impacts in rapid sequence count against inelastic collapse: none, for bounces
        end in contact."""
        return 0

    def push_held(
        self,
        world: World,
        state: EngineState,
        parameters: StepParameters,
        length: float,
        kick: TVector,
    ) -> None:
        """Give held balls the velocities that their contacts leave for a step."""
        hold_balls(world, state, parameters, length, kick)

    def push_again(
        self,
        world: World,
        state: EngineState,
        parameters: StepParameters,
        now: float,
        length: float,
    ) -> None:
        """Push held balls apart in the middle of a step, where soft impacts have hit them."""
        hold_again(world, state, parameters, now, length)

    def tell_next_slide(self, world: World, state: EngineState) -> bool:
        """Write the next row of a ball that began to slide or to fly as the step began; False if
        there is none."""
        return tell_next_slide(world, state)

    def calls_for_push(self, state: EngineState) -> bool:
        """Whether so many impacts were soft that held balls are to be pushed apart.

        More and more, so that a step ends even where pushes do not help.
        """
        much = state.count[PUSHED] // (8 + state.ball.size // 8)
        return bool(state.count[SOFT] >= _FEW * (1 + much))

    def creep(self, world: World, state: EngineState, i: int, gap: float) -> float:
        """With how much speed held ball i may go into what it touches, with this gap: with none,
        unless the search for pushes has found no room in this step."""
        creep = CREEP * world.radius[i]
        is_tight = (
            is_crammed(state, i) and state.ball[i].held == HELD and gap > -_MOST_CREEP * creep
        )
        return creep / self.step if is_tight else 0.0

    def all_sleep(self, state: EngineState) -> bool:
        """Whether nothing moves any more: all sleep."""
        return bool(state.count[SLEEPERS] == state.ball.size)

    def sleeps(self, state: EngineState, i: int) -> bool:
        """Whether ball i sleeps."""
        return bool(state.ball[i].held == ASLEEP)

    def fly_alike(self, state: EngineState, i: int, j: int) -> bool:
        """Whether kicks leave the relative motion of balls i and j as it is: if both are free."""
        return bool((state.ball[i].held == FREE) & (state.ball[j].held == FREE))

    def count_impact(
        self, world: World, state: EngineState, i: int, x: TVector, path: float
    ) -> None:
        """Update ball i's counts of impacts in rapid sequence, at x after a path in this step."""
        ball, radius = state.ball[i], world.radius[i]
        count_rapid_impacts(ball, x, radius, path)
        ball.again = ball.again + 1 if ball.way + path < RAPID_PATH * radius else 0
        ball.way = 0.0

    def end_step(self, state: EngineState, i: int, length: float) -> None:
        """Let ball i, moved to the end of a step, begin the next one."""
        ball = state.ball[i]
        ball.way += vector_at(state.velocity, i).mag() * (length - ball.clock)
        ball.clock = 0.0
        ball.rapid = 0
        ball.stuck = 0

    def pair_answer(
        self, world: World, state: EngineState, a: int, b: int, n: TVector, restitution: float
    ) -> CollisionResult:
        """The velocities after an impact of balls a and b, with the normal n from b to a."""
        v_a, v_b = vector_at(state.velocity, a), vector_at(state.velocity, b)
        vn, g = (v_a - v_b).dot(n), world.gravity.mag()
        radius = min(world.radius[a], world.radius[b])
        # A hard impact wakes who is asleep; a soft one sees who sleeps as fixed.
        if -vn > rising_speed(g, radius, self.limits.wake_height):
            _wake(world, state, a)
            _wake(world, state, b)
        # From a soft one again and again they do not part.
        ball_a, ball_b = state.ball[a], state.ball[b]
        is_again = _meets_again(state, a) and _meets_again(state, b)
        soft = max(rising_speed(g, radius, self.limits.soft_height), g * self.step)
        slow = soft if is_again else rising_speed(g, radius, self.limits.rest_height)
        is_jammed = min(ball_a.rapid, ball_b.rapid) > _HOPELESS
        lasts = (is_jammed or restitution < 1.0) and -restitution * vn <= slow
        if not (lasts or self.sleeps(state, a) or self.sleeps(state, b)):
            return exchange(v_a, v_b, world.mass[a], world.mass[b], n, restitution)
        give_a = 0.0 if ball_a.held == ASLEEP else 1.0 / world.mass[a]
        give_b = 0.0 if ball_b.held == ASLEEP else 1.0 / world.mass[b]
        vn_after = -restitution * vn
        if lasts:
            vn_after = PARTING * math.sqrt(g * radius)
            if is_crammed(state, a) or is_crammed(state, b):
                vn_after = 0.0
            _note_soft(state)
            _hold(state, a)
            _hold(state, b)
        after = part(v_a, v_b, give_a, give_b, n, vn, vn_after)
        after_a = _unless_stuck(world, state, a, after.velocity_i)
        after_b = _unless_stuck(world, state, b, after.velocity_j)
        return CollisionResult(after_a, after_b, vn_after, after.impulse)

    def obstacle_answer(
        self, world: World, state: EngineState, i: int, k: int, n: TVector, restitution: float
    ) -> TVector:
        """Ball i's velocity after an impact on obstacle k with the normal n."""
        v, radius, press = vector_at(state.velocity, i), world.radius[i], -world.gravity.dot(n)
        vn, press = v.dot(n), max(press, 0.0)
        kicks = min(_noise(restitution), _MOST_NOISE) * press * self.step
        slow = max(rising_speed(press, radius, self.limits.rest_height), kicks)
        if _meets_again(state, i):
            g = world.gravity.mag()
            slow = max(slow, rising_speed(g, radius, self.limits.soft_height))
        vn -= self._kick_too_early(state, i, vn, press, restitution)
        if restitution == 1.0 or -restitution * vn > slow:
            return v - n * ((1.0 + restitution) * vn)
        _note_soft(state)
        _hold(state, i)
        along = _unless_stuck(world, state, i, v - n * v.dot(n))
        # Along the wall of a tube a chord of one step, for the wall bends towards the ball.
        bending = bend(world.obstacles, k, vector_at(state.position, i), along)
        return _chord(along, n, -0.5 * bending * self.step) if bending < 0.0 else along

    def _kick_too_early(
        self, state: EngineState, i: int, vn: float, press: float, restitution: float
    ) -> float:
        """The part of the speed of an impact that gravity's kick, which comes at the start of a
        step, has given too early (below 0: too late) for the flight of which the step is a chord.

        It is 0 but for slow bounces that lose little, which it would keep alive for ever.
        """
        noise = _noise(restitution)
        is_slow = -restitution * vn <= noise * press * self.step
        if noise <= _MOST_NOISE or restitution == 1.0 or state.ball[i].held != FREE or not is_slow:
            return 0.0
        early: float = press * (state.measure[NOW] - 0.5 * self.step)
        return early


@inlined
def _note_soft(state: EngineState) -> None:
    """Count a soft impact, since the last push and in all."""
    state.count[SOFT] += 1
    state.count[SOFT_IMPACTS] += 1


@inlined
def _hold(state: EngineState, i: int) -> None:
    """Let contacts hold ball i from now on, unless it sleeps, and let it be pushed next."""
    state.ball[i].held = max(state.ball[i].held, HELD)
    call(state, i)


@inlined
def _chord(along: TVector, n: TVector, up: float) -> TVector:
    """The velocity of a ball that leaves the wall of a tube with the speed `up`, to meet it again.

    It is as fast as along the wall.
    """
    way = along + n * up
    return way * (along.mag() / way.mag())


@inlined
def _noise(restitution: float) -> float:
    """How many kicks the speeds of bounces are wrong by: kicks come at the start of a step,
    whenever the impact is.

    Errors of a kick at random add up to 1/√(1 − e²) kicks; half a kick won at each impact, as
    where the same bounce comes again and again after so many steps, to ½/(1 − e).
    """
    e = min(restitution, 1.0 - 1e-9)
    return max(1.0 / math.sqrt(1.0 - e * e), 0.5 / (1.0 - e))


@inlined
def _unless_stuck(world: World, state: EngineState, i: int, v: TVector) -> TVector:
    """Ball i's velocity v after a soft impact; none if it hits again and again where it is, ever
    slower, until nothing but rounding is left, or without end."""
    slowest = _STUCK * math.sqrt(world.gravity.mag() * world.radius[i])
    rapid = state.ball[i].rapid
    is_stuck = rapid > _HOPELESS or (rapid > RAPID_IMPACTS and v.mag() < slowest)
    return v * 0.0 if is_stuck else v


@inlined
def _meets_again(state: EngineState, i: int) -> bool:
    """Whether ball i has hit something again and again without going far, or is held."""
    return bool((state.ball[i].held != FREE) | (state.ball[i].again >= RAPID_BOUNCES))


@routine
def _wake(world: World, state: EngineState, i: int) -> None:
    """Wake ball i, if it sleeps: from the next step on it falls, unless something holds it."""
    if state.ball[i].held != ASLEEP:
        return
    state.ball[i].held = HELD
    state.count[SLEEPERS] -= 1
    state.count[PROOF_DUE] = 1
    up = world.gravity.unit() * -1.0
    point = vector_at(state.position, i) - up * world.radius[i]
    now = state.measure[NOW]
    log_event(state, WAKE, i, -1, state.count[STEP], now, point, up, 0.0, 0.0, 0.0)
