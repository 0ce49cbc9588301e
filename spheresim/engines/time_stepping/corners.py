"""The engine's balls as `collision.corner` sees them, which takes elastic balls out of corners."""

from typing import NamedTuple

from spheresim.collision.corner import Bounces, Contact, CornerExit, corner_exit
from spheresim.collision.impacts import BALL, OBSTACLE
from spheresim.collision.journal import BALL_IMPACTS, OBSTACLE_IMPACTS, log_event
from spheresim.compiler.decorators import routine, value
from spheresim.engines.time_stepping.engine_state import STEP, EngineState
from spheresim.engines.time_stepping.trajectory import move_to, position_at
from spheresim.model.state import World
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import normal_at


class _Arrays(NamedTuple):
    world: World
    state: EngineState


@value
class StepBalls(_Arrays):
    """The engine's `CornerBalls`, whose methods are described there."""

    __slots__ = ()

    def hit_before(self, i: int) -> int:
        return int(self.state.ball[i].last)

    def ball_hit(self, hit: int) -> int:
        return -1 - hit

    def is_in_corner(self, i: int, hit: int, before: int) -> bool:
        if before < 0:
            restitution = self.world.restitution[-1 - before]
        else:
            restitution = self.world.obstacles.restitution[before]
        return bool((before != hit) & (restitution >= 1.0))

    def contact_now(self, i: int, hit: int, time: float) -> Contact:
        return _contact(self.world, self.state, i, hit, time)

    def contact_before(self, i: int, hit: int, before: int, time: float) -> Contact:
        return _contact(self.world, self.state, i, before, time)

    def exit_of(self, i: int, a: Contact, b: Contact) -> CornerExit:
        return corner_exit(vector_at(self.state.velocity, i), self.world.mass[i], a, b)

    def move_ball(self, i: int, time: float) -> None:
        move_to(self.world, self.state, i, time)

    def change_velocity(self, i: int, velocity: TVector) -> None:
        set_vector(self.state.velocity, i, velocity)

    def log_bounces(self, i: int, hit: int, time: float, bounces: Bounces) -> None:
        _log_bounces(self.world, self.state, i, hit, time, bounces)


@routine
def _contact(world: World, state: EngineState, i: int, hit: int, time: float) -> Contact:
    x = vector_at(state.position, i)
    if hit >= 0:
        return Contact(normal_at(world.obstacles, hit, x), x * 0.0, 0.0)
    j = -1 - hit
    normal = (x - position_at(state, j, time)).unit()
    return Contact(normal, vector_at(state.velocity, j), 1.0 / world.mass[j])


@routine
def _log_bounces(
    world: World, state: EngineState, i: int, hit: int, time: float, bounces: Bounces
) -> None:
    n, vn, vn_after, impulse = bounces
    step = state.count[STEP]
    if hit >= 0:
        point = vector_at(state.position, i) - n * world.radius[i]
        state.count[OBSTACLE_IMPACTS] += 1
        log_event(state, OBSTACLE, i, hit, step, time, point, n, vn, vn_after, impulse)
        return
    lower, higher = min(i, -1 - hit), max(i, -1 - hit)
    n = n if lower == i else n * -1.0
    point = vector_at(state.position, higher) + n * world.radius[higher]
    state.count[BALL_IMPACTS] += 1
    log_event(state, BALL, lower, higher, step, time, point, n, vn, vn_after, impulse)
