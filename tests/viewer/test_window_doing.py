"""What hands do to a scene: throw, set, save, drop a file, edit it on disk."""

import os
from pathlib import Path

import numpy as np
import pytest
from scene_files import TWO_BALLS

from spheresim.scene import load_scene

pytestmark = [pytest.mark.compiled_only, pytest.mark.thorough]

SCENE = f"""
title = "two balls"
duration = 8
step = 0.01
frame_every = 0.05
{TWO_BALLS}"""
BROKEN = SCENE.replace("radius = 1\n[[", "radius = -1\n[[") + "colour = 'red'\n"


@pytest.fixture
def file(folder) -> Path:
    path = folder / "mine.toml"
    path.write_text(SCENE)
    return path


@pytest.fixture
def desk(reopen_desk, file):
    return reopen_desk(file, size=(400, 300))


def write(path: Path, text: str) -> None:
    """Write a file so that it is seen to be another, however coarse the clock of the disk."""
    before = path.stat().st_mtime_ns if path.exists() else 0
    path.write_text(text)
    os.utime(path, ns=(before + 10**9, before + 10**9))


# --- Balls and settings ---


def test_a_thrown_ball_flies_into_the_picture_and_is_part_of_the_course(desk):
    desk.press("space")
    desk.go_to(1.0)
    before = desk.state
    desk.press("b", "b")
    position = desk.player.snapshot.position
    assert len(position) == 3
    assert desk.scene_view.picked == 2
    assert position[:2].tobytes() == before[1]
    assert "ball 2 thrown" in desk.said
    assert "ctrl Z" in desk.said
    desk.press("space")
    desk.pass_time(10, 0.1)
    assert np.linalg.norm(desk.player.snapshot.position[2] - position[2]) > 1.0
    desk.go_to(0.5)
    assert len(desk.player.snapshot.position) == 2  # it was not there yet
    desk.frame()
    assert desk.scene_view.picked is None


def test_a_throw_is_aimed_by_the_mouse_and_flies_as_predicted(desk):
    desk.press("space")
    desk.go_to(1.0)
    before = desk.state
    desk.press("b")
    desk.frame()
    eye = desk.camera.eye
    desk.drag((5, 170), (200, 170))  # it starts outside: there is no room, and nothing is thrown
    assert len(desk.player.snapshot.position) == 2
    assert "no room" in desk.said
    desk.settle()
    assert np.linalg.norm(desk.camera.eye - eye) > 0.1
    desk.drag((250, 200), (270, 190), (290, 180))
    ball = desk.player.snapshot
    assert len(ball.position) == 3
    assert desk.on_screen(ball.position[2]) == pytest.approx((250, 200), abs=3.0)
    assert desk.on_screen(ball.position[2] + 1e-3 * ball.velocity[2])[1] < 200
    desk.press("ctrl+z")
    desk.until(lambda: not desk.player.seeking)
    assert desk.state == before


def test_a_throw_that_is_aimed_shows_its_way_and_can_be_let_be(desk):
    desk.press("b")
    way = desk.scene_view.throw.forecast.way
    assert not desk.player.running
    desk.frame()
    assert "a throw:" in desk.words
    desk.press("b")
    following = desk.player.segments.current.playback
    assert np.array_equal(following.keyframe(len(way) - 1).position[-1], way[-1])
    desk.press("b", "Escape")
    assert desk.scene_view.throw is None
    assert len(desk.player.snapshot.position) == 3
    assert desk.player.running


def test_the_way_of_a_throw_goes_on_while_the_mouse_is_held_still(desk, monkeypatch):
    """On a busy machine, where an update has time for no more than a step of it."""
    monkeypatch.setattr("spheresim_viewer.scene_view._FORECAST_SECONDS", 0.0)
    desk.press("b")
    forecast = desk.scene_view.throw.forecast
    desk.viewer.advance_clock()
    short = forecast.way
    for _ in range(3):
        assert desk.viewer.advance_clock()  # it is drawn, too
    assert len(forecast.way) == len(short) + 3
    forecast.go_on(60.0)
    whole = forecast.way
    desk.press("b")
    following = desk.player.segments.current.playback
    assert np.array_equal(following.keyframe(len(whole) - 1).position[-1], whole[-1])
    assert len(whole) > len(short) + 3


def test_many_balls_are_thrown_and_none_starts_in_another(desk):
    for count in range(3, 8):
        desk.press("b", "b")
        assert len(desk.player.snapshot.position) == count
        desk.frames(3, 0.05)
    assert np.all(np.isfinite(desk.player.snapshot.position))


def test_there_is_no_gravity_in_a_sheared_box(open_desk):
    desk = open_desk("couette_shear")
    for key in ("g", "shift+g"):
        desk.press(key)
        assert "gravity: there is none in a box with a shear_rate" in desk.said
    assert not any(desk.player.settings.gravity)


# --- Saving ---


