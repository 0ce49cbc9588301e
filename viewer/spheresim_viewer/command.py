"""The commands `spheresim view` and `spheresim lesson`, entry points of the command line."""

import re
from pathlib import Path
from typing import Annotated

import typer

from spheresim.cli import EngineOption, SlicesOption, ToiOption
from spheresim_viewer.lessons.catalogue import LESSONS
from spheresim_viewer.options import Options, options_of
from spheresim_viewer.shot import LENGTHS, RATES, SIDES, Shot, is_size

ViewedArgument = Annotated[
    str,
    typer.Argument(
        metavar="SCENE|RUN_DIR",
        help="A scene file, a shipped scene's name, or a run's directory to replay.",
        show_default=True,
    ),
]
SizeOption = Annotated[
    str, typer.Option(metavar="WxH", help="Size of the window or picture, in pixels.")
]
ViewSizeOption = Annotated[
    str | None,
    typer.Option(metavar="WxH", help="Size in pixels.  [default: 1280x800, for a GIF 640x400]"),
]
FullscreenOption = Annotated[bool, typer.Option("--fullscreen", help="Fill the screen.")]
ScreenshotOption = Annotated[
    Path | None, typer.Option(help="Write a PNG, without a window, and end.")
]
TimeOption = Annotated[float, typer.Option(min=0.0, max=1e12, help="The time of the screenshot.")]
StartOption = Annotated[
    float, typer.Option(min=0.0, max=1e12, help="The simulated time at which a film begins.")
]
VideoOption = Annotated[
    Path | None, typer.Option(help="Write an MP4 or a GIF, without a window, and end.")
]
FpsOption = Annotated[
    float | None,
    typer.Option(
        min=RATES[0],
        max=RATES[1],
        help="Frames per second of a film.  [default: 50, for a GIF 20]",
    ),
]
SecondsOption = Annotated[
    float | None,
    typer.Option(
        min=LENGTHS[0],
        max=LENGTHS[1],
        help="Length of the film in seconds.  [default: 10, or to the end of the scene or run]",
    ),
]
ShowOption = Annotated[
    str,
    typer.Option(
        metavar="WORDS",
        help="What else to draw, separated by commas: plots, trails, arrows, contacts, "
        "ghosts, drops; speed, energy, impacts or state as colors of balls; bare: no numbers.",
    ),
]
CameraOption = Annotated[
    str | None,
    typer.Option(metavar="X,Y,Z", help="Where the camera is, in the scene's units of length."),
]
TargetOption = Annotated[
    str | None,
    typer.Option(metavar="X,Y,Z", help="The point at which the camera looks, in the same units."),
]
FollowOption = Annotated[
    str | None,
    typer.Option(metavar="BALL", help="A ball that stays in the middle, by name or index."),
]
RideOption = Annotated[
    str | None,
    typer.Option(metavar="BALL", help="A ball behind which the camera flies, by name or index."),
]


def view(
    context: typer.Context,
    scene: ViewedArgument = "magic_room",
    engine: EngineOption = None,
    toi: ToiOption = None,
    slices: SlicesOption = None,
    size: ViewSizeOption = None,
    fullscreen: FullscreenOption = False,
    screenshot: ScreenshotOption = None,
    at: TimeOption = 0.0,
    video: VideoOption = None,
    fps: FpsOption = None,
    duration: SecondsOption = None,
    show: ShowOption = "",
    camera: CameraOption = None,
    target: TargetOption = None,
    orbit: Annotated[
        float, typer.Option(help="Degrees per second by which the camera turns in a film.")
    ] = 0.0,
    follow: FollowOption = None,
    ride: RideOption = None,
    speed: Annotated[
        float, typer.Option(help="Factor on the usual speed of a film; 0.1 is slow motion.")
    ] = 1.0,
    start: StartOption = 0.0,
    fade: Annotated[float | None, typer.Option(help="Seconds after which trails fade.")] = None,
) -> None:
    """Watch a scene or a finished run in a window; or write a picture or a film of it."""
    from spheresim_viewer.launch import Request, launch
    from spheresim_viewer.video import usual_rate, usual_size

    request = Request(
        path=scene,
        engine=engine,
        toi=toi,
        slices=slices,
        size=usual_size(video) if size is None else _size(size),
        fullscreen=fullscreen,
        screenshot=_file(screenshot, (".png",), "--screenshot"),
        at=at,
        video=_file(video, (".mp4", ".gif"), "--video"),
        frames_a_second=usual_rate(video) if fps is None else fps,
        seconds=duration,
        options=_options(show),
        shot=_shot(
            Shot(
                camera=_point(camera, "--camera"),
                target=_point(target, "--target"),
                orbit=orbit,
                follow=follow,
                ride=ride,
                speed=speed,
                start=start,
                fade=fade,
            )
        ),
    )
    _warn_of_unused(context, screenshot is not None, video is not None)
    raise typer.Exit(launch(request))


