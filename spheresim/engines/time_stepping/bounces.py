"""Impacts alone: what contact is where nothing ever comes to rest.

`Bounces` and `SustainedContact` (in `contact`) answer the same questions. They are types, so that
the compiler leaves all that lasts out of the kernels of a world without gravity or without loss.
"""

import math
from typing import NamedTuple

from spheresim.collision.collapse import count_as_collapsing_at_once, count_repeated_impacts
from spheresim.collision.response import CollisionResult, exchange, glide, reflect
from spheresim.compiler.decorators import value
from spheresim.contact.rise import rising_speed
from spheresim.contact.thresholds import Thresholds
from spheresim.engines.time_stepping.engine_state import EngineState, StepParameters
from spheresim.model.state import World
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import bend, bends_towards, turning_axis

_STEEPEST_HOP = 0.05
"""Sine of the angle to the wall of a tube at which a ball that slides round it hops at most."""


class ContactRule(NamedTuple):
    """limits: the thresholds; step: the length of a step, in which gravity's kick comes at once."""

    limits: Thresholds
    step: float


@value
class Bounces(ContactRule):
    """Impacts alone."""

    __slots__ = ()

    def is_hard(self, world: World, state: EngineState, i: int, j: int, speed: float) -> bool:
        """Whether an impact of balls i and j, or of ball i = j on an obstacle, with this speed of
        approach is no contact that lasts: always."""
        return True

    def collapsing(self, repeated: int) -> int:
        """How many repeated impacts count against inelastic collapse: all."""
        return repeated

    def step_contacts(
        self,
        world: World,
        state: EngineState,
        parameters: StepParameters,
        length: float,
        kick: TVector,
    ) -> None:
        """After the kick at the start of a step: nothing holds any ball."""

    def resolve_contacts(
        self,
        world: World,
        state: EngineState,
        parameters: StepParameters,
        now: float,
        length: float,
    ) -> None:
        """In the middle of a step: nothing holds any ball."""

    def log_next_slide(self, world: World, state: EngineState) -> bool:
        """Write the next row of a ball that began to slide as the step began: none does."""
        return False

    def needs_resolve(self, state: EngineState) -> bool:
        """Whether so many impacts were soft that held balls are to be pushed apart: never."""
        return False

    def all_sleep(self, state: EngineState) -> bool:
        """Whether nothing moves any more: never."""
        return False

    def sleeps(self, state: EngineState, i: int) -> bool:
        """Whether ball i sleeps: no."""
        return False

    def creep(self, world: World, state: EngineState, i: int, gap: float) -> float:
        """With how much speed ball i may go into what it touches, with this gap: with none."""
        return 0.0

    def fly_alike(self, state: EngineState, i: int, j: int) -> bool:
        """Whether kicks leave the relative motion of balls i and j as it is: yes."""
        return True

    def count_impact(
        self, world: World, state: EngineState, i: int, x: TVector, path: float
    ) -> None:
        """Update ball i's counts of repeated impacts, at x after a path in this step."""
        count_repeated_impacts(state.ball[i], x, world.radius[i], path)

    def end_step(self, state: EngineState, i: int, length: float) -> None:
        """Let ball i, moved to the end of a step, begin the next one."""
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
        """Update ball i's count `repeated` where obstacles move, by how far it can have parted."""
        count_as_collapsing_at_once(state.ball[i], parted, radius)

    def rouse(self, world: World, state: EngineState, i: int) -> None:
        """Nothing sleeps."""

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
