"""From Qhull's triangles to the faces of a polyhedron: polygons of the corners that count.

Qhull finds triangles. Triangles in one plane, to a tolerance, are one face; a point in the middle
of a face or of an edge is no corner and is left out. The hull of the remaining points is computed
again until every point is a corner of at least three faces; then the faces close.
"""

import numpy as np

from spheresim.convex.hull.outline import Loop, Tolerance, newell_normal
from spheresim.numerics.arrays import Booleans
from spheresim.numerics.qhull import Triangles, triangulated

_PASSES = 8
"""Hulls of hulls at most."""


def joined_facets(points: np.ndarray, tolerance: Tolerance) -> tuple[Loop, ...]:
    """The faces of a solid hull, anticlockwise from outside; `tolerance` of normals (k, 3)."""
    names = np.arange(len(points))
    for _ in range(_PASSES):
        found = triangulated(points[names])
        face = _group(points[names], found, tolerance)
        kept = _corners(found, face)
        if len(kept) == len(names) or len(kept) < 4:
            break
        names = names[kept]
    loops = _loops(points[names], found, face, tolerance)
    return tuple(tuple(int(names[i]) for i in loop) for loop in loops)


def _group(points: np.ndarray, found: Triangles, tolerance: Tolerance) -> np.ndarray:
    """To which face each triangle belongs, shape (m,)."""
    normals, slack = found.planes[:, :3], tolerance(found.planes[:, :3])
    beyond = points[found.corners[found.across]] @ normals[:, np.newaxis, :, np.newaxis]
    heights = np.abs(beyond[..., 0] + found.planes[:, 3, np.newaxis, np.newaxis])
    flat: Booleans = np.all(heights <= slack[:, np.newaxis, np.newaxis], axis=2)
    face = np.full(len(normals), -1)
    # The largest triangles first: their planes are the most exact.
    p, q, r = (points[found.corners[:, i]] for i in range(3))
    area = np.linalg.norm(np.cross(q - p, r - p), axis=1)
    seeds = np.flatnonzero(flat.any(axis=1))
    for seed in seeds[np.argsort(-area[seeds], kind="stable")]:
        if face[seed] < 0:
            _flood(points, found, int(seed), slack[seed], face)
    alone = face < 0
    face[alone] = np.flatnonzero(alone)
    return face


def _flood(points: np.ndarray, found: Triangles, seed: int, slack: float, face: np.ndarray) -> None:
    """Give a seed's face to all triangles in its plane that can be reached from there."""
    normal, height = found.planes[seed, :3], -found.planes[seed, 3]
    waiting = [seed]
    face[seed] = seed
    while waiting:
        for other in found.across[waiting.pop()].tolist():
            if face[other] < 0:
                off = points[found.corners[other]] @ normal - height
                if -slack <= off.min() and off.max() <= slack:
                    face[other] = seed
                    waiting.append(other)


def _corners(found: Triangles, face: np.ndarray) -> np.ndarray:
    """The points at which three faces or more meet."""
    pairs = np.column_stack([found.corners.ravel(), np.repeat(face, 3)])
    points, faces = np.unique(np.unique(pairs, axis=0)[:, 0], return_counts=True)
    return np.asarray(points[faces >= 3])


def _loops(
    points: np.ndarray, found: Triangles, face: np.ndarray, tolerance: Tolerance
) -> list[Loop]:
    """The outline of each face, anticlockwise from outside."""
    alone = np.bincount(face, minlength=len(face))[face] == 1
    loops = _as_they_are(points, found, np.flatnonzero(alone))
    outlines: dict[int, list[tuple[int, Loop]]] = {}
    for name, beside in _borders(found, face, ~alone).items():
        outline = _around(beside)
        outlines.setdefault(len(outline), []).append((name, outline))
    for size, own in outlines.items():
        which = np.array([name for name, _ in own])
        turned = np.array([outline for _, outline in own], dtype=np.int64).reshape(-1, size)
        planes = found.planes[which, :3]
        if size > 0:
            backwards = np.sum(newell_normal(points[turned]) * planes, axis=1) < 0.0
            turned[backwards] = turned[backwards, ::-1]
        convex = _are_convex(points[turned], planes, tolerance(planes))
        loops += [tuple(loop) for loop in turned[convex].tolist()]
        # Flat only to about the tolerance, so that some triangles were joined and some not: taken
        # one by one they surely close.
        for name in which[~convex]:
            loops += _as_they_are(points, found, np.flatnonzero(face == name))
    return loops


def _as_they_are(points: np.ndarray, found: Triangles, which: np.ndarray) -> list[Loop]:
    """Some of the triangles, each as a face of its own, anticlockwise from outside."""
    return [tuple(loop) for loop in found.outward(points, which).tolist()]


def _borders(
    found: Triangles, face: np.ndarray, which: np.ndarray
) -> dict[int, dict[int, list[int]]]:
    """For each face of some triangles, the neighbours of each corner of its outline."""
    border = (face[found.across] != face[:, np.newaxis]) & which[:, np.newaxis]
    beside: dict[int, dict[int, list[int]]] = {}
    for k, i in zip(*np.nonzero(border), strict=True):
        a, b = (int(found.corners[k, (i + turn) % 3]) for turn in (1, 2))
        own = beside.setdefault(int(face[k]), {})
        own.setdefault(a, []).append(b)
        own.setdefault(b, []).append(a)
    return beside


def _around(beside: dict[int, list[int]]) -> Loop:
    """The corners of an outline in order, from their neighbours; none if it is no single loop."""
    if any(len(both) != 2 for both in beside.values()):
        return ()
    start = min(beside)
    loop, last, here = [start], start, min(beside[start])
    while here != start:
        loop.append(here)
        one, other = beside[here]
        last, here = here, other if one == last else one
    return tuple(loop) if len(loop) == len(beside) else ()


def _are_convex(corners: np.ndarray, normals: np.ndarray, slack: np.ndarray) -> np.ndarray:
    """Which loops (n, k, 3) about normals (n, 3) nowhere turn right by more than the slack (n,)."""
    if corners.shape[1] < 4:
        return np.full(len(corners), corners.shape[1] == 3)
    before = corners - np.roll(corners, 1, axis=1)
    after = np.roll(before, -1, axis=1)
    turns = np.einsum("nki,ni->nk", np.cross(before, after), normals)
    least = -slack[:, np.newaxis] * np.linalg.norm(before + after, axis=2)
    return np.asarray((turns >= least).all(axis=1))
