"""When bounces become contact and contact becomes rest: the heights that a user may set."""

from typing import NamedTuple

from spheresim.numerics.arguments import number


class Thresholds(NamedTuple):
    """Heights, in units of a ball's radius, that decide about lasting contact and sleep.

    A height stands for the speed with which a ball reaches it, against the acceleration that
    presses the ball onto the contact. rest_height: a ball that would bounce no higher stays on the
    obstacle. soft_height: balls of heaps that hit each other, and would part no faster, stay in
    contact. wake_height: an impact that is faster wakes a sleeping ball. sleep_height: balls in
    contact that are slower fall asleep, if their equilibrium can be proved."""

    rest_height: float = 1e-6
    soft_height: float = 1e-3
    wake_height: float = 1e-4
    sleep_height: float = 1e-5


USUAL_THRESHOLDS = Thresholds()

BOUNDS = {
    "rest_height": (1e-12, 1e-2),
    "soft_height": (1e-12, 1e-2),
    "wake_height": (1e-12, 1.0),
    "sleep_height": (1e-12, 1e-2),
}
"""Least and largest value of each threshold: above rounding, and below visible motion."""

WAKES_TOO_SOON = (
    "must be at least rest_height ({rest_height:g}), or what lies would be woken by impacts that "
    "do not count as such, not {wake_height!r}"
)
"""What is wrong with a `wake_height` below the `rest_height`."""


def checked_thresholds(rest: Thresholds) -> Thresholds:
    """The thresholds as floats; ValueError or TypeError names the one that is out of bounds."""
    if not isinstance(rest, Thresholds):
        raise TypeError(f"rest must be Thresholds(...), not {rest!r}")
    checked = Thresholds(
        *(number(value, f"rest.{name}", *BOUNDS[name]) for name, value in rest._asdict().items())
    )
    if checked.wake_height < checked.rest_height:
        raise ValueError(f"rest.wake_height {WAKES_TOO_SOON.format(**checked._asdict())}")
    return checked
