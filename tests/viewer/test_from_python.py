"""Pictures and films from Python, and how they are taken."""

import numpy as np
import pytest
from command_line import python
from viewer_window import VirtualScreen, need_opengl

pytestmark = [pytest.mark.compiled_only, pytest.mark.thorough]

PROGRAM = """
from pathlib import Path
from spheresim import Ball, Plane, Run, Simulation
from spheresim_viewer import film, screenshot

balls = [Ball((k, 2 + k, 0), radius=0.4) for k in range(3)]
simulation = Simulation(balls, [Plane((0, 0, 0), (0, 1, 0))], (0, -10, 0), engine="events")
size = (320, 200)
screenshot(simulation, "simulation.png", at=0.5, size=size, show="bare")
simulation.save_scene("scene.toml", until=2)
simulation.save("run", until=2, frame_every=0.1)
screenshot("scene.toml", "scene.png", at=0.5, size=size, show="bare")
screenshot(Run.load("run"), "run.png", at=0.5, size=size, show="bare")
near = dict(camera=(1, 2, 4), target=(1, 1, 0))
screenshot("run", "near.png", at=0.5, size=size, show="bare", **near)
film("run", "turn.gif", seconds=0.2, fps=25, size=size, show="bare", orbit=90)
film("run", "slow.mp4", seconds=0.2, fps=25, size=size, show="bare", speed=0.1, start=0.5, **near)
for wrong in (dict(speed=0), dict(ride="x"), dict(camera=(0, 0, 0), target=(0, 0, 0))):
    try:
        film("run", "none.mp4", seconds=0.1, size=size, **wrong)
    except ValueError as fault:
        print(fault)

moves = Simulation([Ball((0, 0, 0), (1, 0, 0), radius=0.5)], step=0.01)
late = Simulation([Ball((0, 0, 0), (1, 0, 0), radius=0.5)], step=0.01)
late.run(until=3)
at_three = dict(camera=(0, 2, 14), target=(0, 0, 0), size=size, show="bare")
screenshot(moves, "from-start.png", at=3.0, **at_three)
screenshot(late, "at-three.png", at=3.0, **at_three)
screenshot(late, "now.png", **at_three)
screenshot(late, "by-name.png", size=size, show="trails, arrows", follow="ball 0")
screenshot(late, "by-index.png", size=list(size), show=["trails", "arrows"], follow=0)
film(late, "late.mp4", seconds=0.2, fps=25, **at_three)
film("run", "to-the-end.mp4", fps=25, size=size, start=1.0, speed=0.5)
for what, at in ((late, 2.9), (late, -5), ("run", 2.1), ("scene.toml", 3)):
    try:
        screenshot(what, "none.png", at=at, size=size)
    except ValueError as fault:
        print(fault)
try:
    film("run", "none.mp4", seconds=1, size=size)
except ValueError as fault:
    print(fault)
"""


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    need_opengl()
    drawn = tmp_path_factory.mktemp("pictures")
    done = python("-c", PROGRAM, cwd=drawn)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "speed must be greater than 0, not 0.0",
        "there is no ball 'x'; their names are ball 0, ball 1, ball 2",
        "camera and target must be two points",
        "at must be at least 3.0, the present time of the simulation, not 2.9",
        "at must be at least 3.0, the present time of the simulation, not -5.0",
        "at must be at most 2.0, the end of the run, not 2.1",
        "at must be at most 2.0, the end of the scene, not 3.0",
        "a film of 1 seconds from t = 0 would end at t = 5, after the end of the run at t = 2: "
        "make it shorter or slower, or leave out its length",
    ]
    return drawn


def frames(file):
    """The pictures of a film."""
    av = pytest.importorskip("av")
    with av.open(str(file)) as container:
        return [picture.to_ndarray(format="rgb24") for picture in container.decode(video=0)]


def test_a_simulation_its_scene_and_its_run_give_the_same_picture(drawn):
    first, *others = (
        (drawn / f"{name}.png").read_bytes() for name in ("simulation", "scene", "run")
    )
    assert others == [first, first]


def test_the_camera_is_where_it_was_put(drawn):
    near, whole = frames(drawn / "near.png")[0], frames(drawn / "run.png")[0]
    assert near.shape == whole.shape
    assert (near != whole).any(axis=-1).mean() > 0.2


def test_a_gif_turns_about_the_scene(drawn):
    pictures = frames(drawn / "turn.gif")
    assert [picture.shape for picture in pictures] == [(200, 320, 3)] * 5
    assert (pictures[0] != pictures[-1]).any()


