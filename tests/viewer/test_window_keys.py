"""Every key does what the help says, pressed as a real key in a real window."""

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from viewer_window import Desk, xdotool

pytestmark = pytest.mark.compiled_only

SHIFT, CTRL = "shift", "ctrl"

CHORDS = {  # (symbol, held): what xdotool presses for it on a US keyboard
    ("SPACE", ""): "space",
    ("RIGHT", ""): "Right",
    ("LEFT", ""): "Left",
    ("N", ""): "n",
    ("N", SHIFT): "shift+n",
    ("MINUS", ""): "minus",
    ("EQUAL", ""): "equal",
    ("PLUS", SHIFT): "shift+equal",
    ("NUM_ADD", ""): "KP_Add",
    ("NUM_SUBTRACT", ""): "KP_Subtract",
    ("Z", ""): "z",
    ("BACKSPACE", ""): "BackSpace",
    ("PAGEDOWN", ""): "Next",
    ("PAGEUP", ""): "Prior",
    ("F", ""): "f",
    ("F2", ""): "F2",
    ("_1", ""): "1",
    ("_2", ""): "2",
    ("_3", ""): "3",
    ("_4", ""): "4",
    ("HOME", ""): "Home",
    ("R", ""): "r",
    ("TAB", ""): "Tab",
    ("user_key(17)", SHIFT): "shift+Tab",
    ("C", ""): "c",
    ("T", ""): "t",
    ("V", ""): "v",
    ("X", ""): "x",
    ("E", ""): "e",
    ("O", ""): "o",
    ("P", ""): "p",
    ("H", ""): "h",
    ("L", ""): "l",
    ("F3", ""): "F3",
    ("F11", ""): "F11",
    ("B", ""): "b",
    ("G", ""): "g",
    ("G", SHIFT): "shift+g",
    ("BRACKETLEFT", ""): "bracketleft",
    ("BRACKETRIGHT", ""): "bracketright",
    ("M", ""): "m",
    ("I", ""): "i",
    ("F12", ""): "F12",
    ("P", CTRL): "ctrl+p",
    ("S", CTRL): "ctrl+s",
    ("L", CTRL): "ctrl+l",
    ("ESCAPE", ""): "Escape",
    ("SLASH", ""): "slash",
    ("QUESTION", SHIFT): "shift+slash",
    ("F1", ""): "F1",
    ("Q", CTRL): "ctrl+q",
}
ELSEWHERE = {  # what other keyboards and systems say
    ("PLUS", ""): "faster",
    ("EQUAL", SHIFT): "faster",
    ("QUESTION", ""): "help",
    ("SLASH", SHIFT): "help",
    ("TAB", SHIFT): "pick_previous",
}


def names_of(binding) -> tuple[str, str]:
    from pyglet.window import key

    held = {0: "", key.MOD_SHIFT: SHIFT, key.MOD_CTRL: CTRL, key.MOD_ACCEL: CTRL}[binding.held]
    return key.symbol_string(binding.symbol), held


@pytest.fixture(scope="module")
def room(screen: str) -> Iterator[Desk]:
    desk = Desk("magic_room", size=(400, 300))
    yield desk
    desk.close()


