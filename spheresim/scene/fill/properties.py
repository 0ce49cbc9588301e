"""What a fill's balls are, wherever they lie: seed, radii, masses, velocities."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from spheresim.numerics.arrays import Floats
from spheresim.scene.schema.balls import FillTable


def seed_of(fill: FillTable, index: int) -> int:
    """The seed that a fill names; else its index among the fills of the scene."""
    return index if fill.seed is None else fill.seed


def volume_of(radius: float | Floats) -> Any:
    """The volume of balls of a radius, or of radii (n,)."""
    return (4.0 / 3.0 * math.pi) * (radius * radius * radius)


def radii_of(fill: FillTable, seed: int) -> Floats:
    """The radii (count,) of a fill's balls, which are the first that its seed decides."""
    return draw_radii(fill, np.random.default_rng(seed))


def draw_radii(fill: FillTable, rng: Generator) -> Floats:
    """Radii (count,), drawn uniformly from a fill's range."""
    smallest, largest = fill.radius
    if smallest == largest:
        return np.full(fill.count, smallest)
    return rng.uniform(smallest, largest, fill.count)


def masses_of(fill: FillTable, radius: Floats) -> Floats:
    """Masses (count,) of balls of the radii (count,): by density, or all the same."""
    if fill.density is not None:
        return fill.density * volume_of(radius)
    return np.full(fill.count, 1.0 if fill.mass is None else fill.mass)


def draw_velocities(fill: FillTable, mass: Floats, flat: Sequence[int], rng: Generator) -> Floats:
    """Velocities (count, 3) by the Maxwell distribution; at rest without temperature or speed.

    They are scaled so that two balls or more have exactly the fill's temperature, ½kT for
    each axis but the flat ones, and no momentum; or have exactly the mean speed. There is no
    velocity along flat axes.
    """
    if not fill.temperature and not fill.speed:
        return np.zeros((fill.count, 3))
    # Draw them up to a common factor.
    thermal = rng.standard_normal((fill.count, 3)) * np.sqrt(mass.max() / mass)[:, np.newaxis]
    thermal[:, flat] = 0.0
    # Scale them to the mean speed, or to the temperature.
    if not fill.temperature:
        return thermal * (fill.speed / np.sqrt((thermal**2).sum(axis=1)).mean())
    if fill.count == 1:
        return thermal * math.sqrt(fill.temperature / mass.max())
    # Sums rounded once: a product of matrices has other last bits on other processors.
    momentum = [math.fsum(along) for along in (mass[:, np.newaxis] * thermal).T]
    thermal -= np.array(momentum) / math.fsum(mass)
    energy = 0.5 * math.fsum(mass * (thermal**2).sum(axis=1))
    freedoms = (3 - len(flat)) * fill.count
    return thermal * math.sqrt(0.5 * freedoms * fill.temperature / energy)


def draw_spins(
    fill: FillTable, inertia: Floats, flat: Sequence[int], rng: Generator
) -> Floats | None:
    """Angular velocities (count, 3) by the normal distributions of the fill's rotational
    temperature; None without one.

    inertia: moments of inertia, (count,). The spins of two balls or more are scaled to have exactly
    that temperature, ½kT for each axis; in a flat region they are along the flat axes.
    """
    if not fill.rotational_temperature:
        return None
    spin = rng.standard_normal((fill.count, 3)) / np.sqrt(inertia)[:, np.newaxis]
    axes = list(flat) or [0, 1, 2]
    spin[:, np.setdiff1d(range(3), axes)] = 0.0
    if fill.count == 1:
        return spin * math.sqrt(fill.rotational_temperature)
    energy = 0.5 * math.fsum(inertia * (spin**2).sum(axis=1))
    freedoms = len(axes) * fill.count
    return spin * math.sqrt(0.5 * freedoms * fill.rotational_temperature / energy)
