"""Framing: how far away the eye must be to see some points in the free part of a picture."""

from collections.abc import Iterable, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from spheresim_viewer.camera.pose import HALF, Array


class Area(NamedTuple):
    """A part of a picture, in normalised device coordinates: from −1 to 1 is the whole of it."""

    left: float = -1.0
    right: float = 1.0
    bottom: float = -1.0
    top: float = 1.0

    @property
    def centre(self) -> tuple[float, float]:
        """Its middle."""
        return 0.5 * (self.left + self.right), 0.5 * (self.bottom + self.top)

    @property
    def half(self) -> tuple[float, float]:
        """Half its width and half its height."""
        return 0.5 * (self.right - self.left), 0.5 * (self.top - self.bottom)


WHOLE = Area()


_ROUNDS = 12
"""Each leaves a third of the error, or less."""


class Framed(NamedTuple):
    """The eye that sees some points: its distance, and its place across the line of sight."""

    distance: float
    right: float
    up: float


def framed(points: Array, aspect: float, area: Area, filled: float) -> Framed:
    """The nearest eye that sees all points, shape (3, m), in the part `filled` of an area.

    The points are given along the picture's axes right, up and towards the eye, and so is the
    eye. Each of the four sides of the area is a plane through the eye that all points must lie
    inside of. They touch the points on two opposite sides; what they leave free on the other two
    is shared out equally.
    """
    x, y, z = points
    half = area.half
    wide, tall = HALF * filled * half[0] * aspect, HALF * filled * half[1]
    near_right, near_left = float(np.max(x + wide * z)), float(np.max(wide * z - x))
    near_top, near_bottom = float(np.max(y + tall * z)), float(np.max(tall * z - y))
    distance = max((near_right + near_left) / (2.0 * wide), (near_top + near_bottom) / (2.0 * tall))
    across = _centred(x, z, distance, 0.5 * (near_right - near_left))
    upwards = _centred(y, z, distance, 0.5 * (near_top - near_bottom))
    return Framed(distance, across, upwards)


def _centred(places: Array, depths: Array, distance: float, start: float) -> float:
    """The eye's place on an axis from which the outermost points are seen equally far out."""
    away = distance - depths
    for _ in range(_ROUNDS):
        seen = (places - start) / away
        start += 0.5 * float(seen.max() + seen.min()) * float(away.mean())
    return start


class Cover(NamedTuple):
    """A panel over a picture: its edges in normalised device coordinates, and the sides of the
    picture ("left", "right", "bottom", "top") that may be given up to it."""

    area: Area
    sides: Sequence[str]


LEAST_FREE = 0.25
"""Part of the picture's width and height that is never given up to panels."""


def free_areas(covers: Iterable[Cover]) -> list[Area]:
    """The areas that no panel covers: one for each choice of the sides that are given up.

    The whole picture, if panels leave too little of it.
    """
    areas = []
    choices = [[(cover.area, side) for side in cover.sides] for cover in covers]
    for sides in product(*choices):
        left, right, bottom, top = WHOLE
        for area, side in sides:
            left = max(left, area.right) if side == "left" else left
            right = min(right, area.left) if side == "right" else right
            bottom = max(bottom, area.top) if side == "bottom" else bottom
            top = min(top, area.bottom) if side == "top" else top
        areas.append(Area(left, right, bottom, top))
    large = [area for area in areas if min(area.half) >= LEAST_FREE]
    return list(dict.fromkeys(large)) or [WHOLE]
