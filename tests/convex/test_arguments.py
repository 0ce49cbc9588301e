"""What users have bodies, places and turns in: taken, or refused in one sentence."""

import time
from decimal import Decimal
from fractions import Fraction
from math import inf, nan

import numpy as np
import pytest
from one_sentence import told

from spheresim.convex import (
    Bodies,
    VoronoiRegions,
    axes,
    axis_intervals,
    bodies_overlap,
    bodies_overlap_batch,
    box,
    capsule,
    decompose,
    gjk,
    gjk_batch,
    gjk_steps,
    hull,
    interval,
    kdop,
    manifold,
    minkowski_difference,
    pixels_overlap,
    polygon,
    polyhedron,
    projections,
    ray_cast_batch,
    resolve,
    rotation_about,
    safe_step,
    sat,
    sat_batch,
    sphere,
    swept_sat,
    swept_sat_batch,
    time_of_impact,
    time_of_impact_batch,
)

CUBE, SQUARE = box((1, 1, 1)), box((1, 1))
ROW = [CUBE.at((3.0 * k, 0, 0)) for k in range(4)]
MANY = Bodies.of(ROW)
TURN = rotation_about((1, 2, 3), 0.7)


# --- One or many -------------------------------------------------------------------------

ONE_BY_ONE = {
    "bodies_overlap": bodies_overlap,
    "sat": sat,
    "gjk": gjk,
    "gjk_steps": gjk_steps,
    "minkowski_difference": minkowski_difference,
    "manifold": manifold,
    "resolve": resolve,
    "axes": axes,
    "projections": projections,
    "swept_sat": lambda a, b: swept_sat(a, b, (1, 0, 0)),
    "axis_intervals": lambda a, b: axis_intervals(a, b, (1, 0, 0)),
    "time_of_impact": lambda a, b: time_of_impact(a, b, (1, 0, 0), (0, 0, 0), until=1.0),
}
MANY_AT_ONCE = {
    "bodies_overlap": bodies_overlap_batch,
    "sat": lambda a, b: sat_batch(a, b).records,
    "gjk": lambda a, b: gjk_batch(a, b).records,
    "swept_sat": lambda a, b: swept_sat_batch(a, b, (1, 0, 0)).records,
    "time_of_impact": lambda a, b: (
        time_of_impact_batch(a, b, (1, 0, 0), (0, 0, 0), until=1.0).records
    ),
}


@pytest.mark.parametrize("question", ONE_BY_ONE)
def test_a_question_about_two_bodies_is_not_answered_of_the_first_of_many(question):
    ask = ONE_BY_ONE[question]
    told(lambda: ask(MANY, MANY), "expected one body, not 4: use the `_batch` function")
    told(lambda: ask(CUBE, MANY), "expected one body, not 4")
    told(lambda: ask(CUBE, [CUBE]), "expected a body")
    told(lambda: ask("cube", CUBE), "expected a body, not 'cube'")
    told(lambda: ask(CUBE, SQUARE), "in the plane, or both in space")


@pytest.mark.parametrize("question", MANY_AT_ONCE)
def test_many_may_be_given_in_whatever_holds_bodies(question):
    ask = MANY_AT_ONCE[question]
    others = [CUBE.at((3.0 * k, 0, 1.5)) for k in range(4)]
    expected = ask(MANY, Bodies.of(others)).tobytes()
    assert ask(ROW, others).tobytes() == expected
    assert ask(tuple(ROW), (body for body in others)).tobytes() == expected
    assert ask(np.array(ROW, dtype=object), dict(enumerate(others)).values()).tobytes() == expected
    assert ask([MANY[:2], MANY[2:]], others).tobytes() == expected


@pytest.mark.parametrize("question", MANY_AT_ONCE)
def test_one_body_stands_for_as_many_as_the_other_side_has(question):
    ask = MANY_AT_ONCE[question]
    assert ask(CUBE, MANY).tobytes() == ask([CUBE] * 4, MANY).tobytes()
    assert ask(MANY, CUBE).tobytes() == ask(MANY, [CUBE] * 4).tobytes()
    assert len(ask(CUBE, CUBE)) == 1
    assert len(ask([], [])) == 0
    assert len(ask(CUBE, [])) == 0


