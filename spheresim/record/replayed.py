"""The state of a run at a time."""

from typing import Any, NamedTuple


class _PositionVelocity(NamedTuple):
    position: Any
    velocity: Any


class Replayed(_PositionVelocity):
    """position, velocity: of all balls, (n, 3); at the time of an impact, those after it.

    angular_velocity: likewise where spins are followed, else None. It is none of the two that the
    tuple consists of.
    """

    angular_velocity: Any

    def __new__(cls, position: Any, velocity: Any, angular_velocity: Any = None) -> "Replayed":
        state = super().__new__(cls, position, velocity)
        state.angular_velocity = angular_velocity
        return state
