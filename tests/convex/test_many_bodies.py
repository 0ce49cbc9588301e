"""Bodies straight from arrays are those that are made one by one."""

import numpy as np
import pytest

from spheresim.convex import Bodies, box, hull, rotation_about, sphere


def poses(n):
    rng = np.random.default_rng(1)
    axes, angles = rng.normal(size=(n, 3)), rng.uniform(0, 6, n)
    turns = [rotation_about(*each) for each in zip(axes, angles, strict=True)]
    return rng.normal(size=(n, 3)), np.array(turns)


def same(a, b):
    return np.array_equal(a.geometry, b.geometry) and np.array_equal(a.poses, b.poses)


def test_spheres():
    places, _ = poses(5)
    radii = [1, 2, 3, 0.5, 0.1]
    alone = Bodies.of(sphere(*each) for each in zip(radii, places, strict=True))
    assert same(Bodies.spheres(places, radii), alone)
    assert same(Bodies.spheres(places, 2.0), Bodies.of(_moved(sphere(2.0), places)))


def _moved(body, places):
    return [body.at(place) for place in places]


def test_boxes():
    places, turns = poses(6)
    half = np.random.default_rng(2).uniform(0.1, 9, (6, 3))
    alone = Bodies.of(box(*each) for each in zip(half, places, turns, strict=True))
    assert same(Bodies.boxes(half, places, turns), alone)
    quaternion = (0, 0, 1, 1)
    alike = Bodies.of([box((1, 2, 3), place, quaternion) for place in places])
    together = Bodies.boxes((1, 2, 3), places, quaternion)
    assert np.array_equal(together.poses[:, 1:], alike.poses[:, 1:])


def test_copies():
    places, turns = poses(4)
    body = hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    alone = Bodies.of(body.at(*each) for each in zip(places, turns, strict=True))
    assert same(Bodies.copies(body, places, turns), alone)


def test_faults_in_one_sentence():
    with pytest.raises(ValueError, match="half: row 1 must be greater than 0"):
        Bodies.boxes([(1, 1, 1), (1, 0, 1)], (0, 0, 0))
    with pytest.raises(ValueError, match="equally many rows of each"):
        Bodies.spheres([(0, 0, 0)] * 3, [1, 2])
    with pytest.raises(ValueError, match="2 rotations are needed, or one for all, not"):
        Bodies.boxes((1, 1, 1), [(0, 0, 0)] * 2, np.ones((3, 4)))
    with pytest.raises(TypeError, match="copies are made of one body"):
        Bodies.copies("cube", [(0, 0, 0)])
