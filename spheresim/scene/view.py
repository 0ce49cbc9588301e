"""How a scene wants to be watched: from where, with what, and what happens at its end."""

from typing import NamedTuple

from spheresim.scene.faults import toml

Point = tuple[float, float, float]

ENDS = ("stop", "loop", "go on")
"""What the viewer can do when time comes to the scene's duration."""


MOST_CELLS = 1000
"""The most cells in which balls are counted: more numbers could not be read."""


class Counts(NamedTuple):
    """A box [length], divided evenly into cells along x, y and z, in which balls are counted."""

    low: Point
    high: Point
    cells: tuple[int, int, int] = (1, 1, 1)


class View(NamedTuple):
    """The table [view] of a scene: how the viewer shows it. Engines do not use it.

    camera, target: where the camera is, and the point at which it looks, (3,) [length]. Without
    them the picture has the whole scene, seen from azimuth and elevation [degrees]: 0, 0 is from
    the front; without an azimuth, the viewer chooses a direction that hides few balls. follow: the
    name of a ball that stays in the middle. trails, ghosts: whether the paths of balls and the
    offset primitives are shown at first. end: one of `ENDS`. caption: a line below the picture.
    counter: whether the number of impacts is shown large. counts: the cells over which the number
    of balls inside is written, or None.
    """

    camera: Point | None = None
    target: Point | None = None
    follow: str | None = None
    trails: bool = False
    ghosts: bool = False
    end: str = "stop"
    caption: str | None = None
    counter: bool = False
    azimuth: float | None = None
    elevation: float | None = None
    counts: Counts | None = None

    def rows(self) -> list[tuple[str, str]]:
        """The fields that are not as by default, and their values in TOML."""
        return [
            (name, toml(value._asdict() if isinstance(value, Counts) else value))
            for name, value, usual in zip(self._fields, self, View(), strict=True)
            if value != usual
        ]


USUAL_VIEW = View()
