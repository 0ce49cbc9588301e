"""States of a run at a time, and ways of its balls from one frame to the next."""

from typing import Any, NamedTuple

from spheresim.record.held_flight import Piece


class Replayed(NamedTuple):
    """position, velocity: of all balls, (n, 3); at the time of an impact, those after it."""

    position: Any
    velocity: Any


class Ways(NamedTuple):
    """How balls go from one frame to the next where they do not simply fly.

    still: (n,), those that do not move, whatever hits them; pieces: the ways of those that
    obstacles hold for a part of it; simulated: those for which there is no formula, with the
    times at which impacts break their ways; with the fixed step those that add what flights miss,
    without times.
    """

    still: Any
    pieces: dict[int, list[Piece]]
    simulated: dict[int, list[float]]
