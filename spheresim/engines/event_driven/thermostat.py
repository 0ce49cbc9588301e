"""Meetings of balls with a thermostat's heat bath, at their exact times."""

from typing import Any

import numpy as np

from spheresim.collision.impacts import BALL
from spheresim.collision.journal import WITH_FLIGHTS
from spheresim.compiler.decorators import kernel
from spheresim.engines.event_driven.engine_state import EngineState, Environment, since_epoch
from spheresim.engines.event_driven.event_calendar import enter
from spheresim.engines.event_driven.lasting_contact.flight_log import log_flight
from spheresim.engines.event_driven.trajectory import continue_from, set_velocity
from spheresim.model.thermostat import Thermostat, meet
from spheresim.numerics.arrays import Floats, Integers, Records


@kernel
def meet_heat_bath(
    environment: Environment,
    state: EngineState,
    thermostat: Thermostat,
    bath: Records,
    mass: Floats,
    slot_of: Integers,
) -> None:
    """Let the ball whose meeting is due fly on with a new velocity; `advance` then predicts it.

    All events before must have been handled. bath: see `BATH_FIELDS`; mass: (n,); slot_of: (n,),
    the slot of each ball: the index of its record.
    """
    now = since_epoch(state, bath[0].next)
    meeting = meet(thermostat, bath, mass)
    i: Any = np.uint32(slot_of[meeting.ball])
    # The flight up to now, and the one from now on; in a sheared box both beside that of the flow.
    ball, body, event = state.ball[i], state.body[i], state.event[i]
    x, v = environment.motion.position_of(ball, now), environment.motion.velocity_of(ball, now)
    environment.shear.add_flight(environment, state, i, now)
    continue_from(state, i, x, v, now)
    own = environment.shear.peculiar(x, v)
    set_velocity(state, i, v - own + meeting.velocity)
    body.repeated = body.wedged = -1
    bath[0].heat += 0.5 * body.mass * (meeting.velocity.mag_sqr() - own.mag_sqr())
    state.measure.now = now
    if state.count.recording == WITH_FLIGHTS:
        log_flight(environment, state, i, now, 0)
    # A stale impact, which does nothing but have the ball predicted.
    event.time, event.kind, event.other, event.other_stamp = now, BALL, i, event.stamp - 1
    enter(state.calendar, state.event, state.body, i)
