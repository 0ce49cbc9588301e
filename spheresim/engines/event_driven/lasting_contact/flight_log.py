"""Trajectories not implied by impacts: logged as they begin, and replayed.

A ball that slides on a curved surface makes thousands of slide steps a second. They are not logged,
but computed again, to the last bit, from the trajectory with which the sliding began.
"""

import math
from typing import Any

import numpy as np

from spheresim.collision.impacts import FLIGHT
from spheresim.collision.journal import WITH_FLIGHTS, Event, NormalResponse, log_event
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.contact.ball_state import FREE, SLIDING
from spheresim.engines.event_driven.engine_state import (
    EngineState,
    Environment,
    HoldRecord,
    absolute,
    position_at_clock,
    unwrapped,
    velocity_at_clock,
)
from spheresim.engines.event_driven.lasting_contact.sliding import makes_slide_steps, slide_step
from spheresim.engines.event_driven.lasting_contact.supported_motion import slide_on
from spheresim.engines.event_driven.trajectory import continue_from, wrap_position
from spheresim.numerics.arrays import Floats
from spheresim.numerics.rows import set_vector, vector_at

IMPLIED, _LOGGED, _CONTINUING, _CUT = range(4)
"""Logging state of a trajectory: implied by impacts, logged, continuing, cut at the epoch."""

_BITS = 21
"""Bits per support: there are fewer than two million obstacles and features."""


@routine
def note_flight(environment: Environment, state: EngineState, i: int, now: float) -> None:
    """Log ball i's trajectory if it begins now and the ball is or was in contact."""
    if state.count.recording != WITH_FLIGHTS:
        return
    ball, body, hold = state.ball[i], state.body[i], state.hold[i]
    is_free = body.held == FREE
    if ball.clock != now or (is_free and hold.logged == IMPLIED):
        return
    if hold.logged == _CONTINUING:
        hold.logged = _LOGGED
        return
    hold.logged = IMPLIED if is_free else _LOGGED
    supports = packed_supports(hold) if makes_slide_steps(state, i) else 0
    log_flight(environment, state, i, now, supports)


@inlined
def log_flight(
    environment: Environment, state: EngineState, i: int, now: float, supports: int
) -> None:
    """Log ball i's trajectory from its clock's time, which is now; see `Flights`."""
    ball, body = state.ball[i], state.body[i]
    x = unwrapped(environment, state, i, position_at_clock(ball), now)
    v, a = velocity_at_clock(ball), environment.motion.acceleration_of(ball)
    name, held, time = int(body.name), int(body.held != FREE), absolute(state, now)
    # The acceleration is in the columns of the response.
    log_event(state, Event(FLIGHT, name, held, supports, time), x, v, NormalResponse(a.x, a.y, a.z))


@routine
def note_cut(environment: Environment, state: EngineState, i: int) -> None:
    """Log the rest of ball i's slide step, which was cut at the epoch."""
    is_logged = state.count.recording == WITH_FLIGHTS and state.hold[i].logged != IMPLIED
    if is_logged and makes_slide_steps(state, i):
        state.hold[i].logged = _CUT
        log_flight(environment, state, i, 0.0, 0)


@routine
def slide_on_as_logged(environment: Environment, state: EngineState, i: int, now: float) -> None:
    """End a slide step of ball i; nothing is logged if it only slides on."""
    hold = state.hold[i]
    before = packed_supports(hold)
    slide_on(environment, state, i, now)
    if hold.logged == _LOGGED and makes_slide_steps(state, i) and packed_supports(hold) == before:
        hold.logged = _CONTINUING


@inlined
def packed_supports(hold: HoldRecord) -> int:
    """A ball's supports as one number: 0 if there are none."""
    first, second, third = hold.support[0] + 1, hold.support[1] + 1, hold.support[2] + 1
    return int(first) | int(second) << _BITS | int(third) << (2 * _BITS)


@kernel
def begin_slide(
    environment: Environment, state: EngineState, i: Any, flight: Floats, supports: int
) -> None:
    """Let ball i slide from a logged trajectory.

    flight: (10,), time, position, velocity, acceleration; times are counted from its start.
    """
    rows = flight[1:].reshape(3, 3)
    x, v, acceleration = vector_at(rows, 0), vector_at(rows, 1), vector_at(rows, 2)
    set_vector(state.image, i, x * 0.0)
    state.body[i].held = SLIDING
    for m in range(3):
        state.hold[i].support[m] = (supports >> (_BITS * m) & (1 << _BITS) - 1) - 1
    continue_from(state, i, x, v, 0.0)
    environment.motion.set_acceleration(state.ball[i], acceleration)
    wrap_position(environment, state, i)
    state.hold[i].step_at = slide_step(environment, state, i)


@kernel
def follow_slide(
    environment: Environment, state: EngineState, i: Any, time: float, place: Floats
) -> None:
    """Let ball i slide on to a time; writes its position and velocity then, (2, 3)."""
    while state.body[i].held == SLIDING and state.hold[i].step_at <= time:
        slide_on(environment, state, i, state.hold[i].step_at)
    x = environment.motion.position_of(state.ball[i], time)
    v = environment.contact.velocity_at(environment, state, i, x, time)
    set_vector(place, 0, unwrapped(environment, state, i, x, time))
    set_vector(place, 1, v)


class Slides:
    """Replay of sliding balls, each from a logged trajectory.

    environment, engine_state: of an engine of the same world, which does nothing else.
    """

    def __init__(self, environment: Environment, engine_state: EngineState) -> None:
        engine_state.count.recording = 0
        self._environment, self._engine_state = environment, engine_state
        self._slot_of = np.argsort(engine_state.body.name)
        self._reached: dict[int, tuple[float, float]] = {}
        self._marks: dict[int, tuple[tuple[float, float], list[Any]]] = {}

    def at(self, ball: int, flight: Floats, supports: int, time: float) -> Floats:
        """Position and velocity, (2, 3), of a ball at a time in a flight.

        supports: what it slides along. The replay goes on from where the ball was computed last, or
        from its mark, if that was in the same flight, and earlier.
        """
        i, began = np.uint32(self._slot_of[ball]), float(flight[0])
        first, last = self._reached.get(ball, (math.inf, math.inf))
        if first != began or last > time:
            self._undo(ball, i, flight, supports, time)
        self._reached[ball] = began, time
        place = np.zeros((2, 3))
        follow_slide(self._environment, self._engine_state, i, time - began, place)
        return place

    def mark(self, ball: int) -> None:
        """Keep the state of a ball where it was computed last."""
        kept = [column[self._slot_of[ball]].copy() for column in self._columns]
        self._marks[ball] = self._reached[ball], kept

    def _undo(self, ball: int, i: Any, flight: Floats, supports: int, time: float) -> None:
        """Go back to the mark, or to the beginning of a flight."""
        (first, last), kept = self._marks.get(ball, ((math.inf, math.inf), []))
        if first != flight[0] or last > time:
            begin_slide(self._environment, self._engine_state, i, flight, supports)
            return
        for column, one in zip(self._columns, kept, strict=True):
            column[i] = one

    @property
    def _columns(self) -> tuple[np.ndarray, ...]:
        """The arrays that hold the state of a sliding ball."""
        state = self._engine_state
        return state.ball, state.hold, state.body, state.image
