"""The rows of a table of frames as arrays, with an axis for frames and one for balls."""

from typing import NamedTuple

import numpy as np

from spheresim.numerics.arrays import Floats


class FrameArrays(NamedTuple):
    """t: the times, (k,); position, velocity: (k, n, 3); angular_velocity: the same, None where
    spins are not followed."""

    t: Floats
    position: Floats
    velocity: Floats
    angular_velocity: Floats | None


def frame_arrays(frames: np.ndarray, n: int) -> FrameArrays:
    """The states in a table of whole frames of n balls."""

    def vectors(*names: str) -> Floats:
        return np.stack([frames[name] for name in names], axis=1).reshape(-1, n, 3)

    return FrameArrays(
        frames["t"][::n].copy(),
        vectors("x", "y", "z"),
        vectors("vx", "vy", "vz"),
        vectors("wx", "wy", "wz") if "wx" in (frames.dtype.names or ()) else None,
    )
