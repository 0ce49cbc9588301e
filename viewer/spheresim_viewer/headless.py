"""An OpenGL context that nobody sees."""

import sys
from typing import Any

import pyglet


def open_hidden_window(width: int, height: int) -> Any:
    """A window that is not shown; on Linux one that needs no display at all (EGL)."""
    return pyglet.window.Window(width, height, visible=False)


def request_headless() -> None:
    """Say, before pyglet opens anything, that there will be nothing to be seen."""
    pyglet.options.headless = sys.platform.startswith("linux")
