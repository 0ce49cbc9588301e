"""Random pairs of convex bodies of all kinds, and an independent quadratic program for them.

The program is Ph. Wolfe's (Finding the nearest point in a polytope, Mathematical Programming
11, 1976): the shortest vector in the hull of all differences a − b, by active sets and
linear equations, nothing of which the package shares.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from spheresim.convex import Body, box, hull, rotation_about


class Pair(NamedTuple):
    family: str
    a: Body
    b: Body


def _solid(random, dimension):
    return random.normal(size=(random.integers(dimension + 1, 13), dimension))


def _flat(random, dimension):
    points = random.normal(size=(random.integers(1, 8), dimension))
    points[:, -1] = 0.0
    return points


def _segment(random, dimension):
    return np.outer(random.normal(size=random.integers(2, 4)), random.normal(size=dimension))


def _point(random, dimension):
    return random.normal(size=(1, dimension))


def _repeated(random, dimension):
    points = _solid(random, dimension)
    return np.vstack([points, points[random.integers(len(points), size=4)]])


def _grid(random, dimension):
    """Small whole numbers: parallel faces, points on lines and planes of others."""
    return random.integers(-2, 3, size=(random.integers(1, 10), dimension)).astype(float)


CLOUDS = {
    "solid": _solid,
    "flat": _flat,
    "segment": _segment,
    "point": _point,
    "repeated points": _repeated,
    "grid": _grid,
}


def random_body(random, dimension, family):
    """About 2 across, anywhere within 3 of the origin; every third on a grid keeps its axes."""
    place, rotation = random.normal(size=dimension) * 1.5, _rotation(random, dimension)
    if family == "box":
        return box(random.uniform(0.3, 1.5, dimension), place, rotation)
    if family == "grid" and random.random() < 0.7:
        place, rotation = random.integers(-3, 4, dimension), None
    radius = random.choice([0.0, 0.0, 0.3])
    return hull(CLOUDS[family](random, dimension), place, rotation, radius)


def _rotation(random, dimension):
    angle = random.uniform(-np.pi, np.pi)
    return angle if dimension == 2 else rotation_about(random.normal(size=3), angle)


def random_pairs(count: int, seed: int, dimension: int) -> Iterator[Pair]:
    """`count` pairs, all families in turn against any other; every third nearly touching."""
    random = np.random.default_rng(seed)
    families = [*CLOUDS, "box"]
    for k in range(count):
        family = families[k % len(families)]
        a = random_body(random, dimension, family)
        b = random_body(random, dimension, families[random.integers(len(families))])
        if k % 3 == 0:
            shortest = nearest_to_origin(differences(a, b))
            length = np.linalg.norm(shortest)
            if length > 1e-6:
                wanted = (
                    a.radius
                    + b.radius
                    + random.choice([0, 1, 1, -1]) * 10.0 ** -random.integers(1, 16)
                )
                a = a.at((a.position - shortest * (1.0 - wanted / length))[:dimension])
                family = f"{family}, nearly touching"
        yield Pair(family, a, b)


def differences(a: Body, b: Body) -> np.ndarray:
    return (a.world_points[:, None] - b.world_points).reshape(-1, 3)


def nearest_to_origin(points: np.ndarray) -> np.ndarray:
    """The shortest vector in the hull of points, by Wolfe's algorithm."""
    size = np.abs(points).max()
    active = [int(np.argmin(np.sum(points**2, axis=1)))]
    weights = np.ones(1)
    best = points[active[0]]
    while True:
        entering = int(np.argmin(points @ best))
        length = np.linalg.norm(best)
        gain = best @ (best - points[entering])
        if gain <= 1e-16 * size * length or entering in active:
            return best
        active.append(entering)
        weights = np.append(weights, 0.0)
        while True:
            affine = _affine_minimum(points[active])
            if (affine > 1e-14).all():
                weights = affine
                break
            shrinking = affine <= 1e-14
            ratios = weights[shrinking] / np.maximum(weights[shrinking] - affine[shrinking], 1e-300)
            weights = weights + min(1.0, ratios.min()) * (affine - weights)
            kept = weights > 1e-14
            active = [name for name, keep in zip(active, kept, strict=True) if keep]
            weights = weights[kept] / weights[kept].sum()
        x = weights @ points[active]
        if np.linalg.norm(x) >= length:
            return best
        best = x


def _affine_minimum(corners: np.ndarray) -> np.ndarray:
    """The weights, of any sign, of the shortest vector in the plane through the corners."""
    sides = corners[1:] - corners[0]
    steps = np.linalg.lstsq(sides.T, -corners[0], rcond=1e-13)[0]
    return np.concatenate(([1.0 - steps.sum()], steps))
