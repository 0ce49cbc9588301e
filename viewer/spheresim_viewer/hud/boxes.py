"""Boxes on the screen, in points from its lower left corner."""

import math
from collections.abc import Sequence
from typing import NamedTuple

Box = tuple[float, float, float, float]
"""The left and lower edge, the width and the height, in points."""


def holds(box: Box, x: float, y: float) -> bool:
    """Whether a point is inside a rectangle."""
    return 0 <= x - box[0] <= box[2] and 0 <= y - box[1] <= box[3]


def top_of(boxes: Sequence[Box], left: float = -math.inf, right: float = math.inf) -> float:
    """The upper edge of the highest box that reaches between two places across; 0 if none does."""
    between = (box for box in boxes if box[0] < right and box[0] + box[2] > left)
    return max((low + tall for _, low, _, tall in between), default=0.0)


class Room(NamedTuple):
    """Where there is room for cards: over what stands at the foot, and up to an edge on the
    right."""

    below: Sequence[Box]
    right: float
