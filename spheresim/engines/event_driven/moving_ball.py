"""A ball at a time: what predictions start from."""

from typing import NamedTuple

from spheresim.compiler.decorators import inlined
from spheresim.engines.event_driven.engine_state import EngineState, Environment
from spheresim.numerics.vector import TVector


class MovingBall(NamedTuple):
    """Position x and velocity v of ball i at a time, which is counted from the epoch."""

    i: int
    time: float
    x: TVector
    v: TVector


@inlined
def moving_ball(environment: Environment, state: EngineState, i: int, now: float) -> MovingBall:
    """Ball i as it is now, if it flies on."""
    ball, motion = state.ball[i], environment.motion
    return MovingBall(i, now, motion.position_of(ball, now), motion.velocity_of(ball, now))
