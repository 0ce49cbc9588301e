"""The mouse: orbit, shift, zoom to the cursor, pick, and drag a ball."""

import numpy as np
import pytest
from viewer_window import xdotool

pytestmark = [pytest.mark.compiled_only, pytest.mark.thorough]


@pytest.fixture
def desk(reopen_desk):
    """Two balls that stand still, in a window without anything over them."""
    desk = reopen_desk("two_balls")
    desk.press("space")
    desk.go_to(0.0)
    desk.press("h")
    desk.press("2")
    desk.settle()
    return desk


def ball_places(desk):
    return [desk.on_screen(place) for place in desk.player.snapshot.position]


def test_dragging_orbits_and_what_is_seen_goes_with_the_hand(desk):
    target, distance = desk.camera.target.copy(), desk.camera.distance
    near = desk.camera.target + 0.2 * desk.camera.direction
    before = desk.on_screen(desk.scene_view.stage.to_world(near))
    desk.drag((300, 300), (320, 305), (360, 330))
    desk.settle()
    after = desk.on_screen(desk.scene_view.stage.to_world(near))
    assert after[0] > before[0] + 1
    assert after[1] > before[1] + 1
    assert np.allclose(desk.camera.target, target)
    assert desk.camera.distance == pytest.approx(distance)
    assert desk.camera.right[1] == pytest.approx(0.0, abs=1e-12)  # the horizon stays level
    assert desk.scene_view.picked is None


def test_dragging_far_never_turns_the_world_over(desk):
    desk.drag((300, 450), (300, 100), (300, 300), (310, 100), button=1)
    for _ in range(3):
        desk.drag((300, 100), (300, 470))
    desk.settle()
    assert desk.camera.upward[1] >= -1e-12


@pytest.mark.parametrize("button", [2, 3])
def test_right_and_middle_drag_shift_what_is_seen_by_as_much(desk, button):
    direction = desk.camera.direction.copy()
    middle = desk.scene_view.stage.to_world(desk.camera.target)
    before = desk.on_screen(middle)
    desk.drag((300, 300), (310, 310), (350, 280), button=button)
    desk.settle()
    after = desk.on_screen(middle)
    assert np.subtract(after, before) == pytest.approx((50, -20), abs=4.5)  # less the first 4
    assert np.allclose(desk.camera.direction, direction, atol=1e-12)


def test_the_wheel_zooms_to_the_cursor(desk):
    place = desk.on_screen((1.0, 1.0, 0.0))
    distance = desk.camera.distance
    ball = desk.player.snapshot.position[1]
    under = desk.on_screen(ball)
    desk.wheel(*under, 4)
    desk.settle()
    assert desk.camera.distance == pytest.approx(distance / 1.15**4, rel=1e-6)
    assert desk.on_screen(ball) == pytest.approx(under, abs=3.0)
    assert desk.on_screen((1.0, 1.0, 0.0)) != pytest.approx(place, abs=1.0)
    desk.wheel(*under, -4)
    desk.settle()
    assert desk.camera.distance == pytest.approx(distance, rel=1e-6)


def test_a_click_picks_the_ball_under_the_cursor_and_on_nothing_lets_go(desk):
    for k, place in enumerate(ball_places(desk)):
        desk.click(*place)
        assert desk.scene_view.picked == k
    desk.click(20, 460)
    assert desk.scene_view.picked is None


def test_a_click_while_it_runs_picks_and_does_not_stop_it(desk):
    desk.press("space")
    desk.click(*ball_places(desk)[1])
    assert desk.scene_view.picked == 1
    assert desk.player.running


def test_the_picked_balls_numbers_are_shown(desk):
    desk.press("h")
    desk.click(*ball_places(desk)[0])
    desk.frame()
    texts = desk.words
    assert {"moving ball", "1, 0, 0", "−5, 0, 0"} <= texts


def test_a_key_keeps_a_dragged_ball_on_a_line_along_its_axis(desk):
    start = ball_places(desk)[1]
    desk.click(*start)
    before = desk.player.snapshot.position.copy()
    xdotool("keydown", "x")
    desk.until(lambda: len(desk.window._held) == 1)
    desk.drag(start, (start[0] - 10, start[1] - 10), (start[0] - 40, start[1] - 60))
    xdotool("keyup", "x")
    moved = desk.player.snapshot.position[1] - before[1]
    assert moved[0] != 0.0
    assert moved[1:].tolist() == [0.0, 0.0]


def test_the_picked_ball_is_dragged_in_the_plane_of_the_screen_and_time_goes_on_from_there(desk):
    start = ball_places(desk)[1]
    desk.click(*start)
    goal = (start[0] - 40, start[1] - 60)
    before = desk.player.snapshot.position.copy()
    direction = desk.camera.direction.copy()
    desk.drag(start, (start[0] - 10, start[1] - 10), goal)
    moved = desk.player.snapshot.position
    assert np.array_equal(moved[0], before[0])
    assert ball_places(desk)[1] == pytest.approx(goal, abs=2.0)
    assert (moved[1] - before[1]) @ direction == pytest.approx(0.0, abs=1e-9)
    assert np.array_equal(desk.camera.direction, direction)
    assert desk.scene_view.picked == 1
    desk.press("space")
    desk.pass_time(10, 0.05)
    assert np.array_equal(desk.player.snapshot.position[1], moved[1])
    assert desk.player.snapshot.position[0][0] == pytest.approx(-5 + desk.player.time)


def test_a_ball_that_was_dragged_into_the_way_is_hit(desk):
    start = ball_places(desk)[1]
    goal = desk.on_screen((-1.0, 0.0, 0.0))
    desk.click(*start)
    desk.drag(start, (start[0] - 10, start[1] - 10), goal)
    desk.press("n")
    desk.until(lambda: not desk.player.seeking)
    assert desk.player.time == pytest.approx(2.0, abs=0.1)


def test_while_it_runs_a_drag_on_the_picked_ball_orbits(desk):
    start = ball_places(desk)[1]
    desk.click(*start)
    desk.press("space")
    before = desk.camera.direction.copy()
    desk.drag(start, (start[0] + 20, start[1]), (start[0] + 60, start[1]))
    desk.settle()
    assert not np.allclose(desk.camera.direction, before)
    assert np.array_equal(desk.player.snapshot.position[1], (0.0, 1.2, 0.0))


def test_a_hand_that_shakes_while_it_clicks_still_picks(desk):
    x, y = ball_places(desk)[1]
    desk.drag((x, y), (x + 1, y), (x + 2, y))
    assert desk.scene_view.picked == 1
