"""The distribution of speeds, against Maxwell's."""

import math
from typing import NamedTuple

import numpy as np

from spheresim.analysis.measured import Curve, Measured, averaged
from spheresim.analysis.of_run import NotInRunError, takes_run
from spheresim.numerics.arrays import Floats

FASTEST = 5.0
"""Speeds are counted up to so many thermal ones; of Maxwell's 2e-5 are beyond."""

_CHANCE = 2.5
"""Temperatures that differ by fewer standard deviations may be the same; 1 % are beyond."""


class SpeedDistribution(NamedTuple):
    """The distribution of speeds, and its Sonine coefficient a₂.

    density: of speeds in units of each ball's thermal speed √(kT/m), with Maxwell's as `published`;
    sonine: a₂, 0 for Maxwell's distribution. If a₂ is negative the distribution is narrower; if it
    is positive, more speeds are large."""

    density: Curve
    sonine: Measured


def maxwell(speed: Floats, dimensions: int = 3) -> Floats:
    """Maxwell's density of speeds c in units of the thermal speed, for 1, 2 or 3 axes.

    c^(d−1) e^(−c²/2) / (2^(d/2−1) Γ(d/2)): J. C. Maxwell, Philosophical Magazine 19, 19 (1860).

    >>> float(round(maxwell(1.0), 6))
    0.483941
    """
    c, d = np.asarray(speed), dimensions
    return c ** (d - 1) * np.exp(-0.5 * c**2) / (2.0 ** (d / 2 - 1) * math.gamma(d / 2))


@takes_run(settled=True, of_sheared=True)
def speed_distribution(velocity: Floats, mass: Floats, bins: int = 50) -> SpeedDistribution:
    """The distribution of speeds, with errors from blocks of frames.

    Takes a `Run`, or arrays: velocity: (k, n, 3), in a sheared box relative to the flow; mass:
    (n,). Speeds are divided by
    √(kT/m), with the temperature of their frame, T = Σ m v² / dn for balls that move along d axes.
    NotInRunError if all are at rest in a frame. a₂ = ⟨c⁴⟩ / (d (d + 2)) − 1: T. P. C. van Noije and
    M. H. Ernst, Granular Matter 1, 57 (1998).
    """
    # Speeds in units of the thermal speed, frame by frame.
    dimensions = int(np.any(velocity, axis=(0, 1)).sum())
    energies = np.einsum("j,ijk,ijk->ij", mass, velocity, velocity)
    temperature = energies.mean(axis=1, keepdims=True) / max(dimensions, 1)
    if not temperature.all():
        raise NotInRunError("the speeds of balls that are all at rest have no distribution")
    speeds = np.sqrt(energies / temperature)
    # Count them in bins, and compare with Maxwell's share of each bin.
    edges = np.linspace(0.0, FASTEST, bins + 1)
    width = edges[1]
    counts = np.stack([np.histogram(frame, edges)[0] for frame in speeds])
    value, error = averaged(counts / (speeds.shape[1] * width))
    middle = 0.5 * (edges[1:] + edges[:-1])
    ends, centre = maxwell(edges, dimensions), maxwell(middle, dimensions)
    expected = (ends[1:] + 4.0 * centre + ends[:-1]) / 6.0  # its mean over a bin, by Simpson
    fourth = (speeds**4).mean(axis=1) / (dimensions * (dimensions + 2)) - 1.0
    return SpeedDistribution(Curve(middle, value, error, expected), Measured(*averaged(fourth)))


@takes_run(settled=True)
def unequal_temperatures(velocity: Floats, mass: Floats) -> tuple[float, float] | None:
    """The temperatures of lighter and heavier balls at first, if they differ by more than chance.

    Takes a `Run`, or arrays: velocity: (k, n, 3), of which the first quarter counts; mass: (n,).
    The cut is between two masses, nearest to the middle of all balls. By chance is what a single
    frame in equilibrium may have, for all may be closer than the time that it takes to get there.
    """
    kinds, counts = np.unique(mass, return_counts=True)
    if len(kinds) == 1 or not velocity.any():
        return None
    velocity = velocity[: math.ceil(len(velocity) / 4)]
    # Relative to the motion of all, in which each ball takes part by its share of the mass.
    beside = velocity - np.average(velocity, axis=1, weights=mass)[:, None]
    energies = np.einsum("j,ijk,ijk->ij", mass, beside, beside)
    freedoms = np.any(velocity, axis=(0, 1)).sum() * (1.0 - mass / mass.sum())
    lighter = counts.cumsum()[:-1]
    is_light = mass <= kinds[np.abs(lighter - 0.5 * len(mass)).argmin()]
    sides = (is_light, ~is_light)
    freedom = np.array([freedoms[side].sum() for side in sides])
    light, heavy = np.array([energies[:, side].sum(axis=1).mean() for side in sides]) / freedom
    temperature = energies.sum(axis=1).mean() / freedom.sum()
    if abs(light - heavy) < _CHANCE * temperature * np.sqrt((2.0 / freedom).sum()):
        return None
    return float(light), float(heavy)
