"""Dense random fillings: balls at random places, pushed apart until none overlap.

Random sequential addition ends at a packing fraction of about .38, because most of what is left
free are holes too small for a ball (J. Feder, Random sequential adsorption, Journal of Theoretical
Biology 87, 1980). Balls that may overlap at first, and are moved apart pair by pair, come near to
random close packing, .64 (W. S. Jodrey and E. M. Tory, Computer simulation of close random packing
of equal spheres, Physical Review A 32, 1985). Here each sweep moves all pairs that overlap, one
after the other, by more than their overlap (successive over-relaxation).

In the end most balls would be in contact with others, and hit them without end once they move. So
there is a gap between balls as long as places with such gaps are found soon.
"""

from typing import NamedTuple

import numpy as np

from spheresim.compiler.decorators import inlined, kernel
from spheresim.model.periodic_space import image_near_obstacle
from spheresim.numerics.arrays import Floats, Integers
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.features.index import around
from spheresim.obstacles.nearby_obstacles import next_place, row_at
from spheresim.obstacles.table import gap, normal_at
from spheresim.scene.fill.room import Room
from spheresim.scene.fill.spheres import Spheres

_OVER_RELAXATION = 1.5
"""A pair is moved apart by this multiple of its overlap. Measured at a packing fraction of .6: 700
sweeps, where 1 takes 2,500, and 1.8 never ends."""

_MOST_SWEEPS = 6000
"""Ten thousand balls take 700 sweeps at a packing fraction of .6 and 4,300 at .62."""

_CLEARANCE = 1e-7
"""Radii are enlarged by this fraction, of which a twentieth may be left overlapping."""

_GAP, _GAP_SWEEPS = 0.02, 500
"""In so many sweeps distances between balls are enlarged by this fraction in place of it."""

_LONGEST_STEP = 0.9
"""In a sweep a ball moves at most this fraction of its radius, so it goes through no wall from
which it was a radius away."""

_SKIN = 0.3
"""Pairs are listed up to this fraction of the sum of their radii apart, and anew once a ball may
have moved so far."""


def relaxed(room: Room, start: Floats, radius: Floats, others: Spheres) -> Floats | None:
    """Places (n, 3) near `start` where balls of the radii (n,) overlap nothing; None if none are
    found.

    others: balls that stay where they are.
    """
    low = np.array(room.low)
    size = np.array(room.high) - low
    periods = np.where(room.periodic, size, 0.0)
    n, enlarged = len(radius), radius * (1.0 + _CLEARANCE)
    x = np.concatenate([start, others.position])
    radii = np.concatenate([enlarged, others.radius])
    reach = radii * (1.0 + _GAP)
    listed_at, balls = x, _Crowd(x, x[:n].copy(), radii)
    pairs = _Pairs(*np.zeros((2, 0), dtype=np.int64))
    for sweep in range(_MOST_SWEEPS):
        if sweep == _GAP_SWEEPS:
            reach = radii
        # The pairs, sorted, so that the places do not depend on how they were found.
        moved = np.abs(x[:n] - listed_at[:n]).max() * np.sqrt(3.0)
        if sweep == 0 or moved > _SKIN * reach.min():
            pairs = _pairs(x - low, reach, periods, n)
            listed_at = x.copy()
        deepest = _sweep(room, balls, reach, pairs, TVector(periods))
        if deepest <= 0.05 * _CLEARANCE:
            wrapped = np.where(periods > 0.0, np.mod(x[:n] - low, np.maximum(periods, 1e-300)), 0.0)
            return np.where(periods > 0.0, low + wrapped, x[:n])
    return None


class _Crowd(NamedTuple):
    """x: (m, 3), places of balls, of which the first n move; before: (n, 3), workspace; radii:
    (m,)."""

    x: Floats
    before: Floats
    radii: Floats


class _Pairs(NamedTuple):
    """The numbers of the balls of each pair."""

    first: Integers
    second: Integers


