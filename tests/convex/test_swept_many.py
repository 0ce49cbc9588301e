"""Swept SAT of bodies with many faces, of which two axes are searched, against all axes."""

from math import inf

import numpy as np
import pytest
from point_clouds import KINDS, cloud, icosphere

from spheresim.convex import axis_intervals, hull, polygon, rotation_about, swept_sat


def moving_pairs(count, seed):
    """Towards each other or at random, whole numbers now and then; every other keeps its axes."""
    random = np.random.default_rng(seed)
    for k in range(count):
        dimension = 2 if k % 3 == 0 else 3
        a, b = (hull(cloud(random, kind, dimension)) for kind in random.choice(KINDS, 2))
        if not (a.geometry[1, 1] or b.geometry[1, 1]):
            continue
        angle, turn = random.uniform(0, np.pi), None
        if k % 2:
            turn = angle if dimension == 2 else rotation_about(random.normal(size=3), angle)
        far = np.round(1e6 * random.normal(size=dimension)) if k % 5 == 0 else np.zeros(dimension)
        there = random.integers(-4, 5, dimension) if k % 2 else 3 * random.normal(size=dimension)
        velocity = there + 0.4 * random.normal(size=dimension)
        if k % 7 == 0:
            velocity = random.integers(-2, 3, dimension).astype(float)
        yield a.at(far), b.at(far + there, turn), velocity


def check_against_all_axes(a, b, velocity):
    answer, every = swept_sat(a, b, velocity), axis_intervals(a, b, velocity)
    enter, leave = every.enter.max(), every.leave.min()
    scale = max([1.0, *(abs(time) for time in (enter, leave) if abs(time) < inf)])
    if answer.meets != (enter <= leave):
        assert abs(enter - leave) <= 1e-9 * scale  # a graze, to rounding
        return
    if answer.meets:
        assert answer.enter == pytest.approx(enter, abs=1e-12 * scale)
        assert answer.leave == pytest.approx(leave, abs=1e-12 * scale)
        if enter > -inf:
            along = every.axis @ answer.normal
            best = np.abs(along).argmax()
            assert abs(along[best]) == pytest.approx(1.0, abs=1e-9)
            assert answer.normal[: len(velocity)] @ velocity < 0.0
    if len(every.axis) > 48:
        assert answer.tested < 100


@pytest.mark.parametrize(
    ("count", "seed"),
    [
        (4, 1),
        pytest.param(40, 2, marks=[pytest.mark.compiled_only, pytest.mark.thorough]),
    ],
)
def test_enter_leave_and_axis_are_those_of_all_axes(count, seed):
    for a, b, velocity in moving_pairs(count, seed):
        check_against_all_axes(a, b, velocity)


@pytest.mark.compiled_only
def test_hundreds_of_points_ask_few_axes():
    """500 points took 2.2 s: every pair of edges was asked."""
    body = icosphere(3)
    answer = swept_sat(body, body.at((5, 0.3, 0.1)), (2, 0, 0))
    assert answer.tested < 100
    assert answer.enter == pytest.approx(0.5 * (5 - (4 - 0.1) ** 0.5), abs=0.02)
    assert answer.enter + answer.leave == pytest.approx(5.0, abs=0.02)


def ring(count):
    turn = np.arange(count) * 2 * np.pi / count
    return np.column_stack([np.cos(turn), np.sin(turn)])


APOTHEM = np.cos(np.pi / 60)


@pytest.mark.parametrize(
    ("position", "velocity", "times"),
    [
        ((4, 0), (1, 0), (2, 6)),  # corner to corner
        ((4, 0), (-1, 0), (-6, -2)),
        ((0, 0), (1, 0), (-2, 2)),
        ((4, 0), (0, 0), None),
        ((1, 0), (0, 0), (-inf, inf)),
        ((4, 2.5), (1, 0), None),
        ((4, 4), (1, 1), (4 - 2**0.5 * APOTHEM, 4 + 2**0.5 * APOTHEM)),  # side to side
    ],
)
@pytest.mark.parametrize("solid", [False, True])
def test_polygons_and_prisms_of_60_sides(position, velocity, times, solid):
    outline = ring(60)
    flat = np.column_stack([outline, np.ones(60)])
    body = hull(np.vstack([flat, flat * (1, 1, -1)])) if solid else polygon(outline)
    there, way = ((*position, 0.25), (*velocity, 0)) if solid else (position, velocity)
    answer = swept_sat(body, body.at(there), way)
    assert answer.meets == (times is not None)
    assert (answer.enter, answer.leave) == pytest.approx(times or (inf, -inf), abs=1e-12)
