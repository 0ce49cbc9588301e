"""How long the first start takes: CPU seconds to compile what a world of each kind needs.

Each in a new process with an empty cache of kernels, from the import to the end of the first
hundredth of a unit of time, less what the same takes once all is compiled. Beside it the size of
the files that are kept.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.measurements import Measurement, add_csv_option, append
from spheresim import __version__
from spheresim.commands.compile import WORLDS

CASES = {
    "gas": ("straight flight, periodic box", "events"),
    "fixed step under gravity": ("gravity, planes and cylinders", "steps"),
    "exact engine under gravity": ("gravity, planes and cylinders", "events"),
    "exact engine, any obstacles": ("gravity, other obstacles too", "events"),
    "fixed step, any obstacles": ("gravity, other obstacles too", "steps"),
}
assert all(kind in WORLDS for kind, _ in CASES.values())

RUN = """
import sys
from spheresim.commands.compile import world_of_kind
simulation = world_of_kind(*sys.argv[1:])
simulation.compile()
simulation.run(until=0.01)
"""


def cpu_seconds(kind: str, engine: str, cache: str) -> float:
    """Of a process that makes such a world and begins to run it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    subprocess.run([sys.executable, "-c", RUN, kind, engine], env=environment, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(name: str) -> list[Measurement]:
    """One kind of world, cold and warm."""
    kind, engine = CASES[name]
    with tempfile.TemporaryDirectory() as cache:
        cold = cpu_seconds(kind, engine, cache)
        warm = cpu_seconds(kind, engine, cache)
        size = sum(path.stat().st_size for path in Path(cache).rglob("*.nbc"))
    print(f"{name:30} {cold - warm:6.1f} s to compile, {warm:5.2f} s warm, {size / 1e6:5.1f} MB")
    quantities = {"compile [s]": cold - warm, "warm start [s]": warm, "cache [MB]": size / 1e6}
    return [
        Measurement({"world": name}, "spheresim", quantity, value, __version__)
        for quantity, value in quantities.items()
    ]


def main() -> None:
    """Measure the cases that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--case", nargs="+", default=list(CASES), choices=list(CASES))
    add_csv_option(parser)
    options = parser.parse_args()
    rows = [row for name in options.case for row in measure(name)]
    if options.csv:
        append(options.csv, rows)


if __name__ == "__main__":
    main()
