"""CPU time of the broad phases, and of the automatic choice beside the best of them.

`python -m benchmarks.broadphase [--csv FILE] [--most N]`. From 10 to a million objects that lie in
six ways: an update with its pairs, the first one and one after objects have moved by a twentieth
of their width; of at least three rounds the least. What would compare more than two thousand
million pairs is left out.
"""

import argparse

import numpy as np

from benchmarks.measurements import Measurement, add_csv_option, append
from spheresim import __version__
from spheresim.broadphase.catalogue import BROAD_PHASES
from spheresim.broadphase.example_sets import EXAMPLE_SETS
from spheresim.commands.broadphase_costs import MOST_COMPARED, compared_at_least, update_times

COUNTS = (10, 100, 1_000, 10_000, 100_000, 1_000_000)
DENSITY = 0.1


def measure(kind: str, count: int) -> list[Measurement]:
    """All broad phases on a set of so many objects."""
    boxes = EXAMPLE_SETS[kind](count, DENSITY, np.random.default_rng(0))
    measured = []
    for method in BROAD_PHASES:
        if compared_at_least(method, boxes) > MOST_COMPARED:
            continue
        for update, seconds in zip(("first", "moved"), update_times(method, boxes), strict=True):
            measured.append(
                Measurement(
                    {"set": kind, "objects": count, "method": method, "update": update},
                    *("spheresim", "microseconds", round(1e6 * seconds, 1), __version__),
                )
            )
    return measured


def main() -> None:
    """Measure, and print a line for each set and number of objects."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add_csv_option(parser)
    parser.add_argument("--most", type=int, default=COUNTS[-1], help="no more objects than these")
    given = parser.parse_args()
    for kind in EXAMPLE_SETS:
        for count in (count for count in COUNTS if count <= given.most):
            measured = measure(kind, count)
            for update in ("first", "moved"):
                rows = [row for row in measured if row.case["update"] == update]
                times = {row.case["method"]: float(row.value) for row in rows}
                automatic = times.pop("auto")
                best = min(times, key=lambda method: times[method])
                print(
                    f"{kind:<10}{count:>9} {update:<6} best {best:<16}{times[best]:>12.1f} µs"
                    f"   auto {automatic / times[best]:>5.2f} times",
                    flush=True,
                )
            if given.csv is not None:
                append(given.csv, measured)


if __name__ == "__main__":
    main()
