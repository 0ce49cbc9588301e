"""What a call costs that goes on by one impact, beside an impact of a long run.

A gas between walls: `next_impact()` among 100,000 balls, `run(impacts=1)` among 1000, in both
engines; each without looking at the balls, with a look at one of them, and with a view of all
positions that is kept. Microseconds of wall time, the least of several rounds.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np

from benchmarks.measurements import Measurement, add_csv_option, append
from spheresim import Plane, Simulation, __version__
from spheresim.model.balls import Balls

ROUNDS = 200
CALLS = 20
LONG_RUN = 20_000


def gas(side: int, engine: str) -> Simulation:
    """side³ balls of radius 0.4 in a cube of that width, at random velocities."""
    places = np.stack(np.meshgrid(*[np.arange(side) + 0.5] * 3), axis=-1).reshape(-1, 3)
    n = len(places)
    velocity = np.random.default_rng(1).normal(size=(n, 3))
    balls = Balls(places, velocity, np.full(n, 0.4), np.ones(n), np.ones(n))
    walls = [Plane((0, 0, 0), axis) for axis in np.eye(3)]
    walls += [Plane((side, side, side), -axis) for axis in np.eye(3)]
    return Simulation(balls, walls, engine=engine, check=False)


def microseconds(call: Callable[[], object], calls: int = CALLS) -> float:
    """Of one call, in the best of several rounds."""
    best = np.inf
    for _ in range(ROUNDS):
        started = time.perf_counter()
        for _ in range(calls):
            call()
        best = min(best, (time.perf_counter() - started) / calls)
    return 1e6 * best


def measure(side: int, engine: str) -> list[Measurement]:
    """The costs of each kind of call."""
    simulation = gas(side, engine)
    simulation.compile()
    simulation.run(impacts=LONG_RUN)  # compiles, and the gas forgets its lattice
    costs = {
        "next_impact()": microseconds(simulation.next_impact),
        "run(impacts=1)": microseconds(lambda: simulation.run(impacts=1)),
        "next_impact() and one ball": microseconds(
            lambda: (simulation.next_impact(), simulation.balls[7].position)
        ),
    }
    view = simulation.position
    costs["next_impact() with a view kept"] = microseconds(simulation.next_impact, calls=1)
    del view
    started = time.perf_counter()
    simulation.run(impacts=LONG_RUN)
    costs["an impact of a long run"] = 1e6 * (time.perf_counter() - started) / LONG_RUN
    case = {"engine": engine, "balls": side**3}
    return [
        Measurement(
            {**case, "call": call}, "spheresim", "microseconds", round(cost, 2), __version__
        )
        for call, cost in costs.items()
    ]


def main() -> None:
    """Measure, and print a line each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add_csv_option(parser)
    path = parser.parse_args().csv
    for engine in ("events", "steps"):
        for side in (10, 46):  # 1000 and 97,336 balls
            measured = measure(side, engine)
            for row in measured:
                print(f"{engine:<7} {side**3:>7} {row.case['call']:<32} {row.value:>9}", flush=True)
            if path is not None:
                append(path, measured)


if __name__ == "__main__":
    main()
