"""An OpenGL context without a visible window, and on Linux without a display."""

import importlib
import sys
from typing import TYPE_CHECKING, Any

import pyglet

if TYPE_CHECKING:
    from pyglet.window import BaseWindow

_CHOOSING = ("pyglet.display", "pyglet.gl", "pyglet.window")
"""Modules that choose between a display and EGL, when they are loaded."""


def open_hidden_window(width: int, height: int) -> "BaseWindow":
    """Open a window that is not shown. On Linux, after `use_display(False)`, without a display."""
    return pyglet.window.Window(width, height, visible=False)


def use_display(wanted: bool) -> None:
    """Make pyglet use a display from now on, or on Linux EGL instead, which needs none.

    A display of which a window is open stays in use: closing that is for who opened it.
    """
    headless = sys.platform.startswith("linux") and not wanted
    if headless != pyglet.options.headless and not (headless and _windows()):
        _choose_again(headless)
    if wanted:
        pyglet.display.get_display()  # where there is none, nothing more is loaded, by halves


def _choose_again(headless: bool) -> None:
    # No thread may have a context of each kind
    for window in _windows():
        window.close()
    if "pyglet.window" in sys.modules and pyglet.gl.current_context is not None:
        pyglet.gl.current_context.detach()
    pyglet.options.headless = headless
    for name in _CHOOSING:
        if name in sys.modules:
            importlib.reload(sys.modules[name])


def _windows() -> list[Any]:
    return list(pyglet.app.windows) if "pyglet.app" in sys.modules else []
