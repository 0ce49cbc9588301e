"""How many times as fast several threads of the exact engine are as one.

`python -m benchmarks.threads [--balls N …] [--packing PHI …] [--threads T] [--csv FILE]`. Each gas
is that of `benchmarks.events`, settled first. One thread and several take turns in each round; the
figure is the median ratio of their wall times, so all these processor cores must be free.
"""

import argparse
import time
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.events import engine_of
from benchmarks.gas import Gas, gas
from benchmarks.measurements import Measurement, add_csv_option, append

if TYPE_CHECKING:
    from spheresim.engines.event_driven.engine import Events

ROUNDS = 15


def times_as_fast(start: Gas, threads: int) -> float:
    """How many times as fast as one thread so many threads are, with the same gas."""
    n = len(start.position)
    impacts = max(300_000, n // 2)
    engines = [engine_of(start), engine_of(start)]
    if reason := engines[1].use_threads(threads):
        raise SystemExit(f"{n:,} balls: {reason}")
    for engine in engines:
        engine.run(np.inf, 2 * n)
    ratios = []
    for _ in range(ROUNDS):
        one, several = (_wall_time(engine, impacts) for engine in engines)
        ratios.append(one / several)
    assert np.array_equal(engines[0].state.position, engines[1].state.position)
    return float(np.median(ratios))


def _wall_time(engine: "Events", impacts: int) -> float:
    start = time.perf_counter()
    engine.run(np.inf, impacts)
    return time.perf_counter() - start


def main() -> None:
    """Measure all cases, and print the ratio of each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--balls", type=float, nargs="+", default=[1e5, 1e6])
    parser.add_argument("--packing", type=float, nargs="+", default=[0.1, 0.3, 0.49])
    parser.add_argument("--threads", type=int, default=2)
    add_csv_option(parser)
    options = parser.parse_args()
    rows = []
    for n in map(int, options.balls):
        for packing in options.packing:
            ratio = f"{times_as_fast(gas(n, packing), options.threads):.2f}"
            case = {"balls": n, "packing_fraction": packing, "threads": options.threads}
            rows.append(Measurement(case, "spheresim", "times_one_thread", ratio, ""))
            print(f"{n:8} {packing:5} {options.threads} threads: {ratio} times one", flush=True)
    if options.csv is not None:
        append(options.csv, rows)


if __name__ == "__main__":
    main()
