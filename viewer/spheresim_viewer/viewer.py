"""The viewer: ties a window to a scene view, and loads, compiles, updates and draws."""

import gc
import math
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import pyglet

from spheresim.record.files_and_columns import RunError
from spheresim.scene import Scene, SceneError
from spheresim_viewer.actions import Actions
from spheresim_viewer.adaptive_resolution import AdaptiveResolution
from spheresim_viewer.canvas import Canvas, draw_figures
from spheresim_viewer.draw.renderer import has_gpu
from spheresim_viewer.frame_state import FrameState, frame_state
from spheresim_viewer.hud.boxes import Box
from spheresim_viewer.hud.covers import columns
from spheresim_viewer.hud.help import draw_help
from spheresim_viewer.hud.meanings import draw_meaning
from spheresim_viewer.hud.notice import Notice
from spheresim_viewer.hud.overlay import Overlay
from spheresim_viewer.hud.rates import Rates
from spheresim_viewer.hud.sliders import Sliders
from spheresim_viewer.hud.transport import Transport, draw_hint
from spheresim_viewer.hud.waiting import draw_waiting
from spheresim_viewer.loading import Compiling, FileWatch, Loading, Source, end_process, scene_file
from spheresim_viewer.options import Options
from spheresim_viewer.saving import write_png
from spheresim_viewer.scene_view import SceneView
from spheresim_viewer.sound import Sound
from spheresim_viewer.timeline.player import Player
from spheresim_viewer.window import Window

_FRAMES_A_SECOND = 60.0
_WAITING = 0.1
"""Seconds between two frames while the compiler needs the processor more."""
FAULTS = (SceneError, RunError, OSError)
"""Faults that the user can mend. Any other exception is a bug."""


