"""The number of balls in each of the cells that a scene names, and where it is written."""

import numpy as np

from spheresim.numerics.arrays import Floats, Integers
from spheresim.scene.view import Counts


def cell_counts(counts: Counts, position: Floats) -> Integers:
    """The number of centres in each cell, an array of the shape `counts.cells`; position (n, 3).

    A centre on a face between two cells is in the one with the larger coordinates.
    """
    edges = [
        np.linspace(low, high, cells + 1)
        for low, high, cells in zip(counts.low, counts.high, counts.cells, strict=True)
    ]
    return np.histogramdd(position, edges)[0].astype(int)


def cell_tops(counts: Counts, up: Floats) -> Floats:
    """Where the numbers stand, (m, 3): above the middle of each cell; up: (3,), unit."""
    low, high = np.array(counts.low), np.array(counts.high)
    size = (high - low) / counts.cells
    middles = low + size * (np.indices(counts.cells).reshape(3, -1).T + 0.5)
    return middles + 0.5 * float(np.abs(up) @ size) * np.asarray(up)
