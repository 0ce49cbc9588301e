"""An OpenGL context without a visible window, and on Linux without a display."""

import sys
from typing import Any

import pyglet


def open_hidden_window(width: int, height: int) -> Any:
    """Open a window that is not shown. On Linux, after `request_headless`, it needs no display."""
    return pyglet.window.Window(width, height, visible=False)


def request_headless() -> None:
    """Make pyglet use EGL instead of a display, where it can; before it opens a window."""
    pyglet.options.headless = sys.platform.startswith("linux")
