"""The engine against a simulator that asks all pairs and all surfaces after every impact.

Chaos magnifies rounding tenfold or so with each impact of a ball, and whatever looks at
different times must part in the end. So worlds are small and runs end after some impacts.
"""

import numpy as np
import pytest
from brute_force import BruteForce
from worlds import set_up

from spheresim import Ball, Cylinder, Obstacle, Plane
from spheresim.collision.impacts import joined

_IMPACTS = 12
_STEPS = 100


def random_world(random):
    """A box, often with columns or inside a tube, and balls of all kinds that fit into it."""
    width = random.uniform(4.0, 12.0)

    def restitution():
        return random.uniform(0.6, 1.0) if random.random() < 0.3 else 1.0

    obstacles = []
    for axis in np.eye(3):
        obstacles += [Obstacle(Plane((0, 0, 0), axis), restitution())]
        obstacles += [Obstacle(Plane((width, width, width), -axis), restitution())]
    for _ in range(random.integers(0, 4)):
        pillar = Cylinder(random.uniform(0, width, 3), random.normal(size=3), random.uniform(0, 1))
        obstacles.append(Obstacle(pillar, restitution()))
    if random.random() < 0.3:
        # An inelastic ball would soon slide along it, and that has a rule of its own.
        axis = np.eye(3)[random.integers(3)]
        tube = Cylinder((width / 2,) * 3, axis, random.uniform(0.4, 0.6) * width)
        obstacles = [Obstacle(shape) for shape, *_ in obstacles] + [Obstacle(tube)]
    elastic = any(o.restitution < 1 for o in obstacles) or random.random() < 0.7

    balls = []
    smallest = random.choice([0.005, 0.1, 0.5])
    for _ in range(300):
        radius = random.uniform(smallest, 0.5)
        place = random.uniform(radius, width - radius, 3)
        ball = Ball(place, random.normal(size=3), radius, mass=10 ** random.uniform(-1, 1))
        apart = all((b.position - ball.position).mag() > b.radius + radius for b in balls)
        if apart and all(o.shape.clearance(ball.position) > radius for o in obstacles):
            balls.append(ball)
        if len(balls) == 20:
            break
    in_tube = isinstance(obstacles[-1].shape, Cylinder) and obstacles[-1].shape.radius > 1
    if not elastic and not in_tube:
        for ball in balls:
            ball.restitution = random.uniform(0.6, 1.0)
    speed = 10.0 ** random.uniform(-1, 3)
    for ball in balls:
        ball.velocity = ball.velocity * (speed * (100.0 if random.random() < 0.05 else 1.0))
    gravity = random.normal(size=3) * random.choice([0.0, 1.0, 10.0])
    if gravity.any():
        # Where gravity acts and energy is lost contact lasts, of which the simulator knows nothing.
        obstacles = [Obstacle(shape) for shape, *_ in obstacles]
        for ball in balls:
            ball.restitution = 1.0
    return balls, obstacles, gravity, float(10.0 ** random.uniform(-2.5, 0.0))


def told(batches):
    """Who hit what, in order, and when."""
    impacts = joined(batches)
    columns = (impacts.kind, impacts.i, impacts.other)
    return [tuple(map(int, event)) for event in zip(*columns, strict=True)], impacts.t


def agree(seed, slices):
    """How many impacts of a random world were found to agree; fails if one does not."""
    balls, obstacles, gravity, step = random_world(np.random.default_rng(seed))
    engine, _, state = set_up(balls, obstacles, gravity, step, slices)
    oracle = BruteForce(balls, obstacles, gravity, step, slices)
    batches = []
    for _ in range(_STEPS):
        if not oracle.step_once(_IMPACTS):
            break
        batches += engine.step_once()
        scale = np.abs(oracle.position).max() + step * np.abs(oracle.velocity).max()
        assert np.abs(state.position - oracle.position).max() < 1e-9 * scale
    else:
        assert len(told(batches)[0]) == len(oracle.events)
    # The last impacts may lie in a step with many more.
    while not batches or len(told(batches)[0]) < len(oracle.events):
        batches += engine.run(1e9, 1)
    ours, times = told(batches)
    assert ours == [event[1:] for event in oracle.events]
    assert times == pytest.approx([event.time for event in oracle.events], abs=1e-7 * step)
    return len(ours)


@pytest.mark.cases(2)
@pytest.mark.parametrize("slices", [0, 150])
@pytest.mark.parametrize("count", [10, pytest.param(60, marks=pytest.mark.compiled_only)])
def test_in_random_worlds_the_same_things_happen_at_the_same_times(count, slices):
    assert sum(agree(seed, slices) for seed in range(count)) >= 6 * count


@pytest.mark.study
@pytest.mark.parametrize("slices", [0, 150])
def test_in_a_thousand_more_random_worlds_the_same_things_happen(slices):
    assert sum(agree(seed, slices) for seed in range(1000, 2000)) > 6000
