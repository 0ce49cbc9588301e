"""The state of a run at a time."""

from typing import NamedTuple

from spheresim.numerics.arrays import Floats


class _PositionVelocity(NamedTuple):
    position: Floats
    velocity: Floats


class Replayed(_PositionVelocity):
    """The state of a run at a time: the result of `Run.at`.

    position: (n, 3) [length]; velocity: (n, 3) [length/time]; at the time of an impact they are the
    values after it. angular_velocity: (n, 3) [rad/time], None in a world without spins; it is an
    attribute, but not an item of the tuple.
    """

    angular_velocity: Floats | None

    def __new__(
        cls, position: Floats, velocity: Floats, angular_velocity: Floats | None = None
    ) -> "Replayed":
        state = super().__new__(cls, position, velocity)
        state.angular_velocity = angular_velocity
        return state
