"""Smooth ways from one frame to the next, where what happens between is not known in full."""

from typing import Any

import numpy as np

from spheresim.record.replayed import Replayed


def still(here: Replayed, there: Replayed) -> Any:
    """Which balls do not move from one frame to the next: (n,) bool."""
    moves = here.velocity.any(axis=1) | there.velocity.any(axis=1)
    return ~moves & (here.position == there.position).all(axis=1)


def distances(found: Replayed, there: Replayed) -> Any:
    """How far balls of one state are from those of another: (n,)."""
    return np.linalg.norm(found.position - there.position, axis=1)


def make_up(position: Any, velocity: Any, missed: tuple[Any, Any], s: float, span: float) -> None:
    """Add to flights what they will miss, by the cubic (Hermite's) that begins with nothing.

    s: the part of the span between two frames that has gone. A ball that lies, which would fall
    but for what pushes it, lies still by this, since what it would fall is a parabola.
    """
    dx, dv = missed
    position += (s * s * (3.0 - 2.0 * s)) * dx + (span * s * s * (s - 1.0)) * dv
    velocity += (6.0 * s * (1.0 - s) / span) * dx + (s * (3.0 * s - 2.0)) * dv
