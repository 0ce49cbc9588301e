"""Up to which speed after it an impact does not part two things, in fixed steps: contact lasts.

A ball that has hit things again and again without going far, or lies in a heap, does not bounce as
high as `soft_height`. Else it bounces if it rises higher than `rest_height`, and if gravity's kick
does not undo the bounce within one step.
"""

from spheresim.compiler.decorators import inlined
from spheresim.contact.ball_state import FREE, are_in_heap, chatters
from spheresim.contact.rise import rising_speed
from spheresim.engines.time_stepping.engine_state import EngineState
from spheresim.model.state import World
from spheresim.numerics.rounding import ROUNDING, manhattan_norm
from spheresim.numerics.vector import TVector
from spheresim.obstacles.driven_walls.approach import Approach, parting_acceleration


@inlined
def ball_chatters(state: EngineState, i: int) -> bool:
    """Whether ball i `chatters`, be it over several steps."""
    return chatters(state.ball[i].held, state.ball[i].chatter_count)


@inlined
def soft_speed(world: World, state: EngineState, radius: float) -> float:
    """The speed of `soft_height`."""
    speed: float = rising_speed(world.gravity.mag(), radius, state.rule.limits.soft_height)
    return speed


@inlined
def kick_speed(world: World, state: EngineState) -> float:
    """The speed of gravity's kick at the start of a step."""
    speed: float = world.gravity.mag() * state.timestep
    return speed


@inlined
def lasting_speed_in_heap(world: World, state: EngineState, radius: float) -> float:
    """The speed after a bounce up to which two balls that chatter stay in contact."""
    return max(soft_speed(world, state, radius), kick_speed(world, state))


@inlined
def pressing_acceleration(world: World, k: int, seen: Approach) -> float:
    """The acceleration that presses a ball, which moves as it is seen, onto row k; 0 if none
    does."""
    parting = parting_acceleration(world.obstacles, k, seen)
    pressing: float = max(-world.gravity.dot(seen.normal) - parting, 0.0)
    return pressing


@inlined
def lasting_speed_on_obstacle(world: World, state: EngineState, i: int, pressing: float) -> float:
    """The speed after a bounce up to which ball i stays on an obstacle onto which this acceleration
    presses it."""
    radius, step = world.radius[i], state.timestep
    slow = max(rising_speed(pressing, radius, state.rule.limits.rest_height), pressing * step)
    return max(slow, soft_speed(world, state, radius)) if ball_chatters(state, i) else slow


@inlined
def chatter_in_heap(world: World, state: EngineState, a: int, b: int, n: TVector) -> bool:
    """Whether both balls, with the normal n, chatter and are in a heap: gravity presses them
    together unless both fly, or the normal is level."""
    fly = (state.ball[a].held == FREE) & (state.ball[b].held == FREE)
    is_level = abs(world.gravity.dot(n)) <= ROUNDING * manhattan_norm(world.gravity)
    in_heap = are_in_heap(state.ball[a].held, state.ball[b].held, not (fly | is_level))
    return bool(in_heap & ball_chatters(state, a) & ball_chatters(state, b))


@inlined
def lasting_speed_of_pair(world: World, state: EngineState, a: int, b: int, n: TVector) -> float:
    """The speed after a bounce up to which balls a and b stay in contact; n: the normal."""
    radius = min(world.radius[a], world.radius[b])
    if chatter_in_heap(world, state, a, b, n):
        return lasting_speed_in_heap(world, state, radius)
    least: float = rising_speed(world.gravity.mag(), radius, state.rule.limits.rest_height)
    return least
