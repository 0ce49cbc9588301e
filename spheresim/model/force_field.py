"""Fields of force: accelerations as a function of time, positions and velocities."""

from collections.abc import Callable
from typing import Any, NamedTuple, Union

import numpy as np
import numpy.typing as npt

from spheresim.numerics.arguments import finite_vector, positive, shown
from spheresim.numerics.arrays import Floats
from spheresim.numerics.rows import read_only
from spheresim.numerics.vector import TVector, VectorLike

Field = Union[Callable[[float, Floats, Floats], Any], "HarmonicTrap"]  # a NamedTuple that is called
"""field(time, position, velocity) is the acceleration of all balls, (n, 3) or one for all, (3,).

position, velocity: (n, 3), read-only."""


def accelerations(field: Field, time: float, position: Floats, velocity: Floats) -> Floats:
    """The accelerations by a field, (n, 3); ValueError if they are no numbers of this shape."""
    seen = position.view(), velocity.view()
    for array in seen:
        array.flags.writeable = False
    found = field(time, *seen)
    try:
        array = np.broadcast_to(np.asarray(found, dtype=float), position.shape)
    except (TypeError, ValueError):
        array = np.full(1, np.nan)
    if not np.isfinite(array).all():
        raise ValueError(
            f"a field must return finite accelerations of the shape {position.shape}, one for each "
            f"ball, or (3,), one for all; at t = {time!r} it returned {shown(found)}"
        )
    return array


class _FrequencyCentre(NamedTuple):
    frequency: float
    centre: TVector


class HarmonicTrap(_FrequencyCentre):
    """A harmonic trap: the acceleration −ω²·(x − c) of all balls, as `field` of a `Simulation`.

    frequency: ω > 0, the angular frequency [rad/time]; centre: c, (3,) [length]. Both engines take
    it. With "events" balls fly on exact ellipses, x = c + (x₀ − c)·cos ωt + v₀/ω·sin ωt.
    """

    __slots__ = ()

    def __new__(cls, frequency: float, centre: VectorLike = (0.0, 0.0, 0.0)) -> "HarmonicTrap":
        return super().__new__(
            cls, positive(frequency, "a trap's frequency"), finite_vector(centre, "a trap's centre")
        )

    def __call__(self, time: float, position: Floats, velocity: Floats) -> Floats:
        """The accelerations at positions, (n, 3)."""
        return (np.array(self.centre) - position) * self.frequency**2

    def energy(self, mass: Floats, position: Floats) -> float:
        """The potential energy Σ ½·m·ω²·(x − c)² of balls; mass: (n,), position: (n, 3)."""
        away = position - np.array(self.centre)
        squares = np.einsum("ij,ij->i", away, away)
        return 0.5 * self.frequency**2 * float(np.einsum("i,i->", mass, squares))

    def with_gravity(self, gravity: TVector) -> "HarmonicTrap":
        """The trap that has the same effect as this trap and gravity together.

        Its centre is the place at which a ball can rest, c + gravity/ω².
        """
        return HarmonicTrap(self.frequency, self.centre + gravity * self.frequency**-2)


class ConstantAccelerations:
    """A constant acceleration for each ball, as `field` of a `Simulation`; gravity is added.

    acceleration: (n, 3), in the order of the balls [length/time²]. Use it for forces F that differ
    between balls, such as electric forces or buoyancy: the acceleration is F/m. Both engines take
    it. With "events" balls fly on exact parabolas. ValueError for another shape, or for numbers
    that are not finite; a `Simulation` of another number of balls raises ValueError.
    """

    __slots__ = ("acceleration",)

    def __init__(self, acceleration: npt.ArrayLike) -> None:
        values = np.array(acceleration, dtype=float)
        if values.ndim != 2 or values.shape[1] != 3 or not np.isfinite(values).all():
            raise ValueError(
                "constant accelerations must be finite, with the shape (n, 3), not "
                f"{shown(acceleration)}"
            )
        self.acceleration = read_only(values)

    def __call__(self, time: float, position: Floats, velocity: Floats) -> Floats:
        """The accelerations, whatever the time, positions and velocities."""
        return self.acceleration

    def energy(self, mass: Floats, position: Floats) -> float:
        """The potential energy −Σ m·a·x of balls; mass: (n,), position: (n, 3)."""
        descent = np.einsum("ij,ij->i", position, self.acceleration)
        return 0.0 - float(np.einsum("i,i->", mass, descent))  # never −0


def own_accelerations(field: Field | None, balls: int) -> Floats:
    """The accelerations that balls have of their own in a field, (balls, 3)."""
    if isinstance(field, ConstantAccelerations):
        return field.acceleration
    return np.broadcast_to(0.0, (balls, 3))


def with_accelerations(field: Field | None, own: Floats) -> Field | None:
    """The field in which balls are that have accelerations of their own, (n, 3).

    ValueError if there is another field, or one for another number of balls.
    """
    if isinstance(field, ConstantAccelerations) and len(field.acceleration) != len(own):
        raise ValueError(
            f"constant accelerations must be one for each of {len(own)} balls, not "
            f"{len(field.acceleration)}"
        )
    if not own.any():
        return field
    if isinstance(field, ConstantAccelerations) and np.array_equal(field.acceleration, own):
        return field
    if field is not None:
        raise ValueError("balls with accelerations of their own must be in no other field")
    return ConstantAccelerations(own)
