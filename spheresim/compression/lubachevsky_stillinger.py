"""Compression by growth: moving balls grow until they are packed, or jammed.

B. D. Lubachevsky and F. H. Stillinger, Geometric properties of random disk packings, Journal of
Statistical Physics 60, 1990; of spheres, M. Skoge, A. Donev, F. H. Stillinger and S. Torquato,
Packing hyperspheres in high-dimensional Euclidean spaces, Physical Review E 74, 2006. The exact
engine finds each impact of the growing balls. At impacts growth does work, which heats the balls.
So it goes by stages, after each of which velocities are scaled back to the energy of the start.

Growth of all radii by a factor 1 + ε does the work 3·(Z − 1)·N·kT·ε, as does the compression of the
space around the balls, with the reduced pressure Z = P·V/(N·kT). This is how Z is measured. It
diverges as balls come near to the jammed state, of the packing fraction φ_J: Z ≈ 3/(1 − φ/φ_J)
(Z. W. Salsburg and W. W. Wood, Equation of state of classical hard spheres at high density, Journal
of Chemical Physics 37, 1962).
"""

import math
from typing import NamedTuple

import numpy as np

from spheresim.collision.friction_and_restitution import NoMaterials
from spheresim.engines.event_driven.engine import Events
from spheresim.engines.event_driven.growth import Growth
from spheresim.model.periodic_wrap import wrapped
from spheresim.model.state import State, World
from spheresim.numerics.arrays import Floats
from spheresim.numerics.vector import ZERO

_SMALLEST = 0.01
"""The scale at which the first stage of balls that start as points ends."""

_GROWTH = 0.2
"""The relative growth of radii in a stage, over 1/Z: a fifth of the way to the jammed state."""

_HEATING = 0.5
"""A stage ends before, after as many impacts as heat the balls by about this part."""

_FROZEN = 1e4
"""The reduced pressure from which on no ball passes another, and φ_J can be foreseen."""

MOST_PRESSURE = 1e10
"""The largest reduced pressure; from 1e12 on, rounding shows in the gaps between balls."""


class Goal(NamedTuple):
    """What ends a compression, whichever is reached first: the scale of the radii, the reduced
    pressure, the number of impacts."""

    scale: float = math.inf
    pressure: float = math.inf
    impacts: float = math.inf


class Stages(NamedTuple):
    """A compression after each of its stages, shape (stages,).

    scale: of the radii; impacts: so far; pressure: the reduced pressure Z in the stage; work: that
    growth has done in the stage, as a fraction of the kinetic energy at its start.
    """

    scale: Floats
    impacts: Floats
    pressure: Floats
    work: Floats


class Compressed(NamedTuple):
    """The end of a compression: the scale of the radii, positions and velocities (n, 3), whether
    the balls jammed before the goal, and the stages."""

    scale: float
    position: Floats
    velocity: Floats
    is_jammed: bool
    stages: Stages


def compressed(
    world: World, position: Floats, velocity: Floats, scale: float, growth_rate: float, goal: Goal
) -> Compressed:
    """Let balls grow, from radii `scale` times those of the world, until a goal is reached.

    Impacts are elastic, without gravity. The world is closed, and its obstacles are planes and
    cylinders. velocity: (n, 3), not all 0. growth_rate: of the mean diameter at scale 1, as a
    fraction of the thermal speed √⟨kT/m⟩; the slower, the denser is the jammed state.
    """
    n, energy = len(world.radius), kinetic_energy(world, velocity)
    temperature = 2.0 * energy / (3.0 * n)
    thermal_speed = math.sqrt(temperature * math.fsum(1.0 / world.mass) / n)
    rate = growth_rate * thermal_speed / (2.0 * float(world.radius.mean()))
    most_impacts = max(n, int(n * _HEATING / growth_rate))
    rows: list[tuple[float, float, float, float]] = []
    pressure, impacts, is_jammed = 1.0, 0, False
    while scale < goal.scale and pressure < goal.pressure and impacts < goal.impacts:
        if pressure > _FROZEN and scale * (1.0 + 2.0 / pressure) < goal.scale < math.inf:
            is_jammed = True
            break
        # Grow for a stage; the world of its engine has the radii at its end.
        end = _next_scale(scale, pressure, goal.scale)
        start, duration = State(np.zeros(1), position, velocity), (end - scale) / rate
        growth = Growth(scale / end, rate / end)
        engine = Events(_stage(world, end), start, duration, growth=growth)
        engine.log_impacts(False)
        engine.run(duration, min(most_impacts, goal.impacts - impacts))
        state = engine.state.current()
        # Measure.
        before, scale = scale, end if engine.state.now == duration else end * engine.scale
        work = -engine.tally.dissipated / energy
        relative = math.log(scale / before) if before > 0.0 else math.inf
        if relative > 0.0:
            pressure = 1.0 + work / (1.0 + 0.5 * work) / (2.0 * relative)
        impacts += engine.impacts_done
        rows.append((scale, impacts, pressure, work))
        # Cool.
        position = state.position.copy()
        velocity = state.velocity * math.sqrt(energy / kinetic_energy(world, state.velocity))
        if engine.fault is not None or relative <= 0.0:
            is_jammed = True
            break
    stages = Stages(*np.array(rows).reshape(-1, 4).T)
    if world.box is not None:
        position = wrapped(world.box, 0.0, position)
    return Compressed(scale, position, velocity, is_jammed, stages)


def _next_scale(scale: float, pressure: float, goal: float) -> float:
    """The scale at the end of the next stage; stages up to the goal are of about one length."""
    step = max(scale * _GROWTH / pressure, _SMALLEST - scale)
    stages = math.ceil((goal - scale) / step) if goal < math.inf else 2
    if stages == 1:
        return goal
    return scale + (step if goal == math.inf else (goal - scale) / stages)


def thermal_velocities(world: World, rng: np.random.Generator) -> Floats:
    """Velocities (n, 3) by the Maxwell distribution at kT = 1, without momentum."""
    velocity = rng.standard_normal((len(world.mass), 3)) / np.sqrt(world.mass)[:, np.newaxis]
    if len(world.mass) > 1:
        momentum = [math.fsum(along) for along in (world.mass[:, np.newaxis] * velocity).T]
        velocity -= np.array(momentum) / math.fsum(world.mass)
    return velocity


def _stage(world: World, scale: float) -> World:
    """The same world, elastic, smooth, without gravity and shear, with radii at this scale."""
    obstacles = world.obstacles._replace(restitution=np.ones(len(world.obstacles.restitution)))
    return world._replace(
        radius=world.radius * scale,
        restitution=np.ones(len(world.radius)),
        obstacles=obstacles,
        gravity=ZERO,
        materials=NoMaterials(),
        box=None if world.box is None else world.box._replace(shear_rate=0.0),
    )


def kinetic_energy(world: World, velocity: Floats) -> float:
    """The kinetic energy, summed with one rounding, to be the same on all processors."""
    return 0.5 * math.fsum(world.mass * (velocity**2).sum(axis=1))
