"""Glyphs drawn beside the balls: outlines, trails, velocity arrows, contacts, explosions.

All lengths in stage units (see `Stage.to_units`), all colors from 0 to 1.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from spheresim.collision.impacts import BALL, Impacts
from spheresim.numerics.arrays import Floats
from spheresim.obstacles.plane import Plane
from spheresim.obstacles.sphere import Sphere
from spheresim_viewer.draw.primitives import Discs, LineSegments
from spheresim_viewer.stage.stage import Stage, box_corners
from spheresim_viewer.stage.surface import Surface
from spheresim_viewer.timeline.orientation import axes_of

_CROWD = 50
"""The number of arrows from which on they are drawn thinner."""
_LARGE = 0.03
"""The radius from which on a ball gets an arrow of full width."""
_OUTLINE = (0.30, 0.35, 0.42, 0.55)
_ENCLOSING = (0.22, 0.27, 0.34, 0.9)
"""The borders of what balls are inside of: an open end is seen by its rim alone."""
_RIM = 0.003
"""Half the width of a bowl's outline."""
_ARROW = (0.13, 0.17, 0.22, 0.95)
_CONTACT = (0.55, 0.05, 0.30, 1.0)
_DROP = (0.20, 0.24, 0.30, 0.65)
_TRAIL = 0.82
"""Trails are that much darker than their balls: thin lines look paler."""
_SPIN_MARK = (0.13, 0.17, 0.22, 0.55)
_SPIN_MARK_RADIUS = 0.24
"""Of a mark on a ball that spins, in radii of the ball; marks are a little off its surface."""
_BLAST = (0.16, 0.20, 0.27)
_LARGEST_BLAST = 0.06
"""The radius from which on balls have no larger rings where they hit something."""
_LEAST_FACING = 0.4
"""Cosine of the angle between the view and the normal of a surface, down to which it does not cut
off such a ring."""
_PICKED = (0.05, 0.35, 0.65, 1.0)


def lines(
    start: Floats, end: Floats, color: npt.ArrayLike, width: npt.ArrayLike = (1.0, 1.0)
) -> LineSegments:
    """Lines from start (n, 3) to end (n, 3); color and width are for all or for each."""
    n = len(start)
    colors = np.broadcast_to(color, (n, 4))
    return LineSegments(start, end, np.broadcast_to(width, (n, 2)), colors, colors)


def spin_marks(centre: Floats, radius: Floats, orientation: Floats) -> Discs:
    """Marks on balls that show how they are turned: discs at the corners of a cube inside, of
    which one is a ring."""
    x, y, z = np.moveaxis(axes_of(orientation), 1, 0)
    signs = [(a, b, c) for a in (1, -1) for b in (1, -1) for c in (1, -1)]
    normal = np.stack([a * x + b * y + c * z for a, b, c in signs], axis=1).reshape(-1, 3)
    normal /= np.sqrt(3.0)
    size, rings = np.repeat(radius[:, 0], 8), np.tile([0.6, *[0.0] * 7], len(radius))
    outer = _SPIN_MARK_RADIUS * size
    return Discs(
        np.repeat(centre, 8, axis=0) + normal * (1.02 * size)[:, None],
        normal,
        np.stack([outer, rings * outer], axis=1),
        np.broadcast_to(_SPIN_MARK, (len(normal), 4)),
    )


def outlines(stage: Stage, surfaces: list[Surface], box: Any = None) -> LineSegments:
    """The borders of the obstacles' surfaces, and the edges of a periodic box.

    Walls between the camera and the scene are not drawn: their borders show where they are.
    """
    edges = np.concatenate([np.empty((0, 2, 3)), *(surface.outline for surface in surfaces)])
    faded = np.concatenate([np.empty((0, 2)), *(surface.outline_fade for surface in surfaces)])
    if box is not None:
        places = box_corners(box.low, box.low + box.size)
        pairs = [(i, i | bit) for i in range(8) for bit in (1, 2, 4) if not i & bit]
        edges = np.concatenate([edges, places[np.array(pairs)]])
        faded = np.concatenate([faded, np.zeros((len(pairs), 2))])
    ends = stage.to_units(edges.reshape(-1, 3)).reshape(-1, 2, 3)
    own = [surface.encloses for surface in surfaces for _ in surface.outline]
    encloses = np.zeros(len(edges), np.bool_)
    encloses[: len(own)] = own
    color = np.where(encloses[:, None], _ENCLOSING, _OUTLINE)
    drawn = lines(ends[:, 0], ends[:, 1], color, np.where(encloses, 2.0, 1.2)[:, None])
    tint = np.repeat(drawn.start_color[:, None], 2, axis=1)
    least = np.where(encloses, 0.7, 0.2)[:, None]  # of walls, a hint of where they were
    tint[..., 3] *= np.maximum(1.0 - faded, least)
    return drawn._replace(start_color=tint[:, 0], end_color=tint[:, 1])


