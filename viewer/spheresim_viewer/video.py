"""Films as MP4 and GIF files, by PyAV (the extra `video`; it contains FFmpeg)."""

import importlib.util
import sys
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import chain, count
from pathlib import Path
from typing import Any

MISSING = f"--video needs PyAV: {sys.executable} -m pip install av"


def can_write_video() -> bool:
    """Whether PyAV is installed."""
    return importlib.util.find_spec("av") is not None


def _unused_path_beside(file: Path) -> Path:
    """A path in the same folder that does not exist yet."""
    names = chain([f"{file.name}.part"], (f"{file.name}-{k}.part" for k in count(2)))
    return next(path for path in map(file.with_name, names) if not path.exists())


def write_video(
    file: Path, frames: Iterable[Any], size: tuple[int, int], frames_a_second: float
) -> None:
    """Write frames, each (height, width, 3) of uint8, as H.264, or as a GIF by the file's suffix.

    The file appears when it is complete.
    """
    import av

    unfinished = _unused_path_beside(file)
    is_gif = file.suffix.lower() == ".gif"
    try:
        with av.open(str(unfinished), "w", format="gif" if is_gif else "mp4") as container:
            rate = Fraction(frames_a_second).limit_denominator(1001)
            stream: Any = container.add_stream("gif" if is_gif else "libx264", rate=rate)
            stream.width, stream.height = size
            stream.pix_fmt = "pal8" if is_gif else "yuv420p"
            if not is_gif:
                stream.options = {"crf": "18"}
            pictures = (av.VideoFrame.from_ndarray(pixels, format="rgb24") for pixels in frames)
            for picture in _with_palettes(pictures, size, rate) if is_gif else pictures:
                for packet in stream.encode(picture):
                    container.mux(packet)
            for packet in stream.encode():
                container.mux(packet)
        unfinished.replace(file)
    finally:
        unfinished.unlink(missing_ok=True)


def _with_palettes(pictures: Iterable[Any], size: tuple[int, int], rate: Fraction) -> Iterator[Any]:
    """Pictures of 256 colors, each with those that suit it best, as a GIF has them."""
    import av

    graph = av.filter.Graph()
    words = f"video_size={size[0]}x{size[1]}:pix_fmt=rgb24:time_base={1 / rate}"
    source = graph.add("buffer", words)
    split, palette = graph.add("split"), graph.add("palettegen", "stats_mode=single")
    use, sink = graph.add("paletteuse", "new=1:dither=bayer"), graph.add("buffersink")
    source.link_to(split)
    split.link_to(use, 0, 0)
    split.link_to(palette, 1, 0)
    palette.link_to(use, 0, 1)
    use.link_to(sink)
    graph.configure()
    for number, picture in enumerate(pictures):
        picture.pts, picture.time_base = number, 1 / rate
        graph.push(picture)
        yield graph.pull()
