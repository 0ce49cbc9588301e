"""A sphere and a disc, ring or capped cylinder: a point and a surface offset by the radius.

The surfaces are thin shells: a sphere is on the side on which its centre is.
"""

import numpy as np

from spheresim.collision_world.pairs.side import (
    Impact,
    Nearest,
    Side,
    answers_by_nearest,
    impacts,
)
from spheresim.convex.geometry.layout import HEADER
from spheresim.numerics.arrays import Booleans, Floats
from spheresim.numerics.vector import TVector


def _balls(a: Side, b: Side) -> tuple[Floats, Floats]:
    """Of the spheres: the centres as the surfaces see them, (m, 3), and the radii, (m,)."""
    starts = a.poses[:, 0].astype(np.int64)
    centres = a.positions + a.to_world(a.geometry[starts + HEADER])
    return b.to_own(centres - b.positions), a.geometry[starts + 1, 0]


def nearest(a: Side, b: Side) -> Nearest:
    """The gap of a sphere from a surface, negative if they overlap."""
    centres, radii = _balls(a, b)
    gap, normals = np.empty(len(radii)), np.empty((len(radii), 3))
    for k, shape in enumerate(b.solids):
        centre = TVector(centres[k])
        gap[k] = shape.clearance(centre)
        normals[k] = shape.normal_at(centre, centre)
    normals = b.to_world(normals)
    middles = b.positions + b.to_world(centres)
    on_b = middles - gap[:, None] * normals
    return Nearest(gap - radii, normals, middles - radii[:, None] * normals, on_b)


def touch(a: Side, b: Side) -> Booleans:
    """Which spheres reach the surface."""
    centres, radii = _balls(a, b)
    gaps = [shape.clearance(TVector(centres[k])) for k, shape in enumerate(b.solids)]
    return np.array(gaps).reshape(-1) <= radii


def sweep(a: Side, b: Side, dt: float, tolerance: float) -> Impact:
    """When a moving sphere first touches a moving surface, exactly; neither may turn."""
    del tolerance  # the roots are exact
    answer, (centres, radii) = impacts(len(a.row)), _balls(a, b)
    relative = b.to_own(a.velocities - b.velocities)
    answer.toi[touch(a, b)] = 0.0
    for row in np.unique(b.row):
        here = np.flatnonzero((b.row == row) & (answer.toi > 0.0))
        if len(here):
            shape = b.solids[here[0]]
            answer.toi[here] = shape.toi_batch(centres[here], relative[here], radii[here])
    answer.toi[answer.toi > dt] = np.inf
    met = np.flatnonzero(answer.toi <= dt)
    times = answer.toi[met, None]
    there, some = centres[met] + relative[met] * times, b.taken(met)
    normal, point = np.empty((2, len(met), 3))
    for k, shape in enumerate(some.solids):
        centre = TVector(there[k])
        normal[k] = shape.normal_at(centre, centre)
        point[k] = there[k] - shape.clearance(centre) * normal[k]
    answer.normal[met] = some.to_world(normal)
    answer.point[met] = some.positions + some.velocities * times + some.to_world(point)
    return answer


SURFACE_ANSWERS = answers_by_nearest(nearest, sweep)._replace(touch=touch)
