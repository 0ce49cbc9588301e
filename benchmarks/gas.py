"""The gas that every engine is given: equal balls at random places in a closed box."""

from typing import NamedTuple

import numpy as np

RADIUS = 1.0


class Gas(NamedTuple):
    """Balls of radius 1 and mass 1 at mean speed 1, in a cube [0, side]³."""

    position: np.ndarray
    velocity: np.ndarray
    side: float


def gas(n: int, packing_fraction: float, seed: int = 1) -> Gas:
    """A jittered simple cubic lattice with Maxwell velocities."""
    rng = np.random.default_rng(seed)
    side = (n * 4.0 / 3.0 * np.pi * RADIUS**3 / packing_fraction) ** (1.0 / 3.0)
    m = int(np.ceil(n ** (1.0 / 3.0)))
    spacing = side / m
    lattice = np.stack(np.meshgrid(*[np.arange(m)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)[:n]
    jitter = 0.49 * (spacing - 2.0 * RADIUS)
    position = (lattice + 0.5) * spacing + rng.uniform(-jitter, jitter, (n, 3))
    velocity = rng.normal(size=(n, 3)) * np.sqrt(np.pi / 8.0)
    return Gas(position, velocity, side)