def test_the_saved_state_opens_again_and_is_the_same(desk):
    desk.press("space")
    desk.go_to(4.0)
    desk.press("b", "b", "g", "bracketleft", "ctrl+s")
    (folder,) = [path for path in Path().iterdir() if path.is_dir()]
    snapshot = desk.player.snapshot
    scene = load_scene(folder)
    assert [tuple(ball.position) for ball in scene.balls] == list(map(tuple, snapshot.position))
    assert [tuple(ball.velocity) for ball in scene.balls] == list(map(tuple, snapshot.velocity))
    assert {ball.restitution for ball in scene.balls} == {0.9}
    assert tuple(scene.gravity) == tuple(snapshot.world.gravity)
    desk.window.on_file_drop(0, 0, [str(folder / "scene.toml")])
    before = desk.scene_view
    desk.until(lambda: desk.scene_view is not before)
    assert desk.player.snapshot.position.tobytes() == snapshot.position.tobytes()
    assert desk.player.snapshot.velocity.tobytes() == snapshot.velocity.tobytes()


def test_nothing_that_was_saved_is_overwritten(desk):
    desk.press("space", "BackSpace")
    desk.press("ctrl+s", "ctrl+s", "F12", "F12")
    assert len(list(Path().glob("*/scene.toml"))) == 2
    assert len(list(Path().glob("*.png"))) == 2


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
@pytest.mark.parametrize("key", ["F12", "ctrl+s"])
def test_a_folder_that_cannot_be_written_is_a_sentence_in_the_window(desk, tmp_path, key):
    tmp_path.chmod(0o500)
    desk.press(key)
    assert "denied" in desk.said.lower()
    tmp_path.chmod(0o700)


@pytest.mark.parametrize("key", ["F12", "ctrl+s"])
def test_a_folder_that_has_gone_is_a_sentence_in_the_window(desk, tmp_path, monkeypatch, key):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    desk.press(key)
    assert desk.window.context is not None
    assert "no such file" in desk.said.lower()


# --- Files ---


def dropped(desk, path) -> None:
    """Drop a file on the window, and wait till it was opened or refused."""
    desk.window.on_file_drop(10, 10, [str(path)])
    desk.until(lambda: desk.viewer._loading is None)
    desk.frame()


def test_a_dropped_file_opens(desk, file, tmp_path):
    desk.press("space")
    other = tmp_path / "other.toml"
    other.write_text(SCENE.replace("two balls", "another"))
    dropped(desk, other)
    assert desk.scene_view.title == "another"
    assert desk.player.time == 0.0


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("broken.toml", BROKEN, ["broken.toml", "radius", "colour"]),
        ("picture.png", "\x89PNG", ["picture.png"]),
        ("gone.toml", None, ["no scene"]),
    ],
)
def test_a_broken_file_that_is_dropped_is_faulted_and_the_last_good_state_kept(
    desk, tmp_path, name, text, said
):
    desk.press("space")
    desk.go_to(2.0)
    before = desk.state
    if text is not None:
        (tmp_path / name).write_text(text)
    dropped(desk, tmp_path / name)
    for words in said:
        assert words in desk.said
    assert desk.state == before
    assert desk.window.context is not None
    desk.pass_time(10, 1.0)
    assert desk.said  # it stays until it is mended or dismissed
    desk.press("Escape")
    assert not desk.said
    desk.press("Right")
    assert desk.player.time == pytest.approx(2.01)


def test_a_folder_without_a_scene_that_is_dropped(desk, tmp_path):
    before = desk.scene_view
    dropped(desk, tmp_path)
    assert str(tmp_path.name) in desk.said
    assert desk.scene_view is before


def test_a_broken_run_that_is_dropped(desk, tmp_path):
    (tmp_path / "run.json").write_text("{")
    before = desk.scene_view
    dropped(desk, tmp_path)
    assert desk.said
    assert desk.scene_view is before


def test_an_edit_on_disk_is_seen_and_a_broken_one_keeps_the_last_good_state(desk, file):
    desk.press("space", "Right", "Right")
    before = desk.state
    camera = desk.camera
    write(file, BROKEN)
    desk.until(lambda: "radius" in desk.said, 0.6)
    assert "mine.toml" in desk.said
    assert desk.state == before
    desk.pass_time(3, 0.6)
    assert desk.state == before
    write(file, SCENE.replace("two balls", "mended").replace("1.2", "1.3"))
    desk.until(lambda: desk.scene_view.title == "mended", 0.6)
    desk.frame()
    assert not desk.said
    assert desk.player.snapshot.position[1][1] == 1.3
    assert not desk.player.running
    assert desk.camera is camera


def test_a_file_that_is_gone_for_a_moment_is_no_fault(desk, file):
    desk.press("space")
    file.rename("away.toml")
    desk.pass_time(3, 0.6)
    assert not desk.said
    write(file, SCENE.replace("two balls", "back again"))
    desk.until(lambda: desk.scene_view.title == "back again", 0.6)


def test_what_is_pressed_while_another_scene_is_opened_is_harmless(desk):
    desk.viewer.open("pillars")
    desk.press("space", "n", "b", "b", "Tab", "ctrl+l")
    desk.until(lambda: desk.viewer._loading is None)
    desk.quick()
    desk.frames(3, 0.05)
    assert desk.window.context is not None


def test_a_picked_ball_does_not_outlive_its_scene(open_desk):
    desk = open_desk("pillars", size=(400, 300))
    desk.scene_view.pick(299)
    desk.press("f")
    desk.viewer.open("two_balls")
    desk.until(lambda: desk.scene_view.name == "two_balls")
    desk.frames(3, 0.05)
    assert desk.scene_view.picked is None