@pytest.mark.parametrize("question", MANY_AT_ONCE)
@pytest.mark.parametrize("wrong", [nan, inf, -inf])
def test_places_that_were_written_to_are_looked_at(question, wrong):
    broken = Bodies.of(ROW)
    broken.positions[2, 1] = wrong
    ask = MANY_AT_ONCE[question]
    told(lambda: ask(MANY, broken), "body 2: its place must be finite")
    told(lambda: ask(broken, MANY), "body 2: its place must be finite")
    turned = Bodies.of(ROW)
    turned.rotations[3, 0, 0] = wrong
    told(lambda: ask(MANY, turned), "body 3: its place must be finite")


@pytest.mark.parametrize("question", MANY_AT_ONCE)
def test_what_does_not_fit_together(question):
    ask = MANY_AT_ONCE[question]
    told(lambda: ask(ROW, ROW[:3]), "equally many bodies, not 4 and 3")
    told(lambda: ask(ROW, [*ROW[:3], "box"]), "Bodies are made of bodies, not 'box'")
    told(lambda: ask(ROW, 5), "expected bodies, not 5")
    told(lambda: ask(ROW, [SQUARE] * 4), "in the plane, or both in space")


def test_places_too_large_to_be_added_up_are_still_places():
    far = Bodies.of([CUBE, CUBE])
    far.positions[:, 0] = 1.5e308
    assert len(kdop(far, 6).low) == 2
    told(lambda: CUBE.at((1e200, 0, 0)), "a position must be no larger than")


@pytest.mark.parametrize("velocity", [(1e200, 0, 0), [0, -1e153, 0], np.array([0, 0, 1e300])])
def test_one_pair_and_many_refuse_the_same_velocities(velocity):
    words = "velocities must be no larger than"
    told(lambda: time_of_impact(CUBE, CUBE.at((3, 0, 0)), velocity), words)
    told(lambda: time_of_impact_batch(ROW, ROW, velocity), words)


def test_bodies_are_chosen_by_index():
    assert len(MANY[1]) == 1
    assert len(MANY[np.array([True, False, True, False])]) == 2
    assert gjk(MANY[0], MANY[1]).gap == 1.0
    assert [gjk(CUBE, each).gap for each in MANY][1] == 1.0
    told(lambda: MANY[9], "4 bodies have none of that index: 9")
    told(lambda: MANY["x"], "4 bodies have none of that index")
    told(lambda: MANY[0, 1], "one index each")
    assert repr(MANY) == "<4 bodies>"


# --- Velocities, starts, limits ----------------------------------------------------------


def test_one_velocity_is_for_all():
    others = [CUBE.at((3.0 * k + 5.0, 0, 0)) for k in range(4)]
    one = swept_sat_batch(ROW, others, (2, 0, 0), (1, 0, 0))
    each = swept_sat_batch(ROW, others, [(2, 0, 0)] * 4, [(1, 0, 0)] * 4)
    assert one.records.tobytes() == each.records.tobytes()
    assert one.enter.tolist() == [3.0] * 4
    for velocity in [np.array((2, 0, 0)), iter((2, 0, 0)), [(2, 0, 0)]]:
        assert swept_sat_batch(ROW, others, velocity).enter.tolist() == [1.5] * 4
    squares = [SQUARE.at((5, 0)), SQUARE.at((7, 0))]
    assert swept_sat_batch(SQUARE, squares, (1, 0)).enter.tolist() == [3.0, 5.0]
    one, each = (
        time_of_impact_batch(SQUARE, squares, v, (0, 0), spin, None, until=9.0)
        for v, spin in [((1, 0), 0.1), ([(1, 0)] * 2, [0.1] * 2)]
    )
    assert one.records.tobytes() == each.records.tobytes()
    assert safe_step(squares, [(1, 0), (-1, 0)], 0.0) == (0.0, (0, 1))
    assert safe_step(ROW, (1, 0, 0)).step == inf


