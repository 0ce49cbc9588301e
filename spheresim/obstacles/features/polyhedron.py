"""The features of a polyhedron, closed or open: its faces, and what can be touched of its edges
and corners.

The seam of two faces in one plane is no feature, nor is a point on a straight edge: over them a
ball rolls as over a single face or edge. (Over a hollow edge it cannot come nearer than it is to
both faces, so it never feels that.)
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spheresim.numerics.arrays import Booleans, Floats, Integers
from spheresim.obstacles.features.face import OVERHANG
from spheresim.obstacles.features.rows import (
    FeatureRows,
    face_rows,
    joined_rows,
    line_rows,
    point_rows,
)

_FLAT = 1e-9
"""Faces that meet at less than this angle [rad] go on in one plane."""

_SEAM_OVERHANG = 1e-8
"""How far a face reaches over a seam, in units of its size: further than two such planes part."""


_SEAM_ROUNDING = 1e-13
"""The same, in units of the largest coordinate, where rounding is more than that."""

_HEIGHT_ROUNDING = 4e-15
"""Rounding of a ball's height above a face, in units of the largest coordinate. Where a ball slides
from one face onto another that is inclined against it by a small angle, rounding puts the place
where it meets that face off by this, divided by the angle: so far the face reaches over the seam.
Being so little inclined, it is there as high as the other face, to rounding."""


class Loops(NamedTuple):
    """Polygons: corner: indices of vertices, one polygon after another; count: (f,), how many of
    them each polygon has."""

    corner: Integers
    count: Any

    @classmethod
    def of_triangles(cls, triangles: Integers) -> "Loops":
        """Triangles, (f, 3)."""
        return cls(triangles.reshape(-1), np.full(len(triangles), 3))

    @classmethod
    def of(cls, loops: Sequence[Sequence[int]]) -> "Loops":
        """Polygons given one by one."""
        return cls(np.concatenate(loops).astype(np.int64), np.array([len(loop) for loop in loops]))

    @property
    def start(self) -> Integers:
        """The place of each polygon's first corner, (f,)."""
        return np.cumsum(self.count) - self.count

    @property
    def next_corner(self) -> Integers:
        """After each corner, the next one of its polygon."""
        following = np.roll(self.corner, -1)
        following[self.start + self.count - 1] = self.corner[self.start]
        return following

    def normals(self, vertices: Floats) -> Floats:
        """Newell's normals, as long as twice the areas, (f, 3): anticlockwise seen from there."""
        first = np.repeat(vertices[self.corner[self.start]], self.count, axis=0)
        a, b = vertices[self.corner] - first, vertices[self.next_corner] - first
        return np.add.reduceat(np.cross(a, b), self.start, axis=0)


class Edges(NamedTuple):
    """outwards: (c, 3), for each corner the unit vector in its polygon's plane that points out
    of the side that begins there; of_side: (c,), the edge that this side is; ends: (e, 2), the
    vertices of each edge; bend: (e,), twice the sine of half the angle by which the surface turns
    there; inf where not just two polygons meet."""

    outwards: Floats
    of_side: Integers
    ends: Integers
    bend: Floats


def edges_of(vertices: Floats, loops: Loops, normals: Floats) -> Edges:
    """The edges of polygons with these unit normals (f, 3)."""
    a, b = vertices[loops.corner], vertices[loops.next_corner]
    along = (b - a) / np.linalg.norm(b - a, axis=1)[:, None]
    outwards = np.cross(along, np.repeat(normals, loops.count, axis=0))
    first = np.minimum(loops.corner, loops.next_corner)
    pairs = first * len(vertices) + np.maximum(loops.corner, loops.next_corner)
    found, of_side, shared = np.unique(pairs, return_inverse=True, return_counts=True)
    ends = np.stack(np.divmod(found, len(vertices)), axis=1)
    total = np.zeros((len(ends), 3))
    np.add.at(total, of_side, outwards)
    bend = np.where(shared == 2, np.linalg.norm(total, axis=1), np.inf)
    return Edges(outwards, of_side, ends, bend)


def polyhedron_rows(vertices: Floats, loops: Loops, rounding: float = 0.0) -> FeatureRows:
    """The features of the polygons of vertices (n, 3); ValueError if one of them has no area."""
    normals = unit_normals(vertices, loops)
    edges = edges_of(vertices, loops, normals)
    outwards, seam, a = edges.outwards, edges.bend < _FLAT, vertices[loops.corner]
    # Faces.
    low = np.minimum.reduceat(a, loops.start, axis=0)
    high = np.maximum.reduceat(a, loops.start, axis=0)
    size = np.repeat(np.linalg.norm(high - low, axis=1), loops.count)
    first = np.repeat(vertices[loops.corner[loops.start]], loops.count, axis=0)
    overhang = np.where(seam[edges.of_side], _SEAM_OVERHANG, OVERHANG) * size
    bend = np.where(seam, np.inf, edges.bend)[edges.of_side]
    overhang += np.maximum(_SEAM_ROUNDING, _HEIGHT_ROUNDING / bend) * np.abs(vertices).max()
    offset = np.einsum("ij,ij->i", outwards, a - first)
    faces = face_rows(
        vertices[loops.corner[loops.start]],
        normals,
        np.column_stack([outwards, offset, overhang, a - first]),
        loops.count,
        rounding,
        low,
        high,
    )
    # Edges and corners.
    ridges = edges.ends[~seam]
    lines = line_rows(vertices[ridges[:, 0]], vertices[ridges[:, 1]], rounding)
    corners = vertices[_corners_of(vertices, ridges)]
    return joined_rows([faces, lines, point_rows(corners, rounding)])


def unit_normals(vertices: Floats, loops: Loops) -> Floats:
    """The polygons' unit normals, (f, 3); ValueError if one has no area."""
    normals = loops.normals(vertices)
    empty = np.flatnonzero(~have_area(vertices, loops, normals))
    if len(empty):
        shown = [vertices[k].tolist() for k in _loop(loops, int(empty[0]))]
        raise ValueError(f"face {empty[0]} has no area: its corners are {shown}")
    return normals / np.linalg.norm(normals, axis=1)[:, None]


def have_area(vertices: Floats, loops: Loops, normals: Floats) -> Booleans:
    """Which of the polygons have an area, (f,), beyond what rounding makes of corners on a line;
    normals: as of `Loops.normals`."""
    length = np.linalg.norm(normals, axis=1)
    corner = vertices[loops.corner]
    size = np.ptp(
        np.stack(
            [
                np.minimum.reduceat(corner, loops.start, axis=0),
                np.maximum.reduceat(corner, loops.start, axis=0),
            ]
        ),
        axis=0,
    )
    return np.asarray(length > 1e-14 * (size**2).sum(axis=1))


def _loop(loops: Loops, face: int) -> Integers:
    return loops.corner[loops.start[face] : loops.start[face] + loops.count[face]]


def _corners_of(vertices: Floats, ridges: Integers) -> Integers:
    """The vertices at the ends of edges (e, 2), but those on one straight edge."""
    ends = np.concatenate([ridges[:, 0], ridges[:, 1]])
    way = vertices[np.concatenate([ridges[:, 1], ridges[:, 0]])] - vertices[ends]
    way /= np.linalg.norm(way, axis=1)[:, None]
    many, total = np.bincount(ends, minlength=len(vertices)), np.zeros((len(vertices), 3))
    np.add.at(total, ends, way)
    straight = (many == 2) & (np.linalg.norm(total, axis=1) < _FLAT)
    return np.flatnonzero((many > 0) & ~straight)
