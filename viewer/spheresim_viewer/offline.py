"""Pictures and films without a window, and on Linux without a display."""

import math
from collections.abc import Iterator
from pathlib import Path

from spheresim_viewer.canvas import Canvas
from spheresim_viewer.headless import open_hidden_window
from spheresim_viewer.hud.overlay import fitting_scale
from spheresim_viewer.options import Options
from spheresim_viewer.progress import Tell, progress_bar
from spheresim_viewer.saving import write_png
from spheresim_viewer.scene_view import SceneView
from spheresim_viewer.shot import Shot
from spheresim_viewer.timeline.player import Player
from spheresim_viewer.video import Pixels, write_video

_BETWEEN = 0.2
"""Seconds of computing between two looks at how far it is."""


class OfflineRenderer:
    """Renders pictures of one player, at a size in pixels."""

    def __init__(
        self, player: Player, width: int, height: int, options: Options, shot: Shot | None = None
    ) -> None:
        self._window = open_hidden_window(width, height)
        player.budget = math.inf  # no window waits for the next frame
        self.scene_view = SceneView(player, options, aspect=width / height)
        self.canvas = Canvas(self._window, width, height, fitting_scale(width, height))
        self.shot = Shot() if shot is None else shot

    def go_to(self, time: float, tell: Tell | None = None) -> None:
        """Go to a time, however long that takes to compute; tell: hears the time reached."""
        player = self.scene_view.player
        player.budget = math.inf if tell is None else _BETWEEN
        player.seek(time)
        while player.seeking:
            player.update(0.0)
            if tell is not None:
                tell(player.segments.furthest)
        player.budget = math.inf
        self.scene_view.update(0.0)

    def picture(self) -> Pixels:
        """The pixels of the present time, shape (height, width, 3)."""
        self._window.switch_to()
        return self.canvas.capture(self.scene_view)

    def begin(self, time: float) -> None:
        """Go to the time at which a picture or a film begins, and aim the camera."""
        with progress_bar(f"to t = {time:g}", time) as tell:
            self.go_to(time, tell)
        self.shot.aim(self.scene_view)
        if self.scene_view.options.trails:
            trails, begins = self.scene_view.trails, self.scene_view.player.begins
            for before in trails.times_before(time, begins):
                self.go_to(before)
            self.go_to(time)

    def film(self, frames_a_second: float, seconds: float) -> Iterator[Pixels]:
        """The pixels of each frame of a film."""
        player = self.scene_view.player
        start, speed = self.shot.start_in(player), self.shot.speed_in(player)
        self.begin(start)
        for k in range(max(1, round(seconds * frames_a_second))):
            if k:
                self.go_to(start + k / frames_a_second * speed)
                self.shot.turn(self.scene_view, 1.0 / frames_a_second)
            yield self.picture()


def write_screenshot(renderer: OfflineRenderer, file: Path, time: float) -> None:
    """Write a PNG of the state at a time."""
    renderer.begin(time)
    write_png(file, renderer.picture())


def render_video(
    renderer: OfflineRenderer, file: Path, frames_a_second: float, seconds: float
) -> None:
    """Write an MP4 or a GIF."""
    frames = renderer.film(frames_a_second, seconds)
    with progress_bar(file.name, max(1, round(seconds * frames_a_second))) as tell:
        write_video(file, _told(frames, tell), renderer.canvas.size, frames_a_second)


def _told(frames: Iterator[Pixels], tell: Tell) -> Iterator[Pixels]:
    """The frames of a film, while it is told how many there are."""
    for count, frame in enumerate(frames, start=1):
        yield frame
        tell(count)
