"""What is drawn, held against golden pictures that somebody has looked at.

SPHERESIM_NEW_GOLDEN=1 writes them anew.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from golden_pictures import difference
from scene_files import SHIPPED

from spheresim.scene import load_scene

pytestmark = pytest.mark.compiled_only

SIZE = (320, 240)
SHOWN_AT_ONCE = ("magic_room", "newtons_cradle")
"""Scenes whose first picture is looked at before each commit; of the rest it is in `test-all`."""


def test_a_difference_that_matters_is_found(look):
    """A ball more, a halo, a normal: each of them few pixels."""
    desk = look("newtons_cradle")
    before = desk.captured()
    assert difference(before, before) == ""
    noise = np.random.default_rng(0).integers(-3, 4, before.shape)
    assert difference(np.clip(before.astype(int) + noise, 0, 255).astype(np.uint8), before) == ""
    press(desk, "Tab")
    assert "pixels" in difference(desk.captured(), before)
    desk.scene_view.pick(None)
    desk.go_to(0.5)
    assert "pixels" in difference(desk.captured(), before)
    desk = look("two_balls", "n")
    at_impact = desk.captured()
    desk.go_to(np.nextafter(desk.player.time, 0.0))
    assert "pixels" in difference(desk.captured(), at_impact)
    assert "shape" in difference(before[1:], before)


@pytest.fixture
def look(reopen_desk):
    """Shows a scene as it is at the start, paused and without numbers over it."""

    def look_at(name: str, *keys: str, numbers: bool = False):
        engine = "events" if name == "lorentz_gas" else "steps"
        desk = reopen_desk(name, size=(640, 480) if numbers else SIZE, engine=engine)
        desk.press("space")
        desk.go_to(0.0)
        if not numbers:
            desk.press("h")
        press(desk, *keys)
        return desk

    return look_at


def press(desk, *keys: str) -> None:
    for key in keys:
        desk.press(key)
        desk.until(lambda: not desk.player.seeking)
    desk.viewer.notice.clear()
    desk.settle()


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in SHOWN_AT_ONCE else pytest.mark.thorough)
        for name in SHIPPED
    ],
)
def test_the_first_frame(look, compare, name):
    compare(f"first-{name}", look(name).captured())


def test_every_shipped_scene_has_a_picture():
    assert sorted(path.stem for path in (Path(__file__).parents[2] / "scenes").glob("*.toml")) == (
        sorted(SHIPPED)
    )


def test_small_pictures_have_the_whole_caption_of_every_scene(look):
    desk = look("two_balls")
    view, overlay = desk.scene_view, desk.viewer.overlay
    for name in SHIPPED:
        said = load_scene(name).view
        view.scene = replace(view.scene, view=said)
        desk.captured()
        lines = sorted((text for text in overlay._texts if text.text), key=lambda text: -text.y)
        words = " ".join(line.text for line in lines)
        assert (said.caption or "") in words


def test_paused_and_a_step_on(look, compare):
    desk = look("magic_room")
    desk.press("space")
    desk.pass_time(30, 0.1)
    press(desk, "space")
    paused = desk.captured()
    desk.pass_time(5, 0.05)
    assert np.array_equal(desk.captured(), paused)
    compare("paused", paused)
    press(desk, "Right")
    stepped = desk.captured()
    assert not np.array_equal(stepped, paused)
    compare("stepped", stepped)
    press(desk, "Left")
    assert np.array_equal(desk.captured(), paused)


def test_at_an_impact_its_normal_is_shown(look, compare):
    desk = look("two_balls", "n")
    compare("impact", desk.captured())


def test_the_numbers_of_an_impact_and_of_the_picked_ball(look, compare):
    desk = look("two_balls", "n", "Tab", numbers=True)
    compare("impact-numbers", desk.captured())


def test_a_picked_ball(look, compare):
    compare("picked", look("newtons_cradle", "Tab").captured())


def test_ghosts_of_offset_primitives(look, compare):
    desk = look("magic_room", "n", "n", "o")
    compare("ghosts", desk.captured())


def test_ghosts_are_grown_by_the_picked_balls_radius(look):
    desk = look("pi_by_collisions", "o", "Tab")
    small = desk.captured()
    press(desk, "Tab")
    large = desk.captured()
    assert desk.scene_view.ghost_radius == 2.0
    assert float(np.mean(np.abs(small.astype(int) - large) > 4)) > 0.01


@pytest.mark.thorough
@pytest.mark.parametrize("mode", range(5), ids=["identity", "speed", "energy", "impacts", "state"])
def test_each_way_of_coloring(look, compare, mode):
    desk = look("pillars")
    desk.go_to(1.5)
    press(desk, *mode * ["c"])
    compare(f"color-{mode}", desk.captured())


@pytest.mark.thorough
def test_plots(look, compare):
    desk = look("gas_in_a_box", "p", numbers=True)
    for time in np.linspace(0.1, 1.0, 10):
        desk.go_to(float(time))
    press(desk)
    compare("plots", desk.captured())


@pytest.mark.thorough
def test_arrows_trails_contacts_and_explosions(look, compare):
    desk = look("pillars", "v", "t", "x")
    for time in np.linspace(0.7, 0.85, 20):
        desk.go_to(float(time))
        desk.frame(0.02)
    press(desk)
    compare("inside", desk.captured())


@pytest.mark.thorough
def test_shadows(look, compare):
    desk = look("magic_room", "l")
    compare("shadows", desk.captured())


@pytest.mark.thorough
@pytest.mark.parametrize("view", ["2", "3", "4"])
def test_walls_that_face_the_camera_give_way(look, compare, view):
    desk = look("magic_room", view)
    compare(f"view-{view}", desk.captured())


@pytest.mark.thorough
def test_from_below(look, compare):
    desk = look("magic_room")
    desk.drag((160, 70), (160, 100), (160, 230))
    desk.settle()
    compare("view-below", desk.captured())


def test_the_whole_window_with_help_and_time_line(look, compare):
    desk = look("magic_room", "n", "n", "n", numbers=True)
    compare("window", desk.seen())


def test_help(open_desk, compare):
    desk = open_desk("two_balls")
    desk.press("space", "BackSpace", "question")
    desk.until(lambda: not desk.player.seeking)
    compare("help", desk.seen())


def test_a_fault_in_the_window(look, compare):
    desk = look("two_balls")
    desk.viewer.notice.fault("room.toml: line 3: radius must be positive\nroom.toml: no duration")
    compare("fault", desk.seen())


@pytest.mark.thorough
def test_riding_on_a_ball(look, compare):
    desk = look("pillars")
    desk.go_to(0.9)
    press(desk, "Tab", "F2")
    compare("riding", desk.captured())


@pytest.mark.thorough
def test_the_same_moment_gives_the_same_picture_in_every_window(look, open_desk):
    first = look("magic_room", "n").captured()
    other = open_desk("magic_room", size=SIZE)
    other.press("space")
    other.go_to(0.0)
    other.press("h")
    press(other, "n")
    assert np.array_equal(first, other.captured())
