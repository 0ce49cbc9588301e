"""Keys as a whole: the table, the help, held and locked keys; and what a key makes be drawn."""

import math

import numpy as np
import pytest
from viewer_keys import CHORDS, ELSEWHERE, names_of
from viewer_window import xdotool

pytestmark = [pytest.mark.compiled_only, pytest.mark.thorough]


def test_what_changes_the_picture_is_drawn_and_where_nothing_changes_nothing_is(desk):
    """Every action, at a standstill: a frame in which nothing is new is not drawn."""
    from spheresim_viewer.keys import BINDINGS

    desk.go_to(6.0)
    desk.go_to(3.0)
    for action in dict.fromkeys(binding.action for binding in BINDINGS):
        if action in ("quit", "fullscreen", "reload", "sound"):
            continue
        desk.player.pause()
        desk.camera.turning = False
        desk.options.shadows = False  # drawn slowly by a processor
        desk.viewer.resize(240, 180)  # small is fast, and large enough for any difference
        desk.settle()
        snapshot = desk.player.snapshot
        for _ in range(20):  # the camera comes to rest to the last bit
            desk.camera.update(10.0, snapshot.position, snapshot.velocity, snapshot.world.radius)
        if desk.scene_view.throw is not None:  # its way is computed to the end
            desk.scene_view.throw.forecast.go_on(60.0)
        desk.pass_time(1, 0.0)
        desk.viewer.advance_clock()
        assert not desk.viewer.advance_clock(), action
        before = desk.seen()
        desk.viewer.perform(action)
        changed = not np.array_equal(desk.seen(), before)
        assert desk.viewer.advance_clock() or not changed, action


def test_ctrl_q_ends(open_desk):
    desk = open_desk("two_balls", size=(400, 300))
    desk.press("ctrl+q")
    assert desk.window.context is None


def test_every_key_is_tested_once_and_has_an_action(desk):
    from spheresim_viewer.actions import Actions
    from spheresim_viewer.keys import BINDINGS, HELD

    every = [names_of(binding) for binding in BINDINGS]
    assert len(every) == len(set(every))
    assert set(every) == set(CHORDS) | set(ELSEWHERE)
    actions = {binding.action for binding in BINDINGS}
    assert all(callable(getattr(Actions, action)) for action in actions)
    assert not {binding.symbol for binding in BINDINGS if not binding.held} & set(HELD)


@pytest.mark.parametrize("names", ELSEWHERE, ids=" ".join)
def test_a_key_of_other_keyboards_is_understood(desk, names):
    from pyglet.window import key
    from spheresim_viewer.keys import action_of

    held = key.MOD_SHIFT if names[1] else 0
    assert action_of(getattr(key, names[0]), held | key.MOD_NUMLOCK) == ELSEWHERE[names]


@pytest.mark.parametrize("key", ["question", "plus", "ISO_Left_Tab"])
def test_it_does_not_matter_whether_shift_or_the_key_is_let_go_first(desk, key):
    plain = {"question": "slash", "plus": "equal", "ISO_Left_Tab": "Tab"}[key]
    speed = desk.player.speed
    desk.viewer.help_pages = 1  # else as many as a test before this one has left
    for last in ("shift", plain, "shift", plain):
        first = plain if last == "shift" else "shift"
        arguments = ("keydown", "shift", "keydown", plain, "keyup", first, "keyup", last)
        desk._do("on_key_release", 2, *arguments)
    assert not desk.options.help
    assert desk.player.speed / speed == pytest.approx(20.0 if key == "plus" else 1.0)
    assert desk.scene_view.picked == (6 if key == "ISO_Left_Tab" else None)


def test_what_is_locked_changes_no_key(desk):
    xdotool("key", "Num_Lock", "Caps_Lock")
    try:
        desk.press("space")
        assert desk.player.running
    finally:
        xdotool("key", "Num_Lock", "Caps_Lock")


@pytest.mark.parametrize(
    ("key", "moved"),
    [
        ("a", (-1, 0, 0)),
        ("d", (1, 0, 0)),
        ("w", (0, 1, 0)),
        ("s", (0, -1, 0)),
        ("Up", (0, 0, -1)),
        ("Down", (0, 0, 1)),
    ],
)
def test_held_keys_move_the_camera(desk, key, moved):
    camera = desk.camera
    axes = np.array([camera.right, camera.upward, camera.direction])
    eye, target = camera.eye.copy(), camera.target.copy()
    desk.hold(key)
    desk.settle()
    there = axes @ (camera.eye - eye)
    assert int(np.argmax(np.abs(there))) == int(np.argmax(np.abs(moved)))
    assert there @ moved > 0.05
    assert np.allclose(camera.target, target)
    still = camera.eye.copy()
    desk.pass_time(5)
    assert np.allclose(camera.eye, still)


def test_with_shift_held_keys_shift(desk):
    eye, direction = desk.camera.eye.copy(), desk.camera.direction.copy()
    desk.hold("shift", "d")
    desk.settle()
    assert np.allclose(desk.camera.direction, direction)
    assert (desk.camera.eye - eye) @ desk.camera.right > 0.01


def test_ctrl_s_saves_and_does_not_orbit(desk):
    direction = desk.camera.direction.copy()
    xdotool("keydown", "ctrl", "keydown", "s")
    desk.until(lambda: "saved" in desk.said)
    desk.pass_time(5)
    xdotool("keyup", "s", "keyup", "ctrl")
    desk.pass_time(5)
    assert np.array_equal(desk.camera.direction, direction)


