"""How a picture or a film is taken: where the camera is, what it follows, how time runs."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spheresim_viewer.scene_view import SceneView
    from spheresim_viewer.timeline.player import Player


_NAMED = 5
"""Balls that a message names."""


class ShotError(ValueError):
    """What no picture can be taken with; the message is one sentence."""


Point = tuple[float, float, float]


@dataclass(frozen=True)
class Shot:
    """How a picture or a film is taken.

    camera, target: where the camera is, and the point at which it looks, (3,) [length]; without
    them the picture has the whole scene. orbit: degrees by which the camera turns about the target
    in each second of film. follow, ride: the name or index of a ball at which the camera looks, or
    behind which it flies. speed: of simulated time, 1 as in the window, 0.1 for slow motion. start:
    the simulated time at which a film begins [time], None for the start of the scene or run, or the
    present time of a simulation. fade: seconds after which trails fade, None as in the window.
    """

    camera: Point | None = None
    target: Point | None = None
    orbit: float = 0.0
    follow: str | None = None
    ride: str | None = None
    speed: float = 1.0
    start: float | None = None
    fade: float | None = None

    def check(self) -> None:
        """ShotError for what no picture can be taken with."""
        numbers = (*(self.camera or ()), *(self.target or ()), self.orbit, self.start or 0.0)
        if not all(map(math.isfinite, numbers)):
            raise ShotError("camera, target, orbit and start must be finite numbers")
        if not 0.0 < self.speed < math.inf:
            raise ShotError(f"speed must be greater than 0, not {self.speed!r}")
        if self.fade is not None and not 0.0 < self.fade < math.inf:
            raise ShotError(f"fade must be greater than 0, not {self.fade!r}")
        if self.camera is not None and self.camera == self.target:
            raise ShotError("camera and target must be two points")
        if self.follow is not None and self.ride is not None:
            raise ShotError("follow and ride cannot both be given")

    def start_in(self, player: "Player") -> float:
        """The simulated time at which a film begins."""
        return player.begins if self.start is None else self.start

    def speed_in(self, player: "Player") -> float:
        """Simulated time per second of film."""
        return player.natural_speed * self.speed

    def aim(self, view: "SceneView") -> None:
        """Put the camera of a view where it begins; ShotError if there is no such ball."""
        import numpy as np  # the command line, which names a shot, needs none of it

        view.update(0.0)
        camera = view.camera
        if self.camera is not None or self.target is not None:
            units = view.stage.to_units
            eye = camera.eye if self.camera is None else units(np.array(self.camera))
            target = camera.target if self.target is None else units(np.array(self.target))
            camera.place(eye, target)
        if self.ride is not None:
            camera.ride(_ball(view, self.ride))
        elif self.follow is not None:
            camera.follow(_ball(view, self.follow))
        view.update(0.0)
        camera.settle()
        if self.fade is not None:
            view.trails.last(self.fade * self.speed_in(view.player))

    def turn(self, view: "SceneView", seconds: float) -> None:
        """Let so many seconds of film pass for the camera."""
        view.update(seconds)
        if self.orbit:
            view.camera.orbit(-math.radians(self.orbit) * seconds, 0.0)
        if self.ride is None:
            view.camera.settle()


def _ball(view: "SceneView", word: str) -> int:
    """The index of a ball by its name, or by that index in words."""
    names = list(view.player.snapshot.names)
    if word in names:
        return names.index(word)
    if word.isdecimal() and int(word) < len(names):
        return int(word)
    more = ", …" if len(names) > _NAMED else ""
    raise ShotError(f"there is no ball {word!r}; their names are {', '.join(names[:_NAMED])}{more}")
