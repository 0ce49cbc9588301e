"""The engine against a simulator that asks all pairs and all surfaces after every impact.

Chaos magnifies rounding tenfold or so with each impact of a ball, and whatever looks at
different times must part in the end. So worlds are small and runs end after some impacts.
"""

import numpy as np
import pytest
from brute_force import BruteForce
from random_worlds import random_world
from worlds import set_up

from spheresim.collision.impacts import joined

_IMPACTS = 12
_STEPS = 100


def told(batches):
    """Who hit what, in order, and when."""
    impacts = joined(batches)
    columns = (impacts.kind, impacts.i, impacts.other)
    return [tuple(map(int, event)) for event in zip(*columns, strict=True)], impacts.t


def agree(seed, slices):
    """How many impacts of a random world were found to agree; fails if one does not."""
    random = np.random.default_rng(seed)
    balls, obstacles, _ = random_world(random, ["walls"])
    gravity = random.normal(size=3) * random.choice([0.0, 1.0, 10.0])
    if min(one.restitution for one in (*balls, *obstacles)) < 1.0:
        gravity *= 0.0  # else contact would last, of which the simulator knows nothing
    fastest = max(np.linalg.norm(ball.velocity) for ball in balls)
    step = 10.0 ** random.uniform(-1.5, 1.0) / max(1.0, fastest)
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
@pytest.mark.parametrize(
    "seeds",
    [
        range(10),
        pytest.param(range(60), marks=pytest.mark.compiled_only),
        pytest.param(range(1000, 2000), marks=pytest.mark.study),
    ],
    ids=len,
)
def test_in_random_worlds_the_same_things_happen_at_the_same_times(seeds, slices):
    assert sum(agree(seed, slices) for seed in seeds) >= 6 * len(seeds)