def _pairs(x: Floats, reach: Floats, periods: Floats, n: int) -> _Pairs:
    """Pairs of which the first is one of the n balls that move, with the room's corner at 0."""
    from scipy.spatial import cKDTree

    wrapped = np.where(periods > 0.0, np.mod(x, np.maximum(periods, 1e-300)), x)
    wrapped = np.where((periods > 0.0) & (wrapped >= periods), 0.0, wrapped)
    tree = cKDTree(wrapped, boxsize=periods if periods.any() else None)
    pairs = tree.query_pairs(2.0 * reach.max() * (1.0 + _SKIN), output_type="ndarray")
    pairs = np.sort(pairs, axis=1)
    pairs = pairs[pairs[:, 0] < n]
    # Those near enough, for radii may differ.
    d = wrapped[pairs[:, 0]] - wrapped[pairs[:, 1]]
    d -= periods * np.round(d / np.where(periods > 0.0, periods, 1.0))
    near = (d**2).sum(axis=1) <= ((1.0 + _SKIN) * (reach[pairs[:, 0]] + reach[pairs[:, 1]])) ** 2
    pairs = pairs[near]
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    return _Pairs(np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1]))


@kernel(label="dense fillings", parts=50)
def _sweep(room: Room, balls: _Crowd, reach: Floats, pairs: _Pairs, periods: TVector) -> float:
    """Move the balls off the obstacles that they overlap, then all pairs apart that overlap.

    reach: (m,), the radii that balls have beside each other, as their own are beside obstacles.
    Returns the deepest overlap that was found, as a fraction of the radius or of the sum of the
    two.
    """
    (x, before, radii), (first, second) = balls, pairs
    deepest, n = 0.0, len(before)
    for i in range(n):
        there = _into_room(room, vector_at(x, i), radii[i], periods)
        there = _off_obstacles(room, there, radii[i])
        deepest = max(deepest, there.dist(vector_at(x, i)) / radii[i])
        set_vector(x, i, there)
        set_vector(before, i, there)
    for c in range(len(first)):
        i, j = first[c], second[c]
        d = _nearest_image(vector_at(x, i) - vector_at(x, j), periods)
        s, distance = reach[i] + reach[j], d.mag()
        if not 0.0 < distance < s:
            continue
        deepest = max(deepest, (s - distance) / s)
        step = d * (_OVER_RELAXATION * (s - distance) / distance)
        if j < n:
            step = step * 0.5
            set_vector(x, j, vector_at(x, j) - step)
        set_vector(x, i, vector_at(x, i) + step)
    for i in range(n):
        there = vector_at(before, i)
        way, longest = vector_at(x, i) - there, _LONGEST_STEP * radii[i]
        if way.mag() > longest:
            set_vector(x, i, there + way * (longest / way.mag()))
    return deepest


@inlined
def _nearest_image(d: TVector, periods: TVector) -> TVector:
    """The shortest way between images; a period of 0 is none."""
    return TVector(
        d.x - periods.x * np.rint(d.x / periods.x) if periods.x > 0.0 else d.x,
        d.y - periods.y * np.rint(d.y / periods.y) if periods.y > 0.0 else d.y,
        d.z - periods.z * np.rint(d.z / periods.z) if periods.z > 0.0 else d.z,
    )


@inlined
def _into_room(room: Room, x: TVector, r: float, periods: TVector) -> TVector:
    """The nearest place of a ball that is wholly inside the room, along the axes with walls."""
    low, high = room.low, room.high
    return TVector(
        x.x if periods.x > 0.0 else max(low.x + r, min(x.x, high.x - r)),
        x.y if periods.y > 0.0 else max(low.y + r, min(x.y, high.y - r)),
        x.z if periods.z > 0.0 else max(low.z + r, min(x.z, high.z - r)),
    )


@inlined
def _off_obstacles(room: Room, x: TVector, r: float) -> TVector:
    """Where a ball no longer overlaps the obstacles that it overlapped, taken one by one."""
    obstacles = room.obstacles
    corners = around(x, r)
    place = next_place(obstacles, -1, corners)
    while place >= 0:
        k = row_at(obstacles, place)
        place = next_place(obstacles, place, corners)
        there = image_near_obstacle(room.space, obstacles, k, x)
        outwards = gap(obstacles, k, there)
        n = normal_at(obstacles, k, there)
        if outwards < 0.0:  # towards the ball, which is inside
            n = n * -1.0
        side = -1.0 if room.tube[k] else 1.0
        overlap = r - side * outwards
        if overlap > 0.0:
            x = x + n * (side * overlap)
    return x
