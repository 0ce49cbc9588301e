"""The lesson on rays: where one meets a plane and a cylinder, and whether within the step."""

import math
from functools import partial

import numpy as np
import numpy.typing as npt

from spheresim import Cylinder, Hit, Plane, TRay
from spheresim.numerics.arrays import Floats
from spheresim_viewer.lessons.colors import (
    BLUE,
    GREEN,
    GREEN_INK,
    INK,
    LINE,
    RED,
    RED_INK,
    VIOLET,
    VIOLET_INK,
    faded,
)
from spheresim_viewer.lessons.diagram import Diagram
from spheresim_viewer.lessons.drawing import (
    draw_pillar,
    draw_plane,
    in_plane,
    in_space,
    number,
    short,
)
from spheresim_viewer.lessons.exercise import Drag, Exercise, Slide
from spheresim_viewer.lessons.lesson import Figure, Handle, Lesson, Slider
from spheresim_viewer.lessons.rectangle import Rectangle

_FLOOR = Plane((0, 0, 0), (0, 1, 0))
_PILLAR = Cylinder((8.2, 2.9, 0), (0, 0, 1), 1.4)
_LEVEL = math.radians(3.0)
"""A ray as near to level as this becomes level."""
_FAR = 60.0
_SHORTEST = 0.3


