"""Random worlds of one large heap: 64 to 160 balls above a box that is three to six balls wide.

A seed gives what `Simulation` takes. Half of the boxes are as wide as a whole number of balls, some
wider by a millionth of a ball, some by a part of one; balls are of one size or of several, lose any
part of a bounce, and are of sizes from a thousandth to a thousand.
"""

from typing import Any

import numpy as np

from spheresim import Ball, Obstacle, Plane

PITCH = 1.25
"""Of places above the box, in diameters."""


def poured_world(seed: int) -> dict[str, Any]:
    """The keyword arguments `balls`, `obstacles` and `gravity` of a simulation."""
    random = np.random.default_rng([seed, 64])
    radius = 10.0 ** random.uniform(-3.0, 3.0)
    wide = int(random.integers(3, 7)) + float(random.choice([0.0, 0.0, 1e-6, random.random()]))
    axes = np.eye(3) if random.random() < 0.5 else np.linalg.qr(random.normal(size=(3, 3)))[0]
    restitution = float(random.choice([0.0, 0.5, 0.9, random.random()]))
    smallest = radius * random.choice([0.7, 1.0, 1.0])
    across, up = axes[:2], axes[2]
    half = wide * radius
    walls = [Plane((0, 0, 0), up)]
    walls += [Plane(-side * half * axis, side * axis) for axis in across for side in (1.0, -1.0)]
    # A ball lies anywhere in its place, which is wider than it.
    pitch = 2.0 * radius * PITCH
    row = int(2.0 * half // pitch)
    k = np.arange(random.integers(64, 161))
    place = np.stack([k % row, k // row % row, k // row**2], axis=1) + 0.5
    place = (place - (row / 2.0, row / 2.0, 0.0)) * pitch
    place += random.uniform(-0.2, 0.2, place.shape) * radius
    speed = random.choice([0.0, 1.0, 5.0]) * radius
    balls = [
        Ball(
            tuple((at @ axes).tolist()),
            tuple((speed * random.normal(size=3)).tolist()),
            radius=float(random.uniform(smallest, radius)),
            restitution=restitution,
        )
        for at in place
    ]
    gravity = tuple((-10.0 * radius * up).tolist())
    return {
        "balls": balls,
        "obstacles": [Obstacle(wall, restitution) for wall in walls],
        "gravity": gravity,
    }
