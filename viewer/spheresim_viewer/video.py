"""Films as MP4 files, by PyAV (the extra `video`; it contains FFmpeg)."""

import importlib.util
import sys
from collections.abc import Iterable
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
    """Write frames, each (height, width, 3) of uint8, as H.264. The file appears when complete."""
    import av

    unfinished = _unused_path_beside(file)
    try:
        with av.open(str(unfinished), "w", format="mp4") as container:
            rate = Fraction(frames_a_second).limit_denominator(1001)
            stream: Any = container.add_stream("libx264", rate=rate)
            stream.width, stream.height = size
            stream.pix_fmt = "yuv420p"
            stream.options = {"crf": "18"}
            for pixels in frames:
                picture = av.VideoFrame.from_ndarray(pixels, format="rgb24")
                for packet in stream.encode(picture):
                    container.mux(packet)
            for packet in stream.encode():
                container.mux(packet)
        unfinished.replace(file)
    finally:
        unfinished.unlink(missing_ok=True)