def rims(stage: Stage, eye: Floats) -> Discs:
    """The outlines of the spheres that are seen from inside, from an eye outside of them."""
    bowls = [
        (*stage.to_units(np.array(shape.center)), shape.radius / stage.size)
        for index in sorted(stage.tubes)
        if isinstance(shape := stage.obstacles[index].shape, Sphere)
    ]
    found = np.array(bowls).reshape(-1, 4)
    centre, radius = found[:, :3], found[:, 3]
    away = eye - centre
    distance = np.linalg.norm(away, axis=1)
    some = distance > radius
    part = radius[some] / distance[some]
    size = radius[some] * np.sqrt(1.0 - part * part)
    rings = np.stack([size + _RIM, size - _RIM], axis=1)
    place = centre[some] + part[:, None] ** 2 * away[some]
    facing = away[some] / distance[some, None]
    return Discs(place, facing, rings, np.broadcast_to(_ENCLOSING, (len(size), 4)))


def arrows(centre: Floats, velocity: Floats, radius: Floats, largest: float) -> LineSegments:
    """Arrows for velocities; at the `largest` speed an arrow is a fifth of the stage long."""
    if largest <= 0.0:
        return lines(centre[:0], centre[:0], _ARROW)
    along = velocity * (0.4 / largest)
    length = np.linalg.norm(along, axis=1)
    moving = length > 1e-6
    centre, along = centre[moving], along[moving]
    length = length[moving, None]
    start = centre + along / length * radius[moving]
    # Heads no wider than balls
    bold = np.clip(radius[moving] / _LARGE, 0.4, 1.0 if len(centre) <= _CROWD else 0.6)
    head = start + along * np.maximum(0.0, 1.0 - 0.03 * bold / length)
    shaft = lines(start, head, _ARROW, bold * (1.8, 1.8))
    point = lines(head, start + along, _ARROW, bold * (7.0, 0.0))
    return LineSegments(*(np.concatenate(pair) for pair in zip(shaft, point, strict=True)))


def pointing(start: Floats, end: Floats, color: npt.ArrayLike) -> LineSegments:
    """Arrows from start (n, 3) to end (n, 3), in one color."""
    along = end - start
    length = np.linalg.norm(along, axis=1)[:, None]
    head = start + along * np.maximum(0.0, 1.0 - 0.03 / np.maximum(length, 1e-12))
    shaft, point = lines(start, head, color, (2.6, 2.6)), lines(head, end, color, (10.0, 0.0))
    return LineSegments(*(np.concatenate(pair) for pair in zip(shaft, point, strict=True)))


def drop_lines(stage: Stage, position: Floats, radius: Floats) -> tuple[LineSegments, Discs]:
    """A line from each ball straight down to the floor below it, and a dot where it ends.

    position (n, 3) and radius (n,) in world units. Without a floor they end at the stage's
    lowest corner.
    """
    up = np.asarray(stage.up)
    fall = (position - stage.centre) @ up - float(((stage.corners - stage.centre) @ up).min())
    for obstacle in stage.obstacles:
        if isinstance(obstacle.shape, Plane) and (slope := float(up @ obstacle.shape.normal)) > 0.3:
            there = obstacle.shape.gaps(position) / slope
            fall = np.where((there > 0.0) & (there < fall), there, fall)
    foot = position - np.maximum(fall, 0.0)[:, None] * up
    some = fall > radius
    low, high = stage.to_units(foot[some]), stage.to_units(position[some])
    dots = np.stack([0.35 * radius[some], 0.0 * radius[some]], axis=1) / stage.size
    n = len(low)
    return (
        lines(high, low, _DROP, (1.4, 1.4)),
        Discs(low, np.broadcast_to(up, (n, 3)), dots, np.broadcast_to(_DROP, (n, 4))),
    )


