"""The stage: which part of an infinite world is shown."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stages import FALL, check_geometry, stage_between, stage_of

from spheresim.obstacles.plane import Plane
from spheresim.scene.find import shipped_scenes
from spheresim.scene.load import load_scene


def test_a_floor_patch_two_to_three_times_as_wide_as_the_drop():
    stage = stage_of("bouncing_ball")
    width = stage.high - stage.low
    assert 2.0 < width[0] / 1.1 < 3.0
    assert stage.high[2] == -stage.low[0] == stage.high[0]
    assert (stage.low[1], stage.low[2]) == (0.0, -0.4)  # the floor, and the wall behind
    assert 1.2 < stage.high[1] < 1.5
    floor = stage.surfaces()[0]
    assert floor.fade[np.linalg.norm(floor.vertices[:, [0, 2]], axis=1) < 0.6].max() == 0.0


def test_a_piece_of_tube_about_as_long_as_wide():
    tube = stage_of("billiard_in_a_tube").surfaces()[0]
    assert tube.kind == "tube"
    extent = np.ptp(tube.vertices, axis=0)
    assert np.allclose(extent[:2], 10.0)
    assert 8.0 < extent[2] < 16.0
    assert np.all(np.sum(tube.normals * tube.vertices, axis=1) < 0.0)


@pytest.mark.parametrize("name", ["newtons_cradle", "pi_by_collisions"])
def test_walls_beside_balls_in_a_row_are_modest(name):
    stage = stage_of(name)
    largest = 2.0 * max(ball.radius for ball in load_scene(shipped_scenes()[name]).balls)
    assert stage.low[0] == {"newtons_cradle": -4.0, "pi_by_collisions": 0.0}[name]
    assert np.all((stage.high - stage.low)[1:] >= 2.0 * largest)
    assert np.all((stage.high - stage.low)[1:] <= 7.0 * largest)


def test_two_balls_have_room_to_part():
    stage = stage_of("two_balls")
    for end in ((0.06, -2.21, 0), (2.94, 4.26, 0)):  # where they are after 8 time units
        assert np.all(stage.low < end)
        assert np.all(stage.high > end)
    assert stage.surfaces() == []


def test_a_ball_too_small_for_its_place_still_has_a_stage():
    stage = stage_between([], [(1e75, -1e75, 3e74)], 1e-75)
    assert stage.size > 0.0
    assert np.all(np.isfinite(stage.to_units(stage.corners)))
    assert np.all(stage.high >= stage.low)


@pytest.mark.parametrize("n", [5, 10, 1000])
def test_one_far_ball_does_not_stretch_the_stage(n):
    near = np.random.default_rng(1).uniform(-10, 10, (n - 1, 3))
    without = stage_between([], near)
    stage = stage_between([], np.vstack([near, (1e6, 0, 0)]))
    assert np.array_equal(stage.low, without.low)
    assert np.array_equal(stage.high, without.high)


def test_every_ball_of_an_even_crowd_is_shown():
    crowd = np.random.default_rng(2).uniform(-10, 10, (1000, 3)) * (1, 3, 1)
    stage = stage_between([], crowd, 0.1)
    assert np.all(crowd.min(axis=0) - 0.1 >= stage.low)
    assert np.all(crowd.max(axis=0) + 0.1 <= stage.high)


def test_a_plane_far_away_changes_nothing():
    balls = [(0, 0, 0), (5, 1, 2)]
    near = Plane((0, -4, 0), (0, 1, 0))
    far = [Plane((1e7, 0, 0), (-1, 0, 0)), Plane((0, 0, -1e7), (0, 1, 3))]
    stage, without = stage_between([near, *far], balls), stage_between([near], balls)
    assert np.array_equal(stage.low, without.low)
    assert np.array_equal(stage.high, without.high)
    assert [surface.index for surface in check_geometry(stage)] == [0]


def test_a_ball_alone_is_shown_with_its_floor_however_deep_it_falls():
    stage = stage_between([Plane((0, -500, 0), (0, 1, 0))], [(0, 0, 0)], 0.1, FALL)
    assert stage.low[1] == -500.0
    assert len(check_geometry(stage)) == 1


def test_planes_back_to_back_are_both_shown():
    planes = [Plane((1, 0, 0), (1, 0, 0)), Plane((-1, 0, 0), (-1, 0, 0))]
    stage = stage_between(planes, [(4, 0, 0), (-4, 0, 0)])
    assert stage.walls == ()
    assert len(check_geometry(stage)) == 2


def test_a_plane_that_most_balls_are_behind_does_not_bound():
    planes = [Plane((1, 0, 0), (1, 0, 0)), Plane((-1, 0, 0), (-1, 0, 0))]
    stage = stage_between(planes, [(4, 0, 0), (5, 3, 0), (-4, 0, 0)])
    assert stage.walls == (0,)
    assert stage.low[0] == 1.0


def test_walls_that_leave_no_ball_between_them_do_not_bound():
    """Each of three balls is behind another side of a triangle."""
    sides = [
        Plane((0, 0, 0), (1, 0, 0)),
        Plane((0, 0, 0), (0, 1, 0)),
        Plane((1, 0, 0), (-1, -1, 0)),
    ]
    stage = stage_between(sides, [(-1, 0.3, 0), (0.3, -1, 0), (1, 1, 0)], 0.1)
    assert stage.walls == ()
    assert stage.low[0] < -1.1
    assert stage.high[0] > 1.1
    assert len(check_geometry(stage)) == 3


def test_a_ball_behind_a_wall_does_not_open_the_room():
    room = [Plane((0, 0, -5), (0, 0, 1)), Plane((0, 0, 5), (0, 0, -1))]
    stage = stage_between(room, [(0, 0, 0), (3, 0, 0), (0, 0, -40)])
    assert stage.low[2] == -5.0
    assert stage.high[2] == 5.0


def test_planes_with_nothing_between_them():
    planes = [Plane((0, 0, 0), (0, 0, 1)), Plane((0, 0, 0), (0, 0, -1))]
    for balls in ([], [(0, 0, 0)], [(0, 0, 1), (1, 0, 0)]):
        stage = stage_between(planes, balls)
        assert stage.size > 0.0
        assert np.all(np.isfinite([stage.low, stage.high]))
        check_geometry(stage)


def test_up_is_against_gravity():
    assert stage_between([], [(0, 0, 0)]).up.tolist() == [0.0, 1.0, 0.0]
    assert stage_between([], [(0, 0, 0)], 1.0, (0, 0, -2)).up.tolist() == [0.0, 0.0, 1.0]
    assert np.allclose(stage_between([], [(0, 0, 0)], 1.0, (3e-80, 4e-80, 0)).up, (-0.6, -0.8, 0))


@given(st.floats(1e-70, 1e70))
def test_the_grid_is_readable(scale):
    stage = stage_between([], [(0, 0, 0), (scale, 0, 0)], 0.1 * scale)
    assert 8.0 * (1 - 1e-9) <= stage.size / stage.grid <= 20.0 * (1 + 1e-9)
    assert f"{stage.grid:.6e}"[0] in "125"
    assert f"{stage.grid:.6e}"[1:8] == ".000000"


def test_stage_units_and_back():
    stage = stage_of("magic_room")
    assert np.allclose(np.linalg.norm(stage.to_units(stage.corners), axis=1), 1.0)
    assert np.allclose(stage.to_world(stage.to_units(stage.corners)), stage.corners)