@pytest.fixture
def desk(room: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """The room as it is after the start, but paused."""
    monkeypatch.chdir(tmp_path)
    room.anew()
    room.player.running = False
    return room


# --- What keys do: one function for each action, given the desk and a way to press ---


def differs(desk: Desk, press) -> bool:
    """Whether pressing changes what is seen, and pressing again takes it back."""
    before = desk.captured()
    press()
    between = desk.captured()
    press()
    assert np.array_equal(desk.captured(), before)
    return not np.array_equal(between, before)


def check_run_or_pause(desk, press):
    press()
    assert desk.player.running
    desk.frames(5)
    reached = desk.player.time
    assert reached > 0.0
    press()
    assert not desk.player.running
    desk.frames(5)
    assert desk.player.time == reached


def check_step_forward(desk, press):
    press()
    press()
    assert desk.player.time == 2 * 0.6
    assert not desk.player.running


def check_step_back(desk, press):
    desk.go_to(6.0)
    press()
    assert desk.player.time == 9 * 0.6
    desk.go_to(0.0)
    press()
    assert desk.player.time == 0.0


def check_next_impact(desk, press):
    press()
    first = desk.player.time
    assert first > 0.0
    assert desk.player.impacts_now().t.tolist() == [first]
    press()
    assert desk.player.time > first


def check_previous_impact(desk, press):
    desk.press("n", "n")
    second = desk.player.time
    press()
    assert 0.0 < desk.player.time < second
    assert desk.player.impacts_now().t.tolist() == [desk.player.time]


def check_faster(desk, press):
    speed = desk.player.speed
    press()
    assert desk.player.speed == pytest.approx(2 * speed)


def check_slower(desk, press):
    speed = desk.player.speed
    press()
    assert desk.player.speed == pytest.approx(0.5 * speed)


def check_run_backwards(desk, press):
    desk.go_to(60.0)
    press()
    desk.frames(5)
    assert 0.0 < desk.player.time < 60.0
    press()
    assert not desk.player.running
    press()
    assert desk.player.running
    desk.until(lambda: desk.player.time == 0.0, 0.1)


def check_restart(desk, press):
    start = desk.state
    desk.go_to(60.0)
    press()
    assert desk.state == start


def check_leap_forward(desk, press):
    press()
    press()
    assert desk.player.time == 60.0


def check_leap_back(desk, press):
    desk.go_to(60.0)
    press()
    assert desk.player.time == 30.0


def check_follow(desk, press):
    desk.viewer.scene_view.pick(2)
    press()
    desk.settle()
    middle = desk.on_screen(desk.player.snapshot.position[2])
    assert middle == pytest.approx((200.0, 150.0), abs=2.0)
    before = desk.camera.target.copy()
    desk.go_to(30.0)
    desk.settle()
    assert np.linalg.norm(desk.camera.target - before) > 1e-3
    assert desk.on_screen(desk.player.snapshot.position[2]) == pytest.approx(middle, abs=1.0)
    press()
    desk.go_to(60.0)
    desk.settle()
    assert desk.on_screen(desk.player.snapshot.position[2]) != pytest.approx(middle, abs=1.0)


def check_ride(desk, press):
    press()
    assert desk.scene_view.picked == 0
    desk.go_to(30.0)
    desk.settle()
    eye = desk.scene_view.stage.to_world(desk.camera.eye)
    assert np.linalg.norm(eye - desk.player.snapshot.position[0]) < 15 * 20.0
    velocity = desk.player.snapshot.velocity[0]
    assert np.dot(velocity / np.linalg.norm(velocity), desk.camera.forward) > 0.8
    press()
    desk.go_to(60.0)
    desk.settle()
    assert np.allclose(desk.scene_view.stage.to_world(desk.camera.eye), eye)


def looks_from(desk, press, direction):
    press()
    desk.settle()
    assert np.allclose(desk.camera.direction, direction, atol=1e-3)


def check_view_corner(desk, press):
    start = desk.camera.direction.copy()
    desk.press("4")
    desk.settle()
    assert not np.allclose(desk.camera.direction, start, atol=0.1)
    looks_from(desk, press, start)


def check_view_front(desk, press):
    looks_from(desk, press, (0, 0, 1))


def check_view_right(desk, press):
    looks_from(desk, press, (1, 0, 0))


def check_view_top(desk, press):
    looks_from(desk, press, (0, 1, 0))


def check_reset_camera(desk, press):
    start = desk.camera.eye.copy()
    desk.wheel(100, 200, 3)
    desk.drag((200, 150), (260, 150))
    desk.press("r")
    desk.settle()
    assert not np.allclose(desk.camera.eye, start, atol=0.05)
    press()
    desk.settle()
    assert np.allclose(desk.camera.eye, start, atol=1e-3)
    assert not desk.camera.turning


def check_turn(desk, press):
    before = desk.camera.direction.copy()
    press()
    desk.frames(5, 0.1)
    assert not np.allclose(desk.camera.direction, before, atol=1e-3)
    assert desk.camera.direction[1] == pytest.approx(before[1])
    press()
    desk.settle()
    stopped = desk.camera.direction.copy()
    desk.frames(5, 0.1)
    assert np.array_equal(desk.camera.direction, stopped)


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
    for _ in range(4):
        press()
        pictures.append(desk.captured())
    for k, picture in enumerate(pictures[:4]):
        assert not np.array_equal(picture, pictures[k + 1])
    assert np.array_equal(pictures[0], pictures[4])
    assert "identity" in desk.said


def check_trails(desk, press):
    desk.press("space")
    desk.frames(30, 0.1)
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
    desk.until(lambda: desk.window.fullscreen and desk.viewer._canvas.size == (1280, 1024))
    desk.focus()
    xdotool("key", "F11")
    desk.until(lambda: not desk.window.fullscreen and desk.viewer._canvas.size == (400, 300))
    desk.focus()


def check_throw(desk, press):
    desk.go_to(6.0)
    forward = desk.camera.forward
    press()
    assert len(desk.player.snapshot.position) == 11
    assert desk.scene_view.picked == 10
    velocity = desk.player.snapshot.velocity[10]
    assert np.allclose(velocity / np.linalg.norm(velocity), forward)
    before = desk.player.snapshot.position[10].copy()
    desk.press("space")
    desk.frames(5)
    assert not np.array_equal(desk.player.snapshot.position[10], before)


def gravity_of(desk):
    return tuple(desk.player.snapshot.world.gravity)


def check_gravity(desk, press):
    desk.go_to(6.0)
    press()
    assert gravity_of(desk) == (0.0, 0.0, 0.0)
    falling = desk.player.snapshot.velocity.copy()
    desk.press("Right")
    assert np.array_equal(desk.player.snapshot.velocity, falling)
    press()
    assert gravity_of(desk) == (0.0, -0.05, 0.0)
    desk.press("Right")
    assert not np.array_equal(desk.player.snapshot.velocity, falling)


def check_flip_gravity(desk, press):
    press()
    assert gravity_of(desk) == (0.0, 0.05, 0.0)
    press()
    assert gravity_of(desk) == (0.0, -0.05, 0.0)


def restitutions(desk):
    world = desk.player.snapshot.world
    return set(np.concatenate([world.restitution, world.obstacles.restitution]).tolist())


def check_less_restitution(desk, press):
    press()
    press()
    assert restitutions(desk) == {0.8}
    assert "0.8" in desk.said
    for _ in range(9):
        press()
    assert restitutions(desk) == {0.0}


def check_more_restitution(desk, press):
    desk.press("bracketleft", "bracketleft")
    press()
    assert restitutions(desk) == {0.9}
    press()
    press()
    assert restitutions(desk) == {1.0}


def check_next_engine(desk, press):
    from spheresim.simulation import ENGINES

    for k in range(1, len(ENGINES) + 1):
        press()
        assert desk.player.settings.engine == ENGINES[k % len(ENGINES)]
        assert desk.player.settings.engine in desk.said
        desk.until(lambda: not desk.viewer.is_waiting)  # while it compiles no key is heard


def check_next_toi(desk, press):
    press()
    assert desk.player.settings.toi == "sliced"
    assert "sliced" in desk.said
    press()
    assert desk.player.settings.toi == "analytic"


def check_save_screenshot(desk, press):
    press()
    (file,) = Path().glob("*.png")
    assert file.name in desk.said


def check_save_scene(desk, press):
    press()
    (file,) = Path().glob("*/scene.toml")
    assert file.parent.name in desk.said


def check_reload(desk, press):
    desk.go_to(6.0)
    before = desk.player
    press()
    desk.until(lambda: desk.player is not before)
    assert desk.player.time == 0.0


def check_dismiss(desk, press):
    desk.scene_view.pick(3)
    desk.press("F1")
    press()
    assert not desk.options.help
    assert desk.scene_view.picked == 3
    for _ in range(2):  # a notice may go first
        press()
    assert desk.scene_view.picked is None
    assert desk.window.context is not None


def check_help(desk, press):
    before = desk.seen()
    press()
    assert desk.options.help
    assert not np.array_equal(desk.seen(), before)
    press()
    assert not desk.options.help


CHECKS = {name[6:]: check for name, check in globals().items() if name.startswith("check_")}


@pytest.mark.parametrize("names", [n for n in CHORDS if n != ("Q", CTRL)], ids=CHORDS.get)
def test_a_key_does_what_the_help_says(desk, names):
    from spheresim_viewer.keys import BINDINGS

    (action,) = (b.action for b in BINDINGS if names_of(b) == names)

    def press() -> None:
        desk.press(CHORDS[names])
        desk.until(lambda: not desk.player.seeking)

    CHECKS[action](desk, press)
    desk.frame()


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
        desk.settle()
        snapshot = desk.player.snapshot
        for _ in range(20):  # the camera comes to rest to the last bit
            desk.camera.update(10.0, snapshot.position, snapshot.velocity, snapshot.world.radius)
        desk.frame()
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
    assert actions == {*CHECKS, "quit"}
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
    desk.frames(5)
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
    desk.frames(5)
    xdotool("keyup", "s", "keyup", "ctrl")
    desk.frames(5)
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


def test_the_help_knows_every_key(desk):
    from spheresim_viewer.keys import BINDINGS, BY_MOUSE_AND_HELD

    desk.press("F1")
    texts = desk.words
    for binding in BINDINGS:
        if binding.shown:
            assert {binding.shown, binding.words} <= texts
    described = {binding.action for binding in BINDINGS if binding.shown}
    assert described == {binding.action for binding in BINDINGS}
    assert {words for _, _, words in BY_MOUSE_AND_HELD} <= texts
    assert math.isclose(desk.player.time, 0.0)
