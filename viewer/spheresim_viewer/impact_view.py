"""How the impact of the present time is shown, so that it is found in any crowd."""

from typing import Any

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


def outlined(pair: Struck, centre: Floats, radius: Floats) -> Discs:
    """A ring around each of these balls, which nothing hides; centre (n, 3), radius (n, 1)."""
    size = np.maximum(radius[pair.ball, 0], _LEAST)
    rings = np.stack([1.05 * size + 0.011, 1.04 * size + 0.003], axis=1)
    tint = np.broadcast_to(_OUTLINE, (len(size), 4))
    return Discs(centre[pair.ball], np.zeros((len(size), 3)), rings, tint)


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
    seen: Booleans = (impacts.kind <= OBSTACLE) & (change > _FELT * speed)
    return seen


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
    picture: Picture,
    stage: Stage,
    here: Impacts,
    pair: Struck,
    centre: Floats,
    radius: Floats,
    speed: float,
    sliced: SlicedAnswer | None,
) -> None:
    """Add to a picture the present impacts: outlines, planes, velocities, the answer of slices.

    centre (n, 3), radius (n, 1): of all balls, in stage units.
    """
    picture.discs.append(planes_of_contact(stage, here, radius))
    picture.over.append(outlined(pair, centre, radius))
    picture.over += velocities(pair, centre, radius, speed)
    if sliced is not None:
        picture.ghost_balls, rings = ghosts(sliced, centre, radius, picture.color, stage.size)
        picture.over.append(rings)


def velocities(pair: Struck, centre: Floats, radius: Floats, speed: float) -> list[LineSegments]:
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


def ghosts(
    answer: SlicedAnswer, centre: Floats, radius: Floats, color: np.ndarray, size: float
) -> Any:
    """Places (m, 3), radii (m, 1) and colors (m, 4) of the ghosts, and a ring around each.

    centre (n, 3), radius (n, 1), color (n, 4): of all balls, in stage units; size: of the stage.
    """
    places = (centre[answer.pair] + answer.magnified * answer.moved / size).reshape(-1, 3)
    many = len(answer.moved)
    radii = np.tile(radius[answer.pair], (many, 1))
    paler = 0.5 + 0.5 * np.tile(color[answer.pair, :3], (many, 1)) / 255.0
    rings = np.concatenate([radii + 0.004, radii], axis=1)
    discs = Discs(places, np.zeros_like(places), rings, np.tile(_GHOST, (len(places), 1)))
    return (places, radii, sphere_colors(paler)), discs
