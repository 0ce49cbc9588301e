"""The visible part of a cylinder: lines along it, clipped to the region and joined to strips.

A circle across the axis is p(θ) = c + R (cos θ u + sin θ v), with u × v along the axis.
"""

import numpy as np
from numpy.typing import NDArray

from spheresim_viewer.stage.clip import TOUCHING, Array, Region, clip_lines
from spheresim_viewer.stage.surface import (
    Fading,
    Owner,
    StageCylinder,
    Surface,
    tangents,
    with_area,
)

LINES = 96  # around the cylinder, or around the part of it that can be visible
ROWS = 24  # along it


def cylinder_surface(
    owner: Owner, cylinder: StageCylinder, is_tube: bool, region: Region, fading: Fading
) -> Surface | None:
    """The part of a cylinder in a region, or None: lines along it, joined to strips."""
    circle = _Circle(cylinder)
    angles, ends, row_of = _visible_lines(circle, region)
    if len(row_of) == 0:
        return None
    # Rows of vertices along the lines, for the surface fades or is darker at its foot
    border = ends.reshape(-1, 3)
    rows = ROWS
    steps = np.linspace(0.0, 1.0, rows + 1)[:, None]
    lines = ends[:, :1] + steps * (ends[:, 1:] - ends[:, :1])
    vertices = lines.reshape(-1, 3)
    # Strips of triangles, seen from outside or from inside
    outward, triangles = circle.outward(angles), _strips(row_of, rows)
    if is_tube:
        outward, triangles = -outward, triangles[:, ::-1]
    # The border as line segments
    outline = _border_of_strips(lines, row_of, circle.is_full(len(row_of), len(angles)))
    return Surface(
        "tube" if is_tube else "pillar",
        *owner,
        vertices,
        np.repeat(outward, rows + 1, axis=0),
        with_area(triangles, vertices),
        fading.at(vertices, border),
        outline,
        fading.at(outline.reshape(-1, 3), border).reshape(-1, 2),
    )


def _visible_lines(circle: "_Circle", region: Region) -> tuple[Array, Array, NDArray[np.int64]]:
    """The lines of a cylinder in a region, and the strips between neighbouring ones.

    The lines' angles, shape (m,), and ends, shape (m, 2, 3); the index of the first line of
    each strip, shape (s,). The second line of a strip is the next one.
    """
    angles = circle.angles(region)
    first, last = clip_lines(circle.at(angles), circle.axis, region)
    between = clip_lines(circle.at(0.5 * (angles[1:] + angles[:-1])), circle.axis, region)
    # A strip is visible if a line through its middle is
    strips = np.flatnonzero(
        (between[1] > between[0])
        & (last[1:] >= first[1:] - TOUCHING)
        & (last[:-1] >= first[:-1] - TOUCHING)
    )
    # Keep the lines of these strips
    used = np.unique(np.concatenate([strips, strips + 1]))
    angles, first = angles[used], first[used]
    last = np.maximum(last[used], first)
    ends = np.stack([first, last], axis=1)[:, :, None] * circle.axis
    ends = ends + circle.at(angles)[:, None, :]
    return angles, ends, np.searchsorted(used, strips)


class _Circle:
    """The circle of a cylinder, across its axis, nearest to the middle of the stage."""

    def __init__(self, cylinder: StageCylinder) -> None:
        point, axis, radius = cylinder
        self.centre = point - axis * np.dot(point, axis)
        self.axis, self.radius = axis, radius
        self.u, self.v = tangents(axis, np.array([0.0, 1.0, 0.0]))

    def outward(self, angles: Array) -> Array:
        """Unit vectors away from the axis, shape (m, 3)."""
        return np.cos(angles)[:, None] * self.u + np.sin(angles)[:, None] * self.v

    def at(self, angles: Array) -> Array:
        """Points of the circle, shape (m, 3)."""
        return self.centre + self.radius * self.outward(angles)

    def angles(self, region: Region) -> Array:
        """Ascending angles of lines: evenly spaced, and where the border has corners.

        The stage lies in the unit sphere. Seen from an axis at a distance m > 1, it extends
        at most arcsin(1/m) to either side of its middle.
        """
        distance = float(np.linalg.norm(self.centre))
        half = np.pi if distance <= 1.0 else np.arcsin(1.0 / distance)
        middle = float(np.arctan2(-np.dot(self.centre, self.v), -np.dot(self.centre, self.u)))
        even = middle + np.linspace(-half, half, LINES + 1)
        corners = self._corners(region)
        corners = middle + (corners - middle + np.pi) % (2.0 * np.pi) - np.pi
        angles = np.sort(np.concatenate([even, corners[np.abs(corners - middle) < half]]))
        keep = np.append(np.diff(angles) > 1e-12 * half, True)
        return angles[keep]

    def _corners(self, region: Region) -> Array:
        """The angles at which the cylinder meets an edge of the region, where two sides meet.

        The line at θ meets side i at t = (dᵢ − nᵢ·p(θ)) / nᵢ·a. Setting it equal for
        two sides gives M·u cos θ + M·v sin θ = K / R, with M = (nⱼ·a) nᵢ − (nᵢ·a) nⱼ.
        """
        i, j = np.triu_indices(len(region.d), 1)
        slope = region.normal @ self.axis
        reach = region.d - region.normal @ self.centre
        m = slope[j, None] * region.normal[i] - slope[i, None] * region.normal[j]
        k = slope[j] * reach[i] - slope[i] * reach[j]
        length = self.radius * np.hypot(m @ self.u, m @ self.v)
        meet = (length > 1e-12) & (np.abs(k) <= length)
        i, j, m = i[meet], j[meet], m[meet]
        middle, half = np.arctan2(m @ self.v, m @ self.u), np.arccos(k[meet] / length[meet])
        angles = np.concatenate([middle - half, middle + half])
        side = np.tile(np.where(np.abs(slope[i]) > np.abs(slope[j]), i, j), 2)
        points = self.at(angles)
        t = (region.d[side] - np.sum(region.normal[side] * points, axis=1)) / slope[side]
        there = np.all(region.depth(points + t[:, None] * self.axis) > -TOUCHING, axis=1)
        return angles[there]

    def is_full(self, strips: int, lines: int) -> bool:
        """Whether strips go all the way round, so that the first and the last line agree."""
        return strips == lines - 1 and float(np.linalg.norm(self.centre)) <= 1.0


def _strips(row_of: NDArray[np.int64], rows: int) -> NDArray[np.int64]:
    """The triangles of strips that start at the lines `row_of`: shape (k, 3)."""
    here = (row_of[:, None] * (rows + 1) + np.arange(rows)).reshape(-1)
    there = here + rows + 1
    one = np.stack([here, there, there + 1], axis=1)
    return np.vstack([one, np.stack([here, there + 1, here + 1], axis=1)]).astype(np.int64)


def _border_of_strips(lines: Array, row_of: NDArray[np.int64], is_full: bool) -> Array:
    """The two end curves, and the lines at which strips begin or end: shape (s, 2, 3)."""
    curves = [np.stack([lines[row_of, end], lines[row_of + 1, end]], axis=1) for end in (0, -1)]
    if not is_full:
        lone = np.concatenate([np.setdiff1d(row_of, row_of + 1), np.setdiff1d(row_of + 1, row_of)])
        curves.append(np.stack([lines[lone, :-1], lines[lone, 1:]], axis=2).reshape(-1, 2, 3))
    segments = np.concatenate(curves)
    return segments[np.linalg.norm(segments[:, 1] - segments[:, 0], axis=1) > TOUCHING]
