"""Meetings of balls with a thermostat's heat bath, at the start of the steps in which they fall."""

from spheresim.compiler.decorators import kernel
from spheresim.engines.time_stepping.engine_state import EngineState
from spheresim.engines.time_stepping.predict import predict_anew
from spheresim.model.thermostat import Thermostat, meet
from spheresim.numerics.arrays import Floats, Records
from spheresim.numerics.rows import set_vector, vector_at


@kernel
def meet_heat_bath(
    state: EngineState, thermostat: Thermostat, bath: Records, mass: Floats, until: float
) -> None:
    """Give each ball with a meeting before a time its new velocity; before a step begins.

    bath: see `BATH_FIELDS`; mass: (n,).
    """
    while bath[0].next < until:
        meeting = meet(thermostat, bath, mass)
        i = meeting.ball
        change = meeting.velocity.mag_sqr() - vector_at(state.velocity, i).mag_sqr()
        bath[0].heat += 0.5 * mass[i] * change
        set_vector(state.velocity, i, meeting.velocity)
        predict_anew(state, i)