def test_velocities_that_do_not_fit():
    four = "4 velocities are needed, or one for all, not 3"
    told(lambda: swept_sat_batch(ROW, ROW, [(1, 0, 0)] * 3), four)
    told(lambda: time_of_impact_batch(ROW, ROW, [(1, 0, 0)] * 3, (0, 0, 0)), four)
    told(lambda: safe_step(ROW, [(1, 0, 0)] * 3), four)
    told(lambda: swept_sat(CUBE, CUBE, (1, 0)), r"velocity_a needs 3 numbers, not \(1, 0\)")
    told(lambda: swept_sat(CUBE, CUBE, (1, nan, 0)), "velocities must be finite")
    told(lambda: swept_sat(CUBE, CUBE, "fast"), "velocity_a needs 3 numbers, not 'fast'")
    told(lambda: swept_sat(CUBE, CUBE, 5), "velocity_a needs 3 numbers, not 5")
    told(lambda: safe_step([SQUARE, SQUARE], (1, 0), [1, 2, 3]), "2 spins are needed")
    told(lambda: safe_step([SQUARE, SQUARE], (1, 0), "ab"), "a spin in the plane must be a number")


def test_a_start_is_the_last_answer_about_the_same():
    last = gjk_batch(ROW, ROW)
    told(lambda: gjk_batch(ROW[:3], ROW[:3], start=last), "a start of 4 answers does not fit 3")
    told(lambda: gjk(CUBE, CUBE, start=last), "a start of 4 answers does not fit 1")
    told(lambda: gjk(CUBE, CUBE, start=3), "a start is the last answer")
    assert gjk(CUBE, ROW[1], start=gjk(CUBE, ROW[2])).gap == 1.0
    regions = VoronoiRegions(CUBE)
    many = regions.nearest_batch([(3, 0, 0), (0, 3, 0)])
    told(lambda: regions.nearest_batch([(3, 0, 0)] * 3, start=many), "each of 3 points, not 2")
    told(lambda: regions.nearest((3, 0, 0), start=3), "a start is the last answer")
    told(lambda: VoronoiRegions(MANY), "Voronoi regions are of one body")


def test_a_distance_within_which_to_look_is_not_negative():
    told(lambda: manifold(CUBE, CUBE, within=-1), "within which to look must be at least 0")


@pytest.mark.parametrize("limit", [0, -1, 1.5, True, None])
def test_a_search_of_no_steps_is_refused(limit):
    told(lambda: gjk(CUBE, ROW[1], limit=limit), "a limit must be a whole number of at least 1")


# --- Points and places -------------------------------------------------------------------


def test_a_point_is_a_ball_of_radius_0():
    point = sphere(0, (3, 0, 0))
    assert gjk(CUBE, point).gap == 2.0
    assert swept_sat(CUBE, point, (1, 0, 0)).enter == 2.0
    assert not bodies_overlap(point, sphere(0, (3, 0, 1e-9)))
    assert bodies_overlap(point, point)
    assert sphere(0, (1, 2)).dimension == 2
    told(lambda: sphere(-1e-9), "a radius must be at least 0")


