"""Every key that changes what is shown does what the help says, pressed as a real key."""

import numpy as np
import pytest
from viewer_keys import LOOK, action_of, checks_in, differs, press_and_check
from viewer_window import SCREEN, xdotool

pytestmark = pytest.mark.compiled_only


def check_pick_next(desk, press):
    picked = []
    for _ in range(11):
        press()
        picked.append(desk.scene_view.picked)
    assert picked == [*range(10), 0]


def check_pick_previous(desk, press):
    picked = []
    for _ in range(3):
        press()
        picked.append(desk.scene_view.picked)
    assert picked == [9, 8, 7]


def check_next_color(desk, press):
    desk.press("n")
    desk.go_to(desk.player.time + 1.0)
    pictures = [desk.captured()]
    for _ in range(5):
        press()
        pictures.append(desk.captured())
    for k, picture in enumerate(pictures[:5]):
        assert not np.array_equal(picture, pictures[k + 1])
    assert np.array_equal(pictures[0], pictures[5])
    assert "own" in desk.said


def check_trails(desk, press):
    desk.press("space")
    desk.pass_time(30, 0.1)
    desk.press("space")
    assert differs(desk, press)


def check_arrows(desk, press):
    assert differs(desk, press)


def check_contacts(desk, press):
    go_shortly_after_an_impact_in_view(desk)
    assert differs(desk, press)


def check_explosions(desk, press):
    go_shortly_after_an_impact_in_view(desk)
    assert differs(desk, press)


def go_shortly_after_an_impact_in_view(desk):
    desk.press("n", "n")
    desk.go_to(desk.player.time + 1.0)
    desk.press("4")  # from above
    desk.options.numbers = False
    desk.settle()


def check_ghosts(desk, press):
    assert differs(desk, press)


def check_sliced_answer(desk, press):
    seen = []
    for _ in range(4):
        press()
        seen.append(desk.options.slices)
    assert seen == [150, 10, 1, 0]
    assert desk.said == "comparison with slices off"


def check_drop_lines(desk, press):
    assert differs(desk, press)
    assert "drop lines" in desk.said


def check_panel(desk, press):
    assert desk.options.panel
    press()
    assert not desk.options.panel


def check_plots(desk, press):
    assert differs(desk, press)


def check_numbers(desk, press):
    assert differs(desk, press)


def check_shadows(desk, press):
    assert differs(desk, press)


def check_sound(desk, press):
    press()
    assert desk.options.sound or "no sound" in desk.said
    if desk.options.sound:
        press()
    assert not desk.options.sound


def check_fullscreen(desk, press):
    xdotool("key", "F11")  # it makes a new window of the system, to which the release does not go
    desk.until(lambda: desk.window.fullscreen and desk.viewer._canvas.size == SCREEN)
    desk.focus()
    xdotool("key", "F11")
    desk.until(lambda: not desk.window.fullscreen and desk.viewer._canvas.size == (400, 300))
    desk.focus()


def check_help(desk, press):
    before = desk.seen()
    press()
    assert desk.options.help
    assert not np.array_equal(desk.seen(), before)
    for _ in range(desk.viewer.help_pages):  # in a small window the keys fill several pages
        assert desk.options.help
        press()
        desk.frame()
    assert not desk.options.help


CHECKS = checks_in(globals())


@pytest.mark.cases(6)
@pytest.mark.parametrize("names", LOOK, ids=LOOK.get)
def test_a_key_does_what_the_help_says(desk, names):
    press_and_check(desk, names, CHECKS)


def test_every_action_is_checked(desk):
    assert {action_of(names) for names in LOOK} == set(CHECKS)
