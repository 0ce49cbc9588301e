"""The way of one ball that obstacles hold for a part of it: that rests, slides and is woken.

On planes the acceleration of what slides is constant, so that its way is a formula as well; see
`spheresim.collision.supports`. On what bends there is none: then what comes out here does not
end where the run's next frame says, which is how it is noticed.
"""

import math
from collections.abc import Collection, Iterator, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np

from spheresim.collision.impacts import BALL, OBSTACLE, REST, WAKE
from spheresim.collision.supports import Normals, Triple, support_forces
from spheresim.model.state import World
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import normal_at

PILE = -1
"""In place of an obstacle: the pile in which a ball sleeps."""

_NOWHERE = TVector(0.0, 0.0, 0.0)


class Visit(NamedTuple):
    """A row of a ball: an impact or a change of what holds it. impulse: on this ball."""

    t: float
    kind: int
    other: int
    impulse: TVector
    point: TVector


class Piece(NamedTuple):
    """A part of a ball's way, from a time on: position, velocity, and constant acceleration."""

    t: float
    position: TVector
    velocity: TVector
    acceleration: TVector


class HeldBall:
    """A ball that goes from row to row; `supports` are the obstacles that hold it now.

    pieces: the way so far, which is that of the formula in each of them.
    """

    def __init__(
        self, world: World, ball: int, time: float, place: TVector, velocity: TVector
    ) -> None:
        self._world = world
        self._radius, self._mass = float(world.radius[ball]), float(world.mass[ball])
        self.time, self.place, self.velocity = time, place, velocity
        self.supports: set[int] = set()
        self.pieces: list[Piece] = []

    def follow(self, visits: Sequence[Visit], until: float) -> None:
        """Go on through those rows that come until a time, and to that time."""
        # A contact has begun already if its row comes before any impact on the same obstacle.
        for other in {visit.other for visit in visits if visit.kind >= OBSTACLE} - {PILE}:
            if self._stays(other, visits, 0):
                self._hold(other)
        for number, visit in enumerate(visits):
            if visit.t > until:
                break
            self._move(visit.t)
            if visit.kind <= OBSTACLE:
                self._hit(visit, visits, number + 1)
            else:
                self._change(visit)
        self._move(until)

    def _move(self, time: float) -> None:
        a = self._allowed(self._world.gravity)
        if time > self.time:
            self.pieces.append(Piece(self.time, self.place, self.velocity, a))
        span, self.time = time - self.time, time
        if PILE in self.supports:
            return
        self.place = self.place + self.velocity * span + a * (0.5 * span * span)
        self.velocity = self.velocity + a * span

    def _hit(self, visit: Visit, visits: Sequence[Visit], later: int) -> None:
        """Take an impact; later: the index of the row after it."""
        # What the impact takes it off holds it no more, though the row on that comes after.
        for row in takewhile(lambda row: row.t == visit.t, _from(visits, later)):
            if row.kind == WAKE:
                self._let_go(row.other)
        if PILE in self.supports:
            return
        self.velocity = self.velocity + visit.impulse * (1.0 / self._mass)
        # The last impact on an obstacle begins the contact of which a row tells later.
        if visit.kind == OBSTACLE and self._stays(visit.other, visits, later):
            self._hold(visit.other)
        else:
            self.velocity = self._allowed(self.velocity)

    def _stays(self, obstacle: int, visits: Sequence[Visit], later: int) -> bool:
        """Whether the next row from `later` on of this ball and the obstacle is of a contact.

        A row that says that one ends is of a contact that ended before its own row was due.
        """
        kinds = (
            visit.kind
            for visit in _from(visits, later)
            if visit.kind >= OBSTACLE and visit.other == obstacle
        )
        return next(kinds, OBSTACLE) != OBSTACLE

    def _change(self, visit: Visit) -> None:
        """What holds the ball from now on."""
        if visit.kind == WAKE:
            self._let_go(visit.other)
            return
        if visit.other == PILE:
            self.supports.add(PILE)
            down = self._world.gravity.unit()
            self.place, self.velocity = visit.point - down * self._radius, _NOWHERE
            return
        self._hold(visit.other)
        if visit.kind == REST:
            self.velocity = _NOWHERE

    def _let_go(self, other: int) -> None:
        if other == PILE:
            self.supports.clear()
        self.supports.discard(other)

    def _hold(self, obstacle: int) -> None:
        """From now on an obstacle holds the ball, which does not move off it either."""
        normal = normal_at(self._world.obstacles, obstacle, self.place)
        self.supports.add(obstacle)
        self.velocity = self._allowed(self.velocity - normal * self.velocity.dot(normal))

    def _allowed(self, vector: TVector) -> TVector:
        """What the supports leave of an acceleration or a velocity: see `support_forces`."""
        if PILE in self.supports:
            return _NOWHERE
        if not self.supports:
            return vector
        obstacles = self._world.obstacles
        normals = [normal_at(obstacles, k, self.place) for k in sorted(self.supports)[:3]]
        normals += [_NOWHERE] * (3 - len(normals))
        rates = Triple(*(vector.dot(normal) for normal in normals))
        forces = support_forces(rates, Normals(*normals))
        for normal, force in zip(normals, forces, strict=True):
            if math.isfinite(force):
                vector = vector + normal * force
        return vector


def _from(visits: Sequence[Visit], first: int) -> Iterator[Visit]:
    """The rows from one on: no copy, for of a ball that rattles there are thousands."""
    return (visits[number] for number in range(first, len(visits)))


def visits_of(rows: Any, balls: Collection[int]) -> dict[int, list[Visit]]:
    """The rows, as `Impacts`, that concern each of some balls, in order."""
    found: dict[int, list[Visit]] = {ball: [] for ball in balls}
    concerned = np.isin(rows.i, list(balls))
    concerned |= (rows.kind == BALL) & np.isin(rows.other, list(balls))
    names, numbers = rows.names[concerned].tolist(), rows.numbers[concerned].tolist()
    for (kind, i, other), (t, *vectors) in zip(names, numbers, strict=True):
        point, impulse = TVector(vectors[:3]), TVector(vectors[3:6]) * vectors[8]
        if i in found:
            found[i].append(Visit(t, kind, other, impulse, point))
        if kind == BALL and other in found:
            found[other].append(Visit(t, kind, i, -impulse, point))
    return found
