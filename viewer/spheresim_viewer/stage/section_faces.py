"""Where the border of the stage cuts pillars: closed faces, which are hatched as in a section."""

import numpy as np

from spheresim_viewer.stage.clip import TOUCHING, Array, Region, clip_polygon
from spheresim_viewer.stage.surface import Owner, StageCylinder, Surface, tangents

_AROUND = 96
"""Corners of the ellipse in which a plane cuts a pillar."""
_ALONG = 1e-3
"""Cosine between a side and a pillar's axis below which the cut is a strip along the pillar."""


def cuts_of_cylinder(owner: Owner, cylinder: StageCylinder, region: Region) -> list[Surface]:
    """The faces at which the sides of a region cut a solid cylinder."""
    found, axis = [], cylinder.axis
    for side in _different_sides(region):
        normal, d = region.normal[side], float(region.d[side])
        slope = float(normal @ axis)
        if abs(slope) > _ALONG:
            polygon = _ellipse(cylinder, normal, d)
        else:
            polygon = _strip(cylinder, normal, d)
        others = np.arange(len(region.d)) != side
        if len(polygon):
            polygon = clip_polygon(polygon, Region(region.normal[others], region.d[others]))
        if len(polygon) >= 3:
            found.append(_face(owner, polygon, -normal))
    return found


def _different_sides(region: Region) -> list[int]:
    """The sides of a region; of those that are the same, a wall and a side of the box, one."""
    planes = np.column_stack([region.normal, region.d])
    kept: list[int] = []
    for side, plane in enumerate(planes):
        if all(np.abs(planes[other] - plane).max() > TOUCHING for other in kept):
            kept.append(side)
    return kept


def _ellipse(cylinder: StageCylinder, normal: Array, d: float) -> Array:
    """The border of the face in which the plane normal·x = d cuts the cylinder: (m, 3)."""
    point, axis, radius = cylinder
    u, v = tangents(axis, np.array([0.0, 1.0, 0.0]))
    turn = 2.0 * np.pi * np.arange(_AROUND) / _AROUND
    around = point + radius * (np.cos(turn)[:, None] * u + np.sin(turn)[:, None] * v)
    return around + ((d - around @ normal) / (normal @ axis))[:, None] * axis


def _strip(cylinder: StageCylinder, normal: Array, d: float) -> Array:
    """The same where the plane is parallel to the axis: a strip that is longer than the stage."""
    point, axis, radius = cylinder
    off = d - float(point @ normal)
    if abs(off) >= radius - TOUCHING:
        return np.empty((0, 3))
    half = float(np.sqrt(radius * radius - off * off))
    across = np.cross(normal, axis)
    middle = point - axis * (point @ axis) + off * normal
    corners = [(-half, -3.0), (half, -3.0), (half, 3.0), (-half, 3.0)]
    return np.array([middle + a * across + b * axis for a, b in corners])


def _face(owner: Owner, polygon: Array, normal: Array) -> Surface:
    """A convex polygon as a surface that is seen from where its normal points."""
    u, v = tangents(normal, np.array([0.0, 1.0, 0.0]))
    centre = polygon.mean(axis=0)
    turn = np.arctan2((polygon - centre) @ v, (polygon - centre) @ u)
    border = polygon[np.argsort(turn)]
    count = len(border)
    outline = np.stack([border, np.roll(border, -1, axis=0)], axis=1)
    corner = np.arange(1, count - 1)
    triangles = np.stack([np.zeros_like(corner), corner, corner + 1], axis=1)
    return Surface(
        "cut",
        *owner,
        border,
        np.broadcast_to(normal, border.shape).copy(),
        triangles.astype(np.int64),
        np.zeros(count),
        outline,
        np.zeros((count, 2)),
        u,
        v,
    )
