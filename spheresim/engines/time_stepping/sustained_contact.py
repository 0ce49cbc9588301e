"""Sustained contact in fixed steps: response to impacts, islands, sleep.

A bounce that gravity would undo within one step cannot be told from contact, and becomes contact:
from then on each step begins with a solve for velocities with which the ball penetrates nothing
(`contact_step`). `if_absent` says what the methods of `Bounces` return, where nothing lasts.
"""

from typing import NamedTuple

from spheresim.collision.impacts import WAKE
from spheresim.collision.journal import NO_RESPONSE, Event, log_event
from spheresim.collision.repeated_impacts import (
    CHATTER_STOPS,
    COLLAPSE_IMPACTS,
    REPEATED_PATH,
)
from spheresim.collision.response import CollisionResult, exchange, part
from spheresim.compiler.decorators import inlined, routine, value
from spheresim.compiler.null_object import if_absent
from spheresim.contact.ball_state import (
    ASLEEP,
    FREE,
    IN_ISLAND,
    SLIDING,
    contact_inverse_mass,
    moves_in_contact,
)
from spheresim.contact.rise import rising_speed, speed_unit
from spheresim.contact.thresholds import Thresholds
from spheresim.contact.tolerances import (
    BALLS_FOR_ONE_MORE,
    LARGEST_CREEP,
    MOTION_NOISE,
    PARTING_SPEED,
    PATIENCE,
    PENETRATION,
    SOFT_IMPACTS_BETWEEN_SOLVES,
)
from spheresim.engines.time_stepping.contact_step import (
    log_next_slide,
    resolve_contacts,
    step_contacts,
)
from spheresim.engines.time_stepping.contact_work import credit_loss
from spheresim.engines.time_stepping.engine_state import EngineState
from spheresim.engines.time_stepping.islands import call_island, is_crowded
from spheresim.engines.time_stepping.lasting_impacts import (
    lasting_speed_in_heap,
    lasting_speed_of_pair,
    lasting_speed_on_obstacle,
    pressing_acceleration,
)
from spheresim.engines.time_stepping.riding import clearing_speed, seen_by
from spheresim.model.state import World
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import bend


class ContactRule(NamedTuple):
    """limits: the thresholds."""

    limits: Thresholds