def test_points_in_whatever_holds_them():
    corners = [(0.0, 0.0), (2.0, 0.0), (0.0, 2.0)]
    forms = [
        corners,
        iter(corners),
        (corner for corner in corners),
        dict(enumerate(corners)).values(),
        np.array(corners, dtype=np.float32),
        [[Fraction(x), Decimal(y)] for x, y in corners],
        [np.array(corner) for corner in corners],
    ]
    for make in hull, polygon:
        for form in forms if make is hull else [*forms[:1], *forms[4:], iter(corners)]:
            listed = list(form) if not hasattr(form, "__len__") else form
            assert make(iter(listed)).dimension == 2
            assert len(make(listed).points) == 3
    assert polyhedron(iter(CUBE.points), iter(CUBE.faces)).faces == CUBE.faces
    assert polyhedron(CUBE.points, np.array(CUBE.faces)).faces == CUBE.faces
    assert CUBE.at(iter((1, 2, 3))).position.tolist() == [1, 2, 3]
    assert sphere(1, iter((1, 2))).position.tolist() == [1, 2, 0]
    assert box(iter((1, 2))).dimension == 2
    assert SQUARE.at((1, 2, 0)).position.tolist() == [1, 2, 0]


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: CUBE.at((1, 2)), r"a position needs 3 numbers, not \(1, 2\)"),
        (lambda: CUBE.at((1, 2, nan)), "a position must be finite"),
        (lambda: CUBE.at(np.ones((3, 1))), "a position needs 3 numbers"),
        (lambda: CUBE.at("abc"), "a position needs 3 numbers, not 'abc'"),
        (lambda: CUBE.at(5), "a position needs 3 numbers, not 5"),
        (lambda: CUBE.at(None), "a position needs 3 numbers, not None"),
        (lambda: CUBE.at((10**400, 0, 0)), "a position needs 3 numbers"),
        (lambda: SQUARE.at((1, 2, 3)), "z must be 0 in the plane"),
        (lambda: box(5), "expected half extents, not 5"),
        (lambda: box(("1", 1, 1)), "must be a number, not '1'"),
        (lambda: sphere(1, 5), "expected a position of numbers, not 5"),
        (lambda: sphere(1, (1, 2, 3, 4)), "a position needs 3 numbers, not"),
        (lambda: capsule(1, 2, 3), "expected a capsule's start of numbers, not 1"),
        (lambda: capsule((0, 0, 0), (1, 0), 3), "expected 3 numbers each"),
        (lambda: hull(None), "expected points, not None"),
        (lambda: hull([(0, 0), (1, 0, 0)]), "expected 2 numbers each"),
        (lambda: hull([("1", "2"), ("3", "4")]), "expected 2 numbers each"),
        (lambda: hull(np.ones((3, 2)) * 1j), "expected 2 numbers each"),
        (lambda: hull(np.ones((3, 4))), "expected 3 numbers each"),
        (lambda: hull([(0, 0, 0)] * 10_000 + [None]), "expected 3 numbers each"),
        (lambda: polyhedron(CUBE.points, 5), "expected faces, not 5"),
        (lambda: polyhedron(CUBE.points, [5]), "the corners of face 0"),
        (lambda: polyhedron(CUBE.points, [(0, 1, 2.5)]), "must be a list of indices of points"),
        (lambda: polyhedron(CUBE.points, "faces"), "must be a list of indices of points"),
        (lambda: interval(CUBE, (1, 0, 0, 0)), "an axis needs 3 numbers"),
        (lambda: interval(CUBE, (1, nan, 0)), "an axis must be finite"),
        (lambda: decompose(CUBE.points, [(0, 1), (0, 1, 2)]), "three indices each"),
        (lambda: pixels_overlap([[1, 0], [1]], [[1]]), "rows must be as long as each other"),
        (lambda: pixels_overlap([[1]], [[1]], (0, (1, 2))), "two whole numbers for each pair"),
        (lambda: Bodies.of([CUBE, 5]), "Bodies are made of bodies, not 5"),
        (lambda: Bodies.of(5), "Bodies are made of bodies, not 5"),
        (lambda: kdop([CUBE, SQUARE], 6), "do not mix"),
    ],
)
def test_what_cannot_be_taken_is_told_in_one_sentence(ask, sentence):
    told(ask, sentence)


# --- What it costs -----------------------------------------------------------------------


def _microseconds(ask, count):
    rounds = []
    for _ in range(7):
        start = time.process_time()
        for _ in range(count):
            ask()
        rounds.append((time.process_time() - start) / count * 1e6)
    return min(rounds)


@pytest.mark.compiled_only
def test_making_and_placing_bodies_costs_about_as_much_as_a_question():
    """Bounds several times of what was measured, and below what it once took."""
    assert _microseconds(lambda: CUBE.at((1, 2, 3)), 500) < 5.0
    assert _microseconds(lambda: CUBE.at((1, 2, 3), TURN), 500) < 12.0
    assert _microseconds(lambda: box((1, 2, 3)), 50) < 150.0
    assert _microseconds(lambda: sphere(1.5), 100) < 25.0
    balls = [sphere(1 + k) for k in range(300)]
    assert _microseconds(lambda: Bodies.of(balls), 3) / 300 < 4.0
    assert CUBE.at((1, 2, 3)).points is CUBE.points
    assert CUBE.at((1, 2, 3)).faces is CUBE.faces


def test_empty_lists_are_no_rows():
    assert ray_cast_batch(box((1, 1, 1)), [], []).distance.shape == (0,)
    assert ray_cast_batch(box((1, 1)), [], [(1, 0)]).point.shape == (0, 3)
    with pytest.raises(ValueError, match="a hull needs at least one point"):
        hull([])


@pytest.mark.parametrize("dimension", [2, 3])
def test_an_interval_needs_an_axis(dimension):
    with pytest.raises(ValueError, match="an axis must have a direction: the zero vector has none"):
        interval(box((1,) * dimension), (0,) * dimension)
