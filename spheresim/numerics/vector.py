"""The vector of the tutorial: three numbers with operators, the same in Python and kernels."""

import math
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any, NamedTuple, TypeAlias, TypeVar

from spheresim.compiler.decorators import checked_in_python, python_only, value

M = TypeVar("M", bound=Callable[..., Any])

_CONSTANT = (
    "the components of a TVector are constant: replace the whole vector, as in "
    "simulation.balls[0].velocity = (3, 0, 0)"
)


def takes(convert: Callable[[Any], "TVector"]) -> Callable[[M], M]:
    """Let Python call a method of a `@value` class with what a function converts to vectors.

    Kernels use the method as it is written, with `TVector`s.
    """

    def decorate(method: M) -> M:
        @wraps(method)
        def with_vectors(self: Any, *given: Any, **named: Any) -> Any:
            if named:
                named = {name: convert(vector) for name, vector in named.items()}
            return method(self, *map(convert, given), **named)

        return with_vectors  # type: ignore[return-value]

    return decorate


def _check_scalar(_vector: object, scalar: object) -> None:
    """TypeError for what does not scale a vector."""
    if type(scalar) is not float and not _is_number(scalar):
        raise TypeError(
            f"a vector is multiplied or divided by a number, not by {scalar!r}; the products of "
            "two vectors are dot and cross"
        )


def _check_finite(vector: "TVector") -> None:
    """ValueError for a vector without a direction because a component is inf or nan."""
    if not all(map(math.isfinite, vector)):
        raise ValueError(f"a vector with a direction must be finite, not {tuple(vector)}")


def as_vector(like: "VectorLike") -> "TVector":
    """A vector as it is; anything else that holds three numbers as a new vector."""
    return like if isinstance(like, TVector) else TVector(like)


takes_vectors = takes(as_vector)
"""Let Python call a method of a `@value` class with tuples, lists or arrays for vectors."""


class _Components(NamedTuple):
    x: float
    y: float
    z: float


