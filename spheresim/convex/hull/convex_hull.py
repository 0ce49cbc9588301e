"""The convex hull of points in space or in a plane, flat and single ones included.

Solid hulls are Qhull's (C. B. Barber, D. P. Dobkin, H. Huhdanpaa, The quickhull algorithm
for convex hulls, ACM TOMS 22, 1996). The hull of points under an affine map is the image of their
hull: so the points are first centred and scaled to about the same width in each principal
direction, and a needle is no harder than a ball. `facets` joins the triangles to faces.

The tolerance: a point counts as on a face, an edge or another point if it is out of it by no
more than 1e-12 of the hull's own width in that direction, or than 4 roundings of the points'
coordinates as they were given. Every point is inside all faces by four tolerances at most:
what is left out in several passes adds up. What is no thicker than the rounding, or than
1e-12 of its length, is flat.
"""

from typing import NamedTuple

import numpy as np

from spheresim.convex.hull.facets import joined_facets
from spheresim.convex.hull.outline import Loop, outline

_FLAT = 1e-12
"""Relative to the width: what is nearer than this to a point, line or plane is on it."""

_ROUNDINGS = 4.0
"""Error of a coordinate in roundings: turning and moving points takes some."""

_MOST = 1.0 / 16.0
"""Relative to the width: larger tolerances could not tell one side from the other."""


_THIN = 1.0 / 64.0
"""Relative to the width: thinner points are turned to their principal directions and scaled."""

_PASSES = 5
"""Turns to the principal directions at most: each removes what rounding left of the last."""


class Hull(NamedTuple):
    """Which points are corners, and the faces as loops of them, seen from outside anticlockwise.

    A flat hull has one face, its outline; a segment or a point has none. `rank` is 0 for a
    point, 1 for a segment, 2 for a flat hull, 3 for a solid.
    """

    corners: Loop
    faces: tuple[Loop, ...]
    rank: int


class Frame(NamedTuple):
    """Points in coordinates in which they are about 1 wide, and the rounding of these.

    points: (n, rank), about the first of them; axes: (3, rank), so that points = what was
    given (less the first, times a power of two) @ axes; rounding: (3,), of each coordinate.
    """

    points: np.ndarray
    axes: np.ndarray
    rounding: np.ndarray

    def tolerance(self, normals: np.ndarray) -> np.ndarray:
        """How far from a plane of unit normal (k, rank) is still on it, shape (k,)."""
        rounding = np.abs(normals @ self.axes.T) @ self.rounding
        return np.asarray(np.minimum(_FLAT + rounding, _MOST))


def convex_hull(points: np.ndarray, magnitude: np.ndarray | None = None) -> Hull:
    """The hull of points [length], shape (n, 3), n ≥ 1; those in the plane z = 0 go as flat.

    `magnitude`, shape (3,): of the coordinates from which the points were computed, if these
    were larger than what came out.
    """
    frame = frame_of(points, np.abs(points).max(axis=0) if magnitude is None else magnitude)
    rank = frame.points.shape[1]
    if rank == 0:
        return Hull((0,), (), 0)
    if rank == 1:
        along = frame.points[:, 0]
        return Hull((int(along.argmin()), int(along.argmax())), (), 1)
    if rank == 2:
        loop = outline(frame.points, frame.tolerance)
        return Hull(loop, (loop,), 2)
    faces = joined_facets(frame.points, frame.tolerance)
    return Hull(tuple(sorted({i for face in faces for i in face})), faces, 3)


def rounding_of(magnitude: np.ndarray) -> np.ndarray:
    """The error of coordinates of a magnitude [length], see the module."""
    return np.asarray(_ROUNDINGS * np.finfo(np.float64).eps * magnitude)


def frame_of(points: np.ndarray, magnitude: np.ndarray) -> Frame:
    """The directions in which points are spread out, each scaled to about 1."""
    # Powers of two round nothing, and keep squares of the largest and smallest numbers finite.
    exponent = int(np.frexp(max(np.abs(points).max(), magnitude.max()))[1])
    away = np.ldexp(points, -exponent)
    away = away - away[0]
    rounding = rounding_of(np.ldexp(magnitude, -exponent))
    extent = float(np.ptp(away, axis=0).max())
    axes = np.eye(3)
    for _ in range(_PASSES):
        across = np.ptp(away @ axes, axis=0)
        flat = np.abs(axes).T @ rounding + _FLAT * extent * np.linalg.norm(axes, axis=0)
        kept = across > flat
        axes = np.ldexp(axes[:, kept], -np.frexp(across[kept])[1])
        spread = away @ axes
        _, widths, turn = np.linalg.svd(spread - spread.mean(axis=0), full_matrices=False)
        if kept.all() and (widths > _THIN * widths.max(initial=0.0)).all():
            break
        axes = axes @ turn.T
    axes = axes * _handedness(axes)
    return Frame(away @ axes, axes, rounding)


def _handedness(axes: np.ndarray) -> np.ndarray:
    """The signs that make a frame right-handed; in a plane, seen from positive x, y or z."""
    signs = np.ones(axes.shape[1])
    if len(signs) == 3:
        signs[2] = np.sign(np.linalg.det(axes))
    elif len(signs) == 2:
        normal = np.cross(axes[:, 0], axes[:, 1])
        signs[1] = np.sign(normal[np.abs(normal).argmax()])
    return signs
