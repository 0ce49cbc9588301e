"""The numbers that are set in the panel: dragged as sliders, or typed in."""

import numpy as np
import pytest

pytestmark = pytest.mark.compiled_only


@pytest.fixture
def desk(reopen_desk):
    desk = reopen_desk("bouncing_ball", size=(1000, 760))
    desk.press("space")
    desk.go_to(0.5)
    desk.frame()
    return desk


def slider_of(desk, name):
    """The area of a slider's line, in pixels: left, right and height."""
    number = ["gravity", "restitution", "speed"].index(name)
    area = [area for area in desk.viewer.overlay.areas if area.drag is not None][number]
    x, low, width, height = area.box
    left, right, y = desk.pixels(x, x + width, low + 0.5 * height)
    return left, right, y


def click_number(desk, name):
    _left, right, y = slider_of(desk, name)
    desk.click(right - 15.0, y + 15.0)
    desk.frame()


def gravity_of(desk):
    return np.array(desk.player.snapshot.world.gravity)


def test_a_slider_sets_gravity_and_one_undo_takes_the_whole_drag_back(desk):
    before = gravity_of(desk)
    left, right, y = slider_of(desk, "gravity")
    middle = 0.5 * (left + right)
    desk.drag((middle, y), (middle - 20.0, y), (left + 7.0, y))
    assert np.array_equal(gravity_of(desk), (0.0, 0.0, 0.0))
    desk.press("ctrl+z")
    desk.until(lambda: not desk.player.seeking)
    assert np.array_equal(gravity_of(desk), before)


def test_a_slider_sets_restitution_and_the_speed_of_time(desk):
    left, right, y = slider_of(desk, "restitution")
    desk.drag((right - 7.0, y), (0.5 * (left + right), y))
    assert np.allclose(desk.player.snapshot.world.restitution, 0.5, atol=0.02)
    natural = desk.player.natural_speed
    left, right, y = slider_of(desk, "speed")
    desk.click(left + 7.0, y)
    assert desk.player.speed == pytest.approx(0.001 * natural, rel=0.3)


def test_a_number_is_typed_in_and_keys_do_nothing_else_meanwhile(desk):
    click_number(desk, "restitution")
    desk.press("0", "period", "2", "5", "1", "BackSpace", "Return")
    assert np.allclose(desk.player.snapshot.world.restitution, 0.25)
    assert desk.player.time == 0.5  # the keys did not go to the time line
    click_number(desk, "gravity")
    desk.press("minus", "3", "Return")
    assert np.allclose(gravity_of(desk), (0.0, 3.0, 0.0))
    click_number(desk, "speed")
    desk.press("2", "Escape")
    assert desk.player.speed == desk.player.natural_speed


@pytest.mark.parametrize(
    ("keys", "fault"),
    [(("2",), "must be from 0 to 1, not 2"), (("minus", "e"), "must be a number, not '-e'")],
)
def test_what_cannot_be_is_said_in_a_sentence(desk, keys, fault):
    before = desk.player.snapshot.world.restitution.copy()
    click_number(desk, "restitution")
    desk.press(*keys, "Return")
    assert fault in desk.said
    assert np.array_equal(desk.player.snapshot.world.restitution, before)


def test_a_row_says_what_it_means_when_it_is_pointed_at(desk):
    left, right, y = slider_of(desk, "gravity")
    desk.point(0.5 * (left + right), y)
    desk.frame()
    desk.frame()
    assert any("size of gravity" in words for words in desk.words)
