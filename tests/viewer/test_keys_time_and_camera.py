"""Every key of time and of the camera does what the help says, pressed as a real key."""

import numpy as np
import pytest
from viewer_keys import CAMERA, TIME, action_of, checks_in, press_and_check

pytestmark = pytest.mark.compiled_only


def check_run_or_pause(desk, press):
    press()
    assert desk.player.running
    desk.pass_time(5)
    reached = desk.player.time
    assert reached > 0.0
    press()
    assert not desk.player.running
    desk.pass_time(5)
    assert desk.player.time == reached


def check_step_forward(desk, press):
    press()
    press()
    assert desk.player.time == 2 * 0.6
    assert not desk.player.running


def check_step_back(desk, press):
    desk.go_to(6.0)
    press()
    assert desk.player.time == 9 * 0.6
    desk.go_to(0.0)
    press()
    assert desk.player.time == 0.0


def check_next_impact(desk, press):
    press()
    first = desk.player.time
    assert first > 0.0
    assert desk.player.impacts_now().t.tolist() == [first]
    press()
    assert desk.player.time > first


def check_previous_impact(desk, press):
    desk.press("n", "n")
    second = desk.player.time
    press()
    assert 0.0 < desk.player.time < second
    assert desk.player.impacts_now().t.tolist() == [desk.player.time]
    press()
    assert "no impact before this one" in desk.said
    desk.go_to(0.0)
    press()
    assert "no impact before t = 0" in desk.said


def check_faster(desk, press):
    speed = desk.player.speed
    press()
    assert desk.player.speed == pytest.approx(2 * speed)


def check_slower(desk, press):
    speed = desk.player.speed
    press()
    assert desk.player.speed == pytest.approx(0.5 * speed)


def check_run_backwards(desk, press):
    desk.go_to(60.0)
    press()
    desk.pass_time(5)
    assert 0.0 < desk.player.time < 60.0
    press()
    assert not desk.player.running
    press()
    assert desk.player.running
    desk.until(lambda: desk.player.time == 0.0, 0.1)


def check_restart(desk, press):
    start = desk.state
    desk.go_to(60.0)
    press()
    assert desk.state == start


def check_leap_forward(desk, press):
    press()
    press()
    assert desk.player.time == 60.0


def check_leap_back(desk, press):
    desk.go_to(60.0)
    press()
    assert desk.player.time == 30.0


def check_follow(desk, press):
    desk.viewer.scene_view.pick(2)
    press()
    desk.settle()
    middle = desk.on_screen(desk.player.snapshot.position[2])
    assert middle == pytest.approx(desk.middle, abs=2.0)
    before = desk.camera.target.copy()
    desk.go_to(30.0)
    desk.settle()
    assert np.linalg.norm(desk.camera.target - before) > 1e-3
    assert desk.on_screen(desk.player.snapshot.position[2]) == pytest.approx(middle, abs=1.0)
    press()
    desk.go_to(60.0)
    desk.settle()
    assert desk.on_screen(desk.player.snapshot.position[2]) != pytest.approx(middle, abs=1.0)


def check_ride(desk, press):
    press()
    assert desk.scene_view.picked == 0
    desk.go_to(30.0)
    desk.settle()
    eye = desk.scene_view.stage.to_world(desk.camera.eye)
    assert np.linalg.norm(eye - desk.player.snapshot.position[0]) < 15 * 20.0
    velocity = desk.player.snapshot.velocity[0]
    assert np.dot(velocity / np.linalg.norm(velocity), desk.camera.forward) > 0.8
    press()
    desk.go_to(60.0)
    desk.settle()
    assert np.allclose(desk.scene_view.stage.to_world(desk.camera.eye), eye)


def looks_from(desk, press, direction):
    press()
    desk.settle()
    assert np.allclose(desk.camera.direction, direction, atol=1e-3)


def check_view_corner(desk, press):
    first = desk.camera.direction.copy()
    desk.drag((200, 150), (260, 150))
    desk.settle()
    assert not np.allclose(desk.camera.direction, first, atol=0.05)
    looks_from(desk, press, first)


def check_view_front(desk, press):
    looks_from(desk, press, (0, 0, 1))


def check_view_right(desk, press):
    looks_from(desk, press, (1, 0, 0))


def check_view_top(desk, press):
    looks_from(desk, press, (0, 1, 0))


def check_reset_camera(desk, press):
    start = desk.camera.eye.copy()
    desk.wheel(100, 200, 3)
    desk.drag((200, 150), (260, 150))
    desk.press("r")
    desk.settle()
    assert not np.allclose(desk.camera.eye, start, atol=0.05)
    press()
    desk.settle()
    assert np.allclose(desk.camera.eye, start, atol=1e-3)
    assert not desk.camera.turning


def check_show_all(desk, press):
    desk.wheel(100, 200, 20)
    desk.drag((200, 150), (330, 150), button=3)
    desk.settle()
    assert desk.scene_view.is_empty
    press()
    desk.settle()
    for place in desk.scene_view.position:
        x, y = desk.on_screen(place)
        assert 0 < x < 400
        assert 0 < y < 300


def check_look_at_impact(desk, press):
    desk.go_to(6.0)
    press()
    assert "no impact now" in desk.said
    desk.press("n")
    desk.until(lambda: not desk.player.seeking)
    press()
    desk.settle()
    i = desk.player.impacts_now().i[0]
    assert desk.on_screen(desk.scene_view.position[i]) == pytest.approx(desk.middle, abs=15)


def check_turn(desk, press):
    before = desk.camera.direction.copy()
    press()
    desk.pass_time(5, 0.1)
    assert not np.allclose(desk.camera.direction, before, atol=1e-3)
    assert desk.camera.direction[1] == pytest.approx(before[1])
    press()
    desk.settle()
    stopped = desk.camera.direction.copy()
    desk.pass_time(5, 0.1)
    assert np.array_equal(desk.camera.direction, stopped)


CHECKS = checks_in(globals())
KEYS = {**TIME, **CAMERA}


@pytest.mark.cases(8)
@pytest.mark.parametrize("names", KEYS, ids=KEYS.get)
def test_a_key_does_what_the_help_says(desk, names):
    press_and_check(desk, names, CHECKS)


def test_every_action_is_checked(desk):
    assert {action_of(names) for names in KEYS} == set(CHECKS)
