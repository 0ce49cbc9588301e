"""Prints what kernels answer to random questions: a script to run with and without a compiler."""

import numpy as np

from spheresim.collision.sliced_toi import pair_sliced_toi
from spheresim.collision.toi import pair_toi
from spheresim.engines.time_stepping.engine import Stepping
from spheresim.model.balls import Ball
from spheresim.model.obstacle import Obstacle
from spheresim.model.state import build
from spheresim.numerics.vector import TVector
from spheresim.obstacles.cylinder import Cylinder
from spheresim.obstacles.plane import Plane


def print_times_of_impact(count: int) -> None:
    random = np.random.default_rng(1)
    for _ in range(count):
        a = TVector(random.uniform(-3, 3, 3))
        towards = TVector(random.normal(size=3) * 0.5) - a
        size = random.uniform(0.1, 1.0)
        resting = TVector(0, 0, 0)
        print(pair_toi(a, towards, size, resting, resting, 0.3))
        for refine in False, True:
            print(pair_sliced_toi(a, towards, size + 0.3, 1.0, 40, refine))


def print_a_run(steps: int) -> None:
    """Balls of all sizes in a room with a slanting wall, a pillar and a tube, under gravity."""
    room = [
        Plane((0, -4, 0), (0, 1, 0)),
        Plane((0, 4, 0), (0, -2, 0)),
        Plane((5, 0, 0), (-1, 1, 0)),
    ]
    room += [Cylinder((0, 0, 0), (0, 1, 0), 0.5), Cylinder((0, 0, 0), (0.1, 1, 0), 6)]
    poses = [(x, y, z) for x in (-3, 0, 2) for y in (-2.5, 0, 2) for z in (-3, 3)]
    random = np.random.default_rng(2)
    balls = [
        Ball(place, random.normal(size=3) * 9, random.uniform(0.2, 0.8), restitution=0.9)
        for place in poses
    ]
    for slices in 0, 20:
        world, state = build(balls, [Obstacle(shape) for shape in room], TVector(0, -9.81, 0))
        engine = Stepping(world, state, 0.05, slices)
        state = engine.state.shown()
        for _ in range(steps):
            for impacts in engine.step_once():
                print(*(field.tolist() for field in impacts))
            print(state.position.tolist(), state.velocity.tolist())
        print(engine.tally)


if __name__ == "__main__":
    print_times_of_impact(500)
    print_a_run(steps=20)