def trails(paths: Floats, color: Floats) -> LineSegments:
    """Paths (m, n, 3) of n balls at m times, in their colors (n, 3), paler where older."""
    m, n = paths.shape[:2]
    if m < 2:
        empty = np.empty((0, 3))
        return lines(empty, empty, _ARROW)
    age = np.linspace(0.0, 0.85, m) ** 1.5
    jumps = np.abs(np.diff(paths, axis=0)).max(axis=2) > 0.3  # across a periodic boundary

    def faded(strength: Floats) -> Floats:
        tint = np.empty((m - 1, n, 4))
        tint[..., :3] = _TRAIL * color
        tint[..., 3] = np.where(jumps, 0.0, strength[:, None])
        return tint.reshape(-1, 4)

    return LineSegments(
        paths[:-1].reshape(-1, 3),
        paths[1:].reshape(-1, 3),
        np.broadcast_to((2.0, 2.0), ((m - 1) * n, 2)),
        faded(age[:-1]),
        faded(age[1:]),
    )


def contacts(
    stage: Stage, impacts: Impacts, radius: Floats, age: Floats, least: float = 0.0
) -> tuple[LineSegments, Discs]:
    """A ring in the tangent plane at each contact point, and an arrow along the normal.

    age: from 0 (now) to 1 (invisible); least: the radius for which glyphs of smaller balls
    are drawn, in stage units.
    """
    point = stage.to_units(impacts.point)
    size = np.maximum(_smaller_radius(impacts, radius) / stage.size, least)
    tint = np.empty((len(point), 4))
    tint[:] = _CONTACT
    tint[:, 3] = np.maximum(0.0, 1.0 - age)
    tip = point + impacts.normal * (2.8 * size + 0.02)[:, None]  # beyond the ball
    neck = point + impacts.normal * (2.4 * size)[:, None]
    shaft = LineSegments(point, neck, np.full((len(point), 2), 2.2), tint, tint)
    head = LineSegments(neck, tip, np.tile((8.0, 0.0), (len(point), 1)), tint, tint)
    rings = Discs(point, impacts.normal, np.stack([0.55 * size, 0.42 * size], axis=1), tint)
    both = LineSegments(*(np.concatenate(pair) for pair in zip(shaft, head, strict=True)))
    return both, rings


def explosions(stage: Stage, impacts: Impacts, radius: Floats, age: Floats, eye: Floats) -> Discs:
    """The tutorial's explosions: rings that grow and fade where an impact was, facing the eye.

    Only the newest impact of a ball with the same obstacle or ball has one: together they would be
    a black spot. eye: (3,) in stage units.
    """
    # Newest first, for which `unique` looks
    pairs = np.stack([impacts.kind, impacts.i, impacts.other], axis=1)[::-1]
    newest = len(pairs) - 1 - np.unique(pairs, axis=0, return_index=True)[1]
    impacts, age = impacts.taken(newest), age[newest]
    # Sizes: a ball may be as large as the picture
    ball = _smaller_radius(impacts, radius) / stage.size
    outer = np.minimum(ball, _LARGEST_BLAST) * (0.5 + 2.0 * np.sqrt(age))
    inner = outer * np.minimum(0.95, 0.35 + 0.7 * age)
    # Nearer to the eye by more than `outer`, as a disc is drawn, and as much smaller: else the ball
    # and the surface would cut them off
    point = stage.to_units(impacts.point)
    away = eye - point
    distance = np.linalg.norm(away, axis=1)
    facing = np.abs(np.einsum("ij,ij->i", away, impacts.normal)) / distance
    slope = np.sqrt(np.clip(facing, _LEAST_FACING, 1.0) ** -2.0 - 1.0)
    behind = np.maximum(ball * (1.0 + facing), outer * slope)
    nearer = np.clip((behind - outer) / (distance - outer), 0.0, 0.5)
    tint = np.empty((len(point), 4))
    tint[:, :3] = _BLAST
    tint[:, 3] = 0.8 * (1.0 - age) ** 2
    rings = np.stack([outer, inner], axis=1) * (1.0 - nearer)[:, None]
    return Discs(point + nearer[:, None] * away, np.zeros_like(point), rings, tint)


def halo(centre: Floats, radius: float) -> Discs:
    """A ring around the picked ball."""
    size = np.array([[1.16 * radius + 0.004, 1.08 * radius + 0.001]])
    return Discs(centre[None], np.zeros((1, 3)), size, np.array([_PICKED]))


def _smaller_radius(impacts: Impacts, radius: Floats) -> Floats:
    """The smaller radius of the balls in contact, shape (m,)."""
    other = np.where(impacts.kind == BALL, impacts.other, impacts.i)
    return np.minimum(radius[impacts.i], radius[other])
