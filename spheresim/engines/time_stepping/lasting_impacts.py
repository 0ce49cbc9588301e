"""The speed after an impact up to which contact lasts, in fixed steps.

A ball that chatters, after several impacts without going far or in a heap, must rise higher than
`soft_height` to bounce. Any other one bounces if it rises higher than `rest_height`, and if gravity
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
    """Whether ball i chatters, over one or several steps; see `chatters`."""
    return chatters(state.ball[i].held, state.ball[i].chatter_count)


@inlined
def soft_speed(world: World, state: EngineState, radius: float) -> float:
    """The speed of `soft_height`."""
    speed: float = rising_speed(world.gravity.mag(), radius, state.rule.limits.soft_height)
    return speed


@inlined
def kick_speed(world: World, state: EngineState) -> float:
    """The speed that gravity adds at the start of a step."""
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
    """Whether both balls chatter, and gravity along the normal n presses them together, or one of
    them touches other balls. Else even repeated impacts part them, as in a cradle on level
    ground."""
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