def texts_outside(overlay) -> list[str]:
    """Texts that do not fit into the window, for the last frame."""
    outside = []
    ratio = overlay._ratio
    for said, label in zip(overlay._texts, overlay._labels, strict=False):
        left = {"left": 0.0, "center": 0.5, "right": 1.0}[said.anchor]
        start = label.x - left * label.content_width
        end = start + label.content_width
        fits_wide = start >= 0 and end <= overlay.width * ratio
        if not (fits_wide and 2 <= label.y <= overlay.height * ratio - 0.8 * said.size * ratio):
            outside.append(said.text)
    return outside


@pytest.mark.cases(1)
@pytest.mark.parametrize("size", [(640, 480), (1280, 800)])
@pytest.mark.parametrize("shown", ["help", "plots"])
def test_all_words_are_in_the_window(open_desk, size, shown):
    desk = open_desk("pi_by_collisions", size=size)
    desk.scene_view.pick(0)
    setattr(desk.options, shown, True)
    desk.press("n")
    desk.until(lambda: not desk.player.seeking)
    desk.frame()
    assert len(desk.viewer.overlay._texts) > 20
    assert texts_outside(desk.viewer.overlay) == []


@pytest.mark.cases(3)
@pytest.mark.parametrize("size", [(320, 240), (640, 480), (1280, 800), (3840, 2160)])
@pytest.mark.parametrize("shown", ["panel", "help", "plots", "picked"])
def test_no_text_lies_over_another(open_desk, size, shown):
    from spheresim_viewer.canvas import Canvas
    from spheresim_viewer.hud.overlay import fitting_scale

    desk = open_desk("pi_by_collisions", size=(640, 480))
    desk.options.help, desk.options.plots = shown == "help", shown == "plots"
    desk.press("space", "n")
    desk.until(lambda: not desk.player.seeking)
    desk.scene_view.pick(0 if shown == "picked" else None)
    canvas = Canvas(desk.window, *size, fitting_scale(*size))
    desk.window.switch_to()
    canvas.draw(desk.scene_view, desk.viewer._draw_over)
    written = canvas.overlay.written()
    assert len(written) > 5
    for text, box in written:
        assert 0.0 <= box[0] < box[2] <= canvas.overlay.width, text
        assert 0.0 <= box[1] < box[3] <= canvas.overlay.height, text
    assert not overlapping(written)


def overlapping(written):
    """Pairs of texts of which one lies over the other."""
    return [
        (text, other)
        for k, (text, box) in enumerate(written)
        for other, there in written[k + 1 :]
        if box[0] < there[2] and there[0] < box[2] and box[1] < there[3] and there[1] < box[3]
    ]


def test_in_a_small_window_the_scale_and_a_message_stand_above_the_caption(open_desk):
    desk = open_desk("pinball", size=(640, 480))
    desk.press("space", "c")
    desk.frame()
    overlay = desk.viewer.overlay
    boxes = dict(overlay.written())
    first, last = overlay.wrapped(desk.scene_view.scene.view.caption, 15.0, 584.0)
    assert last in boxes
    for text in ("speed", "color: speed"):
        assert boxes[text][1] > boxes[first][3]


def test_in_a_low_window_no_plot_lies_on_the_caption_or_the_scale(open_desk):
    desk = open_desk("pinball", size=(640, 400))
    desk.press("space", "c", "p")
    assert "energy" in desk.words
    assert "balls by speed" not in desk.words
    assert not overlapping(desk.viewer.overlay.written())


@pytest.mark.parametrize("size", [(640, 480), (1000, 700), (1280, 800)])
def test_a_notice_is_over_no_text_of_plots_and_tooltips(open_desk, size):
    desk = open_desk("magic_room", size=size)
    desk.press("space", "p")
    overlay, notice = desk.viewer.overlay, desk.viewer.notice
    notice.fault("a long message that stays until it is dismissed, and is wider than the gap " * 2)
    rows = [said.box for said in overlay.explained]
    for x, y, width, height in [(0.0, 0.0, 0.0, 0.0), *rows[::4]]:
        overlay.pointer = x + 0.5 * width, y + 0.5 * height
        desk.frame()
        assert not overlapping(overlay.written())
    assert notice.lines[0].split()[0] in " ".join(text for text, _ in overlay.written())


@pytest.mark.parametrize("size", [(480, 360), (640, 400), (640, 480), (800, 600), (1280, 800)])
def test_numbers_and_plots_leave_room_for_the_balls(desk, size):
    from spheresim_viewer.camera.framing import WHOLE, free_areas
    from spheresim_viewer.hud.covers import covers
    from spheresim_viewer.hud.overlay import Overlay

    desk.options.plots, overlay = True, Overlay()
    overlay.begin(*size, 1.0)
    areas = free_areas(covers(overlay, desk.scene_view, in_window=False))
    assert WHOLE not in areas


def test_scales_of_colors_stand_still(open_desk):
    desk = open_desk("gas_in_a_box")
    desk.press("space", "c")
    ends = []
    for time in (0.0, 0.5, 1.0):
        desk.go_to(time)
        ends.append(desk.scene_view.scale_end())
    assert ends == [ends[0]] * 3
    assert ends[0] == (10.0, "speed")


def test_the_help_knows_every_key(desk):
    from spheresim_viewer.keys import BINDINGS, BY_MOUSE_AND_HELD

    desk.press("F1")
    texts = desk.words
    while (
        desk.options.help_page + 1 < desk.viewer.help_pages
    ):  # in a small window there are several
        desk.press("F1")
        texts |= desk.words
    for binding in BINDINGS:
        if binding.shown:
            assert {binding.shown, binding.words} <= texts
    described = {binding.action for binding in BINDINGS if binding.shown}
    assert described == {binding.action for binding in BINDINGS}
    assert {words for _, _, words in BY_MOUSE_AND_HELD} <= texts
    assert math.isclose(desk.player.time, 0.0)
