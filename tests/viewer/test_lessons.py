"""All lessons, played with a real mouse and real keys, as their own steps say; and the window."""

import threading

import numpy as np
import pytest
from lesson_player import let_it_run
from spheresim_viewer.lessons.catalogue import LESSONS
from spheresim_viewer.loading import Compiling
from viewer_pupil import Pupil
from viewer_window import xdotool

pytestmark = pytest.mark.compiled_only


def play(pupil):
    """Play a lesson to its end, doing what each step asks for."""
    guide = pupil.page.guide
    for number, step in enumerate(guide.steps):
        assert guide.number == number
        assert not guide.is_answered
        assert step.do.split()[0] in " ".join(pupil.words)
        pupil.do(step.by)
        let_it_run(pupil.page)
        assert guide.is_answered, f"step {number + 1} was not seen done: {step.do}"
        assert step.answer.split()[0] in " ".join(pupil.words)
        pupil.press("Return")
    assert guide.ended


@pytest.mark.cases(4)
@pytest.mark.parametrize("name", LESSONS)
def test_it_is_played_as_its_steps_say_and_ends(open_lesson, name):
    pupil = open_lesson(name)
    play(pupil)
    for key in pupil.lesson.controls():
        assert f"key {key.shown}" in [spot.name for spot in pupil.canvas.writing.spots]


@pytest.mark.study
@pytest.mark.parametrize("size", [(640, 480), (1280, 800), (3840, 2160)])
def test_all_are_played_in_windows_of_other_sizes(screen, size):
    pupil = Pupil(size=size)
    assert pupil.window.get_size() == size
    for name in LESSONS:
        pupil.sit_down(name)
        play(pupil)
    pupil.close()


def test_lessons_follow_each_other_to_the_table_of_contents(open_lesson):
    *_, before, last = LESSONS
    pupil = open_lesson(before)
    pupil.page.go(len(pupil.page.guide.steps))
    pupil.press("Return")
    assert pupil.window.name == last
    pupil.page.go(len(pupil.page.guide.steps))
    pupil.look()
    pupil.click("contents")
    assert pupil.window.name == ""


def test_a_lesson_is_chosen_by_keys_or_by_a_click(open_lesson):
    pupil = open_lesson()
    names = list(LESSONS)
    # Where the mouse was left it may point at a lesson, which would be chosen late.
    pupil.point(3.0, 3.0)
    pupil.page.chosen = names[0]
    pupil.press("right", "down")
    assert pupil.page.chosen == names[5]
    pupil.press("Return")
    assert pupil.window.name == names[5]
    pupil.press("Escape")
    assert pupil.window.name == ""
    assert pupil.page.chosen == names[5]
    pupil.click(names[2])
    assert pupil.window.name == names[2]


def test_up_and_down_stay_in_their_column(open_lesson):
    pupil = open_lesson()
    names = list(LESSONS)
    pupil.point(3.0, 3.0)
    for first, key in ((names[1], "up"), (names[-3], "down"), (names[0], "left")):
        pupil.page.chosen = first
        pupil.press(key)
        assert pupil.page.chosen == first


@pytest.fixture
def preparing(open_lesson, monkeypatch):
    """The table of contents, and the preparation of whatever is chosen, which is slow."""
    pupil, ready = open_lesson(), threading.Event()
    monkeypatch.setattr("spheresim_viewer.lessons.window._SOON", 0.0)
    pupil.window._home = ""
    pupil.window._compiling.clear()

    def slow(_draw):
        compiling = Compiling(ready.wait)
        compiling.start()
        return compiling

    monkeypatch.setattr("spheresim_viewer.lessons.window.compile_ahead", slow)
    yield pupil, ready
    ready.set()


def hear(pupil, count, event, *arguments):
    """Do something, and wait till the window has been told of it so many times in all."""
    xdotool(*arguments)
    pupil.until(lambda: pupil._heard.count(event) >= count)


