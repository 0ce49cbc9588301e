"""The key bindings, as one table. The help that `?` shows is made from it.

Keys are as in other viewers (space, arrows, tab, escape), and else as in the tutorial's
program: up and down move the camera nearer and further, + and - change the speed of time,
F2 attaches the camera to a ball, F3 switches the sound.
"""

from typing import NamedTuple

from pyglet.window import key

CTRL = key.MOD_ACCEL
SHIFT = key.MOD_SHIFT
_RELEVANT = CTRL | SHIFT


class Binding(NamedTuple):
    """A key, the modifiers held with it, the method of `Actions` that it calls, and its help.

    shown, words: the key and what it does, as the help says it. They are empty for a second
    key of an action.
    """

    group: str
    symbol: int
    held: int
    action: str
    shown: str = ""
    words: str = ""


TIME, CAMERA, LOOK, DO = "Time", "Camera", "Look", "Do"

BINDINGS = (
    Binding(TIME, key.SPACE, 0, "run_or_pause", "space", "run, pause"),
    Binding(TIME, key.RIGHT, 0, "step_forward", "right", "one step on"),
    Binding(TIME, key.LEFT, 0, "step_back", "left", "one step back"),
    Binding(TIME, key.N, 0, "next_impact", "N", "to the next impact"),
    Binding(TIME, key.N, SHIFT, "previous_impact", "shift N", "to the impact before"),
    Binding(TIME, key.PLUS, 0, "faster", "+", "faster"),
    Binding(TIME, key.MINUS, 0, "slower", "-", "slower"),
    Binding(TIME, key.EQUAL, 0, "faster"),
    Binding(TIME, key.PLUS, SHIFT, "faster"),
    Binding(TIME, key.EQUAL, SHIFT, "faster"),
    Binding(TIME, key.NUM_ADD, 0, "faster"),
    Binding(TIME, key.NUM_SUBTRACT, 0, "slower"),
    Binding(TIME, key.Z, 0, "run_backwards", "Z", "run backwards"),
    Binding(TIME, key.PAGEDOWN, 0, "leap_forward", "page down", "forward by 5 %"),
    Binding(TIME, key.PAGEUP, 0, "leap_back", "page up", "back by 5 %"),
    Binding(TIME, key.BACKSPACE, 0, "restart", "backspace", "back to the start"),
    Binding(CAMERA, key.F, 0, "follow", "F", "follow the picked ball"),
    Binding(CAMERA, key.F2, 0, "ride", "F2", "ride on the ball"),
    Binding(CAMERA, key._1, 0, "view_corner", "1", "view from a corner"),
    Binding(CAMERA, key._2, 0, "view_front", "2", "from the front"),
    Binding(CAMERA, key._3, 0, "view_right", "3", "from the right"),
    Binding(CAMERA, key._4, 0, "view_top", "4", "from above"),
    Binding(CAMERA, key._0, 0, "show_all", "0", "show all"),
    Binding(CAMERA, key.J, 0, "look_at_impact", "J", "look at the impact"),
    Binding(CAMERA, key.HOME, 0, "reset_camera", "home", "as at the start"),
    Binding(CAMERA, key.R, 0, "turn", "R", "turn slowly"),
    Binding(LOOK, key.TAB, 0, "pick_next", "tab", "pick the next ball"),
    Binding(LOOK, key.TAB, SHIFT, "pick_previous", "shift tab", "the one before"),
    Binding(LOOK, key.user_key(23), SHIFT, "pick_previous"),  # shift and tab on X11
    Binding(LOOK, key.PERIOD, 0, "pick_next"),  # as on pages, where tab is the browser's
    Binding(LOOK, key.COMMA, 0, "pick_previous"),
    Binding(LOOK, key.C, 0, "next_color", "C", "colors: speed, state, …"),
    Binding(LOOK, key.T, 0, "trails", "T", "trails"),
    Binding(LOOK, key.V, 0, "arrows", "V", "velocities"),
    Binding(LOOK, key.X, 0, "contacts", "X", "contacts, normals"),
    Binding(LOOK, key.E, 0, "explosions", "E", "explosions"),
    Binding(LOOK, key.O, 0, "ghosts", "O", "offset primitives"),
    Binding(LOOK, key.U, 0, "sliced_answer", "U", "compare with slices"),
    Binding(LOOK, key.Y, 0, "drop_lines", "Y", "drop lines to the floor"),
    Binding(LOOK, key.K, 0, "panel", "K", "the panel on the right"),
    Binding(LOOK, key.P, 0, "plots", "P", "plots"),
    Binding(LOOK, key.H, 0, "numbers", "H", "numbers"),
    Binding(LOOK, key.L, 0, "shadows", "L", "shadows"),
    Binding(LOOK, key.F3, 0, "sound", "F3", "sound"),
    Binding(LOOK, key.F11, 0, "fullscreen", "F11", "full screen"),
    Binding(DO, key.B, 0, "throw", "B", "aim a throw; again: throw"),
    Binding(DO, key.G, 0, "gravity", "G", "gravity on, off"),
    Binding(DO, key.G, SHIFT, "flip_gravity", "shift G", "reverse gravity"),
    Binding(DO, key.BRACKETLEFT, 0, "less_restitution", "[", "less restitution"),
    Binding(DO, key.BRACKETRIGHT, 0, "more_restitution", "]", "more"),
    Binding(DO, key.M, 0, "next_engine", "M", "the other engine"),
    Binding(DO, key.I, 0, "next_toi", "I", "time of impact: sliced, analytic"),
    Binding(DO, key.Z, CTRL, "undo", "ctrl Z", "undo a change"),
    Binding(DO, key.F12, 0, "save_screenshot", "F12", "save a picture"),
    Binding(DO, key.P, CTRL, "save_screenshot"),
    Binding(DO, key.S, CTRL, "save_scene", "ctrl S", "save as a scene"),
    Binding(DO, key.L, CTRL, "reload", "ctrl L", "load the scene again"),
    Binding(DO, key.ESCAPE, 0, "dismiss", "esc", "let go, close"),
    Binding(DO, key.QUESTION, 0, "help", "?", "all keys"),
    Binding(DO, key.QUESTION, SHIFT, "help"),
    Binding(DO, key.SLASH, 0, "help"),
    Binding(DO, key.SLASH, SHIFT, "help"),
    Binding(DO, key.F1, 0, "help"),
    Binding(DO, key.Q, CTRL, "quit", "ctrl Q", "quit"),
)

