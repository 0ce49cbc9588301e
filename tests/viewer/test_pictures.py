"""What is drawn, held against golden pictures that somebody has looked at.

SPHERESIM_NEW_GOLDEN=1 writes them anew.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from golden_pictures import difference
from scene_files import PERIODIC, SHIPPED

from spheresim.scene import load_scene

pytestmark = pytest.mark.compiled_only

SIZE = (320, 240)
FIRST_FRAMES = {
    "magic_room": "planes and pillars",
    "newtons_cradle": "balls of several colors",
    "pinball": "every kind of obstacle",
    "bowl": "spheres that are open above",
    "galton_board": "glass panes, and numbers over the bins",
    "lorentz_gas": "a periodic box",
    "tautochrone": "a mesh",
}
"""The scenes whose first frame is held against a picture, and what only that picture shows."""
SHOWN_AT_ONCE = ("magic_room", "newtons_cradle")
"""Those that are looked at before each commit; the rest are in `test-all`."""


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
        engine = "events" if name in PERIODIC else "steps"
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
        for name in FIRST_FRAMES
    ],
)
def test_the_first_frame(look, compare, name):
    compare(f"first-{name}", look(name).captured())


@pytest.mark.thorough
@pytest.mark.parametrize("name", SHIPPED)
def test_the_first_frame_of_every_scene_is_filled(look, name):
    """What is drawn reaches over half the width or half the height of the picture."""
    drawn = np.abs(np.diff(look(name).captured().astype(int), axis=1)).max(axis=2) > 12
    rows, columns = np.flatnonzero(drawn.any(axis=1)), np.flatnonzero(drawn.any(axis=0))
    assert max(np.ptp(rows) / SIZE[1], np.ptp(columns) / SIZE[0]) > 0.5


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
        said_in_lines = (text for text in overlay._texts if text.text and not text.text.isdigit())
        lines = sorted(said_in_lines, key=lambda text: -text.y)
        words = " ".join(line.text for line in lines)
        assert (said.caption or "") in words


def test_paused_and_a_step_on(look):
    desk = look("magic_room")
    desk.press("space")
    desk.pass_time(30, 0.1)
    press(desk, "space")
    paused = desk.captured()
    desk.pass_time(5, 0.05)
    assert np.array_equal(desk.captured(), paused)
    press(desk, "Right")
    stepped = desk.captured()
    assert not np.array_equal(stepped, paused)
    press(desk, "Left")
    assert np.array_equal(desk.captured(), paused)


def test_the_numbers_of_an_impact_and_of_the_picked_ball(look, compare):
    desk = look("two_balls", "n", "Tab", numbers=True)
    compare("impact-numbers", desk.captured())


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
def test_each_way_of_coloring(look, compare):
    desk = look("pillars")
    desk.go_to(1.5)
    press(desk)
    pictures = [desk.captured()]
    for _ in range(4):
        press(desk, "c")
        pictures.append(desk.captured())
    compare("colors", np.concatenate(pictures))


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
def test_walls_that_face_the_camera_give_way(look, compare):
    """From the front, the right, above and below."""
    desk = look("magic_room")
    pictures = []
    for view in "234":
        press(desk, view)
        pictures.append(desk.captured())
    press(desk, "1")
    desk.drag((160, 70), (160, 100), (160, 230))
    desk.settle()
    compare("views", np.concatenate([*pictures, desk.captured()]))


@pytest.mark.thorough
def test_a_star_with_trails_and_shadows_in_a_glass_tube(reopen_desk, compare):
    desk = reopen_desk("billiard_in_a_tube", size=(640, 400))
    desk.player.pause()
    desk.options.numbers = desk.options.explosions = False
    desk.options.shadows = desk.options.trails = True
    trails = desk.scene_view.trails
    trails.last(4.2)  # the whole star
    for moment in [*trails.times_before(14.0), 14.0]:
        desk.go_to(moment)
        desk.pass_time(1, 0.0)
    press(desk)
    compare("star", desk.captured())


@pytest.mark.thorough
def test_the_answer_of_slices_beside_an_impact(look, compare):
    compare("slices", look("two_balls", *"nuuu").captured())


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
