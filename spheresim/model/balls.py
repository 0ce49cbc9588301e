"""`Ball`, the object that a user makes, and `Balls`, many of them as columns."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from spheresim.model.labels import Labels, freely_numbered
from spheresim.model.materials import INERTIA_BOUNDS, SOLID_SPHERE
from spheresim.numerics.arguments import finite_vector, index_among, number, positive
from spheresim.numerics.arrays import Floats, Integers
from spheresim.numerics.rows import read_only
from spheresim.numerics.vector import TVector, VectorLike

_REPR_LIMIT = 1000
"""How many balls `repr` lists; of the rest it gives the number."""


_CHECKS: dict[str, Callable[[Any, str], object]] = {
    "position": finite_vector,
    "velocity": finite_vector,
    "radius": positive,
    "mass": positive,
    "restitution": partial(number, low=0.0, high=1.0),
    "angular_velocity": finite_vector,
    "inertia_factor": partial(number, low=INERTIA_BOUNDS[0], high=INERTIA_BOUNDS[1]),
    "acceleration": finite_vector,
}
"""What each value of a ball must be."""


class Ball:
    """A ball, as input for a `Simulation`, `analytic_toi` or `obstacle_toi`.

    position: of the centre, (3,) [length]; velocity: (3,) [length/time]; radius > 0 [length],
    required; mass > 0 [mass]; restitution: from 0 (no rebound) to 1 (elastic), in an impact the
    smaller one of the two bodies. Any consistent units
    may be used. color: "#rrggbb" or a name, for the viewer. angular_velocity: (3,) [rad/time], by
    the right-hand rule. material: the name of a `Material` of the simulation's `surfaces`; its
    restitution replaces that of the ball. inertia_factor: the moment of inertia divided by
    mass·radius², from 1e-6 to 2/3. acceleration: (3,), constant, added to gravity [length/time²].
    ValueError or TypeError for a value outside these ranges or not finite, also where one is
    assigned later.

    >>> Ball((0, 1, 0), velocity=(2, 0, 0), radius=0.5)
    Ball((0.0, 1.0, 0.0), velocity=(2.0, 0.0, 0.0), radius=0.5, mass=1.0, restitution=1.0)
    """

    __slots__ = (
        "acceleration",
        "angular_velocity",
        "color",
        "inertia_factor",
        "mass",
        "material",
        "name",
        "position",
        "radius",
        "restitution",
        "velocity",
    )

    position: TVector
    velocity: TVector
    radius: float
    mass: float
    restitution: float
    name: str | None
    color: str | None
    angular_velocity: TVector
    material: str | None
    inertia_factor: float
    acceleration: TVector

    def __init__(
        self,
        position: VectorLike,
        velocity: VectorLike = (0.0, 0.0, 0.0),
        radius: float | None = None,
        mass: float = 1.0,
        restitution: float = 1.0,
        name: str | None = None,
        color: str | None = None,
        angular_velocity: VectorLike = (0.0, 0.0, 0.0),
        material: str | None = None,
        inertia_factor: float = SOLID_SPHERE,
        acceleration: VectorLike = (0.0, 0.0, 0.0),
    ) -> None:
        if radius is None:
            raise TypeError("a ball needs a radius")
        values = {
            "position": position,
            "velocity": velocity,
            "radius": radius,
            "mass": mass,
            "restitution": restitution,
            "name": name,
            "color": color,
            "angular_velocity": angular_velocity,
            "material": material,
            "inertia_factor": inertia_factor,
            "acceleration": acceleration,
        }
        for attribute, value in values.items():
            setattr(self, attribute, value)

    def __setattr__(self, name: str, value: object) -> None:
        check = _CHECKS.get(name)
        object.__setattr__(self, name, check(value, f"a ball's {name}") if check else value)

    def __repr__(self) -> str:
        turns = f", angular_velocity={tuple(self.angular_velocity)}"
        pulled = f", acceleration={tuple(self.acceleration)}" if any(self.acceleration) else ""
        made_of = "" if self.material is None else f", material={self.material!r}"
        return (
            f"Ball({tuple(self.position)}, velocity={tuple(self.velocity)}, "
            f"radius={self.radius}, mass={self.mass}, restitution={self.restitution}"
            f"{turns if any(self.angular_velocity) else ''}{made_of}{pulled})"
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

    def __reduce__(self) -> tuple[type[Ball], tuple[object, ...]]:
        return Ball, (
            *(self.position, self.velocity, self.radius, self.mass, self.restitution),
            *(self.name, self.color, self.angular_velocity, self.material, self.inertia_factor),
            self.acceleration,
        )


class Balls(Sequence[Ball]):
    """An immutable sequence of balls, stored as columns: `balls[i]` makes a `Ball`.

    That ball is read-only too, but a `copy.copy` of it is not.

    position, velocity, angular_velocity, acceleration: (n, 3); radius, mass, restitution,
    inertia_factor: (n,), all read-only; name, color, material: `Labels`. Slices and sums are
    columns again, so that a million balls cost no more memory than their numbers.

    >>> Balls.of([Ball((0, 0, 0), radius=1), Ball((3, 0, 0), radius=2, name="red")])[1:]
    Balls([Ball((3.0, 0.0, 0.0), velocity=(0.0, 0.0, 0.0), radius=2.0, mass=1.0, restitution=1.0)])
    """

    COLUMNS = (
        *("position", "velocity", "radius", "mass", "restitution", "name", "color"),
        *("angular_velocity", "material", "inertia_factor", "acceleration"),
    )
    """All columns, in the order in which `Ball` takes their values."""

    __slots__ = COLUMNS

    def __init__(
        self,
        position: Floats,
        velocity: Floats,
        radius: Floats,
        mass: Floats,
        restitution: Floats,
        name: Labels | None = None,
        color: Labels | None = None,
        angular_velocity: Floats | None = None,
        material: Labels | None = None,
        inertia_factor: Floats | None = None,
        acceleration: Floats | None = None,
    ) -> None:
        """Columns of floats that are known to be sound; those that are None have the defaults."""
        n = len(radius)
        self.position, self.velocity = read_only(position), read_only(velocity)
        self.radius, self.mass, self.restitution = map(read_only, (radius, mass, restitution))
        self.name = Labels.same(None, n) if name is None else name
        self.color = Labels.same(None, n) if color is None else color
        self.material = Labels.same(None, n) if material is None else material
        # Of a default there is one number in memory.
        if angular_velocity is None:
            angular_velocity = np.broadcast_to(0.0, (n, 3))
        if inertia_factor is None:
            inertia_factor = np.broadcast_to(SOLID_SPHERE, n)
        if acceleration is None:
            acceleration = np.broadcast_to(0.0, (n, 3))
        self.angular_velocity = read_only(angular_velocity)
        self.acceleration = read_only(acceleration)
        self.inertia_factor = read_only(inertia_factor)

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
            _rows([ball.angular_velocity for ball in balls]),
            Labels.of(ball.material for ball in balls),
            np.array([ball.inertia_factor for ball in balls], dtype=np.float64),
            _rows([ball.acceleration for ball in balls]),
        )

    @classmethod
    def joined(cls, parts: Sequence["Balls"]) -> "Balls":
        """The balls of all parts, one part after another."""
        if len(parts) == 1:
            return parts[0]
        parts = parts or [cls.of([])]
        return cls(
            *(_joined_column([getattr(part, name) for part in parts]) for name in cls.COLUMNS)
        )

    def numbered(self) -> "Balls":
        """The same balls, with the name `ball k`, k the index, for each that has no name."""
        return self.replaced(name=self.name.numbered())

    def freely_numbered(self) -> "Balls":
        """The same, with the next number that is free where another ball has that name."""
        return self.replaced(name=freely_numbered(self.name))

    def replaced(self, **columns: Floats | Labels | None) -> "Balls":
        """The same balls with other columns."""
        return Balls(**{name: getattr(self, name) for name in self.COLUMNS} | columns)

    def taken(self, indices: Integers) -> "Balls":
        """The balls with these indices, (m,)."""
        rows: list[Any] = []
        for column in (getattr(self, name) for name in self.COLUMNS):
            rows.append(column.taken(indices) if isinstance(column, Labels) else column[indices])
        return Balls(*rows)

    @property
    def inertia(self) -> Floats:
        """Moments of inertia, (n,)."""
        return self.inertia_factor * self.mass * self.radius**2

    @property
    def has_surface(self) -> bool:
        """Whether any turns, is of a material, or has another moment of inertia than usual."""
        usual = (self.inertia_factor == SOLID_SPHERE).all()
        return bool(self.angular_velocity.any() or self.material.has_any() or not usual)

    def __len__(self) -> int:
        return len(self.radius)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return Balls(*(getattr(self, name)[index] for name in self.COLUMNS))
        index = index_among(index, len(self), "balls")
        row = (getattr(self, name)[index] for name in self.COLUMNS)
        return _read_only_ball(v.tolist() if hasattr(v, "tolist") else v for v in row)

    def __iter__(self) -> Iterator[Ball]:
        columns = (getattr(self, name) for name in self.COLUMNS)
        lists = (c.tolist() if hasattr(c, "tolist") else c for c in columns)
        return map(_read_only_ball, zip(*lists, strict=True))

    def __add__(self, other: Sequence[Ball]) -> "Balls":
        return Balls.joined([self, Balls.of(other)])

    def __radd__(self, other: Sequence[Ball]) -> "Balls":
        return Balls.joined([Balls.of(other), self])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Balls):
            return NotImplemented
        pairs = ((getattr(self, name), getattr(other, name)) for name in self.COLUMNS)
        return all(a == b if isinstance(a, Labels) else np.array_equal(a, b) for a, b in pairs)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        more = f" and {len(self) - _REPR_LIMIT:,} more" if len(self) > _REPR_LIMIT else ""
        return f"Balls({list(self[:_REPR_LIMIT])}{more})"


def _joined_column(columns: Sequence[Any]) -> Any:
    """One column after another: labels, or arrays."""
    if isinstance(columns[0], Labels):
        return Labels.joined(columns)
    return np.concatenate(columns)


def _read_only_ball(row: Iterable[Any]) -> Ball:
    """A ball of a row of numbers that have been checked: for a million, checking again takes
    seconds."""
    position, velocity, radius, mass, restitution, name, color, *others = row
    angular_velocity, material, inertia_factor, acceleration = others
    ball = object.__new__(Ball)
    give = object.__setattr__
    give(ball, "position", tuple.__new__(TVector, position))
    give(ball, "velocity", tuple.__new__(TVector, velocity))
    give(ball, "radius", radius)
    give(ball, "mass", mass)
    give(ball, "restitution", restitution)
    give(ball, "name", name)
    give(ball, "color", color)
    give(ball, "material", material)
    give(ball, "angular_velocity", tuple.__new__(TVector, angular_velocity))
    give(ball, "inertia_factor", inertia_factor)
    give(ball, "acceleration", tuple.__new__(TVector, acceleration))
    ball.__class__ = _ReadOnlyBall
    return ball


def _rows(vectors: Sequence[TVector]) -> Floats:
    """Vectors as an (n, 3) array: six times as fast as `np.array`, for a million."""
    components = chain.from_iterable(vectors)
    return np.fromiter(components, dtype=np.float64, count=3 * len(vectors)).reshape(-1, 3)