def test_slow_motion_begins_where_it_was_told_to(drawn):
    pictures = frames(drawn / "slow.mp4")
    assert len(pictures) == 5
    still = frames(drawn / "near.png")[0].astype(float)
    assert np.abs(pictures[0].astype(float) - still).mean() < 4.0  # but for the film's coding


def test_a_simulation_that_has_run_is_shown_at_its_own_time(drawn):
    first, *others = (
        (drawn / f"{name}.png").read_bytes() for name in ("from-start", "at-three", "now")
    )
    assert others == [first, first]
    begins = frames(drawn / "late.mp4")[0].astype(float)
    assert np.abs(begins - frames(drawn / "now.png")[0]).mean() < 4.0  # but for the film's coding


def test_words_and_balls_may_be_given_in_both_forms(drawn):
    by_name, by_index = ((drawn / f"by-{form}.png").read_bytes() for form in ("name", "index"))
    assert by_name == by_index


SIZE = "size must be a width and a height of 16 to 8192 pixels, such as (1280, 800), not"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"size": "900x600"}, f"{SIZE} '900x600'"),
        ({"size": (0, 10)}, f"{SIZE} (0, 10)"),
        ({"fps": 0}, "fps must be from 1 to 240, not 0.0"),
        ({"fps": -5}, "fps must be from 1 to 240, not -5.0"),
        ({"seconds": -3}, "seconds must be from 0 to 86400, not -3.0"),
        ({"show": 5}, "show must be words such as 'trails,speed', not 5"),
        ({"show": ["speed", "x"]}, "show must be one of plots, trails, arrows, contacts, ghosts, "
         "drops, speed, energy, impacts, state, bare, not 'x'"),
        ({"camera": (0, 1)}, "camera: a vector has three components, not 2: (0, 1)"),
        ({"target": "0,1,2"}, "target: a vector has three components, not 5: '0,1,2'"),
        ({"follow": 0.5}, "follow must be the name or the index of a ball, not 0.5"),
        ({"orbit": "x"}, "orbit must be a number, not 'x'"),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_named_with_what_is_expected(tmp_path, words, said):
    from spheresim_viewer import film

    with pytest.raises((ValueError, TypeError)) as fault:
        film("two_balls", tmp_path / "none.mp4", **words)
    assert str(fault.value) == said
    assert not list(tmp_path.iterdir())


def test_a_film_without_a_length_ends_with_its_run(drawn):
    assert len(frames(drawn / "to-the-end.mp4")) == 10  # from t = 1 to 2, at 2.5 a second


def test_nothing_is_left_of_what_was_refused(drawn):
    assert not list(drawn.glob("none*"))


IN_TURNS = """
import pyglet
from spheresim import Ball, Simulation
from spheresim_viewer import NoPictureError, film, screenshot, show

simulation = Simulation([Ball((0, 0, 0), (1, 0, 0), radius=0.5)], step=0.01)
size = (320, 240)


def close(dt):
    (viewer,) = [window._viewer for window in pyglet.app.windows if hasattr(window, "_viewer")]
    if viewer.is_waiting:
        pyglet.clock.schedule_once(close, 0.1)
        return
    print(type(viewer.window).__mro__[1].__name__, viewer.window.visible)
    viewer.close()


for draw in (show, screenshot, show, film, show):
    try:
        if draw is show:
            pyglet.clock.schedule_once(close, 0.1)
            show(simulation, size=size)
        elif draw is screenshot:
            screenshot(simulation, "in-turns.png", size=size)
        else:
            film(simulation, "in-turns.gif", seconds=0.1, size=size)
    except NoPictureError as fault:
        pyglet.clock.unschedule(close)
        print(str(fault).split(" (")[0])
"""


def test_pictures_and_windows_may_follow_one_another(tmp_path):
    need_opengl()
    screen = VirtualScreen()
    done = python("-c", IN_TURNS, cwd=tmp_path, DISPLAY=screen.display)
    screen.close()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["XlibWindow True"] * 3
    assert {file.name for file in tmp_path.iterdir()} == {"in-turns.png", "in-turns.gif"}


def test_without_a_display_each_window_is_refused_and_each_picture_drawn(tmp_path):
    need_opengl()
    done = python("-c", IN_TURNS, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["no window could be opened"] * 3
    assert {file.name for file in tmp_path.iterdir()} == {"in-turns.png", "in-turns.gif"}
