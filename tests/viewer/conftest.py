"""The room in which keys are tried."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from golden_pictures import hold_against_golden
from viewer_window import Desk


@pytest.fixture(scope="module")
def room_desk(screen: str) -> Iterator[Desk]:
    """The tutorial's room in a small window, opened once for all tests of a module."""
    desk = Desk("magic_room", size=(400, 300))
    yield desk
    desk.close()


@pytest.fixture
def desk(room_desk: Desk, folder: Path) -> Desk:
    """The room as it is after the start, but paused."""
    room_desk.anew()
    room_desk.player.running = False
    return room_desk


@pytest.fixture(scope="module")
def writing(screen: str) -> Iterator[Any]:
    """What pages of lessons are laid out on; nothing is drawn."""
    from pyglet.window import Window
    from spheresim_viewer.hud.overlay import Overlay
    from spheresim_viewer.lessons.writing import Writing

    window = Window(64, 64, visible=False)
    yield Writing(Overlay())
    window.close()


@pytest.fixture
def compare(tmp_path: Path) -> Callable[[str, Any], None]:
    """Holds pixels against a golden picture of a name."""
    return lambda name, pixels: hold_against_golden(name, pixels, tmp_path)