class RayLesson(Lesson, words="ray"):
    """A ray under the hand, a floor and a pillar."""

    region = Rectangle(-0.5, -1.0, 11.5, 7.5)

    def __init__(self) -> None:
        self.start = np.array((1.2, 5.2))
        self.velocity = np.array((1.9, -1.4))
        self.step = 1.0

    # --- What there is ---

    def exercises(self) -> list[Exercise]:
        """From the ray's equation to the time of the collision."""
        return [
            Exercise(
                Drag("tip", (2.6, 3.7)),
                lambda: self._first() is _FLOOR,
                lambda: self._place((1.2, 5.2), (1.2, 1.0)),
            ),
            Exercise(
                Drag("tip", (3.4, 5.2)),
                lambda: self._slope() == 0.0,
                lambda: self._place((1.2, 5.2), (1.4, -1.5)),
            ),
            Exercise(
                Drag("tip", (2.2, 6.6)),
                lambda: self._slope() > 0.0,
                lambda: self._place((1.2, 5.2), (2.2, 0.0)),
            ),
            Exercise(
                Drag("tip", (3.0, 4.6)),
                lambda: self._first() is _PILLAR,
                lambda: self._place((1.2, 5.2), (1.0, 1.4)),
            ),
            Exercise(
                Slide("T", 2.8),
                lambda: self._time() <= self.step,
                lambda: self._place((1.2, 5.2), (2.4, -0.7), 1.0),
            ),
            Exercise(
                Drag("start", (7.7, 2.9)),
                lambda: _PILLAR.is_tube(in_space(self.start)),
                lambda: self._place((1.2, 5.2), (2.4, -0.7), 2.8),
            ),
        ]

    def handles(self) -> list[Handle]:
        """The start and the tip of the arrow."""
        return [
            Handle("tip", self.start + self.velocity, self._aim),
            Handle("start", self.start, self._move),
        ]

    def sliders(self) -> list[Slider]:
        """The length of the step."""
        return [
            Slider("T", self.step, (0.2, 4.0), partial(setattr, self, "step"), f"{self.step:.2f} s")
        ]

    def figures(self) -> list[Figure]:
        """The formula with its numbers."""
        ray = self._ray()
        slope, height, pillar = self._slope(), -_FLOOR.gap(ray.origin), _PILLAR.hit(ray)
        length, time = ray.direction.mag() * self.step, self._time()
        floor = height / slope if slope else math.inf
        by_formula = f"{number(height)}/{number(slope)} ≈ {short(floor)}"
        words = "none" if pillar is None else number(pillar.distance)
        rows = [
            Figure("slope", number(slope)),
            Figure("n · (X₀ − S)", number(height)),
            Figure("t, floor", by_formula if math.isfinite(floor) else "none", swatch=VIOLET),
            Figure("t, pillar", words, swatch=VIOLET),
            Figure("L", number(length), swatch=BLUE),
        ]
        hit = self._nearest()
        if hit is not None:
            by_formula = f"{number(hit.distance)}·{short(self.step)}/{number(length)}"
            ink = RED_INK if time > self.step else GREEN_INK
            rows.append(Figure("Tc", f"{by_formula} ≈ {short(time)}", ink, GREEN))
        return rows

    def draw(self, diagram: Diagram) -> None:
        """Draw floor, pillar, ray, step and collision."""
        draw_plane(diagram, (0, 0), (0, 1))
        draw_pillar(diagram, (_PILLAR.point.x, _PILLAR.point.y), _PILLAR.radius)
        diagram.label((5.0, -0.5), "floor", away=(0.0, 0.0))
        diagram.label(in_plane(_PILLAR.point), "pillar")
        diagram.arrow((4.3, 0.0), (4.3, 0.9), LINE)
        diagram.label((4.3, 0.9), "n", away=(16.0, 0.0))
        unit = self.velocity / np.hypot(*self.velocity)
        hit = self._nearest()
        end = self.start + _FAR * unit if hit is None else in_plane(hit.point)
        diagram.dashes([self.start, self.start - _FAR * unit], faded(LINE, 0.5), 1.0)
        diagram.line([self.start, end], VIOLET, 1.5)
        goal = self.start + self.step * self.velocity
        diagram.line([self.start, goal], faded(BLUE, 0.55), 7.0)
        diagram.dot(goal, BLUE, 6.0)
        diagram.label(goal, "end of step", away=(0.0, 18.0))
        diagram.arrow(self.start, self.start + self.velocity, INK, 2.5)
        diagram.label(self.start, "S", away=(-8.0, -20.0))
        if hit is not None:
            self._draw_hit(diagram, hit)

    # --- What is asked of spheresim ---

    def _draw_hit(self, diagram: Diagram, hit: Hit) -> None:
        color = GREEN if self._time() <= self.step else RED
        place = in_plane(hit.point)
        diagram.dot(place, color, 6.0)
        diagram.arrow(place, place + 0.9 * in_plane(hit.normal), color)
        ink = VIOLET_INK if color is GREEN else RED_INK
        meaning = "The collision: green if it comes within the step, else red."
        diagram.label(place, f"t = {number(hit.distance)}", ink, (34.0, -16.0), meaning=meaning)

    def _ray(self) -> TRay:
        return TRay(in_space(self.start), in_space(self.velocity))

    def _slope(self) -> float:
        return _FLOOR.normal.dot(self._ray().direction.unit())

    def _first(self) -> Plane | Cylinder | None:
        """What the ray meets first."""
        times = {thing: thing.toi(self._ray(), 0.0) for thing in (_FLOOR, _PILLAR)}
        thing = min(times, key=lambda each: times[each])
        return thing if math.isfinite(times[thing]) else None

    def _nearest(self) -> Hit | None:
        thing = self._first()
        return None if thing is None else thing.hit(self._ray())

    def _time(self) -> float:
        """Tc: with the velocity as direction, the ray's parameter is the time."""
        return min(thing.toi(self._ray(), 0.0) for thing in (_FLOOR, _PILLAR))

    # --- What changes it ---

    def _place(self, start: npt.ArrayLike, velocity: npt.ArrayLike, step: float = 1.0) -> None:
        self.start, self.velocity, self.step = np.array(start), np.array(velocity), step

    def _move(self, place: Floats) -> None:
        """Move the start to the nearest place above the floor from which the tip is in sight."""
        above = np.maximum(place, (-math.inf, 0.0))
        self.start = self.region.nearest(above + self.velocity) - self.velocity

    def _aim(self, place: Floats) -> None:
        velocity = place - self.start
        length = float(np.hypot(*velocity))
        if length < _SHORTEST:
            return
        if abs(velocity[1]) < math.sin(_LEVEL) * length:
            velocity[1] = 0.0
        self.velocity = velocity
