"""The pairs of convex bodies that `benchmarks.convex` asks about."""

from typing import NamedTuple

import numpy as np

from spheresim.convex import Body, box, capsule, hull, rotation_about, sphere

PAIRS = 500


class Case(NamedTuple):
    """A body, others of its kind in many places, and the velocities of a that lead near them."""

    name: str
    arrangement: str
    a: Body
    others: list[Body]
    velocities: np.ndarray


def icosphere(subdivisions: int) -> Body:
    """An icosahedron with its triangles cut into four, its points pushed out to the unit sphere."""
    golden = 0.5 * (1.0 + 5.0**0.5)
    points = np.array(
        [np.roll((0.0, i, j), k) for k in range(3) for i in (-1, 1) for j in (-golden, golden)]
    )
    body = hull(points / np.linalg.norm(points[0]))
    for _ in range(subdivisions):
        middles = body.points[np.array(body.edges)].sum(axis=1)
        middles /= np.linalg.norm(middles, axis=1)[:, np.newaxis]
        body = hull(np.vstack([body.points, middles]))
    return body


def bodies() -> dict[str, Body]:
    """About 2 across, all of them."""
    points = np.random.default_rng(1).normal(size=(32, 3))
    points /= np.linalg.norm(points, axis=1)[:, np.newaxis]
    return {
        "spheres": sphere(1.0),
        "capsules": capsule((0, 0, -0.6), (0, 0, 0.6), 0.4),
        "boxes": box((1.0, 0.8, 0.6)),
        "hulls of 32": hull(points),
        "icospheres of 642": icosphere(3),
    }


def cases() -> list[Case]:
    """Near and apart (up to a third overlap), overlapping, and two in the same place."""
    random = np.random.default_rng(1)
    found = []
    for name, body in bodies().items():
        directions = random.normal(size=(PAIRS, 3))
        directions /= np.linalg.norm(directions, axis=1)[:, np.newaxis]
        turns = [
            rotation_about(random.normal(size=3), random.uniform(0, np.pi)) for _ in range(PAIRS)
        ]
        environment = random.normal(size=(PAIRS, 3)) * 2.0
        velocities = environment + random.normal(size=(PAIRS, 3)) * 0.3
        touching = directions * random.uniform(0.3, 0.7, (PAIRS, 1))
        for arrangement, poses in (("around", environment), ("overlapping", touching)):
            others = [body.at(place, turn) for place, turn in zip(poses, turns, strict=True)]
            found.append(Case(name, arrangement, body, others, velocities))
        copies = 3 if len(body.points) > 100 else PAIRS
        found.append(Case(name, "same place", body, [body] * copies, velocities))
    return found
