"""A trial in an occupied place is refused at once, and rightly."""

import numpy as np
import pytest

from spheresim.numerics.vector import TVector
from spheresim.scene.fill.occupancy import empty_occupancy, is_excluded, occupy, touches
from spheresim.scene.fill.room import make_room

ROOMS = [(4.0, 5.0, 6.0), (60.0, 1.0, 1.5), (1.0, 70.0, 2.0), (30.0, 30.0, 0.7)]


def occupied(size, radius, packing_fraction, seed):
    """An occupancy in which balls may overlap, and where they are."""
    random = np.random.default_rng(seed)
    low = TVector(random.normal(size=3) * 100)
    room = make_room(low, low + TVector(size), [])
    occupancy = empty_occupancy(room, radius, packing_fraction)
    position = np.array(low) + random.random((len(radius), 3)) * size
    for i, r in enumerate(radius):
        occupy(occupancy, i, TVector(position[i]), r)
    return occupancy, position, np.array(low) + random.random((400, 3)) * size


@pytest.mark.parametrize("size", ROOMS)
@pytest.mark.parametrize("smallest", [0.35, 0.05])
@pytest.mark.parametrize("packing_fraction", [0.1, 0.3])
def test_a_touch_is_one_and_excluded_is_only_where_there_is_one(size, smallest, packing_fraction):
    radius = np.random.default_rng(3).uniform(smallest, 0.35, 60)
    radius[0] = smallest
    occupancy, position, throws = occupied(size, radius, packing_fraction, seed=len(size))
    excluded_trials = 0
    for x in map(TVector, throws):
        distance = np.linalg.norm(position - np.array(x), axis=1)
        for r in (smallest, 0.35):
            assert touches(occupancy, position, radius, x, r) == (distance <= radius + r).any()
        excluded = bool(is_excluded(occupancy, x))
        excluded_trials += excluded
        assert not excluded or (distance <= radius + smallest).any()
    assert excluded_trials == 0 or packing_fraction > 0.15


def test_a_tight_occupancy_leaves_little_of_its_room_to_be_searched():
    radius = np.full(300, 0.35)
    occupancy, position, throws = occupied((4.0, 5.0, 6.0), radius, 0.4, seed=1)
    hits = [x for x in map(TVector, throws) if touches(occupancy, position, radius, x, 0.35)]
    assert np.mean([bool(is_excluded(occupancy, x)) for x in hits]) > 0.7
