"""One feature seen from many points at once, as arrays, for the proof of rest."""

import numpy as np

from spheresim.numerics.arrays import Booleans, Floats
from spheresim.obstacles.features.face import OVERHANG
from spheresim.obstacles.features.rows import CIRCLE, FACE, LINE, RING_PLUG, Rows
from spheresim.obstacles.round import circle_distances, seen_along, units_of


class FeatureSurface:
    """A row of features; `point` is the one by which it was given."""

    def __init__(self, rows: Rows, outline: Floats, k: int) -> None:
        row = rows.numbers[k]
        self.kind = int(rows.kind[k])
        self.point, self._axis = row[:3], row[3:6]
        self._rounding, self._extent, self._hollow = row[6], row[7], bool(row[10])
        self._outline = outline[int(row[8]) : int(row[9])]

    def gaps(self, points: Floats) -> Floats:
        """The distance of many points (n, 3) from its surface, shape (n,)."""
        if self.kind == RING_PLUG:
            return self._ring_plug_gaps(points)
        if self.kind == CIRCLE:
            return np.abs(self._circle_distances(points) - self._rounding)
        off = np.linalg.norm(self._away(points), axis=1) - self._rounding
        if self.kind == LINE:
            along = (points - self.point) @ self._axis
            return np.hypot(off, along - np.clip(along, 0.0, self._extent))
        return np.abs(off)

    def normals(self, points: Floats) -> Floats:
        """The normal towards each of many points (n, 3), shape (n, 3)."""
        if self.kind in (FACE, RING_PLUG):
            height = (points - self.point) @ self._axis
            return np.where(height < 0.0, -1.0, 1.0)[:, None] * self._axis
        unit, distance = units_of(self._away(points))
        unit[distance == 0.0] = np.roll(self._axis, 1)
        if self.kind == CIRCLE:  # of which points on the axis are farther than from its centre
            distance = self._circle_distances(points)
        inside = self._hollow & (distance < self._rounding)
        return np.where(inside, -1.0, 1.0)[:, None] * unit

    def covers(self, points: Floats) -> Booleans:
        """Whether many points (n, 3) are over a face, or beside a line, shape (n,); features of
        other kinds have no ends."""
        d = points - self.point
        along = d @ self._axis
        if self.kind == LINE:
            return np.abs(along - 0.5 * self._extent) <= (0.5 + OVERHANG) * self._extent
        if self.kind == FACE and self._extent < np.inf:
            width = np.linalg.norm(d - along[:, None] * self._axis, axis=1)
            return width <= self._extent * (1.0 + OVERHANG)
        beyond = d @ self._outline[:, :3].T - self._outline[:, 3]
        return np.all(beyond <= self._outline[:, 4], axis=1)

    def _circle_distances(self, points: Floats) -> Floats:
        """The distance of many points from a circle, shape (n,); also on its axis."""
        return circle_distances(points, self.point, self._axis, self._extent)

    def _ring_plug_gaps(self, points: Floats) -> Floats:
        """The same of a plug; inf inside of its ring."""
        width, along = seen_along(points, self.point, self._axis)
        inside = self._hollow & (self._circle_distances(points) < self._rounding)
        far = np.hypot(np.maximum(width, self._extent), along) - self._rounding
        return np.where(inside, np.inf, far)

    def _away(self, points: Floats) -> Floats:
        """The way to many points from the feature without its rounding, or across a line."""
        d = points - self.point
        along = d @ self._axis
        across = d - along[:, None] * self._axis
        if self.kind == FACE:
            return along[:, None] * self._axis + self._aside(d, across)
        if self.kind == LINE:
            return across
        if self.kind == CIRCLE:
            return d - self._extent * units_of(across)[0]
        return d

    def _aside(self, d: Floats, across: Floats) -> Floats:
        """How far points are beside a face's outline, as a way at right angles to its normal."""
        if self._extent < np.inf:
            width = np.linalg.norm(across, axis=1)
            outside = np.maximum(0.0, width - self._extent)
            return across * (outside / np.where(width > 0.0, width, 1.0))[:, None]
        inside = np.all(d @ self._outline[:, :3].T <= self._outline[:, 3], axis=1)
        flat, best = d - (d @ self._axis)[:, None] * self._axis, np.zeros_like(d)
        least = np.where(inside, 0.0, np.inf)
        corners = self._outline[:, 5:8]
        for a, side in zip(corners, np.roll(corners, -1, axis=0) - corners, strict=True):
            part = np.clip((flat - a) @ side / (side @ side), 0.0, 1.0)
            way = flat - a - part[:, None] * side
            nearer = np.linalg.norm(way, axis=1) < least
            best[nearer], least[nearer] = way[nearer], np.linalg.norm(way[nearer], axis=1)
        return best
