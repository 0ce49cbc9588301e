"""What is alike at every impact: the ball is moved there, and what happens is written down."""

from spheresim.compiler.decorators import inlined
from spheresim.engines.time_stepping.engine_state import (
    RECORDED,
    STEP,
    EngineState,
    position_at,
    size,
)
from spheresim.engines.time_stepping.predict import ROUNDING
from spheresim.model.state import World
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector

RAPID_PATH = 1e-4
"""Of the radius: a shorter way between two impacts makes them rapid."""


@inlined
def move_to(world: World, state: EngineState, i: int, time: float) -> None:
    """Move ball i to its impact, and keep count of impacts without any way between them."""
    x = position_at(state, i, time)
    path = vector_at(state.velocity, i).mag() * (time - state.ball[i].clock)
    radius = world.radius[i]
    state.ball[i].rapid = state.ball[i].rapid + 1 if path < RAPID_PATH * radius else 0
    state.ball[i].stuck = state.ball[i].stuck + 1 if path <= ROUNDING * (size(x) + radius) else 0
    set_vector(state.position, i, x)
    state.ball[i].clock = time
    state.ball[i].stamp += 1


@inlined
def log_event(
    state: EngineState,
    kind: int,
    i: int,
    other: int,
    time: float,
    point: TVector,
    normal: TVector,
    vn: float,
    vn_after: float,
    impulse: float,
) -> None:
    """Add a row to the book of impacts."""
    row = state.count[RECORDED]
    state.count[RECORDED] += 1
    names, numbers = state.names, state.numbers
    names[row, 0], names[row, 1], names[row, 2], names[row, 3] = state.count[STEP], kind, i, other
    numbers[row, 0] = time
    numbers[row, 1], numbers[row, 2], numbers[row, 3] = point.x, point.y, point.z
    numbers[row, 4], numbers[row, 5], numbers[row, 6] = normal.x, normal.y, normal.z
    numbers[row, 7], numbers[row, 8], numbers[row, 9] = vn, vn_after, impulse
