"""How a throw that is being aimed is shown: the ball, and the way that it will go."""

from typing import Any

import numpy as np

from spheresim_viewer import glyphs
from spheresim_viewer.draw.primitives import Discs
from spheresim_viewer.draw.renderer import Picture
from spheresim_viewer.draw.spheres import sphere_colors
from spheresim_viewer.stage.stage import Stage

_COLOR = (0.05, 0.35, 0.65)
_LEAST = 0.01
_BEADS = 24
"""The most rings along the way."""


def add_throw(picture: Picture, stage: Stage, throw: Any) -> None:
    """Add a throw to a picture: nothing hides the way, since it is what one aims by."""
    way = stage.to_units(throw.forecast.way)
    radius = throw.ball.radius / stage.size
    picture.ghost_balls = way[:1], np.array([[radius]]), sphere_colors(np.array([_COLOR]))
    picture.over.append(glyphs.lines(way[:-1], way[1:], (*_COLOR, 0.9), (2.2, 2.2)))
    beads = way[:: max(1, len(way) // _BEADS)][1:]
    size = max(radius, _LEAST)
    rings = np.tile((size, 0.86 * size), (len(beads), 1))
    picture.over.append(
        Discs(beads, np.zeros_like(beads), rings, np.tile((*_COLOR, 0.35), (len(beads), 1)))
    )
    start = np.array([[size * 1.12 + 0.004, size * 1.04]])
    picture.over.append(Discs(way[:1], np.zeros((1, 3)), start, np.array([(*_COLOR, 1.0)])))
    flight = np.array(throw.ball.velocity)
    speed = float(np.linalg.norm(flight))
    if speed > 0.0:
        tip = way[:1] + flight / speed * (0.12 + size)
        picture.over.append(glyphs.pointing(way[:1], tip, (*_COLOR, 1.0)))
