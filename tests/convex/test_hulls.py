"""Hulls of ordinary data: none hangs, none is wrong, none is refused."""

import subprocess
import sys
import time

import numpy as np
import pytest
from hull_kinds import GRID, KINDS, expected_content, judge
from one_sentence import told

from spheresim.convex import (
    box,
    capsule,
    gjk,
    hull,
    minkowski_difference,
    polygon,
    polyhedron,
    rotation_about,
    sat,
)

SLACK = 4.0
"""In tolerances: of several passes each may leave out a little."""


def check(kind, seed):
    given = KINDS[kind](np.random.default_rng(seed))
    body = hull(given.points)
    worst, content = judge(body, given.points)
    assert worst <= SLACK, (kind, seed, worst)
    width = np.ptp(given.own, axis=0)
    if (width == 0.0).any():
        assert len(body.points) == 2, (kind, seed)
        return
    assert body.geometry[1, 1] == 1.0, (kind, seed, "flat")
    ratio = float(content / expected_content(given))
    assert abs(ratio - 1.0) <= given.uncertainty, (kind, seed, ratio)


@pytest.mark.parametrize("count", [12, pytest.param(1000, marks=pytest.mark.study)])
@pytest.mark.parametrize("kind", KINDS)
def test_hulls_of_twelve_kinds(kind, count):
    for seed in range(count):
        check(kind, seed)


@pytest.mark.parametrize(("angle", "place"), [(0.13, 3e4), (0.22, 1e8), (0.22, 1e12)])
def test_a_turned_cube_far_away_has_six_faces(angle, place):
    cube = hull(GRID @ rotation_about((1, 2, 3), angle).T + place)
    assert (len(cube.points), len(cube.edges), len(cube.faces)) == (8, 12, 6)


def test_a_subdivided_box_has_eight_corners_wherever_it_is():
    steps = np.linspace(0, 1, 5)
    grid = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), -1).reshape(-1, 3)
    for k, noise in enumerate([0.0, 1e-16, 1e-15, 1e-14, 1e-13]):
        random = np.random.default_rng(k)
        points = grid @ rotation_about(random.normal(size=3), 1.0).T
        body = hull(points + random.uniform(-noise, noise, points.shape))
        assert (len(body.points), len(body.edges), len(body.faces)) == (8, 12, 6)


@pytest.mark.parametrize("noise", 10.0 ** np.arange(-14.0, -9.0, 0.25))
def test_noise_about_as_large_as_the_tolerance_still_makes_a_hull(noise):
    for seed in range(4):
        random = np.random.default_rng(seed)
        points = GRID @ rotation_about(random.normal(size=3), 1.0).T
        points = points + random.normal(size=points.shape) * noise
        worst, content = judge(hull(points), points)
        assert worst <= SLACK
        assert float(content) == pytest.approx(8.0, abs=100 * noise + 1e-9)


def test_of_many_points_it_takes_a_moment():
    random = np.random.default_rng(3)
    points = random.normal(size=(2000, 3))
    points /= np.linalg.norm(points, axis=1)[:, np.newaxis]
    hull(points[:10])
    start = time.process_time()
    body = hull(points)
    assert time.process_time() - start < 2.0
    assert (len(body.points), len(body.faces)) == (2000, 3996)


@pytest.mark.parametrize("scale", [1e-150, 1e-100, 1.0, 1e100, 1e150])
@pytest.mark.parametrize("place", [0.0, 40.0])
def test_flat_ones_are_flat_at_any_scale_and_place(scale, place):
    random = np.random.default_rng(8)
    turn = rotation_about((3, 1, 2), 0.7) * scale
    square = np.vstack([[(1, 1), (-1, 1), (-1, -1), (1, -1)], random.uniform(-1, 1, (20, 2))])
    for count, own in {
        1: np.zeros((5, 3)),
        2: np.outer([0.3, -1, 0.5, 1, 1], (1, 2, 3)),
        4: np.column_stack([square, np.zeros(24)]),
    }.items():
        body = hull((own + place) @ turn.T)
        assert len(body.points) == count
        assert len(body.faces) == (count == 4)
        assert body.geometry[1, 1] == 0.0
        assert np.isfinite(body.geometry).all()
    flat = hull((square + place) * scale)
    assert len(flat.points) == 4
    assert flat.geometry[1, 1] == 1.0


@pytest.mark.parametrize("place", [0.0, 100.0])
def test_a_hull_of_single_precision_is_as_plain_as_one_of_double(place):
    for seed in range(20):
        turn = rotation_about(np.random.default_rng(seed).normal(size=3), 1.0)
        cube = hull((GRID @ turn.T + place).astype(np.float32))
        assert (len(cube.points), len(cube.faces)) == (8, 6)


@pytest.mark.parametrize(
    "make",
    [
        lambda scale: box((scale, scale, scale)),
        lambda scale: hull(GRID * scale),
        lambda scale: hull(GRID[:, :2] * scale),
        lambda scale: polygon([(0, 0), (scale, 0), (0, scale)]),
        lambda scale: polyhedron(box((1, 1, 1)).points * scale, box((1, 1, 1)).faces),
        lambda scale: capsule((0, 0, 0), (scale, 0, 0), 1.0),
    ],
)
@pytest.mark.parametrize("scale", [1e160, 1e300, 1.7e308])
def test_sizes_of_which_no_squares_can_be_made_are_refused(make, scale):
    told(lambda: make(scale), r"no larger than 1e\+152")
    for taken in 1e150, 1e-150, 1e-300:
        assert np.isfinite(make(taken).geometry).all()
        assert len(make(taken).points) == len(make(1.0).points)


