"""Balls of a fill that grow into their places: for rooms that are too full for relaxation."""

import math
from typing import Any

import numpy as np
from numpy.random import Generator

from spheresim.compression.lubachevsky_stillinger import Goal, compressed, thermal_velocities
from spheresim.model.state import Box, World
from spheresim.numerics.vector import TVector
from spheresim.obstacles.plane import Plane
from spheresim.obstacles.table import pack, plane_at
from spheresim.scene.fill.room import Room

_GROWTH_RATES = (0.01, 0.003, 0.001)
"""Tried one after the other: the slower, the denser is the state in which balls jam."""

_GAIN = 0.004
"""At each of these rates balls jam at a packing fraction that is greater by about this."""

_FEW, _TRIES = 200, 5
"""Where fewer balls than these jam is chance, so they start again, so often."""


def is_closed_by_planes(room: Room) -> bool:
    """Whether balls can grow in a room: it holds no obstacles but planes."""
    return bool((room.obstacles.kind == 0).all())


def grown(room: Room, start: Any, scale: float, radius: Any, rng: Generator) -> Any:
    """Places (n, 3) of balls of the radii (n,), grown from `scale` times these; None if they jam.

    start: (n, 3), where the small balls overlap nothing.
    """
    walls = [plane_at(room.obstacles, k) for k in range(len(room.obstacles.kind))]
    for axis in range(3):
        if not room.periodic[axis]:
            along = np.eye(3)[axis]
            walls += [Plane(room.low, along), Plane(room.high, -along)]
    box = Box(room.low, room.high - room.low, room.periodic) if any(room.periodic) else None
    ones, at_rest = np.ones(len(radius)), TVector(0.0, 0.0, 0.0)
    world = World(radius, ones, ones, pack(walls, [1.0] * len(walls)), at_rest, box)
    fraction = float((radius**3).sum()) * 4.0 / 3.0 * np.pi / room.volume
    for _ in range(_TRIES if len(radius) < _FEW else 1):
        velocity, rates = thermal_velocities(world, rng), list(_GROWTH_RATES)
        while rates:
            end = compressed(world, start, velocity, scale, rates.pop(0), Goal(scale=1.0))
            if not end.is_jammed:
                return end.position
            # Leave out the rates at which they will jam too early again.
            missing = fraction * (1.0 - end.scale**3)
            del rates[: math.ceil(missing / _GAIN) - 1]
    return None
