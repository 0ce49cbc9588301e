"""Every question, for 20,000 pairs of each class, against Qhull and shapely.

`python -m pytest -m study tests/convex/test_study.py` asks them all, in some minutes; the suite
asks a few of each class.
"""

from collections import Counter

import numpy as np
import pytest
import shapely
from minkowski_reference import Difference

from spheresim.convex import (
    Bodies,
    bodies_overlap_batch,
    box,
    capsule,
    gjk_batch,
    hull,
    manifold_batch,
    rotation_about,
    sat_batch,
    sphere,
    swept_sat_batch,
    swept_sphere_batch,
    time_of_impact_batch,
)

MANY = 20_000
NEAR = 1e-10
"""Of the pair's size: what the answers may differ by, and what is too near for yes or no."""


def boxes(random):
    return box(random.uniform(0.3, 1.5, 3))


def hulls(random):
    return hull(random.normal(size=(random.integers(4, 16), 3)))


def spheres(random):
    return sphere(random.uniform(0.1, 1.0))


def capsules(random):
    return capsule(*random.normal(size=(2, 3)), random.uniform(0.1, 0.5))


def needles(random):
    return box((1.0, *10.0 ** random.uniform(-6, -2, 2)))


def plates(random):
    return box((*random.uniform(0.5, 1.0, 2), 10.0 ** random.uniform(-6, -2)))


def polygons(random):
    return hull(random.normal(size=(random.integers(3, 10), 2)))


def rounded(random):
    body = hulls(random)
    return hull(body.points, radius=random.uniform(0.05, 0.5))


CLASSES = {
    "polygon-polygon": (polygons, polygons),
    "box-box": (boxes, boxes),
    "box-hull": (boxes, hulls),
    "hull-hull": (hulls, hulls),
    "equally turned": (hulls, hulls),
    "equally turned boxes": (boxes, boxes),
    "capsule-box": (capsules, boxes),
    "sphere-hull": (spheres, hulls),
    "sphere-rounded": (spheres, rounded),
    "needle-hull": (needles, hulls),
    "plate-plate": (plates, plates),
    "needle-plate": (needles, plates),
}


class Pairs:
    """Pairs of a class in random places, about half of them overlapping, and velocities."""

    def __init__(self, name: str, count: int):
        random = np.random.default_rng(sorted(CLASSES).index(name))
        self.name = name
        pools = [[make(random) for _ in range(min(count, 200))] for make in CLASSES[name]]
        self.dimension = n = pools[0][0].dimension
        sides: list[list] = [[], []]
        for k in range(count):
            turns = [_turn(random, n) for _ in range(2)]
            if "equally" in name:
                turns[1] = turns[0]
            bodies = [pool[random.integers(len(pool))] for pool in pools]
            reach = sum(np.linalg.norm(body.points, axis=1).max() + body.radius for body in bodies)
            way = random.normal(size=n)
            way *= reach * random.uniform(0.0, 1.2) / np.linalg.norm(way)
            middle = random.normal(size=n)
            places = (middle, middle + way)
            if "equally" in name and k % 2:  # and on a grid, where faces lie in one plane
                places = (np.zeros(n), np.round(way))
            for side, body, place, turn in zip(sides, bodies, places, turns, strict=True):
                side.append(body.at(place, turn))
        self.each = list(zip(*sides, strict=True))
        self.a, self.b = (Bodies.of(side) for side in sides)
        self.velocities = random.normal(size=(count, n))
        self.radii = np.array([a.radius + b.radius for a, b in self.each])
        self.differences = [
            Difference(a.world_points[:, :n], b.world_points[:, :n]) for a, b in self.each
        ]
        self.size = (
            np.array([np.ptp(d.points, axis=0).max() for d in self.differences]) + self.radii
        )


def _turn(random, dimension):
    angle = random.uniform(-np.pi, np.pi)
    return angle if dimension == 2 else rotation_about(random.normal(size=3), angle)


