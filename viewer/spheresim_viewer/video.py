"""Films as MP4 and GIF files, by PyAV (the extra `video`; it contains FFmpeg)."""

import importlib.util
import sys
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import chain, count
from pathlib import Path
from tempfile import TemporaryFile
from types import MappingProxyType
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from av import VideoFrame
    from av.filter.context import FilterContext

MISSING = f"--video needs PyAV: {sys.executable} -m pip install av"

Size = tuple[int, int]
Pixels = npt.NDArray[np.uint8]
"""A picture, (height, width, 3)."""


class _Coding(NamedTuple):
    """How a film is coded: the kind of file, FFmpeg's names of codec and pixels, and options."""

    kind: str
    codec: str
    pixels: str
    options: Mapping[str, str] = MappingProxyType({})


_MP4 = _Coding("mp4", "libx264", "yuv420p", {"crf": "18"})
_GIF = _Coding("gif", "gif", "pal8")
_LOSSLESS = _Coding("matroska", "libx264rgb", "rgb24", {"qp": "0", "preset": "ultrafast"})


class _Film(NamedTuple):
    """The pictures of a film, as PyAV has them, their size, and how many there are a second."""

    pictures: Iterable["VideoFrame"]
    size: Size
    rate: Fraction


def can_write_video() -> bool:
    """Whether PyAV is installed."""
    return importlib.util.find_spec("av") is not None


def is_gif(file: Path) -> bool:
    """Whether a film is to be a GIF."""
    return file.suffix.lower() == ".gif"


def usual_size(video: Path | None) -> Size:
    """The size of a picture where none is asked for: a GIF has no more pixels than it must."""
    return (640, 400) if video is not None and is_gif(video) else (1280, 800)


def usual_rate(video: Path | None) -> float:
    """Frames a second where none are asked for; each one in a GIF costs as much as the first."""
    return 20.0 if video is not None and is_gif(video) else 50.0


def write_video(file: Path, frames: Iterable[Pixels], size: Size, frames_a_second: float) -> None:
    """Write frames as H.264, or as a GIF by the file's suffix.

    The file appears when it is complete.
    """
    import av

    unfinished = _unused_path_beside(file)
    rate = Fraction(frames_a_second).limit_denominator(1001)
    pictures = (av.VideoFrame.from_ndarray(pixels, format="rgb24") for pixels in frames)
    film = _Film(pictures, size, rate)
    try:
        if is_gif(file):
            _write_gif(unfinished, film)
        else:
            _encode(str(unfinished), film, _MP4)
        unfinished.replace(file)
    finally:
        unfinished.unlink(missing_ok=True)


def _unused_path_beside(file: Path) -> Path:
    """A path in the same folder that does not exist yet."""
    names = chain([f"{file.name}.part"], (f"{file.name}-{k}.part" for k in count(2)))
    return next(path for path in map(file.with_name, names) if not path.exists())


def _encode(file: str | BinaryIO, film: _Film, coding: _Coding) -> None:
    """Write a film into a file, by its path or open."""
    import av

    with av.open(file, "w", format=coding.kind) as container:
        stream = container.add_stream(coding.codec, rate=film.rate)
        stream.width, stream.height = film.size
        stream.pix_fmt = coding.pixels
        stream.options = dict(coding.options)
        for picture in film.pictures:
            for packet in stream.encode(picture):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)


def _write_gif(path: Path, film: _Film) -> None:
    """Write a GIF of 255 colors for the whole film.

    Then what does not move has the same colors in each frame, and the encoder leaves it out: the
    file is a tenth of one in which each frame has colors of its own. They are known only when all
    frames have been seen, so these are kept in a file meanwhile, without loss.
    """
    with TemporaryFile() as kept:
        _encode(kept, film, _LOSSLESS)
        palette = _palette(film._replace(pictures=_kept_pictures(kept)))
        few_colors = _in_palette(film._replace(pictures=_kept_pictures(kept)), palette)
        _encode(str(path), film._replace(pictures=few_colors), _GIF)


def _kept_pictures(kept: BinaryIO) -> Iterator["VideoFrame"]:
    """The pictures of a film in an open file, numbered, in the form in which filters take them."""
    import av

    kept.seek(0)
    with av.open(kept, "r") as container:
        for number, picture in enumerate(container.decode(video=0)):
            numbered = picture.reformat(format="rgb24")
            numbered.pts = number
            yield numbered


def _palette(film: _Film) -> "VideoFrame":
    """The colors that suit all pictures best, and one that is transparent, as a picture."""
    import av

    graph, rate = av.filter.Graph(), film.rate
    source, sink = graph.add("buffer", _input(film.size, rate, "rgb24")), graph.add("buffersink")
    find = graph.add("palettegen", "stats_mode=full:reserve_transparent=1")
    source.link_to(find)
    find.link_to(sink)
    graph.configure()
    for picture in film.pictures:
        picture.time_base = 1 / rate
        source.push(picture)
    source.push(None)
    return sink.pull()


def _in_palette(film: _Film, palette: "VideoFrame") -> Iterator["VideoFrame"]:
    """Pictures in the colors of a palette, mixed in a pattern that stays where it is."""
    import av

    graph, rate = av.filter.Graph(), film.rate
    source, sink = graph.add("buffer", _input(film.size, rate, "rgb24")), graph.add("buffersink")
    colors = graph.add("buffer", _input((16, 16), rate, palette.format.name))
    use = graph.add("paletteuse", "dither=bayer:bayer_scale=5")
    source.link_to(use, 0, 0)
    colors.link_to(use, 0, 1)
    use.link_to(sink)
    graph.configure()
    palette.pts, palette.time_base = 0, 1 / rate
    colors.push(palette)
    colors.push(None)
    for picture in chain(film.pictures, [None]):
        if picture is not None:
            picture.time_base = 1 / rate
        source.push(picture)
        yield from _ready(sink)


def _ready(sink: "FilterContext") -> Iterator["VideoFrame"]:
    """The pictures that a filter has finished so far."""
    import av

    while True:
        try:
            yield sink.pull()
        except (av.error.BlockingIOError, av.error.EOFError):
            return


def _input(size: Size, rate: Fraction, pixels: str) -> str:
    return f"video_size={size[0]}x{size[1]}:pix_fmt={pixels}:time_base={1 / rate}"