def test_what_is_done_while_a_lesson_is_prepared_is_dropped(preparing):
    pupil, ready = preparing
    pupil.page.chosen = "ray"
    hear(pupil, 1, "on_key_press", "key", "Return")
    assert pupil.window.is_waiting
    assert "Preparing" in " ".join(pupil.words)
    hear(pupil, 4, "on_key_press", "key", "Return", "Next", "space")
    hear(pupil, 1, "on_mouse_release", "click", "1")
    ready.set()
    pupil._wait_for_lesson()
    assert pupil.window.name == "ray"
    assert pupil.page.guide.number == 0


def test_one_can_leave_while_a_lesson_is_prepared(preparing):
    pupil, _ = preparing
    pupil.page.chosen = "sat"
    hear(pupil, 1, "on_key_press", "key", "Return")
    hear(pupil, 2, "on_key_press", "key", "Escape")
    assert pupil.window.name == ""
    assert not pupil.window.is_waiting
    assert pupil.page.chosen == "sat"


def test_the_steps_can_be_gone_by_buttons_dots_and_keys(open_lesson):
    pupil = open_lesson("ray")
    guide = pupil.page.guide
    pupil.click("skip")
    assert guide.number == 1
    pupil.press("Next")
    assert guide.number == 2
    pupil.press("Prior")
    assert guide.number == 1
    pupil.click("back")
    assert guide.number == 0
    pupil.click("step 4")
    assert guide.number == 3
    pupil.click("free play")
    assert guide.step is None
    assert not guide.ended


def test_what_is_pointed_at_is_explained(open_lesson):
    pupil = open_lesson("sat")
    for wanted in ("axis 3", "axes tested", "B's turning handle"):
        spot = next(s for s in pupil.canvas.writing.spots if s.name == wanted)
        pupil.point(spot.box.x + 0.5 * spot.box.width, spot.box.y + 0.5 * spot.box.height)
        pupil.look()
        assert pupil.lesson.pointed == wanted
        assert spot.meaning.split()[-1] in " ".join(pupil.words)


def test_the_pointer_tells_what_can_be_grabbed(open_lesson):
    pupil = open_lesson("sat")
    diagram = pupil.page.diagram
    nowhere, on_a = diagram.to_points((-6.2, 4.2)), diagram.to_points(pupil.lesson.a.place - 0.5)
    for place, over in ((nowhere, False), (on_a, True), (nowhere, False)):
        pupil.point(*place)
        pupil.until(lambda over=over: pupil.window._over is over)


@pytest.mark.parametrize("name", ["sat", "swept-sat", "gjk", "support", "bounding"])
def test_a_body_is_grabbed_anywhere_and_does_not_jump(open_lesson, name):
    pupil = open_lesson(name)
    body = pupil.lesson.a
    before = body.place
    aside, by = 0.25 * body.reach * np.array([(-1.0, -0.5), (1.0, 0.5)])
    pupil.drag_on_board(before + aside, before + aside + by)
    tolerance = 2.0 / pupil.page.diagram.scale
    assert body.place == pytest.approx(before + by, abs=tolerance)


def test_backspace_begins_anew(open_lesson):
    pupil = open_lesson("sat")
    before = pupil.figures
    pupil.press("Next", "r")
    assert pupil.figures != before
    pupil.press("BackSpace")
    assert pupil.figures == before
    assert pupil.page.guide.number == 0


def test_a_picture_is_saved_or_the_title_says_why_not(open_lesson, folder, monkeypatch):
    from spheresim_viewer.lessons import window

    pupil = open_lesson("ray")
    pupil.press("F12")
    assert (folder / "lesson-ray.png").read_bytes().startswith(b"\x89PNG")
    assert str(folder / "lesson-ray.png") in pupil.window.caption

    def full(path, _pixels):
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(window, "write_png", full)
    pupil.press("F12")
    assert "No space left on device" in pupil.window.caption
    assert str(folder) in pupil.window.caption
