"""The viewer from Python: what `spheresim view` does, of a simulation, run, scene or path."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

from spheresim import Run, Simulation
from spheresim.numerics.arguments import number
from spheresim.scene import Scene
from spheresim.simulation.saving import scene_of
from spheresim_viewer.launch import NoPictureError, Request, open_window, write_files
from spheresim_viewer.loading import Source
from spheresim_viewer.options import Options, options_of
from spheresim_viewer.shot import LENGTHS, RATES, SIDES, Shot, is_size
from spheresim_viewer.video import usual_rate, usual_size

Shown = Simulation | Run | Scene | str | Path
"""A simulation is shown from its present state and time on, and does not change itself."""


def show(what: Shown, size: tuple[int, int] = (1280, 800), fullscreen: bool = False) -> None:
    """Show a simulation, run, scene or path in a window; returns when the window is closed.

    what: a simulation is shown from its present state and time on, and does not change itself;
    size: width and height in pixels. NoPictureError if no window can be opened.
    """
    source = _source_of(what)
    request = _request(source, size, fullscreen=fullscreen)
    with _told_in_a_sentence():
        open_window(source, request)


def screenshot(
    what: Shown,
    file: str | Path,
    at: float | None = None,
    size: tuple[int, int] = (1280, 800),
    show: str | Iterable[str] = "",
    **shot: Any,
) -> None:
    """Write a picture (PNG) of a simulation, run, scene or path at a time; it needs no display.

    file: its name ends with .png; at: the simulated time [time], by default the present time of a
    simulation, or the start of a scene or run; size: width and height in pixels; show: words as for
    `--show`, such as "trails,speed" or ["trails", "speed"]; shot: camera, target, follow, ride and
    fade, see `Shot`.
    ValueError or TypeError for wrong arguments, also for a time before the present time of a
    simulation, or after the end of a run or of a scene that does not go on; NoPictureError if no
    picture can be drawn or written.
    """
    moment = None if at is None else number(at, "at")
    source, file = _source_of(what), Path(file)
    request = _request(source, size, screenshot=file, at=moment, show=show, shot=_shot(shot))
    with _told_in_a_sentence():
        write_files(source, request)


def film(
    what: Shown,
    file: str | Path,
    seconds: float | None = None,
    fps: float | None = None,
    size: tuple[int, int] | None = None,
    show: str | Iterable[str] = "",
    **shot: Any,
) -> None:
    """Write a film (MP4 or GIF) of a simulation, run, scene or path; it needs the extra `video`.

    file: its name ends with .mp4 or .gif; seconds: the length of the film, by default 10, or less
    if a scene or run ends before; fps: frames per second, by default 50, for a GIF 20; size: width
    and height in pixels, by default 1280 by 800, for a GIF 640 by 400; show and shot as for
    `screenshot`, and shot also orbit, speed and start. Errors as for `screenshot`, also for a film
    that is longer than its scene or run.
    """
    source, video = _source_of(what), Path(file)
    request = _request(
        *(source, usual_size(video) if size is None else size),
        video=video,
        frames_a_second=usual_rate(video) if fps is None else number(fps, "fps", *RATES),
        seconds=None if seconds is None else number(seconds, "seconds", *LENGTHS),
        show=show,
        shot=_shot(shot),
    )
    with _told_in_a_sentence():
        write_files(source, request)


@contextmanager
def _told_in_a_sentence() -> Iterator[None]:
    """What stands in the way, without the fifty lines of where pyglet noticed it."""
    try:
        yield
    except NoPictureError as fault:
        raise fault.with_traceback(None) from None


_ELSEWHERE = {"duration": "seconds", "time": "at", "position": "camera", "look_at": "target"}
"""What is asked for under other names, and the names here."""


def _shot(words: dict[str, Any]) -> Shot:
    """A Shot; TypeError, in a sentence, for a word that it does not have."""
    known = [field.name for field in fields(Shot)]
    for word in words:
        if word not in known:
            here = f"; here it is {_ELSEWHERE[word]!r}" if word in _ELSEWHERE else ""
            raise TypeError(f"there is no argument {word!r}{here}; a shot has {', '.join(known)}")
    return Shot(**words)


def _request(
    source: Source, size: tuple[int, int], show: str | Iterable[str] = "", **words: Any
) -> Request:
    if not is_size(size):
        raise ValueError(
            f"size must be a width and a height of {SIDES[0]} to {SIDES[1]} pixels, such as "
            f"(1280, 800), not {size!r}"
        )
    words.get("shot", Shot()).check()
    for word, suffixes in (("screenshot", (".png",)), ("video", (".mp4", ".gif"))):
        file = words.get(word)
        if file is not None and file.suffix.lower() not in suffixes:
            raise ValueError(f"file must end with {' or '.join(suffixes)}, not {str(file)!r}")
    width, height = map(int, size)
    return Request(source.path, (width, height), _options(show), **words)


def _options(show: str | Iterable[str]) -> Options:
    try:
        return options_of(show)
    except (ValueError, TypeError) as fault:
        raise type(fault)(f"show {fault}") from None


def _source_of(what: Shown) -> Source:
    if isinstance(what, Simulation):
        return Source(scene_of(what), begins=what.time)
    if isinstance(what, Run | Scene):
        return Source(what)
    if isinstance(what, str | Path):
        return Source(str(what))
    raise TypeError(f"a Simulation, a Run, a Scene or a path can be shown, not {what!r}")


__all__ = ["NoPictureError", "film", "screenshot", "show"]
