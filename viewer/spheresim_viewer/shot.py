"""How a picture or a film is taken: where the camera is, what it follows, how time runs."""

import math
import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spheresim_viewer.scene_view import SceneView
    from spheresim_viewer.timeline.player import Player


SIDES = (16, 8_192)
"""Pixels that a picture may be wide and high, from and to."""
RATES = (1.0, 240.0)
"""Frames per second of a film, from and to."""
LENGTHS = (0.0, 86_400.0)
"""Seconds that a film may last, from and to."""

_NAMED = 5
"""Balls that a message names."""


class ShotError(ValueError):
    """What no picture can be taken with; the message is one sentence."""


Point = tuple[float, float, float]


def is_size(size: Any) -> bool:
    """Whether a picture can have this width and height in pixels."""
    try:
        width, height = map(operator.index, size)
    except (TypeError, ValueError):
        return False
    return all(SIDES[0] <= side <= SIDES[1] for side in (width, height))


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
    follow: str | int | None = None
    ride: str | int | None = None
    speed: float = 1.0
    start: float | None = None
    fade: float | None = None

    def check(self) -> None:
        """ValueError or TypeError for what no picture can be taken with."""
        # The command line, which names a shot, needs none of it
        from spheresim.numerics.arguments import finite_vector, number, positive

        camera, target = (
            None if point is None else finite_vector(point, name)
            for name, point in (("camera", self.camera), ("target", self.target))
        )
        if camera is not None and camera == target:
            raise ShotError("camera and target must be two points")
        number(self.orbit, "orbit")
        positive(self.speed, "speed")
        if self.start is not None:
            number(self.start, "start")
        if self.fade is not None:
            positive(self.fade, "fade")
        for name, ball in (("follow", self.follow), ("ride", self.ride)):
            is_index = hasattr(ball, "__index__") and not isinstance(ball, bool)
            if not (ball is None or isinstance(ball, str) or is_index):
                raise TypeError(f"{name} must be the name or the index of a ball, not {ball!r}")
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


def _ball(view: "SceneView", word: str | int) -> int:
    """The index of a ball by its name, or by that index, also in words."""
    names = list(view.player.snapshot.names)
    if word in names:
        return names.index(word)
    if (not isinstance(word, str) or word.isdecimal()) and 0 <= int(word) < len(names):
        return int(word)
    more = ", …" if len(names) > _NAMED else ""
    raise ShotError(f"there is no ball {word!r}; their names are {', '.join(names[:_NAMED])}{more}")