@value
class TVector(_Components):
    """An immutable vector of three floats.

    >>> a, b = TVector(1, 2, 2), TVector([0.0, 3.0, 4.0])
    >>> a + b
    TVector(x=1.0, y=5.0, z=6.0)
    >>> 2 * a - b / 2, -a
    (TVector(x=2.0, y=2.5, z=2.0), TVector(x=-1.0, y=-2.0, z=-2.0))
    >>> a.dot(b), a.cross(b)
    (14.0, TVector(x=2.0, y=-4.0, z=3.0))
    >>> a.mag(), b.mag_sqr(), b.unit()
    (3.0, 25.0, TVector(x=0.0, y=0.6, z=0.8))
    >>> TVector(1, 1, 1).dist(TVector(1, 4, 5)), TVector(1, 1, 1).dist_sqr(TVector(1, 4, 5))
    (5.0, 25.0)

    Any sequence or array of three numbers can be made a vector, or be used in place of one.

    >>> import numpy
    >>> TVector(numpy.arange(3))
    TVector(x=0.0, y=1.0, z=2.0)
    >>> a.dot((1, 2, 3)), (1, 2, 3) - a, a.dist(numpy.ones(3))
    (11.0, TVector(x=0.0, y=0.0, z=1.0), 1.4142135623730951)
    >>> TVector([1, 2])
    Traceback (most recent call last):
        ...
    ValueError: a vector has three components, not 2: [1, 2]

    A vector equals a vector or tuple of the same numbers, but no list: compare with TVector(list).

    >>> a == (1, 2, 2), a == [1, 2, 2], a == TVector([1, 2, 2])
    (True, False, True)
    """

    __slots__ = ()
    __array_priority__ = -1.0  # number * vector: numpy must ask the vector first

    def __new__(cls, x: Any, y: Any = None, z: Any = None) -> "TVector":
        if z is None:
            if y is not None:
                raise TypeError(f"a vector has three components, not two: {x!r} and {y!r}")
            x, y, z = _three(x)
        return super().__new__(cls, _number(x), _number(y), _number(z))

    @python_only
    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(_CONSTANT)

    @python_only
    def __setitem__(self, index: object, value: object) -> None:
        raise TypeError(_CONSTANT)

    @takes_vectors
    def __add__(self, other: "TVector") -> "TVector":  # type: ignore[override]
        return TVector(self.x + other.x, self.y + other.y, self.z + other.z)

    @takes_vectors
    def __sub__(self, other: "TVector") -> "TVector":
        return TVector(self.x - other.x, self.y - other.y, self.z - other.z)

    @python_only  # without it, tuple + vector would join the two into six numbers
    def __radd__(self, other: "VectorLike") -> "TVector":
        if _is_number(other):
            raise TypeError(
                f"a vector is added to a vector, not to the number {other!r}: the sum of a list "
                "starts from one too, sum(vectors, TVector(0, 0, 0))"
            )
        return TVector(other) + self

    @python_only
    def __rsub__(self, other: "VectorLike") -> "TVector":
        return TVector(other) - self

    @checked_in_python(_check_scalar)
    def __mul__(self, scalar: float) -> "TVector":  # type: ignore[override]
        return TVector(self.x * scalar, self.y * scalar, self.z * scalar)

    @python_only  # `@value` derives it from __mul__ for kernels
    def __rmul__(self, scalar: float) -> "TVector":  # type: ignore[override]
        return self * scalar

    @checked_in_python(_check_scalar)
    def __truediv__(self, scalar: float) -> "TVector":
        return TVector(self.x / scalar, self.y / scalar, self.z / scalar)

    def __neg__(self) -> "TVector":
        return TVector(-self.x, -self.y, -self.z)

    @takes_vectors
    def dot(self, other: "TVector") -> float:
        """The scalar product x₁x₂ + y₁y₂ + z₁z₂."""
        return self.x * other.x + self.y * other.y + self.z * other.z

    @takes_vectors
    def cross(self, other: "TVector") -> "TVector":
        """The vector product, by the right-hand rule; its length is the parallelogram's area."""
        return TVector(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )

    def mag_sqr(self) -> float:
        """The square of the length."""
        return self.dot(self)

    def mag(self) -> float:
        """The length."""
        return math.sqrt(self.dot(self))

    @takes_vectors
    def dist_sqr(self, other: "TVector") -> float:
        """The square of the distance between two points."""
        return (self - other).mag_sqr()

    @takes_vectors
    def dist(self, other: "TVector") -> float:
        """The distance between two points."""
        return (self - other).mag()

    @checked_in_python(_check_finite)
    def unit(self) -> "TVector":
        """The vector of length 1 in the same direction.

        It is exact for tiny and huge components too. ValueError for the zero vector, and for a
        component that is inf or nan.

        >>> TVector(0, 0, 0).unit()
        Traceback (most recent call last):
            ...
        ValueError: the zero vector has no direction
        """
        largest = max(abs(self.x), abs(self.y), abs(self.z))
        if largest == 0.0:
            raise ValueError("the zero vector has no direction")
        scaled = self / largest
        return scaled / scaled.mag()

    def perpendicular(self) -> "TVector":
        """A unit vector at right angles to this one, which must not be zero.

        >>> TVector(0, 0, 2).perpendicular()
        TVector(x=0.0, y=1.0, z=0.0)
        """
        if abs(self.x) <= abs(self.y) and abs(self.x) <= abs(self.z):
            return self.cross(TVector(1.0, 0.0, 0.0)).unit()
        if abs(self.y) <= abs(self.z):
            return self.cross(TVector(0.0, 1.0, 0.0)).unit()
        return self.cross(TVector(0.0, 0.0, 1.0)).unit()


VectorLike: TypeAlias = TVector | Sequence[float] | Iterable[float]
"""Accepted as a vector in arguments: a `TVector`, a tuple, a list or an array."""


def _three(components: Any) -> tuple[Any, Any, Any]:
    try:
        listed = list(components)
    except TypeError:
        raise TypeError(f"a vector has three components, not one: {components!r}") from None
    if len(listed) != 3:
        raise ValueError(f"a vector has three components, not {len(listed)}: {components!r}")
    return listed[0], listed[1], listed[2]


def _number(component: Any) -> Any:
    """A component as a float; a number of a `double_double` is kept as it is."""
    if type(component) is float:
        return component
    if hasattr(component, "high"):  # a double-double
        return component
    if isinstance(component, bool) or not _is_number(component):
        raise TypeError(f"a vector's component is a number, not {component!r}")
    return float(component)


def _is_number(given: object) -> bool:
    """Whether something is one number, also one of a `double_double`."""
    if hasattr(given, "high"):
        return True
    is_many = getattr(given, "ndim", 0) > 0
    return hasattr(given, "__float__") and not is_many and not isinstance(given, str | bytes)


ZERO = TVector(0.0, 0.0, 0.0)
