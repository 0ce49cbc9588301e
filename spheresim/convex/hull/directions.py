"""The normals and edges of a body, of any length, each direction once."""

from collections.abc import Sequence

import numpy as np

from spheresim.convex.hull.convex_hull import frame_of
from spheresim.convex.hull.outline import Loop, newell_normal

_PARALLEL = 1e-12
"""The sine of the angle below which two directions count as parallel."""

_ANY = np.array([0.61803, 0.75488, 0.21951])
"""A direction that is unlikely to be special to any body."""


def scaled(points: np.ndarray) -> np.ndarray:
    """Points scaled by a power of two to about 1: nothing is rounded, and products stay finite."""
    return np.asarray(np.ldexp(points, -int(np.frexp(np.abs(points).max(initial=0.0))[1])))


def normals_of(points: np.ndarray, faces: Sequence[Loop]) -> np.ndarray:
    """The outward normals of a body's faces in space, shape (f, 3)."""
    frame = frame_of(points, np.abs(points).max(axis=0))
    if frame.points.shape[1] < 3:
        return _newell_normals(scaled(points), faces)
    # In world coordinates, rounding would drown the component of a needle's normal along the
    # needle; in the frame it does not.
    return np.asarray(_newell_normals(frame.points, faces) @ frame.axes.T)


def _newell_normals(points: np.ndarray, faces: Sequence[Loop]) -> np.ndarray:
    sizes = np.array([len(loop) for loop in faces])
    normals = np.empty((len(faces), 3))
    for size in np.unique(sizes):  # all of as many corners at once
        which = np.flatnonzero(sizes == size)
        normals[which] = newell_normal(points[np.array([faces[i] for i in which.tolist()])])
    return normals


def without_parallels(directions: np.ndarray) -> np.ndarray:
    """Directions, each scaled by a power of two to about 1; zeros and parallels are left out."""
    if len(directions) == 0:
        return directions
    largest = np.abs(directions).max(axis=1, initial=0.0)
    given, largest = directions[largest > 0.0], largest[largest > 0.0]
    given = np.ldexp(given, -np.frexp(largest)[1][:, np.newaxis])
    units = given / np.linalg.norm(given, axis=1)[:, np.newaxis]
    # Only directions of about the same height over some plane can be parallel: sort by it.
    height = np.abs(units @ _ANY)
    order = np.argsort(height, kind="stable")
    starts = np.flatnonzero(np.diff(height[order]) > 4.0 * _PARALLEL) + 1
    kept = np.ones(len(given), dtype=np.bool_)
    for alike in np.split(order, starts):
        others = np.sort(alike)
        while len(others) > 1:
            sines = np.linalg.norm(np.cross(units[others[1:]], units[others[0]]), axis=1)
            parallel = sines <= _PARALLEL
            kept[others[1:][parallel]] = False
            others = others[1:][~parallel]
    return np.asarray(given[kept])
