"""How the impact of the present time is shown, so that it is found in any crowd."""

from typing import Any, NamedTuple

import numpy as np

from spheresim.collision.impacts import BALL, OBSTACLE
from spheresim_viewer import glyphs
from spheresim_viewer.draw.primitives import Discs, LineSegments

MOST = 20
"""Pairs at one instant that are outlined."""
_LEAST = 0.015
_FELT = 1e-3
"""Part of the scene's speeds by which an impact must change one to be shown."""
_OUTLINE = (0.86, 0.30, 0.02, 1.0)
_PLANE = (0.55, 0.05, 0.30, 0.16)
_BEFORE = (0.38, 0.42, 0.48, 0.9)
_AFTER = (0.05, 0.30, 0.60, 1.0)
_LONGEST = 0.22
"""The arrow of the fastest of the balls in question, in stage units."""


class Struck(NamedTuple):
    """Balls that are in an impact now: which (k,), and their velocities before and after (k, 3)."""

    ball: Any
    before: Any
    after: Any


def struck(impacts: Any, snapshot: Any) -> Struck:
    """The balls of the present impacts, and what these did to their velocities.

    What a ball got is impulse / mass along the normal, which points to ball i; so its velocity
    before is that after less what it got.
    """
    mass = snapshot.world.mass
    gained: dict[int, Any] = {}
    for row in range(min(len(impacts.t), MOST)):
        push = impacts.impulse[row] * impacts.normal[row]
        i, j = int(impacts.i[row]), int(impacts.other[row])
        gained[i] = gained.get(i, 0.0) + push / mass[i]
        if impacts.kind[row] == BALL:
            gained[j] = gained.get(j, 0.0) - push / mass[j]
    ball = np.array(list(gained), dtype=np.intp)
    after = snapshot.velocity[ball]
    return Struck(ball, after - np.array(list(gained.values())).reshape(-1, 3), after)


def outlined(pair: Struck, centre: Any, radius: Any) -> Discs:
    """A ring around each of these balls, which nothing hides; centre (n, 3), radius (n, 1)."""
    size = np.maximum(radius[pair.ball, 0], _LEAST)
    rings = np.stack([1.05 * size + 0.011, 1.04 * size + 0.003], axis=1)
    tint = np.broadcast_to(_OUTLINE, (len(size), 4))
    return Discs(centre[pair.ball], np.zeros((len(size), 3)), rings, tint)


def planes_of_contact(stage: Any, impacts: Any, radius: Any) -> Discs:
    """The plane of contact of each impact, as a pale disc; radius (n, 1) in stage units."""
    shown = slice(0, MOST)
    point, normal = stage.to_units(impacts.point[shown]), impacts.normal[shown]
    size = np.maximum(radius[impacts.i[shown], 0], _LEAST)
    rings = np.stack([2.0 * size, 0.0 * size], axis=1)
    return Discs(point, normal, rings, np.broadcast_to(_PLANE, (len(size), 4)))


def felt(impacts: Any, speed: float) -> Any:
    """Which rows (m,) are impacts that can be seen, in a scene of such speeds: no mere contact."""
    change = np.abs(impacts.vn_after - impacts.vn_before)
    seen: Any = (impacts.kind <= OBSTACLE) & (change > _FELT * speed)
    return seen


def velocities(pair: Struck, centre: Any, radius: Any, speed: float) -> list[LineSegments]:
    """Arrows: grey, to the ball, as it came; and blue, from the ball, as it goes.

    speed: what is fast in the scene; where all are slow, arrows are short.
    """
    fastest = max((float(np.linalg.norm(v, axis=1).max(initial=0.0)) for v in pair[1:]), default=0)
    if fastest == 0.0:
        return []
    fastest = max(fastest, 0.1 * speed)
    size = np.maximum(radius[pair.ball], _LEAST)
    middle = centre[pair.ball]
    parts = []
    for velocity, color, comes in ((pair.before, _BEFORE, True), (pair.after, _AFTER, False)):
        along = velocity * (_LONGEST / fastest)
        length = np.linalg.norm(along, axis=1)
        moving = length > 1e-4
        unit = along[moving] / length[moving, None]
        rim = (-1.25 if comes else 1.25) * size[moving] * unit
        start = middle[moving] + rim - (along[moving] if comes else 0.0)
        parts.append(glyphs.pointing(start, start + along[moving], color))
    return parts
