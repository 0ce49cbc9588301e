"""Surfaces as triangles, to be drawn: round ones so fine that they look round."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spheresim.numerics.arrays import Floats, Integers
from spheresim.numerics.connected_sets import connected_sets
from spheresim.numerics.qhull import triangulated
from spheresim.numerics.vector import VectorLike

AROUND = 64
"""Points around a full turn."""


class Drawing(NamedTuple):
    """vertices, normals: (m, 3), the normals towards the side that is seen; triangles: (k, 3),
    counter-clockwise seen from there; outline: (s, 2, 3), edges as segments."""

    vertices: Floats
    normals: Floats
    triangles: Integers
    outline: Floats

    def turned(self) -> "Drawing":
        """The same, seen from the other side."""
        return self._replace(normals=-self.normals, triangles=self.triangles[:, ::-1])


def together(parts: Sequence[Drawing]) -> Drawing:
    """Several drawings as one."""
    starts = np.cumsum([0, *(len(part.vertices) for part in parts)])
    return Drawing(
        np.concatenate([np.empty((0, 3)), *(part.vertices for part in parts)]),
        np.concatenate([np.empty((0, 3)), *(part.normals for part in parts)]),
        np.concatenate(
            [np.empty((0, 3), np.int64)]
            + [part.triangles + start for part, start in zip(parts, starts, strict=False)]
        ),
        np.concatenate([np.empty((0, 2, 3)), *(part.outline for part in parts)]),
    )


def two_sided(drawing: Drawing) -> Drawing:
    """A drawing that is seen from both sides."""
    return together([drawing, drawing.turned()])


def grid_drawing(points: Floats, normals: Floats, across_wraps: bool) -> Drawing:
    """A surface over a grid of points (rows, columns, 3), whose columns may close to a ring."""
    rows, columns = points.shape[:2]
    row, column = np.meshgrid(
        np.arange(rows - 1), np.arange(columns if across_wraps else columns - 1), indexing="ij"
    )
    here, beside = row * columns + column, row * columns + (column + 1) % columns
    one = np.stack([here, beside, beside + columns], axis=-1)
    two = np.stack([here, beside + columns, here + columns], axis=-1)
    triangles = np.concatenate([one.reshape(-1, 3), two.reshape(-1, 3)])
    return Drawing(points.reshape(-1, 3), normals.reshape(-1, 3), triangles, np.empty((0, 2, 3)))


def sphere_drawing(centre: VectorLike, radius: float, around: int = AROUND) -> Drawing:
    """A whole sphere, seen from outside."""
    profile = arc((0.0, 0.0), radius, -0.5 * np.pi, 0.5 * np.pi, around // 2)
    return revolved(centre, np.array([0.0, 0.0, 1.0]), profile, around)


def arc(
    centre: tuple[float, float], radius: float, first: float, last: float, steps: int
) -> Floats:
    """Rows (width, height, normal outwards, normal upwards) of an arc around (width, height)."""
    wide, high = centre
    angle = np.linspace(first, last, steps + 1)
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([wide + radius * c, high + radius * s, c, s], axis=1)


def level(inner: float, outer: float, high: float, up: float) -> Floats:
    """Rows of a flat piece of a profile, which faces up (1) or down (-1)."""
    ends = (inner, outer) if up < 0.0 else (outer, inner)
    return np.array([(wide, high, 0.0, up) for wide in ends])


def revolved(
    centre: VectorLike, axis: VectorLike, profile: Floats, around: int = AROUND
) -> Drawing:
    """The surface that a profile makes as it turns about an axis through `centre`.

    profile: rows (width, height, normal outwards, normal upwards), shape (m, 4), from below up.
    """
    axis = np.array(axis)
    out = round_about(axis, around)
    wide, high, outwards, upwards = (column[:, None, None] for column in profile.T)
    points = np.array(centre) + wide * out + high * axis
    return grid_drawing(points, outwards * out + upwards * axis, True)


def flat_drawing(vertices: Floats, loops: Sequence[Sequence[int]], normals: Floats) -> Drawing:
    """Convex polygons, each with its normal, and their sides as outlines."""
    corners = np.concatenate([vertices[list(loop)] for loop in loops])
    counts = [len(loop) for loop in loops]
    starts = np.cumsum([0, *counts])[:-1]
    fans = [
        (start, start + k, start + k + 1)
        for start, count in zip(starts, counts, strict=True)
        for k in range(1, count - 1)
    ]
    outlines = [closed_line(vertices[list(loop)]) for loop in loops]
    return Drawing(
        corners, np.repeat(normals, counts, axis=0), np.array(fans), np.concatenate(outlines)
    )


def rounded_drawing(points: Floats, radius: float, normals: Floats) -> Drawing:
    """The convex hull of spheres around some points, with flat faces of the given normals."""
    directions = np.vstack([np.reshape(normals, (-1, 3)), sphere_drawing(np.zeros(3), 1.0, 24)[0]])
    cloud = (np.asarray(points)[:, None] + radius * directions).reshape(-1, 3)
    triangles = triangulated(cloud).outward(cloud)
    return Drawing(cloud, np.tile(directions, (len(points), 1)), triangles, np.empty((0, 2, 3)))


def smooth_normals(triangles: Integers, flat: Floats, edges: Any, sharp: float) -> Floats:
    """For each corner of triangles (m, 3), with unit normals `flat`, the mean normal of those that
    go around its vertex without an edge whose bend is `sharp` or more between them, (3m, 3).
    """
    # The two sides that an edge is of two triangles: the one goes there, the other back.
    corner, n = triangles.reshape(-1), 3 * len(triangles)
    after = np.arange(n).reshape(-1, 3)[:, [1, 2, 0]].reshape(-1)
    sides = np.argsort(edges.of_side, kind="stable")
    first = np.searchsorted(edges.of_side[sides], np.flatnonzero(edges.bend < sharp))
    one, other = sides[first], sides[first + 1]
    opposed = corner[one] == corner[after[other]]
    one, other = one[opposed], other[opposed]
    # Corners that are joined over such edges share a normal.
    row, column = np.concatenate([one, after[one]]), np.concatenate([after[other], other])
    group = connected_sets(row, column, n)
    total = np.zeros((group.max(initial=-1) + 1, 3))
    np.add.at(total, group, np.repeat(flat, 3, axis=0))
    length = np.linalg.norm(total, axis=1)[:, None]
    # Where they cancel, as where a surface touches itself, each keeps its own.
    mean = np.where(length > 1e-6, total / np.maximum(length, 1e-6), 0.0)[group]
    return np.where(np.any(mean != 0.0, axis=1)[:, None], mean, np.repeat(flat, 3, axis=0))


def cross_axes(axis: Floats) -> tuple[Floats, Floats]:
    """Two unit vectors u, v with u × v along the unit vector `axis`."""
    least = np.eye(3)[int(np.argmin(np.abs(axis)))]
    u = np.cross(least, axis)
    u /= np.linalg.norm(u)
    return u, np.cross(axis, u)


def round_about(axis: VectorLike, around: int = AROUND) -> Floats:
    """Unit vectors all around an axis, shape (around, 3)."""
    u, v = cross_axes(np.array(axis))
    angle = np.arange(around) * (2.0 * np.pi / around)
    return np.cos(angle)[:, None] * u + np.sin(angle)[:, None] * v


def closed_line(points: Floats) -> Floats:
    """Points (m, 3) around a loop as segments, shape (m, 2, 3)."""
    return np.stack([points, np.roll(points, -1, axis=0)], axis=1)
