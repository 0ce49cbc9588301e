"""How the impact of the present time is shown, so that it is found in any crowd."""

from typing import NamedTuple

import numpy as np

from spheresim.collision.impacts import OBSTACLE, Impacts
from spheresim.numerics.arrays import Booleans, Floats
from spheresim_viewer import glyphs
from spheresim_viewer.draw.primitives import Discs, LineSegments
from spheresim_viewer.draw.renderer import Picture
from spheresim_viewer.draw.spheres import sphere_colors
from spheresim_viewer.options import Options
from spheresim_viewer.stage.stage import Stage
from spheresim_viewer.timeline.sliced_answer import SlicedAnswer
from spheresim_viewer.timeline.struck import MOST, Struck

_LEAST = 0.015
_FELT = 1e-3
"""Part of the scene's speeds by which an impact must change one to be shown."""
_OUTLINE = (0.86, 0.30, 0.02, 1.0)
_PLANE = (0.55, 0.05, 0.30, 0.16)
_BEFORE = (0.38, 0.42, 0.48, 0.9)
_AFTER = (0.05, 0.30, 0.60, 1.0)
_GHOST = (0.42, 0.12, 0.60, 0.95)
_LONGEST = 0.22
"""The arrow of the fastest of the balls in question, in stage units."""


class Balls(NamedTuple):
    """All balls in stage units: centres (n, 3) and radii (n, 1)."""

    centre: Floats
    radius: Floats


def outlined(pair: Struck, balls: Balls) -> Discs:
    """A ring around each of these balls, which nothing hides."""
    size = np.maximum(balls.radius[pair.ball, 0], _LEAST)
    rings = np.stack([1.05 * size + 0.011, 1.04 * size + 0.003], axis=1)
    tint = np.broadcast_to(_OUTLINE, (len(size), 4))
    return Discs(balls.centre[pair.ball], np.zeros((len(size), 3)), rings, tint)


def planes_of_contact(stage: Stage, impacts: Impacts, radius: Floats) -> Discs:
    """The plane of contact of each impact, as a pale disc; radius (n, 1) in stage units."""
    shown = slice(0, MOST)
    point, normal = stage.to_units(impacts.point[shown]), impacts.normal[shown]
    size = np.maximum(radius[impacts.i[shown], 0], _LEAST)
    rings = np.stack([2.0 * size, 0.0 * size], axis=1)
    return Discs(point, normal, rings, np.broadcast_to(_PLANE, (len(size), 4)))


def felt(impacts: Impacts, speed: float) -> Booleans:
    """Which rows (m,) are impacts that can be seen, in a scene of such speeds: no mere contact."""
    change = np.abs(impacts.vn_after - impacts.vn_before)
    return (impacts.kind <= OBSTACLE) & (change > _FELT * speed)


def add_marks(
    picture: Picture, stage: Stage, impacts: Impacts, radius: Floats, age: Floats, options: Options
) -> None:
    """Add to a picture the explosions and contacts of impacts (m,), as old as `age`, 0 to 1."""
    if options.explosions:
        picture.discs.append(glyphs.explosions(stage, impacts, radius, age, picture.eye))
    if options.contacts:
        segments, discs = glyphs.contacts(stage, impacts, radius, age)
        picture.segments.append(segments)
        picture.discs.append(discs)


def add_impact(
    picture: Picture, stage: Stage, here: Impacts, pair: Struck, balls: Balls, speed: float
) -> None:
    """Add to a picture the present impacts: outlines, planes and velocities.

    speed: what is fast in the scene.
    """
    picture.discs.append(planes_of_contact(stage, here, balls.radius))
    picture.over.append(outlined(pair, balls))
    picture.over += velocities(pair, balls, speed)


def velocities(pair: Struck, balls: Balls, speed: float) -> list[LineSegments]:
    """Arrows: grey, to the ball, as it came; and blue, from the ball, as it goes.

    speed: what is fast in the scene; where all are slow, arrows are short.
    """
    fastest = max((float(np.linalg.norm(v, axis=1).max(initial=0.0)) for v in pair[1:]), default=0)
    if fastest == 0.0:
        return []
    fastest = max(fastest, 0.1 * speed)
    size = np.maximum(balls.radius[pair.ball], _LEAST)
    middle = balls.centre[pair.ball]
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


def add_ghosts(picture: Picture, stage: Stage, answer: SlicedAnswer, balls: Balls) -> None:
    """Add to a picture the balls where slices of time see them, and a ring around each."""
    moved = answer.magnified * answer.moved / stage.size
    places = (balls.centre[answer.pair] + moved).reshape(-1, 3)
    many = len(answer.moved)
    radii = np.tile(balls.radius[answer.pair], (many, 1))
    color = picture.color[answer.pair, :3].astype(np.float64)
    paler = 0.5 + 0.5 * np.tile(color, (many, 1)) / 255.0
    rings = np.concatenate([radii + 0.004, radii], axis=1)
    discs = Discs(places, np.zeros_like(places), rings, np.tile(_GHOST, (len(places), 1)))
    picture.ghost_balls = places, radii, sphere_colors(paler)
    picture.over.append(discs)
