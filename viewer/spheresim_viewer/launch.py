"""Open a window, or write a picture or a film, as the command line asks."""

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from spheresim.commands.exit_codes import DONE, FAULT
from spheresim.commands.unused_options import warn_of_unused
from spheresim.scene import Scene
from spheresim.scene.faults import one_line
from spheresim_viewer.loading import Source, Watched, keep_as_recorded
from spheresim_viewer.options import Options
from spheresim_viewer.shot import Shot, ShotError
from spheresim_viewer.timeline.player import Player

NO_DISPLAY = (
    "no window could be opened ({why}): run this on a desktop, under a virtual screen "
    "(xvfb-run spheresim view …), or write a picture with --screenshot FILE, from Python with "
    "spheresim_viewer.screenshot"
)
_ODD = "--size {}x{}: the sides of an MP4 must be even, such as {}x{}"
NO_CONTEXT = (
    "OpenGL 3.3 could not be had ({why}): update the graphics driver, or install Mesa's "
    "(Debian: apt install libgl1 libegl1), which draws without a graphics card"
)


_USUAL_SECONDS = 10.0
"""Length of a film, unless the scene ends before."""
_NOT_LATER = 1.0 + 1e-9
"""Factor on the end, for times that were computed."""


@dataclass(frozen=True)
class Request:
    """The arguments of `spheresim view`."""

    path: str | Watched
    size: tuple[int, int]
    options: Options
    shot: Shot = field(default_factory=Shot)
    engine: str | None = None
    toi: str | None = None
    slices: int | None = None
    fullscreen: bool = False
    screenshot: Path | None = None
    at: float | None = None
    video: Path | None = None
    frames_a_second: float = 50.0
    seconds: float | None = None


class NoPictureError(Exception):
    """No window or picture can be had; the message says why, and what to do."""


def launch(request: Request) -> int:
    """Do what was asked for; returns the exit code."""
    source = Source(request.path, request.engine, request.toi, request.slices)
    if source.is_run():
        keep_as_recorded(str(request.path), source.overrides)
    if request.screenshot is None and request.video is None:
        return _exit_code_of(lambda: open_window(source, request))
    try:
        return _exit_code_of(lambda: write_files(source, request))
    except KeyboardInterrupt:
        what = "picture" if request.video is None else "film"
        raise KeyboardInterrupt(f"no {what} was written") from None


def show_lesson(name: str, size: tuple[int, int], screenshot: Path | None, step: int = 1) -> int:
    """Open a lesson, or write a picture of a step of it; returns the exit code.

    Without a name it is the table of contents.
    """
    return _exit_code_of(lambda: _show_lesson(name, size, screenshot, step))


def _exit_code_of(work: Callable[[], None]) -> int:
    """Do some work; on a NoPictureError or ShotError print its sentence. Returns the exit code."""
    try:
        work()
    except (NoPictureError, ShotError) as fault:
        print(fault, file=sys.stderr)
        return FAULT
    return DONE


def _show_lesson(name: str, size: tuple[int, int], screenshot: Path | None, step: int) -> None:
    try:
        if screenshot is not None:
            from spheresim_viewer.headless import use_display

            use_display(False)
            from spheresim_viewer.lessons.offline import write_lesson_screenshot

            _refuse_to_replace(screenshot)
            write_lesson_screenshot(name, size, step, screenshot)
            return
        from spheresim_viewer.lessons.window import LessonWindow, play

        window = LessonWindow(name, size)
    except Exception as fault:
        raise _no_picture(fault) from fault
    play(window)


def open_window(source: Source, request: Request) -> None:
    """Open a window, and return when it is closed; NoPictureError says why it cannot."""
    # Faults of a scene are reported before a window opens.
    scene = _scene_of(source)
    try:
        from spheresim_viewer.headless import use_display

        use_display(True)
        from spheresim_viewer.viewer import Viewer

        viewer = Viewer(source, scene, request.size, request.fullscreen)
    except Exception as fault:
        raise _no_picture(fault) from fault
    viewer.run()