_OF_FILMS = ("fps", "duration", "orbit", "start")
_OF_BOTH = ("show", "camera", "target", "follow", "ride", "fade")


def _warn_of_unused(context: typer.Context, takes_picture: bool, films: bool) -> None:
    """Print a warning for each option that was given and changes nothing without another, or
    with another."""
    draws, fades = takes_picture or films, context.params["fade"] is not None
    uses = {
        "fullscreen": (not draws, "with --screenshot or --video"),
        "at": (takes_picture, "without --screenshot"),
        **dict.fromkeys(_OF_FILMS, (films, "without --video")),
        "speed": (films or (draws and fades), "without --video"),
        **dict.fromkeys(_OF_BOTH, (draws, "without --screenshot or --video")),
    }
    for name, (is_used, condition) in uses.items():
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE" and not is_used:
            value = context.params[name]
            words = f"{value:g}" if isinstance(value, float) else value
            option = f"--{name}" if value is True else f"--{name} {words}"
            typer.echo(f"warning: {option} changes nothing {condition}", err=True)


def lesson(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help=f"One of {', '.join(LESSONS)}. Without a name, a window lists all lessons.",
            show_default=False,
        ),
    ] = "",
    size: SizeOption = "1280x800",
    screenshot: ScreenshotOption = None,
    step: Annotated[
        int,
        typer.Option(min=1, help="The step to draw; one more than the last is free play."),
    ] = 1,
) -> None:
    """Learn a method of collision detection in steps, then try it out."""
    from spheresim_viewer.launch import show_lesson

    if name and name not in LESSONS:
        raise typer.BadParameter(
            f"there is no lesson {name!r}; there are {', '.join(LESSONS)}", param_hint="NAME"
        )
    picture = _file(screenshot, (".png",), "--screenshot")
    raise typer.Exit(show_lesson(name, _size(size), picture, step))


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text)
    if match and is_size(size := (int(match[1]), int(match[2]))):
        return size
    raise typer.BadParameter(
        f"must be WIDTHxHEIGHT of {SIDES[0]} to {SIDES[1]} pixels, such as 1280x800, not {text!r}",
        param_hint="--size",
    )


def _file(path: Path | None, suffixes: tuple[str, ...], option: str) -> Path | None:
    if path is not None and path.suffix.lower() not in suffixes:
        known = " or ".join(suffixes)
        raise typer.BadParameter(f"must end with {known}, not {str(path)!r}", param_hint=option)
    return path


def _point(text: str | None, option: str) -> tuple[float, float, float] | None:
    if text is None:
        return None
    try:
        x, y, z = map(float, text.split(","))
    except ValueError:
        raise typer.BadParameter(
            f"must be three numbers, such as 1,2.5,-3, not {text!r}", param_hint=option
        ) from None
    return x, y, z


def _shot(shot: Shot) -> Shot:
    try:
        shot.check()
    except ValueError as fault:
        raise typer.BadParameter(str(fault)) from None
    return shot


def _options(words: str) -> Options:
    try:
        return options_of(words)
    except ValueError as fault:
        raise typer.BadParameter(str(fault), param_hint="--show") from None
