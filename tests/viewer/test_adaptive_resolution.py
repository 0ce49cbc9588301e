"""Fewer pixels while frames are slow, all of them when the picture stands still."""

import numpy as np
import pytest
from spheresim_viewer.adaptive_resolution import AdaptiveResolution

PIXELS = 1280 * 800


def moving(resolution, seconds_of_all, fixed=0.0, frames=60):
    """The shares of frames, of which one with all pixels takes so long, and never less than fixed.

    Drawing that takes time in proportion to its pixels.
    """
    shares = []
    for _ in range(frames):
        assert resolution.is_due(True, True, 0.02)
        shares.append(resolution.share)
        resolution.drawn(max(fixed, seconds_of_all * resolution.share))
    return shares


@pytest.fixture
def resolution():
    adaptive = AdaptiveResolution()
    adaptive.forget(PIXELS)
    return adaptive


def test_fast_frames_have_all_pixels(resolution):
    assert set(moving(resolution, 0.039)) == {1.0}
    assert resolution.rows() == {}


@pytest.mark.parametrize(("seconds", "share"), [(0.05, 0.5), (0.07, 0.5), (0.15, 0.25)])
def test_slow_ones_settle_where_they_are_fast_enough(resolution, seconds, share):
    """And do not swing to and fro."""
    shares = moving(resolution, seconds)
    assert set(shares[-40:]) == {share}
    assert resolution.rows() == {"pixels drawn": f"1 in {1 / share:.0f}"}


def test_balls_can_always_be_told_from_each_other(resolution):
    assert min(moving(resolution, 10.0)) * PIXELS >= 640 * 400
    resolution.forget(640 * 480)
    assert set(moving(resolution, 10.0)) == {1.0}
    resolution.forget(3840 * 2160)
    assert 640 * 400 <= min(moving(resolution, 10.0)) * 3840 * 2160 < 2 * 640 * 400


def test_no_pixels_are_lost_where_that_would_not_help(resolution):
    """As on a screen that shows 24 frames a second, or if something else takes the time."""
    assert moving(resolution, 0.05, fixed=0.048)[-1] == 1.0
    assert moving(resolution, 0.05, fixed=0.048, frames=200).count(1.0) == 200


def test_a_scene_that_grows_stays_coarse(resolution):
    assert moving(resolution, 0.06)[-1] == 0.5
    assert set(moving(resolution, 0.3)[-20:]) == {0.25}


def test_one_slow_frame_changes_nothing(resolution):
    moving(resolution, 0.02)
    resolution.drawn(2.0)
    assert set(moving(resolution, 0.02)) == {1.0}


def test_all_pixels_come_back_when_frames_get_fast(resolution):
    assert moving(resolution, 0.1)[-1] < 1.0
    assert moving(resolution, 0.015)[-1] == 1.0


def test_a_scene_that_stands_still_is_drawn_once_more_with_all_pixels(resolution):
    moving(resolution, 0.1)
    coarse = resolution.share
    due = [resolution.is_due(False, False, 0.05) for _ in range(20)]
    assert due.count(True) == 1
    assert resolution.share == 1.0
    # Text that changes over it leaves it as it is, and what that takes does not count
    assert resolution.is_due(True, False, 0.05)
    resolution.drawn(0.1)
    assert resolution.share == 1.0
    # What moves is coarse again at once
    assert resolution.is_due(True, True, 0.05)
    assert resolution.share == coarse


@pytest.mark.thorough
@pytest.mark.compiled_only
def test_the_window_draws_all_pixels_again_and_saves_no_fewer(reopen_desk):
    desk = reopen_desk("magic_room", size=(1000, 700))
    desk.press("space")
    desk.go_to(60.0)
    desk.settle()
    all_pixels, saved = desk.seen(), desk.captured()
    canvas, view = desk.viewer._canvas, desk.scene_view
    coarse = canvas.draw(view, desk.viewer._draw_over, 0.25).read()
    assert coarse.shape == all_pixels.shape
    apart = np.abs(coarse.astype(int) - all_pixels).max(axis=2)
    assert 0.005 < np.mean(apart > 24) < 0.15
    assert np.mean(apart) < 8.0
    # The text over it is as sharp as ever: it is the same in both
    numbers = (slice(60, 200), slice(30, 200))
    assert np.mean(apart[numbers] > 24) < 0.001
    assert np.array_equal(desk.captured(), saved)
    assert np.array_equal(desk.seen(), all_pixels)
