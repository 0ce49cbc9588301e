"""Hulls to be asked about: spheres of triangles, and clouds of points of many kinds."""

import numpy as np

from spheresim.convex import hull, polyhedron


def icosphere(subdivisions):
    """An icosahedron whose triangles are cut into four, on the unit sphere, as a body."""
    return polyhedron(*icosphere_triangles(subdivisions))


def icosphere_triangles(subdivisions):
    """Its corners, and its triangles, anticlockwise as seen from outside."""
    tall = 0.5 * (1 + 5**0.5)
    core = hull([np.roll((0, i, j), k) for k in range(3) for i in (-1, 1) for j in (-tall, tall)])
    points, faces = list(core.points / np.linalg.norm(core.points[0])), core.faces
    for _ in range(subdivisions):
        middles, finer = {}, []
        for i, j, k in faces:
            for side in ((i, j), (j, k), (k, i)):
                if side not in middles:
                    middles[side] = middles[side[::-1]] = len(points)
                    middle = points[side[0]] + points[side[1]]
                    points.append(middle / np.linalg.norm(middle))
            ij, jk, ki = middles[i, j], middles[j, k], middles[k, i]
            finer += [(i, ij, ki), (j, jk, ij), (k, ki, jk), (ij, jk, ki)]
        faces = finer
    return points, faces


def cloud(random, kind, dimension):
    points = random.normal(size=(random.integers(14, 30), dimension))
    if kind == "round":
        points /= np.linalg.norm(points, axis=1)[:, np.newaxis]
    elif kind == "grid":
        points = random.integers(-2, 3, size=points.shape).astype(float)
    elif kind == "plate":
        points[:, -1] *= 1e-6
    elif kind == "needle":
        points[:, 1:] *= 1e-6
    elif kind == "prism":
        turn = np.arange(len(points)) * 2 * np.pi / len(points)
        ring = np.column_stack([np.cos(turn), np.sin(turn), np.ones(len(turn))])
        points = np.vstack([ring, ring * (1, 1, -1)]) if dimension == 3 else ring[:, :2]
    return points


KINDS = ["solid", "round", "grid", "plate", "needle", "prism"]
