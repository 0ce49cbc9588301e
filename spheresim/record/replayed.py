"""The state of a run at a time."""

from typing import Any, NamedTuple


class Replayed(NamedTuple):
    """position, velocity: of all balls, (n, 3); at the time of an impact, those after it."""

    position: Any
    velocity: Any
