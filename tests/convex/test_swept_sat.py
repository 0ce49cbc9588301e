"""Swept SAT against exact rational clipping, its rules, and spheres against the quadratic."""

from fractions import Fraction
from math import inf

import numpy as np
import pytest
from convex_pairs import random_body

from spheresim.collision.toi import analytic_toi
from spheresim.convex import (
    Bodies,
    box,
    capsule,
    gjk,
    hull,
    polygon,
    sphere,
    swept_sat,
    swept_sat_batch,
)
from spheresim.model.balls import Ball


def cross(o, a, b):
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])


def half_hull(points):
    chain = []
    for point in points:
        while len(chain) > 1 and cross(chain[-2], chain[-1], point) <= 0:
            chain.pop()
        chain.append(point)
    return chain


def integer_hull(points):
    """Andrew's monotone chain in whole numbers."""
    ordered = sorted(set(points))
    return half_hull(ordered)[:-1] + half_hull(ordered[::-1])[:-1]


def clipped(a, b, velocity):
    """From when to when t · velocity is inside the hull of all b − a; None if never."""
    outline = integer_hull([(q[0] - p[0], q[1] - p[1]) for p in a for q in b])
    enter, leave = -inf, inf
    for p, q in zip(outline, outline[1:] + outline[:1], strict=True):
        normal = (q[1] - p[1], p[0] - q[0])
        speed = normal[0] * velocity[0] + normal[1] * velocity[1]
        height = normal[0] * p[0] + normal[1] * p[1]
        if speed == 0 and height < 0:
            return None
        if speed > 0:
            leave = min(leave, Fraction(height, speed))
        if speed < 0:
            enter = max(enter, Fraction(height, speed))
    return (enter, leave) if enter <= leave else None


def integer_polygon(random):
    while True:
        points = random.integers(-6, 7, size=(random.integers(3, 9), 2)).tolist()
        outline = integer_hull([tuple(point) for point in points])
        if len(outline) > 2:
            return outline


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    "count",
    [pytest.param(150, id="few"), pytest.param(2500, marks=pytest.mark.compiled_only, id="many")],
)
def test_it_is_exact_rational_clipping_rounded_once(count):
    random = np.random.default_rng(6)
    outcomes = {"meets": 0, "never": 0, "always": 0}
    for _ in range(count):
        a, b = integer_polygon(random), integer_polygon(random)
        place, velocity = random.integers(-9, 10, 2).tolist(), random.integers(-2, 3, 2).tolist()
        moved = [(x + place[0], y + place[1]) for x, y in b]
        expected = clipped(a, moved, velocity)
        answer = swept_sat(polygon(a), polygon(b, position=place), velocity)
        assert answer.meets == (expected is not None)
        if expected is None:
            outcomes["never"] += 1
        else:
            assert (answer.enter, answer.leave) == tuple(map(float, expected))
            outcomes["meets" if answer.enter > -inf else "always"] += 1
    assert min(outcomes.values()) > 0


@pytest.mark.compiled_only
@pytest.mark.parametrize("dimension", [2, 3])
def test_just_before_they_are_apart_and_in_the_middle_they_overlap(dimension):
    random = np.random.default_rng(7)
    met = 0
    for _ in range(120):
        a, b = (random_body(random, dimension, kind) for kind in ("solid", "grid"))
        if a.radius or b.radius:
            continue
        v_a, v_b = random.normal(size=(2, dimension))
        answer = swept_sat(a, b, v_a, v_b)

        def gap(time, a=a, b=b, v_a=v_a, v_b=v_b):
            n = dimension
            return gjk(a.at(a.position[:n] + v_a * time), b.at(b.position[:n] + v_b * time)).gap

        if not answer.meets:
            assert min(gap(time) for time in np.linspace(-5, 5, 40)) > 0.0
            continue
        met += 1
        assert gap(answer.enter - 1e-3) > 0.0 < gap(answer.leave + 1e-3)
        assert gap(0.5 * (answer.enter + answer.leave)) < 0.0
        for body, v in ((a, v_a), (b, v_b)):
            there = body.at(body.position[:dimension] + v * answer.enter)
            assert gjk(there, hull([answer.contact[:dimension]])).gap == pytest.approx(0, abs=1e-9)
    assert met > 10


SQUARE = box((1, 1))


@pytest.mark.parametrize(
    ("position", "velocity", "times"),
    [
        ((3, 0), (1, 0), (1, 5)),
        ((3, 0), (-1, 0), (-5, -1)),  # met in the past
        ((1, 0), (1, 0), (-1, 3)),  # overlapping now
        ((3, 0), (0, 0), None),  # apart and at relative rest
        ((1, 0), (0, 0), (-inf, inf)),  # overlapping and at relative rest
        ((2, 0), (0, 0), (-inf, inf)),  # touching and at relative rest
        ((3, 2), (1, 0), (1, 5)),  # slides along: zero speed on an axis on which they touch
        ((3, 2.5), (1, 0), None),  # zero speed on an axis that separates
        ((3, 3), (1, 1), (0.5 * 2, 5)),
        ((4, 2), (1, 0.0), (2, 6)),
        ((4, 0), (1, 1), (2, 2)),  # corner to corner, for an instant
        ((4, 0), (1, 1.5), None),
    ],
)
def test_zero_speed_and_normals_that_point_away(position, velocity, times):
    answer = swept_sat(SQUARE, SQUARE.at(position), velocity)
    assert answer.meets == (times is not None)
    assert (answer.enter, answer.leave) == (times or (inf, -inf))


def test_two_balls_are_the_quadratic_of_the_engine():
    random = np.random.default_rng(8)
    for _ in range(100):
        x, v = random.normal(size=(2, 3)) * 3, random.normal(size=(2, 3))
        answer = swept_sat(sphere(0.5, x[0]), sphere(0.8, x[1]), *v)
        toi = analytic_toi(Ball(x[0], v[0], 0.5), Ball(x[1], v[1], 0.8))
        if answer.meets and answer.enter >= 0:
            assert answer.enter == pytest.approx(toi, rel=1e-12)
            assert np.linalg.norm(answer.contact - x[0] - v[0] * answer.enter) == pytest.approx(0.5)
        elif not answer.meets or answer.leave < 0:
            assert toi == inf


def test_balls_at_relative_rest_and_after_the_meeting():
    ball = sphere(1.0)
    assert swept_sat(ball, ball.at((1, 0, 0)), (0, 0, 0)).enter == -inf
    assert not swept_sat(ball, ball.at((3, 0, 0)), (0, 0, 0)).meets
    assert not swept_sat(ball, ball.at((3, 3, 0)), (1, 0, 0)).meets
    past = swept_sat(ball, ball.at((-3, 0, 0)), (1, 0, 0))
    assert (past.enter, past.leave) == (-5, -1)


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: swept_sat(SQUARE, sphere(1, (3, 0)), (1, 0)), "use time_of_impact"),
        (
            lambda: swept_sat(capsule((0, 0), (1, 0), 1), sphere(1, (3, 0)), (1, 0)),
            "time_of_impact",
        ),
        (lambda: swept_sat(hull([(0, 0)]), hull([(1, 0), (2, 0)]), (1, 0)), "has an inside"),
        (lambda: swept_sat(SQUARE, SQUARE, (1, float("nan"))), "velocities must be finite"),
        (
            lambda: swept_sat_batch(Bodies.of([SQUARE]), Bodies.of([SQUARE]), [(1, 0)] * 2),
            "1 velocities are needed",
        ),
    ],
)
def test_what_it_cannot_answer(ask, sentence):
    with pytest.raises(ValueError, match=sentence):
        ask()
