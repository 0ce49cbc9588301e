"""Queries from several threads, the first of which bring the world up to date after a change."""

import pickle
import sys
from collections.abc import Callable, Iterator
from copy import deepcopy
from threading import Barrier, Thread
from typing import Any

import numpy as np
import pytest

from spheresim import CollisionWorld, Cuboid, Mesh, Plane, Sphere
from spheresim.convex import box, sphere

THREADS = 4
POINTS = np.random.default_rng(5).uniform(1.0, 9.0, (6, 3))

ROOF = Mesh([(0, 0, 9), (9, 0, 9), (9, 9, 9), (0, 9, 9)], [(0, 1, 2), (0, 2, 3)])

QUERIES: dict[str, Callable[[CollisionWorld], Any]] = {
    "ray_cast": lambda w: [w.ray_cast(p, (1, 1, 2)) for p in POINTS],
    "ray_cast_batch": lambda w: w.ray_cast_batch(np.tile(POINTS, (40, 1)), (1, -1, 0.5)),
    "ray_cast_all": lambda w: w.ray_cast_all(POINTS[0], (1, 1, 2)),
    "ray_cast_all_batch": lambda w: w.ray_cast_all_batch(POINTS, (0, 1, 2)),
    "shape_cast": lambda w: [w.shape_cast(sphere(0.1), (1, 2, 2), position=p) for p in POINTS],
    "shape_cast_batch": lambda w: w.shape_cast_batch(sphere(0.1), (1, 2, 2), positions=POINTS),
    "overlap": lambda w: [w.overlap(sphere(1.0), p) for p in POINTS],
    "overlap_batch": lambda w: w.overlap_batch(box((1, 1, 1)), POINTS),
    "nearest": lambda w: [w.nearest(p) for p in POINTS],
    "nearest_batch": lambda w: w.nearest_batch(box((0.1, 0.1, 0.1)), POINTS),
    "k_nearest": lambda w: w.k_nearest(POINTS[0], 7),
    "all_within": lambda w: w.all_within(POINTS[1], 2.0),
    "furthest": lambda w: w.furthest(POINTS[2]),
    "inside": lambda w: [w.inside(p) for p in POINTS],
    "inside_batch": lambda w: w.inside_batch(POINTS),
}


def changed_world(seed: int) -> CollisionWorld:
    """A world that was asked, and then changed in many places."""
    random, world = np.random.default_rng(seed), CollisionWorld()
    world.add(Plane((0, 0, 0), (0, 0, 1)))
    world.add(ROOF)
    crates = world.add_many(Cuboid((0, 0, 0), (1, 1, 1)), random.uniform(0, 9, (30, 3)))
    world.nearest((0, 0, 0))
    balls = world.add_many(Sphere((0, 0, 0), 0.3), random.uniform(0, 9, (300, 3)))
    world.move(crates[:9], random.uniform(0, 9, (9, 3)))
    for handle in balls[:20].tolist():
        world.remove(handle)
    return world


def comparable(answer: Any) -> Any:
    """An answer as nested tuples and lists of numbers, each to the last bit."""
    if isinstance(answer, np.ndarray):
        return answer.tolist()
    if isinstance(answer, tuple | list):
        return [comparable(part) for part in answer]
    return answer


def answers_of_threads(ask: Callable[[], Any]) -> list[Any]:
    """What as many threads as possible at once get for an answer."""
    barrier, answers = Barrier(THREADS), [None] * THREADS

    def work(k: int) -> None:
        barrier.wait()
        try:
            answers[k] = comparable(ask())
        except Exception as failure:
            answers[k] = repr(failure)

    threads = [Thread(target=work, args=(k,)) for k in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


@pytest.fixture
def _quick_turns() -> Iterator[None]:
    """Threads take turns as often as possible, which is what a fault needs to show itself."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("_quick_turns")
@pytest.mark.parametrize("name", QUERIES)
def test_threads_get_the_answers_of_a_single_one_right_after_a_change(name: str) -> None:
    for seed in range(3):
        world = changed_world(seed)
        expected = comparable(QUERIES[name](changed_world(seed)))
        assert answers_of_threads(lambda: QUERIES[name](world)) == [expected] * THREADS  # noqa: B023
        assert comparable(QUERIES[name](world)) == expected  # the world is sound afterwards


@pytest.mark.usefixtures("_quick_turns")
def test_threads_may_ask_a_world_different_questions() -> None:
    world, alone = changed_world(7), changed_world(7)
    expected = [comparable(query(alone)) for query in QUERIES.values()]
    found = answers_of_threads(lambda: [query(world) for query in QUERIES.values()])
    assert found == [expected] * THREADS


@pytest.mark.parametrize("again", [deepcopy, lambda world: pickle.loads(pickle.dumps(world))])
def test_a_copy_answers_while_its_original_is_being_asked(again: Any) -> None:
    world = changed_world(3)
    copy, expected = again(world), comparable(QUERIES["nearest"](world))
    with world._lock:  # as a query in another thread would have it
        found = answers_of_threads(lambda: QUERIES["nearest"](copy))
    assert found == [expected] * THREADS
