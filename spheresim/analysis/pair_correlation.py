"""How balls are arranged: the radial distribution function and the structure factor."""

import math

import numpy as np
import numpy.typing as npt

from spheresim.analysis.measured import Curve, Measured, averaged
from spheresim.analysis.of_run import NotInRunError, takes_run
from spheresim.numerics.arrays import Floats, Integers

REACH = 4.0
"""How far g(r) is counted, in mean diameters, if the box is large enough."""

MOST_FRAMES = 64
"""Frames that are looked at: those between them, shortly before or after, say little more."""

_BINS_PER_DIAMETER = 50

_LARGEST_PRODUCT = 4_000_000
"""Numbers of an array that is made on the way."""

_NEAR = 1.3
"""Up to so many diameters g(r) is fitted, to be extrapolated to contact."""


@takes_run(settled=True)
def radial_distribution(
    position: Floats,
    size: Floats,
    radius: Floats,
    reach: float | None = None,
    most_frames: int = MOST_FRAMES,
) -> Curve:
    """g(r): the density of other balls at a distance r, relative to the mean density.

    Takes a `Run`, or arrays: position: (k, n, 3), wrapped into the box or not; size: (3,), of a box
    that is periodic along
    all axes; radius: (n,). Counted in bins of a fiftieth of the mean diameter up to `reach`
    [length], by default four diameters or half the box, in up to `most_frames` frames, evenly
    spread. Errors from blocks of frames.

    J.-P. Hansen and I. R. McDonald, Theory of Simple Liquids, 2.5: pairs in a shell over those
    of an ideal gas, N (N − 1) / V · 4π (r₂³ − r₁³) / 3, each pair counted twice.
    """
    diameter, half = 2.0 * float(radius.mean()), 0.5 * float(size.min())
    width = diameter / _BINS_PER_DIAMETER
    reach = min(REACH * diameter, half) if reach is None else reach
    if not 0.0 < reach <= half:
        raise ValueError(f"reach must be at most half of the box, {half:g}, not {reach!r}")
    edges = width * np.arange(int(reach / width * (1.0 + 1e-12)) + 1)
    n = np.shape(position)[1]
    if n < 2 or len(edges) < 2:
        raise NotInRunError("it needs at least two balls, and a box wider than a fiftieth of one")
    counts = np.stack(
        [_pairs_by_distance(frame, size, edges) for frame in _spread(position, most_frames)]
    )
    shells = 4.0 / 3.0 * math.pi * np.diff(edges**3)
    ideal = n * (n - 1) / float(np.prod(size)) * shells
    return Curve(0.5 * (edges[1:] + edges[:-1]), *averaged(counts / ideal))


def _pairs_by_distance(position: Floats, size: Floats, edges: np.ndarray) -> Integers:
    """Ordered pairs of balls in each bin of distances, in a periodic box."""
    from scipy.spatial import cKDTree

    wrapped = np.mod(position, size) % size  # twice: of a tiny negative number mod makes the size
    pairs = cKDTree(wrapped, boxsize=size).query_pairs(edges[-1], output_type="ndarray")
    apart = wrapped[pairs[:, 0]] - wrapped[pairs[:, 1]]
    apart -= size * np.round(apart / size)
    distance = np.sqrt(np.einsum("ij,ij->i", apart, apart))
    return 2 * np.histogram(distance, edges)[0]


def _spread(frames: Floats, most: int) -> Floats:
    """Frames (k, …), or as many of them as requested, evenly spread."""
    if len(frames) <= most:
        return frames
    return frames[np.linspace(0, len(frames) - 1, most).round().astype(int)]


