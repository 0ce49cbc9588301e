"""Pictures and films without a window, and on Linux without a display."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spheresim_viewer.canvas import Canvas
from spheresim_viewer.headless import open_hidden_window
from spheresim_viewer.options import Options
from spheresim_viewer.saving import write_png
from spheresim_viewer.scene_view import SceneView
from spheresim_viewer.timeline.player import Player


class OfflineRenderer:
    """Renders pictures of one player, at a size in pixels."""

    def __init__(self, player: Player, width: int, height: int, options: Options) -> None:
        self._window = open_hidden_window(width, height)
        player.budget = math.inf  # no window waits for the next frame
        self.scene_view = SceneView(player, options)
        self.canvas = Canvas(self._window, width, height)

    def go_to(self, time: float) -> None:
        """Go to a time, however long that takes to compute."""
        player = self.scene_view.player
        player.seek(time)
        while player.seeking:
            player.update(0.0)
        self.scene_view.update(0.0)

    def picture(self) -> Any:
        """The pixels of the present time, shape (height, width, 3)."""
        self._window.switch_to()
        return self.canvas.capture(self.scene_view)

    def film(self, frames_a_second: float, seconds: float) -> Iterator[Any]:
        """The pixels of each frame of a film, at the scene's natural speed."""
        start, speed = self.scene_view.player.time, self.scene_view.player.natural_speed
        for k in range(max(1, round(seconds * frames_a_second))):
            self.go_to(start + k / frames_a_second * speed)
            yield self.picture()


def write_screenshot(
    player: Player, file: Path, time: float, size: tuple[int, int], options: Options
) -> None:
    """Write a PNG of the state at a time."""
    renderer = OfflineRenderer(player, *size, options)
    if options.trails:
        for before in renderer.scene_view.trails.times_before(time):
            renderer.go_to(before)
    renderer.go_to(time)
    write_png(file, renderer.picture())


def render_video(
    player: Player,
    file: Path,
    size: tuple[int, int],
    options: Options,
    frames_a_second: float,
    seconds: float,
) -> None:
    """Write an MP4."""
    from spheresim_viewer.video import write_video

    renderer = OfflineRenderer(player, *size, options)
    write_video(file, renderer.film(frames_a_second, seconds), size, frames_a_second)
