"""Conservative advancement: never late, within tolerance, against dense sampling."""

from math import inf

import numpy as np
import pytest
from convex_pairs import CLOUDS, random_body

from spheresim.convex import (
    Bodies,
    box,
    gjk_batch,
    rotation_about,
    safe_step,
    sphere,
    time_of_impact,
    time_of_impact_batch,
)

TOLERANCE = 1e-6


def course(body, velocity, spin, times):
    """The body at many times, as bodies of their own."""
    bodies = Bodies(body.geometry, np.repeat(body.poses, len(times), axis=0))
    axis = np.array([0, 0, spin]) if np.ndim(spin) == 0 else spin
    speed = np.linalg.norm(axis)
    bodies.positions[:, : len(velocity)] += np.multiply.outer(times, velocity)
    if speed:
        turns = [rotation_about(axis, speed * time) for time in times]
        bodies.rotations[:] = turns @ body.rotation
    return bodies


def gaps(a, b, motion_a, motion_b, times):
    return gjk_batch(course(a, *motion_a, times), course(b, *motion_b, times)).gap


def moving_pairs(count, dimension, seed):
    random = np.random.default_rng(seed)
    families = [*CLOUDS, "box"]
    for k in range(count):
        a = random_body(random, dimension, families[k % 7])
        b = random_body(random, dimension, families[random.integers(7)])
        towards = (b.position - a.position)[:dimension]
        spins = random.normal(size=2 if dimension == 2 else (2, 3)) * 3
        yield (
            a,
            b,
            (towards + random.normal(size=dimension), spins[0]),
            (
                random.normal(size=dimension) * 0.2,
                spins[1],
            ),
        )


@pytest.mark.parametrize(
    ("count", "samples"),
    [
        (10, 20),
        pytest.param(120, 600, marks=[pytest.mark.compiled_only, pytest.mark.thorough]),
    ],
)
@pytest.mark.parametrize("dimension", [2, 3])
def test_never_late_and_within_tolerance(dimension, count, samples):
    times = np.linspace(0.0, 1.5, samples)
    found = {"impact": 0, "none": 0}
    for a, b, motion_a, motion_b in moving_pairs(count, dimension, 11):
        answer = time_of_impact(
            a, b, motion_a[0], motion_b[0], motion_a[1], motion_b[1], 1.5, TOLERANCE
        )
        assert answer.finished
        sampled = gaps(a, b, motion_a, motion_b, times)
        assert (sampled[times < answer.toi] > 0.0).all()
        if answer.toi < inf:
            at_toi = gaps(a, b, motion_a, motion_b, [answer.toi])[0]
            assert at_toi <= TOLERANCE
            assert at_toi > 0.0 or answer.toi == 0.0
        found["impact" if answer.toi < inf else "none"] += 1
    assert min(found.values()) > 0


def test_a_translation_alone_is_found_to_the_tolerance():
    a, b = box((1, 1, 1)), box((1, 1, 1), (5, 0, 0))
    answer = time_of_impact(a, b, (2, 0, 0), (-1, 0, 0), until=2, tolerance=1e-9)
    assert 1.0 - 1e-9 <= answer.toi <= 1.0
    assert answer.normal.tolist() == [-1, 0, 0]


def test_a_bullet_does_not_pass_through_paper():
    bullet, paper = sphere(0.01, (-50, 0.3, 0.2)), box((0.001, 5, 5))
    assert time_of_impact(bullet, paper, (1e6, 0, 0), (0, 0, 0)).toi == pytest.approx(49.989e-6)


def test_a_turning_stick_hits_what_a_resting_one_would_not():
    stick, ball = box((2, 0.1)), sphere(0.5, (0, 1.8))
    assert time_of_impact(stick, ball, (0, 0), (0, 0), until=10).toi == inf
    answer = time_of_impact(stick, ball, (0, 0), (0, 0), spin_a=1.0, until=10)
    assert 1.0 < answer.toi < np.pi / 2
    assert 0.0 < answer.gap <= 1e-6


@pytest.mark.parametrize(
    ("position", "velocity", "toi"),
    [
        ((2, 0, 0), (1, 0, 0), 0.0),  # touching and approaching
        ((2, 0, 0), (-1, 0, 0), inf),  # touching and separating
        ((1, 0, 0), (1, 0, 0), 0.0),  # overlapping
        ((9, 0, 0), (1, 0, 0), inf),  # later than asked, which is until 1
        ((3, 0, 0), (0, 0, 0), inf),
    ],
)
def test_two_balls_at_the_edges_of_the_rules(position, velocity, toi):
    ball = sphere(1.0)
    assert time_of_impact(ball, ball.at(position), velocity, until=1.0).toi == toi


def test_nothing_meets_within_the_worlds_largest_safe_step():
    random = np.random.default_rng(13)
    world = Bodies.of([box((0.4, 0.3, 0.2), 4 * random.normal(size=3)) for _ in range(12)])
    velocities, spins = random.normal(size=(2, 12, 3))
    answer = safe_step(world, velocities, spins)
    i, j = np.triu_indices(12, 1)
    assert answer.step > 0.0
    every = time_of_impact_batch(
        world[i], world[j], velocities[i], velocities[j], spins[i], spins[j], 1e3, 1e-9
    )
    assert answer.step <= every.toi.min()
    assert answer.pair in list(zip(i.tolist(), j.tolist(), strict=True))


def test_the_safe_step_of_those_that_overlap_part_or_are_alone():
    ball = sphere(1.0)
    assert safe_step(Bodies.of([ball, ball.at((1, 0, 0))]), np.zeros((2, 3))).step == 0.0
    assert safe_step(Bodies.of([ball, ball.at((3, 0, 0))]), [(-1, 0, 0), (0, 0, 0)]) == (inf, None)
    assert safe_step(Bodies.of([ball]), [(1, 0, 0)]) == (inf, None)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"tolerance": 0}, "tolerance must be greater than 0"),
        ({"until": -1}, "until which to look must be greater than 0"),
        ({"spin_a": float("nan")}, "spin in the plane must be finite"),
    ],
)
def test_faults(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        time_of_impact(box((1, 1)), box((1, 1), (5, 0)), (1, 0), (0, 0), **options)
