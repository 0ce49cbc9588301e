"""Bounds of all coordinates and speeds, from which the rounding error of a prediction follows.

They hold for one turn of the calendar, in which no event is later than `horizon` after any
ball's clock. A turn starts with the balls' largest coordinate and speed; a ball that an
impact makes faster raises both bounds. They stand in `EngineState.measure`.
"""

from spheresim.compiler.decorators import inlined
from spheresim.engines.event_driven.engine_state import (
    BallRecord,
    Measures,
    position_at_clock,
    velocity_at_clock,
)
from spheresim.numerics.rounding import manhattan_norm

_LARGEST_BOUND = 1e100
"""Larger than any coordinate, and small enough to be multiplied without overflow."""


@inlined
def reset_bounds(measure: Measures, horizon: float) -> None:
    """Start bounds for a turn in which a ball flies at most for this time."""
    measure.horizon = horizon
    measure.initial_coordinate_bound = measure.speed_bound = 0.0


@inlined
def include_in_bounds(measure: Measures, ball: BallRecord) -> None:
    """Let the bounds hold for a ball too, at the start of a turn; its radius counts 14 times."""
    reach = manhattan_norm(position_at_clock(ball)) + 14.0 * ball.radius
    measure.initial_coordinate_bound = max(measure.initial_coordinate_bound, reach)
    measure.speed_bound = max(measure.speed_bound, speed_bound_of(measure, ball))


@inlined
def speed_bound_of(measure: Measures, ball: BallRecord) -> float:
    """A bound of a ball's speed in this turn, if nothing happens to it."""
    return float(manhattan_norm(velocity_at_clock(ball)) + measure.gravity * measure.horizon)


@inlined
def update_coordinate_bound(measure: Measures) -> None:
    """Let the coordinate bound follow the speed bound.

    A ball flies for at most `horizon` from its clock to now, and again to the end of the turn.
    """
    bound = measure.initial_coordinate_bound + 2.0 * measure.speed_bound * measure.horizon
    measure.coordinate_bound = min(bound, _LARGEST_BOUND)
