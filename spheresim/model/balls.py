"""`Ball`, the object that a user makes, and `Balls`, many of them as columns."""

import operator
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from spheresim.model.labels import Labels
from spheresim.numerics.arguments import finite_vector, number, positive
from spheresim.numerics.rows import read_only
from spheresim.numerics.vector import TVector, VectorLike

_REPR_LIMIT = 1000
"""How many balls `repr` lists; of the rest it gives the number."""


class Ball:
    """A ball for a simulation or a time of impact.

    position [length], velocity [length/time], in any units that fit together. ValueError or
    TypeError for a number that is not finite, a radius or mass that is not positive, or a
    restitution outside 0 … 1.

    >>> Ball((0, 1, 0), velocity=(2, 0, 0), radius=0.5)
    Ball((0.0, 1.0, 0.0), velocity=(2.0, 0.0, 0.0), radius=0.5, mass=1.0, restitution=1.0)
    """

    __slots__ = ("color", "mass", "name", "position", "radius", "restitution", "velocity")

    def __init__(
        self,
        position: VectorLike,
        velocity: VectorLike = (0.0, 0.0, 0.0),
        radius: float | None = None,
        mass: float = 1.0,
        restitution: float = 1.0,
        name: str | None = None,
        color: str | None = None,
    ) -> None:
        if radius is None:
            raise TypeError("a ball needs a radius")
        self.position = finite_vector(position, "a ball's position")
        self.velocity = finite_vector(velocity, "a ball's velocity")
        self.radius = positive(radius, "a ball's radius")
        self.mass = positive(mass, "a ball's mass")
        self.restitution = number(restitution, "a ball's restitution", 0.0, 1.0)
        self.name = name
        self.color = color

    def __repr__(self) -> str:
        return (
            f"Ball({tuple(self.position)}, velocity={tuple(self.velocity)}, "
            f"radius={self.radius}, mass={self.mass}, restitution={self.restitution})"
        )


class _ReadOnlyBall(Ball):
    """A ball read from columns: read-only, because the columns would not change with it.

    A copy of it is a plain `Ball` again.
    """

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(
            f"a ball of a scene or of other columns cannot be given a {name}, for they do not "
            "change: give it to a copy.copy(ball), and build a list with that"
        )

    def __reduce__(self) -> tuple[type[Ball], tuple[Any, ...]]:
        return Ball, (
            *(self.position, self.velocity, self.radius, self.mass, self.restitution),
            *(self.name, self.color),
        )


