"""`compress`: a dense packing of the balls of a simulation, which grow until they are packed."""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.compression.enclosure import enclosed_volume
from spheresim.compression.lubachevsky_stillinger import (
    MOST_PRESSURE,
    Goal,
    compressed,
    kinetic_energy,
    thermal_velocities,
)
from spheresim.model.balls import Balls
from spheresim.model.periodic_fit import LEAST_PERIOD
from spheresim.model.periodic_space import smallest_period
from spheresim.model.periodic_wrap import slide
from spheresim.model.shear_flow import flow, peculiar_velocity
from spheresim.model.state import World
from spheresim.numerics.arguments import number, positive, shown, whole_number
from spheresim.numerics.arrays import Floats
from spheresim.scene.overlap import overlapping_obstacles, overlaps
from spheresim.simulation.population import balls_of
from spheresim.simulation.simulation import Simulation


class Course(NamedTuple):
    """A compression after each of its stages, arrays of shape (stages,).

    packing_fraction; impacts: so far; pressure: the reduced pressure in the stage; work: that
    growth has done in the stage, as a fraction of the kinetic energy at its start. After each
    stage velocities are scaled back to the energy of the start.
    """

    packing_fraction: Floats
    impacts: Floats
    pressure: Floats
    work: Floats


class Packing(NamedTuple):
    """The result of `compress`: a packing.

    simulation: of the packed balls, at time 0; packing_fraction: φ, the volume of the balls over
    the volume that encloses them; pressure: the reduced pressure Z = P·V/(N·kT), a mean over the
    last stage, in which balls grow up to a fifth of the way to the jammed state: of the packing
    itself it is up to 15 % higher, as `simulation.gas_figures()` measures after some impacts;
    impacts: the number of impacts during the compression; course: the values after each stage, see
    `Course`.
    """

    simulation: Simulation
    packing_fraction: float
    pressure: float
    impacts: int
    course: Course


def compress(
    simulation: Simulation,
    *,
    packing_fraction: float | None = None,
    pressure: float | None = None,
    impacts: int | None = None,
    growth_rate: float = 0.01,
    from_points: bool = False,
    seed: int = 0,
) -> Packing:
    """Let the balls of a simulation move and grow until they are packed; returns a `Packing`.

    All radii grow by the same factor (B. D. Lubachevsky and F. H. Stillinger, Journal of
    Statistical Physics 60, 1990). The growth ends at the first of these goals that is given and
    reached: a packing fraction, a reduced pressure Z = P·V/(N·kT) up to 1e10, the mean over a stage
    (see `Packing`), or a number of impacts. growth_rate: the rate at which the mean diameter grows,
    divided by the thermal speed √⟨kT/m⟩; above 0, at most 1. Equal balls jam at packing fractions
    of about 0.62 with the rate 0.1, 0.645 with 0.01, and 0.647 with 0.003. from_points: balls grow
    from points, and the radii of the simulation only give the ratios of sizes. seed: of the random
    velocities during the growth.

    The given simulation does not change. The packing's simulation has the same box, obstacles,
    masses, colors and kinetic energy (in a sheared box that beside the flow); balls at rest stay at
    rest. During the growth impacts are
    elastic and there is no gravity. ValueError if there are obstacles other than planes and
    cylinders, if space is not closed: each axis must be periodic or closed by planes or a tube; or
    if the images of a sheared box do not lie as at the start.
    RuntimeError if the balls jam before the packing fraction is reached.

    >>> from spheresim import Fill, Simulation, compress
    >>> loose = Simulation(Fill(count=30, radius=0.5, packing_fraction=0.2))
    >>> packing = compress(loose, packing_fraction=0.5)
    >>> round(packing.packing_fraction, 12), round(float(packing.simulation.world.radius[0]), 3)
    (0.5, 0.679)
    """
    # The goal.
    if not isinstance(simulation, Simulation):
        raise TypeError(f"compress takes a Simulation, not {shown(simulation)}")
    world, balls = simulation.world, balls_of(simulation)
    if world.has_walls:
        name = next(str(o.name) for o in simulation.obstacles if o.is_wall)
        raise ValueError(
            f"balls can be compressed only if no obstacle moves or is warm, but {name} does or is"
        )
    volume = enclosed_volume(simulation.obstacles, world.box, balls.position)
    fraction = 4.0 / 3.0 * math.pi * math.fsum(balls.radius**3) / volume
    goal = _goal(world, fraction, packing_fraction, pressure, impacts)
    rate = number(positive(growth_rate, "growth_rate"), "growth_rate", 0.0, 1.0)
    rng = np.random.default_rng(whole_number(seed, "seed", low=0))
    if not from_points and goal.scale <= 1.0:
        raise ValueError(
            f"packing_fraction must be more than that of the balls as they are, {fraction:.6g}, "
            f"not {packing_fraction!r}; from_points=True starts from points"
        )
    _check_start(simulation, balls, from_points)

    # The growth.
    scale, velocity = 0.0 if from_points else 1.0, thermal_velocities(world, rng)
    end = compressed(world, balls.position, velocity, scale, rate, goal)
    factor = fraction * end.stages.scale**3
    if end.is_jammed:
        raise RuntimeError(
            f"the balls jam at the packing fraction {factor[-1]:.5f}, before "
            f"{packing_fraction!r}: a growth_rate below {growth_rate!r} reaches more"
        )

    # The packed balls, with the kinetic energy that they had, beside the flow of a sheared box.
    own = peculiar_velocity(world.box, balls.position, balls.velocity)
    cold = kinetic_energy(world, own) / kinetic_energy(world, end.velocity)
    packed = balls.replaced(
        position=end.position,
        velocity=end.velocity * math.sqrt(cold) + flow(world.box, end.position),
        radius=balls.radius * end.scale,
    )
    given = simulation.obstacles, world.gravity, simulation.step, simulation.engine, simulation.toi
    words: dict[str, Any] = {"rest": world.rest, "surfaces": simulation.surfaces}
    words |= {"field": simulation.field, "thermostat": simulation.thermostat, "check": False}
    return Packing(
        Simulation(packed, *given, simulation.slices, world.box, **words),
        packing_fraction=float(factor[-1]),
        pressure=float(end.stages.pressure[-1]),
        impacts=int(end.stages.impacts[-1]),
        course=Course(factor, *end.stages[1:]),
    )


