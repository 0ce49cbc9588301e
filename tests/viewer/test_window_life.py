"""The window through its life: sizes, minimising, a long time, many scenes."""

import gc
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from viewer_window import xdotool

pytestmark = pytest.mark.compiled_only


def resident() -> int:
    """Bytes of memory that this process has in use."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.fixture
def cleared(monkeypatch, screen):
    """The viewer clears away what it no longer needs, as it does outside of tests."""
    monkeypatch.setattr("spheresim_viewer.viewer.gc", gc)


needs_proc = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc here")


@pytest.mark.thorough
@pytest.mark.parametrize("size", [(320, 240), (1900, 330), (330, 900), (1280, 1024)])
def test_it_can_be_resized(reopen_desk, size):
    desk = reopen_desk("magic_room")
    desk.press("space", "p", "question")
    before = desk.state
    xdotool("windowsize", desk.window._window, *size)
    desk.until(lambda: desk.viewer._canvas.size == size)
    desk.frames(3)
    pixels = desk.seen()
    assert pixels.shape == (size[1], size[0], 3)
    assert pixels.std() > 1.0
    assert desk.state == before
    desk.press("question", "p", "n")
    desk.until(lambda: not desk.player.seeking)
    desk.settle()
    middle = desk.on_screen(desk.scene_view.stage.to_world(desk.camera.target))
    assert middle == pytest.approx(desk.middle, abs=1.0)


@pytest.mark.thorough
@pytest.mark.parametrize("size", [(1, 1), (16, 16), (2, 900), (900, 2)])
def test_sizes_smaller_than_it_asks_for_are_survived(reopen_desk, size):
    """A window manager may give less than the smallest size that was asked for."""
    desk = reopen_desk("pillars", size=(400, 300))
    desk.press("p", "question")
    desk.scene_view.pick(0)
    desk.viewer.resize(*size)
    desk.frame(0.02)
    desk.viewer.resize(0, 0)
    desk.frame(0.02)
    desk.viewer.resize(400, 300)
    desk.frame(0.02)
    assert desk.captured().shape == (300, 400, 3)


@pytest.mark.thorough
def test_sizes_change_in_any_order_while_it_runs(open_desk):
    desk = open_desk("pillars")
    random = np.random.default_rng(3)
    for _ in range(12):
        size = (int(random.integers(320, 1200)), int(random.integers(240, 1000)))
        xdotool("windowsize", desk.window._window, *size)
        desk.until(lambda size=size: desk.viewer._canvas.size == size, 0.02)
    assert desk.window.context is not None


def test_a_click_finds_its_ball_after_resizing(open_desk):
    desk = open_desk("two_balls")
    desk.press("space", "BackSpace", "h")
    xdotool("windowsize", desk.window._window, 900, 350)
    desk.until(lambda: desk.viewer._canvas.size == (900, 350))
    desk.settle()
    desk.click(*desk.on_screen(desk.player.snapshot.position[1]))
    assert desk.scene_view.picked == 1


def test_minimised_and_back(open_desk):
    desk = open_desk("magic_room", size=(400, 300))
    desk.frames(3, 0.05)
    desk.window.minimize()
    desk.window.set_visible(False)
    desk.frames(5, 0.05)
    assert desk.player.time > 0.0
    desk.window.set_visible(True)
    desk.focus()
    desk.press("space")
    assert not desk.player.running
    assert desk.seen().std() > 1.0


def test_time_does_not_leap_when_the_window_was_away(open_desk):
    desk = open_desk("magic_room", size=(400, 300))
    desk.frame(3600.0)
    assert desk.player.time <= 0.1 * desk.player.speed + 1e-9


def play(desk, frames: int) -> None:
    """Let time pass in so many frames, and draw every fifth of them."""
    for _ in range(frames // 5):
        desk.pass_time(4, 0.1)
        desk.frame(0.1)


@pytest.mark.thorough
@needs_proc
def test_a_long_time_does_not_make_it_grow(cleared, open_desk):
    """What is remembered is bounded; with a low bound an hour's worth is soon reached."""
    from spheresim_viewer.scene_view import SceneView
    from spheresim_viewer.timeline import Limits, play_scene

    desk = open_desk("pi_by_collisions", size=(320, 240))
    limits = Limits(bytes=2_000_000, kept=300)
    scene = desk.player.snapshot.scene
    scene = replace(scene, view=scene.view._replace(end="go on"))
    desk.viewer.scene_view = SceneView(play_scene(scene, limits=limits), desk.options)
    desk.press("p", "t", "x", "Tab", "f", "space")
    for _ in range(6):
        desk.press("equal")
    play(desk, 100)
    gc.collect()
    before, reached = resident(), desk.player.time
    play(desk, 150)
    gc.collect()
    assert desk.player.time > reached + 150 * 0.1 * 10
    assert resident() - before < 5e6


@pytest.mark.thorough
@needs_proc
def test_many_scenes_one_after_another_do_not_make_it_grow(cleared, open_desk):
    desk = open_desk("gas_in_a_box", size=(320, 240))

    def open_another(name: str) -> None:
        before = desk.scene_view
        desk.viewer.open(name)
        desk.until(lambda: desk.scene_view is not before)
        desk.quick()
        desk.frame(0.05)

    names = ["pillars", "magic_room", "gas_in_a_box", "two_balls"]
    for name in names:
        open_another(name)

    def growth() -> float:
        gc.collect()
        before = resident()
        for name in 2 * names:
            open_another(name)
        gc.collect()
        return resident() - before

    # What leaks does so each time; what compiles beside it, once.
    assert any(growth() < 16e6 for _ in range(3))
