"""Impacts per CPU-second of the exact engine, beside EDMD's where a built copy is given.

`python -m benchmarks.events [--balls N …] [--packing PHI …] [--edmd PROGRAM …] [--csv FILE]`.
All run the same gas, in turn, on one core: an elastic fluid in a periodic cube, settled
first. A PROGRAM is another engine, built for this machine: the published figures are of two
variants of EDMD (F. Smallenburg, Efficient event-driven simulations of hard spheres, European
Physical Journal E 45, 2022). It is called by the name of its folder in the results.

How a PROGRAM is called: without arguments, in a folder that holds `init.sph`. That has the number
of balls on its first line, the three sides of the periodic box on its second, and then a line
`a x y z r` for each ball, in diameters: r is 0.5. Masses are 1; velocities are the program's own
choice. It runs $WARM impacts to settle, then measures $MANY more, and prints a line `SPEED s` with
s in millions of impacts per CPU-second.
"""

import argparse
import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.gas import RADIUS, Gas, gas
from benchmarks.measurements import Measurement, add_csv_option, append, version_of

if TYPE_CHECKING:
    from spheresim.engines.event_driven.engine import Events

ROUNDS = 3
QUANTITY = "million_impacts_per_second"


def engine_of(gas: Gas, walls: bool = False) -> "Events":
    """The exact engine with a gas; between walls and under gravity if asked for."""
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
    engine.log_impacts(False)
    return engine


def ours(gas: Gas, settling: int, impacts: int, walls: bool = False) -> float:
    """Millions of impacts per CPU-second."""
    engine = engine_of(gas, walls)
    engine.run(np.inf, settling)
    start = time.process_time()
    engine.run(np.inf, impacts)
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


def measure(start: Gas, programs: list[Path]) -> dict[tuple[str, str], float]:
    """The best of some rounds, by boundary and program; in a round all programs run in turn."""
    n = len(start.position)
    settling, impacts = max(20_000, 4 * n), max(500_000, n)
    best: dict[tuple[str, str], float] = {}
    for _ in range(ROUNDS):
        round_ = {"spheresim": ours(start, settling, impacts)}
        round_ |= {p.resolve().parent.name: edmd(p, start, settling, impacts) for p in programs}
        for program, speed in round_.items():
            case = ("periodic", program)
            best[case] = max(speed, best.get(case, 0.0))
    best["walls", "spheresim"] = ours(start, settling, impacts, walls=True)
    return best


def main() -> None:
    """Measure all cases, and print the best of each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--balls", type=float, nargs="+", default=[1e3, 1e4, 1e5])
    parser.add_argument("--packing", type=float, nargs="+", default=[0.1, 0.3, 0.49])
    parser.add_argument("--edmd", type=Path, nargs="*", default=[], metavar="PROGRAM")
    add_csv_option(parser)
    options = parser.parse_args()
    rows = []
    for n in map(int, options.balls):
        for packing in options.packing:
            for (boundary, program), speed in measure(gas(n, packing), options.edmd).items():
                case = {"balls": n, "packing_fraction": packing, "boundary": boundary}
                value, version = f"{speed:.3f}", version_of(program)
                rows.append(Measurement(case, program, QUANTITY, value, version))
                print(f"{n:8} {packing:5} {boundary:8} {program:20} {value} million a second")
    if options.csv is not None:
        append(options.csv, rows)


if __name__ == "__main__":
    main()
