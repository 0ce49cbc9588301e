"""The lesson on tunnelling: a bullet that discrete steps let through paper."""

import math

import numpy as np

from spheresim.convex import Body, bodies_overlap, box, safe_step, sphere, swept_sphere
from spheresim.numerics.arrays import Floats
from spheresim_viewer.lessons.bodies import outline
from spheresim_viewer.lessons.colors import (
    BLUE,
    GREEN,
    GREEN_INK,
    INK,
    LINE,
    RED,
    RED_INK,
    THING,
    VIOLET,
    faded,
)
from spheresim_viewer.lessons.diagram import Diagram
from spheresim_viewer.lessons.drawing import draw_ball, draw_ghost_ball, number
from spheresim_viewer.lessons.exercise import Exercise, Press, Slide
from spheresim_viewer.lessons.lesson import Figure, Key, Lesson, Slider
from spheresim_viewer.lessons.rectangle import Rectangle

_RADIUS = 0.25
_GUN = np.array((0.6, 3.0))
_PAPER = 6.3
_HEIGHT = 2.0
_END = 11.4
_WORDS = {"frames": "frame by frame", "sweep": "swept", "advance": "safe steps"}


class TunnellingLesson(Lesson, words="tunnelling"):
    """A bullet, a sheet of paper, and three ways to look for their collision."""

    region = Rectangle(-0.2, 0.3, 11.8, 5.7)

    def __init__(self) -> None:
        self.speed, self.step, self.thickness = 12.0, 0.2, 0.3
        self.frame, self.way, self.moved = 0, "frames", False

    # --- What there is ---

    def exercises(self) -> list[Exercise]:
        """Miss it, then find it in four ways."""
        return [
            Exercise(
                Press("right", 3),
                lambda: self._at(self.frame)[0] > _PAPER + 1.0,
                lambda: self._ready(12.0, 0.2, 0.3),
            ),
            Exercise(
                Slide("thickness", 2.0),
                lambda: self._seen() is not None,
                lambda: self._ready(12.0, 0.2, 0.3),
            ),
            Exercise(
                Slide("step", 0.04),
                lambda: self._jump() <= self.thickness + 2.0 * _RADIUS,
                lambda: self._ready(12.0, 0.2, 0.3),
            ),
            Exercise(
                Slide("speed", 30.0),
                lambda: self._seen() is None,
                lambda: self._ready(8.0, 0.08, 0.3),
            ),
            Exercise(Press("S"), lambda: self.way == "sweep", lambda: self._ready(24.0, 0.2, 0.1)),
            Exercise(
                Press("A"), lambda: self.way == "advance", lambda: self._ready(24.0, 0.2, 0.1)
            ),
        ]

    def sliders(self) -> list[Slider]:
        """What decides: speed and step against thickness."""
        return [
            Slider("speed", self.speed, (2.0, 40.0), self._set_speed, f"{self.speed:.1f} /s"),
            Slider("step", self.step, (0.01, 0.4), self._set_step, f"{self.step:.3f} s", True),
            Slider(
                "thickness",
                self.thickness,
                (0.05, 3.0),
                self._set_thickness,
                number(self.thickness),
                True,
            ),
        ]

    def controls(self) -> list[Key]:
        """Frames, and the ways to look."""
        return [
            Key("right", "the next frame", lambda: self._go(1)),
            Key("left", "a frame back", lambda: self._go(-1)),
            Key("F", "look frame by frame", lambda: self._look("frames")),
            Key("S", "sweep the bullet", lambda: self._look("sweep")),
            Key("A", "advance by safe steps", lambda: self._look("advance")),
        ]

    def figures(self) -> list[Figure]:
        """The lengths that are compared, and what is found."""
        seen, swept = self._seen(), self._swept()
        words = "no frame: missed" if seen is None else f"frame {seen}"
        sees = RED_INK if seen is None else GREEN_INK
        both = number(self.thickness + 2.0 * _RADIUS)
        return [
            Figure("looking", _WORDS[self.way]),
            Figure("jump", number(self._jump()), swatch=BLUE),
            Figure("paper + bullet", both),
            Figure("seen by", words, sees, RED),
            Figure("swept impact", f"{number(swept)} s", GREEN_INK, GREEN),
            Figure("safe step", f"{number(self._safe())} s", INK, VIOLET),
        ]

    def pose(self) -> None:
        """The bullet just behind the paper."""
        self.frame = 3

    # --- The picture ---

    def draw(self, diagram: Diagram) -> None:
        """Draw paper, frames, and what is found."""
        paper = outline(self._paper())
        diagram.polygon(paper, faded(THING, 0.6))
        diagram.outline(paper, LINE, 2.0)
        diagram.label((_PAPER, 5.3), "paper")
        diagram.line([_GUN, (_END, _GUN[1])], faded(LINE, 0.5), 1.0)
        {"frames": self._draw_frames, "sweep": self._draw_sweep, "advance": self._draw_advance}[
            self.way
        ](diagram)

    def _draw_frames(self, diagram: Diagram) -> None:
        """Draw the bullet at each frame, with those that overlap the paper in red."""
        seen = self._seen()
        for k in range(self._frames()):
            color = RED if k == seen else BLUE
            draw_ghost_ball(diagram, self._at(k), _RADIUS, color)
        draw_ball(diagram, self._at(self.frame), _RADIUS, BLUE)
        above = self._at(self.frame) + np.array((0.0, _RADIUS))
        meaning = "Where the bullet is after so many steps."
        diagram.label(above, f"frame {self.frame}", away=(0.0, 14.0), meaning=meaning)
        if self.frame > 0:
            a, b = self._at(self.frame - 1), self._at(self.frame)
            low = np.array((0.0, -0.6))
            diagram.arrow(a + low, b + low, BLUE)
            diagram.label(0.5 * (a + b) + low, "jump", away=(0.0, -16.0))

    def _draw_sweep(self, diagram: Diagram) -> None:
        """Draw all places of the bullet, up to its impact."""
        end = _GUN + np.array((self._swept() * self.speed, 0.0))
        up = np.array((0.0, _RADIUS))
        diagram.polygon([_GUN - up, end - up, end + up, _GUN + up], faded(BLUE, 0.3))
        for side in (up, -up):
            diagram.line([_GUN + side, end + side], BLUE, 2.0)
        draw_ball(diagram, _GUN, _RADIUS, BLUE)
        draw_ball(diagram, end, _RADIUS, GREEN)
        diagram.label(end + up, "impact", away=(-10, 16))

    def _draw_advance(self, diagram: Diagram) -> None:
        """Draw the safe step."""
        end = _GUN + np.array((self._safe() * self.speed, 0.0))
        draw_ball(diagram, _GUN, _RADIUS, BLUE)
        draw_ball(diagram, end, _RADIUS, GREEN)
        low = np.array((0.0, -0.6))
        diagram.arrow(_GUN + low, end + low, VIOLET, 2.5)
        meaning = "As far as is surely free, whatever there is to hit."
        diagram.label(0.5 * (_GUN + end) + low, "safe step", away=(0.0, -16.0), meaning=meaning)

    # --- What is asked of spheresim ---

    def _paper(self) -> Body:
        return box((0.5 * self.thickness, _HEIGHT), position=(_PAPER, _GUN[1]))

    def _bullet(self, frame: int = 0) -> Body:
        return sphere(_RADIUS, position=tuple(self._at(frame)))

    def _seen(self) -> int | None:
        """The first frame in which bullet and paper overlap, or None."""
        paper = self._paper()
        frames = range(self._frames())
        return next((k for k in frames if bodies_overlap(self._bullet(k), paper)), None)

    def _swept(self) -> float:
        velocity = (self.speed, 0.0)
        return float(swept_sphere(self._bullet(), self._paper(), velocity).enter)

    def _safe(self) -> float:
        velocities = [(self.speed, 0.0), (0.0, 0.0)]
        return float(safe_step([self._bullet(), self._paper()], velocities).step)

    def _at(self, frame: int) -> Floats:
        return _GUN + np.array((frame * self._jump(), 0.0))

    def _jump(self) -> float:
        return self.speed * self.step

    def _frames(self) -> int:
        return math.floor((_END - float(_GUN[0])) / self._jump()) + 1

    # --- What changes it ---

    def _ready(self, speed: float, step: float, thickness: float) -> None:
        self.speed, self.step, self.thickness = speed, step, thickness
        self.frame, self.way = 0, "frames"

    def _go(self, by: int) -> None:
        self.way = "frames"
        self.frame = min(max(self.frame + by, 0), self._frames() - 1)

    def _look(self, way: str) -> None:
        self.way, self.frame = way, 0

    def _set_speed(self, value: float) -> None:
        self.speed, self.frame = value, 0

    def _set_step(self, value: float) -> None:
        self.step, self.frame = value, 0

    def _set_thickness(self, value: float) -> None:
        self.thickness, self.frame = value, 0
