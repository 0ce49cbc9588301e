"""A sheared gas once more, by hand: in the laboratory, with every image that could be hit."""

from itertools import product
from typing import Any

import numpy as np
from brute_force import time_to_reach

from spheresim import Simulation


def impacts_by_hand(simulation: Simulation, many: int) -> Any:
    """Time, i, j and impulse of the first impacts, (many, 4); the simulation must be at time 0.

    No ball may go further than half a period from one impact to the next.
    """
    world = simulation.world
    box, mass, radius = world.box, world.mass, world.radius
    x, v = simulation.position.copy(), simulation.velocity.copy()
    i, j = np.triu_indices(len(mass), 1)
    beside = np.array(list(product((-2, -1, 0, 1, 2), (-1, 0, 1), (-1, 0, 1))))
    time, rows = 0.0, []
    for _ in range(many):
        # Images of j: first along y, which says how far they have slid; then along x and z.
        d = x[i] - x[j]
        up = np.rint(d[:, 1] / box.size.y) + beside[:, 1, None]
        slid = up * box.shear_rate * box.size.y
        shift = np.stack([slid * time, up * box.size.y, np.zeros_like(up)], axis=-1)
        left = d - shift
        for axis, along in ((0, beside[:, 0, None]), (2, beside[:, 2, None])):
            turns = np.rint(left[..., axis] / box.size[axis]) + along
            left[..., axis] -= turns * box.size[axis]
        w = (v[i] - v[j]) - np.stack([slid, 0.0 * slid, 0.0 * slid], axis=-1)
        reach = np.broadcast_to(radius[i] + radius[j], up.shape)
        times = time_to_reach(left.reshape(-1, 3), w.reshape(-1, 3), reach.ravel())
        first = int(np.argmin(times))
        a, b = i[first % len(i)], j[first % len(i)]
        # The impact.
        n = (left + w * times[first]).reshape(-1, 3)[first]
        n /= np.linalg.norm(n)
        e = min(world.restitution[a], world.restitution[b])
        vn = w.reshape(-1, 3)[first] @ n
        impulse = -(1.0 + e) * vn * mass[a] * mass[b] / (mass[a] + mass[b])
        x += v * times[first]
        time += times[first]
        v[a] += impulse / mass[a] * n
        v[b] -= impulse / mass[b] * n
        rows.append((time, a, b, impulse))
    return np.array(rows)
