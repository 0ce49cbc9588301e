"""The mesh of one obstacle, and how it fades at the open sides of the stage."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spheresim_viewer.stage.clip import TOUCHING, Array, Region


class Owner(NamedTuple):
    """The obstacle that a surface is of: its number, and its name."""

    number: int
    name: str


class StageCylinder(NamedTuple):
    """An infinite cylinder in stage units: a point on its axis, the axis, a unit vector, (3,) each,
    and its radius."""

    point: Array
    axis: Array
    radius: float


@dataclass(frozen=True, eq=False)
class Surface:
    """The visible part of one obstacle.

    kind: "plane", "pillar", "tube", "pane" for glass, or "cut" where a pillar is cut open;
    index: the obstacle's;
    vertices: shape (m, 3), world coordinates;
    normals: shape (m, 3), unit vectors to the open side;
    triangles: shape (k, 3), counter-clockwise seen from the open side;
    fade: shape (m,), from 0 inside to 1 at an open side, where the surface is invisible;
    outline: shape (s, 2, 3), segments of the border; outline_fade: shape (s, 2);
    u, v: unit tangents of a plane, u level and u × v the normal; None for a cylinder.
    """

    kind: str
    index: int
    name: str
    vertices: Array
    normals: Array
    triangles: NDArray[np.int64]
    fade: Array
    outline: Array
    outline_fade: Array
    u: Array | None = None
    v: Array | None = None

    @property
    def encloses(self) -> bool:
        """Whether balls are inside of what it belongs to."""
        return self.kind == "tube"

    def in_world(self, centre: Array, size: float) -> "Surface":
        """The same surface in world coordinates."""
        return replace(
            self, vertices=centre + size * self.vertices, outline=centre + size * self.outline
        )

    def turned(self) -> "Surface":
        """The same surface, seen from its other side."""
        return replace(self, normals=-self.normals, triangles=self.triangles[:, ::-1])


class Fading:
    """How surfaces fade towards the open sides of the box."""

    def __init__(self, sides: Region, depth: Array) -> None:
        """sides: the open sides, q of them; depth: shape (q,), over which surfaces fade."""
        self._sides, self._depth = sides, depth

    def touches(self, border: Array) -> bool:
        """Whether any point of a border (m, 3) lies in an open side."""
        return bool(np.any(self._sides.depth(border) < TOUCHING))

    def at(self, points: Array, border: Array) -> Array:
        """The fade of points (m, 3) of a surface with a border, shape (m,)."""
        open_here = np.any(self._sides.depth(border) < TOUCHING, axis=0)
        nearness = np.clip(1.0 - self._sides.depth(points) / self._depth, 0.0, 1.0)[:, open_here]
        smooth = nearness * nearness * (3.0 - 2.0 * nearness)
        return 1.0 - np.prod(1.0 - smooth, axis=1)


def tangents(normal: Array, up: Array) -> tuple[Array, Array]:
    """Unit vectors u, v in a plane with u × v the normal; u is level unless the plane is."""
    u = np.cross(up, normal)
    if np.linalg.norm(u) < 1e-6:
        u = np.eye(3)[int(np.argmin(np.abs(normal)))]
        u = u - normal * np.dot(u, normal)
    u = u / np.linalg.norm(u)
    return u, np.cross(normal, u)


def with_area(triangles: NDArray[np.int64], vertices: Array) -> NDArray[np.int64]:
    """The triangles (k, 3) that are not degenerate."""
    a, b, c = (vertices[triangles[:, corner]] for corner in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return triangles[area > 1e-12]


def grid_places(surface: Surface, grid: float) -> Array:
    """Where the vertices of a plane lie in units of its grid, shape (m, 2); 0 without a grid.

    Whole grid squares are taken off, for float32 would round positions far from the origin.
    """
    if surface.u is None or surface.v is None:
        return np.zeros((len(surface.vertices), 2))
    place: Array = surface.vertices @ np.stack([surface.u, surface.v], axis=1) / grid
    return place - np.round(place.mean(axis=0) / 5.0) * 5.0
