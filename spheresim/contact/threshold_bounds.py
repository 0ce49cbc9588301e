"""The default thresholds of rest, and the bounds of others."""

from spheresim.contact.thresholds import Thresholds
from spheresim.numerics.arguments import number

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
