"""The lesson on the tutorial's Figures 2a and 2b: a ball against a thing is a point against
that thing grown by the ball's radius."""

import math

import numpy as np
import numpy.typing as npt

from spheresim import Cylinder, Plane, TRay, TVector
from spheresim.numerics.arrays import Floats
from spheresim_viewer.lessons.colors import BLUE, GREEN, GREEN_INK, INK, RED, RED_INK, VIOLET, faded
from spheresim_viewer.lessons.diagram import Diagram
from spheresim_viewer.lessons.drawing import (
    draw_ball,
    draw_ghost_ball,
    draw_pillar,
    draw_plane,
    in_plane,
    in_space,
    number,
    pair_of,
)
from spheresim_viewer.lessons.exercise import Drag, Exercise, Press, Slide
from spheresim_viewer.lessons.lesson import Figure, Handle, Key, Lesson, Slider
from spheresim_viewer.lessons.rectangle import Rectangle

_FLOOR = Plane((0, 0, 0), (0, 1, 0))
_PILLAR = Cylinder((8.6, 3.4, 0), (0, 0, 1), 1.2)
_THINGS = (_FLOOR, _PILLAR)
_DOWN, _ACROSS = (1.5, -1.4), (2.6, -0.2)
_START = (1.8, 4.6)
_SHOWN = 0.8
"""The time for which the velocity's arrow shows the way."""
_PLAY = 1.6
"""Times of the picture a second of the clock."""
_MELTING = 0.7
"""The part of the way from ball to point a second of the clock."""
_SHORTEST = 0.3