@takes_run(settled=True)
def structure_factor(
    position: Floats,
    size: Floats,
    radius: Floats | None = None,
    largest: float | None = None,
    most_frames: int = MOST_FRAMES,
) -> Curve:
    """S(k) = |Σ exp(i k·x)|² / N, averaged over the directions of k.

    Takes a `Run`, or arrays: position: (k, n, 3), wrapped into the box or not; size: (3,), of a box
    that is periodic along all axes;
    largest: the largest |k| [1/length], by default 4π over the mean diameter; radius: (n,), for
    that default. All wave vectors that fit the box are used, in shells as wide as the smallest.
    J.-P. Hansen and I. R. McDonald, Theory of Simple Liquids, 4.1. Errors from blocks of frames.
    """
    if largest is None:
        if radius is None:
            raise ValueError("structure_factor needs largest, the largest k, or the balls' radius")
        largest = 2.0 * math.pi / float(np.mean(radius))
    least: Floats = 2.0 * math.pi / size
    most = np.floor(largest / least).astype(int)
    # All wave vectors of half of space, for the other half says the same.
    x, y, z = np.meshgrid(
        *(least[0] * np.arange(most[0] + 1), least[1] * np.arange(-most[1], most[1] + 1)),
        least[2] * np.arange(-most[2], most[2] + 1),
        indexing="ij",
    )
    wave_number = np.sqrt(x**2 + y**2 + z**2)
    inside = (wave_number > 0.0) & (wave_number <= largest)
    if not inside.any():
        raise NotInRunError(f"no wave vector of the box is shorter than {largest:g}")
    shell = (wave_number[inside] / least.max()).astype(int)
    weight = np.where(x[inside] > 0.0, 2.0, 1.0)  # for those at x = 0 both halves are there
    # The intensity of each, averaged over its shell.
    together = np.bincount(shell, weight)
    used = together > 0.0
    samples = []
    for frame in _spread(position, most_frames):
        intensity = _intensity(frame, least, most)[inside]
        samples.append(np.bincount(shell, weight * intensity)[used] / together[used])
    k = np.bincount(shell, weight * wave_number[inside])[used] / together[used]
    return Curve(k, *averaged(np.stack(samples)))


def _intensity(position: Floats, least: Floats, most: Integers) -> Floats:
    """|Σ exp(i k·x)|² / N for all wave vectors of a box: as products of one factor an axis."""
    phase = np.exp(1j * position * least)  # (n, 3)
    first, second, third = (_powers(phase[:, axis], most[axis]) for axis in range(3))
    third = np.concatenate([third[:0:-1].conj(), third]).T.copy()
    second = np.concatenate([second[:0:-1].conj(), second])
    total = np.empty((len(first), len(second), third.shape[1]))
    together = max(1, _LARGEST_PRODUCT // second.size)
    for m in range(0, len(first), together):  # few large products: each may use many threads
        along = first[m : m + together, None]
        amplitude = (along * second).reshape(-1, second.shape[1]) @ third
        intensity = amplitude.real**2 + amplitude.imag**2
        total[m : m + together] = intensity.reshape(-1, *total.shape[1:])
    return total / len(position)


def _powers(phase: npt.NDArray[np.complex128], most: int) -> np.ndarray:
    """The powers 0 to `most` of numbers (n,), one after another: (most + 1, n)."""
    steps = np.broadcast_to(phase, (most + 1, len(phase))).copy()
    steps[0] = 1.0
    return np.cumprod(steps, axis=0)


def contact_value(distribution: Curve, diameter: float) -> Measured:
    """g(σ⁺), from a cubic through g(r) between one and 1.3 diameters.

    distribution: g(r) of equal balls, from `radial_distribution`; diameter: σ [length]. A parabola
    in place of the cubic would be too low at medium densities, by more than its error.
    """
    near = (distribution.x > diameter) & (distribution.x < _NEAR * diameter)
    if near.sum() < 5 or distribution.error is None or not (distribution.error[near] > 0.0).all():
        raise NotInRunError("g at contact needs more pairs and more frames")
    away = distribution.x[near] - diameter
    weight = 1.0 / distribution.error[near]
    parameters, covariance = np.polyfit(away, distribution.value[near], 3, w=weight, cov="unscaled")
    return Measured(float(parameters[-1]), float(np.sqrt(covariance[-1, -1])))
