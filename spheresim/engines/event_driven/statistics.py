"""Running statistics: snapshots of the engine's sums, one a block of impacts.

Blocks hold equal numbers of impacts, enough to be all but independent of each other, and give
the standard errors of averages (H. Flyvbjerg and H. G. Petersen, Error estimates on averages
of correlated data, Journal of Chemical Physics 91, 1989). When the table is full every second
snapshot is dropped, and blocks are twice as long from then on.
"""

import math

import numpy as np

from spheresim.collision.gas_sums import (
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
from spheresim.engines.event_driven.lees_edwards import stress_so_far
from spheresim.model.shear_flow import peculiar_velocity
from spheresim.model.state import State, World
from spheresim.numerics.arrays import Floats

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


def snapshots(
    world: World, environment: Environment, engine_state: EngineState, state: State
) -> Floats:
    """The rows of the table so far, and behind them one of now."""
    kept = engine_state.block[: engine_state.count.blocks]
    velocity = peculiar_velocity(world.box, state.position, state.velocity)
    measure = engine_state.measure
    velocity = velocity - (measure.whole_x, measure.whole_y, measure.whole_z)
    speed = np.sqrt((velocity**2).sum(axis=1))
    now = np.zeros((1, kept.shape[1]))
    now[0, TIME] = time = state.time[0]
    now[0, BALLS_SO_FAR] = engine_state.count.ball_impacts
    now[0, OBSTACLES_SO_FAR] = engine_state.count.obstacle_impacts
    now[0, VIRIAL_SO_FAR] = engine_state.measure.virial
    now[0, KINETIC] = 0.5 * float(world.mass @ speed**2)
    now[0, SPEEDS] = float(speed.sum())
    now[0, STRESS_SO_FAR:] = stress_so_far(world, environment, engine_state, time)
    return np.concatenate([kept, now])
