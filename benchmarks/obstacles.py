"""Microseconds an impact among few and among many obstacles, and what setting them up takes.

`python -m benchmarks.obstacles [--impacts N] [--engine NAME …] [--csv FILE]`. Elastic balls fly
about in a room of six planes under gravity: empty; among pegs and among boxes, ten and a thousand
of them, equally far from each other in a room as much larger; and above a floor of 100,352
triangles, as balls of a triangle's size and as balls that cover hundreds of them. Among a thousand
fewer impacts are on walls, and from one to the next it is twice as far. Times are CPU times.
"""

import argparse
import time
from typing import Any, NamedTuple

import numpy as np

from benchmarks.measurements import Measurement, add_csv_option, append

PITCH = 2.0
"""From one obstacle to the next; balls have a radius of 0.1, pegs too."""
RADIUS = 0.1
BALLS = 64
GRAVITY = (0.0, -1.0, 0.0)
SPEED = 3.0
STEP = 0.01
GRID = 224
"""Squares along each side of the floor, of two triangles each."""


class Place(NamedTuple):
    """Obstacles, and a room from (0, 0, 0) to a corner in which balls of a radius start."""

    obstacles: list[Any]
    high: np.ndarray
    radius: float = RADIUS


def room(low: np.ndarray, high: np.ndarray) -> list[Any]:
    """Six planes around a box."""
    from spheresim import Plane

    return [Plane(low, n) for n in np.eye(3)] + [Plane(high, -n) for n in np.eye(3)]


def middles(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Places on a cubic grid, (n, 3), and the corner opposite to (0, 0, 0) of a room for them."""
    across = np.array({0: (3, 2, 2), 10: (5, 2, 1), 1000: (10, 10, 10)}[count])
    cells = np.indices(across).reshape(3, -1).T[:count]
    return (cells + 0.5) * PITCH, across * PITCH


def empty() -> Place:
    """The room alone."""
    _, high = middles(0)
    return Place(room(np.zeros(3), high), high)


def pegs(count: int) -> Place:
    """Rods with round ends."""
    from spheresim import Capsule

    places, high = middles(count)
    along = np.array([0.0, 0.0, 0.35 * PITCH])
    rods = [Capsule(x - along, x + along, RADIUS) for x in places]
    return Place(rods + room(np.zeros(3), high), high)


def boxes(count: int) -> Place:
    """Cuboids, each turned in another way."""
    from spheresim import Cuboid

    places, high = middles(count)
    axes = np.random.default_rng(1).normal(size=(count, 4))
    turned = [
        Cuboid(x, (0.8, 0.6, 0.4), (tuple(a[:3]), 90.0 * a[3]))
        for x, a in zip(places, axes, strict=True)
    ]
    return Place(turned + room(np.zeros(3), high), high)


def mesh(radius: float = RADIUS) -> Place:
    """A floor of hills below a room."""
    from spheresim import Mesh

    _, high = middles(0)
    across = np.linspace(0.0, 1.0, GRID + 1)
    u, w = np.meshgrid(across, across, indexing="ij")
    hills = 0.3 * np.sin(9.0 * u) * np.cos(7.0 * w) - 0.4
    vertices = np.stack([u * high[0], hills, w * high[2]], axis=-1).reshape(-1, 3)
    row, column = np.indices((GRID, GRID))
    a = (row * (GRID + 1) + column).reshape(-1)
    b, c, d = a + 1, a + GRID + 1, a + GRID + 2
    triangles = np.concatenate([np.stack([a, b, d], axis=1), np.stack([a, d, c], axis=1)])
    return Place([Mesh(vertices, triangles), *room(np.array([0, -1, 0]), high)], high, radius)


CASES = {
    "empty room": empty,
    "10 pegs": lambda: pegs(10),
    "1000 pegs": lambda: pegs(1000),
    "10 boxes": lambda: boxes(10),
    "1000 boxes": lambda: boxes(1000),
    "100,352 triangles": lambda: mesh(0.02),
    "100,352, large balls": mesh,
}


def balls(place: Place) -> list[Any]:
    """Balls between what stands in the room, flying in all directions."""
    from spheresim import Ball

    random = np.random.default_rng(7)
    across = np.round(place.high / PITCH).astype(int) * 2
    cells = random.permutation(np.indices(across).reshape(3, -1).T)
    ways = random.normal(size=(BALLS, 3))
    ways *= SPEED / np.linalg.norm(ways, axis=1)[:, None]
    places = (cells + 0.5) * 0.5 * PITCH
    return [Ball(x, v, place.radius) for x, v in zip(places, ways, strict=False)]


def measure(case: str, engine: str, impacts: int) -> dict[str, float]:
    """Seconds until the simulation stands, then microseconds an impact."""
    from spheresim import Simulation

    start = time.process_time()
    place = CASES[case]()
    simulation = Simulation(balls(place), place.obstacles, GRAVITY, STEP, engine)
    ready = time.process_time() - start
    simulation.compile()
    simulation.log_impacts(False)
    simulation.run(impacts=impacts // 10)
    start = time.process_time()
    simulation.run(impacts=impacts)
    spent = time.process_time() - start
    return {"seconds_to_set_up": ready, "microseconds_per_impact": 1e6 * spent / impacts}


def main() -> None:
    """Measure, and print a line each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--impacts", type=int, default=20_000)
    parser.add_argument("--engine", nargs="+", default=["events", "steps"])
    parser.add_argument("--case", nargs="+", default=list(CASES), choices=list(CASES))
    add_csv_option(parser)
    options = parser.parse_args()
    rows = []
    for engine in options.engine:
        measure("10 pegs", engine, 100)  # what is loaded once is no part of setting up
        for case in options.case:
            figures = measure(case, engine, options.impacts)
            what = {"obstacles": case, "engine": engine}
            rows += [
                Measurement(what, "spheresim", name, f"{v:.3g}", "") for name, v in figures.items()
            ]
            told = ", ".join(f"{name} {v:.3g}" for name, v in figures.items())
            print(f"{engine:6} {case:18} {told}", flush=True)
    if options.csv is not None:
        append(options.csv, rows)


if __name__ == "__main__":
    main()