@value
class SustainedContact(ContactRule):
    """Balls that slide on obstacles, form islands, and sleep."""

    __slots__ = ()

    @if_absent(True)
    def is_hard(self, world: World, state: EngineState, i: int, j: int, speed: float) -> bool:
        """Whether an impact of balls i and j, or of ball i = j on an obstacle, with this speed of
        approach parts them: neither is asleep after it."""
        if self.sleeps(state, i) or self.sleeps(state, j):
            return False
        radius = min(world.radius[i], world.radius[j])
        return bool(speed > lasting_speed_in_heap(world, state, radius))

    @if_absent(argument="repeated")
    def collapsing(self, repeated: int) -> int:
        """Number of repeated impacts that counts against inelastic collapse: 0, because bounces end
        in contact."""
        return 0

    @if_absent()
    def step_contacts(self, world: World, state: EngineState) -> None:
        """Solve the velocities of all islands at the start of a step."""
        step_contacts(world, state)

    @if_absent()
    def resolve_contacts(self, world: World, state: EngineState) -> None:
        """Solve the islands with soft impacts again, in the middle of a step."""
        resolve_contacts(world, state)

    @if_absent(False)
    def log_next_slide(self, world: World, state: EngineState) -> bool:
        """Log the next ball that began to slide or to fly at the start of the step; False if there
        is none."""
        return log_next_slide(world, state)

    @if_absent(False)
    def needs_resolve(self, state: EngineState) -> bool:
        """Whether there were enough soft impacts to solve their islands again.

        The number grows with each solve, so that a step ends even where forces do not help.
        """
        much = state.count.resolves // (PATIENCE + state.ball.size // BALLS_FOR_ONE_MORE)
        return bool(state.count.soft_since_solve >= SOFT_IMPACTS_BETWEEN_SOLVES * (1 + much))

    @if_absent(0.0)
    def creep(self, world: World, state: EngineState, i: int, gap: float) -> float:
        """Normal speed with which ball i may penetrate at this gap: 0 unless it is crowded."""
        creep = PENETRATION * world.radius[i]
        is_tight = (
            is_crowded(state, i)
            and moves_in_contact(state.ball[i].held)
            and gap > -LARGEST_CREEP * creep
        )
        return creep / state.timestep if is_tight else 0.0

    @if_absent(False)
    def all_sleep(self, state: EngineState) -> bool:
        """Whether all balls are asleep."""
        return bool(state.count.sleepers == state.ball.size)

    @if_absent(False)
    def sleeps(self, state: EngineState, i: int) -> bool:
        """Whether ball i is asleep."""
        return bool(state.ball[i].held == ASLEEP)

    @if_absent(True)
    def fly_alike(self, state: EngineState, i: int, j: int) -> bool:
        """Whether kicks leave the relative motion of balls i and j as it is: if both are free."""
        return bool((state.ball[i].held == FREE) & (state.ball[j].held == FREE))

    @if_absent()
    def count_chatter(self, world: World, state: EngineState, i: int, path: float) -> None:
        """Update ball i's `chatter_count`, at an impact after a path in this step."""
        ball = state.ball[i]
        is_short = ball.path_before + path < REPEATED_PATH * world.radius[i]
        ball.chatter_count = ball.chatter_count + 1 if is_short else 0
        ball.path_before = 0.0

    def end_step(self, state: EngineState, i: int) -> None:
        """Reset ball i's time and counts for the next step."""
        ball = state.ball[i]
        ball.path_before += vector_at(state.velocity, i).mag() * (state.measure.length - ball.clock)
        ball.clock = 0.0
        ball.repeated = 0
        ball.wedged = 0

    def pair_answer(
        self, world: World, state: EngineState, a: int, b: int, n: TVector, restitution: float
    ) -> CollisionResult:
        """The velocities after an impact of balls a and b, with the normal n from b to a."""
        v_a, v_b = vector_at(state.velocity, a), vector_at(state.velocity, b)
        vn, g = (v_a - v_b).dot(n), world.gravity.mag()
        radius = min(world.radius[a], world.radius[b])
        ball_a, ball_b = state.ball[a], state.ball[b]
        # A hard impact wakes a sleeping ball; for a soft one those of heaps are fixed.
        is_hard = -vn > rising_speed(g, radius, self.limits.wake_height)
        if is_hard or ball_a.lies_alone == 1:
            _wake(world, state, a)
        if is_hard or ball_b.lies_alone == 1:
            _wake(world, state, b)
        # After repeated soft impacts they do not part.
        slow = lasting_speed_of_pair(world, state, a, b, n)
        is_jammed = min(ball_a.repeated, ball_b.repeated) > CHATTER_STOPS
        lasts = (is_jammed or restitution < 1.0) and -restitution * vn <= slow
        if not (lasts or self.sleeps(state, a) or self.sleeps(state, b)):
            return exchange(v_a, v_b, world.mass[a], world.mass[b], n, restitution)
        inverse_mass_a = contact_inverse_mass(ball_a.held, world.mass[a])
        inverse_mass_b = contact_inverse_mass(ball_b.held, world.mass[b])
        vn_after = -restitution * vn
        if lasts:
            vn_after = PARTING_SPEED * speed_unit(g, radius)
            if is_crowded(state, a) or is_crowded(state, b):
                vn_after = 0.0
            _note_soft(state)
            _join_island(state, a)
            _join_island(state, b)
        after = part(v_a, v_b, inverse_mass_a, inverse_mass_b, n, vn, vn_after)
        after_a = _stop_if_chattering(world, state, a, after.velocity_i)
        after_b = _stop_if_chattering(world, state, b, after.velocity_j)
        if lasts:
            credit_loss(world, state, a, v_a, after_a)
            credit_loss(world, state, b, v_b, after_b)
        return CollisionResult(after_a, after_b, vn_after, after.impulse)

    def count_repeated(self, state: EngineState, i: int, parted: float, radius: float) -> None:
        """The count `repeated` is the same where obstacles move: bounces end in contact."""

    @if_absent()
    def rouse(self, world: World, state: EngineState, i: int) -> None:
        """Wake ball i, which an obstacle that moves has hit, if it is asleep."""
        _wake(world, state, i)

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
        the obstacle, as the result."""
        seen = seen_by(world, state, i, k)
        pressing = pressing_acceleration(world, k, seen)
        slow = lasting_speed_on_obstacle(world, state, i, pressing)
        vn, kick = v.dot(n), pressing * state.timestep
        if restitution < 1.0 and state.ball[i].held == FREE and (restitution - 1.0) * vn < kick:
            vn += self._fall_since_half_step(world, state, n)
        if restitution == 1.0 or -restitution * vn > slow:
            return v - n * ((1.0 + restitution) * vn)
        _note_soft(state)
        _join_island(state, i)
        along = _stop_if_chattering(world, state, i, v - n * v.dot(n))
        credit_loss(world, state, i, v, along)
        # Along the wall of a tube a chord of one step, for the wall bends towards the ball.
        if world.walls.moves(k):
            return along + n * clearing_speed(world, state, i, k, n)
        bending = bend(world.obstacles, k, vector_at(state.position, i), along)
        return _chord(along, n, -0.5 * bending * state.timestep) if bending < 0.0 else along

    def _fall_since_half_step(self, world: World, state: EngineState, n: TVector) -> float:
        """What gravity has added since the middle of the step to the speed along n of a ball that
        it presses onto an obstacle with this normal; before the middle, what it will add.

        A ball that flies straight through a step has the speed that its parabola has half way. If
        an impact takes less of it than a kick, the kick at the start of a step can give it back,
        and the same bounce would come again for ever.
        """
        since: float = state.measure.now - 0.5 * state.measure.length
        return min(world.gravity.dot(n), 0.0) * since


@inlined
def _note_soft(state: EngineState) -> None:
    """Count a soft impact, since the last solve and in all."""
    state.count.soft_since_solve += 1
    state.work.soft_impacts += 1


@inlined
def _join_island(state: EngineState, i: int) -> None:
    """Add ball i to an island, unless it is asleep, and request a solve."""
    if state.ball[i].held != ASLEEP:
        state.ball[i].held = IN_ISLAND
    call_island(state, i)


@inlined
def _chord(along: TVector, n: TVector, up: float) -> TVector:
    """The velocity of a ball that leaves the wall of a tube with the speed `up`, to meet it again.

    It is as fast as along the wall.
    """
    way = along + n * up
    return way * (along.mag() / way.mag())


@inlined
def _stop_if_chattering(world: World, state: EngineState, i: int, v: TVector) -> TVector:
    """Velocity v of ball i after a soft impact; 0 if it chatters at one place, so slowly that only
    rounding is left, or without end."""
    slowest = MOTION_NOISE * speed_unit(world.gravity.mag(), world.radius[i])
    repeated = state.ball[i].repeated
    is_wedged = repeated > CHATTER_STOPS or (repeated > COLLAPSE_IMPACTS and v.mag() < slowest)
    if not is_wedged or world.walls.any_move():  # what pushes it goes on
        return v
    state.measure.dissipated += 0.5 * world.mass[i] * v.mag_sqr()
    return v * 0.0


@routine
def _wake(world: World, state: EngineState, i: int) -> None:
    """Wake ball i if it is asleep: from the next step on its contacts decide its motion."""
    ball = state.ball[i]
    if ball.held != ASLEEP:
        return
    ball.held = SLIDING if ball.lies_alone == 1 else IN_ISLAND
    ball.slides_on, ball.lies_alone = ball.lies_alone, 0
    state.count.sleepers -= 1
    state.count.proof_due = 1
    up = world.gravity.unit() * -1.0
    point = vector_at(state.position, i) - up * world.radius[i]
    now = state.measure.now
    log_event(state, Event(WAKE, i, -1, state.count.step, now), point, up, NO_RESPONSE)