def told(pairs: Pairs, question: str, wrong: np.ndarray, *figures: np.ndarray) -> list[str]:
    """A line for each of the first pairs that are answered wrongly."""
    lines = []
    for k in np.flatnonzero(wrong)[:3]:
        numbers = ", ".join(f"{figure[k]:.17g}" for figure in figures)
        lines.append(f"{pairs.name}: {question} of pair {k}: {numbers}")
        lines += [
            f"    points {body.points.tolist()}, radius {body.radius}, "
            f"position {body.position.tolist()}, rotation {body.rotation.tolist()}"
            for body in pairs.each[k]
        ]
        lines.append(f"    velocity {pairs.velocities[k].tolist()}")
    if wrong.any():
        lines.append(f"{pairs.name}: {question}: {wrong.sum()} of {len(wrong)} wrong")
    return lines


COUNTS = [
    pytest.param(40, id="few", marks=pytest.mark.compiled_only),
    pytest.param(MANY, id="many", marks=pytest.mark.study),
]


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("name", CLASSES)
def test_every_answer_is_that_of_the_minkowski_difference(name, count):
    pairs = Pairs(name, count)
    near = NEAR * pairs.size
    cores = np.array([difference.gap() for difference in pairs.differences])
    gaps = cores - pairs.radii
    faults = told_of_places(pairs, gaps, near)
    faults += told_of_motion(pairs, near)
    if pairs.dimension == 2:
        faults += told_by_shapely(pairs, near)
    sure = Counter(np.sign(np.where(np.abs(gaps) > near, gaps, 0.0)).tolist())
    assert min(sure[-1.0], sure[1.0]) > 0.1 * count
    assert not faults, "\n".join(faults)


def told_of_places(pairs: Pairs, gaps: np.ndarray, near: np.ndarray) -> list[str]:
    """Overlap, distance, depth and the shortest way out."""
    sure = np.abs(gaps) > near
    found, axis = gjk_batch(pairs.a, pairs.b), sat_batch(pairs.a, pairs.b)
    depth = np.maximum(-gaps, 0.0)
    touching = manifold_batch(pairs.a, pairs.b)
    deepest = np.where(touching.count > 0, -touching.depth.max(axis=1, initial=-np.inf), np.inf)
    overlap = bodies_overlap_batch(pairs.a, pairs.b)
    n = pairs.dimension
    faults = told(pairs, "bodies_overlap", sure & (overlap != (gaps < 0.0)), gaps)
    faults += told(pairs, "gjk gap", np.abs(found.gap - gaps) > near, found.gap, gaps)
    faults += told(pairs, "sat yes or no", sure & (axis.overlapping != (gaps < 0.0)), gaps)
    for name, mtv in (("gjk", found.mtv), ("sat", axis.mtv)):
        length = np.linalg.norm(mtv, axis=1)
        faults += told(pairs, f"{name} mtv", np.abs(length - depth) > near, length, depth)
        cores = [
            difference.gap(-move) if deep > 0.0 else np.inf
            for difference, move, deep in zip(pairs.differences, mtv[:, :n], depth, strict=True)
        ]
        left = np.array(cores) - pairs.radii
        faults += told(pairs, f"{name} mtv moves out", left < -near, left)
    # A manifold's points are right to 1e-9 of the size.
    wrong = (gaps < -near) & ~(np.abs(deepest - gaps) < 100.0 * near)
    faults += told(pairs, "manifold depth", wrong, deepest, gaps)
    apart = gaps > 1e3 * near
    return faults + told(pairs, "manifold apart", apart & (touching.count > 0), gaps)


def told_of_motion(pairs: Pairs, near: np.ndarray) -> list[str]:
    """When they meet and part."""
    if (pairs.radii == 0.0).all():
        return told_of_clipping(pairs, near)
    speeds = np.linalg.norm(pairs.velocities, axis=1)
    if pairs.name.startswith("sphere"):
        found = swept_sphere_batch(pairs.a, pairs.b, pairs.velocities)
        faults = []
        for name, times, way in (("enter", found.enter, -1.0), ("leave", found.leave, 1.0)):
            at = gaps_at(pairs, times)
            further = gaps_at(pairs, times + way * 1e-3 / speeds)
            meets = np.isfinite(times)
            faults += told(pairs, f"swept_sphere {name}", meets & (np.abs(at) > near), at)
            faults += told(
                pairs, f"swept_sphere {name} is the end", meets & (further <= 0.0), times
            )
        return faults + told(pairs, "swept_sphere misses", ~found.meets & comes_in(pairs), speeds)
    still = np.zeros_like(pairs.velocities)
    search = time_of_impact_batch(
        pairs.a, pairs.b, pairs.velocities, still, until=1e3, tolerance=1e-6
    )
    at = gaps_at(pairs, search.toi)
    met = np.isfinite(search.toi) & (search.toi > 0.0)
    faults = told(pairs, "time_of_impact gap", met & ~((-near < at) & (at < 1e-6 + near)), at)
    apart = gaps_at(pairs, np.zeros(len(met))) > 1e-6
    ahead = np.array([_enters_later(pairs, k) for k in np.flatnonzero(apart & ~met)])
    missed = np.zeros(len(met), dtype=bool)
    missed[np.flatnonzero(apart & ~met)] = ahead
    return faults + told(pairs, "time_of_impact misses", missed, speeds)


