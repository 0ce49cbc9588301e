"""CPU time of what engines and fills search pairs with, beside the broad phases and a k-d tree.

`python -m benchmarks.broadphase_users [--csv FILE] [--most N]`. Equal balls, a tenth of space or
three tenths. Do any overlap? asks what scenes and fills ask: by cells, as they do, by the automatic
broad phase with spheres for a mid phase, and by scipy's k-d tree. A step: the whole of one of the
fixed-timestep engine, with its impacts, beside one update of the broad phases with the boxes that
the balls sweep in it. Of three rounds the least.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
from scipy.spatial import cKDTree

from benchmarks.gas import RADIUS, Gas, gas
from benchmarks.measurements import Measurement, add_csv_option, append, version_of
from benchmarks.stepping import STEP, ours
from spheresim import __version__
from spheresim.broadphase import broad_phase, find_pairs, overlapping_spheres
from spheresim.scene.fill.no_overlaps import are_apart

COUNTS = (1_000, 10_000, 100_000, 1_000_000)
FRACTIONS = (0.1, 0.3)
MOST_STEPPED = 100_000
ROUNDS = 3

Ask = Callable[[], object]


def any_overlap(balls: Gas) -> dict[str, Ask]:
    """Ways to find out whether two balls overlap."""
    position, radius = balls.position, np.full(len(balls.position), RADIUS)

    def by_broad_phase() -> bool:
        pairs = find_pairs(position - RADIUS, position + RADIUS).pairs
        return len(overlapping_spheres(pairs, position, radius)) == 0

    return {
        "cells of fills": lambda: are_apart(position, radius, 1e-9),
        "broad phase": by_broad_phase,
        "scipy k-d tree": lambda: len(cKDTree(position).query_pairs(2.0 * RADIUS)) == 0,
    }


def a_step(balls: Gas) -> dict[str, Ask]:
    """A step of the engine; and what alone the search would take by a broad phase."""
    phase, way = broad_phase(), balls.velocity * STEP
    moves = [0]

    def by_broad_phase() -> object:
        moves[0] += 1
        start = balls.position + moves[0] * way
        low, high = np.minimum(start, start + way), np.maximum(start, start + way)
        phase.update(low - RADIUS, high + RADIUS)
        return phase.pairs()

    advance, _ = ours(0)(balls)
    advance(3)
    return {"whole step of the engine": lambda: advance(1), "broad phase": by_broad_phase}


def measured(question: str, balls: Gas, fraction: float, ways: dict[str, Ask]) -> list[Measurement]:
    """The fastest of some rounds of each way, in turn."""
    case = {"question": question, "balls": len(balls.position), "packing_fraction": fraction}
    least = dict.fromkeys(ways, float("inf"))
    for _ in range(1 + ROUNDS):  # the first compiles
        for name, ask in ways.items():
            start = time.process_time()
            ask()
            least[name] = min(least[name], time.process_time() - start)
    return [
        Measurement(
            case,
            name,
            "milliseconds",
            round(seconds * 1e3, 3),
            version_of("scipy") if name.startswith("scipy") else __version__,
        )
        for name, seconds in least.items()
    ]


def main() -> None:
    """Measure, and print a line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add_csv_option(parser)
    parser.add_argument("--most", type=int, default=COUNTS[-1], help="no more balls than these")
    given = parser.parse_args()
    for count in (count for count in COUNTS if count <= given.most):
        for fraction in FRACTIONS:
            balls = gas(count, fraction)
            rows = measured("do any overlap?", balls, fraction, any_overlap(balls))
            if count <= MOST_STEPPED:
                rows += measured("a step", balls, fraction, a_step(balls))
            for row in rows:
                print(*row.case.values(), row.program, row.value, "ms", sep="  ", flush=True)
            if given.csv is not None:
                append(given.csv, rows)


if __name__ == "__main__":
    main()
