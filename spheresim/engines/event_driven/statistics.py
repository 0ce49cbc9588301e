"""Running statistics: snapshots of the engine's sums, one a block of impacts.

Blocks hold equal numbers of impacts, enough to be all but independent of each other, and give
the standard errors of averages (H. Flyvbjerg and H. G. Petersen, Error estimates on averages
of correlated data, Journal of Chemical Physics 91, 1989). When the table is full every second
snapshot is dropped, and blocks are twice as long from then on.
"""

import math

from spheresim.collision.snapshots import (
    BALLS_SO_FAR,
    KINETIC,
    OBSTACLES_SO_FAR,
    SPEEDS,
    STRESS_SO_FAR,
    TIME,
    VIRIAL_SO_FAR,
)
from spheresim.compiler.decorators import inlined, routine
from spheresim.engines.event_driven.engine_state import (
    EngineState,
    Environment,
    absolute,
    drift,
    velocity_as_whole,
)

BLOCKS_KEPT = 256
"""Snapshots in the table."""


@inlined
def block_is_full(state: EngineState) -> bool:
    """Whether it is time for a snapshot."""
    last = state.block[state.count.blocks - 1, BALLS_SO_FAR]
    full: bool = state.count.ball_impacts >= last + state.count.block_impacts
    return full


@routine
def take_snapshot(environment: Environment, state: EngineState, now: float) -> None:
    """Write a row with all sums as they are."""
    # Drop every second snapshot of a full table.
    if state.count.blocks == BLOCKS_KEPT:
        for k in range(BLOCKS_KEPT // 2):
            for column in range(state.block.shape[1]):
                state.block[k, column] = state.block[2 * k, column]
        state.count.blocks = BLOCKS_KEPT // 2
        state.count.block_impacts *= 2
        if not block_is_full(state):
            return
    # The sums that impacts keep.
    row = state.block[state.count.blocks]
    state.count.blocks += 1
    row[TIME] = absolute(state, now)
    row[BALLS_SO_FAR] = state.count.ball_impacts
    row[OBSTACLES_SO_FAR] = state.count.obstacle_impacts
    row[VIRIAL_SO_FAR] = state.measure.virial
    # Sums over all balls, as they are now.
    kinetic, speeds = 0.0, 0.0
    frame = drift(state) - velocity_as_whole(state)
    for i in range(len(state.ball)):
        x = environment.motion.position_of(state.ball[i], now)
        v = environment.motion.velocity_of(state.ball[i], now) + frame
        v_sqr = environment.shear.peculiar(x, v).mag_sqr()
        kinetic += 0.5 * state.body[i].mass * v_sqr
        speeds += math.sqrt(v_sqr)
    row[KINETIC], row[SPEEDS] = kinetic, speeds
    environment.shear.write_stress(state, row, STRESS_SO_FAR, now)
