"""Mean squared displacement, velocity autocorrelation and diffusion."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.analysis.measured import Curve, Measured, block_count, standard_error
from spheresim.analysis.of_run import NotInRunError, takes_run
from spheresim.numerics.arrays import Floats, Integers

_EVEN = 1e-6
"""Frames count as evenly spaced if no interval differs from the first by a larger part of it."""


class Diffusion(NamedTuple):
    """The coefficient of diffusion D; begin, end: the lags between which the line was fitted."""

    coefficient: Measured
    begin: float
    end: float


@takes_run(settled=True)
def mean_squared_displacement(
    t: Floats, position: Floats, mass: Floats | None = None, radius: Floats | None = None
) -> Curve:
    """⟨|x(s + t) − x(s)|²⟩ over the lag t, averaged over all balls and all starts s.

    Takes a `Run`, or arrays: t: (k,), evenly spaced; position: (k, n, 3), not wrapped into the box;
    mass, radius: (n,), which tell the kinds of balls in a mixture apart.
    By fast Fourier transforms: G. R. Kneller, V. Keiner, M. Kneller and M. Schiller, Computer
    Physics Communications 91, 191 (1995). Errors from groups of balls with the same share of each
    kind, which are taken to be independent. Lags go up to half of the time, because longer lags
    have few starts.
    """
    return _over_lags(t, position, _groups(position, mass, radius), _squared_displacements)


@takes_run(settled=True, of_sheared=True)
def velocity_autocorrelation(
    t: Floats, velocity: Floats, mass: Floats | None = None, radius: Floats | None = None
) -> Curve:
    """⟨v(s)·v(s + t)⟩ over the lag t, averaged over all balls and all starts s.

    Takes a `Run`, or arrays: t: (k,), evenly spaced; velocity: (k, n, 3), in a sheared box relative
    to the flow. The result is not divided by
    ⟨v²⟩, its first value. J.-P. Hansen and I. R. McDonald, Theory of Simple Liquids, 7.1; errors,
    mass and radius as those of `mean_squared_displacement`.
    """
    return _over_lags(t, velocity, _groups(velocity, mass, radius), _correlations)


@takes_run(settled=True)
def diffusion(
    t: Floats,
    position: Floats,
    begin: float | None = None,
    end: float | None = None,
    endless: npt.ArrayLike = (True, True, True),
    mass: Floats | None = None,
    radius: Floats | None = None,
) -> Diffusion:
    """D from the slope of the mean squared displacement, ⟨|x|²⟩ = 2 d D t + const.

    Takes a `Run`, or arrays: t: (k,), evenly spaced; position: (k, n, 3), not wrapped into the box;
    endless: (3,), the axes along which no wall stops balls. d is the number of these along which
    balls move, and only they count. A. Einstein, Annalen der Physik 17, 549 (1905). The line is
    fitted to lags from `begin` to `end`, by default from a fifth to four fifths of the longest,
    which is half of the time; it must begin many mean free times after 0. Errors, mass and radius
    as those of `mean_squared_displacement`. NotInRunError if there are fewer than two lags between.
    """
    position = position * np.asarray(endless, dtype=np.float64)
    dealt = _groups(position, mass, radius)
    lags, groups, balls = _of_groups(*_evenly(t, position), dealt, _squared_displacements)
    begin = 0.2 * lags[-1] if begin is None else begin
    end = 0.8 * lags[-1] if end is None else end
    fitted = (lags >= begin * (1.0 - _EVEN)) & (lags <= end * (1.0 + _EVEN))
    if fitted.sum() < 2:
        raise NotInRunError(f"it needs at least two frames between the lags {begin:g} and {end:g}")
    dimensions = int(np.any(np.diff(position, axis=0), axis=(0, 1)).sum()) or 3
    slopes = np.polyfit(lags[fitted], groups[:, fitted].T, 1)[0] / (2.0 * dimensions)
    error = float(standard_error(slopes)) if len(slopes) > 1 else None
    measured = Measured(float(np.average(slopes, weights=balls)), error, "length²/time")
    return Diffusion(measured, float(begin), float(end))


def _evenly(t: Floats, vectors: Floats) -> tuple[Floats, Floats]:
    """Times and vectors without a last frame that is out of step."""
    steps = np.diff(t)
    if len(steps) < 3:
        raise NotInRunError(f"it needs at least four frames, and there are {len(t)}")
    is_even = np.abs(steps - steps[0]) <= _EVEN * steps[0]
    if not is_even[:-1].all():
        raise NotInRunError("it needs frames that are evenly spaced in time")
    return (t, vectors) if is_even[-1] else (t[:-1], vectors[:-1])


def _groups(vectors: Floats, mass: Floats | None, radius: Floats | None) -> list[Integers]:
    """The balls of vectors (k, n, 3), dealt out to groups; a single group if they are too few.

    They are dealt in the order of their masses and radii, so that no group of a mixture has more
    than one ball of a kind more than another: its kinds differ, and only chance makes an error.
    """
    n = vectors.shape[1]
    same = np.zeros(n)
    order = np.lexsort((same if radius is None else radius, same if mass is None else mass))
    groups = block_count(n)
    return [order[first::groups] for first in range(groups)]


def _over_lags(
    t: Floats, vectors: Floats, dealt: list[Integers], of_balls: Callable[[Floats, int], Floats]
) -> Curve:
    lags, groups, balls = _of_groups(*_evenly(t, vectors), dealt, of_balls)
    error = standard_error(groups) if len(groups) > 1 else None
    return Curve(lags, np.average(groups, axis=0, weights=balls), error)


def _of_groups(
    t: Floats, vectors: Floats, dealt: list[Integers], of_balls: Callable[[Floats, int], Floats]
) -> tuple[Floats, Floats, list[int]]:
    """Lags (m,); the mean of a function of lags for each group of balls, (groups, m); and how
    many balls are in each."""
    lags = len(t) // 2 + 1
    means = np.stack([of_balls(vectors[:, group], lags).mean(axis=1) for group in dealt])
    return t[:lags] - t[0], means, list(map(len, dealt))


def _correlations(vectors: Floats, lags: int) -> Floats:
    """Σ over components of the products of vectors (k, n, 3) that are a lag apart: (lags, n).

    Averaged over all starts; through the transform, with zeros appended so that nothing wraps.
    """
    frames = len(vectors)
    length = 2 ** math.ceil(math.log2(2 * frames))
    transform = np.fft.rfft(vectors, length, axis=0)
    power = (transform.real**2 + transform.imag**2).sum(axis=2)
    starts = frames - np.arange(lags)
    return np.fft.irfft(power, length, axis=0)[:lags] / starts[:, None]


def _squared_displacements(position: Floats, lags: int) -> Floats:
    """|x(s + t) − x(s)|² averaged over all starts s, for each lag and ball: (lags, n)."""
    moved = position - position.mean(axis=0)  # smaller numbers: less is lost in the difference
    squares = (moved**2).sum(axis=2)
    frames = len(moved)
    # Sums of the squares of all that have a partner a lag later, and of all partners.
    sums = np.cumsum(np.concatenate([np.zeros_like(squares[:1]), squares]), axis=0)
    lag = np.arange(lags)
    both = sums[frames - lag] + sums[-1] - sums[lag]
    found = both / (frames - lag)[:, None] - 2.0 * _correlations(moved, lags)
    found[0] = 0.0
    return found