class Balls(Sequence[Ball]):
    """An immutable sequence of balls, stored as columns: `balls[i]` makes a `Ball`.

    That ball is read-only too, but a `copy.copy` of it is not.

    position, velocity: (n, 3); radius, mass, restitution: (n,), all read-only; name, color:
    `Labels`. Slices and sums are columns again, so that a million balls cost no more memory
    than their numbers.

    >>> Balls.of([Ball((0, 0, 0), radius=1), Ball((3, 0, 0), radius=2, name="red")])[1:]
    Balls([Ball((3.0, 0.0, 0.0), velocity=(0.0, 0.0, 0.0), radius=2.0, mass=1.0, restitution=1.0)])
    """

    __slots__ = ("color", "mass", "name", "position", "radius", "restitution", "velocity")

    def __init__(
        self,
        position: Any,
        velocity: Any,
        radius: Any,
        mass: Any,
        restitution: Any,
        name: Labels | None = None,
        color: Labels | None = None,
    ) -> None:
        """Columns of floats that are known to be sound."""
        self.position, self.velocity = read_only(position), read_only(velocity)
        self.radius, self.mass, self.restitution = map(read_only, (radius, mass, restitution))
        self.name = Labels.same(None, len(radius)) if name is None else name
        self.color = Labels.same(None, len(radius)) if color is None else color

    @classmethod
    def of(cls, balls: Iterable[Ball]) -> "Balls":
        """Balls as columns; columns are returned as they are.

        The balls of a simulation, which have no color, are taken too.
        """
        if isinstance(balls, Balls):
            return balls
        balls = list(balls)
        return cls(
            _rows([ball.position for ball in balls]),
            _rows([ball.velocity for ball in balls]),
            np.array([ball.radius for ball in balls], dtype=np.float64),
            np.array([ball.mass for ball in balls], dtype=np.float64),
            np.array([ball.restitution for ball in balls], dtype=np.float64),
            Labels.of(ball.name for ball in balls),
            Labels.of(getattr(ball, "color", None) for ball in balls),
        )

    @classmethod
    def joined(cls, parts: Sequence["Balls"]) -> "Balls":
        """The balls of all parts, one part after another."""
        if len(parts) == 1:
            return parts[0]
        parts = parts or [cls.of([])]
        return cls(
            np.concatenate([part.position for part in parts]),
            np.concatenate([part.velocity for part in parts]),
            np.concatenate([part.radius for part in parts]),
            np.concatenate([part.mass for part in parts]),
            np.concatenate([part.restitution for part in parts]),
            Labels.joined([part.name for part in parts]),
            Labels.joined([part.color for part in parts]),
        )

    def numbered(self) -> "Balls":
        """The same balls, with the name `ball k`, k the index, for each that has no name."""
        return self._subset(slice(None), self.name.numbered())

    def __len__(self) -> int:
        return len(self.radius)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._subset(index, self.name[index])
        index = operator.index(index)
        if not -len(self) <= index < len(self):
            raise IndexError(f"there are {len(self)} balls, so none has the index {index}")
        return _read_only_ball(
            self.position[index].tolist(),
            self.velocity[index].tolist(),
            float(self.radius[index]),
            float(self.mass[index]),
            float(self.restitution[index]),
            self.name[index],
            self.color[index],
        )

    def __iter__(self) -> Iterator[Ball]:
        columns = self.position, self.velocity, self.radius, self.mass, self.restitution
        return map(_read_only_ball, *(column.tolist() for column in columns), self.name, self.color)

    def __add__(self, other: Sequence[Ball]) -> "Balls":
        return Balls.joined([self, Balls.of(other)])

    def __radd__(self, other: Sequence[Ball]) -> "Balls":
        return Balls.joined([Balls.of(other), self])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Balls):
            return NotImplemented
        columns = ("position", "velocity", "radius", "mass", "restitution")
        same = (np.array_equal(getattr(self, name), getattr(other, name)) for name in columns)
        return all(same) and self.name == other.name and self.color == other.color

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        more = f" and {len(self) - _REPR_LIMIT:,} more" if len(self) > _REPR_LIMIT else ""
        return f"Balls({list(self[:_REPR_LIMIT])}{more})"

    def _subset(self, which: slice, name: Labels) -> "Balls":
        return Balls(
            self.position[which],
            self.velocity[which],
            self.radius[which],
            self.mass[which],
            self.restitution[which],
            name,
            self.color[which],
        )


def _read_only_ball(
    position: Sequence[float],
    velocity: Sequence[float],
    radius: float,
    mass: float,
    restitution: float,
    name: str | None,
    color: str | None,
) -> Ball:
    """A ball of numbers that have been checked: for a million, checking again takes seconds."""
    ball = object.__new__(Ball)
    ball.position = tuple.__new__(TVector, position)
    ball.velocity = tuple.__new__(TVector, velocity)
    ball.radius, ball.mass, ball.restitution = radius, mass, restitution
    ball.name, ball.color = name, color
    ball.__class__ = _ReadOnlyBall
    return ball


def _rows(vectors: Sequence[TVector]) -> Any:
    """Vectors as an (n, 3) array: six times as fast as `np.array`, for a million."""
    components = chain.from_iterable(vectors)
    return np.fromiter(components, dtype=np.float64, count=3 * len(vectors)).reshape(-1, 3)