def _goal(
    world: World,
    fraction: float,
    packing_fraction: float | None,
    pressure: float | None,
    impacts: int | None,
) -> Goal:
    """What ends a compression of balls that now have the packing fraction `fraction`."""
    goal = Goal()
    if packing_fraction is not None:
        requested = number(positive(packing_fraction, "packing_fraction"), "packing_fraction", 0, 1)
        goal = goal._replace(scale=(requested / fraction) ** (1.0 / 3.0))
        least, period = LEAST_PERIOD * goal.scale * world.radius.max(), smallest_period(world.box)
        if not period > least:
            raise ValueError(
                f"at the packing fraction {requested!r} a periodic axis of the box must be longer "
                f"than {least:.6g}, {LEAST_PERIOD} times the largest radius, not {period:.6g}: "
                "more balls in a larger box are needed"
            )
    if pressure is not None:
        goal = goal._replace(pressure=number(pressure, "pressure", 1.0, MOST_PRESSURE))
    if impacts is not None:
        goal = goal._replace(impacts=whole_number(impacts, "impacts", low=1))
    if goal == Goal():
        raise TypeError("compress needs packing_fraction, pressure, or impacts, a number of them")
    return goal


def _check_start(simulation: Simulation, balls: Balls, from_points: bool) -> None:
    """ValueError where balls cannot start to grow as they lie."""
    world, state, names = simulation.world, simulation.current(), balls.name
    if world.box is not None and slide(world.box, simulation.time) != 0.0:
        raise ValueError(
            "a sheared box can be compressed only while its periodic images lie as at the start, "
            f"not at the time {simulation.time:.6g}"
        )
    behind = overlapping_obstacles(
        balls.position, balls.radius, simulation.obstacles, world.box
    ).behind
    for k, (first, _) in behind.items():
        raise ValueError(
            f"{names[first]} is behind {simulation.obstacle_names[k]}, outside of the closed space"
        )
    if from_points:
        if len(np.unique(balls.position, axis=0)) < len(balls):
            raise ValueError("two balls have the same centre: as points they would coincide")
    elif found := overlaps(world, state, names, simulation.obstacles):
        raise ValueError(f"{found[0]}; from_points=True lets balls grow from points")