def write_files(source: Source, request: Request) -> None:
    """Write a picture and a film, as asked for; NoPictureError says why it cannot."""
    # Refuse what cannot be written, before any work
    if request.video is not None:
        from spheresim_viewer.video import MISSING, can_write_video

        if not can_write_video():
            raise NoPictureError(MISSING)
        if request.video.suffix.lower() == ".mp4" and any(side % 2 for side in request.size):
            raise NoPictureError(
                _ODD.format(*request.size, *(side // 2 * 2 for side in request.size))
            )
    for file in filter(None, (request.screenshot, request.video)):
        _refuse_to_replace(file)
    # Load and compile the scene, then switch to drawing without a display
    player = source.open(_scene_of(source))
    _check_times(player, source, request)
    try:
        from spheresim_viewer.headless import use_display

        use_display(False)
        import spheresim_viewer.offline  # noqa: F401  only whether it can be had
    except Exception as fault:
        raise _no_picture(fault) from fault
    # Draw
    try:
        _draw_files(player, request, _end_of(player, source))
    except OSError as fault:
        where = fault.filename or request.video or request.screenshot
        why = fault.strerror or fault
        raise NoPictureError(f"{one_line(where)}: could not be written: {why}") from fault


def _scene_of(source: Source) -> Scene | None:
    """The scene, unless it is a run; warns of options that change nothing in it."""
    if source.is_run():
        return None
    scene = source.scene()
    warn_of_unused(source.overrides, scene)
    return scene


def _end_of(player: Player, source: Source) -> float:
    """The last time of which there is a picture.

    It is infinite for a simulation from Python, and for a scene that goes on in the window.
    """
    scene = player.snapshot.scene
    if player.segments.last == math.inf and (
        source.begins is not None or scene is None or scene.view.end == "go on"
    ):
        return math.inf
    return min(player.segments.last, player.end)


def _check_times(player: Player, source: Source, request: Request) -> None:
    """Raise ShotError for a picture or a film of a time before the start or after the end."""
    end, what = _end_of(player, source), "run" if source.is_run() else "scene"
    begins = f"the start of the {what}"
    if source.begins is not None:
        begins = "the present time of the simulation"

    def check(name: str, time: float) -> None:
        if time < player.begins:
            raise ShotError(f"{name} must be at least {player.begins!r}, {begins}, not {time!r}")
        if time > end * _NOT_LATER:
            raise ShotError(f"{name} must be at most {end!r}, the end of the {what}, not {time!r}")

    if request.screenshot is not None and request.at is not None:
        check("at", request.at)
    if request.video is None:
        return
    start = request.shot.start_in(player)
    check("start", start)
    if request.seconds is None:
        return
    stop = start + request.seconds * request.shot.speed_in(player)
    if stop > end * _NOT_LATER:
        raise ShotError(
            f"a film of {request.seconds:g} seconds from t = {start:g} would end at t = {stop:g}, "
            f"after the end of the {what} at t = {end:g}: make it shorter or slower, or leave out "
            "its length"
        )


def _draw_files(player: Player, request: Request, end: float) -> None:
    from spheresim_viewer.offline import OfflineRenderer, render_video, write_screenshot

    def renderer() -> OfflineRenderer:
        return OfflineRenderer(player, *request.size, request.options, request.shot)

    if request.screenshot is not None:
        at = player.begins if request.at is None else request.at
        write_screenshot(renderer(), request.screenshot, at)
    if request.video is not None:
        seconds = request.seconds
        if seconds is None:
            left = end - request.shot.start_in(player)
            seconds = min(_USUAL_SECONDS, left / request.shot.speed_in(player))
        render_video(renderer(), request.video, request.frames_a_second, seconds)


_SIGNS = {".png": (0, b"\x89PNG\r\n\x1a\n"), ".mp4": (4, b"ftyp"), ".gif": (0, b"GIF8")}
"""How such files can be told: an offset, and the bytes there."""


def _refuse_to_replace(file: Path) -> None:
    """Raise NoPictureError if the folder does not exist or another kind of file would be lost.

    An empty file may be replaced.
    """
    if file.is_dir():
        raise NoPictureError(f"{one_line(file)}: is a folder; give the name of a file")
    if not file.parent.is_dir():
        raise NoPictureError(f"{one_line(file)}: there is no folder {one_line(file.parent)}")
    if not file.exists():
        return
    place, sign = _SIGNS[file.suffix.lower()]
    begins = b"no file"
    if file.is_file():
        with file.open("rb") as there:
            begins = there.read(place + len(sign))
    if begins and begins[place:] != sign:
        raise NoPictureError(
            f"{one_line(file)}: is no {file.suffix.lower()[1:].upper()}, and would be replaced; "
            "give another name"
        )


def _no_picture(fault: Exception) -> Exception:
    """The NoPictureError for a fault in opening a window; any other fault is returned unchanged."""
    name = type(fault).__name__
    why = str(fault) or name
    if name == "NoSuchDisplayException":
        return NoPictureError(NO_DISPLAY.format(why=why))
    if name in _NO_CONTEXT or isinstance(fault, ImportError):
        return NoPictureError(NO_CONTEXT.format(why=why))
    return fault


_NO_CONTEXT = (
    "NoSuchConfigException",
    "NoSuchScreenModeException",
    "ContextException",
    "MissingFunctionException",
    "GLException",
    "WindowException",
)