class OffsetLesson(Lesson, words="offset"):
    """A ball that shrinks to its centre while floor and pillar grow by its radius."""

    region = Rectangle(-0.5, -1.2, 11.0, 6.8)

    def __init__(self) -> None:
        self.place, self.velocity = np.array(_START), np.array(_DOWN)
        self.radius, self.morph, self.time = 0.9, 0.0, 0.0
        self.grows, self.runs, self.goal = True, False, 0.0

    # --- What there is ---

    def exercises(self) -> list[Exercise]:
        """From what goes wrong to the trick, and where it leads."""
        return [
            Exercise(Press("space"), self._arrived, lambda: self._ready(_DOWN, grows=False)),
            Exercise(Slide("shape", 1.0), lambda: self.morph > 0.98, lambda: self._ready(_DOWN)),
            Exercise(Press("space"), self._arrived, lambda: self._ready(_DOWN, morph=1.0)),
            Exercise(
                Drag("tip", np.add(_START, _SHOWN * np.array(_ACROSS))),
                lambda: self._first() is _PILLAR,
                lambda: self._ready(_DOWN, morph=1.0),
            ),
            Exercise(
                Slide("r", 1.4), lambda: self.radius >= 1.3, lambda: self._ready(_ACROSS, morph=1.0)
            ),
        ]

    def handles(self) -> list[Handle]:
        """The ball, and the tip of its velocity."""
        tip = self.place + _SHOWN * self.velocity
        return [
            Handle("tip", tip, self._aim),
            Handle("ball", self.place, self._move, self._holds),
        ]

    def sliders(self) -> list[Slider]:
        """How much is ball and how much is point; and the radius."""
        words = "ball" if self.morph < 0.02 else "point" if self.morph > 0.98 else "between"
        return [
            Slider("shape", self.morph, (0.0, 1.0), self._set_morph, words),
            Slider("r", self.radius, (0.3, 1.6), self._set_radius, number(self.radius)),
        ]

    def controls(self) -> list[Key]:
        """Send the ball; with or without growing."""
        other = "do not grow the obstacles" if self.grows else "grow the obstacles by r"
        return [
            Key("space", "send the ball", self._send),
            Key("M", "from ball to point, or back", self._melt),
            Key("F", other, self._change_figure),
        ]

    def figures(self) -> list[Figure]:
        """Radii and times."""
        time, naive = self._time(), self._naive_time()
        shown = number(time) if math.isfinite(time) else "never"
        wrong = number(naive) if math.isfinite(naive) else "never"
        rows = [
            Figure("ball's radius", number(self._own_radius())),
            Figure("grown by", number(self.radius - self._own_radius())),
            Figure("Tc", shown, GREEN_INK, GREEN),
            Figure("Tc, not grown", wrong, RED_INK, RED),
        ]
        contact = self._contact()
        if contact is not None and self.grows:
            rows.append(Figure("contact", pair_of(contact), swatch=RED))
        return rows

    # --- The picture ---

    def draw(self, diagram: Diagram) -> None:
        """Draw the things, what they grow to, and the ball now and at its impact."""
        self._draw_grown(diagram)
        draw_plane(diagram, (0, 0), (0, 1))
        draw_pillar(diagram, in_plane(_PILLAR.point), _PILLAR.radius)
        diagram.label((1.0, -0.6), "floor")
        diagram.label(in_plane(_PILLAR.point), "pillar")
        own, stop = self._own_radius(), self._stop()
        if math.isfinite(stop):
            end = self.place + stop * self.velocity
            diagram.dashes([self.place, end], VIOLET)
            draw_ghost_ball(diagram, end, own, GREEN if self.grows else RED)
            diagram.dot(end, GREEN if self.grows else RED, 4.0)
        now = self.place + self.time * self.velocity
        draw_ball(diagram, now, own, BLUE)
        diagram.dot(now, INK, 4.0)
        diagram.arrow(self.place, self.place + _SHOWN * self.velocity, INK, 2.5)
        contact = self._contact()
        if contact is not None and self.grows:
            diagram.dot(contact, RED, 5.0)
            diagram.label(
                contact, "contact", RED_INK, (0, -18), meaning="Where the real surfaces touch."
            )

    def _draw_grown(self, diagram: Diagram) -> None:
        """Draw how far the things have grown, and dotted how far they will."""
        if not self.grows:
            return
        by = self.radius - self._own_radius()
        floor, pillar = _FLOOR.offset(by), _PILLAR.offset(by)
        height = floor.point.y
        left, right = -20.0, 40.0
        corners = [(left, 0.0), (right, 0.0), (right, height), (left, height)]
        diagram.polygon(corners, faded(VIOLET, 0.18))
        diagram.disc(in_plane(pillar.point), pillar.radius, faded(VIOLET, 0.18))
        full = _FLOOR.offset(self.radius).point.y
        diagram.dashes([(left, full), (right, full)], VIOLET)
        diagram.dotted_circle(
            in_plane(_PILLAR.point), _PILLAR.offset(self.radius).radius, VIOLET, 1.5
        )
        diagram.label((3.9, full), "grown by r", away=(0.0, 12.0))

    # --- What is asked of spheresim ---

    def _ray(self) -> TRay:
        return TRay(in_space(self.place), in_space(self.velocity))

    def _own_radius(self) -> float:
        return self.radius * (1.0 - self.morph)

    def _times(self) -> dict[Plane | Cylinder, float]:
        """When what is left of the ball meets each thing, grown by the rest."""
        own = self._own_radius()
        return {thing: thing.offset(self.radius - own).toi(self._ray(), own) for thing in _THINGS}

    def _time(self) -> float:
        return min(self._times().values())

    def _naive_time(self) -> float:
        return min(thing.toi(self._ray(), 0.0) for thing in _THINGS)

    def _stop(self) -> float:
        return self._time() if self.grows else self._naive_time()

    def _first(self) -> Plane | Cylinder | None:
        times = self._times()
        first = min(times, key=lambda thing: times[thing])
        return first if math.isfinite(times[first]) else None

    def _contact(self) -> Floats | None:
        """The point of the real surface that is touched, or None."""
        first = self._first()
        hit = None if first is None else first.offset(self.radius).hit(self._ray())
        return None if hit is None else in_plane(hit.point - hit.normal * self.radius)

    def _arrived(self) -> bool:
        return self.time > 0.0 and self.time >= self._stop()

    # --- What changes it ---

    def _ready(self, velocity: npt.ArrayLike, grows: bool = True, morph: float = 0.0) -> None:
        self.place, self.velocity = np.array(_START), np.array(velocity)
        self.radius, self.morph, self.time = 0.9, morph, 0.0
        self.grows, self.runs, self.goal = grows, False, morph

    def _send(self) -> None:
        self.time, self.runs = 0.0, True

    def tick(self, seconds: float) -> bool:
        """Let the ball fly until it is stopped, and go on with its melting to a point."""
        moves = self.runs or self.morph != self.goal
        if self.runs:
            self.time = min(self.time + _PLAY * seconds, self._stop())
            self.runs = self.time < min(self._stop(), 20.0)
        by = _MELTING * seconds
        self.morph += min(max(self.goal - self.morph, -by), by)
        return moves

    def _change_figure(self) -> None:
        self.grows, self.time = not self.grows, 0.0

    def _holds(self, place: Floats) -> bool:
        return bool(np.hypot(*(place - self.place)) <= self.radius)

    def _move(self, place: Floats) -> None:
        """Move the ball to a place, or beside the things if it would overlap them there."""
        centre = in_space((place[0], max(place[1], self.radius)))
        if _PILLAR.gap(centre) < self.radius:
            normal = (
                (centre - _PILLAR.point).unit() if centre != _PILLAR.point else TVector(0, 1, 0)
            )
            centre = _PILLAR.point + normal * _PILLAR.offset(self.radius).radius
        self.place, self.time = in_plane(centre), 0.0

    def _aim(self, place: Floats) -> None:
        velocity = (place - self.place) / _SHOWN
        if np.hypot(*velocity) >= _SHORTEST:
            self.velocity, self.time = velocity, 0.0

    def _melt(self) -> None:
        self.goal = 1.0 if self.goal < 0.5 else 0.0

    def _set_morph(self, value: float) -> None:
        self.morph = self.goal = value

    def _set_radius(self, value: float) -> None:
        self.radius = value
        self._move(self.place)
