"""What the size of a grid's cells costs: entries, proposed pairs and CPU time.

`python -m benchmarks.broadphase_cells [--csv FILE]`. 100,000 boxes of about equal size at random
places; the cell's side is given in their mean widths.
"""

import argparse

import numpy as np

from benchmarks.measurements import Measurement, add_csv_option, append
from spheresim import __version__
from spheresim.broadphase.example_sets import EXAMPLE_SETS
from spheresim.broadphase.uniform_grid import UniformGrid
from spheresim.commands.broadphase_costs import update_times

COUNT = 100_000
DENSITIES = (0.01, 0.1, 1.0)
SIZES = (0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)


def measure(density: float, side: float) -> list[Measurement]:
    """One size of the cells."""
    boxes = EXAMPLE_SETS["uniform"](COUNT, density, np.random.default_rng(0))
    grid = UniformGrid(side)
    grid.update(*boxes)
    _, seconds = update_times("uniform_grid", boxes, {"cell_size": side})
    quantities = {
        "entries": len(grid.lists.object),
        "proposed": grid.counts.proposed,
        "milliseconds": round(1e3 * seconds, 2),
    }
    case = {"objects": COUNT, "density": density, "cell_size": side}
    return [
        Measurement(case, "spheresim", quantity, value, __version__)
        for quantity, value in quantities.items()
    ]


def main() -> None:
    """Measure, and print a line for each size."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add_csv_option(parser)
    path = parser.parse_args().csv
    for density in DENSITIES:
        for side in SIZES:
            measured = measure(density, side)
            print(density, side, *(f"{row.quantity} {row.value}" for row in measured), flush=True)
            if path is not None:
                append(path, measured)


if __name__ == "__main__":
    main()
