"""Twelve kinds of points whose hulls are to hold, and a judge that computes in whole numbers.

The judge takes the points as the exact numbers that they are: no rounding of its own hides or
makes a fault, and nothing of it is shared with the package.
"""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy.spatial import ConvexHull

from spheresim.convex import Body, rotation_about

EPSILON = 2.0**-52
GRID = np.stack(np.meshgrid(*[[-1.0, 0.0, 1.0]] * 3, indexing="ij"), -1).reshape(-1, 3)


class Cloud(NamedTuple):
    """points: about place + turn(own · stretch), each coordinate out by `noise` and rounding."""

    points: np.ndarray
    own: np.ndarray
    stretch: np.ndarray
    noise: float = 0.0

    @property
    def uncertainty(self) -> float:
        """Of the volume or area, relative: what noise and rounding are of the least width."""
        noise = self.noise + 16.0 * EPSILON * np.abs(self.points).max()
        return float(1e-9 + 8.0 * noise / (self.stretch.min() * np.ptp(self.own, axis=0).min()))


def cloud(own, random, stretch=(1.0, 1.0, 1.0), place=(0.0, 0.0, 0.0)) -> Cloud:
    turn = rotation_about(random.normal(size=3), random.uniform(0.0, np.pi))
    stretch = np.array(stretch, dtype=float)
    return Cloud((own * stretch) @ turn.T + np.array(place), own, stretch)


def _cube_at_3e4(random):
    return cloud(GRID, random, place=[3e4] * 3)


def _cube_at_1e8(random):
    return cloud(GRID, random, place=random.normal(size=3) * 1e8)


def _noise(random):
    return Cloud(GRID + random.normal(size=GRID.shape) * 1e-6, GRID, np.ones(3), 4e-6)


def _six_digits(random):
    turned = cloud(GRID, random)
    return turned._replace(points=turned.points.round(6), noise=5e-7)


def _needle(random):
    own = GRID if random.random() < 0.5 else random.normal(size=(random.integers(5, 30), 3))
    aspect = 10.0 ** random.uniform(3, 6)
    return cloud(own, random, (aspect, 1.0, 1.0))


def _plate(random):
    own = GRID if random.random() < 0.5 else random.normal(size=(random.integers(5, 30), 3))
    return cloud(own, random, (1.0, 1.0, 10.0 ** random.uniform(-11, -1)))


def _subdivided_box(random):
    steps = np.linspace(-1.0, 1.0, random.integers(3, 7))
    grid = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), -1).reshape(-1, 3)
    surface = grid[np.abs(grid).max(axis=1) == 1.0]
    place = random.normal(size=3) * 10.0
    made = cloud(surface, random, random.uniform(0.5, 3.0, 3), place)
    if random.random() < 0.5:
        return made
    as_in_stl = made.points.astype(np.float32).astype(float)
    return made._replace(points=as_in_stl, noise=float(np.abs(made.points - as_in_stl).max()))


def _line_in_the_plane(random):
    """On a line, in a band along one, or all over."""
    width = random.choice([0.0, 10.0 ** random.uniform(-9, -1), 1.0])
    count = random.integers(4, 12)
    own = np.column_stack(
        [random.uniform(-1, 1, count), random.uniform(-1, 1, count) * (width > 0)]
    )
    angle = random.uniform(0.0, np.pi)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    stretch = np.array([1.0, width or 1.0])
    return Cloud((own * stretch) @ turn.T + random.normal(size=2) * 1e4, own, stretch)


def _on_a_sphere(random):
    own = random.normal(size=(random.integers(4, 60), 3))
    return cloud(own / np.linalg.norm(own, axis=1)[:, np.newaxis], random)


def _repeated(random):
    own = random.normal(size=(random.integers(5, 20), 3))
    own = np.vstack([own, own[random.integers(0, len(own), 40)]])
    return cloud(own[random.permutation(len(own))], random)


def _scale(random):
    own = GRID if random.random() < 0.5 else random.normal(size=(random.integers(5, 30), 3))
    exponent = random.choice([-150, -120, -80, 80, 120, 150])
    return cloud(own, random, [10.0**exponent] * 3)


def _cylinder_or_cone(random):
    count = random.integers(3, 40)
    angle = np.arange(count) * (2.0 * np.pi / count)
    rim = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(count)])
    top = rim * random.choice([0.0, 0.5, 1.0]) + (0.0, 0.0, 1.0)
    place = random.normal(size=3) * 10.0 ** random.integers(0, 6)
    return cloud(np.vstack([rim, top]), random, (1.0, 1.0, 10.0 ** random.uniform(-2, 2)), place)


KINDS: dict[str, Callable[[np.random.Generator], Cloud]] = {
    "cube at 3e4": _cube_at_3e4,
    "cube at 1e8": _cube_at_1e8,
    "noise": _noise,
    "six digits": _six_digits,
    "needle": _needle,
    "plate": _plate,
    "subdivided box": _subdivided_box,
    "line in the plane": _line_in_the_plane,
    "on a sphere": _on_a_sphere,
    "repeated": _repeated,
    "scale": _scale,
    "cylinder or cone": _cylinder_or_cone,
}


