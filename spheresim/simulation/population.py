"""More balls, and fewer, between two runs: the simulation goes on with another engine."""

from collections.abc import Sequence

import numpy as np

from spheresim.engines.catalogue import ENGINE_KINDS
from spheresim.model.ball_views import NO_SPINS, BallView
from spheresim.model.balls import Balls
from spheresim.model.force_field import ConstantAccelerations, own_accelerations, with_accelerations
from spheresim.model.labels import refuse_equal_names
from spheresim.model.state import build
from spheresim.numerics.arguments import whole_number
from spheresim.numerics.arrays import Integers
from spheresim.scene.from_python import Given, listed, placed_balls
from spheresim.scene.overlap import overlaps, refuse_filling, warn_of_overlaps
from spheresim.simulation.batched import BatchedSimulation
from spheresim.simulation.state import SimulationState


def balls_of(simulation: SimulationState) -> Balls:
    """The balls as they are now, as columns of their own."""
    world, state = simulation.world, simulation.current()
    turning = state.angular_velocity
    return Balls(
        *(state.position.copy(), state.velocity.copy()),
        *(world.radius, world.mass, world.restitution),
        *(simulation.balls.names, simulation.colors),
        *(None if turning is None else turning.copy(), simulation.balls.materials),
        *(world.inertia_factor, own_accelerations(simulation.field, len(world.radius))),
    )


def add(simulation: BatchedSimulation, given: Sequence[Given] | Given) -> Sequence[BallView]:
    """Put more balls in, after those that are there; their views."""
    there = balls_of(simulation)
    balls = placed_balls(listed(given), simulation.obstacles, simulation.world.box, there)
    if len(balls) == len(there):
        raise ValueError("add needs at least one ball")
    if balls.angular_velocity.any() and not simulation.world.has_spin:
        raise ValueError(NO_SPINS)
    refuse_equal_names(balls.name, "ball")
    _replace(simulation, balls.freely_numbered(), np.arange(len(there)))
    return simulation.balls[len(there) :]


def remove(simulation: BatchedSimulation, indices: Sequence[int] | int) -> None:
    """Take balls out, by their indices."""
    there = balls_of(simulation)
    listed = np.ravel(np.asarray(indices, dtype=object)).tolist()
    gone = {whole_number(index, "a ball's index", low=0) for index in listed}
    if gone and max(gone) >= len(there):
        raise IndexError(f"there are {len(there)} balls, so none has the index {max(gone)}")
    if len(gone) == len(there):
        raise ValueError("a simulation needs at least one ball")
    left = np.setdiff1d(np.arange(len(there)), list(gone))
    number = np.full(len(there), -1)
    number[left] = np.arange(len(left))
    _replace(simulation, there.taken(left), number)


def _replace(simulation: BatchedSimulation, balls: Balls, number: Integers) -> None:
    """Go on with other balls at the same time, with an engine made for them.

    number: (n,) the index among them of each ball that is there now, or −1 if it is taken out.
    """
    for observer in simulation.observers:
        if observer.balls is not None:
            raise ValueError(
                f"impacts are counted for {observer.balls} balls: end that before "
                "their number changes, with stop_observing"
            )
    old = simulation.world
    world, start = build(
        *(balls, simulation.obstacles, old.gravity, old.box, old.rest),
        *(simulation.surfaces, old.has_spin),
    )
    other = None if isinstance(simulation.field, ConstantAccelerations) else simulation.field
    field = with_accelerations(other, balls.acceleration)
    now = start._replace(time=np.array([simulation.time]))
    still = [obstacle for obstacle in simulation.obstacles if obstacle.motion is None]
    refuse_filling(now, world, balls.name, simulation.obstacles)
    warn_of_overlaps(overlaps(world, now, balls.name, still), stacklevel=4)
    slices = simulation.slices if simulation.toi == "sliced" else 0
    engine = ENGINE_KINDS[simulation.engine].make(
        *(world, start, simulation.step, slices, field, simulation.thermostat)
    )
    engine.restore(simulation.time, start.position, start.velocity)
    simulation.change_engine(world, engine, balls, field, number)
    simulation.log_impacts(simulation.keeps_impacts)
