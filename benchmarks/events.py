"""Impacts per CPU-second of the exact engine, beside EDMD's where a built copy is given.

`python -m benchmarks.events [--balls N …] [--packing PHI …] [--edmd PROGRAM …] [--csv FILE]`.
All run the same gas, in turn, on one core: an elastic fluid in a periodic cube, settled
first. A PROGRAM is a variant of Smallenburg's EDMD (F. Smallenburg, Efficient event-driven
simulations of hard spheres, European Physical Journal E 45, 2022), built for this machine
with `initialconfig` 0, its `maxtime` and `writeinterval` large, and its main loop made to
end after $MANY impacts from the $WARM-th on and to print `SPEED` and millions of impacts
per CPU-second. It reads the fluid from `init.sph` in the folder where it is started.
"""

import argparse
import csv
import os
import platform
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.gas import RADIUS, Gas, gas

ROUNDS = 3


def ours(gas: Gas, settling: int, impacts: int, walls: bool = False) -> float:
    """Millions of impacts per CPU-second; between walls and under gravity if asked for."""
    from spheresim.engines.event_driven.engine import Events
    from spheresim.model.state import Box, State, World
    from spheresim.numerics.vector import TVector
    from spheresim.obstacles.plane import Plane
    from spheresim.obstacles.table import pack

    n, far = len(gas.position), (gas.side,) * 3
    planes = [Plane((0, 0, 0), a) for a in np.eye(3)] + [Plane(far, -a) for a in np.eye(3)]
    planes = planes if walls else []
    world = World(
        radius=np.full(n, RADIUS),
        mass=np.ones(n),
        restitution=np.ones(n),
        obstacles=pack(planes, [1.0] * len(planes)),
        gravity=TVector(0, 0, -0.01 if walls else 0),
        box=None if walls else Box(TVector(0, 0, 0), TVector(far)),
    )
    engine = Events(world, State(np.zeros(1), gas.position.copy(), gas.velocity.copy()), 1.0)
    engine.record(False)
    engine.run_impacts(settling, np.inf)
    start = time.process_time()
    engine.run_impacts(impacts, np.inf)
    return impacts / 1e6 / (time.process_time() - start)


def edmd(program: Path, gas: Gas, settling: int, impacts: int) -> float:
    """Millions of impacts per CPU-second of a built copy of EDMD."""
    with tempfile.TemporaryDirectory() as folder:
        half = gas.side / 2.0
        lines = [f"{len(gas.position)}", f"{half!r} {half!r} {half!r}"]
        lines += [f"a {x / 2:.15g} {y / 2:.15g} {z / 2:.15g} 0.5" for x, y, z in gas.position]
        (Path(folder) / "init.sph").write_text("\n".join(lines) + "\n")
        done = subprocess.run(
            [program.resolve()],
            cwd=folder,
            env={**os.environ, "WARM": str(settling), "MANY": str(impacts)},
            capture_output=True,
            text=True,
            check=True,
        )
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("SPEED"))
    return float(line.split()[1])


def main() -> None:
    """Measure all cases, and print the best of each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--balls", type=float, nargs="+", default=[1e3, 1e4, 1e5])
    parser.add_argument("--packing", type=float, nargs="+", default=[0.1, 0.3, 0.49])
    parser.add_argument("--edmd", type=Path, nargs="*", default=[])
    parser.add_argument("--csv", type=Path, help="also write the table there")
    options = parser.parse_args()
    rows = []
    for n in map(int, options.balls):
        for packing in options.packing:
            start = gas(n, packing)
            settling, impacts = max(20_000, 4 * n), max(500_000, n)
            best = max(ours(start, settling, impacts) for _ in range(ROUNDS))
            theirs = [
                max(edmd(program, start, settling, impacts) for _ in range(ROUNDS))
                for program in options.edmd
            ]
            walled = ours(start, settling, impacts, walls=True)
            ratio = f"{best / max(theirs):.2f}" if theirs else ""
            rows.append((n, packing, f"{best:.3f}", *(f"{c:.3f}" for c in theirs), ratio, walled))
            print(
                f"{n:8} {packing:5} {best:6.3f} million a second"
                + "".join(
                    f", {p.parent.name} {c:.3f}" for p, c in zip(options.edmd, theirs, strict=True)
                )
                + (f", ratio {ratio}" if ratio else "")
                + f"; walls and gravity {walled:.3f}",
                flush=True,
            )
    if options.csv is not None:
        with options.csv.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(("machine", platform.processor() or platform.machine()))
            names = [program.parent.name for program in options.edmd]
            writer.writerow(("balls", "packing_fraction", "spheresim", *names, "ratio", "walls"))
            writer.writerows(rows)


if __name__ == "__main__":
    main()
