"""The lesson on features: the Voronoi regions of a body, and coherence."""

import math

import numpy as np
import numpy.typing as npt

from spheresim.convex import Body, VoronoiRegions, polygon
from spheresim.convex.voronoi import NearestFeature
from spheresim.numerics.arrays import Floats
from spheresim_viewer.hud.colors import Color
from spheresim_viewer.lessons.bodies import outline
from spheresim_viewer.lessons.colors import (
    AMBER,
    BLUE,
    GREEN,
    GREEN_INK,
    INK,
    LINE,
    RED,
    RED_INK,
    VIOLET,
    faded,
)
from spheresim_viewer.lessons.diagram import Diagram
from spheresim_viewer.lessons.drawing import number
from spheresim_viewer.lessons.exercise import Drag, Exercise, Press
from spheresim_viewer.lessons.lesson import Figure, Handle, Key, Lesson
from spheresim_viewer.lessons.rectangle import Rectangle

_CORNERS = 14
_TURN = np.linspace(0.0, 2.0 * math.pi, _CORNERS, endpoint=False)
_BODY: Body = polygon(np.stack([2.6 * np.cos(_TURN), 1.7 * np.sin(_TURN)], axis=1))
_REGIONS = VoronoiRegions(_BODY)
_FAR = 20.0
_WALK, _PACE = 96, 24.0
"""Places on the way around, and how many of them a second."""


class FeaturesLesson(Lesson, words="features"):
    """A point near a polygon, and the corner or edge that is nearest to it."""

    region = Rectangle(-6.0, -4.2, 6.0, 4.2)

    def __init__(self) -> None:
        self.place = np.array((4.0, 2.6))
        self._answer: NearestFeature = _REGIONS.nearest(tuple(self.place))
        self._restart()

    # --- What there is ---

    def exercises(self) -> list[Exercise]:
        """Regions first, then the walk."""
        return [
            Exercise(Drag("P", (-4.4, 1.6)), lambda: self.place[0] < -2.0, self._begin),
            Exercise(
                Drag("P", (4.6, 0.1)),
                lambda: self._kind() == "vertex" and float(self._answer.point[0]) > 2.55,
                self._begin,
            ),
            Exercise(Drag("P", (0.9, 0.5)), lambda: float(self._answer.gap) < 0.0, self._begin),
            Exercise(Press("space"), lambda: self.walked >= _WALK, self._begin),
        ]

    def handles(self) -> list[Handle]:
        """The point."""
        return [Handle("P", self.place, self._move)]

    def controls(self) -> list[Key]:
        """Around the body."""
        return [Key("space", "P goes around the body", self._walk)]

    def figures(self) -> list[Figure]:
        """The feature, its distance, and what it took to find it."""
        gap, ink = float(self._answer.gap), GREEN_INK
        if gap < 0.0:
            ink = RED_INK
        per = f"{self.kept / self.asked:.2f}", f"{self.anew / self.asked:.2f}"
        return [
            Figure("nearest feature", self._name(), swatch=VIOLET),
            Figure("distance", number(gap), ink, GREEN if gap >= 0.0 else RED),
            Figure("looks, just now", str(int(self._answer.steps))),
            Figure("mean, remembering", per[0], GREEN_INK),
            Figure("mean, from anew", per[1], RED_INK),
        ]

    # --- The picture ---

    def draw(self, diagram: Diagram) -> None:
        """Draw the body, its regions, and the nearest feature."""
        corners, number_of = outline(_BODY), int(self._answer.feature)
        self._draw_regions(diagram, corners, number_of)
        diagram.polygon(corners, faded(AMBER, 0.75))
        diagram.outline(corners, AMBER, 2.0)
        color = GREEN if float(self._answer.gap) >= 0.0 else RED
        nearest = self._answer.point[:2]
        diagram.line([self.place, nearest], color, 3.0)
        for a, b in _BODY.edges if self._kind() == "edge" else ():
            if list(_BODY.edges).index((a, b)) == number_of - len(_BODY.points):
                diagram.line(_BODY.world_points[[a, b], :2], VIOLET, 5.0)
        diagram.dot(nearest, VIOLET if self._kind() == "vertex" else color, 6.0)
        diagram.label(self.place, "P", away=(16.0, 12.0), meaning="The point; drag it.")
        away = 26.0 * nearest / max(float(np.hypot(*nearest)), 1e-9)
        name, meaning = self._name(), "The nearest feature."
        diagram.label(nearest, name, INK, (-1.4 * float(away[0]), -float(away[1])), meaning=meaning)

    def _draw_regions(self, diagram: Diagram, corners: Floats, chosen: int) -> None:
        """Draw the borders of the regions: at every corner across its two edges."""
        following = np.roll(corners, -1, axis=0)
        along = (following - corners) / np.hypot(*(following - corners).T)[:, None]
        out = _FAR * np.stack([along[:, 1], -along[:, 0]], axis=1)
        before = np.roll(out, 1, axis=0)
        loop = list(_BODY.faces[0])
        for k, (corner, nxt) in enumerate(zip(corners, following, strict=True)):
            wedge = [corner, corner + before[k], corner + out[k]]
            strip = [corner, corner + out[k], nxt + out[k], nxt]
            mine = chosen == loop[k]
            self._fill(diagram, wedge, BLUE, 0.45 if mine else 0.10)
            ends = {loop[k], loop[(k + 1) % len(loop)]}
            number_of = chosen - len(_BODY.points)
            edge = 0 <= number_of < len(_BODY.edges) and set(_BODY.edges[number_of]) == ends
            if edge:
                self._fill(diagram, strip, BLUE, 0.45)
            for way in (before[k], out[k]):
                diagram.line([corner, corner + way], faded(LINE, 0.45), 1.0)

    @staticmethod
    def _fill(diagram: Diagram, corners: npt.ArrayLike, color: Color, alpha: float) -> None:
        diagram.polygon(np.array(corners), faded(color, alpha))

    # --- What is asked of spheresim ---

    def _ask(self) -> None:
        """Ask for the nearest feature, from the last one, and for comparison from anew."""
        self._answer = _REGIONS.nearest(tuple(self.place), start=self._answer)
        self.asked += 1
        self.kept += int(self._answer.steps)
        self.anew += int(_REGIONS.nearest(tuple(self.place)).steps)

    def _kind(self) -> str:
        return _REGIONS.kind(int(self._answer.feature))

    def _name(self) -> str:
        feature, points = int(self._answer.feature), len(_BODY.points)
        if self._kind() == "vertex":
            return f"corner {feature + 1}"
        return f"edge {feature - points + 1}" if self._kind() == "edge" else "inside"

    # --- What changes it ---

    def _restart(self) -> None:
        self.asked = self.kept = self.anew = self.walked = 0
        self._runs, self._passed = False, 0.0
        self._answer = _REGIONS.nearest(tuple(self.place))
        self._ask()

    def _begin(self) -> None:
        self.place = np.array((4.0, 2.6))
        self._restart()

    def _move(self, place: Floats) -> None:
        self.place = place
        self._ask()

    def _walk(self) -> None:
        self._restart()
        self._runs = True

    def tick(self, seconds: float) -> bool:
        """Let P go on around the body."""
        if not self._runs:
            return False
        self._passed += _PACE * seconds
        while self.walked < min(int(self._passed), _WALK):
            self.walked += 1
            angle = 2.0 * math.pi * self.walked / _WALK
            self._move(np.array((4.4 * math.cos(angle), 3.4 * math.sin(angle))))
        self._runs = self.walked < _WALK
        return True
