"""Sites for balls on a cubic or face-centred cubic lattice, as wide as it can be."""

import math

import numpy as np

from spheresim.numerics.arrays import Floats, Integers
from spheresim.numerics.vector import TVector
from spheresim.scene.fill.placement import Placement
from spheresim.scene.fill.placing import CubicLattice, add_on_lattice, are_free
from spheresim.scene.fill.room import Room
from spheresim.scene.fill.spheres import crowded_room

_MOST_SITES = 20_000_000
"""Sites of a cubic lattice that are looked at, if no more balls than that are requested."""

_CORNERS = np.array([(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)])
"""The sites of a face-centred unit cell, in units of half its width."""

_MOST_TRIES = 12
"""How often a finer lattice is tried, where obstacles and other balls take sites away."""


def on_cubic_lattice(placement: Placement) -> Floats:
    """Centres (n, 3) on the widest lattice with a free site for each of n balls; if no lattice
    has that many, the free sites of the tightest one."""
    count = len(placement.radius)
    spacings = _spacings(placement.room, float(placement.radius.max()), count)
    widest, tightest = 0, len(spacings) - 1
    best = _free_sites(placement, float(spacings[tightest]))
    # Bisect for the widest spacing with enough free sites.
    while widest < tightest and len(best) == count:
        middle = (widest + tightest) // 2
        sites = _free_sites(placement, float(spacings[middle]))
        if len(sites) == count:
            best, tightest = sites, middle
        else:
            widest = middle + 1
    return best


def _spacings(room: Room, radius: float, count: int) -> Floats:
    """The spacings at which one more layer fits along some axis, the widest first.

    Spacings so tight that there are too many sites to look at are left out.
    """
    free = np.maximum(np.array(room.high - room.low) - 2.0 * radius, 0.0)
    tightest = 2.0 * radius
    at_most = max(_MOST_SITES, count)
    layers = np.floor(free / tightest + 1e-9)
    while math.prod(n + 1.0 for n in layers.tolist()) > at_most:
        tightest *= 1.01
        layers = np.floor(free / tightest + 1e-9)
    steps = [side / np.arange(1.0, n + 1.0) for side, n in zip(free, layers, strict=True)]
    return np.unique(np.concatenate([*steps, [tightest, 2.0 * free.max() + tightest]]))[::-1]


def _free_sites(placement: Placement, spacing: float) -> Floats:
    """The free sites (m, 3) of a lattice in the middle of the room, at most as many as balls."""
    # Centre the layers in the room.
    room, side = placement.room, placement.side
    radius, requested = float(placement.radius.max()), len(placement.radius)
    size = room.high - room.low
    layers = [max(0, math.floor((long - 2.0 * radius) / spacing + 1e-9)) for long in size]
    slack = [long - 2.0 * radius - n * spacing for long, n in zip(size, layers, strict=True)]
    first = room.low + TVector(radius, radius, radius) + TVector(slack) * 0.5

    # Take the free sites in order.
    crowded = crowded_room(room, placement.others, radius)
    lattice = CubicLattice(first, spacing, np.array(layers) + 1)
    position = np.zeros((requested if side is None else int(lattice.sites.prod()), 3))
    taken = add_on_lattice(crowded, lattice, radius, position)
    free = position[:taken]
    return free if side is None else free[side(free)][:requested]


def on_fcc_lattice(placement: Placement) -> Floats:
    """Centres (n, 3) on the widest lattice with a free site for each of n balls; if no lattice
    has that many, the free sites of the finest one that was tried."""
    # Make the lattice finer until enough of its sites are free, or balls on it would overlap.
    room, radius, others, _, rng, side = placement
    count, largest = len(radius), float(radius.max())
    requested = count
    crowded = crowded_room(room, others, largest)
    sites = np.zeros((0, 3))
    for _ in range(_MOST_TRIES):
        cells = _cells(room, requested)
        if _neighbour_distance(room, cells, largest) < 2.0 * largest * (1.0 - 1e-9):
            break
        sites = _sites(room, cells, largest)
        sites = sites[are_free(crowded, sites, largest)]
        sites = sites if side is None else sites[side(sites)]
        if len(sites) >= count:
            break
        requested = math.ceil(requested * min(2.0, 1.02 * count / max(1, len(sites)))) + 1

    # Leave the sites that are too many empty, chosen at random.
    if len(sites) <= count:
        return sites
    return sites[np.sort(rng.choice(len(sites), count, replace=False))]


def _cells(room: Room, sites: int) -> Integers:
    """The number of unit cells along each axis for so many sites, as cubic as they can be."""
    sides = np.array(room.high - room.low)
    width = (4.0 * room.volume / sites) ** (1.0 / 3.0)
    cells = np.maximum(1.0, np.floor(sides / width + 1e-9))
    while 4.0 * cells.prod() < sites:
        cells[int(np.argmax(sides / cells))] += 1.0
    return cells.astype(np.int64)


def _half_widths(room: Room, cells: Integers, radius: float) -> Floats:
    """Half the width of a unit cell along each axis.

    Along an axis with walls the outermost balls touch them; along a periodic one there are none.
    """
    sides = np.array(room.high - room.low)
    return np.where(
        room.periodic, sides / (2.0 * cells), (sides - 2.0 * radius) / (2.0 * cells - 1.0)
    )


def _neighbour_distance(room: Room, cells: Integers, radius: float) -> float:
    """The distance between the centres of nearest neighbours."""
    half_widths = np.sort(_half_widths(room, cells, radius))
    return float(min(2.0 * half_widths[0], math.hypot(half_widths[0], half_widths[1])))


def _sites(room: Room, cells: Integers, radius: float) -> Floats:
    """The sites of all unit cells, (4 · cells, 3)."""
    grid = np.stack(np.meshgrid(*map(np.arange, cells), indexing="ij"), axis=-1).reshape(-1, 1, 3)
    half_widths = _half_widths(room, cells, radius)
    start = np.where(room.periodic, 0.5 * half_widths, radius)
    steps = (2 * grid + _CORNERS).reshape(-1, 3)
    return np.array(room.low) + start + steps * half_widths
