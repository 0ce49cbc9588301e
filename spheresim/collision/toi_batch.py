"""Times of impact of many pairs of spheres at once, from arrays, to the bits of the scalar ones.

Most pairs miss, and plain floats show it. What is left is gathered in blocks, of which a loop
without branches computes several pairs at once in the processor's wide registers.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.collision.constants import MOST_SLICES, SLICES
from spheresim.collision.sliced_toi import flights_sliced_toi, pair_sliced_toi
from spheresim.collision.toi import (
    BallFlight,
    analytic_toi,
    is_moderate,
    surely_miss,
)
from spheresim.compiler.decorators import inlined, kernel, routine
from spheresim.numerics.arguments import positive, truth, whole_number
from spheresim.numerics.arrays import Floats, Integers
from spheresim.numerics.batch import (
    number_rows,
    question_count,
    refuse_bad_row,
    steps_of,
    vector_rows,
)
from spheresim.numerics.double_double import DoubleDouble, exact_difference, two_sum
from spheresim.numerics.roots import contact_quadratic
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector

_BLOCK = 64
"""Pairs that are computed together."""

_ONE_BY_ONE = -1.0
"""In place of the time of a pair that is left to the function for single pairs."""


class _Pairs(NamedTuple):
    """Vectors (n, 3) or (1, 3), radii (n,) or (1,); steps: 0 for what has one row, else 1."""

    position_a: Floats
    velocity_a: Floats
    radius_a: Floats
    position_b: Floats
    velocity_b: Floats
    radius_b: Floats
    steps: Integers


def analytic_toi_batch(
    position_a: npt.ArrayLike,
    velocity_a: npt.ArrayLike,
    radius_a: npt.ArrayLike,
    position_b: npt.ArrayLike,
    velocity_b: npt.ArrayLike,
    radius_b: npt.ArrayLike,
) -> Floats:
    """Times of impact of many pairs of spheres, (n,); inf for never. See `analytic_toi`.

    Positions and velocities have the shape (n, 3), radii (n,); a single vector or number is used
    for all rows. Row k has the same bits as `analytic_toi` of pair k. ValueError, which names the
    row, for other shapes, numbers that are not finite, and negative radii.

    >>> still = (0, 0, 0)
    >>> analytic_toi_batch([(-5, 0, 0), (9, 9, 9)], (1, 0, 0), 1, (0, 1.2, 0), still, 1).tolist()
    [3.4, inf]
    """
    pairs, n = _checked(position_a, velocity_a, radius_a, position_b, velocity_b, radius_b)
    times = np.empty(n)
    _analytic(pairs, np.empty((14, _BLOCK)), np.empty(_BLOCK, np.int64), times)
    left = np.flatnonzero(times == _ONE_BY_ONE)
    if len(left):
        refuse_bad_row(**_named(pairs))
        for k in left:
            times[k] = analytic_toi(*_spheres(pairs, int(k)))
    return times


def sliced_toi_batch(
    position_a: npt.ArrayLike,
    velocity_a: npt.ArrayLike,
    radius_a: npt.ArrayLike,
    position_b: npt.ArrayLike,
    velocity_b: npt.ArrayLike,
    radius_b: npt.ArrayLike,
    time_step: float,
    slices: int = SLICES,
    refine: bool = False,
) -> Floats:
    """Times of impact of many pairs of spheres by slices, (n,); inf where none is found.

    Positions and velocities have the shape (n, 3), radii (n,); a single vector or number is used
    for all rows. `time_step`, `slices` and `refine` are the same for all rows. Row k has the same
    bits as `sliced_toi` of pair k. ValueError as for `analytic_toi_batch`.

    >>> sliced_toi_batch((-5, 0, 0), (1, 0, 0), 1, (0, 1.2, 0), (0, 0, 0), [1, 2], 6, 3).tolist()
    [2.0, 2.0]
    """
    step = positive(time_step, "time_step")
    many = whole_number(slices, "slices", low=1, high=MOST_SLICES)
    interpolates = truth(refine, "refine")
    pairs, n = _checked(position_a, velocity_a, radius_a, position_b, velocity_b, radius_b)
    refuse_bad_row(**_named(pairs))
    times = np.empty(n)
    _sliced(pairs, step, many, interpolates, times)
    for k in np.flatnonzero(times == _ONE_BY_ONE):
        times[k] = flights_sliced_toi(*_spheres(pairs, int(k)), step, many, interpolates)
    return times


def _checked(*given: npt.ArrayLike) -> tuple[_Pairs, int]:
    """The arrays of the six arguments, and how many pairs they are."""
    rows = {
        what: (number_rows if what.startswith("radius") else vector_rows)(array, what)
        for what, array in zip(_Pairs._fields, given, strict=False)
    }
    return _Pairs(**rows, steps=steps_of(*rows.values())), question_count(**rows)


def _named(pairs: _Pairs) -> dict[str, Floats]:
    """The arrays by their names."""
    return {what: array for what, array in pairs._asdict().items() if what != "steps"}


@inlined
def _spheres(pairs: _Pairs, k: int) -> tuple[BallFlight, BallFlight]:
    """Pair k."""
    steps = pairs.steps
    return (
        BallFlight(
            vector_at(pairs.position_a, k * steps[0]),
            vector_at(pairs.velocity_a, k * steps[1]),
            pairs.radius_a[k * steps[2]],
        ),
        BallFlight(
            vector_at(pairs.position_b, k * steps[3]),
            vector_at(pairs.velocity_b, k * steps[4]),
            pairs.radius_b[k * steps[5]],
        ),
    )


@kernel
def _analytic(pairs: _Pairs, block: Floats, members: Integers, times: Floats) -> None:
    """The times of all pairs; `block` and `members` are room for those that may meet."""
    many = 0
    for k in range(len(times)):
        a, b = _spheres(pairs, k)
        d, v, s = a.position - b.position, a.velocity - b.velocity, a.radius + b.radius
        if not (_is_sound(d, v, s) and a.radius >= 0.0 and b.radius >= 0.0):
            times[k] = _ONE_BY_ONE
        elif surely_miss(d, v, s):
            times[k] = math.inf
        else:
            _put(block, many, a, b)
            members[many] = k
            many += 1
            if many == _BLOCK:
                _solve(block, members, many, times)
                many = 0
    _solve(block, members, many, times)


@inlined
def _is_sound(d: TVector, v: TVector, s: float) -> bool:
    """Whether a pair needs no scaling; never one with what is no number."""
    is_finite = d.x + d.y + d.z + v.x + v.y + v.z + s < math.inf
    return is_finite and is_moderate(d, v, s)


@inlined
def _put(block: Floats, column: int, a: BallFlight, b: BallFlight) -> None:
    """Write a pair into a column."""
    block[0, column], block[1, column], block[2, column] = a.position.x, a.position.y, a.position.z
    block[3, column], block[4, column], block[5, column] = a.velocity.x, a.velocity.y, a.velocity.z
    block[6, column], block[7, column], block[8, column] = b.position.x, b.position.y, b.position.z
    block[9, column], block[10, column] = b.velocity.x, b.velocity.y
    block[11, column] = b.velocity.z
    block[12, column], block[13, column] = a.radius, b.radius


@routine
def _solve(block: Floats, members: Integers, many: int, times: Floats) -> None:
    """What `exact_toi` does for one pair, in the same operations, for those in the columns.

    It has no branches, so the compiler makes it take several columns at once. A root that does
    not count is taken of 0, and divided by 1.
    """
    for c in range(many):
        exact: Any = contact_quadratic(
            exact_difference(
                TVector(block[0, c], block[1, c], block[2, c]),
                TVector(block[6, c], block[7, c], block[8, c]),
            ),
            exact_difference(
                TVector(block[3, c], block[4, c], block[5, c]),
                TVector(block[9, c], block[10, c], block[11, c]),
            ),
            two_sum(block[12, c], block[13, c]),
        )
        b, c0, discriminant = exact.b.high, exact.c.high, exact.discriminant.high
        is_never = (b >= 0.0) | (discriminant < 0.0)
        root = math.sqrt(max(discriminant, 0.0))
        divisor = 1.0 if is_never else root - b
        t = 0.0 if c0 <= 0.0 else c0 / divisor
        correction = exact.value_at(DoubleDouble(t, 0.0)).high
        correction *= 0.5 / (root if root > 0.0 else 1.0)
        is_corrected = (t > 0.0) & (root > 0.0) & (abs(correction) < 1e-14 * t)
        t = t + correction if is_corrected else t
        block[0, c] = math.inf if is_never else t
    for c in range(many):
        times[members[c]] = block[0, c]


@kernel
def _sliced(pairs: _Pairs, time_step: float, slices: int, refine: bool, times: Floats) -> None:
    for k in range(len(times)):
        a, b = _spheres(pairs, k)
        d, v, s = a.position - b.position, a.velocity - b.velocity, a.radius + b.radius
        times[k] = _ONE_BY_ONE
        if is_moderate(d, v, s):
            times[k] = pair_sliced_toi(d, v, s, time_step, slices, refine)
