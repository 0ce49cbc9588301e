"""Films as MP4 and GIF files, by PyAV (the extra `video`; it contains FFmpeg)."""

import importlib.util
import sys
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import chain, count
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

MISSING = f"--video needs PyAV: {sys.executable} -m pip install av"

Size = tuple[int, int]

_MP4 = {"crf": "18"}
_LOSSLESS = {"qp": "0", "preset": "ultrafast"}


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


def write_video(file: Path, frames: Iterable[Any], size: Size, frames_a_second: float) -> None:
    """Write frames, each (height, width, 3) of uint8, as H.264, or as a GIF by the file's suffix.

    The file appears when it is complete.
    """
    import av

    unfinished = _unused_path_beside(file)
    rate = Fraction(frames_a_second).limit_denominator(1001)
    pictures = (av.VideoFrame.from_ndarray(pixels, format="rgb24") for pixels in frames)
    try:
        if is_gif(file):
            _write_gif(unfinished, pictures, size, rate)
        else:
            _encode(str(unfinished), "mp4", pictures, size, rate, "libx264", "yuv420p", _MP4)
        unfinished.replace(file)
    finally:
        unfinished.unlink(missing_ok=True)


def _unused_path_beside(file: Path) -> Path:
    """A path in the same folder that does not exist yet."""
    names = chain([f"{file.name}.part"], (f"{file.name}-{k}.part" for k in count(2)))
    return next(path for path in map(file.with_name, names) if not path.exists())


def _encode(
    file: Any,
    kind: str,
    pictures: Iterable[Any],
    size: Size,
    rate: Fraction,
    codec: str,
    pixels: str,
    options: Mapping[str, str],
) -> None:
    """Write a film into a file, by its path or open: what kind of file, and how it is coded."""
    import av

    with av.open(file, "w", format=kind) as container:
        stream: Any = container.add_stream(codec, rate=rate)
        stream.width, stream.height = size
        stream.pix_fmt = pixels
        stream.options = dict(options)
        for picture in pictures:
            for packet in stream.encode(picture):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)


def _write_gif(path: Path, pictures: Iterable[Any], size: Size, rate: Fraction) -> None:
    """Write a GIF of 255 colors for the whole film.

    Then what does not move has the same colors in each frame, and the encoder leaves it out: the
    file is a tenth of one in which each frame has colors of its own. They are known only when all
    frames have been seen, so these are kept in a file meanwhile, without loss.
    """
    with TemporaryFile() as kept:
        _encode(kept, "matroska", pictures, size, rate, "libx264rgb", "rgb24", _LOSSLESS)
        palette = _palette(_kept_pictures(kept), size, rate)
        few_colors = _in_palette(_kept_pictures(kept), palette, size, rate)
        _encode(str(path), "gif", few_colors, size, rate, "gif", "pal8", {})


def _kept_pictures(kept: Any) -> Iterator[Any]:
    """The pictures of a film in an open file, numbered, in the form in which filters take them."""
    import av

    kept.seek(0)
    with av.open(kept, "r") as container:
        for number, picture in enumerate(container.decode(video=0)):
            numbered = picture.reformat(format="rgb24")
            numbered.pts = number
            yield numbered


def _palette(pictures: Iterable[Any], size: Size, rate: Fraction) -> Any:
    """The colors that suit all pictures best, and one that is transparent, as a picture."""
    import av

    graph = av.filter.Graph()
    source, sink = graph.add("buffer", _input(size, rate, "rgb24")), graph.add("buffersink")
    find = graph.add("palettegen", "stats_mode=full:reserve_transparent=1")
    source.link_to(find)
    find.link_to(sink)
    graph.configure()
    for picture in pictures:
        picture.time_base = 1 / rate
        source.push(picture)
    source.push(None)
    return sink.pull()


def _in_palette(pictures: Iterable[Any], palette: Any, size: Size, rate: Fraction) -> Iterator[Any]:
    """Pictures in the colors of a palette, mixed in a pattern that stays where it is."""
    import av

    graph = av.filter.Graph()
    source, sink = graph.add("buffer", _input(size, rate, "rgb24")), graph.add("buffersink")
    colors = graph.add("buffer", _input((16, 16), rate, palette.format.name))
    use = graph.add("paletteuse", "dither=bayer:bayer_scale=5")
    source.link_to(use, 0, 0)
    colors.link_to(use, 0, 1)
    use.link_to(sink)
    graph.configure()
    palette.pts, palette.time_base = 0, 1 / rate
    colors.push(palette)
    colors.push(None)
    for picture in chain(pictures, [None]):
        if picture is not None:
            picture.time_base = 1 / rate
        source.push(picture)
        yield from _ready(sink)


def _ready(sink: Any) -> Iterator[Any]:
    """The pictures that a filter has finished so far."""
    import av

    while True:
        try:
            yield sink.pull()
        except (av.error.BlockingIOError, av.error.EOFError):
            return


def _input(size: Size, rate: Fraction, pixels: str) -> str:
    return f"video_size={size[0]}x{size[1]}:pix_fmt={pixels}:time_base={1 / rate}"
