"""Impacts as both engines report them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

BALL, OBSTACLE = 0, 1


class Impacts(NamedTuple):
    """A table of impacts in order of time, each field an array with a row per impact.

    t: time; kind: BALL or OBSTACLE; i: the ball; other: ball j > i, or the obstacle's index;
    point: the contact point on the real surface, (m, 3); normal: unit, towards i, (m, 3);
    vn_before, vn_after: normal velocity, negative approaching; impulse: on i along the normal.
    """

    t: Any
    kind: Any
    i: Any
    other: Any
    point: Any
    normal: Any
    vn_before: Any
    vn_after: Any
    impulse: Any


def joined(batches: Sequence[Impacts]) -> Impacts:
    """Several tables as one."""
    if not batches:
        ints, floats, vectors = np.zeros(0, np.int64), np.zeros(0), np.zeros((0, 3))
        return Impacts(floats, ints, ints, ints, vectors, vectors, floats, floats, floats)
    return Impacts(*(np.concatenate(columns) for columns in zip(*batches, strict=True)))
