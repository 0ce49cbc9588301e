"""What the arrays that are measured must look like, by their names."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from spheresim.numerics.arrays import Floats

SHAPES = {
    "t": ("k",),
    "position": ("k", "n", 3),
    "velocity": ("k", "n", 3),
    "angular_velocity": ("k", "n", 3),
    "mass": ("n",),
    "radius": ("n",),
    "restitution": ("n",),
    "inertia": ("n",),
    "gravity": (3,),
    "size": (3,),
}
"""Shapes of arrays by name, for k frames and n balls."""

_WORDS = {"k": "frames", "n": "balls"}
_POSITIVE = ("mass", "radius", "inertia", "size")


def checked_arrays(given: Mapping[str, Any]) -> dict[str, Any]:
    """The same, with arrays of floats under the names of `SHAPES`; None stays None.

    ValueError, in one sentence, for another shape, for different numbers of frames or balls,
    and for what is not finite, or not greater than 0 where it must be.
    """
    checked = dict(given)
    counts: dict[str, tuple[int, str]] = {}
    for name, shape in SHAPES.items():
        if given.get(name) is None:
            continue
        array = checked[name] = _floats(name, given[name])
        form = "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"
        if array.ndim != len(shape) or 0 in array.shape:
            raise ValueError(f"{name} must have the shape {form}, not {array.shape}")
        for letter, count in zip(shape, array.shape, strict=True):
            expected, of = counts.setdefault(str(letter), (count, name))
            if isinstance(letter, int) and count != letter:
                raise ValueError(f"{name} must have the shape {form}, not {array.shape}")
            if count != expected:
                raise ValueError(f"{name} is of {count} {_WORDS[str(letter)]}, {of} of {expected}")
        if not np.isfinite(array).all():
            raise ValueError(f"{name} must be finite")
        if name in _POSITIVE and not (array > 0.0).all():
            raise ValueError(f"{name} must be greater than 0")
    return checked


def _floats(name: str, value: npt.ArrayLike) -> Floats:
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be an array of numbers") from None
