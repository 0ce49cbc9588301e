"""Balls of a fill that grow into their places: random places of any density, in equilibrium."""

import math

import numpy as np

from spheresim.compression.lubachevsky_stillinger import Goal, compressed, thermal_velocities
from spheresim.model.periodic_fit import LEAST_PERIOD
from spheresim.model.periodic_space import Open
from spheresim.model.state import Box, World
from spheresim.numerics.arrays import Floats
from spheresim.numerics.vector import ZERO
from spheresim.obstacles.many_points import surface_at
from spheresim.obstacles.plane import Plane
from spheresim.obstacles.table import pack
from spheresim.scene.fill.placement import Placement
from spheresim.scene.fill.room import Room

_FLUID, _FLUID_RATE = 0.49, 0.03
"""The packing fraction up to which balls are a fluid, which comes into equilibrium while it grows
at this rate."""

_GROWTH_RATES = (0.01, 0.003, 0.001)
"""Tried one after the other in denser rooms: the slower, the denser is the jammed state."""

_GAIN = 0.004
"""At each of these rates balls jam at a packing fraction that is greater by about this."""

_FEW, _TRIES = 200, 5
"""Where fewer balls than these jam is chance, so they start again, so often."""


def can_grow(room: Room, radius: Floats) -> bool:
    """Whether balls of the radii (n,) can grow in a room.

    It holds no obstacles but planes and cylinders, and no images of these as part of a periodic
    box; a period is wide enough for the exact engine.
    """
    periods = np.array(room.high - room.low)[list(room.periodic)]
    if room.obstacles.features.has_any() or (periods <= LEAST_PERIOD * radius.max()).any():
        return False
    return isinstance(room.space, Open) or any(room.periodic)


def grown(placement: Placement, start: Floats, scale: float) -> Floats | None:
    """Places (n, 3) of balls that have grown from `scale` times their radii; None if they jam.

    start: (n, 3), where the small balls overlap nothing.
    """
    room, radius, _, flat, rng, _ = placement
    walls = [surface_at(room.obstacles, k) for k in range(len(room.obstacles.kind))]
    for axis in range(3):
        if axis in flat:  # to the last bit, or they would leave it
            start[:, axis] = 0.5 * (room.low[axis] + room.high[axis])
        elif not room.periodic[axis]:
            along = np.eye(3)[axis]
            walls += [Plane(room.low, along), Plane(room.high, -along)]
    box = Box(room.low, room.high - room.low, room.periodic) if any(room.periodic) else None
    ones, at_rest = np.ones(len(radius)), ZERO
    world = World(radius, ones, ones, pack(walls, [1.0] * len(walls)), at_rest, box)
    fraction = float((radius**3).sum()) * 4.0 / 3.0 * np.pi / room.volume
    for _ in range(_TRIES if len(radius) < _FEW else 1):
        velocity, rates = thermal_velocities(world, rng), list(_GROWTH_RATES)
        velocity[:, flat] = 0.0
        if fraction < _FLUID:
            rates.insert(0, _FLUID_RATE)
        while rates:
            end = compressed(world, start, velocity, scale, rates.pop(0), Goal(scale=1.0))
            if not end.is_jammed:
                return end.position
            # Leave out the rates at which they will jam too early again.
            missing = fraction * (1.0 - end.scale**3)
            del rates[: math.ceil(missing / _GAIN) - 1]
    return None