def test_what_is_thinner_than_1e_12_of_its_size_is_flat_and_no_more():
    for thickness, faces in [(2e-12, 6), (5e-13, 1)]:
        assert len(hull(GRID * (1, 1, thickness)).faces) == faces
        assert len(hull(GRID * (1, 1, thickness) * 1e100).faces) == faces


def test_points_on_a_line_in_the_plane_keep_their_ends():
    random = np.random.default_rng(4)
    for _ in range(300):
        along = random.uniform(-1, 1, random.integers(2, 9))
        points = np.outer(along, random.normal(size=2)) + random.normal(size=2) * 1e4
        body = hull(points)
        ends = points[[along.argmin(), along.argmax()]]
        assert sorted(map(tuple, body.points[:, :2])) == sorted(map(tuple, ends))


def _prism(count, top, turn, place):
    angle = np.arange(count) * (2.0 * np.pi / count)
    rim = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(count)])
    points = np.vstack([rim, rim * top + (0, 0, 1)]) if top else np.vstack([rim, [(0, 0, 1)]])
    after = np.roll(np.arange(count), -1).tolist()
    walls = [
        (i, after[i], count + after[i], count + i) if top else (i, after[i], count)
        for i in range(count)
    ]
    caps = [tuple(range(count))] + ([tuple(range(count, 2 * count))] if top else [])
    return points @ turn.T + place, walls + caps


@pytest.mark.parametrize("place", [0.0, 1e3, 1e6])
@pytest.mark.parametrize("top", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("count", [3, 4, 17, 100])
def test_polyhedra_may_be_turned_and_moved(count, top, place):
    for seed in range(4):
        turn = rotation_about(np.random.default_rng(seed).normal(size=3), 1.0 + seed)
        points, faces = _prism(count, top, turn, place)
        solid = polyhedron(points, faces)
        assert len(solid.faces) == len(faces)
        assert gjk(solid, hull(points)).gap < 0.0


def test_a_polyhedron_that_is_not_convex_by_more_than_rounding_is_refused():
    points, faces = _prism(17, 1.0, rotation_about((1, 2, 3), 1.0), 1e3)
    points[3] = points[3] * 0.999 + points.mean(axis=0) * 0.001
    with pytest.raises(ValueError, match=r"not convex|not flat"):
        polyhedron(points, faces)
    with pytest.raises(ValueError, match="no volume"):
        polyhedron([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], [(0, 1, 3, 2), (0, 2, 3, 1)])


@pytest.mark.parametrize("place", [0.0, 1.0, 1e3, 1e6, 1e9])
def test_the_minkowski_difference_of_equally_turned_boxes_is_a_box(place):
    random = np.random.default_rng(9)
    for _ in range(20):
        turn = rotation_about(random.normal(size=3), random.uniform(0, 3))
        centre = random.normal(size=3) * place
        a, b = box((1, 2, 3), centre, turn), box((2, 1, 1), centre + np.array((0.5, 0, 0)), turn)
        both = minkowski_difference(a, b)
        assert (len(both.body.points), len(both.body.faces)) == (8, 6)
        own = both.body.points @ turn
        offset = (a.position - b.position) @ turn
        expected = box((3, 3, 4)).points + offset
        assert np.sort(own, axis=0) == pytest.approx(np.sort(expected, axis=0), abs=1e-9)
        for point, (i, j) in zip(both.body.points, both.pairs, strict=True):
            from_these = turn @ (a.points[i] - b.points[j]) + (a.position - b.position)
            assert point == pytest.approx(from_these, abs=1e-12)


def test_the_minkowski_difference_of_hulls_far_out_in_their_own_frame():
    turn = rotation_about((1, 2, 3), 0.4)
    a, b = (hull(GRID @ turn.T * size + 1e6) for size in (1.0, 2.0))
    assert len(minkowski_difference(a, b).body.faces) == 6


def test_a_needles_normals_are_across_it():
    """Rounding of the long side must not tilt them: SAT would find other depths."""
    random = np.random.default_rng(5)
    for _ in range(20):
        turn = rotation_about(random.normal(size=3), random.uniform(0, 3))
        needle = hull((GRID * (1.0, 1e-6, 1e-6)) @ turn.T)
        other = needle.at(turn @ (0.1, 1e-6, 1e-7))
        assert sat(needle, other).overlap == pytest.approx(1e-6, rel=1e-6)


@pytest.mark.compiled_only
def test_hulls_come_with_no_body_that_needs_none():
    code = (
        "import sys, spheresim.convex as c; c.box((1, 1, 1)); c.hull([(0, 0), (1, 0), (0, 1)]);"
        "c.polyhedron(c.box((1, 1, 1)).points, c.box((1, 1, 1)).faces);"
        "assert 'scipy.spatial' not in sys.modules;"
        "c.hull(c.box((1, 1, 1)).points); assert 'scipy.spatial' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
