"""Straight ways to the next frame, where what happens on the way is not known in full."""

import numpy as np

from spheresim.numerics.arrays import Booleans, Floats
from spheresim.record.replayed import Replayed


def still(here: Replayed, there: Replayed) -> Booleans:
    """Which balls do not move from one frame to the next: (n,) bool."""
    moves = here.velocity.any(axis=1) | there.velocity.any(axis=1)
    return ~moves & (here.position == there.position).all(axis=1)


def chords(here: Replayed, there: Replayed, span: Floats) -> Floats:
    """Ways along the straight lines from places to places: c of Σ c[k]·sᵏ at the time s.

    span: the time from here to there, (n,), above 0. Answers (n, 4, 3). Along its line each ball
    goes by Hermite's cubic, with the speeds that it has along it at both ends, bounded so that it
    never turns back (F. Fritsch, R. Carlson, Monotone piecewise cubic interpolation, 1980): it is
    always between the two places, so in every room that is convex; and what slides down a
    plane goes as it does.
    """
    way = there.position - here.position
    square = np.maximum(np.einsum("nk,nk->n", way, way), np.finfo(float).tiny)
    first, last = (
        np.clip(np.einsum("nk,nk->n", state.velocity, way) * span / square, 0.0, 3.0)
        for state in (here, there)
    )
    parts = np.stack([first, 3.0 - 2.0 * first - last, first + last - 2.0], axis=1)
    powers = span[:, None] ** np.arange(1.0, 4.0)
    return np.concatenate(
        [here.position[:, None], (parts / powers)[:, :, None] * way[:, None]], axis=1
    )


def along(coefficients: Floats, s: Floats) -> Replayed:
    """Positions and velocities (n, 3) on such ways, times s (n,) after their starts."""
    c, s = np.moveaxis(coefficients, 1, 0), s[:, None]
    return Replayed(
        c[0] + s * (c[1] + s * (c[2] + s * c[3])), c[1] + s * (2.0 * c[2] + s * 3.0 * c[3])
    )