def told_of_clipping(pairs: Pairs, near: np.ndarray) -> list[str]:
    found = swept_sat_batch(pairs.a, pairs.b, pairs.velocities)
    enter, leave = np.array(
        [d.clip(v) for d, v in zip(pairs.differences, pairs.velocities, strict=True)]
    ).T
    meets = np.isfinite(enter)
    deep = -gaps_at(pairs, _middle(enter, leave)) > near  # else it only grazes
    faults = told(pairs, "swept_sat misses", deep & meets & ~found.meets, enter, leave)
    own = gaps_at(pairs, _middle(found.enter, found.leave))
    invented = found.meets & ~meets & (own > near)
    faults += told(pairs, "swept_sat invents", invented, found.enter, found.leave)
    both = meets & found.meets & deep
    for name, mine, expected in (("enter", found.enter, enter), ("leave", found.leave, leave)):
        off = both & ~(np.abs(gaps_at(pairs, mine, both)) < near)
        faults += told(pairs, f"swept_sat {name}", off, mine, expected)
    return faults


def _middle(enter: np.ndarray, leave: np.ndarray) -> np.ndarray:
    """Between two times; 0 for those that never meet."""
    meets = np.isfinite(enter)
    return 0.5 * (np.where(meets, enter, 0.0) + np.where(meets, leave, 0.0))


def gaps_at(pairs: Pairs, times: np.ndarray, asked: np.ndarray | None = None) -> np.ndarray:
    """The gaps after a time; inf where the time is, or nothing is asked."""
    asked = np.isfinite(times) if asked is None else asked & np.isfinite(times)
    gaps = np.full(len(times), np.inf)
    for k in np.flatnonzero(asked):
        gaps[k] = pairs.differences[k].gap(-pairs.velocities[k] * times[k]) - pairs.radii[k]
    return gaps


def comes_in(pairs: Pairs) -> np.ndarray:
    """Whether the line of motion surely comes within reach."""
    nearest = [d.line_distance(v) for d, v in zip(pairs.differences, pairs.velocities, strict=True)]
    return np.array(nearest) < pairs.radii - NEAR * pairs.size


def _enters_later(pairs: Pairs, k: int) -> bool:
    """Whether a pair that is apart comes together after 0."""
    difference, velocity, reach = pairs.differences[k], pairs.velocities[k], pairs.radii[k]
    # The gap is convex in time: it has a least value ahead exactly if it begins to fall.
    soon = 1e-6 / np.linalg.norm(velocity)
    falls = difference.gap(-velocity * soon) < difference.gap()
    return falls and difference.line_distance(velocity) < reach - 1e-6


def told_by_shapely(pairs: Pairs, near: np.ndarray) -> list[str]:
    flat = [
        [shapely.MultiPoint(body.world_points[:, :2]).convex_hull for body in side]
        for side in zip(*pairs.each, strict=True)
    ]
    distance = shapely.distance(*map(np.array, flat))
    found = gjk_batch(pairs.a, pairs.b)
    wrong = np.abs(np.maximum(found.gap, 0.0) - distance) > near
    faults = told(pairs, "gjk and shapely's distance", wrong, found.gap, distance)
    crossing = shapely.intersects(*map(np.array, flat))
    sure = np.abs(found.gap) > near
    wrong = sure & (crossing != (found.gap < 0.0))
    return faults + told(pairs, "gjk and shapely's intersects", wrong, found.gap, distance)
