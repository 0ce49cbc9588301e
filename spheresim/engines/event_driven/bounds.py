"""Bounds of all coordinates and speeds, from which the rounding error of a prediction follows.

They hold for one turn of the calendar, in which no event is later than HORIZON after any
ball's clock. A turn starts with the balls' largest coordinate and speed; a ball that an
impact makes faster raises both bounds. They stand in `EngineState.measure`.
"""

from spheresim.compiler.decorators import inlined
from spheresim.engines.event_driven.engine_state import (
    COORDINATE_BOUND,
    GRAVITY,
    HORIZON,
    INITIAL_COORDINATE_BOUND,
    SPEED_BOUND,
    BallRecord,
    position_at_clock,
    velocity_at_clock,
)
from spheresim.numerics.arrays import Floats
from spheresim.numerics.rounding import manhattan_norm

_LARGEST_BOUND = 1e100
"""Larger than any coordinate, and small enough to be multiplied without overflow."""


@inlined
def reset_bounds(measure: Floats, horizon: float) -> None:
    """Start bounds for a turn in which a ball flies at most for this time."""
    measure[HORIZON] = horizon
    measure[INITIAL_COORDINATE_BOUND] = measure[SPEED_BOUND] = 0.0


@inlined
def include_in_bounds(measure: Floats, ball: BallRecord) -> None:
    """Let the bounds hold for a ball too, at the start of a turn; its radius counts 14 times."""
    reach = manhattan_norm(position_at_clock(ball)) + 14.0 * ball.radius
    measure[INITIAL_COORDINATE_BOUND] = max(measure[INITIAL_COORDINATE_BOUND], reach)
    measure[SPEED_BOUND] = max(measure[SPEED_BOUND], speed_bound_of(measure, ball))


@inlined
def speed_bound_of(measure: Floats, ball: BallRecord) -> float:
    """A bound of a ball's speed in this turn, if nothing happens to it."""
    return float(manhattan_norm(velocity_at_clock(ball)) + measure[GRAVITY] * measure[HORIZON])


@inlined
def update_coordinate_bound(measure: Floats) -> None:
    """Let the coordinate bound follow the speed bound.

    A ball flies for at most HORIZON from its clock to now, and again to the end of the turn.
    """
    bound = measure[INITIAL_COORDINATE_BOUND] + 2.0 * measure[SPEED_BOUND] * measure[HORIZON]
    measure[COORDINATE_BOUND] = min(bound, _LARGEST_BOUND)
