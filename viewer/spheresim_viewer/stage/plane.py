"""The visible part of a plane: a convex polygon, divided into rings."""

import numpy as np
from numpy.typing import NDArray

from spheresim_viewer.stage.clip import TOUCHING, Array, Region, clip_polygon
from spheresim_viewer.stage.hidden import denser_rings
from spheresim_viewer.stage.surface import Fading, Owner, Surface, tangents, with_area

RINGS, BORDER = 24, 96  # from the middle to the border, and points along it, approximately
CLOSED_RINGS, CLOSED_BORDER = 12, 64
"""Where nothing fades fewer do: where the processor draws, each triangle takes its time."""


def plane_surface(
    owner: Owner, point: Array, normal: Array, region: Region, fading: Fading, up: Array
) -> Surface | None:
    """The part of a plane in a region, or None: rings of triangles around its middle."""
    # Clip a square larger than the stage
    u, v = tangents(normal, up)
    middle = normal * np.dot(point, normal)
    square = middle + 1.5 * np.array([-u - v, u - v, u + v, v - u])
    corners = clip_polygon(square, region)
    if len(corners) == 0 or _area(corners) < TOUCHING:
        return None
    # Rings of vertices from the middle to the border, for it fades or is darker in corners
    opens = fading.touches(corners)
    border = _subdivided(corners, BORDER if opens else CLOSED_BORDER)
    rings = np.linspace(0.0, 1.0, RINGS + 1)[1:] if opens else denser_rings(CLOSED_RINGS)
    centre = np.mean(corners, axis=0)
    vertices = np.vstack([centre, *(centre + ring * (border - centre) for ring in rings)])
    # The border as line segments
    outline = np.stack([border, np.roll(border, -1, axis=0)], axis=1)
    return Surface(
        "plane",
        *owner,
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
    """The area of a polygon with corners (m, 3)."""
    spokes = corners[1:] - corners[0]
    return float(np.linalg.norm(np.sum(np.cross(spokes[:-1], spokes[1:]), axis=0))) / 2.0


def _subdivided(corners: Array, points: int) -> Array:
    """Points along a polygon's border, about `points` of them, with all corners: shape (m, 3)."""
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
    """Triangles of vertex 0 and the rings of vertices around it: shape (k, 3)."""
    here = np.arange(around)
    there = np.roll(here, -1)
    triangles = [np.stack([np.zeros_like(here), 1 + here, 1 + there], axis=1)]
    for ring in range(1, rings):
        inner, outer = 1 + (ring - 1) * around, 1 + ring * around
        triangles.append(np.stack([inner + here, outer + here, outer + there], axis=1))
        triangles.append(np.stack([inner + here, outer + there, inner + there], axis=1))
    return np.vstack(triangles).astype(np.int64)
