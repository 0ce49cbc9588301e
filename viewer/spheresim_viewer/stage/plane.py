"""The visible part of a plane: a convex polygon, cut to rings if it fades."""

import numpy as np
from numpy.typing import NDArray

from spheresim_viewer.stage.clip import TOUCHING, Array, Region, clip_polygon
from spheresim_viewer.stage.surface import Fading, Surface, tangents, with_area

RINGS = 24  # from the middle to the border
BORDER = 96  # points along the border, about


def plane_surface(
    index: int, name: str, point: Array, normal: Array, region: Region, fading: Fading, up: Array
) -> Surface | None:
    """The part of a plane in a region, or None. The middle is joined to a border, ring by ring."""
    u, v = tangents(normal, up)
    middle = normal * np.dot(point, normal)
    square = middle + 1.5 * np.array([-u - v, u - v, u + v, v - u])
    corners = clip_polygon(square, region)
    if len(corners) == 0 or _area(corners) < TOUCHING:
        return None
    opens = fading.touches(corners)
    border = _subdivided(corners, BORDER if opens else 1)
    rings = np.linspace(0.0, 1.0, RINGS + 1)[1:] if opens else np.ones(1)
    centre = np.mean(corners, axis=0)
    vertices = np.vstack([centre, *(centre + ring * (border - centre) for ring in rings)])
    outline = np.stack([border, np.roll(border, -1, axis=0)], axis=1)
    return Surface(
        "plane",
        index,
        name,
        vertices,
        np.broadcast_to(normal, vertices.shape).copy(),
        with_area(_fan(len(border), len(rings)), vertices),
        fading.at(vertices, border),
        outline,
        fading.at(outline.reshape(-1, 3), border).reshape(-1, 2),
        u,
        v,
    )


def _area(corners: Array) -> float:
    """The area of a polygon, shape (m, 3)."""
    spokes = corners[1:] - corners[0]
    return float(np.linalg.norm(np.sum(np.cross(spokes[:-1], spokes[1:]), axis=0))) / 2.0


def _subdivided(corners: Array, points: int) -> Array:
    """A polygon's border with about so many points, and at least its corners: shape (m, 3)."""
    ends = np.roll(corners, -1, axis=0)
    lengths = np.linalg.norm(ends - corners, axis=1)
    parts = np.maximum(np.rint(points * lengths / np.sum(lengths)), 1).astype(int)
    return np.vstack(
        [
            here + (there - here) * (np.arange(many) / many)[:, None]
            for here, there, many in zip(corners, ends, parts, strict=True)
        ]
    )


def _fan(around: int, rings: int) -> NDArray[np.int64]:
    """Triangles between vertex 0 and rings of vertices around it: shape (k, 3)."""
    here = np.arange(around)
    there = np.roll(here, -1)
    triangles = [np.stack([np.zeros_like(here), 1 + here, 1 + there], axis=1)]
    for ring in range(1, rings):
        inner, outer = 1 + (ring - 1) * around, 1 + ring * around
        triangles.append(np.stack([inner + here, outer + here, outer + there], axis=1))
        triangles.append(np.stack([inner + here, outer + there, inner + there], axis=1))
    return np.vstack(triangles).astype(np.int64)