class Viewer:
    """Opens a window and shows a source in it until it is closed.

    scene: the scene of the source, if it has been loaded already.
    """

    def __init__(
        self,
        source: Source,
        scene: Scene | None = None,
        size: tuple[int, int] = (1280, 800),
        fullscreen: bool = False,
    ) -> None:
        # What the user sees and does
        self.scene_view: SceneView | None = None
        self.notice = Notice()
        self.sound = Sound()
        self.actions = Actions(self)
        self.transport = Transport()
        self.sliders = Sliders()
        self.rates = Rates()
        self.resolution = AdaptiveResolution()
        self.options = Options()
        self.help_pages = 1
        self.fault: Exception | None = None
        # The state of drawing, compiling and watching the file
        self._canvas: Canvas | None = None
        self._closing = False
        self._clock = perf_counter()
        self._last_frame_state: FrameState | None = None
        self._compiler: Compiling | None = None
        self._captioned = ""
        self._turns_to_impact = False
        self._file = FileWatch()
        # Load in a thread, while the window opens
        self._loading: Loading | None = Loading(source, scene)
        self._source = source
        self._loading.start()
        self.window = Window(self, *size, fullscreen)
        self._canvas = Canvas(self.window, *self.window.get_framebuffer_size())
        self._canvas.pixel_ratio = self.window.pixel_ratio
        self.options.shadows = has_gpu()  # without a graphics card they take a third of the time

    @property
    def overlay(self) -> Overlay:
        """The overlay as it was drawn last."""
        assert self._canvas is not None
        return self._canvas.overlay

    # --- Time ---

    def run(self) -> None:
        """Run until the window is closed. Raises the fault of the first source, if it has one."""
        pyglet.app.run(1.0 / _FRAMES_A_SECOND)
        if self.fault is not None:
            raise self.fault
        if self.is_compiling or (self._loading is not None and not self._loading.done):
            end_process()

    def advance_clock(self) -> bool:
        """Update by the time since the last call; returns whether the picture has changed."""
        now = perf_counter()
        seconds, self._clock = now - self._clock, now
        self.update(seconds)
        before, state = self._last_frame_state, frame_state(self)
        self._last_frame_state = state
        moved = before is None or state is None or state.scene != before.scene
        return self.resolution.is_due(moved or state != before, moved, seconds)

    def request_redraw(self) -> None:
        """Draw the next frame even if it is as before: the window has lost its picture."""
        self._last_frame_state = None

    def update(self, seconds: float) -> None:
        """Let wall-clock time pass."""
        self._finish_loading()
        self.notice.update(seconds)
        if self.scene_view is None or self.is_compiling:
            return
        self.window.move_camera(seconds)
        try:
            self.scene_view.update(seconds)
        except RunError as fault:  # the simulation cannot go on; the user can still rewind
            self.scene_view.player.pause()
            self.notice.fault(str(fault))
        self._turn_to_impact()
        self.notice.tell_of_end(self.scene_view)
        player = self.scene_view.player
        self.rates.add_frame(player.snapshot.impacts, player.running)
        if self.options.sound and self.scene_view.player.running:
            self._play_sound(self.scene_view.player, seconds)
        if self._file.has_changed(seconds):
            self.reload()
        caption = self.scene_view.caption
        if caption != self._captioned:
            self._captioned = caption
            self.window.set_caption(caption)

    def _play_sound(self, player: Player, seconds: float) -> None:
        snapshot = player.snapshot
        impacts = player.impacts_at(snapshot.time, max(seconds, 0.02) * player.speed)
        self.sound.play(impacts, snapshot.world.radius, snapshot.time)

    # --- Scenes ---

    def compile(self) -> None:
        """Compile the current playback in a thread; the window says so if it takes long."""
        assert self.scene_view is not None
        playback: Any = self.scene_view.player.segments.current.playback
        self._compiler = Compiling(playback.compile)
        self._compiler.start()
        self._compiler.join(_WAITING)

    @property
    def is_loading(self) -> bool:
        """Whether a file is being read, or the compiler is at work."""
        return self._loading is not None or self.is_compiling

    @property
    def is_compiling(self) -> bool:
        """Whether the compiler is at work."""
        return self._compiler is not None and self._compiler.is_alive()

    def open(self, path: str) -> None:
        """Open another scene or run."""
        self._load(self._source.with_path(path))

    def reload(self) -> None:
        """Open the same scene or run again, as it is on disk now."""
        self._load(self._source)

    def _load(self, source: Source) -> None:
        if self._loading is None:
            self._loading = Loading(source)
            self._loading.start()

    def _finish_loading(self) -> None:
        loading = self._loading
        if loading is None or not loading.done:
            return
        self._loading = None
        if loading.fault is not None:
            self._report_fault(loading.fault)
            return
        assert loading.player is not None
        is_same = self.scene_view is not None and loading.source.path == self._source.path
        self._source = loading.source
        camera = self.scene_view.camera if is_same and self.scene_view is not None else None
        running = self.scene_view.player.running if self.scene_view is not None else True
        aspect = self.window.width / self.window.height
        self.scene_view = SceneView(loading.player, self.options, camera, aspect)
        self.scene_view.player.running = running
        if self._canvas is not None:
            self.resolution.forget(math.prod(self._canvas.size))
        gc.unfreeze()
        gc.collect()
        gc.freeze()  # else each garbage collection would search all of it, and halt the picture
        self._file = FileWatch(scene_file(self.scene_view.player.snapshot.scene))
        self.notice.clear()

    def _report_fault(self, fault: Exception) -> None:
        if not isinstance(fault, FAULTS) or self.scene_view is None:
            self.fault = fault  # there is nothing to show, or it is a bug: end with it
            pyglet.clock.schedule_once(lambda _: self.close(), 0.0)  # not from within the drawing
            return
        self.notice.fault(str(fault))

    # --- Commands ---

    @property
    def is_waiting(self) -> bool:
        """Whether commands are ignored, since nothing is loaded or the compiler is at work."""
        return self.scene_view is None or self.is_compiling

    def perform(self, name: str) -> None:
        """Perform an action of `Actions` by its name."""
        if name == "quit" or not self.is_waiting:
            try:
                getattr(self.actions, name)()
            except OSError as fault:  # a file could not be written
                where = f"{fault.filename}: " if fault.filename else ""
                self.notice.fault(f"{where}nothing was written: {fault.strerror or fault}")

    def seek(self, time: float) -> None:
        """Pause, and go to a time."""
        assert self.scene_view is not None
        self.scene_view.player.pause()
        self.scene_view.player.seek(time)

    def go_to_impact_after(self, time: float) -> None:
        """Go to the first impact after a time, and turn the camera if it would be out of sight."""
        assert self.scene_view is not None
        self.scene_view.player.impact_after(time)
        self._turns_to_impact = True

    def _turn_to_impact(self) -> None:
        """Look at the impact that was sought, once it is found, unless it is in sight."""
        scene_view = self.scene_view
        if not self._turns_to_impact or scene_view is None or scene_view.player.seeking:
            return
        self._turns_to_impact = False
        if scene_view.is_at_impact and not scene_view.is_impact_in_sight:
            scene_view.look_at_impact()

    def save_screenshot(self, path: Path) -> None:
        """Write a picture of the present time."""
        assert self._canvas is not None
        assert self.scene_view is not None
        write_png(path, self._canvas.capture(self.scene_view))

    def toggle_fullscreen(self) -> None:
        """Switch between window and full screen."""
        self.window.set_fullscreen(not self.window.fullscreen)

    def resize(self, width: int, height: int) -> None:
        """Draw at another size, in pixels, from now on."""
        if self._canvas is not None and width > 0 and height > 0:
            self._canvas.pixel_ratio = self.window.pixel_ratio
            self._canvas.resize(width, height)
            self.resolution.forget(math.prod(self._canvas.size))
            self.request_redraw()

    def point_at(self, place: tuple[float, float] | None) -> None:
        """Note where the mouse is, in points of the overlay; None if it is elsewhere."""
        self.overlay.pointer = place

    def close(self) -> None:
        """Close the window and end."""
        self._closing = True
        self.window.close()
        pyglet.app.exit()

    # --- Drawing ---

    def draw(self) -> None:
        """Draw a frame into the window."""
        if self._canvas is None or self._closing:
            return
        if self.scene_view is None or self.is_compiling:
            self._canvas.draw_nothing(self._draw_waiting).copy_to(None)
            sleep(_WAITING)
        else:
            share = self.resolution.share
            self._canvas.draw(self.scene_view, self._draw_over, share).copy_to(None)

    def _draw_over(self, overlay: Overlay) -> None:
        scene_view, right, below = self.scene_view, math.inf, list[Box]()
        assert scene_view is not None
        if self.options.help:  # instead of all other text, which would shine through
            self.help_pages = draw_help(overlay, self.options.help_page)
        else:
            wall = self.rates.rows() | self.resolution.rows()
            below = draw_figures(overlay, scene_view, wall, self)
            self.transport.draw(overlay, scene_view, self.actions)
            draw_hint(overlay, scene_view)
            right = columns(overlay, scene_view, in_window=True).numbers_right
        notice = None
        if not self.options.help or self.notice.is_fault:
            beside_numbers = self.options.numbers and not self.options.help
            notice = self.notice.draw(overlay, beside_numbers, right, below)
        if not self.options.help:
            draw_meaning(overlay, notice)
        if self._loading is not None:
            self._draw_waiting(overlay)

    def _draw_waiting(self, overlay: Overlay) -> None:
        work = self._compiler if self._loading is None else self._loading
        wait = None if work is None else work.wait
        if wait is None:
            draw_waiting(overlay, "opening the scene")
        else:
            draw_waiting(overlay, wait.words("the simulation"), wait.below)