HELD = {
    key.A: (-1.0, 0.0, 0.0),
    key.D: (1.0, 0.0, 0.0),
    key.W: (0.0, 1.0, 0.0),
    key.S: (0.0, -1.0, 0.0),
    key.UP: (0.0, 0.0, 1.0),
    key.DOWN: (0.0, 0.0, -1.0),
}
"""Keys that move the camera while they are held, by directions right, up and nearer."""

BY_MOUSE_AND_HELD = (
    (TIME, "drag the line", "to any moment"),
    (TIME, "click a mark", "to that impact"),
    (CAMERA, "drag", "orbit"),
    (CAMERA, "right drag", "move the picture"),
    (CAMERA, "wheel", "zoom to the cursor"),
    (CAMERA, "A D W S", "orbit (with shift: move)"),
    (CAMERA, "up, down", "nearer, further"),
    (LOOK, "click", "pick a ball"),
    (DO, "drag the picked", "move it, while paused"),
    (DO, "… with X, Y, Z", "along one axis"),
    (DO, "drop a file", "open that scene"),
    (DO, "in a terminal", "spheresim lesson: lessons"),
)
"""The lines of the help on the mouse and on held keys: group, what, words."""


def action_of(symbol: int, modifiers: int) -> str | None:
    """The action bound to a key, or None."""
    for binding in BINDINGS:
        if binding.symbol == symbol and binding.held == modifiers & _RELEVANT:
            return binding.action
    return None
