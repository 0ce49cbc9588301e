"""Which keys a person presses for each binding of the viewer, and how a key is tested."""

from collections.abc import Callable

SHIFT, CTRL = "shift", "ctrl"

# (symbol, held): what xdotool presses for it on a US keyboard
TIME = {
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
}
CAMERA = {
    ("F", ""): "f",
    ("F2", ""): "F2",
    ("_1", ""): "1",
    ("_2", ""): "2",
    ("_3", ""): "3",
    ("_4", ""): "4",
    ("_0", ""): "0",
    ("J", ""): "j",
    ("HOME", ""): "Home",
    ("R", ""): "r",
}
LOOK = {
    ("TAB", ""): "Tab",
    ("user_key(17)", SHIFT): "shift+Tab",
    ("PERIOD", ""): "period",
    ("COMMA", ""): "comma",
    ("C", ""): "c",
    ("T", ""): "t",
    ("V", ""): "v",
    ("X", ""): "x",
    ("E", ""): "e",
    ("O", ""): "o",
    ("U", ""): "u",
    ("Y", ""): "y",
    ("K", ""): "k",
    ("P", ""): "p",
    ("H", ""): "h",
    ("L", ""): "l",
    ("F3", ""): "F3",
    ("F11", ""): "F11",
    ("SLASH", ""): "slash",
    ("QUESTION", SHIFT): "shift+slash",
    ("F1", ""): "F1",
}
DO = {
    ("B", ""): "b",
    ("G", ""): "g",
    ("G", SHIFT): "shift+g",
    ("BRACKETLEFT", ""): "bracketleft",
    ("BRACKETRIGHT", ""): "bracketright",
    ("M", ""): "m",
    ("I", ""): "i",
    ("Z", CTRL): "ctrl+z",
    ("F12", ""): "F12",
    ("P", CTRL): "ctrl+p",
    ("S", CTRL): "ctrl+s",
    ("L", CTRL): "ctrl+l",
    ("ESCAPE", ""): "Escape",
    ("Q", CTRL): "ctrl+q",
}
CHORDS = {**TIME, **CAMERA, **LOOK, **DO}

ELSEWHERE = {  # what other keyboards and systems say, and the action of it
    ("PLUS", ""): "faster",
    ("EQUAL", SHIFT): "faster",
    ("QUESTION", ""): "help",
    ("SLASH", SHIFT): "help",
    ("TAB", SHIFT): "pick_previous",
}


def names_of(binding) -> tuple[str, str]:
    """The symbol of a binding, and what is held with it, by their names."""
    from pyglet.window import key

    held = {0: "", key.MOD_SHIFT: SHIFT, key.MOD_CTRL: CTRL, key.MOD_ACCEL: CTRL}[binding.held]
    return key.symbol_string(binding.symbol), held


def action_of(names: tuple[str, str]) -> str:
    """The action that a key is bound to."""
    from spheresim_viewer.keys import BINDINGS

    (action,) = (binding.action for binding in BINDINGS if names_of(binding) == names)
    return action


Check = Callable[..., None]


def checks_in(module: dict[str, object]) -> dict[str, Check]:
    """What a test module checks of each action: its functions `check_ACTION(desk, press)`."""
    prefix = "check_"
    return {name[len(prefix) :]: f for name, f in module.items() if name.startswith(prefix)}


def press_and_check(desk, names: tuple[str, str], checks: dict[str, Check]) -> None:
    """Let the check of a key's action press that key."""

    def press() -> None:
        desk.press(CHORDS[names])
        desk.until(lambda: not desk.player.seeking)

    checks[action_of(names)](desk, press)
    desk.frame()


def differs(desk, press) -> bool:
    """Whether pressing changes what is seen, and pressing again takes it back."""
    before = desk.captured()
    press()
    between = desk.captured()
    press()
    assert (desk.captured() == before).all()
    return bool((between != before).any())
