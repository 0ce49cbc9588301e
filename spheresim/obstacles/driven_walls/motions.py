"""How an obstacle moves, and how a warm one sends balls back: the words of users.

At t = 0 every obstacle is where its own fields say: displacements count from there.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np

from spheresim.numerics.arguments import direction_of, finite_vector, number, positive
from spheresim.numerics.arrays import Floats
from spheresim.numerics.philox import checked_seed
from spheresim.numerics.vector import TVector, VectorLike

COMPONENTS = ("all", "normal")
"""Which components of the velocity a warm obstacle draws."""


class _Velocity(NamedTuple):
    velocity: TVector


class ConstantVelocity(_Velocity):
    """Motion along a straight line with constant velocity, as `motion` of an `Obstacle`.

    velocity: (3,) [length/time]. At t = 0 the obstacle is where its shape is given.

    >>> ConstantVelocity((0, -0.5, 0))
    ConstantVelocity(velocity=TVector(x=0.0, y=-0.5, z=0.0))
    """

    __slots__ = ()
    kind: ClassVar[str] = "velocity"

    def __new__(cls, velocity: VectorLike) -> "ConstantVelocity":
        return super().__new__(cls, finite_vector(velocity, "a motion's velocity"))


class _Oscillation(NamedTuple):
    amplitude: float
    frequency: float
    axis: TVector
    phase: float


class Oscillation(_Oscillation):
    """A vibration, as `motion` of an `Obstacle`: the displacement is A·(sin(2πft + φ) − sin φ).

    amplitude: A ≥ 0 [length]; frequency: f > 0, in periods per time [1/time]; axis: the direction
    of the displacement, of any length but 0; phase: φ [degrees]. At t = 0 the displacement is 0.

    >>> Oscillation(0.1, 5, axis=(0, 2, 0))
    Oscillation(amplitude=0.1, frequency=5.0, axis=TVector(x=0.0, y=1.0, z=0.0), phase=0.0)
    """

    __slots__ = ()
    kind: ClassVar[str] = "oscillation"

    def __new__(
        cls, amplitude: float, frequency: float, axis: VectorLike, phase: float = 0.0
    ) -> "Oscillation":
        return super().__new__(
            cls,
            number(amplitude, "a motion's amplitude", low=0.0),
            positive(frequency, "a motion's frequency"),
            direction_of(axis, "a motion's axis"),
            number(phase, "a motion's phase"),
        )


class _Turning(NamedTuple):
    axis: TVector
    frequency: float
    point: TVector


class SteadyRotation(_Turning):
    """Rotation about a fixed axis at constant speed, as `motion` of an `Obstacle`.

    axis: its direction, of any length but 0; frequency: turns per time by the right-hand rule,
    negative for the opposite sense [1/time]; point: any point on the axis, (3,) [length].
    """

    __slots__ = ()
    kind: ClassVar[str] = "rotation"

    def __new__(
        cls, axis: VectorLike, frequency: float, point: VectorLike = (0.0, 0.0, 0.0)
    ) -> "SteadyRotation":
        return super().__new__(
            cls,
            direction_of(axis, "a motion's axis"),
            number(frequency, "a motion's frequency"),
            finite_vector(point, "a motion's point"),
        )


class _Piecewise(NamedTuple):
    times: tuple[float, ...]
    offsets: tuple[TVector, ...]


class PiecewiseMotion(_Piecewise):
    """Straight motions between the places of a table, as `motion` of an `Obstacle`.

    times: (k,), increasing, the first 0 [time]; offsets: (k, 3), the displacement at each time, the
    first 0 [length]. After the last time the obstacle stands still. ValueError for fewer than two
    times, or times and offsets of different numbers.
    """

    __slots__ = ()
    kind: ClassVar[str] = "piecewise"

    def __new__(cls, times: Iterable[float], offsets: Sequence[VectorLike]) -> "PiecewiseMotion":
        when = tuple(number(time, "a motion's times") for time in times)
        where = tuple(finite_vector(offset, "a motion's offsets") for offset in offsets)
        if len(when) != len(where) or len(when) < 2:
            raise ValueError(
                "a motion's times and offsets must be equally many, at least 2, not "
                f"{len(when)} and {len(where)}"
            )
        if when[0] != 0.0 or any(a >= b for a, b in pairwise(when)):
            raise ValueError(f"a motion's times must begin with 0 and increase, not {list(when)}")
        if any(where[0]):
            raise ValueError(f"a motion's first offset must be 0, 0, 0, not {list(where[0])}")
        return super().__new__(cls, when, where)


class _Piston(NamedTuple):
    mass: float
    force: float
    velocity: float


class Piston(_Piston):
    """A piston, as `motion` of a plane: it has a mass, and impacts push it along its normal.

    mass > 0; force: the sum of all outer forces along the normal, which points to the balls: p·A
    for an outer pressure p on the area A [mass·length/time²]; velocity: along the normal, at t = 0
    [length/time]. Between impacts the acceleration is force/mass.
    """

    __slots__ = ()
    kind: ClassVar[str] = "piston"

    def __new__(cls, mass: float, force: float = 0.0, velocity: float = 0.0) -> "Piston":
        return super().__new__(
            cls,
            positive(mass, "a piston's mass"),
            number(force, "a piston's force"),
            number(velocity, "a piston's velocity"),
        )


class _Thermal(NamedTuple):
    temperature: float
    components: str
    seed: int


class Thermal(_Thermal):
    """A temperature, as `thermal` of an `Obstacle`: impacts draw the ball's velocity at random.

    temperature: kT > 0 [mass·length²/time²]; components: "all", or "normal" to draw only the
    component along the normal and keep the others; seed: of the random numbers, which also depend
    on the obstacle's number and its count of impacts.

    The distribution is that of a gas that flows out of a hole: along the normal the density
    m·v/kT·exp(−m·v²/2kT), across it normal distributions of the variance kT/m. Restitution has no
    effect.
    """

    __slots__ = ()

    def __new__(cls, temperature: float, components: str = "all", seed: int = 0) -> "Thermal":
        if components not in COMPONENTS:
            raise ValueError(f'components must be "all" or "normal", not {components!r}')
        kt = positive(temperature, "a wall's temperature")
        return super().__new__(cls, kt, components, checked_seed(seed, "a wall's seed"))


Motion: TypeAlias = ConstantVelocity | Oscillation | SteadyRotation | PiecewiseMotion | Piston

MOTIONS: dict[str, type[Motion]] = {
    motion.kind: motion
    for motion in (ConstantVelocity, Oscillation, SteadyRotation, PiecewiseMotion, Piston)
}
"""The motions by their words in scene files."""


def knots_of(motion: ConstantVelocity | PiecewiseMotion) -> Floats:
    """Time, displacement and velocity, (7,), of each piece of a straight motion, shape (k, 7)."""
    if isinstance(motion, ConstantVelocity):
        return np.array([[0.0, 0.0, 0.0, 0.0, *motion.velocity]])
    times, offsets = np.array(motion.times), np.array(motion.offsets)
    velocity = np.zeros_like(offsets)
    velocity[:-1] = np.diff(offsets, axis=0) / np.diff(times)[:, None]
    return np.column_stack([times, offsets, velocity])