# --- The judge --------------------------------------------------------------------------


def whole(points: np.ndarray) -> tuple[np.ndarray, Fraction]:
    """Points as whole numbers of a unit, and the unit."""
    mantissa, exponent = np.frexp(points)
    low = int((exponent - 53)[points != 0.0].min(initial=0 if (points == 0.0).all() else 2000))
    numbers = [
        [int(m * 2.0**53) << (int(e) - 53 - low) if m else 0 for m, e in zip(*row, strict=True)]
        for row in zip(mantissa.tolist(), exponent.tolist(), strict=True)
    ]
    return np.array(numbers, dtype=object), Fraction(2) ** low


def _cross(a, b):
    x, y, z = (a[..., i] * b[..., j] - a[..., j] * b[..., i] for i, j in ((1, 2), (2, 0), (0, 1)))
    return np.stack([x, y, z], axis=-1)


def _excess(normal, given, corners, at) -> float:
    """How far points are beyond a plane, and its corners from it, in tolerances.

    A tolerance is 1e-12 of the width along the normal and 4 roundings of the coordinates.
    """
    largest = max(abs(n) for n in normal)
    unit = np.array([n / largest for n in normal])
    length = float(np.linalg.norm(unit))
    heights = np.array([h / largest for h in ((given - at) * normal).sum(axis=1)]) / length
    own = np.array([h / largest for h in ((corners - at) * normal).sum(axis=1)]) / length
    rounding = 4.0 * EPSILON * np.abs(unit) @ np.abs(given).max(axis=0).astype(float) / length
    tolerance = 1e-12 * float(-heights.min()) + rounding
    return float(max(heights.max(), np.abs(own).max()) / tolerance)


def judge(body: Body, points: np.ndarray) -> tuple[float, Fraction | None]:
    """By how many tolerances a point is outside a face; and the volume, or area in the plane.

    Asserts what leaves no room: corners are points that were given, faces close, V − E + F = 2.
    """
    full = np.zeros((len(points), 3))
    full[:, : points.shape[1]] = points
    assert {tuple(p) for p in body.points} <= {tuple(p) for p in full}
    assert len({tuple(p) for p in body.points}) == len(body.points)
    numbers, unit = whole(np.vstack([full, body.points]))
    given, corners = numbers[: len(full)], numbers[len(full) :]
    if points.shape[1] == 2:
        return _judge_in_the_plane(body, given, corners, unit)
    directed = Counter(
        side for loop in body.faces for side in zip(loop, loop[1:] + loop[:1], strict=True)
    )
    assert all(count == 1 and directed[b, a] == 1 for (a, b), count in directed.items())
    assert len(body.edges) * 2 == len(directed)
    assert len(body.points) - len(body.edges) + len(body.faces) == 2
    worst, volume = 0.0, 0
    for loop in body.faces:
        own = corners[list(loop)]
        away = own - own[0]
        fan = _cross(away[1:-1], away[2:])
        volume += (fan.sum(axis=0) * (own[0] - corners[0])).sum()
        # The plane through the three corners that make the most of the face.
        far = max(range(len(own)), key=lambda k: (away[k] ** 2).sum())
        across = _cross(away[far], away)
        normal = max(across, key=lambda n: (n**2).sum())
        normal = normal if (normal * fan.sum(axis=0)).sum() > 0 else -normal
        assert any(normal)
        worst = max(worst, _excess(normal, given, own, own[0]))
    return worst, Fraction(int(volume)) * unit**3 / 6


def _judge_in_the_plane(body, given, corners, unit):
    loop = list(body.faces[0]) if body.faces else list(range(len(corners)))
    worst, area = 0.0, 0
    for i, j in zip(loop, loop[1:] + loop[:1], strict=True):
        along = corners[j] - corners[i]
        assert any(along) or len(loop) == 1
        normal = np.array([along[1], -along[0], 0], dtype=object)
        if body.faces:
            worst = max(worst, _excess(normal, given, corners[[i, j]], corners[i]))
        else:  # a segment: all points are beside it, and none before or after
            worst = max(worst, _off(normal, given, corners[i]))
            worst = max(worst, _excess(along, given, corners[[j]], corners[j]))
        area += corners[i][0] * corners[j][1] - corners[i][1] * corners[j][0]
    return worst, Fraction(int(area)) * unit**2 / 2 if body.faces else None


def _off(normal, given, at) -> float:
    """How far points are from a line, in roundings of their coordinates."""
    largest = max(abs(n) for n in normal)
    unit = np.array([n / largest for n in normal])
    heights = np.array([h / largest for h in ((given - at) * normal).sum(axis=1)])
    rounding = 4.0 * EPSILON * np.abs(unit) @ np.abs(given).max(axis=0).astype(float)
    return float(np.abs(heights).max() / (rounding + 1e-12 * np.ptp(given, axis=0).max()))


def expected_content(given: Cloud) -> Fraction:
    """The volume, or area, of a cloud: Qhull's of the points as they were before all else."""
    content = Fraction(ConvexHull(given.own).volume)
    for factor in given.stretch:
        content *= Fraction(float(factor))
    return content
