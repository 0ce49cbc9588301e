"""The face-centred cubic lattice, as wide as it can be, with sites left empty at random."""

import math
from typing import Any

import numpy as np
from numpy.random import Generator

from spheresim.broadphase.grid import Grid
from spheresim.scene.fill.placing import are_clear
from spheresim.scene.fill.room import Room

_CORNERS = np.array([(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)])
"""The sites of a unit cell, in halves of its width."""

_AT_MOST_MORE = 12
"""How many times more cells are tried where obstacles take sites away."""


def on_fcc_lattice(room: Room, radius: Any, grid: Grid, rng: Generator) -> Any:
    """Places (n, 3) for balls on the widest lattice that has enough; fewer if none has.

    `grid` holds the balls that are there and room for the new ones.
    """
    count, largest = len(radius), float(radius.max())
    wanted = count
    sites = np.zeros((0, 3))
    for _ in range(_AT_MOST_MORE):
        cells = _cells(room, wanted)
        if _nearest(room, cells, largest) < 2.0 * largest * (1.0 - 1e-9):
            break
        sites = _sites(room, cells, largest)
        sites = sites[are_clear(room, grid, sites, largest)]
        if len(sites) >= count:
            break
        wanted = math.ceil(wanted * min(2.0, 1.02 * count / max(1, len(sites)))) + 1
    if len(sites) <= count:
        return sites
    return sites[np.sort(rng.choice(len(sites), count, replace=False))]


def _cells(room: Room, sites: int) -> Any:
    """How many unit cells there must be along each axis, as cubic as they can be."""
    sides = np.array(room.high - room.low)
    width = (4.0 * room.volume / sites) ** (1.0 / 3.0)
    cells = np.maximum(1.0, np.floor(sides / width + 1e-9))
    while 4.0 * cells.prod() < sites:
        cells[int(np.argmax(sides / cells))] += 1.0
    return cells.astype(np.int64)


def _halves(room: Room, cells: Any, radius: float) -> Any:
    """Half the width of a cell along each axis; between walls whole balls must fit."""
    sides = np.array(room.high - room.low)
    return np.where(
        room.periodic, sides / (2.0 * cells), (sides - 2.0 * radius) / (2.0 * cells - 1.0)
    )


def _nearest(room: Room, cells: Any, radius: float) -> float:
    """The distance of nearest neighbours."""
    halves = np.sort(_halves(room, cells, radius))
    return float(min(2.0 * halves[0], math.hypot(halves[0], halves[1])))


def _sites(room: Room, cells: Any, radius: float) -> Any:
    grid = np.stack(np.meshgrid(*map(np.arange, cells), indexing="ij"), axis=-1).reshape(-1, 1, 3)
    halves = _halves(room, cells, radius)
    start = np.where(room.periodic, 0.5 * halves, radius)
    steps = (2 * grid + _CORNERS).reshape(-1, 3)
    return np.array(room.low) + start + steps * halves
